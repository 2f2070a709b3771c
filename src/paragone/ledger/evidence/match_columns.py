"""The matches and adjustments of a pool as columns, for millions of matches.

A match takes about 25 bytes, and so does a comparison; as objects of the domain they take more than a kilobyte. Pools
with matches among several items, scorecards or tests have no such form; see ``is_paired``.
"""

import math
from array import array
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, exists, or_, select

from paragone.domain import Choice, Outcome, Rating, RatingConfig, decide
from paragone.errors import Corrupted, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.column_types import WORDS, as_stored
from paragone.ledger.evidence import pools
from paragone.ledger.statements import Statement
from paragone.ratings.adjustment_columns import AdjustmentColumns, replay_adjusted
from paragone.ratings.elo import LEAST_WEIGHT
from paragone.ratings.elo_arrays import MatchRows

Ints = NDArray[np.int32]
Bytes = NDArray[np.int8]
Floats = NDArray[np.float64]

CHOICES: tuple[Choice, ...] = tuple(Choice)
"""``MatchColumns.choice`` is an index into these."""

NUMBERS = ("old", "new", "k", "expected", "score", "clamped")
"""What a rating change has besides its item and its match."""

VOID = 9
_HALVES = {Outcome.A.value: 2, Outcome.DRAW.value: 1, Outcome.B.value: 0, Outcome.VOID.value: VOID}
_CHOICES = {choice.value: number for number, choice in enumerate(CHOICES)}
_SCORE_OF_FIRST = {Choice.FIRST.value: 1.0, Choice.TIE.value: 0.5, Choice.SECOND.value: 0.0}

_match, _comparison, _link = schema.match, schema.comparison, schema.match_comparison


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MatchColumns:
    """Matches between two and their comparisons, in the order of record.

    Attributes:
        items: Ids of the pool's items, in the order in which they were added; items are named by their index below.
        a: One item of each match, shape (matches,).
        b: The other.
        halves: Score of ``a`` in half points: 2, 1 or 0; ``VOID`` for a match that is void.
        confidence: Weight of the match in the running Elo.
        first: Item shown first in each comparison, shape (comparisons,).
        second: Item shown second.
        choice: The answer, an index into ``CHOICES``.
        probability: The judge's own probability that the first is better; NaN where it gave none.
        judge: Index into ``judges``.
        match: The comparison's match, an index into the matches.
        judges: Identities of the judges.
        moves: Adjustments of the running Elo; ``before`` counts all matches above, void ones too.
    """

    items: tuple[str, ...]
    a: Ints
    b: Ints
    halves: Bytes
    confidence: Floats
    first: Ints
    second: Ints
    choice: Bytes
    probability: Floats
    judge: Ints
    match: Ints
    judges: tuple[str, ...]
    moves: AdjustmentColumns

    def ratings(self, config: RatingConfig) -> dict[str, Rating]:
        """The running Elo and record of each item after all matches and moves, by id; the same as ``replay`` gives."""
        counted = self.halves != VOID
        moves = replace(self.moves, before=np.append(0, np.cumsum(counted))[self.moves.before])
        a, b, score = self.a[counted], self.b[counted], self.halves[counted] / 2.0
        elo = replay_adjusted(a, b, score, self.confidence[counted], len(self.items), config, moves)
        records = record_counts(a, b, score, len(self.items))
        rows = zip(self.items, elo.tolist(), *records.tolist(), strict=True)
        return {
            item: Rating(item=item, elo=points, matches=matches, wins=wins, losses=losses, ties=ties)
            for item, points, matches, wins, losses, ties in rows
        }


def record_counts(a: NDArray[Any], b: NDArray[Any], score: Floats, items: int) -> NDArray[np.int64]:
    """Matches, wins, losses and ties of each item, shape (4, items), from matches that count."""
    won, lost, drawn = score == 1.0, score == 0.0, score == 0.5
    sides = ((a, b), (a[won], b[lost]), (b[won], a[lost]), (a[drawn], b[drawn]))
    return np.array([np.bincount(np.concatenate(side), minlength=items) for side in sides])


