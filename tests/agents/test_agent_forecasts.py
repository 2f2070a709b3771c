"""What is expected of a debate and of a tournament, and what an agent's confidences are worth."""

import numpy as np
import pytest

from paragone.agents import EloSystem
from paragone.agents.agent_forecasts import combined
from paragone.errors import InvalidEvidence, NotFound


@pytest.fixture
def elo():
    with EloSystem("sqlite://", warn=False) as system:
        yield system


def played(elo, wins, losses, *, domain=None):
    games = [("ann", "bob")] * wins + [("bob", "ann")] * losses
    elo.record_matches(
        [
            {"participants": [winner, loser], "scores": {winner: 1.0, loser: 0.0}, "domain": domain}
            for winner, loser in games
        ]
    )


class TestDebates:
    def test_it_is_the_share_won_drawn_to_the_middle_with_an_interval_around_it(self, elo):
        played(elo, 30, 10)
        expected = elo.predict_match("ann", "bob")
        assert 0.6 < expected.expected < 0.75
        assert expected.low < expected.expected < expected.high
        assert 0.1 < expected.high - expected.low < 0.35
        assert (expected.debates, expected.opponent_debates) == (40, 40)

    def test_both_sides_add_up_to_one(self, elo):
        played(elo, 7, 3)
        one, other = elo.predict_match("ann", "bob"), elo.predict_match("bob", "ann")
        assert one.expected + other.expected == pytest.approx(1.0)
        assert one.low + other.high == pytest.approx(1.0)
        assert one.elo + other.elo == pytest.approx(1.0)

    def test_the_running_elo_stands_beside_it(self, elo):
        elo.record_match(winner="ann", loser="bob")  # 1516 to 1484
        assert elo.predict_match("ann", "bob").elo == pytest.approx(1 / (1 + 10 ** (-32 / 400)))

    def test_a_newcomer_is_average_and_little_is_known_of_it(self, elo):
        played(elo, 30, 30)
        elo.register_agent("new")
        known, unknown = elo.predict_match("ann", "bob"), elo.predict_match("ann", "new")
        assert unknown.expected == pytest.approx(0.5, abs=0.03)
        assert unknown.high - unknown.low > known.high - known.low
        assert unknown.opponent_debates == 0

    def test_two_agents_without_any_debate_have_even_chances(self, elo):
        for name in ("ann", "bob"):
            elo.register_agent(name)
        assert elo.predict_match("ann", "bob").expected == 0.5

    def test_in_a_domain_its_own_debates_decide(self, elo):
        played(elo, 40, 5, domain="law")
        played(elo, 5, 40, domain="code")
        law, code = (elo.predict_match("ann", "bob", domain) for domain in ("law", "code"))
        assert law.expected > 0.7 > 0.3 > code.expected
        assert (law.debates, code.domain) == (45, "code")
        unheard = elo.predict_match("ann", "bob", "art")
        assert unheard.debates == 0
        assert unheard.high - unheard.low > law.high - law.low

    def test_what_is_recorded_afterwards_counts(self, elo):
        played(elo, 5, 5)
        before = elo.predict_match("ann", "bob").expected
        played(elo, 20, 0)
        assert elo.predict_match("ann", "bob").expected > before + 0.1

    def test_unknown_agents_and_an_agent_against_itself_are_refused(self, elo):
        played(elo, 1, 0)
        with pytest.raises(NotFound, match="bob"):
            elo.predict_match("ann", "bobb")
        with pytest.raises(InvalidEvidence, match="two agents"):
            elo.predict_match("ann", "ann")

    def test_intervals_hold_the_points_of_the_truth(self, deep):
        """Three forecasts in each of ten pools (of twenty with --deep), at 95 %: of sixty a worse share has a chance of
        one in a thousand, and of thirty the same share is asked.
        """
        held, pools = 0, 20 if deep else 10
        for seed in range(pools):
            rng = np.random.default_rng(seed)
            strength = rng.normal(0.0, 1.0, 6)
            with EloSystem("sqlite://", warn=False, snapshot=False) as system:
                pairs = [rng.choice(6, 2, replace=False) for _ in range(60)]
                wins = [rng.random() < 1 / (1 + np.exp(strength[b] - strength[a])) for a, b in pairs]
                system.record_matches(
                    [
                        {"participants": [f"a{a}", f"a{b}"], "scores": {f"a{a}": float(won), f"a{b}": float(not won)}}
                        for (a, b), won in zip(pairs, wins, strict=True)
                    ]
                )
                for a, b in ((0, 1), (2, 3), (4, 5)):
                    expected = system.predict_match(f"a{a}", f"a{b}")
                    held += expected.low <= 1 / (1 + np.exp(strength[b] - strength[a])) <= expected.high
        assert held >= 52 / 60 * 3 * pools


