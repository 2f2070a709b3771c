"""Boards: the figures of the command line, page by page."""

import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import NoReturn

import pytest

from paragone.domain import Choice, Comparison, Item, Match, Outcome, RatingConfig, Verdict
from paragone.errors import Busy, InvalidConfig, NotFound
from paragone.ledger import Ledger
from paragone.ledger.namespaces.matches import Matches
from paragone.ledger.namespaces.pools import Items
from paragone.ledger.namespaces.ratings import Ratings
from paragone.ledger.namespaces.tournaments import Tournaments
from paragone.tournaments.tournament import Tournament
from paragone.web.api.pools import NewItem, NewPool, begin_pool
from paragone.web.readers.ledger_reader import LedgerReader, RankedBoard
from paragone.web.views import board as board_views
from paragone.web.views.board import BoardQuery, board, row_of
from paragone.wire.value import shallow

POOL = "tournament-1"


def all_pages(library: LedgerReader, pool: str, **wanted) -> list:
    rows, cursor = [], None
    if library.is_tournament(pool):
        library.board(pool)  # however long it takes on a busy machine, it is there now
    while True:
        page = board(library, pool, BoardQuery(limit=3, cursor=cursor, **wanted))
        assert len(page.rows) <= 3
        rows += page.rows
        cursor = page.next
        if cursor is None:
            return rows


def test_a_board_by_strength_is_that_of_the_tournament(library: LedgerReader, played: Path) -> None:
    with Tournament.open(played) as tournament:
        expected = tournament.board()
    shown = board(library, POOL)
    assert shown.by == "strength"
    assert not shown.pending
    assert [shallow(replace(row, form="")) for row in shown.rows] == [
        {**asdict(row), "rank_shared": False, "form": "", "without": None} for row in expected.items
    ]
    for name in ("level", "identified", "position_bias", "stopped", "method"):
        assert getattr(shown, name) == getattr(expected, name)
    assert shallow(shown.spending) == expected.spending.as_dict()
    assert shown.forecast == expected.forecast
    assert (shown.least, shown.most) == (min(r.low for r in expected.items), max(r.high for r in expected.items))


def test_a_board_by_elo_has_the_ranks_of_the_tournaments(library: LedgerReader, played: Path) -> None:
    with Tournament.open(played) as tournament:
        expected = {row.id: (row.rank, row.elo, row.wins, row.losses) for row in tournament.board(by_elo=True).items}
    shown = all_pages(library, POOL, by="elo")
    assert {row.id: (row.rank, row.elo, row.wins, row.losses) for row in shown} == expected
    assert [row.elo for row in shown] == sorted((row.elo for row in shown), reverse=True)
    assert shown[0].text == f"text {shown[0].id[1:]}"
    assert shown[0].rating is None


@pytest.mark.parametrize("sort", ["rank", "rating", "low", "high", "elo", "wins", "losses", "matches", "id", "text"])
@pytest.mark.parametrize("descending", [False, True])
def test_pages_in_a_row_are_the_whole_board_in_order(shared_library: LedgerReader, sort: str, descending: bool) -> None:
    rows = all_pages(shared_library, POOL, sort=sort, descending=descending)
    assert sorted(row.id for row in rows) == [f"i{number}" for number in range(8)]
    values = [getattr(row, sort) for row in rows]
    assert values == sorted(values, reverse=descending)


@pytest.mark.parametrize("wanted", [{}, {"sort": "wins"}, {"by": "elo"}, {"search": "text"}])
def test_pages_by_number_are_those_by_cursor(shared_library: LedgerReader, wanted: dict) -> None:
    rows = all_pages(shared_library, POOL, **wanted)
    numbered = [board(shared_library, POOL, BoardQuery(limit=3, cursor=passed, **wanted)) for passed in (0, 3, 6, 9)]
    assert [row for page in numbered for row in page.rows] == rows
    assert [page.total for page in numbered] == [8] * 4


def test_a_search_of_the_index_has_numbered_pages(shared_library: LedgerReader) -> None:
    pages = [
        board(shared_library, POOL, BoardQuery(by="elo", search="TEXT", limit=3, cursor=at)) for at in (0, 3, 6, 9)
    ]
    assert [(row.rank, row.id) for page in pages for row in page.rows] == [
        (row.rank, row.id) for row in all_pages(shared_library, POOL, by="elo")
    ]
    assert [page.total for page in pages] == [8] * 4


