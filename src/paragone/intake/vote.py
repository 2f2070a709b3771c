"""One recorded vote, a collection of votes, and the options for reading them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, TypedDict

from paragone.errors import InvalidConfig

UNNAMED = "votes"
"""Who judged, where the votes do not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """One recorded comparison.

    Attributes:
        a: Id of the item named first; where the recording kept the order of presentation, the one shown first.
        b: Id of the other.
        score: 1 if ``a`` won, 0 if ``b`` did, 0.5 for a tie; anything between is a probability that ``a`` is better.
        tie: Whether it was called a tie. A score of 0.5 without it is a probability.
        weight: How much it counts; positive.
        judge: The judge, where recorded.
    """

    a: str
    b: str
    score: float
    tie: bool = False
    weight: float = 1.0
    judge: str | None = None

    @property
    def probability(self) -> float | None:
        """The probability that ``a`` is better, where one was given; None for a plain win, loss or tie."""
        return None if self.tie or self.score in (0.0, 1.0) else self.score


class Votes(tuple[Vote, ...]):  # noqa: SLOT001  # a tuple cannot have slots of its own
    """Votes in the order of their recording.

    Attributes:
        abstentions: Rows left out because they name no winner.
        skipped: Rows left out because they cannot be evidence.
        has_order: Whether ``a`` may be taken for the item shown first; False where winners stand first.
        notes: How the votes were read, in sentences.
        source: Where the votes came from, for messages.
    """

    abstentions: int
    skipped: int
    has_order: bool
    notes: tuple[str, ...]
    source: str

    def __new__(
        cls,
        votes: Iterable[Vote] = (),
        *,
        abstentions: int = 0,
        skipped: int = 0,
        has_order: bool = True,
        notes: tuple[str, ...] = (),
        source: str = "votes",
    ) -> Self:
        self = super().__new__(cls, votes)
        self.abstentions = abstentions
        self.skipped = skipped
        self.has_order = has_order
        self.notes = notes
        self.source = source
        return self


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteOptions:
    """How recorded votes are read and interpreted.

    Attributes:
        a: Column of one side. None finds it by its name, as for the other columns.
        b: Column of the other side.
        winner: Column of the result: a, b, tie, left, right, an id, or a score of a.
        loser: Column of the loser, where rows name the winner and the loser, not sides.
        codes: What stands in the winner's column for the first side, the second and a tie, with commas, such as 0,1,2.
            None takes labels, scores, and numbers that can mean nothing else.
        draw: Column that is true for a draw.
        weight: Column of weights.
        judge: Column of the judges. None takes a column called ``judge`` where there is one, False takes none.
        form: What wrote the file, such as ``promptfoo`` or ``mt-bench``. None recognises the logs of other tools;
            ``table`` takes it for a table of votes.
        encoding: Encoding of a text file. None takes UTF-8, and UTF-16 and UTF-32 where the file shows that it is.
        strict: Refuse the file for any invalid row, instead of skipping up to 1 in 20.
        position: Side a was shown first: fit a position term for each judge. Ignored where the rows list the winner
            first.
        repeats: Allow for a judge's answers to one pair repeating each other, or take them as independent. None
            allows it for judges that are named, and with ``position`` for all.
        plain: Fit a plain Bradley-Terry model: strengths alone, a tie half a win for each side. It has no terms for
            ties, positions, repeats or judges.
        l2: With --plain, a penalty on squared strengths; 0 is none. ``l2`` times the sum of their squares in nats is
            taken from the log-likelihood, as by ``alpha`` of choix.

    Raises:
        InvalidConfig: If options contradict each other or are out of range.
    """

    a: str | None = None
    b: str | None = None
    winner: str | None = None
    loser: str | None = None
    codes: str | None = None
    draw: str | None = None
    weight: str | None = None
    judge: str | Literal[False] | None = None
    form: str | None = None
    encoding: str | None = None
    strict: bool = False
    position: bool = False
    repeats: bool | None = None
    plain: bool = False
    l2: float = 0.0

    def __post_init__(self) -> None:
        if self.codes is not None:
            code_list(self.codes)
        if not (math.isfinite(self.l2) and self.l2 >= 0.0):
            raise InvalidConfig(f"l2 must be 0 or a positive number, not {self.l2}")
        if self.l2 and not self.plain:
            raise InvalidConfig("l2 belongs to the plain model; add plain (--plain), or leave it out")
        if self.plain and (self.position or self.repeats):
            raise InvalidConfig("the plain model has no terms for positions and repeats; leave them out, or plain")


def code_list(codes: str) -> tuple[str, ...]:
    """What stands for the first side, for the second and, where there is a third, for a tie.

    Raises:
        InvalidConfig: If it is not two or three different codes.
    """
    parts = tuple(part.strip() for part in codes.split(","))
    if len(parts) not in (2, 3) or not all(parts) or len(set(parts)) < len(parts):
        raise InvalidConfig(
            f"codes are two or three different ones, for the first side, the second, a tie: not {codes!r}"
        )
    return parts


class VoteFields(TypedDict, total=False):
    """The fields of ``VoteOptions`` as keywords of a call."""

    a: str | None
    b: str | None
    winner: str | None
    loser: str | None
    codes: str | None
    draw: str | None
    weight: str | None
    judge: str | Literal[False] | None
    form: str | None
    encoding: str | None
    strict: bool
    position: bool
    repeats: bool | None
    plain: bool
    l2: float


def refuse_repeated(files: Sequence[str | Path]) -> None:
    """Refuse files among which one is named twice.

    Raises:
        InvalidConfig: Naming it.
    """
    paths = [Path(file).resolve() for file in files]
    again = next((file for at, file in enumerate(files) if paths[at] in paths[:at]), None)
    if again is not None:
        raise InvalidConfig(f"{again} is named twice: its votes would count twice")