def change_columns(rows: MatchRows, score: Floats, weight: Floats, config: RatingConfig) -> dict[str, Floats]:
    """The numbers of the rating changes by replayed matches, by name: for each match that of ``a``, then that of ``b``.

    Args:
        rows: The replay of the matches.
        score: Score of ``a`` in each match.
        weight: How much each match counts.
        config: The parameters of the pool.
    """
    k = config.k * np.clip(weight, LEAST_WEIGHT, 1.0)
    change = k * (score - rows.expected)
    sides = (
        (rows.old_a, rows.old_b),
        (rows.new_a, rows.new_b),
        (k, k),
        (rows.expected, 1.0 - rows.expected),
        (score, 1.0 - score),
        (rows.old_a + change - rows.new_a, rows.old_b - change - rows.new_b),  # beyond the floor or the ceiling
    )
    return {name: np.column_stack(side).ravel() for name, side in zip(NUMBERS, sides, strict=True)}


def is_paired(connection: Connection, pool: str) -> bool:
    """Whether all matches of a pool are between two items, without scorecards, and no item was tested."""
    ((has_others,),) = _OTHERS.rows(connection, {"of_pool": pool})
    return not has_others


def columns(
    connection: Connection, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
) -> MatchColumns | None:
    """``matches.history`` as columns, for millions of matches.

    None if the pool has matches among several items, scorecards or tests.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    pools.config(connection, pool)
    if not is_paired(connection, pool):
        return None
    return played(connection, pool, without_matches=without_matches, without_judges=without_judges)


def played(
    connection: Connection,
    pool: str,
    *,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
) -> MatchColumns:
    """The matches of a pool that count, without some matches and some judges' verdicts, as ``matches.history``.

    Raises:
        NotFound: If one of the matches or judges is not in the pool.
        Corrupted: If a value cannot be read; an audit says which.
    """
    return _Reader(connection, pool, without_matches, without_judges).read()


def item_numbers(connection: Connection, pool: str) -> dict[str, int]:
    """The number of each item of a pool, by its id as it is stored, in the order in which they were added."""
    return {id: number for number, (id,) in enumerate(_ITEMS.stream(connection, {"of_pool": pool}))}


def read_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Ids from their stored form."""
    return tuple(WORDS.read_column(tuple(ids)))


def raw(table: Table, *names: str) -> list[ColumnElement[Any]]:
    """Columns of a table, to be read in their stored form."""
    by_name = {column.name: column for column in as_stored(table)}
    return [by_name[name] for name in names]


def in_order(table: Table, *names: str) -> Statement:
    """Reads columns of the rows of a pool, ``of_pool``, in their stored form and in the order of record."""
    return Statement(select(*raw(table, *names)).where(_of_pool(table)).order_by(table.c.seq))


def _of_pool(table: Table) -> ColumnElement[bool]:
    return table.c.pool == bindparam("of_pool")


class _Columns:
    """Columns of numbers to append to, in little memory."""

    def __init__(self, **kinds: str) -> None:
        self._columns = {name: array(kind) for name, kind in kinds.items()}
        self._append = [column.append for column in self._columns.values()]

    def add(self, *values: Any) -> None:  # noqa: ANN401 - numbers, or what somebody put in their place
        for append, value in zip(self._append, values, strict=True):
            append(value)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: np.array(column) for name, column in self._columns.items()}