def test_the_form_tells_the_last_five_matches_that_stand_the_newest_last(library: LedgerReader, played: Path) -> None:
    with Tournament.open(played) as tournament:
        of = [match for match in tournament.state.matches if "i3" in (match.a, match.b)]
    won = "".join("W" if (match.a if match.outcome is Outcome.A else match.b) == "i3" else "L" for match in of)
    assert {row.id: row.form for row in board(library, POOL).rows}["i3"] == won[-5:]
    library.ledger.matches.rollback(POOL, of[-1].id, "disputed")
    assert {row.id: row.form for row in board(library, POOL).rows}["i3"] == won[-6:-1]


def test_a_search_finds_ids_and_texts_in_any_case(library: LedgerReader) -> None:
    for by in ("strength", "elo"):
        assert [row.id for row in board(library, POOL, BoardQuery(by=by, search="TEXT 5")).rows] == ["i5"]
        assert [row.id for row in board(library, POOL, BoardQuery(by=by, search="I7")).rows] == ["i7"]
        assert board(library, POOL, BoardQuery(by=by, search="100%_")).rows == []
    found = board(library, POOL, BoardQuery(by="elo", search="text", limit=2))
    assert (len(found.rows), found.total) == (2, None)
    assert [row.rank for row in found.rows] == [1, 2]


@pytest.mark.parametrize("by", ["strength", "elo"])
def test_a_rank_is_shared_with_rows_of_other_pages_too(library: LedgerReader, by: str) -> None:
    items = [NewItem(id=id, text=f"the idea {id}") for id in "abcdefg"]
    pool, _ = begin_pool(library, NewPool(name="ties", criteria="better", items=items))
    answer = Comparison(call="c", first="g", second="a", verdict=Verdict(choice=Choice.FIRST, judge="human:ann"))
    library.ledger.matches.record(pool, Match(id="m", a="g", b="a", outcome=Outcome.A, comparisons=(answer,)))
    library.board(pool)  # however long it takes on a busy machine, it is there now
    whole = board(library, pool, BoardQuery(by=by)).rows
    assert [(row.id, row.rank, row.rank_shared) for row in whole] == [
        ("g", 1, False), *((id, 2, True) for id in "bcdef"), ("a", 7, False),
    ]  # fmt: skip
    for size in (1, 2, 3):
        numbered = [board(library, pool, BoardQuery(by=by, limit=size, cursor=at)).rows for at in range(0, 7, size)]
        assert [row for page in numbered for row in page] == whole
        following, rows = board(library, pool, BoardQuery(by=by, limit=size)), []
        while following.next:
            rows += following.rows
            following = board(library, pool, BoardQuery(by=by, limit=size, cursor=following.next))
        assert [*rows, *following.rows] == whole
    for row in whole:
        assert board(library, pool, BoardQuery(by=by, search=f"the idea {row.id}")).rows == [row]
    if by == "strength":
        assert [row_of(library, pool, row.id) for row in whole] == whole


def test_an_item_of_a_pool_without_strengths_shares_its_rank_too(library: LedgerReader) -> None:
    library.ledger.pools.create("plain", RatingConfig())
    library.ledger.items.add("plain", [Item(id=id, text="") for id in "abcd"])
    library.ledger.matches.record("plain", Match(id="m", a="a", b="b", outcome=Outcome.A))
    rows = [row_of(library, "plain", id) for id in "acdb"]
    assert [(row.rank, row.rank_shared) for row in rows] == [(1, False), (2, True), (2, True), (4, False)]
    assert rows == board(library, "plain").rows


def test_a_cursor_of_another_order_is_refused(library: LedgerReader) -> None:
    first = board(library, POOL, BoardQuery(limit=2))
    with pytest.raises(InvalidConfig, match="another listing"):
        board(library, POOL, BoardQuery(limit=2, sort="elo", cursor=first.next))


def test_a_board_by_elo_is_sorted_by_nothing_else(library: LedgerReader) -> None:
    with pytest.raises(InvalidConfig, match="running Elo"):
        board(library, POOL, BoardQuery(by="elo", sort="wins"))


def test_a_pool_that_is_not_there_is_not_found(library: LedgerReader) -> None:
    with pytest.raises(NotFound):
        board(library, "nowhere")


def test_a_row_of_an_item_is_that_of_the_board(library: LedgerReader) -> None:
    library.board(POOL)  # however long it takes on a busy machine, it is there now
    rows = {row.id: row for row in board(library, POOL).rows}
    assert row_of(library, POOL, "i2") == rows["i2"]
    assert row_of(library, POOL, "nobody") is None


