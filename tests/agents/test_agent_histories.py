"""Ratings over any history are those of document A's arithmetic in its plainest form, one at a time or in batches."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.agents import EloSystem


def expected_score(of: float, against: float) -> float:
    """Document A, "Standard ELO Formula"."""
    return 1 / (1 + 10 ** ((against - of) / 400))


def pairwise_changes(participants, scores, ratings, k, multipliers):
    """Document A, "Pairwise ELO Changes", with the multipliers of "Calibration-Based K-Factor"."""
    changes = dict.fromkeys(participants, 0.0)
    for place, a in enumerate(participants):
        for b in participants[place + 1 :]:
            expected = expected_score(ratings[a], ratings[b])
            total = scores[a] + scores[b]
            actual = scores[a] / total if total > 0 else 0.5
            changes[a] += k * multipliers[a] * (actual - expected)
            changes[b] -= k * multipliers[b] * (actual - expected)
    return changes


def calibration_score(total, brier_sum):
    """Document A, "Calibration Score"."""
    if total < 5:
        return 0.0
    return (1 - brier_sum / total) * min(1.0, 0.5 + 0.5 * (total - 5) / 40)


class Twin:
    """The rating arithmetic of document A in the plainest form, on dictionaries."""

    def __init__(self):
        self.elos, self.domains, self.records = {}, {}, {}
        self.correct, self.total, self.brier_sum, self.open = {}, {}, {}, {}

    def record_match(self, scores, domain, confidence, qualities):
        names = list(scores)
        k = 32 * max(0.1, min(1.0, confidence))
        multipliers = {name: 2.0 - qualities[name] if name in qualities else 1.0 for name in names}
        before = {name: self.elos.get(name, 1500.0) for name in names}
        changes = pairwise_changes(names, scores, before, k, multipliers)
        best = [name for name in names if scores[name] == max(scores.values())]
        for name in names:
            self._move(name, changes[name], domain, before[name])
            wins, losses, draws = self.records.get(name, (0, 0, 0))
            won, drew = best == [name], len(best) > 1
            self.records[name] = (wins + won, losses + (not won and not drew), draws + drew)
        return {name: self.elos[name] - before[name] for name in names}

    def record_redteam_result(self, name, robustness, successful, total, critical, domain):
        gain = 0.0
        if robustness >= 0.8:
            gain = 32 * 0.3 * robustness
        elif robustness < 0.5:
            gain = max(-(0.5 * 32 * (successful / total if total else 0) + 2 * critical), -30)
        return self._move(name, gain, domain, self.elos.get(name, 1500.0))

    def update_from_verification(self, name, domain, verified, disproven, k):
        if not verified and not disproven:
            return 0.0
        return self._move(name, (verified - disproven) * k * 0.5, domain, self.elos.get(name, 1500.0))

    def predict(self, tournament, name, winner, confidence):
        self.open.setdefault(tournament, {})[name] = (winner, confidence)

    def resolve(self, tournament, winner):
        scores = {}
        for name, (foretold, confidence) in self.open.pop(tournament, {}).items():
            scores[name] = self.count(name, confidence, foretold == winner)
        return scores

    def count(self, name, confidence, correct):
        score = (confidence - correct) ** 2
        self.total[name] = self.total.get(name, 0) + 1
        self.correct[name] = self.correct.get(name, 0) + correct
        self.brier_sum[name] = self.brier_sum.get(name, 0.0) + score
        return score

    def quality(self, name):
        return calibration_score(self.total[name], self.brier_sum[name])

    def _move(self, name, change, domain, before):
        self.elos[name] = min(4000.0, max(100.0, before + change))
        if domain:
            start = self.domains.get((name, domain), before)
            self.domains[name, domain] = min(4000.0, max(100.0, start + change))
        return self.elos[name] - before


AGENTS = ["ann", "bob", "cas", "dee", "eve"]
TOURNAMENTS = ["t", "u", "v"]
NAMES = st.sampled_from(AGENTS)
DOMAINS = st.sampled_from(["", "law", "security"])
SHARES = st.one_of(st.sampled_from([0.0, 0.5, 0.8, 1.0]), st.floats(0, 1))
SCORES = st.dictionaries(NAMES, st.one_of(SHARES, st.floats(0, 100)), min_size=2, max_size=5)
MATCHES = st.tuples(st.just("match"), SCORES, DOMAINS, st.floats(-1, 2), st.dictionaries(NAMES, SHARES, max_size=3))
RED_TEAMS = st.tuples(st.just("redteam"), NAMES, SHARES, st.integers(0, 9), st.integers(0, 20), DOMAINS)
VERIFICATIONS = st.tuples(
    st.just("verification"), NAMES, DOMAINS, st.integers(0, 60), st.integers(0, 200), st.floats(0, 64)
)
PREDICTIONS = st.tuples(st.just("prediction"), st.sampled_from(TOURNAMENTS), NAMES, NAMES, SHARES)
RESOLUTIONS = st.tuples(st.just("resolution"), st.sampled_from(TOURNAMENTS), NAMES)
DOMAIN_PREDICTIONS = st.tuples(st.just("domain"), NAMES, SHARES, st.booleans())
HISTORIES = st.lists(
    st.one_of(MATCHES, RED_TEAMS, VERIFICATIONS, PREDICTIONS, RESOLUTIONS, DOMAIN_PREDICTIONS), max_size=12
)


class Known:
    """A tracker of some agents' qualities."""

    def __init__(self, qualities):
        self.qualities = qualities

    def get_quality(self, agent):
        return self.qualities[agent]


