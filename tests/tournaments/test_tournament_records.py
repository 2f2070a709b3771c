"""Records from a ledger whose every row is known."""

import json
import math
from datetime import UTC, datetime, timedelta

import pytest

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    CriterionScore,
    DebateTurn,
    Item,
    ItemKind,
    Lineup,
    Match,
    MatchProtocol,
    Order,
    Outcome,
    Pairing,
    Ranking,
    Review,
    Speaker,
    Stage,
    Tier,
    Usage,
    Verdict,
)
from paragone.domain import records as documents
from paragone.domain.records import (
    EloRating,
    HypothesisSet,
    PatternAnalysis,
    TournamentHistory,
    as_values,
    from_json,
    to_json,
)
from paragone.domain.records import (
    TournamentState as StateRecord,
)
from paragone.ledger import Ledger, RecordedMatch
from paragone.settings import tournament_system
from paragone.similarity import SimilarityGraph
from paragone.tournaments.records import (
    Chronicle,
    completed_rounds,
    debate_outcome,
    elo_updates,
    hypothesis_set,
    match_result,
    match_results,
    pattern_analyses,
    pending_requests,
    rating_progression,
    requests,
    resources,
    round_results,
    round_updates,
    similarity_record,
    tournament_history,
    tournament_state,
)
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for

NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)


def minute(number: float) -> datetime:
    return NINE + timedelta(minutes=number)


class Clock:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.minute = 0.0

    def __call__(self) -> datetime:
        return minute(self.minute)


def verdict(choice=Choice.FIRST, **said):
    return Verdict(
        choice=choice, judge="j", **{"usage": Usage(calls=1, input_tokens=100, output_tokens=10, cost=0.01), **said}
    )


def turn(call, number, words="words", **said):
    speaker = Speaker.FIRST if number % 2 else Speaker.SECOND
    usage = Usage(calls=1, input_tokens=30, output_tokens=5, cost=0.002)
    return DebateTurn(
        call=call, number=number, speaker=speaker, stage=Stage.OPENING, content=f"{words} {number}", usage=usage, **said
    )


@pytest.fixture
def told():
    """A tournament of four, two rounds long.

    Round 1: a beats b; c and d debate, c is shown second and wins. Round 2: a beats c in a degraded match whose answer
    was cached; b against d was not played, but its debate was begun.
    """
    clock = Clock()
    ledger = Ledger.open("sqlite://", clock=clock)
    items = tuple(Item(id=id, text=f"Hypothesis {id}", kind=ItemKind.HYPOTHESIS) for id in "abcd")
    system = tournament_system(min_matches_for_confidence=2)
    brief = settings_for(4, criteria="better", judge="j", pairing="weighted", system=system, seed=1)
    tournament = ledger.tournaments.create("t", settings=brief.as_json(), items=items, config=system.rating).id

    def plan(at, number, *pairings, **notes):
        clock.minute = at
        ledger.tournaments.plan_round(tournament, number, pairings, {"number": number, **notes})

    def play(at, id, pairing, *verdicts, confidence=1.0, protocol=MatchProtocol.SINGLE_TURN):
        clock.minute = at
        answers = []
        for number, (order, answer) in enumerate(zip(pairing.orders, verdicts, strict=True), 1):
            first, second = pairing.shown(order)
            answers.append(Comparison(call=f"{id}.{number}", first=first, second=second, verdict=answer))
            ledger.tournaments.record_verdict(tournament, answers[-1], key=f"key {id} {number}")
        made = Match.of(id, pairing, tuple(answers), round=int(id[0]))
        ledger.matches.record(
            tournament,
            Match(
                **{name: getattr(made, name) for name in ("id", "round", "a", "b", "outcome", "comparisons")},
                confidence=confidence,
                protocol=protocol,
            ),
        )

    single, debate = Pairing(a="a", b="b"), Pairing(a="c", b="d", orders=(Order.BA,), turns=3)
    plan(
        1,
        1,
        single,
        debate,
        forecast_units=8,
        budget=10,
        degraded=[],
        deferred=[["a", "c"]],
        left_out=[["b", "d"]],
        served=["r1"],
    )
    play(
        2,
        "1.1",
        single,
        verdict(rationale="a is clearer", scores=(CriterionScore(criterion="novelty", first=0.9, second=0.4),)),
    )
    clock.minute = 3
    for number in range(1, 7):
        ledger.tournaments.record_turn(
            tournament, turn("1.2.1", number, claims=("one",), rebuttals=("no",), evidence=("[1]",))
        )
    scores = (CriterionScore(criterion="clarity", first=0.25, second=0.75),)
    play(4, "1.2", debate, verdict(Choice.SECOND, rationale="c answers", scores=scores), confidence=0.5,
         protocol=MatchProtocol.MULTI_TURN)  # fmt: skip
    ledger.tournaments.add_event(tournament, "stopped", {"reason": "interrupted", "finished": False})
    clock.minute = 60
    ledger.tournaments.add_event(tournament, "resumed", {})
    cheap, begun = Pairing(a="a", b="c", degraded=True), Pairing(a="b", b="d", turns=3)
    plan(61, 2, cheap, begun, forecast_units=8, budget=8, degraded=[["a", "c"]], deferred=[], served=[], refused=[])
    play(63, "2.1", cheap, verdict(cached=True, usage=Usage(cost=0.0)))
    clock.minute = 64
    ledger.tournaments.record_turn(tournament, turn("2.2.1", 1))
    yield ledger, tournament, clock
    ledger.close()