def refuse(*_: object) -> NoReturn:
    raise AssertionError("a whole pool was read")


class FrugalItems(Items):
    all = reviews = refuse


class FrugalMatches(Matches):
    all = each = refuse


class FrugalRatings(Ratings):
    all = each_change = refuse


class FrugalTournaments(Tournaments):
    rounds = refuse


class Frugal(Ledger):
    """A ledger of which nothing may be read whole."""

    def __init__(self, database, clock):
        super().__init__(database, clock)
        self.items = FrugalItems(database, clock)
        self.matches = FrugalMatches(database, clock)
        self.ratings = FrugalRatings(database, clock)
        self.tournaments = FrugalTournaments(database, clock)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LedgerReader]:
    """A pool of more items than a board by strength is made of unasked; ten of them played."""
    db = tmp_path_factory.mktemp("large") / "large.db"
    with Ledger.open(db, durable=False) as ledger:
        ledger.pools.create("large", RatingConfig())
        ledger.items.add("large", (Item(id=f"i{number:05}", text=f"text {number}") for number in range(20_001)))
        for number in range(0, 10, 2):
            match = Match(id=f"m{number}", a=f"i{number:05}", b=f"i{number + 1:05}", outcome=Outcome.A)
            ledger.matches.record("large", match)
    found = LedgerReader(Frugal.open(db))
    yield found
    found.close()


def test_a_page_of_a_large_pool_reads_no_more_than_it_shows(large: LedgerReader) -> None:
    first = board(large, "large", BoardQuery(limit=4))
    assert (first.by, first.total, first.pending) == ("elo", 20_001, False)
    assert [(row.rank, row.id, row.elo, row.form) for row in first.rows] == [
        (1, f"i0000{number}", 1216.0, "W") for number in (0, 2, 4, 6)
    ]
    second = board(large, "large", BoardQuery(limit=4, cursor=first.next))
    assert [(row.rank, row.id) for row in second.rows] == [(1, "i00008"), (6, "i00010"), (6, "i00011"), (6, "i00012")]
    assert board(large, "large", BoardQuery(limit=4, cursor=4)).rows == second.rows
    assert [row.rank for row in board(large, "large", BoardQuery(limit=4, cursor=4_000)).rows] == [6] * 4
    assert [row.rank for row in board(large, "large", BoardQuery(limit=9, cursor=19_995)).rows] == [6, *[19_997] * 5]
    last = board(large, "large", BoardQuery(search="i00009"))
    assert [(row.rank, row.elo, row.form) for row in last.rows] == [(19_997, 1184.0, "L")]


def test_an_item_of_a_large_pool_stands_where_the_index_says(large: LedgerReader) -> None:
    assert row_of(large, "large", "i20000").rank == 6


def test_while_a_board_is_made_there_is_the_one_before(library: LedgerReader) -> None:
    let_go = threading.Event()
    first, pending = library.newest("slow", POOL, lambda: "first", 5.0)
    assert (first.value, pending) == ("first", False)
    library.ledger.tournaments.add_event(POOL, "admin", {"by": "test"})

    def second() -> str:
        assert let_go.wait(20)
        return "second"

    meanwhile, pending = library.newest("slow", POOL, second, 0.01)
    assert (meanwhile.value, pending) == ("first", True)
    library.ledger.tournaments.add_event(POOL, "admin", {"by": "test"})
    again, pending = library.newest("slow", POOL, lambda: "a third that is not begun", 0.01)
    assert (again.value, pending) == ("first", True)
    let_go.set()
    made, pending = library.newest("slow", POOL, lambda: "third", 5.0)
    assert made.value in {"second", "third"}
    assert library.now("slow", POOL, lambda: "fourth") in {"third", "fourth"}


