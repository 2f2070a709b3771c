"""What the live board says of agents, against numbers worked out by hand and against the system of agents itself."""

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paragone.agents import EloSystem, strengths
from paragone.errors import InvalidConfig, InvalidEvidence, NotFound
from paragone.web.config import WebConfig
from paragone.web.pages.agents import ratings_by_domain
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import forecast as forecasts
from paragone.web.views.agents import roster
from paragone.web.views.agents.board import AgentBoardQuery, agent, board, domains
from paragone.web.views.agents.calibration import calibration, predictions_of
from paragone.web.views.agents.evidence import debate, debates, history, results_of
from paragone.web.views.agents.forecast import forecast
from paragone.web.views.agents.relations import relation, relations, relations_of
from paragone.web.views.agents.roster import agent_pools
from paragone.wire.address import AGENTS
from paragone.wire.agent import AgentBoard


@pytest.fixture(scope="module")
def books(debated_once: Path) -> Iterator[LedgerReader]:
    found = LedgerReader.open(str(debated_once))
    for wanted in ({}, {"by": "calibration"}, {"domain": "law"}):
        while asked(found, **wanted).pending:  # what is made aside is there from then on
            pass
    yield found
    found.close()


@pytest.fixture(scope="module")
def elo(debated_once: Path) -> Iterator[EloSystem]:
    with EloSystem(debated_once, snapshot=False) as found:
        yield found


def asked(books: LedgerReader, **wanted: object) -> AgentBoard:
    return board(books, AgentBoardQuery(**wanted))


def test_a_board_by_strength_has_all_agents_and_what_is_fitted(books: LedgerReader, elo: EloSystem) -> None:
    found = asked(books)
    assert [(row.agent, row.rank) for row in found.rows] == [("ada", 1), ("ben", 2), ("cyd", 3), ("dan", None)]
    assert (found.by, found.agents, found.debates, found.pending) == ("strength", 4, 6, False)
    ada, _, _, dan = found.rows
    strength = elo.get_strengths()[0]
    assert (ada.strength, ada.low, ada.high) == (strength.strength, strength.low, strength.high)
    assert (ada.rank_low, ada.rank_high) == (strength.rank_low, strength.rank_high)
    assert (ada.wins, ada.losses, ada.ties, ada.form) == (3, 0, 1, "WWWT")
    assert (dan.strength, dan.elo, dan.model, dan.form) == (None, 1500.0, "model-d", "")
    assert found.least == min(row.low for row in elo.get_strengths())


@pytest.mark.parametrize("domain", ["", "law"])
def test_a_forecast_is_that_of_the_system(books: LedgerReader, elo: EloSystem, domain: str) -> None:
    for pair in (("ada", "ben"), ("cyd", "dan")):
        assert forecast(books, AGENTS, *pair, domain) == elo.predict_match(*pair, domain or None)


