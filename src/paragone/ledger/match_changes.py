"""Changes of ratings by matches and rollbacks as rows: the global ones, and those of domains."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Table, bindparam, select

from paragone.domain import GLOBAL, RatingChange
from paragone.errors import Corrupted
from paragone.ledger import schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import of_few, unescaped, words
from paragone.ledger.databases.prepared import PreparedForNames

_change, _track = schema.rating_change, schema.track_change
_MOVED = tuple(field.name for field in fields(RatingChange) if field.name != "track")


def add(page: Page, made: Sequence[RatingChange], *, compensates: bool) -> None:
    """Put rating changes on a page, those of domains too."""
    for change in made:
        values = {name: getattr(change, name) for name in _MOVED}
        if change.track == GLOBAL:
            page.add(_change, **values, compensates=compensates)
        else:
            page.add(_track, **values, track=change.track, compensates=compensates)


def of_match(connection: Connection, pool: str, id: str, *, compensates: bool = False) -> tuple[RatingChange, ...]:
    """What a match did, or what its rollback did: the global changes, then those of domains."""
    return tuple(_of(connection, pool, [id], compensates=compensates))


def of_matches(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, list[RatingChange]]:
    """What some matches did, by id, each in the order of ``of_match``."""
    found: dict[str, list[RatingChange]] = defaultdict(list)
    for change in _of(connection, pool, ids, compensates=False):
        found[change.match].append(change)
    return found


def _asked(table: Table, *track: str) -> PreparedForNames:
    there = table.c.pool == bindparam("of_pool"), table.c.compensates == bindparam("compensating")
    wanted = select(*table.c[*_MOVED, *track]).where(*there).order_by(of_few(table.c.seq))
    return PreparedForNames(lambda matches: wanted.where(table.c.match.in_(matches)))


_BY_MATCH = (_asked(_change), _asked(_track, "track"))


def _of(connection: Connection, pool: str, ids: Sequence[str], *, compensates: bool) -> Iterator[RatingChange]:
    asked = {"of_pool": words(pool), "compensating": int(compensates)}
    for table in _BY_MATCH:
        for row in table.rows(connection, ids, asked):
            yield _noun(*row)


def _noun(item: str, match: str, *numbers: Any) -> RatingChange:  # noqa: ANN401 - six floats, and a track perhaps
    old, new, k, expected, score, clamped, *track = numbers
    try:
        return RatingChange(
            item=unescaped(item),
            match=unescaped(match),
            old=float(old),
            new=float(new),
            k=float(k),
            expected=float(expected),
            score=float(score),
            clamped=float(clamped),
            track=unescaped(track[0]) if track else GLOBAL,
        )
    except (TypeError, ValueError) as error:  # nothing of ours writes such a value
        raise Corrupted(f"a change by match {match!r} cannot be read ({error}); an audit says which row") from error