class TestConfidences:
    def overconfident(self, elo, agent="ann", count=2000):
        rng = np.random.default_rng(3)
        stated = rng.choice([0.6, 0.7, 0.8, 0.9, 0.95], count)
        elo.record_domain_predictions(
            [
                {"agent_name": agent, "domain": "law", "confidence": float(each), "correct": bool(came)}
                for each, came in zip(stated, rng.random(count) < 0.5 + (stated - 0.5) / 2, strict=True)
            ]
        )

    def test_those_of_an_overconfident_agent_are_worth_less(self, elo):
        self.overconfident(elo)
        assert elo.recalibrated("ann", 0.9) == pytest.approx(0.7, abs=0.06)
        report = elo.recalibration("ann")
        assert report.changed
        assert (report.predictions, len(report.trials)) == (2000, 4)
        assert elo.recalibrated("ann", 0.9, "law") == elo.recalibrated("ann", 0.9)

    def test_without_a_record_they_count_as_stated(self, elo):
        elo.register_agent("bob")
        assert elo.recalibrated("bob", 0.9) == 0.9
        assert not elo.recalibration("bob").changed

    def test_one_outside_of_its_range_is_refused(self, elo):
        for wrong in (1.2, float("nan")):
            with pytest.raises(InvalidEvidence):
                elo.recalibrated("bob", wrong)


class TestWinners:
    def test_one_prediction_is_taken_at_its_worth(self):
        assert combined([(0, 0.8)], 1) == pytest.approx([0.8, 0.2])

    def test_agents_that_say_the_same_are_not_counted_twice(self):
        assert combined([(0, 0.8)] * 5, 1) == pytest.approx([0.8, 0.2])

    def test_chances_are_normalised_geometric_means(self):
        # .6 for the first leaves .2 each; .3 for the second leaves .35 each.
        means = np.sqrt([0.6 * 0.35, 0.2 * 0.3, 0.2 * 0.35])
        assert combined([(0, 0.6), (1, 0.3)], 2) == pytest.approx((means / means.sum()).tolist())

    def test_certainty_rules_nobody_out(self):
        assert combined([(0, 1.0)], 1) == pytest.approx([0.999, 0.001])
        assert min(combined([(0, 1.0), (1, 1.0)], 2)) > 0

    def test_a_record_of_overconfidence_moves_the_forecast(self, elo):
        elo.record_winner_prediction("cup", "ann", "x", 0.9)
        elo.record_winner_prediction("cup", "bob", "y", 0.8)
        plain = elo.predict_winner("cup")
        assert [row.winner for row in plain.chances] == ["x", "y", None]
        assert sum(row.chance for row in plain.chances) == pytest.approx(1.0)
        TestConfidences().overconfident(elo)
        corrected = elo.predict_winner("cup")
        assert [row.winner for row in corrected.chances] == ["y", "x", None]
        assert [each.corrected < each.confidence for each in corrected.predictions] == [True, False]

    def test_the_outcome_of_the_tournament_itself_does_not_count(self, elo):
        for number in range(19):
            elo.record_winner_prediction(f"t{number}", "ann", "x", 0.9)
            elo.resolve_tournament_calibration(f"t{number}", "x" if number % 2 else "ann")
        elo.record_winner_prediction("cup", "ann", "x", 0.9)
        before = elo.predict_winner("cup")
        elo.resolve_tournament_calibration("cup", "ann")
        assert elo.predict_winner("cup") == before

    def test_a_tournament_that_nobody_predicted_is_refused_with_near_names(self, elo):
        elo.record_winner_prediction("spring", "ann", "x", 0.9)
        with pytest.raises(NotFound, match="spring"):
            elo.predict_winner("sprang")
