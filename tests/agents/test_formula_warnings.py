"""Where the literal formulas mislead, it is said: once, with what happens and the option that avoids it."""

import warnings

import pytest

from paragone.agents import EloSystem, LiteralFormulaWarning

FOUR = {"a": 0.9, "b": 0.6, "c": 0.3, "d": 0.1}
TEN = {"a": 8.0, "b": 6.0}


def favourite(elo):
    elo.record_matches([{"winner": "a", "loser": "b"}] * 10)
    elo.record_match(scores={"a": 0.8, "b": 0.6})


CAUSES = {
    "many": (lambda elo: elo.record_match(scores=FOUR), r"up to 3 times as far .*normalize=.n-1."),
    "scales": (
        lambda elo: [elo.record_match(scores=TEN), elo.record_match(winner="a", loser="b")],
        r"scores above 1 and scores up to 1 .*outcome=.win.",
    ),
    "favourite": (favourite, r"'a' won and lost \d\.\d\d points: .*outcome=.win."),
    "cliff at .8": (lambda elo: elo.record_redteam_result("a", 0.799, 1, 9), r"0\.799 lies next to the step at 0\.8"),
    "cliff at .5": (lambda elo: elo.record_redteam_result("a", 0.52, 1, 9), r"0\.52 lies next to the step at 0\.5"),
    "in a batch": (lambda elo: elo.record_matches([{"scores": FOUR}, {"scores": FOUR}]), "up to 3 times"),
}


@pytest.mark.parametrize(("act", "words"), CAUSES.values(), ids=CAUSES)
class TestEachCause:
    def test_is_said_once_and_to_the_caller(self, elo, act, words):
        with pytest.warns(LiteralFormulaWarning, match=words) as said:
            act(elo)
        assert len(said) == 1
        assert said[0].filename == __file__
        act(elo)  # a warning would be an error

    def test_is_not_said_where_nobody_wants_to_hear_it(self, path, act, words):
        with EloSystem(path, warn=False) as elo:
            act(elo)

    def test_every_system_says_it(self, tmp_path, act, words):
        for name in "ab":
            with EloSystem(tmp_path / name) as elo, pytest.warns(LiteralFormulaWarning):
                act(elo)


@pytest.mark.parametrize("cause", [name for name in CAUSES if not name.startswith("cliff")])
def test_the_options_that_are_named_avoid_it(path, cause):
    with EloSystem(path, outcome="win", normalize="n-1") as elo:
        CAUSES[cause][0](elo)


def test_what_misleads_nobody_is_not_warned_of(elo):
    elo.record_match(scores={"a": 0.8, "b": 0.6, "c": 0.4})
    elo.record_match(scores={"a": 0.0, "b": 0.0})
    elo.record_match(winner="b", loser="c", draw=True)
    for robustness in (0.0, 0.47, 0.53, 0.77, 0.83, 1.0):
        elo.record_redteam_result("a", robustness, 1, 9)


def test_scores_of_one_larger_scale_are_no_mixture(elo):
    for first in (10.0, 7.5, 2.0):
        elo.record_match(scores={"a": first, "b": 0.5})


def test_what_was_recorded_stays_so_where_warnings_are_errors(elo):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LiteralFormulaWarning):
            favourite(elo)
    assert elo.get_stats()["total_matches"] == 11