def read(told) -> Chronicle:
    ledger, tournament, _ = told
    return Chronicle.read(ledger, TournamentState.load(ledger, tournament))


class TestMatches:
    def test_an_outcome_is_told_by_side_whoever_was_shown_first(self, told):
        outcome = debate_outcome(read(told).by_id["1.2"].match)
        assert outcome == documents.DebateOutcome(
            match_id="1.2",
            hypothesis_a_id="c",
            hypothesis_b_id="d",
            winner_id="c",
            debate_type=MatchProtocol.MULTI_TURN,
            debate_summary="c answers",
            evaluation_criteria=(documents.CriterionScore(criterion="clarity", score_a=0.75, score_b=0.25),),
            outcome=Outcome.A,
        )

    def test_a_result_has_the_transcript_with_the_decision_at_its_end(self, told):
        _, result, _ = match_results(read(told))
        said = result.debate_transcript
        assert [turn.speaker for turn in said] == [*["HypothesisB", "HypothesisA"] * 3, "Judge"]
        assert [turn.content for turn in said] == [*(f"words {number}" for number in range(1, 7)), "c answers"]
        assert (said[0].claims, said[0].rebuttals, said[0].evidence_cited) == (("one",), ("no",), ("[1]",))
        assert result.criteria_scores == {"clarity": documents.Comparison(score_a=0.75, score_b=0.25)}
        assert (result.decision_rationale, result.timestamp, result.degraded) == ("c answers", minute(4), False)

    def test_a_degraded_match_says_so(self, told):
        assert [result.degraded for result in match_results(read(told))] == [False, False, True]

    def test_of_a_debate_that_was_cut_short_what_was_judged_is_told(self, told):
        ledger, tournament, _ = told
        ledger.tournaments.add_event(
            tournament, "fallback", {"match": "1.2", "call": "1.2.1", "step": "shorter", "turns": 2, "error": ""}
        )
        assert len(match_results(read(told))[1].debate_transcript) == 4 + 1
        ledger.tournaments.add_event(
            tournament, "fallback", {"match": "1.2", "call": "1.2.1", "step": "direct", "turns": 0, "error": ""}
        )
        assert [turn.speaker for turn in match_results(read(told))[1].debate_transcript] == ["Judge"]
        ledger.tournaments.add_event(
            tournament, "fallback", {"match": "1.2", "call": "1.2.1", "step": "later", "turns": 0, "error": ""}
        )
        assert len(match_results(read(told))[1].debate_transcript) == 6 + 1  # asked again at its full length

    def test_several_comparisons_have_mean_scores_and_the_reason_of_one_that_agrees(self):
        def answer(number, first, choice, score, why):
            scores = (CriterionScore(criterion="impact", first=score, second=1 - score),)
            second = "b" if first == "a" else "a"
            said = verdict(choice, scores=scores, rationale=why)
            return Comparison(call=f"m.{number}", first=first, second=second, verdict=said)

        answers = (
            answer(1, "a", Choice.SECOND, 0.25, "b it is"),
            answer(2, "b", Choice.SECOND, 0.0, "a it is"),
            answer(3, "a", Choice.FIRST, 1.0, "a again"),
        )
        outcome = debate_outcome(Match.of("m", Pairing(a="a", b="b"), answers))
        assert (outcome.winner_id, outcome.debate_summary) == ("a", "a it is")
        assert outcome.evaluation_criteria == (
            documents.CriterionScore(criterion="impact", score_a=0.75, score_b=0.25),
        )

    @pytest.mark.parametrize(("choice", "outcome"), [(Choice.TIE, Outcome.DRAW), (Choice.ABSTAIN, Outcome.VOID)])
    def test_a_draw_and_a_void_match_have_no_winner_and_differ(self, choice, outcome):
        answer = Comparison(call="m.1", first="a", second="b", verdict=verdict(choice, rationale="why"))
        made = debate_outcome(Match.of("m", Pairing(a="a", b="b"), (answer,)))
        assert (made.winner_id, made.outcome, made.debate_summary) == (None, outcome, "why")

    def test_half_characters_that_a_model_wrote_are_replaced(self):
        answer = Comparison(call="m.1", first="a", second="b", verdict=verdict(rationale="so\ud800 \N{SLOTH}"))
        turns = {"m.1": (turn("m.1", 1, words="\udc00", claims=("\ud83d",)),)}
        match = Match.of("m", Pairing(a="a", b="b"), (answer,))
        result = match_result(RecordedMatch(match=match, sequence=1, at=NINE), turns)
        assert result.decision_rationale == "so\ufffd \N{SLOTH}"
        assert result.debate_transcript[0].claims == ("\ufffd",)
        assert from_json(documents.MatchResult, to_json(result)) == result