def opened(url="sqlite://"):
    return EloSystem(url, durable=False, snapshot=False, warn=False)


def play(elo, twin, number, event, resolved):
    """One event on both; what each says that it did."""
    match event:
        case "match", scores, domain, confidence, qualities:
            done = elo.record_match(f"d{number}", list(scores), scores, domain, confidence, Known(qualities))
            return done, twin.record_match(scores, domain, confidence, qualities)
        case "redteam", name, robustness, successful, more, domain:
            total = successful + more
            done = elo.record_redteam_result(name, robustness, successful, total, successful % 4, domain=domain)
            return done, twin.record_redteam_result(name, robustness, successful, total, successful % 4, domain)
        case "verification", name, domain, verified, disproven, k:
            done = elo.update_from_verification(name, domain, verified, disproven, k)
            return done, twin.update_from_verification(name, domain, verified, disproven, k)
        case "domain", name, confidence, correct:
            elo.record_domain_prediction(name, "law", confidence, correct)
            twin.count(name, confidence, correct)
        case "prediction", tournament, name, winner, confidence if tournament not in resolved:
            elo.record_winner_prediction(tournament, name, winner, confidence)
            twin.predict(tournament, name, winner, confidence)
        case "resolution", tournament, winner if tournament not in resolved:
            resolved.add(tournament)
            elo.register_agent(winner)  # a winner whom nobody predicted and nobody knows would be refused
            return elo.resolve_tournament_calibration(tournament, winner), twin.resolve(tournament, winner)
    return 0.0, 0.0


