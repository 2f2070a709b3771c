"""A tournament put to all checks: from the ledger to what is said of results and judges."""

import json
import random
from dataclasses import asdict

import pytest

import paragone
import without_board
from paragone.domain import Choice, Comparison, Match, MatchProtocol, Outcome, Usage, Verdict
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.results.quality import agreements_of, anomalies_of, prediction, quality_of
from paragone.tournaments.running.maintenance import is_due

ITEMS = {f"h{n}": f"hypothesis {n}" for n in range(10)}
STRENGTHS = {f"h{n}": 0.6 * n for n in range(10)}


def longer(first, second, criteria):
    return "first" if len(first.text) > len(second.text) else "second"


def tournament(judge, **options):
    made = paragone.Tournament.create(ITEMS, criteria="better", judge=judge, seed=5, **options)
    without_board.run(made)
    return made


def recorded(rows, items=ITEMS):
    """A tournament whose matches ``(a, b, choice, judge)`` were judged elsewhere, one answer each."""
    matches = []
    for number, (a, b, choice, judge) in enumerate(rows):
        verdict = Verdict(choice=choice, judge=judge, usage=Usage(calls=1, cost=0.001 if judge != "unpriced" else None))
        answer = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
        outcome = {Choice.FIRST: Outcome.A, Choice.SECOND: Outcome.B, Choice.TIE: Outcome.DRAW}[choice]
        matches.append(Match(id=f"m{number}", a=a, b=b, outcome=outcome, comparisons=(answer,)))
    return with_matches(matches, items)


def with_matches(matches, items=ITEMS):
    """A tournament of these matches, recorded together."""
    made = paragone.Tournament.create(items, criteria="better", judge=longer, seed=5)
    for match, changes in zip(matches, made.ledger.matches.record_all(made.state.id, matches), strict=True):
        made.state.take(match, changes)
    return made


def votes(judges, count=300, seed=1):
    """Answers of judges ``{name: (slope, bias)}`` about the items, in turns."""
    rng = random.Random(seed)
    for number in range(count):
        judge = sorted(judges)[number % len(judges)]
        slope, bias = judges[judge]
        a, b = rng.sample(sorted(ITEMS), 2)
        odds = slope * (STRENGTHS[a] - STRENGTHS[b]) + bias
        first = rng.random() < 1 / (1 + 2.718281828**-odds)
        yield a, b, Choice.FIRST if first else Choice.SECOND, judge


def test_what_a_judge_took_and_what_came_back():
    judge = SimulatedJudge(STRENGTHS, abstentions=0.1, cost=0.01, ties=0.2, seed=3)
    with tournament(judge, pairing="round-robin") as found:
        failed = Verdict(choice=Choice.FAILED, judge=judge.card.identity, error="out", usage=Usage(calls=1, cost=0.02))
        found.ledger.tournaments.record_verdict(
            found.state.id, Comparison(call="x", first="h0", second="h1", verdict=failed), key="k"
        )
        quality = quality_of(found.ledger, found.state)
        (report,) = quality.judges
        board = found.board()
        assert report.abstentions == board.abstentions > 0
        assert report.failures == board.spending.failed == 1
        assert report.cost == pytest.approx(board.spending.dollars)
        decided = round(report.comparisons * (1 - report.tie_rate))
        assert report.cost_per_decided == pytest.approx(board.spending.dollars / decided)
        assert report.position_bias == board.position_bias
        assert (report.agreement, quality.consensus) == (None, "none")
        assert 0 < report.information < 0.25
        assert quality.matches + quality.left_out == len(found.state.matches)
        assert json.loads(json.dumps(asdict(quality), allow_nan=False))["matches"] == quality.matches


def test_judges_are_told_apart_by_agreement_without_their_own_votes():
    with recorded(votes({"good": (1.2, 0.0), "leaning": (0.8, 1.5), "guessing": (0.0, 0.0)})) as found:
        quality = quality_of(found.ledger, found.state)
        by_name = {report.judge: report for report in quality.judges}
        assert quality.consensus == "others"
        assert quality.judges[0].judge == "good"
        assert quality.judges[-1].judge == "guessing"
        assert by_name["good"].agreement > 0.75 > by_name["guessing"].agreement
        assert by_name["guessing"].agreement_low < 0.5 < by_name["guessing"].agreement_high
        assert by_name["leaning"].position_low > 0.5
        assert by_name["good"].information_per_dollar == pytest.approx(by_name["good"].information / 0.001)
        agreements, _ = agreements_of(found.state)
        assert agreements["good"] == (by_name["good"].agreement, 100)