class Clock:
    """Seconds that pass when somebody says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_takes_long_is_not_made_after_each_write(played: Path) -> None:
    clock, made = Clock(), []
    library = LedgerReader(Ledger.open(played), clock=clock)

    def make() -> int:
        clock.now += 2.0  # seconds that it takes
        made.append(clock.now)
        return len(made)

    def asked() -> tuple[int, bool]:
        found, pending = library.newest("slow", POOL, make, 5.0)
        return found.value, pending

    try:
        assert asked() == (1, False)  # begun at 100, done at 102
        library.ledger.tournaments.add_event(POOL, "admin", {"by": "test"})
        assert asked() == (1, True)
        clock.now = 107.9  # it rests for three times as long as it took
        assert asked() == (1, True)
        clock.now = 108.1
        assert asked() == (2, False)
        assert asked() == (2, False)  # nobody wrote since, so it is as things stand
        library.ledger.tournaments.add_event(POOL, "admin", {"by": "test"})
        assert library.now("slow", POOL, make) == 3  # who needs it as things stand gets it so
        assert len(made) == 3
    finally:
        library.close()


def test_what_is_made_in_no_time_is_made_after_each_write(library: LedgerReader) -> None:
    for number in range(3):
        found, pending = library.newest("quick", POOL, lambda number=number: number, 5.0)
        assert (found.value, pending) == (number, False)
        library.ledger.tournaments.add_event(POOL, "admin", {"by": "test"})


def test_a_board_says_how_old_it_is(played: Path) -> None:
    clock = Clock()
    library = LedgerReader(Ledger.open(played), clock=clock)
    try:
        first = board(library, POOL)
        assert (first.pending, first.age) == (False, 0.0)
        made = library._newest["board"][POOL]  # as if it had taken a minute
        library._newest["board"][POOL] = replace(made, started=100.0, seconds=60.0)
        clock.now = 130.0
        assert board(library, POOL).age == 0.0  # nothing came in since
        library.ledger.tournaments.add_event(POOL, "admin", {"by": "test"})
        later = board(library, POOL)
        assert (later.pending, later.age, later.version) == (True, 30.0, first.version)
    finally:
        library.close()


def test_nobody_waits_for_the_fit_of_a_large_board(library: LedgerReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fit goes on only after the first answer, so an answer that waited for it would take the whole patience."""
    go_on, fit = threading.Event(), library._board

    def fitted_later(pool: str) -> RankedBoard:
        assert go_on.wait(60)
        return fit(pool)

    monkeypatch.setattr(board_views, "QUICK", 7)
    monkeypatch.setattr(board_views, "PATIENCE", 60.0)
    monkeypatch.setattr(library, "_board", fitted_later)
    first = board(library, POOL, BoardQuery(by="strength"))
    assert (first.by, first.pending, go_on.is_set()) == ("elo", True, False)
    go_on.set()
    while (later := board(library, POOL, BoardQuery(by="strength"))).pending:
        pass
    assert later.by == "strength"


def test_who_waits_for_a_board_when_the_server_ends_is_let_go(library: LedgerReader) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def make() -> int:
        begun.set()
        return int(go_on.wait(20))

    def ask() -> None:
        try:
            library.now("slow", POOL, make)
        except Busy as error:
            told.append(str(error))

    told: list[str] = []
    waiting = threading.Thread(target=ask)
    waiting.start()
    assert begun.wait(5)
    library.begin_to_end()
    waiting.join(5)
    go_on.set()
    assert told == ["the server is about to end: ask again in a moment"]


def test_what_many_ask_for_at_once_is_made_once(library: LedgerReader) -> None:
    made, begin = [], threading.Barrier(6)

    def make() -> int:
        made.append(1)
        threading.Event().wait(0.05)
        return 7

    def ask() -> None:
        begin.wait()
        answers.append(library.kept("shared", POOL, make))

    answers: list[int] = []
    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answers, len(made)) == ([7] * 6, 1)


def test_what_failed_is_tried_again(library: LedgerReader) -> None:
    def fail() -> int:
        raise NotFound("not yet")

    with pytest.raises(NotFound):
        library.kept("later", POOL, fail)
    assert library.kept("later", POOL, lambda: 1) == 1


def test_the_first_page_by_elo_is_kept_until_somebody_writes(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "kept.db", durable=False) as ledger:
        ledger.pools.create("pool", RatingConfig())
        ledger.items.add("pool", (Item(id=f"i{number}", text=f"text {number}") for number in range(4)))
        library = LedgerReader.open(str(tmp_path / "kept.db"))
        for number, (a, b) in enumerate((("i0", "i1"), ("i2", "i1"), ("i0", "i3"))):
            before = board(library, "pool")
            assert board(library, "pool") is before
            assert before == board(library, "pool", BoardQuery(by="elo"))  # which is read anew
            ledger.matches.record("pool", Match(id=f"m{number}", a=a, b=b, outcome=Outcome.A))
            after = board(library, "pool")
            assert after.version > before.version
            assert replace(after, rows=[]) == replace(board(library, "pool", BoardQuery(by="elo")), rows=[])
            assert [row.elo for row in after.rows] != [row.elo for row in before.rows]
        ledger.items.add("pool", [Item(id="i9", text="one more")])
        assert (board(library, "pool").total, len(board(library, "pool").rows)) == (5, 5)
        library.close()