class TestUpdates:
    def test_the_moves_of_a_rating_with_its_record(self, told):
        first, second = elo_updates(read(told), "a")
        assert (first.old_rating, first.new_rating, first.rating_change) == (1200, 1216, 16)
        assert (first.match_id, first.timestamp, first.match_count, first.win_rate) == ("1.1", minute(2), 1, 1.0)
        # a at 1216 meets c at 1208, who won with half the weight: 32 (1 - 1/(1 + 10^(-8/400))) = 15.63
        assert (second.old_rating, second.new_rating, second.rating_change) == (1216, 1232, 16)
        assert (second.previous_rating, second.match_count, second.win_rate) == (1216, 2, 1.0)

    def test_a_loser_has_its_moves_too(self, told):
        (first,) = elo_updates(read(told), "d")
        assert (first.rating_change, first.match_count, first.win_rate) == (-8, 1, 0.0)
        assert elo_updates(read(told), "nobody") == ()

    def test_a_rounds_updates_are_those_of_its_matches(self, told):
        chronicle = read(told)
        assert [(update.hypothesis_id, update.match_id) for update in round_updates(chronicle, 1)] == [
            ("a", "1.1"), ("b", "1.1"), ("c", "1.2"), ("d", "1.2"),
        ]  # fmt: skip
        assert sum(map(len, rating_progression(chronicle).values())) == 6

    def test_a_rollback_moves_ratings_and_takes_the_match_out_of_the_record(self, told):
        ledger, tournament, clock = told
        clock.minute = 70
        ledger.matches.rollback(tournament, "1.1", "disputed")
        chronicle = read(told)
        *_, last = elo_updates(chronicle, "a")
        assert (last.match_id, last.match_count, last.win_rate, last.timestamp) == ("1.1", 1, 1.0, minute(63))
        assert elo_updates(chronicle, "b")[-1].match_count == 0
        assert last.new_rating == round(chronicle.state.ratings["a"].elo)
        assert [outcome.match_id for outcome in tournament_history(chronicle).all_matches] == ["1.2", "2.1"]
        assert round_results(chronicle, 1).matches_completed == 2

    def test_an_adjustment_is_an_update_that_is_no_match(self, told):
        ledger, tournament, clock = told
        clock.minute = 80
        ledger.ratings.adjust(
            tournament, [Adjustment(id="decay:b:1", item="b", kind=AdjustmentKind.DECAY, target=1200, share=0.5)]
        )
        *_, last = elo_updates(read(told), "b")
        assert (last.old_rating, last.new_rating, last.match_id) == (1184, 1192, "decay:b:1")
        assert (last.timestamp, last.match_count, last.win_rate) == (minute(80), 1, 0.0)

    def test_each_update_begins_where_the_one_before_it_ended(self, told):
        ledger, tournament, _ = told
        ledger.ratings.adjust(tournament, [Adjustment(id="x", item="a", kind=AdjustmentKind.CORRECTION, target=1500)])
        ledger.matches.rollback(tournament, "1.1", "disputed")
        for updates in rating_progression(read(told)).values():
            assert [update.old_rating for update in updates[1:]] == [update.new_rating for update in updates[:-1]]

    def test_the_interval_narrows_around_the_rating(self, told):
        first, second = (update.confidence_interval for update in elo_updates(read(told), "a"))
        assert first[1] - 1216 == 1216 - first[0] <= 392  # 1.96 standard deviations of the prior
        assert second[1] - second[0] <= first[1] - first[0]