def test_a_ring_is_listed_with_its_matches():
    rows = [
        (a, b, Choice.FIRST, "judge")
        for a, b in (("h0", "h1"), ("h1", "h2"), ("h2", "h0"), ("h0", "h1"), ("h3", "h4"), ("h4", "h5"))
    ]
    with recorded(rows) as found:
        quality = quality_of(found.ledger, found.state)
        (ring,) = quality.tangles.cycles
        assert {(beat.winner, beat.matches) for beat in ring.beats} == {
            ("h0", ("m0", "m3")),
            ("h1", ("m1",)),
            ("h2", ("m2",)),
        }
        assert (quality.transitivity.triples, quality.transitivity.circular) == (1, 1)
        assert quality.transitivity.p_value > 0.05  # three near-equals: nothing to cry over
        found.rollback("m2", "a slip")
        assert quality_of(found.ledger, found.state).tangles.cycles == ()


def test_a_sudden_fall_is_queued_once():
    rng = random.Random(2)
    rows = list(votes({"judge": (1.5, 0.0)}, 240))
    fall = [("h9", rng.choice([f"h{n}" for n in range(5)]), Choice.SECOND, "judge") for _ in range(9)]
    with recorded([*rows, *fall, *votes({"judge": (1.5, 0.0)}, 160, seed=9)]) as found:
        anomaly = next(anomaly for anomaly in anomalies_of(found.ledger, found.state) if anomaly.item == "h9")
        assert anomaly.kind == "drop"
        assert anomaly.size < -100
        detail = {"id": anomaly.id, "item": anomaly.item, "match": anomaly.match, "kind": anomaly.kind}
        found.ledger.tournaments.add_event(found.state.id, "anomaly", detail)
        found.state.refresh(found.ledger)
        assert [again.item for again in anomalies_of(found.ledger, found.state) if again.item == "h9"] == []


def test_anomalies_are_looked_for_without_draws():
    with recorded(votes({"judge": (1.0, 0.5)}, 201)) as found:
        assert anomalies_of(found.ledger, found.state) == ()
        assert "draws" not in vars(found.state.posterior)
        quality_of(found.ledger, found.state)
        assert "draws" in vars(found.state.posterior)


def test_a_fair_tournament_has_nothing_to_hide():
    with recorded(votes({"judge": (1.0, 0.5)}, 200)) as found:
        quality = quality_of(found.ledger, found.state)
        assert quality.anomalies == ()
        assert quality.transitivity.p_value > 0.01
        assert len(quality.outliers.listed) < quality.outliers.expected + 4


def test_both_orders_of_a_judge_with_a_bias():
    judge = SimulatedJudge(STRENGTHS, bias=2.0, seed=1)
    with tournament(judge, pairing="round-robin", comparison_rounds=2, budget=90) as found:
        seen = quality_of(found.ledger, found.state).both_orders
        assert seen.pairs == 45
        assert seen.contradicted > 5
        assert abs(seen.contradicted - seen.expected) < 8


def test_matches_without_answers_and_without_odds_are_left_out():
    a_tie = Verdict(choice=Choice.TIE, judge="sure", probability=0.5)
    told = Comparison(call="t", first="h0", second="h1", verdict=a_tie)
    with recorded(votes({"judge": (1.0, 0.0)}, 20)) as found:
        for match in (
            Match(id="soft", a="h0", b="h1", outcome=Outcome.DRAW, comparisons=(told,)),
            Match(id="void", a="h0", b="h1", outcome=Outcome.VOID),
            Match(id="elsewhere", a="h0", b="h1", outcome=Outcome.A),
        ):
            found.state.take(match, found.ledger.matches.record(found.state.id, match))
        assert len(prediction(found.state).contests) == 20
        assert quality_of(found.ledger, found.state).left_out == 3


