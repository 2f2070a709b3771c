"""The one seam to numba, the optional extra ``fast``: loops that are plain Python until someone asks for them compiled.

``@loop`` marks a function. Called, it runs as the plain Python that it is; ``its_name.compiled`` is the same function
as machine code, made by numba at the first call with arguments of new types, and kept on disk. numba is not imported
before that: it costs more than a short loop takes. ``available()`` says whether there is a numba at all, and
``its_name.pays(steps)`` whether so many steps are worth it; where not, there is always the plain form.

What holds for both forms: no bounds are checked, so that a loop has to check its own indices; the same operations in
the same order give the same numbers, to the last bit (``math.exp`` is the C library's in both). A division by zero is
an error in plain Python, and an infinity or NaN compiled.
"""

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

from paragone import extras

P = ParamSpec("P")
R = TypeVar("R")

PAYS_TO_LOAD = 300_000
"""Steps of a loop that take longer in plain Python than it takes to load numba and what it keeps on disk."""

PAYS_TO_FIT = 200_000
"""Comparisons from which a fit takes less time compiled, by more than it takes to load numba, which keeps 80 MiB of the
process for good."""

PAYS_TO_CALL = 300
"""Steps that take longer in plain Python than it takes to hand over the arguments, once all is loaded."""


@cache
def available() -> bool:
    """Whether loops can be compiled: whether numba is installed."""
    return extras.installed("numba")


def pays_to_fit(comparisons: int) -> bool:
    """Whether a fit of so many comparisons should run compiled: whatever ran before, so that a fit can be repeated."""
    return available() and comparisons >= PAYS_TO_FIT


class Primitive(Generic[P, R]):
    """What a loop may call that is one thing in plain Python and another in machine code.

    Attributes:
        plain: What it does in plain Python.
        make: Gives what numba is to call in its place.
    """

    def __init__(self, plain: Callable[P, R], make: Callable[[], object]) -> None:
        self.plain = plain
        self.make = make

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.plain(*args, **kwargs)

    @cached_property
    def compiled(self) -> Any:  # noqa: ANN401 - numba's own kinds of callable
        """What numba calls."""
        return self.make()


class Loop(Generic[P, R]):
    """A function of numbers and arrays that is worth compiling; see ``loop``.

    Attributes:
        plain: The function as it was written.
    """

    def __init__(self, plain: Callable[P, R]) -> None:
        self.plain = plain
        self._steps = 0

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.plain(*args, **kwargs)

    def pays(self, steps: int, choice: bool | None = None) -> bool:
        """Whether so many steps should run compiled: as wanted, and where nobody said, if there is numba and it pays.

        Steps that were asked about before count too: who comes with a little at a time, again and again, has numba
        loaded once that would have paid from the beginning.

        Raises:
            MissingExtra: If it is wanted and there is no numba.
        """
        if choice is not None:
            if choice and not available():
                raise extras.missing("compiled loops need", "numba")
            return choice
        if "compiled" in vars(self):
            return steps >= PAYS_TO_CALL
        self._steps += steps
        return available() and self._steps >= PAYS_TO_LOAD

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """The same function as machine code.

        Raises:
            ImportError: If there is no numba; ask ``available()`` before.
        """
        from numba import njit

        function = _calling_compiled(cast("FunctionType", self.plain))
        try:
            machine_code = njit(function, cache=True, nogil=True, error_model="numpy")
        except RuntimeError:  # neither the package's folder nor the user's own cache can be written to
            machine_code = njit(function, nogil=True, error_model="numpy")
        return cast("Callable[P, R]", machine_code)


def loop(function: Callable[P, R]) -> Loop[P, R]:
    """Mark a function as worth compiling.

    It may use numbers, arrays, tuples, ``math``, ``numpy``, constants of its module, primitives and other marked
    functions. A parameter that is None costs nothing: what is behind ``if parameter is not None`` is then left out.
    """
    return Loop(function)


def _calling_compiled(function: FunctionType) -> FunctionType:
    """The function with everything that it calls in its compiled form, under a name of its own on disk.

    numba finds a kept function again by its own text only. The name says on what else its machine code rests.
    """
    names = {name: value.compiled for name, value in _globals(function) if isinstance(value, Loop | Primitive)}
    twin = FunctionType(function.__code__, function.__globals__ | names, function.__name__, function.__defaults__)
    twin.__module__ = function.__module__
    twin.__kwdefaults__ = function.__kwdefaults__
    digest = sha256(b"\n".join(_text(function))).hexdigest()[:12]
    twin.__qualname__ = f"{function.__qualname__}_{digest}"
    return twin


def _globals(function: FunctionType) -> Iterator[tuple[str, object]]:
    namespace = function.__globals__
    return ((name, namespace[name]) for name in _names(function.__code__) if name in namespace)


def _names(code: CodeType) -> list[str]:
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant)]
    return sorted({*code.co_names, *inner})


def _text(function: FunctionType, visited: frozenset[str] = frozenset()) -> Iterator[bytes]:
    """All that the machine code of a function is made from: its code, its constants, and those of what it calls."""
    yield from _code(function.__code__)
    for name, value in _globals(function):
        yield name.encode()
        if isinstance(value, np.ndarray):
            yield value.tobytes()
        elif isinstance(value, int | float):
            yield repr(value).encode()
        elif isinstance(value, Loop | Primitive) and name not in visited:
            called = value.plain if isinstance(value, Loop) else value.make
            yield from _text(cast("FunctionType", called), visited | {name})


def _code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    for constant in code.co_consts:
        yield from _code(constant) if isinstance(constant, CodeType) else [repr(constant).encode()]


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
        address = builder.bitcast(builder.gep(data, [values[1]]), ir.PointerType(ir.IntType(8)))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", (address.type,), kind)
        builder.call(ask, [address, number(1), number(3), number(1)])  # to write to, to keep close, as data
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