class TestRounds:
    def test_what_a_round_brought(self, told):
        result = round_results(read(told), 1)
        assert (result.round_id, result.matches_planned, result.matches_completed) == ("1", 2, 2)
        assert result.average_rating_change == (16 + 16 + 8 + 8) / 4
        assert (result.forecast_units, result.budget, result.deferred, result.degraded) == (8, 10, (("a", "c"),), ())
        assert result.left_out == (("b", "d"),)
        best = [(line.hypothesis_id, line.current_elo, line.matches_played) for line in result.top_performers]
        assert best == [("a", 1216, 1), ("c", 1208, 1), ("d", 1192, 1), ("b", 1184, 1)]

    def test_a_rounds_best_are_those_of_its_end_whatever_came_later(self, told):
        before = round_results(read(told), 1)
        ledger, tournament, clock = told
        clock.minute = 70
        ledger.ratings.adjust(tournament, [Adjustment(id="x", item="d", kind=AdjustmentKind.CORRECTION, target=2000)])
        after = read(told)
        assert round_results(after, 1) == before
        assert round_results(after, 2).top_performers[0].hypothesis_id == "d"

    def test_what_a_round_took(self, told):
        cost = round_results(read(told), 1).computational_cost
        assert (cost.calls, cost.cached_calls, cost.compute_units) == (2 + 6, 0, 8.0)
        assert (cost.input_tokens, cost.output_tokens) == (2 * 100 + 6 * 30, 2 * 10 + 6 * 5)
        assert cost.cost == pytest.approx(2 * 0.01 + 6 * 0.002)
        assert cost.wall_seconds == 3 * 60

    def test_a_cached_answer_took_nothing_and_a_debate_that_is_not_over_took_its_turns(self, told):
        cost = round_results(read(told), 2).computational_cost
        assert (cost.calls, cost.cached_calls, cost.compute_units, cost.input_tokens) == (1, 1, 1.0, 30)

    def test_time_in_which_nobody_ran_it_is_left_out(self, told):
        assert resources(read(told)).wall_seconds == (3 + (63 - 60)) * 60

    def test_money_is_not_known_where_one_price_is_not(self, told):
        ledger, tournament, _ = told
        ledger.tournaments.record_turn(
            tournament,
            DebateTurn(
                call="2.2.1", number=2, speaker=Speaker.SECOND, stage=Stage.OPENING, content="", usage=Usage(calls=1)
            ),
        )
        chronicle = read(told)
        assert round_results(chronicle, 2).computational_cost.cost is None
        assert round_results(chronicle, 1).computational_cost.cost is not None

    def test_the_whole_is_what_the_ledger_tallies(self, told):
        ledger, tournament, _ = told
        whole, tally = resources(read(told)), ledger.tournaments.spending(tournament)
        assert (whole.input_tokens, whole.output_tokens, whole.cached_calls) == (
            tally.input_tokens, tally.output_tokens, tally.cached,
        )  # fmt: skip
        assert whole.cost == pytest.approx(tally.cost)

    def test_what_failed_calls_took_is_counted_and_is_no_unit(self, told):
        ledger, tournament, _ = told
        before = resources(read(told))
        for usage in (Usage(calls=2, input_tokens=70, output_tokens=7, cost=0.05), Usage(calls=1)):
            failure = verdict(Choice.FAILED, error="malformed", usage=usage)
            answer = Comparison(call="2.2.1", first="b", second="d", verdict=failure)
            ledger.tournaments.record_verdict(tournament, answer, key="key of 2.2.1")
        chronicle, tally = read(told), ledger.tournaments.spending(tournament)
        whole, second = resources(chronicle), round_results(chronicle, 2).computational_cost
        assert (whole.input_tokens, whole.output_tokens) == (tally.input_tokens, tally.output_tokens)
        assert (whole.cost, tally.cost) == (None, None), "nobody knows what the second failure took"
        assert (whole.input_tokens, whole.calls) == (before.input_tokens + 70, before.calls + 3)
        assert whole.compute_units == before.compute_units
        assert (second.input_tokens, second.output_tokens) == (30 + 70, 5 + 7)
        lost = chronicle.spending["2.2.1"]
        assert (lost.failed, lost.unpriced, lost.requests) == (2, 1, 4)

    def test_a_round_is_complete_when_all_was_recorded_or_another_followed(self, told):
        assert [result.round_id for result in completed_rounds(read(told))] == ["1"]
        ledger, tournament, _ = told
        ledger.tournaments.plan_round(tournament, 3, [Pairing(a="a", b="d")])
        assert [result.round_id for result in completed_rounds(read(told))] == ["1", "2"]

    def test_who_joined_later_is_not_among_the_best_of_earlier_rounds(self, told):
        ledger, tournament, _ = told
        ledger.tournaments.join(tournament, [Item(id="e", text="late", kind=ItemKind.HYPOTHESIS)], round=3)
        chronicle = read(told)
        assert "e" not in {line.hypothesis_id for line in round_results(chronicle, 2).top_performers}
        assert "e" in tournament_state(chronicle).hypothesis_ratings


