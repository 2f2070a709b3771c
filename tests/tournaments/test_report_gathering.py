"""What a report says, gathered from a ledger: ranking, metrics, costs, and what happened."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

import pytest

import without_board
from paragone.analysis.progress.accuracy import accuracy, truth_correlation
from paragone.domain import Item, ItemKind, Match, Outcome, Review, Tier
from paragone.domain.records import RankingReport, from_values
from paragone.errors import InvalidItems
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Event
from paragone.presenting.tournament_report import leaderboard_of, values_of, write
from paragone.presenting.tournament_report.summary import summary, tiles
from paragone.tournaments.report import gather, gather_overview, gathering, ranking_report
from paragone.tournaments.report import strength_history as strength_history_module
from paragone.tournaments.report.gathering import EventCounts, count_events, effects_of, expenses
from paragone.tournaments.report.global_ranking import effectiveness_of
from paragone.tournaments.report.strength_history import strength_history
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import PackedMatches
from paragone.tournaments.tournament import Tournament

COUNT = 10
STRENGTHS = {f"h{place:02}": 0.4 * place for place in range(COUNT)}
ITEMS = [Item(id=id, text=f"hypothesis {id} on phage tails", kind=ItemKind.HYPOTHESIS) for id in STRENGTHS]


def begin(db, **options):
    judge = SimulatedJudge(STRENGTHS, bias=0.3, ties=0.05, noise=0.6, cost=0.01, tokens=100, seed=4)
    options = {"criteria": "sounder", "name": "phages", "seed": 6, "budget": 50, "confidence": 0.999, **options}
    return Tournament.create(ITEMS, judge=judge, db=db, **options)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A tournament that is over, with a match rolled back, reviews that agree but for one, and an event or two."""
    with begin(tmp_path_factory.mktemp("report") / "ledger.db") as tournament:
        without_board.run(tournament)
        tournament.rollback(tournament.state.matches[3].id, "disputed")
        ledger, id = tournament.ledger, tournament.state.id
        for place, item in enumerate(STRENGTHS):
            score = 0.98 if place == 0 else 0.02 + 0.95 * place / COUNT
            for reviewer in ("ada", "ben", "cleo"):
                ledger.items.record_review(id, Review(item=item, reviewer=reviewer, score=score))
        ledger.tournaments.add_event(
            id, "anomaly", {"id": "x", "item": "h01", "match": "1.1", "kind": "spike", "size": 9, "reason": ""}
        )
        tournament.state = TournamentState.load(ledger, id)
        tournament.state.reviews = ledger.items.reviews(id)
        yield tournament


@pytest.fixture(scope="module")
def report(played):
    return gather(played.ledger, played.state, truth=STRENGTHS)


def test_the_overview_says_what_the_whole_report_does_without_fitting_the_past(played, report, monkeypatch):
    for costly in ("strength_history", "quality_of"):
        monkeypatch.setattr(gathering, costly, None)
    overview = gather_overview(played.ledger, played.state, truth=STRENGTHS)
    assert summary(overview) == summary(report)
    assert tiles(overview) == tiles(report)


def test_the_ranking_is_the_boards_with_records_and_recent_form(played, report):
    board = played.board()
    ranking = report.ranking
    assert [line.hypothesis_id for line in ranking.ranked_hypotheses] == [row.id for row in board.items]
    for line, row in zip(ranking.ranked_hypotheses, board.items, strict=True):
        assert (line.rank, line.elo_rating, line.strength) == (row.rank, round(row.elo), row.rating)
        record = line.match_record
        assert (record.wins, record.losses, record.draws) == (row.wins, row.losses, row.ties)
        assert line.confidence is not None
        assert line.confidence.match_count == row.matches
        ids = [result.id for result in line.recent_form]
        counted = [m.id for m in played.state.matches if row.id in m.items and m.outcome is not Outcome.VOID]
        assert ids == counted[-5:]
    assert ranking.top_performers == tuple(row.id for row in board.items[:10])


def test_a_ranking_comes_back_from_json(played, report):
    again = ranking_report(played.ledger, played.state)
    assert again == report.ranking
    assert from_values(RankingReport, json.loads(json.dumps(values_of(report)["ranking"]))) == again


def test_the_distribution_counts_every_item_once(report):
    spread = report.ranking.rating_distribution
    elo = sorted(row.elo for row in report.board.items)
    assert (spread["min"], spread["max"]) == (elo[0], elo[-1])
    assert spread["mean"] == pytest.approx(sum(elo) / COUNT)
    assert sum(spread["tiers"].values()) == COUNT
    assert set(spread["tiers"]) == {tier.value for tier in Tier}


