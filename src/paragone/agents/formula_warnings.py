"""Warnings where Aragora's literal formulas mislead: once for each cause, with the option that avoids it."""

import threading
import warnings

from paragone.domain import Counting, Normalization, Scorecard
from paragone.domain.agent_evidence import RedTeamResult

MANY = 4
"""Participants from which the sum over all opponents is worth a warning."""

NEAR = 0.02
"""Distance of a robustness from a step of the red-team formula within which it is worth a warning."""

_CALLER = 5
"""Frames from the warning to the caller: this module's two, the recording function's, the method's, the caller's."""

_MANY = (
    "a debate among {n} moves a rating up to {most} times as far as one between two: the document adds up what each "
    'opponent is worth; EloSystem(normalize="n-1") takes the mean instead'
)
_SCALES = (
    "scores above 1 and scores up to 1 were recorded in one pool: under Aragora's ratio of scores 8 : 6 is worth "
    '.57 and a win by 1 : 0 is worth 1; bring scores to one scale, or count who won: EloSystem(outcome="win")'
)
_FAVOURITE = (
    "{winner!r} won and lost {points:.2f} points: Aragora's ratio of scores gave it less than was expected of a "
    'favourite; EloSystem(outcome="win") gives the winner the whole point'
)
_CLIFF = (
    "a robustness of {robustness:g} lies next to the step at {cliff:g}, where Aragora's gain jumps: {jump}; small "
    "differences of the measurement decide it. get_strengths() rests on debates alone"
)


class LiteralFormulaWarning(UserWarning):
    """A literal formula of Aragora's specification gave a result that users may not expect.

    The message says what happens and which option avoids it. ``EloSystem(warn=False)`` turns warnings off.
    """


class FormulaWarnings:
    """The warnings of one system; each cause once.

    Args:
        on: Whether to warn at all.
    """

    def __init__(self, *, on: bool) -> None:
        self._on = on
        self._said: set[str] = set()
        self._scales: set[bool] = set()
        self._guard = threading.Lock()

    def before_match(self, card: Scorecard) -> None:
        """Warn before a debate is recorded."""
        if not self._on:
            return
        if card.normalization is Normalization.SUM and len(card.participants) >= MANY:
            self._say("many", _MANY.format(n=len(card.participants), most=len(card.participants) - 1))
        if card.counting is Counting.RATIO and self._mixes(max(card.scores)):
            self._say("scales", _SCALES)

    def after_match(self, card: Scorecard, changes: dict[str, float]) -> None:
        """Warn of the changes that a debate made."""
        gain = changes[card.winner] if self._on and card.winner is not None else 0.0
        if gain < 0 and card.counting is Counting.RATIO:
            self._say("favourite", _FAVOURITE.format(winner=card.winner, points=-gain))

    def before_test(self, test: RedTeamResult) -> None:
        """Warn if slightly more or less robustness would give another result."""
        from paragone.ratings.elo_rule import REWARD, ROBUST, VULNERABLE

        jumps = {
            VULNERABLE: "below it the whole penalty counts, from it on nothing",
            ROBUST: f"below it nothing, from it on {REWARD * ROBUST:.2g} K",
        }
        for cliff, jump in jumps.items():
            if self._on and abs(test.robustness - cliff) <= NEAR + 1e-12:
                self._say("cliff", _CLIFF.format(robustness=test.robustness, cliff=cliff, jump=jump))

    def _mixes(self, highest: float) -> bool:
        if highest > 0:
            with self._guard:
                self._scales.add(highest > 1)
        return len(self._scales) > 1

    def _say(self, cause: str, words: str) -> None:
        with self._guard:
            fresh = cause not in self._said
            self._said.add(cause)
        if fresh:
            warnings.warn(words, LiteralFormulaWarning, stacklevel=_CALLER)
