"""From strengths and records to rows."""

from paragone.analysis.board_rows import board_rows
from paragone.domain import Item, PlainRow, Rating

ITEMS = tuple(Item(id=id, text=f"text of {id}") for id in "abcd")


def strength(id, rank, rating):
    ranks = {"rank": rank, "rank_low": rank, "rank_high": rank + 1}
    return PlainRow(id=id, rating=rating, low=rating - 10, high=rating + 10, **ranks)


PLACES = {"a": (2, 1200), "b": (1, 1300), "c": (2, 1200), "d": (4, 1100)}
STRENGTHS = {id: strength(id, *place) for id, place in PLACES.items()}
RECORDS = {
    id: Rating(item=id, elo=elo, matches=3, wins=1, losses=2) for id, elo in zip("abcd", (1, 2, 3, 3), strict=True)
}


def test_ranks_by_strength_and_equals_share_a_rank_in_the_order_given():
    rows = board_rows(ITEMS, STRENGTHS, RECORDS)
    assert [(row.id, row.rank) for row in rows] == [("b", 1), ("a", 2), ("c", 2), ("d", 4)]
    assert (rows[0].rating, rows[0].low, rows[0].high, rows[0].elo) == (1300, 1290, 1310, 2)
    assert (rows[0].wins, rows[0].losses, rows[0].ties, rows[0].matches) == (1, 2, 0, 3)
    assert rows[0].text == "text of b"


def test_ranks_by_elo_where_asked():
    rows = board_rows(ITEMS, STRENGTHS, RECORDS, by_elo=True)
    assert [(row.id, row.rank) for row in rows] == [("c", 1), ("d", 1), ("b", 3), ("a", 4)]