def test_trends_count_everybody_and_name_those_that_are_more_than_chance(report):
    said = report.ranking.performance_trends
    assert sum(said["counts"].values()) == COUNT
    for direction, sign in (("rising", 1), ("falling", -1)):
        assert len(said[direction]) == said["counts"][direction]
        for move in said[direction]:
            assert sign * move["change"] >= 1.64 * move["expected_noise"] > 0


def test_effectiveness(played, report):
    metrics = report.effectiveness
    decided = sum(match.outcome in (Outcome.A, Outcome.B) for match in played.state.matches)
    assert metrics.computational_efficiency == decided / report.spending.units
    ratings = {row.id: row.rating for row in report.board.items}
    assert metrics.correlation_with_ground_truth == truth_correlation(ratings, STRENGTHS)
    assert metrics.correlation_with_ground_truth > 0.6
    assert metrics.top_10_stability is not None
    assert 0 <= metrics.top_10_stability <= 1
    without = effectiveness_of(played.state, report.standings, units=report.spending.units, truth={})
    assert without == replace(metrics, correlation_with_ground_truth=None)


def test_health(report):
    rows = report.board.items
    assert report.health.average_matches_per_hypothesis == pytest.approx(sum(row.matches for row in rows) / COUNT)
    assert report.health.debate_quality_scores == {"single_turn": 1.0}
    assert report.health.rating_distribution["matches_max"] == max(row.matches for row in rows)


def test_the_progression_ends_at_the_ratings_of_now(report):
    last = dict(zip(report.progression.ids, report.progression.elo[-1].tolist(), strict=True))
    assert last == pytest.approx({row.id: row.elo for row in report.board.items})
    assert [step.round for step in report.settling] == list(report.progression.rounds[1:])
    assert report.settling[0].rank_stability is None  # before the first round nobody had a rank


def test_the_last_look_is_how_things_stand_now(report):
    index = {id: place for place, id in enumerate(report.state.ids)}
    last = report.strength_history[-1]
    for row in report.board.items:
        at = index[row.id]
        assert (last.strength[at], last.low[at], last.high[at]) == (row.rating, row.low, row.high)
    assert last.forecast == report.board.forecast
    assert 1 < len(report.strength_history) <= 6


def test_what_was_foretold_was_foretold_from_earlier_rounds_alone(played, report):
    """Matches later than a look change nothing in it."""
    first = report.strength_history[0]
    state = played.state
    earlier = PackedMatches(match for match in state.played if match.round <= first.round)
    known = replace(state, played=earlier, _posterior=None)
    assert strength_history(known)[-1].strength.tolist() == pytest.approx(
        first.strength.tolist(), abs=1e-4
    )  # boards are rounded to that
    assert len(first.chance) == len(first.score) > 0
    by_elo, by_strength = report.forecast_bins
    assert sum(part.count for part in by_elo[1]) == sum(m.outcome is not Outcome.VOID for m in played.state.matches)
    assert 0 < sum(part.count for part in by_strength[1]) < len(played.state.matches)


def test_a_round_that_is_over_is_fitted_once_and_anew_where_a_match_of_it_was_rolled_back(played, monkeypatch):
    """What was kept beside the plain way, whose numbers are the same to the last bit."""

    def numbers(state):
        history = strength_history(state)
        return [tuple(getattr(step, name).tolist() for name in ("strength", "low", "chance")) for step in history]

    fits, state, fitted = [], played.state, strength_history_module._fitted
    fewer = PackedMatches(match for match in state.played if match.id != state.matches[0].id)
    monkeypatch.setattr(strength_history_module, "MOST_ROUNDS", 3)
    kept = lru_cache(lambda question: (fits.append(question.round), fitted(question))[1])
    monkeypatch.setattr(strength_history_module, "_recent", kept)
    first, again, without = map(numbers, (state, state, replace(state, played=fewer, _posterior=None)))
    assert len(fits) == 2 * len(set(fits)) == 4
    assert first == again != without
    monkeypatch.setattr(strength_history_module, "is_small", lambda evidence: False)
    assert numbers(state) == first
    assert len(fits) == 4