def test_the_strengths_for_forecasts_are_fitted_once(
    debated_once: Path, library_of: Callable[[Path], LedgerReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[str] = []
    fit = forecasts.strength_draws
    monkeypatch.setattr(forecasts, "strength_draws", lambda *about: (fits.append(about[1]), fit(*about))[1])
    reader = library_of(debated_once)
    for opponent, domain in (("ben", ""), ("cyd", ""), ("ben", "law"), ("dan", "law")):
        forecast(reader, AGENTS, "ada", opponent, domain)
    assert fits == ["", "law"]
    monkeypatch.setattr(strengths, "MOST_WORK", 3**3 * 2)  # three have debated, in two domains
    assert forecast(reader, AGENTS, "ada", "ben").debates == 4
    with pytest.raises(InvalidConfig, match=r"3 agents.*by domain.*`paragone agents forecast`"):
        forecast(reader, AGENTS, "ada", "ben", "law")


def test_nobody_waits_for_the_fits_of_many_agents(debated_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, fit = threading.Event(), roster._overall

    def fitted_later(reader: LedgerReader, pool: str) -> roster.Fitted:
        assert go_on.wait(60)
        return fit(reader, pool)

    monkeypatch.setattr(roster, "QUICK", 3)
    monkeypatch.setattr(roster, "FIT", 60.0)
    monkeypatch.setattr(roster, "_overall", fitted_later)
    reader = LedgerReader.open(str(debated_once))
    try:
        first = asked(reader)
        assert (first.by, first.agents, first.pending) == ("elo", 4, True)
        go_on.set()
        while (later := asked(reader)).pending:
            pass
        assert later.by == "strength"
    finally:
        go_on.set()
        reader.close()


def test_a_board_by_elo_is_that_of_the_system(books: LedgerReader, elo: EloSystem) -> None:
    rows = asked(books, by="elo").rows
    assert [(row.agent, row.elo) for row in rows] == [(one.agent_name, one.elo) for one in elo.get_leaderboard()]
    assert [row.rank for row in rows] == [1, 2, 3, 4]


def test_a_board_by_calibration_counts_from_five_predictions_on(books: LedgerReader) -> None:
    rows = asked(books, by="calibration").rows
    assert [(row.agent, row.rank) for row in rows] == [("ada", 1), ("ben", None), ("cyd", None)]
    ada, ben, _ = rows
    assert ada.brier == pytest.approx((4 * 0.04 + 2 * 0.64) / 6)
    assert ada.score == pytest.approx(0.76 * 0.5125)
    assert (ada.correct, ada.predictions) == (4, 6)
    assert (ben.score, ben.predictions) == (None, 2)
    assert ben.brier == pytest.approx((0.25 + 0.01) / 2)


def test_a_board_of_a_domain_has_its_ratings_and_the_global_one_of_who_has_none(
    books: LedgerReader, elo: EloSystem
) -> None:
    found = asked(books, domain="law", by="elo")
    assert {row.agent: row.elo for row in found.rows} == {
        one.agent_name: one.domain_elos.get("law", one.elo) for one in elo.get_leaderboard(domain="law")
    }
    assert (found.debates, found.domain) == (3, "law")
    assert {row.agent: row.form for row in found.rows} == {"ada": "WW", "ben": "LLW", "cyd": "L", "dan": ""}
    strong = {row.agent: row.strength for row in asked(books, domain="law").rows}
    assert strong == {**{one.agent: one.strength for one in elo.get_strengths("law")}, "dan": None}
    assert [row.predictions for row in asked(books, domain="law", by="calibration").rows] == [6]
    with pytest.raises(NotFound, match="nothing was recorded in the domain 'music'; there are 'art', 'law'"):
        asked(books, domain="music")


def test_agents_that_share_a_rank_say_so_on_whichever_page(tmp_path: Path, client_of: Callable[..., Any]) -> None:
    with EloSystem(tmp_path / "even.db", snapshot=False, warn=False) as even:
        for number, (winner, loser) in enumerate([("ann", "bob"), ("cyd", "dan"), ("cyd", "dan"), ("eve", "fay")]):
            even.record_match(f"d{number}", [winner, loser], {winner: 1.0, loser: 0.0}, domain="law")
    reader = LedgerReader.open(str(tmp_path / "even.db"))
    expected = {"cyd": "1", "ann": "2=", "eve": "2=", "bob": "4=", "fay": "4=", "dan": "6"}
    for by in ("strength", "elo"):
        while asked(reader, by=by).pending:
            pass
        rows = [asked(reader, by=by, limit=1, cursor=at).rows[0] for at in range(6)]
        assert {row.agent: f"{row.rank}{'=' * row.rank_shared}" for row in rows} == expected
    while (of := agent(reader, AGENTS, "eve")).pending:
        pass
    assert (of.row.rank_shared, [domain.rank_shared for domain in of.domains]) == (True, [True])
    reader.close()
    html = client_of(WebConfig(db=str(tmp_path / "even.db"))).get("/agents?by=elo").text
    ranks = re.findall(r'<td class="n">\s*(\d)(?:<span class="after">(=)</span>)?<', html.split("<tbody>")[1])
    assert ["".join(rank) for rank in ranks] == list(expected.values())


@pytest.mark.parametrize("by", ["strength", "elo", "calibration"])
def test_pages_of_a_board_are_the_whole(books: LedgerReader, by: str) -> None:
    whole = asked(books, by=by).rows
    rows, cursor = [], None
    for _ in range(len(whole)):
        page = asked(books, by=by, limit=1, cursor=cursor)
        rows += page.rows
        cursor = page.next
    assert rows == whole
    assert cursor is None


def test_a_search_finds_names_and_models_and_a_cursor_belongs_to_it(books: LedgerReader) -> None:
    assert [row.agent for row in asked(books, search="MODEL-").rows] == ["dan"]
    found = asked(books, search="b")
    assert [(row.agent, row.rank) for row in found.rows] == [("ben", 2)]
    with pytest.raises(InvalidConfig, match="cursor"):
        asked(books, search="d", cursor=asked(books, limit=1).next)


def test_pools_that_hold_no_agents_are_refused(books: LedgerReader, played: Path) -> None:
    assert agent_pools(books) == ["agents"]
    with pytest.raises(NotFound, match="no agents in a pool 'others'; there are 'agents'"):
        asked(books, pool="others")
    other = LedgerReader.open(str(played))
    assert agent_pools(other) == []
    with pytest.raises(NotFound, match="not agents"):
        asked(other, pool="tournament-1")
    with pytest.raises(NotFound, match="begin with `paragone agents record"):
        asked(other)
    other.close()


def test_an_agent_has_its_neighbours_its_domains_and_its_critiques(books: LedgerReader) -> None:
    found = agent(books, "agents", "ada")
    assert found.row == asked(books).rows[0]
    assert [one.agent for one in found.around] == ["ada", "ben", "cyd"]
    law, art = found.domains
    assert (law.domain, law.debates, law.wins, law.losses, law.ties) == ("law", 2, 2, 0, 0)
    assert (law.predictions, law.correct, law.rank) == (6, 4, 1)
    assert (art.domain, art.ties, art.predictions, art.score) == ("art", 1, 0, None)
    assert (found.critiques, found.accepted, found.unresolved) == (2, 1, 1)
    assert agent(books, "agents", "dan").around == []
    with pytest.raises(NotFound, match="no agent 'eve'"):
        agent(books, "agents", "eve")


def test_a_history_has_what_moved_a_rating_and_by_how_much(books: LedgerReader, elo: EloSystem) -> None:
    found = history(books, "agents", "ada")
    assert [move.elo for move in found.moves] == [rating for _, rating in elo.get_elo_history("ada")]
    newest = [(move.cause, round(move.change or 0.0, 9)) for move in found.moves[:3]]
    assert newest == [("verification:v1", 16.0), ("redteam:s2:ada", -16.8), ("redteam:s1:ada", 8.64)]
    assert (found.moves[-1].number, found.moves[-1].change, found.total) == (1, 16.0, 7)
    first = history(books, "agents", "ada", limit=4)
    assert [*first.moves, *history(books, "agents", "ada", limit=4, after=first.next).moves] == found.moves
    law = history(books, "agents", "ada", track="law")
    assert [(move.cause, move.change is None) for move in law.moves][-1] == ("d1", True)
    with pytest.raises(NotFound, match="no rating in the domain 'music'"):
        history(books, "agents", "ada", track="music")


def test_a_calibration_has_its_numbers_with_intervals(books: LedgerReader, elo: EloSystem) -> None:
    found = calibration(books, "agents", "ada")
    assert (found.predictions, found.correct, found.unresolved, found.finding) == (6, 4, 1, "calibrated")
    assert found.ece_by_midpoints.value == pytest.approx(elo.get_expected_calibration_error("ada"))
    assert found.score.value == pytest.approx(elo.get_rating("ada").calibration_score)
    assert found.bias.value == pytest.approx(0.8 - 4 / 6)
    (bucket,) = found.buckets
    assert (bucket.start, bucket.predictions, bucket.correct) == (0.8, 6, 4)
    assert bucket.low < bucket.accuracy < bucket.high
    assert [(one.domain, one.predictions) for one in found.domains] == [("law", 6)]
    of_art = calibration(books, "agents", "ben", "art")
    assert (of_art.predictions, of_art.finding, of_art.domains) == (1, "too_few", [])
    with pytest.raises(NotFound, match="foretold nothing in the domain 'art'"):
        calibration(books, "agents", "ada", "art")


def test_predictions_come_newest_first_a_page_at_a_time(books: LedgerReader) -> None:
    found = predictions_of(books, "agents", "ben")
    assert [(one.tournament, one.winner, one.domain, one.correct) for one in found.predictions] == [
        ("cup", "ada", "", True),
        ("", "", "art", True),
    ]
    assert found.predictions[0].brier == pytest.approx(0.01)
    page = predictions_of(books, "agents", "ada", limit=3)
    rest = predictions_of(books, "agents", "ada", limit=5, after=page.next)
    assert [*page.predictions, *rest.predictions] == predictions_of(books, "agents", "ada").predictions
    assert (page.total, rest.next) == (7, None)


def test_relations_are_those_of_the_formulas(books: LedgerReader) -> None:
    found = relations(books, "agents")
    rival, ally = found.relations
    assert (rival.a, rival.b, rival.relationship, rival.wins, rival.losses) == ("ada", "ben", "rival", 5, 5)
    assert rival.rivalry == pytest.approx(0.3 + 0.4 * 0.9 + 0.3)
    assert rival.alliance == pytest.approx(0.5 * 0.1 + 0.3 * 0.5)
    assert (ally.a, ally.b, ally.relationship, ally.alliance) == ("ben", "cyd", "ally", 1.0)
    assert (found.total, found.rivals, found.allies) == (2, 1, 1)
    assert relations(books, "agents", "rivals").relations == [rival]
    page = relations(books, "agents", limit=1)
    assert relations(books, "agents", limit=1, after=page.next).relations == [ally]


def test_an_agent_sees_its_relations_from_its_side(books: LedgerReader, elo: EloSystem) -> None:
    found = relations_of(books, "agents", "ben")
    assert [(one.b, one.rivalry) for one in found.rivals] == [
        (one["agent_b"], one["rivalry_score"]) for one in elo.get_rivals("ben")
    ]
    assert [one.b for one in found.allies] == [one["agent_b"] for one in elo.get_allies("ben")] == ["cyd"]
    ada, cyd = found.relations
    assert (ada.b, ada.ahead, ada.behind, ada.matches) == ("ada", 0, 3, 3)
    assert (cyd.b, cyd.critiques_a_to_b, cyd.accepted_a_to_b, cyd.ahead) == ("cyd", 2, 2, 2)
    assert relation(books, "agents", "cyd", "ben").critiques_b_to_a == 2
    never = relation(books, "agents", "ada", "dan")
    assert (never.relationship, never.matches) == ("unknown", 0)
    with pytest.raises(InvalidEvidence, match="two different agents"):
        relation(books, "agents", "ada", "ada")


def test_tests_are_told_in_numbers_and_one_by_one(books: LedgerReader, elo: EloSystem) -> None:
    found = results_of(books, "agents", "ada")
    assert (found.sessions, found.attacks, found.successful, found.critical) == (2, 20, 9, 2)
    assert found.robustness == pytest.approx(0.6)
    assert found.red_team == pytest.approx(elo.get_vulnerability_summary("ada")["total_elo_impact"])
    assert found.verification == pytest.approx(16.0)
    assert [one.session for one in found.red_teams] == ["s2", "s1"]
    assert [(one.verified, one.disproven, one.domain) for one in found.proofs] == [(3, 1, "art")]
    nothing = results_of(books, "agents", "dan")
    assert (nothing.sessions, nothing.robustness, nothing.red_teams) == (0, None, [])


def test_domains_say_who_leads(books: LedgerReader, elo: EloSystem) -> None:
    law, art = domains(books, "agents").domains
    first = elo.get_strengths("law")[0]
    assert (law.domain, law.debates, law.agents, law.predictions) == ("law", 3, 3, 6)
    assert (law.leader, law.rating, law.low, law.high) == ("ada", first.strength, first.low, first.high)
    assert (art.domain, art.debates, art.predictions) == ("art", 2, 1)
    page = domains(books, "agents", limit=1)
    assert domains(books, "agents", limit=1, after=page.next).domains == [art]
    cells, is_strength = ratings_by_domain(books, "agents", ["ada", "dan"])
    assert is_strength
    assert {where: cell.matches for where, cell in cells.items()} == {("ada", "law"): 2, ("ada", "art"): 1}


def test_debates_are_listed_and_looked_at(books: LedgerReader, elo: EloSystem) -> None:
    found = debates(books, "agents")
    assert [one.id for one in found.debates] == [one["debate_id"] for one in elo.get_recent_matches()]
    last = found.debates[0]
    assert (last.winner, [entry.score for entry in last.entries]) == (None, [0.5, 0.5])
    first = debate(books, "agents", "d1")
    assert [(one.agent, one.change, one.domain_change) for one in first.entries] == [
        ("ada", 16.0, 16.0),
        ("ben", -16.0, -16.0),
    ]
    assert (first.winner, first.domain, first.task, first.outcome) == ("ada", "law", "whether it is so", "win")
    page = debates(books, "agents", "ada", limit=3)
    assert [one.id for one in page.debates] == ["d6", "d4", "d2"]
    assert [one.id for one in debates(books, "agents", "ada", after=page.next).debates] == ["d1"]
