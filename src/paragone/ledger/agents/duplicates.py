"""Evidence that may have an id by which it counts once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Protocol, TypeVar

from sqlalchemy import Column, Connection, Row, select

from paragone.errors import Conflict
from paragone.ledger.columns import AT_ONCE


def difference_text(recorded: Mapping[str, object], new: Mapping[str, object]) -> str:
    """What is on record, and what was given in its place, for each of their names that differs.

    Example:
        >>> difference_text({"domain": "law", "confidence": 1.0}, {"domain": "code", "confidence": 1.0})
        "domain 'law' instead of 'code'"
    """
    different = [name for name in new if recorded.get(name) != new[name]]
    return ", ".join(f"{name} {_shown(recorded.get(name))} instead of {_shown(new[name])}" for name in different)


def _shown(value: object) -> str:
    return "none" if value in ("", None) else repr(value)


class Named(Hashable, Protocol):
    """Evidence with an id; an empty one where every one counts."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str:
        """Its id."""


Evidence = TypeVar("Evidence", bound=Named)


def fresh(
    connection: Connection,
    pool: str,
    id_column: Column[str],
    evidence: Sequence[Evidence],
    of: Callable[[Row[tuple[Any, ...]]], Evidence],
) -> list[Evidence]:
    """Which of some pieces of evidence are not there yet, each once if it has an id.

    Args:
        connection: A transaction.
        pool: The pool.
        id_column: Where their table keeps their ids.
        evidence: The evidence.
        of: Makes it of a row.

    Raises:
        Conflict: If one of that id is there with other content, or two of that id differ.
    """
    ids = list(dict.fromkeys(each.id for each in evidence if each.id))
    recorded: dict[str, Evidence] = {}
    for start in range(0, len(ids), AT_ONCE):
        condition = id_column.table.c.pool == pool, id_column.in_(ids[start : start + AT_ONCE])
        recorded.update(
            (row_evidence.id, row_evidence)
            for row_evidence in map(of, connection.execute(select(id_column.table).where(*condition)))
        )
    new: list[Evidence] = []
    for each in evidence:
        if not each.id or each.id not in recorded:
            recorded[each.id] = each
            new.append(each)
        else:
            _require_equal(pool, id_column.name, recorded[each.id], each)
    return new


def _require_equal(pool: str, noun: str, recorded: Named, new: Named) -> None:
    if recorded != new:
        raise Conflict(
            f"{noun} {new.id!r} of pool {pool!r} is recorded already, with "
            f"{difference_text(_content(recorded), _content(new))}; "
            "record this one under another id"
        )


def _content(evidence: Named) -> dict[str, object]:
    """What a piece of evidence says; counts by their own names."""
    content = asdict(evidence)
    counts = content.pop("dealings", {})
    return {**content, **counts}


def existing(connection: Connection, pool: str, id_column: Column[str], ids: Sequence[str]) -> frozenset[str]:
    """Those of some ids that a column has."""
    existing_ids: set[str] = set()
    for start in range(0, len(ids), AT_ONCE):
        condition = id_column.table.c.pool == pool, id_column.in_(ids[start : start + AT_ONCE])
        existing_ids.update(connection.scalars(select(id_column).where(*condition)))
    return frozenset(existing_ids)