def test_what_is_predicted_is_what_the_matches_one_by_one_say():
    rows = [*votes({"judge": (1.0, 0.0), "other": (2.0, 0.5)}, 120), ("h0", "h1", Choice.TIE, "judge")]
    with recorded(rows) as found:
        state = found.state
        state.rolled_back = frozenset({"m3", "m7"})
        fitted, index = state.posterior.fit, {id: place for place, id in enumerate(state.ids)}
        seen = prediction(state)
        stand = [match for match in state.played if match.id not in state.rolled_back]
        assert seen.contests.matches[:] == list(seen.contests.matches) == [match.id for match in stand]
        assert seen.contests.a.tolist() == [index[match.a] for match in stand]
        assert seen.contests.b.tolist() == [index[match.b] for match in stand]
        assert seen.contests.score.tolist() == [match.outcome.score for match in stand]
        told = [match.comparisons[0] for match in stand]
        judges = [fitted.judges.index(comparison.verdict.judge) for comparison in told]
        chosen = {Choice.FIRST: 1.0, Choice.TIE: 0.5, Choice.SECOND: 0.0}
        assert seen.answers.match.tolist() == list(range(119))
        assert seen.answers.first.tolist() == [index[comparison.first] for comparison in told]
        assert seen.answers.forward.all()
        assert seen.answers.choice.tolist() == [chosen[comparison.verdict.choice] for comparison in told]
        assert seen.answers.slope.tolist() == fitted.slope[judges].tolist()
        assert seen.answers.tie.tolist() == fitted.tie[judges].tolist()


def test_debates_are_counted_for_whoever_decided_them():
    with recorded(votes({"judge": (1.0, 0.0)}, 10)) as found:
        told = Comparison(call="d", first="h0", second="h1", verdict=Verdict(choice=Choice.FIRST, judge="judge"))
        debated = MatchProtocol.MULTI_TURN
        match = Match(id="debate", a="h0", b="h1", outcome=Outcome.A, comparisons=(told,), protocol=debated)
        found.state.take(match, found.ledger.matches.record(found.state.id, match))
        (report,) = quality_of(found.ledger, found.state).judges
        assert (report.debates, report.comparisons) == (1, 11)


def test_nothing_played_is_no_trouble():
    with paragone.Tournament.create(ITEMS, criteria="better", judge=longer) as found:
        quality = quality_of(found.ledger, found.state)
        assert (quality.matches, quality.judges, quality.transitivity.share) == (0, (), None)


def test_anomalies_are_looked_for_as_a_tournament_grows():
    assert is_due(50, 0)
    assert not is_due(50, 50)
    assert not is_due(1_049, 1_000)
    assert is_due(1_100, 1_000)
    looks, matches = 0, 0
    for played in range(50, 100_001, 50):
        if is_due(played, matches):
            looks, matches = looks + 1, played
    assert looks < 100


def stated(count=300, seed=3, spread=0.9):
    """Answers of a judge who states probabilities: the true log-odds, and normal noise of its own."""
    rng = random.Random(seed)
    for _ in range(count):
        a, b = rng.sample(sorted(ITEMS), 2)
        if {a, b} != {"h0", "h6"}:
            odds = STRENGTHS[a] - STRENGTHS[b] + rng.gauss(0, spread)
            yield a, b, 1 / (1 + 2.718281828**-odds)


def test_one_result_has_one_chance_wherever_it_is_shown():
    """A judge who states probabilities decides as it does for a reason: what luck makes is not called impossible."""
    matches = []
    for number, (a, b, probability) in enumerate([*stated(), ("h0", "h6", 0.7)]):
        choice = Choice.FIRST if probability > 0.5 else Choice.SECOND
        verdict = Verdict(choice=choice, judge="soft", probability=probability)
        answer = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
        outcome = Outcome.A if choice is Choice.FIRST else Outcome.B
        matches.append(Match(id=f"m{number}", a=a, b=b, outcome=outcome, comparisons=(answer,)))
    made = with_matches(matches)
    quality = quality_of(made.ledger, made.state)
    made.close()
    listed = {outlier.match: outlier.chance for outlier in quality.outliers.listed}
    upset = made.state.played[len(made.state.played) - 1].id
    shown = {cycle.upset.matches: cycle.upset.chance for cycle in quality.tangles.cycles}
    assert shown[upset,] == listed[upset] < 0.01
    assert len(listed) <= 1 + quality.outliers.expected + 3 * quality.outliers.expected**0.5
