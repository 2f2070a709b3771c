"""Why an item is where it is, and two items side by side."""

from paragone.errors import InvalidConfig
from paragone.tournaments.results.standing import chance_of_better, standing_of
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.board import row_of
from paragone.web.views.matches import match
from paragone.web.views.what_if import turn
from paragone.wire.match import Match
from paragone.wire.standing import SideBySide, SideOfTwo, Standing

QUICK_ITEMS, QUICK_MATCHES = 500, 5_000
"""Up to this size effects of matches are computed while somebody waits for the page of an item."""
MOST_SHOWN = 20
"""Matches between two items that are shown."""
_PAGE, _SEARCHED = 500, 5_000
"""Matches of an item that are read at once, and in all, to find those with another."""


def standing(reader: LedgerReader, pool: str, item: str) -> Standing:
    """Why an item is where it is.

    Raises:
        NotFound: If there is no such tournament, or no such item in it.
        InvalidConfig: If it is too large.
        Busy: If others ask for fits.
    """
    reader.require_small(pool)
    reader.state(pool).require([item])
    return reader.kept(
        "standing", pool, lambda: _standing(reader, pool, item), stamp=hash((reader.version(pool), item))
    )


def _standing(reader: LedgerReader, pool: str, item: str) -> Standing:
    with turn():
        return standing_of(reader.state(pool), item)


def is_quick(reader: LedgerReader, pool: str) -> bool:
    """Whether the effects of matches of an item are computed quickly."""
    return reader.is_small(pool) and reader.items(pool) <= QUICK_ITEMS and reader.matches(pool) <= QUICK_MATCHES


def side_by_side(reader: LedgerReader, pool: str, a: str, b: str) -> SideBySide:
    """Two items with all that was said about them.

    Raises:
        NotFound: If there is no such pool, or no such item in it.
        InvalidConfig: If both are one item.
    """
    reader.version(pool)  # refuses a pool that is not there
    if a == b:
        raise InvalidConfig(f"{a!r} is one item: two are put side by side", key="other")
    sides = (_side(reader, pool, a), _side(reader, pool, b))
    between, more = _between(reader, pool, a, b)
    counted = [each for each in between if not each.rolled_back and len(each.items) == 2]
    return SideBySide(
        pool=pool,
        a=sides[0],
        b=sides[1],
        a_better=chance_of_better(reader.state(pool), a, b) if is_quick(reader, pool) else None,
        wins=sum(each.winner == a for each in counted),
        losses=sum(each.winner == b for each in counted),
        ties=sum(each.outcome == "draw" for each in counted),
        matches=between,
        more=more,
    )


def _side(reader: LedgerReader, pool: str, id: str) -> SideOfTwo:
    stored, row = reader.ledger.items.by_id(pool, [id]).get(id), row_of(reader, pool, id)
    if stored is None or row is None:
        raise reader.no_item(pool, id)
    return SideOfTwo(id=id, kind=stored.kind.value, text=stored.text, row=row)


def _between(reader: LedgerReader, pool: str, a: str, b: str) -> tuple[list[Match], bool]:
    """The latest matches in which both took part, and whether there are or may be more."""
    ids: list[str] = []
    before, searched = None, 0
    while len(ids) <= MOST_SHOWN:
        records = reader.ledger.matches.before(pool, before, _PAGE, a)
        ids += [recorded.match.id for recorded in records if b in recorded.match.items]
        searched += len(records)
        if len(records) < _PAGE:
            return [match(reader, pool, id) for id in ids[:MOST_SHOWN]], len(ids) > MOST_SHOWN
        if searched >= _SEARCHED:
            break
        before = records[-1].sequence
    return [match(reader, pool, id) for id in ids[:MOST_SHOWN]], True