class TestWhole:
    def test_where_it_is(self, told):
        state = tournament_state(read(told))
        assert (state.current_round, state.active_matches) == (2, ("2.2",))
        assert state.hypothesis_ratings["a"] == EloRating(
            rating=1232, matches=2, wins=2, losses=0, ties=0, tier=Tier.AVERAGE
        )
        assert state.hypothesis_ratings["d"].tier is Tier.NEW
        stats = state.round_statistics
        assert (stats.round, stats.matches_planned, stats.matches_completed, stats.matches_open) == (2, 2, 1, 1)
        assert (stats.compute_units, stats.forecast_units, stats.budget) == (1.0, 8, 8)
        assert (stats.degraded, stats.deferred, stats.draws) == (1, 0, 0)
        assert from_json(StateRecord, to_json(state)) == state

    def test_before_the_first_round_there_is_little_to_tell(self):
        with Ledger.open("sqlite://") as ledger:
            brief = settings_for(2, criteria="better", judge="j", seed=1)
            items = (Item(id="a", text="a"), Item(id="b", text="b"))
            state = TournamentState.begin(ledger, "t", brief, items, tournament_system().rating)
            chronicle = Chronicle.read(ledger, state)
        assert tournament_state(chronicle).round_statistics is None
        assert tournament_state(chronicle).hypothesis_ratings["a"].tier is None
        assert tournament_history(chronicle) == TournamentHistory()
        assert resources(chronicle).wall_seconds == 0.0

    def test_matches_that_were_asked_for_wait_by_priority_and_age(self, told):
        ledger, tournament, clock = told
        clock.minute = 90
        for id, priority in (
            ("r1", "high"),
            ("r2", "low"),
            ("r3", "high"),
            ("r4", None),
            ("r5", "high"),
            ("r6", "high"),
        ):
            said = {"id": id, "hypothesis_id": "a", **({"priority": priority} if priority else {})}
            ledger.tournaments.add_event(tournament, "request", said)
        ledger.tournaments.plan_round(
            tournament, 3, [], {"number": 3, "served": ["r5"], "refused": [{"id": "r6", "reason": "gone"}]}
        )
        chronicle = read(told)
        assert [request.id for request in pending_requests(chronicle)] == ["r3", "r4", "r2"]  # r1 was served in round 1
        assert len(requests(chronicle)) == 6
        assert pending_requests(chronicle)[0].creation_timestamp == minute(90)

    def test_a_request_that_was_recorded_whole_comes_back_as_it_was(self, told):
        ledger, tournament, _ = told
        asked = documents.MatchRequest(id="r", hypothesis_id="a", opponent_id="b", current_elo=1232,
                                       creation_timestamp=minute(5), similarity_graph_id="g")  # fmt: skip
        ledger.tournaments.add_event(tournament, "request", as_values(asked))
        assert requests(read(told)) == (asked,)

    def test_its_history(self, told):
        ledger, tournament, _ = told
        found = PatternAnalysis(winning_characteristics=("cites data",), confidence=0.8, matches_analyzed=100)
        ledger.tournaments.add_event(tournament, "patterns", as_values(found))
        history = tournament_history(read(told))
        assert [outcome.match_id for outcome in history.all_matches] == ["1.1", "1.2", "2.1"]
        assert {item: len(updates) for item, updates in history.rating_progression.items()} == {
            "a": 2,
            "b": 1,
            "c": 2,
            "d": 1,
        }
        assert history.pattern_analyses == pattern_analyses(read(told)) == (found,)
        assert from_json(TournamentHistory, to_json(history)) == history

    def test_what_the_context_memory_knows(self, told):
        ledger, tournament, _ = told
        for reviewer, score, scores in (
            ("x", 0.8, (("novelty", 0.6),)),
            ("y", 0.4, (("novelty", 0.2), ("clarity", 1.0))),
        ):
            ledger.items.record_review(tournament, Review(item="a", reviewer=reviewer, score=score, scores=scores))
        known = hypothesis_set(read(told))
        assert [hypothesis.id for hypothesis in known.hypotheses] == ["a", "b", "c", "d"]
        review = known.review_scores["a"]
        assert (review.score, review.reviews) == (pytest.approx(0.6), 2)
        assert review.scores == {"novelty": pytest.approx(0.4), "clarity": 1.0}
        assert list(known.review_scores) == ["a"]
        assert [result.id for result in known.tournament_history] == ["1.1", "1.2", "2.1"]
        assert from_json(HypothesisSet, to_json(known)) == known

    def test_nothing_of_it_depends_on_when_it_is_read(self, told):
        assert to_json(tournament_history(read(told))) == to_json(tournament_history(read(told)))
        assert json.loads(to_json(tournament_history(read(told))))["all_matches"][1]["debate_type"] == "multi_turn"


