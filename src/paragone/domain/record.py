"""What records are made of: a base that refuses unknown fields, and a table that cannot be changed."""

from typing import Any, ClassVar, NoReturn, TypeVar


class Record:
    """A frozen dataclass that is written as JSON and read back, under the specifications' field names.

    Unknown fields are refused when one is read: a misspelled field must not pass for an absent one.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}


K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A ``dict`` whose entries are fixed once it is made: it may be hashed, shared and copied freely.

    It is a ``dict`` and no other mapping, so that ``dataclasses.asdict``, ``json`` and pydantic take it for one.
    """

    def _refuse(self, *_args: object, **_options: object) -> NoReturn:
        raise TypeError("this table cannot be changed; make a new one with the changes")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (dict(self),))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"