class _Reader:
    """Reads matches and their comparisons side by side, both in the order of record."""

    def __init__(
        self, connection: Connection, pool: str, without_matches: Collection[str], without_judges: Collection[str]
    ) -> None:
        self._connection = connection
        self._pool = pool
        self._excluded_matches = set(WORDS.store_column(list(without_matches)))
        self._excluded_judges = set(WORDS.store_column(list(without_judges)))
        if without_matches:
            self._require("match", without_matches, _MATCHES.where(_match.c.pool == pool))
        if without_judges:
            self._require("judge", without_judges, _JUDGES.where(_link.c.pool == pool))
        self._excluded_matches.update(match for (match,) in _ROLLED_BACK.rows(connection, {"of_pool": pool}))
        self._numbers = item_numbers(connection, pool)
        self._judges: dict[str, int] = {}
        self._matches = _Columns(a="i", b="i", halves="b", confidence="d")
        self._moves = _Columns(item="i", target="d", share="d", before="i")
        self._comparisons = _Columns(first="i", second="i", choice="b", probability="d", judge="i", match="i")

    def _require(self, noun: str, ids: Collection[str], query: Select[Any]) -> None:
        (column,) = query.selected_columns
        existing = set(self._connection.scalars(query.where(column.in_(list(ids)))))
        unknown = sorted(set(ids).difference(existing))
        if unknown:
            error = chain.absent(noun, unknown[0], self._connection.scalars(query))
            raise NotFound(f"pool {self._pool!r}: {error}")

    def read(self) -> MatchColumns:
        values = {"of_pool": self._pool}
        groups = groupby(_ANSWERS.stream(self._connection, values), key=itemgetter(0))
        id, answers = next(groups, (None, ()))
        adjustments = deque(_MOVED.named_rows(self._connection, values))
        for seq, match, a, b, outcome, confidence in PLAYED.stream(self._connection, values):
            while adjustments and adjustments[0].seq < seq:
                self._move(adjustments.popleft())
            comparisons: list[Any] = []
            if id == match:
                comparisons = list(answers)
                id, answers = next(groups, (None, ()))
            if match not in self._excluded_matches:
                self._take(match, (a, b, outcome, confidence), comparisons)
        for move in adjustments:
            self._move(move)
        return MatchColumns(
            items=read_ids(self._numbers),
            judges=read_ids(self._judges),
            moves=AdjustmentColumns(**self._moves.arrays()),
            **self._matches.arrays(),
            **self._comparisons.arrays(),
        )

    def _move(self, row: Any) -> None:  # noqa: ANN401 - a named row
        try:
            self._moves.add(self._numbers[row.item], row.target, row.share, len(self._matches))
        except (KeyError, TypeError) as error:
            raise Corrupted(f"an adjustment cannot be read ({error!r}); an audit says which") from error

    def _take(self, id: str, match: tuple[Any, ...], answers: Sequence[Any]) -> None:
        a, b, outcome, confidence = match
        counted = (
            [row for row in answers if row.judge not in self._excluded_judges] if self._excluded_judges else answers
        )
        if answers and not counted:
            return
        if len(counted) < len(answers):
            outcome = _outcome(a, counted)
        numbers, judges = self._numbers, self._judges
        try:
            for _, first, second, choice, judge, probability in counted:
                stated = math.nan if probability is None else probability
                judge_number = judges.setdefault(judge, len(judges))
                self._comparisons.add(
                    numbers[first], numbers[second], _CHOICES[choice], stated, judge_number, len(self._matches)
                )
            self._matches.add(numbers[a], numbers[b], _HALVES[outcome], confidence)
        except (KeyError, TypeError) as error:  # no version of paragone writes such a value
            raise Corrupted(f"match {id!r} cannot be read ({error!r}); an audit says which row was altered") from error


_OTHERS = Statement(
    select(or_(*(exists().where(_of_pool(table)) for table in (schema.match_ranking, schema.scorecard, schema.test))))
)
_ITEMS = in_order(schema.item, "item")
_ROLLED_BACK = in_order(schema.rollback, "match")
_MOVED = in_order(schema.adjustment, "seq", "item", "target", "share")
PLAYED = in_order(_match, "seq", "match", "a", "b", "outcome", "confidence")
"""The matches of a pool."""

_MATCHES = select(_match.c.match).order_by(_match.c.seq)
_TOGETHER = (_comparison.c.pool == _link.c.pool) & (_comparison.c.seq == _link.c.comparison)
_ANSWERS = Statement(
    select(*raw(_link, "match"), *raw(_comparison, "first", "second", "choice", "judge", "probability"))
    .join(_comparison, _TOGETHER)
    .where(_of_pool(_link))
    .order_by(_link.c.seq)
)
_JUDGES = select(_comparison.c.judge).join(_link, _TOGETHER).distinct().order_by(_comparison.c.judge)


def _outcome(a: str, answers: Sequence[Any]) -> str:
    """The outcome of a match by some of its comparisons."""
    scores = ((_SCORE_OF_FIRST.get(row.choice), row.first == a) for row in answers)
    return decide(score if first else 1.0 - score for score, first in scores if score is not None).value