def test_a_match_among_several_counts_as_one_against_each_opponent():
    with Ledger.open("sqlite://") as ledger:
        brief = settings_for(3, criteria="better", judge="j", seed=1)
        items = tuple(Item(id=id, text=id) for id in "abc")
        state = TournamentState.begin(ledger, "t", brief, items, tournament_system().rating)
        lineup = Lineup(items=("b", "a", "c"))
        ledger.tournaments.plan_round(state.id, 1, [lineup])
        said = Verdict(
            choice=Choice.RANKED, judge="j", order=(1, 0, 2), rationale="in this order", usage=Usage(cost=0.0)
        )
        ranking = Ranking(call="1.1.1", shown=lineup.items, verdict=said)
        ledger.matches.record(state.id, Match.of("1.1", lineup, (ranking,), round=1))
        chronicle = Chronicle.read(ledger, TournamentState.load(ledger, state.id))
    records = {item: (update.match_count, update.win_rate) for item, (update,) in rating_progression(chronicle).items()}
    assert records == {"a": (2, 1.0), "b": (2, 0.5), "c": (2, 0.0)}
    (outcome,) = tournament_history(chronicle).all_matches
    assert (outcome.winner_id, outcome.hypothesis_b_id, outcome.debate_summary) == ("a", "c", "in this order")
    assert resources(chronicle).compute_units == 1.0


class TestLikeness:
    ITEMS = tuple(Item(id=f"h{number:03}", text=f"t{number}") for number in range(310))

    def test_a_small_graph_has_all_pairs(self):
        graph = SimilarityGraph.of(self.ITEMS[:4], vectors=[[1, 0], [1, 0.1], [0, 1], [0.1, 1]])
        record = similarity_record(graph, count=2)
        assert len(record.similarity_matrix) == 6
        assert record.similarity_matrix["h000", "h001"] == pytest.approx(graph.similarity("h000", "h001"))
        assert set(record.recommended_matches) <= set(record.similarity_matrix)
        assert sorted(id for cluster in record.clusters for id in cluster.members) == ["h000", "h001", "h002", "h003"]
        assert from_json(documents.SimilarityGraph, to_json(record)) == record

    def test_a_large_one_has_those_of_neighbours_each_once(self):
        angles = [2 * math.pi * number / 310 for number in range(310)]
        graph = SimilarityGraph.of(self.ITEMS, vectors=[[math.cos(angle), math.sin(angle)] for angle in angles])
        table = similarity_record(graph).similarity_matrix
        assert 310 <= len(table) <= 310 * 10
        assert not any((b, a) in table for a, b in table)