def test_units_and_money_of_the_rounds_add_up_to_what_was_recorded(played, report):
    answers = [answer for match in played.state.played for answer in match.answers]
    assert sum(spent.total for spent in report.expenses) == len(answers) == report.spending.units
    assert sum(spent.money for spent in report.expenses) == pytest.approx(0.01 * len(answers))
    assert [spent.round for spent in report.expenses] == sorted({match.round for match in played.state.played})


def test_a_plans_forecast_and_budget_stand_beside_what_was_used(played, report):
    state = played.state
    note = {"number": 2, "forecast_units": 30, "budget": None, "degraded": [["a", "b"]], "deferred": []}
    seen = replace(state, events=[*state.events, Event(kind="round", detail=note, at=datetime(2026, 1, 1, tzinfo=UTC))])
    spent = {one.round: one for one in expenses(seen, report.progression, {})}
    assert (spent[2].forecast, spent[2].budget) == (30.0, None)
    assert spent[1].forecast is None


def test_reviews_that_disagree_are_named(report):
    assert report.review_fit is not None
    assert report.review_fit.correlation > 0.3
    assert "h00" in {found.item for found in report.discrepancies}


def test_accuracy_by_hand(report):
    """Three items in the order c, a, b whose truth says a, b, c: one pair of three agrees, tau is -1/3."""
    rows = {row.id: row for row in report.board.items}
    some = [replace(row, id=id, low=low, high=high) for row, (id, low, high) in
            zip(rows.values(), (("c", 1300, 1400), ("a", 1100, 1250), ("b", 1000, 1050)), strict=False)]  # fmt: skip
    board = replace(report.board, items=tuple(some))
    found = accuracy(board, {"a": 3.0, "b": 2.0, "c": 1.0}, top=1)
    assert found is not None
    assert (found.items, found.recall) == (3, 0.0)
    assert found.tau == pytest.approx(-1 / 3)
    assert found.covered == pytest.approx(1 / 3)  # all three intervals are apart; the order is right for a and b
    assert accuracy(board, {"a": 1.0, "b": 1.0}, top=1) is None


def test_a_truth_about_others_is_refused(played):
    with pytest.raises(InvalidItems, match="truth names 1 of the 10 items"):
        gather(played.ledger, played.state, truth={"h00": 1.0, "elsewhere": 2.0})


def test_the_summary_says_who_is_best_how_sure_what_it_took_why_it_stopped_and_what_to_beware_of(report):
    said = dict(summary(report))
    first = report.board.items[0]
    assert said["The best"].startswith(f"{first.id} is first of 10, with a strength of {first.rating:.0f}")
    assert f"{report.board.forecast.p_best:.0%}" in said["How sure"]
    assert "does not meet the 100%" in said["How sure"]
    assert "50 compute units, 50 decisions, 50 requests, 5,000 tokens, $0.5000." in said["What it took"]
    assert said["Why it stopped"] == "the budget of 50 comparisons is spent"
    assert "Kendall tau" in said["Against the truth"]
    warnings = [sentence for about, sentence in summary(report) if about == "Beware"]
    assert any(sentence.startswith("Sudden rating changes that wait for review") for sentence in warnings)
    assert any("Reviews disagree with the matches about" in sentence for sentence in warnings)
    assert dict(tiles(report))["matches"] == "49"


def test_what_happened_is_counted():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    told = [
        ("started", {}),
        ("joined", {"items": ["a", "b"], "round": 3}),
        ("round", {"number": 1, "degraded": [["a", "b"]], "deferred": [["a", "c"], ["b", "c"]]}),
        ("fallback", {"match": "1.1", "step": "direct", "error": ""}),
        ("retired", {"items": ["a", "b"], "reason": ""}),
        ("returned", {"items": ["a"], "reason": ""}),
        ("anomaly", {"id": "1"}),
        ("anomaly", {"id": "2"}),
        ("anomaly_reviewed", {"id": "1", "decision": "kept"}),
        ("resumed", {}),
    ]
    found = count_events(Event(kind=kind, detail=detail, at=at) for kind, detail in told)
    assert found == EventCounts(degraded=1, deferred=2, fallbacks=1, retired=1, anomalies=1, joined=2, runs=2)
    assert ("matches put off to a later round", 2) in found.in_words()
    assert ("hypotheses that are incomplete", 0) not in found.in_words()