def apart(value, example):
    """The same with agents and tournaments of its own: examples share one system, which takes a while to open."""
    if isinstance(value, dict):
        return {apart(key, example): apart(one, example) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(apart(one, example) for one in value)
    return f"{example}.{value}" if value in {*AGENTS, *TOURNAMENTS} else value


def test_ratings_are_those_of_the_plain_arithmetic():
    numbers = itertools.count()

    @given(HISTORIES)
    def check(history):
        example, twin, resolved = next(numbers), Twin(), set()
        for number, event in enumerate(apart(history, example)):
            done, expected = play(elo, twin, f"{example}.{number}", event, resolved)
            assert done == pytest.approx(expected, abs=1e-9)
        for name, rating in elo.get_ratings_batch(apart(AGENTS, example)).items():
            assert rating.elo == pytest.approx(twin.elos.get(name, 1500.0), abs=1e-9)
            domains = {domain: elo for (agent, domain), elo in twin.domains.items() if agent == name}
            assert rating.domain_elos == pytest.approx(domains, abs=1e-9)
            assert (rating.wins, rating.losses, rating.draws) == twin.records.get(name, (0, 0, 0))
            assert rating.calibration_total == twin.total.get(name, 0)
            assert rating.calibration_correct == twin.correct.get(name, 0)
            assert rating.calibration_brier_sum == pytest.approx(twin.brier_sum.get(name, 0.0), abs=1e-9)
            if rating.calibration_total:
                assert rating.calibration_score == pytest.approx(twin.quality(name), abs=1e-9)

    with opened() as elo:
        check()
        assert elo.audit().ok


def test_many_debates_at_once_are_those_one_by_one():
    numbers = itertools.count()

    @settings(max_examples=settings().max_examples // 2)
    @given(st.lists(st.tuples(SCORES, DOMAINS, SHARES), max_size=8), st.data())
    def check(debates, data):
        example = next(numbers)
        calls = [
            {"debate_id": f"{example}.{number}", "scores": scores, "domain": domain, "confidence_weight": confidence}
            for number, (scores, domain, confidence) in enumerate(apart(debates, example))
        ]
        cut, names = data.draw(st.integers(0, len(calls))), apart(AGENTS, example)
        singly = [one.record_match(**call) for call in calls]
        assert many.record_matches(calls[:cut]) + many.record_matches(calls) == singly[:cut] + singly
        assert many.get_ratings_batch(names) == one.get_ratings_batch(names)

    with opened() as one, opened() as many:
        check()
        assert many.audit().ok


COUNTS = {
    "debate_increment": "debate_count",
    "agreement_increment": "agreement_count",
    "critique_a_to_b": "critique_count_a_to_b",
    "critique_b_to_a": "critique_count_b_to_a",
    "critique_accepted_a_to_b": "critique_accepted_a_to_b",
    "critique_accepted_b_to_a": "critique_accepted_b_to_a",
    "position_change_a_after_b": "position_changes_a_after_b",
    "position_change_b_after_a": "position_changes_b_after_a",
    "a_win": "a_wins_over_b",
    "b_win": "b_wins_over_a",
}
PAIRS = st.sampled_from([("ann", "bob"), ("bob", "ann"), ("bob", "cas"), ("cas", "ann")])


def test_many_updates_at_once_are_the_sum_of_single_ones_for_every_counter():
    numbers = itertools.count()

    @settings(max_examples=settings().max_examples // 2)
    @given(st.lists(st.tuples(PAIRS, st.dictionaries(st.sampled_from(sorted(COUNTS)), st.integers(0, 9))), max_size=8))
    def check(drawn):
        example = next(numbers)
        updates = apart(drawn, example)
        calls = [{"agent_a": a, "agent_b": b, **counts} for (a, b), counts in updates]
        many.update_relationships_batch(calls)
        for call in calls:
            one.update_relationship(**call)
        for a, b in apart([("ann", "bob"), ("bob", "ann"), ("cas", "bob")], example):
            raw = many.get_relationship_raw(a, b)
            assert raw == one.get_relationship_raw(a, b)
            assert (raw is None) == (not any({a, b} == set(pair) for pair, _ in updates))
            for argument, counter in COUNTS.items() if raw else ():
                added = sum(counts.get(argument, 0) for pair, counts in updates if pair == (a, b))
                added += sum(counts.get(seen_from_the_other(argument), 0) for pair, counts in updates if pair == (b, a))
                assert raw[counter] == added

    with opened() as one, opened() as many:
        check()
        assert many.audit().ok


def seen_from_the_other(argument):
    """An argument with a and b changed round."""
    return "_".join({"a": "b", "b": "a"}.get(word, word) for word in argument.split("_"))
