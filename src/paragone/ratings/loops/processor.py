"""What a compiled loop may ask of the processor itself, and plain Python cannot: see ``compiled.Primitive``."""

from typing import Any, TypeAlias

from paragone.ratings.loops.compiled import Primitive

Foreign: TypeAlias = Any
"""What numba hands to the body of an intrinsic: types, its target's context, LLVM's builder and values."""


def _no_prefetch(array: object, index: int) -> None:
    """Plain Python has nothing to ask for."""


def _prefetch() -> object:
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import types
    from numba.extending import intrinsic
    from numba.np import arrayobj

    array_of: Foreign = arrayobj.make_array

    def body(context: Foreign, builder: Foreign, signature: Foreign, values: Foreign) -> object:
        data = array_of(signature.args[0])(context, builder, values[0]).data
        place = builder.bitcast(builder.gep(data, [values[1]]), ir.PointerType(ir.IntType(8)))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", (place.type,), kind)
        builder.call(ask, [place, number(1), number(3), number(1)])  # to write to, to keep close, as data
        return context.get_dummy_value()

    @intrinsic
    def prefetch(_: Foreign, array: Foreign, index: Foreign) -> object:
        return types.void(array, index), body

    return prefetch


prefetch = Primitive(_no_prefetch, _prefetch)
"""``prefetch(array, index)``: an element of a one-dimensional array will be wanted soon. The index need not be valid.

Random access to an array that is larger than the caches is bound by waiting. A loop that knows which elements come next
need not wait.
"""


def _unfused(x: float, y: float, z: float) -> float:
    return x * y + z


def _fma() -> object:
    from numba.core import types
    from numba.extending import intrinsic

    def body(_: Foreign, builder: Foreign, __: Foreign, values: Foreign) -> object:
        return builder.fma(*values)

    @intrinsic
    def fma(_: Foreign, x: Foreign, y: Foreign, z: Foreign) -> object:  # noqa: ARG001 - numbers, all three
        return types.float64(types.float64, types.float64, types.float64), body

    return fma


fma = Primitive(_unfused, _fma)
"""``fma(x, y, z)``: x * y + z for floats, rounded once; twice in plain Python."""