def test_json_holds_everything_and_every_number_is_finite(report, tmp_path):
    write(report, tmp_path / "report.json")
    seen = json.loads((tmp_path / "report.json").read_text(), parse_constant=pytest.fail)
    assert {"ranking", "effectiveness", "health", "board", "rounds", "quality", "patterns", "reviews"} <= set(seen)
    assert seen["progression"]["elo"]["h03"][0] == 1200.0
    assert seen["known"][-1]["strength"]["h03"]["rating"] == report.board["h03"].rating
    assert seen["truth"]["items"] == COUNT


def test_csv_is_the_leaderboard(report, tmp_path):
    write(report, tmp_path / "report.csv")
    lines = (tmp_path / "report.csv").read_text().splitlines()
    assert lines[0].startswith(
        "rank,id,strength,low,high,rank_low,rank_high,elo,tier,wins,losses,ties,matches,confidence"
    )
    assert len(lines) == COUNT + 1
    assert [record["id"] for record in leaderboard_of(report)] == [row.id for row in report.board.items]


@pytest.mark.parametrize(("pairing", "nouns"), [("weighted", "hypotheses"), ("informative", "items")])
def test_there_is_a_report_before_anything_is_played(tmp_path, pairing, nouns):
    budget = None if pairing != "informative" else 20
    with begin(tmp_path / "ledger.db", pairing=pairing, budget=budget) as tournament:
        report = gather(tournament.ledger, tournament.state, truth=STRENGTHS)
        said = dict(summary(report))
        assert said["The best"] == f"Nothing was decided yet among 10 {nouns}."
        assert said["How sure"] == "There is no evidence yet."
        write(report, tmp_path / "report.json")
        write(report, tmp_path / "report.html")
        assert report.ranking.emerging_candidates == ()


@pytest.mark.parametrize("options", [{"pairing": "swiss", "budget": None}, {"group_size": 4, "budget": 6}])
def test_there_is_a_report_of_every_kind_of_tournament(tmp_path, monkeypatch, options):
    monkeypatch.setattr(strength_history_module, "MOST_ROUNDS", 2)  # a fit and its draws each
    with begin(tmp_path / "ledger.db", **options) as tournament:
        without_board.run(tournament)
        report = gather(tournament.ledger, tournament.state)
        assert report.board.items == tournament.board().items
        assert len(report.strength_history) == 2
        assert math.isclose(sum(spent.total for spent in report.expenses), tournament.state.answered)
        write(report, tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
        assert "hypothes" not in page.casefold().replace("hypothesis h", ""), "only the items' own texts say it"


def test_a_report_of_matches_that_no_schedule_planned(tmp_path):
    with begin(tmp_path / "ledger.db") as tournament:
        tournament.ledger.matches.record(tournament.state.id, Match(id="x", a="h00", b="h01", outcome=Outcome.A))
        report = gather(tournament.ledger, TournamentState.load(tournament.ledger, tournament.state.id))
        assert report.strength_history == ()
        assert report.board["h00"].wins == 1
        write(report, tmp_path / "report.html")


def test_an_analysis_of_patterns_that_was_recorded_is_told(played):
    one = {"name": "cites", "kind": "word", "wins": True, "odds": 2.0, "low": 1.5, "high": 4.0, "support": 9}
    analysis = {
        "winning_characteristics": ["cites"],
        "losing_characteristics": [],
        "debate_topic_trends": ["tails: rising"],
        "recommendation_for_generation": "cite",
        "confidence": 0.82,
        "matches": 49,
        "characteristics": [one],
    }
    at = datetime(2026, 1, 1, tzinfo=UTC)
    state = replace(played.state, events=[*played.state.events, Event(kind="patterns", detail=analysis, at=at)])
    found = effects_of(state)
    assert found.words == (("Wins", "cites"), ("Topic", "tails: rising"), ("Recommendation", "cite"))
    assert found.confidence == 0.82
    (effect,) = found.estimates
    assert (effect.value, effect.low, effect.high) == pytest.approx((math.log(2), math.log(1.5), math.log(4)))
    assert found.note == "Winners of matches not seen before are told in 82%."


def test_an_analysis_that_is_out_of_date_is_made_anew_where_that_is_quick(played, monkeypatch):
    at = datetime(2026, 1, 1, tzinfo=UTC)
    old = Event(kind="patterns", detail={"matches": 10, "confidence": 0.9}, at=at)
    state = replace(played.state, events=[*played.state.events, old])
    assert effects_of(state).values["matches"] > 10
    monkeypatch.setattr(gathering, "MOST_ANALYSED", 20)
    assert effects_of(state).confidence == 0.9
    assert effects_of(played.state) == gathering.Effects()
