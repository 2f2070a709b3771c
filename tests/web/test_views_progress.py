"""What is made from whole tournaments: the figures of the command line, within a reader's patience."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import TypeAdapter

from local_server import soon
from paragone.domain import Choice, Comparison, Item, Match, Outcome, RatingConfig, Verdict
from paragone.errors import Busy, InvalidConfig, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.state import TournamentState
from paragone.tournaments.status import history_of, status_of
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.api.pools import audit_all, audit_pool
from paragone.web.api.tournaments import get_history, get_status, list_anomalies
from paragone.web.middleware.access_tokens import LOCAL
from paragone.web.readers import ledger_reader
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.runs.active_runs import ActiveRuns
from paragone.web.views.board import compare
from paragone.web.views.judges import judges
from paragone.web.views.live import live
from paragone.wire.tournament import History, Status

POOL = "tournament-1"


def plain(values: object) -> object:
    return json.loads(json.dumps(values))


def test_status_and_history_are_those_of_the_command_line(library: LedgerReader) -> None:
    state = library.state(POOL)
    assert TypeAdapter(Status).dump_python(get_status(POOL, library, LOCAL), mode="json") == plain(
        status_of(library.ledger, state)
    )
    assert TypeAdapter(History).dump_python(get_history(POOL, library, LOCAL), mode="json") == plain(
        history_of(library.ledger, state)
    )


@pytest.fixture
def ring() -> LedgerReader:
    """A tournament in which a beat b, b beat c and c beat a, as ann has it three times; ben has no ring."""
    ledger = Ledger.open("sqlite://")
    brief = settings_for(4, criteria="c", judge="given: people", seed=1)
    pool = TournamentState.begin(ledger, "t", brief, tuple(Item(id=id, text=id) for id in "abcd"), RatingConfig()).id
    played = [(pair, "ann") for pair in ("ab", "bc", "ca", "ad", "bd", "cd") * 3]
    for number, (pair, judge) in enumerate([*played, *((pair, "ben") for pair in ("ab", "bc", "ad", "bd", "cd"))]):
        said = Verdict(choice=Choice.FIRST, judge=judge)
        call = Comparison(call=f"{number}/1", first=pair[0], second=pair[1], verdict=said)
        ledger.matches.record(pool, Match(id=str(number), a=pair[0], b=pair[1], outcome=Outcome.A, comparisons=(call,)))
    return LedgerReader(ledger)


def test_circles_and_judges_are_those_of_the_quality_checks(ring: LedgerReader) -> None:
    expected = quality_of(ring.ledger, ring.state("t-1"))
    seen = compare(ring, "t-1")
    assert [cycle.items for cycle in seen.cycles] == [cycle.items for cycle in expected.tangles.cycles]
    assert len(seen.cycles) == 1
    assert {beat.winner + beat.loser for beat in seen.cycles[0].beats} == {"ab", "bc", "ca"}
    assert (seen.complete, seen.parts, seen.latest) == (True, [3], False)
    places = {row.id: place for place, row in enumerate(seen.items)}
    cell = seen.cells[places["a"]][places["b"]]
    assert (cell.wins, cell.draws, cell.losses, cell.share) == (4, 0, 0, 1.0)
    reliability = judges(ring, "t-1")
    assert reliability.judges == list(expected.judges)
    assert (reliability.consensus, {each.judge for each in reliability.judges}) == ("others", {"ann", "ben"})


def test_matches_that_were_rolled_back_are_in_no_matrix(ring: LedgerReader) -> None:
    ring.ledger.matches.rollback("t-1", "0", "no")
    seen = compare(ring, "t-1")
    places = {row.id: place for place, row in enumerate(seen.items)}
    assert seen.cells[places["a"]][places["b"]].wins == 3


def test_a_pool_that_is_no_tournament_is_compared_by_the_latest_matches() -> None:
    ledger = Ledger.open("sqlite://")
    ledger.pools.create("p", RatingConfig())
    ledger.items.add("p", [Item(id=id, text=id) for id in "ab"])
    for id, outcome in (("1", Outcome.A), ("2", Outcome.DRAW), ("3", Outcome.B)):
        ledger.matches.record("p", Match(id=id, a="a", b="b", outcome=outcome))
    ledger.matches.rollback("p", "3", "no")
    seen = compare(LedgerReader(ledger), "p")
    assert (seen.latest, seen.items[0].id, seen.cycles) == (True, "a", [])
    cell = seen.cells[0][1]
    assert (cell.wins, cell.draws, cell.losses) == (1, 1, 0)


def test_a_tournament_of_nothing_yet_has_no_judges_no_circles_and_a_status() -> None:
    ledger = Ledger.open("sqlite://")
    brief = settings_for(2, criteria="c", judge="given: people", seed=1)
    TournamentState.begin(ledger, "t", brief, (Item(id="a", text="a"), Item(id="b", text="b")), RatingConfig())
    library = LedgerReader(ledger)
    assert (judges(library, "t-1").judges, compare(library, "t-1").cycles) == ([], [])
    assert get_status("t-1", library, LOCAL).health is None
    assert (get_history("t-1", library, LOCAL).rounds, list_anomalies("t-1", library, LOCAL).anomalies) == ([], [])


def test_what_is_too_large_is_refused_and_says_where_to_ask(
    library: LedgerReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_reader, "MOST_MATCHES", 39)
    with pytest.raises(InvalidConfig, match=r"8 items and 40 matches.*paragone report"):
        get_status(POOL, library, LOCAL)
    assert compare(library, POOL).latest


def test_a_pool_that_is_no_tournament_has_no_status(library: LedgerReader) -> None:
    library.ledger.pools.create("plain", RatingConfig())
    for route in (get_status, get_history, list_anomalies):
        with pytest.raises(NotFound, match="is not a tournament"):
            route("plain", library, LOCAL)
    with pytest.raises(NotFound, match="is not a tournament"):
        judges(library, "plain")


def test_who_asks_while_it_is_being_made_is_told_to_ask_again(
    library: LedgerReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_reader, "PATIENCE", 0.01)
    let_go = threading.Event()

    def slow() -> int:
        assert let_go.wait(20)
        return 1

    with pytest.raises(Busy, match="ask again"):
        library.whole("something", POOL, slow)
    let_go.set()
    monkeypatch.setattr(ledger_reader, "PATIENCE", 20.0)
    assert library.whole("something", POOL, slow) == 1


def test_an_audit_is_that_of_the_ledger(library: LedgerReader) -> None:
    report = library.ledger.audit(POOL)
    seen = audit_pool(POOL, library, LOCAL)
    assert (seen.ok, seen.rows, seen.commits, seen.heads) == (True, report.rows, report.commits, dict(report.heads))
    assert audit_all(library, LOCAL).pools == 1


def test_pages_of_tournaments_that_nobody_has_played_do_not_wait_for_one_another() -> None:
    ledger = Ledger.open("sqlite://")
    brief = settings_for(2, criteria="c", judge="given: people", seed=1)
    for name in "abcd":
        TournamentState.begin(ledger, name, brief, (Item(id="x", text="x"), Item(id="y", text="y")), RatingConfig())
    library = LedgerReader(ledger)
    room = ActiveRuns(library)
    with ThreadPoolExecutor(4) as many:
        seen = list(many.map(lambda name: live(library, room, f"{name}-1"), "abcd"))
    assert [one.condition for one in seen] == ["new"] * 4
    assert soon(lambda: not any(live(library, room, f"{name}-1").pending for name in "abcd"))
    assert len(library.board("d-1").items) == 2
