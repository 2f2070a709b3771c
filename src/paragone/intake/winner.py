"""How a recorded comparison says who won: by side, by item, or by score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.intake.table import as_number, as_text, is_missing, spelling

SIDES: Sequence[tuple[str, str]] = (
    ("a", "b"),
    ("left", "right"),
    ("first", "second"),
    ("item_a", "item_b"),
    ("model_a", "model_b"),
    ("item1", "item2"),
    ("item_1", "item_2"),
    ("player1", "player2"),
    ("player_1", "player_2"),
)
"""Pairs of names for the two sides: of columns, and as labels of the winner."""

WINNER_LOSER: Sequence[tuple[str, str]] = (
    ("winner", "loser"),
    ("winner_id", "loser_id"),
    ("winner_name", "loser_name"),
    ("chosen", "rejected"),
    ("better", "worse"),
)
"""Pairs of names for columns where a row names who won and who lost, and no sides."""

DRAWS = ("draw", "tie", "is_draw", "is_tie", "tied")
"""Columns beside them that say whether a row is a draw, the proper name first."""

YES = frozenset({"true", "yes", "y", "1", "1.0", "draw", "tie"})
NO = frozenset({"false", "no", "n", "0", "0.0"})
"""How a cell says yes or no, in lower case."""

TIES = frozenset({"tie", "tied", "draw", "equal", "tie (bothbad)", "both_bad"})
"""Labels of a tie; the last two are those of published chatbot arenas."""

ABSTENTIONS = frozenset({"", "abstain", "skip", "none", "null", "nan", "<na>", "n/a"})
"""Labels of an abstention, beside an empty cell."""


@dataclass(frozen=True, slots=True)
class Call:
    """The meaning of a winner's cell.

    Attributes:
        score: Score of the first side; None for an abstention.
        tie: Whether it is a tie.
    """

    score: float | None
    tie: bool = False


ABSTAINED = Call(None)
TIED = Call(0.5, tie=True)
WON_A = Call(1.0)
WON_B = Call(0.0)


def labels(column_a: str, column_b: str) -> Mapping[str, Call]:
    """Every label, normalised by ``spelling``, with its meaning; the names of the two columns are labels too."""
    calls = {side: call for pair in SIDES for side, call in zip(pair, (WON_A, WON_B), strict=True)}
    calls |= dict.fromkeys(TIES, TIED) | dict.fromkeys(ABSTENTIONS, ABSTAINED)
    return {spelling(label): call for label, call in (calls | {column_a: WON_A, column_b: WON_B}).items()}


def by_label(cell: object, calls: Mapping[str, Call]) -> Call | None:
    """The meaning of a cell that names a side, a tie, an abstention, or a score from 0 to 1; else None."""
    if is_missing(cell):
        return ABSTAINED
    if isinstance(cell, str):
        call = calls.get(spelling(cell))
        if call is not None:
            return call
    score = as_number(cell)
    if score is None or not 0.0 <= score <= 1.0:
        return None
    return TIED if score == 0.5 else Call(score)


def is_draw(cell: object) -> bool | None:
    """Whether a cell says yes; an empty one says no. None if it says neither."""
    word = "no" if is_missing(cell) else str(cell).strip().casefold()
    return word in YES if word in YES | NO else None


def by_id(cell: object, a: str, b: str) -> Call | None:
    """The meaning of a cell that names one of the two items; else None."""
    name = as_text(cell)
    if name == a:
        return WON_A
    return WON_B if name == b else None
