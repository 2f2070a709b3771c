"""What the cell that says who won means: a side, a tie, nobody, a number, or one of the two items."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paragone.errors import InvalidVotes
from paragone.intake.table import NO, YES, as_number, as_text, is_missing, spelling

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
    ("team1", "team2"),
    ("team_1", "team_2"),
)
"""Pairs of names for the two sides: of columns, and as labels of the winner."""

_PLACES = (("home", "away"), ("white", "black"))
MORE_SIDES: Sequence[tuple[str, str]] = (
    *_PLACES,
    ("home_team", "away_team"),
    ("white_id", "black_id"),
    ("agent_a", "agent_b"),
    ("agent1", "agent2"),
    ("agent_1", "agent_2"),
    ("debater_a", "debater_b"),
    ("player_a", "player_b"),
    ("team_a", "team_b"),
    ("system_a", "system_b"),
    ("option_a", "option_b"),
    ("model_left", "model_right"),
    ("model1", "model2"),
    ("model_1", "model_2"),
    ("generator_1", "generator_2"),
    ("id1", "id2"),
    ("id_1", "id_2"),
)
"""Further pairs of names of columns, for tables that have none of the others; labels where columns are called so."""

TIES = frozenset(
    {
        *("tie", "tied", "draw", "equal", "tie (bothbad)", "tie(bothbad)", "bothbad", "both_bad", "both_are_bad"),
        *("both_good", "both_are_good", "equally_good", "equally_bad", "same", "about_the_same", "no_preference"),
        *("neither", "a=b", "a = b", "[[a=b]]", "[[c]]", "1/2-1/2", "½-½"),
    }
)
"""Labels of a tie: in words, as arenas and annotators, as judges of models, and as records of chess write it."""

ABSTENTIONS = frozenset({"", "abstain", "skip", "none", "null", "nan", "<na>", "n/a"})
"""Labels of an abstention, beside an empty cell."""

_SIGNS = (
    ("a>b", "b>a"),
    ("a > b", "b > a"),
    ("a>>b", "b>>a"),
    ("[[a>b]]", "[[b>a]]"),
    ("[[a>>b]]", "[[b>>a]]"),
    ("[[a]]", "[[b]]"),
)
"""Verdicts of judges of models, such as those of Arena-Hard and MT-Bench."""
_RESULTS = (("1-0", "0-1"),)
"""Results of chess."""
_ANSWERS = tuple(
    (f"{what}_{first}", f"{what}_{second}")
    for what in ("response", "answer", "assistant", "output", "completion", "summary", "option", "candidate")
    for first, second in (("a", "b"), ("1", "2"))
)
"""What judges of models are often asked to answer with."""
_YIELDING = frozenset(label for pair in _ANSWERS for label in pair)


@dataclass(frozen=True, slots=True)
class WinnerMeaning:
    """The meaning of a winner's cell.

    Attributes:
        score: Score of the first side; None for an abstention.
        tie: Whether it is a tie.
    """

    score: float | None
    tie: bool = False


ABSTAINED = WinnerMeaning(None)
TIED = WinnerMeaning(0.5, tie=True)
WON_A = WinnerMeaning(1.0)
WON_B = WinnerMeaning(0.0)

_NUMBERED = {1.0: WON_A, 2.0: WON_B, 1.5: TIED}
_SIGNED = {1.0: WON_A, -1.0: WON_B, 0.0: TIED}
_SCORES = frozenset({"score", "score_a"})
"""Columns whose numbers are the score of the first side and never its number."""
_CHOICES = frozenset({"choice", "preference", "preferred", "label", "labels", "selected"})
"""Columns whose 0 and 1 are as often the index of a side as the score of the first."""
_OR_NOBODY = frozenset({"winner", "preference"})
"""Columns that, beside 1 and 2 for the sides, have 0 for neither of them."""
CODES = frozenset({*_NUMBERED, *_SIGNED})
"""Numbers whose meaning depends on the others in the column."""
_ONE_IN = 20


@dataclass(frozen=True, slots=True)
class WinnerNumbers:
    """The numbers in the winner's column.

    Attributes:
        counts: In how many rows each of them stands.
        free: Those that in some row name neither of the two items.
    """

    counts: Counter[float] = field(default_factory=Counter)
    free: frozenset[float] = frozenset()

    def __add__(self, other: "WinnerNumbers") -> "WinnerNumbers":
        return WinnerNumbers(self.counts + other.counts, self.free | other.free)

    @property
    def depend(self) -> bool:
        """Whether what some of them mean depends on others in the column: 1 is the first side in any reading."""
        return self.may_be_codes and self.free != {1.0}

    @property
    def may_be_codes(self) -> bool:
        """Whether there are any, and all of them could stand for a side or a tie."""
        return bool(self.free) and self.free <= CODES

    def rare(self, number: float) -> bool:
        """Whether so few of them are this number that it may be a slip."""
        return self.counts[number] * _ONE_IN <= sum(self.counts[each] for each in self.free)


@dataclass(frozen=True, kw_only=True, slots=True)
class Labels:
    """What cells may say of the winner, apart from naming an item.

    Attributes:
        words: Every label, normalised by ``spelling``, with its meaning.
        numbers: Numbers that stand for a side or a tie.
        are_scores: Whether other numbers from 0 to 1 are scores of the first side.
        depend: Whether what numbers mean was taken from all that there are.
        read: What texts were found to mean: a column has few different ones.
    """

    words: Mapping[str, WinnerMeaning]
    numbers: Mapping[float, WinnerMeaning] = field(default_factory=dict)
    are_scores: bool = True
    depend: bool = False
    read: dict[str, WinnerMeaning | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, column_a: str, column_b: str) -> "Labels":
        """The labels of any file; the names of its columns of items, and their places (home, away), are labels too."""
        pairs = [*_ANSWERS, *SIDES, *_SIGNS, *_RESULTS, _places(column_a, column_b), (column_a, column_b)]
        words = {side: meaning for pair in pairs for side, meaning in zip(pair, (WON_A, WON_B), strict=True)}
        words |= dict.fromkeys(TIES, TIED) | dict.fromkeys(ABSTENTIONS, ABSTAINED)
        return cls(words={spelling(label): meaning for label, meaning in words.items()})

    def coded(self, codes: Sequence[str]) -> "Labels":
        """Labels where these, and no other numbers, mean the first side, the second and, as a third, a tie."""
        meanings = dict(zip(codes, (WON_A, WON_B, TIED), strict=False))
        numbers = {number: meanings[code] for code in codes if (number := as_number(code)) is not None}
        words = {**self.words, **{spelling(code): meaning for code, meaning in meanings.items()}}
        return Labels(words=words, numbers=numbers, are_scores=False)

    @property
    def note(self) -> str:
        """How numbers are read that are no scores; empty where there are none, or the caller said it."""
        if not self.numbers or not self.are_scores:
            return ""
        numbers = sorted(self.numbers)
        sides = (" or ".join(f"{n:g}" for n in numbers if self.numbers[n] == call) for call in (WON_A, WON_B, TIED))
        return "numbers of winners: {} is the first side, {} the second, {} a tie".format(*sides)

    def yields(self, cell: object) -> bool:
        """Whether a cell is a label that items are called by, too: it names the item of its row, if there is one."""
        return isinstance(cell, str) and spelling(cell) in _YIELDING

    def meaning(self, cell: object) -> WinnerMeaning | None:
        """The meaning of a cell that names a side, a tie, an abstention, or a score from 0 to 1; else None."""
        if isinstance(cell, bool):
            return self.words.get(spelling(str(cell)))
        if not isinstance(cell, str):
            return ABSTAINED if is_missing(cell) else self._of_number(cell)
        if cell not in self.read:
            self.read[cell] = self.words.get(spelling(cell)) or self._of_number(cell)
        return self.read[cell]

    def _of_number(self, cell: object) -> WinnerMeaning | None:
        number = as_number(cell)
        if number is None or number in self.numbers:
            return None if number is None else self.numbers[number]
        if not self.are_scores or not 0.0 <= number <= 1.0:
            return None
        return TIED if number == 0.5 else WinnerMeaning(number)


def _places(column_a: str, column_b: str) -> tuple[str, str]:
    """The place of each side where columns are called by it, as ``home_team`` and ``away_team``; else their names."""
    first, second = spelling(column_a).split("_")[0], spelling(column_b).split("_")[0]
    return (first, second) if (first, second) in _PLACES else (column_a, column_b)


def meanings_of_numbers(occurring: WinnerNumbers, *, table: str, column: str, a: str) -> Mapping[float, WinnerMeaning]:
    """What numbers in the winner's column mean, as far as they are not scores: all that there are decide.

    Where a 0 is a tie beside 1 and 2, or 1 and -1, and a loss beside 1, that the 2 or -1 is rare makes it unclear.

    Args:
        occurring: Those in the whole column.
        table: The name of the table, for messages.
        column: The name of the winner's column.
        a: The name of the first side's column.

    Raises:
        InvalidVotes: If they are in use for different things.
    """
    name, numbers = spelling(column), occurring.free
    if numbers & {1.5, 2.0} and numbers <= {0.0, *_NUMBERED} and name not in _SCORES:
        if 0.0 in numbers and (name not in _OR_NOBODY or occurring.rare(2.0)):
            raise _unclear(numbers, table, column, a, "1,2,0", "0,1,2")
        return {**_NUMBERED, 0.0: TIED}
    if -1.0 in numbers and numbers <= _SIGNED.keys():
        if name in _CHOICES or (0.0 in numbers and occurring.rare(-1.0)):
            raise _unclear(numbers, table, column, a, "1,-1,0", "-1,1,0")
        return _SIGNED
    if numbers and numbers <= {0.0, 1.0} and name in _CHOICES:
        raise _unclear(numbers, table, column, a, "1,0", "0,1")
    return {}


def _unclear(numbers: frozenset[float], table: str, column: str, a: str, *readings: str) -> InvalidVotes:
    values = ", ".join(f"{number:g}" for number in sorted(numbers))
    choices = ", or ".join(f"--codes {codes} if {codes.partition(',')[0]} is a win of {a!r}" for codes in readings)
    return InvalidVotes(
        f"{table}: the numbers in {column!r} ({values}) do not tell which side won. Write first, second and tie in "
        f"their place; `fit` and `import` also take {choices} (codes in Python; the third is a tie)"
    )


def is_yes(cell: object) -> bool | None:
    """Whether a cell says yes; an empty one says no. None if it says neither."""
    word = "no" if is_missing(cell) else str(cell).strip().casefold()
    return word in YES if word in YES | NO else None


def by_one_hot(cells: Sequence[object]) -> WinnerMeaning | None:
    """The meaning of three cells of which one says yes: a win of the first side, of the second, or a tie; else None."""
    if all(map(is_missing, cells)):
        return ABSTAINED
    flags = [is_yes(cell) for cell in cells]
    return (WON_A, WON_B, TIED)[flags.index(True)] if None not in flags and flags.count(True) == 1 else None


def by_scores(first: float | None, second: float | None) -> WinnerMeaning | None:
    """The meaning of the scores of both sides: the higher wins, equal ones tie, two missing say nothing; else None."""
    if first is None or second is None or math.isnan(first) != math.isnan(second):
        return None
    if math.isnan(first):
        return ABSTAINED
    return TIED if first == second else WON_A if first > second else WON_B


def score_in(cell: object) -> float | None:
    """The score of a side: NaN where it is missing, None where it is no number."""
    return math.nan if is_missing(cell) else as_number(cell)


def by_id(cell: object, a: str, b: str) -> WinnerMeaning | None:
    """The meaning of a cell that names one of the two items; else None."""
    name = as_text(cell)
    if name == a:
        return WON_A
    return WON_B if name == b else None
