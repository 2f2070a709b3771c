"""Where in a table of recorded votes everything stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.errors import UnknownColumn
from paragone.intake.table import Table, spelling
from paragone.intake.vote_options import VoteOptions
from paragone.intake.winner import DRAWS, SIDES, WINNER_LOSER

WINNER_NAMES = ("winner", "outcome", "result", "choice", "preference", "score")
"""Columns taken for the winner, the proper name first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteColumns:
    """The index of each column; None for one that the table lacks.

    Attributes:
        a: The item named first; the winner where there are no sides.
        b: The other.
        winner: The result; None where ``a`` holds the winner and ``b`` the loser.
        draw: Whether a row is a draw.
        weight: Weights.
        judge: Judges.
        judge_found: Whether the column of judges was found by its name, and not named by the caller.
        probability: Probabilities that the first is better.
    """

    a: int
    b: int
    winner: int | None
    draw: int | None
    weight: int | None
    judge: int | None
    judge_found: bool
    probability: int | None

    @classmethod
    def of(cls, table: Table, options: VoteOptions) -> "VoteColumns":
        """The columns of a table.

        Raises:
            UnknownColumn: If a column is absent or cannot be told from others.
        """
        pair = _winner_and_loser(table, options)
        a, b = _sides(table, options) if pair is None else pair
        judge = None if options.judge is False else _optional(table, options.judge, ("judge",), "--judge")
        draws = DRAWS if pair is not None else ()
        return cls(
            a=a,
            b=b,
            winner=_winner(table, options.winner) if pair is None else None,
            draw=_optional(table, options.draw, draws, "--draw"),
            weight=_optional(table, options.weight, ("weight",), "--weight"),
            judge=judge,
            judge_found=judge is not None and options.judge is None,
            probability=_optional(table, None, ("probability",), "--probability"),
        )

    def listing(self, table: Table) -> str:
        """Which columns hold the items and the result, for messages."""
        places = [self.a, self.b, *(place for place in (self.winner, self.draw) if place is not None)]
        names = [repr(table.columns[place]) for place in places]
        return f"{', '.join(names[:-1])} and {names[-1]}"


def _winner_and_loser(table: Table, options: VoteOptions) -> tuple[int, int] | None:
    """Where the winner and the loser stand; None where rows have sides."""
    if options.a is not None or options.b is not None:
        if options.loser is not None:
            raise UnknownColumn(f"{table.name}: name the sides (--a, --b) or the loser (--loser), not both")
        return None
    if options.loser is not None:
        return _different(table, _winner(table, options.winner), table.named(options.loser, "--loser"), "--loser")
    known = _known_pairs(table, WINNER_LOSER)
    if _known_pairs(table, SIDES) or len(known) != 1:
        return None
    winner, loser = known[0]
    return (winner if options.winner is None else table.named(options.winner, "--winner")), loser


def _sides(table: Table, options: VoteOptions) -> tuple[int, int]:
    if options.a is not None and options.b is not None:
        return _different(table, table.named(options.a, "--a"), table.named(options.b, "--b"), "--b")
    if options.a is not None or options.b is not None:
        raise UnknownColumn(
            f"{table.name}: name both columns of items (--a, --b), or neither; it has {table.listing()}"
        )
    known = _known_pairs(table, SIDES)
    if len(known) == 1:
        return known[0]
    names = ", ".join("/".join(pair) for pair in (*SIDES, *WINNER_LOSER))
    problem = (
        f"several pairs of columns could be the items ({names})" if known else f"no two columns of items ({names})"
    )
    raise UnknownColumn(
        f"{table.name}: {problem}; it has {table.listing()}. Name them with --a and --b, or --winner and --loser"
        + _header_hint(table)
    )


def _header_hint(table: Table) -> str:
    if table.unit != "line":
        return ""
    return "; where the first line is a vote already, put a line of names above it, such as a,b,winner or winner,loser"


def _known_pairs(table: Table, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    place = {spelling(name): index for index, name in enumerate(table.columns)}
    return [(place[left], place[right]) for left, right in pairs if left in place and right in place]


def _different(table: Table, one: int, other: int, option: str) -> tuple[int, int]:
    if one == other:
        raise UnknownColumn(f"{table.name}: {option} and the other side both name the column {table.columns[one]!r}")
    return one, other


def _winner(table: Table, name: str | None) -> int:
    if name is not None:
        return table.named(name, "--winner")
    index = table.found(WINNER_NAMES, option="--winner")
    if index is None:
        known = ", ".join(WINNER_NAMES)
        raise UnknownColumn(f"{table.name}: no winner ({known}); it has {table.listing()}. Name it with --winner")
    return index


def _optional(table: Table, name: str | None, known: Sequence[str], option: str) -> int | None:
    if name is not None:
        return table.named(name, option)
    return table.found(known, option=option) if known else None
