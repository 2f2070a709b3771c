"""Many matches in one transaction, by columns: the same evidence and ratings as recording them one by one."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain as joined
from itertools import repeat
from typing import Any

import numpy as np
from sqlalchemy import Connection, Table, insert, select

from paragone.domain import (
    Choice,
    Comparison,
    ItemKind,
    Match,
    MatchProtocol,
    Order,
    Outcome,
    Pairing,
    RatingConfig,
    Verdict,
)
from paragone.errors import InvalidItems, LedgerError
from paragone.ledger import chain, schema
from paragone.ledger.chain import Head
from paragone.ledger.column_types import WORDS, canonical, stored
from paragone.ledger.databases.database import Database
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.digests import commit_hash, json_digests, shortened
from paragone.ledger.evidence import pools
from paragone.ledger.evidence.match_columns import change_columns, record_counts
from paragone.ledger.running_ratings import RECORD
from paragone.ratings.elo_arrays import replay_rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Matches of one comparison each, as columns of one length, in the order of play.

    Attributes:
        id: Ids of the matches; each comparison is called like its match.
        a: Ids of the items named first, which were shown first.
        b: Ids of the others.
        choice: The answer of each comparison.
        probability: The probability that ``a`` is better; None if the judge gave none.
        judge: Identity of the judge.
        confidence: How much each match counts, in [0.1, 1].
    """

    id: Sequence[str]
    a: Sequence[str]
    b: Sequence[str]
    choice: Sequence[Choice]
    probability: Sequence[float | None]
    judge: Sequence[str]
    confidence: Sequence[float]

    def __len__(self) -> int:
        return len(self.id)

    def matches(self) -> Iterator[Match]:
        """The same, one by one, as ``ledger.matches.record`` takes them."""
        columns = (self.id, self.a, self.b, self.choice, self.probability, self.judge, self.confidence)
        for id, a, b, choice, probability, judge, confidence in zip(*columns, strict=True):
            verdict = Verdict(choice=choice, judge=judge, probability=probability)
            comparison = Comparison(call=id, first=a, second=b, verdict=verdict)
            match = Match.of(id, Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,))
            yield Match(id=id, a=a, b=b, outcome=match.outcome, comparisons=match.comparisons, confidence=confidence)


_SCORES = {Choice.FIRST: 1.0, Choice.TIE: 0.5, Choice.SECOND: 0.0}
_OUTCOMES = {
    Choice.FIRST: Outcome.A,
    Choice.SECOND: Outcome.B,
    Choice.TIE: Outcome.DRAW,
    Choice.ABSTAIN: Outcome.VOID,
}

Columns = dict[str, Sequence[Any]]


class Bulk:
    """Records batches of matches in one pool, each in one transaction.

    Between batches it remembers the items and ratings of the pool, as long as nobody else writes to it. That takes a
    few hundred bytes per item, whatever the number of matches.

    Args:
        pool: The pool.
        database: Where it is.
        clock: Gives the time that goes with each commit.
    """

    def __init__(self, pool: str, database: Database, clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._database = database
        self._clock = clock
        self._at: Head | None = None

    def record(self, batch: Batch, *, event: str, detail: Mapping[str, Any]) -> None:
        """Record a batch, its new items, and an event of the tournament: all of it, or nothing.

        Args:
            batch: The matches, none of which may be recorded already.
            event: Kind of the event.
            detail: Its detail, as plain JSON values.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one of the matches is recorded already.
            InvalidItems: If the items of the pool are not texts.
            LedgerError: If a match pairs an item with itself, has no answer, or a number out of range.
        """
        _refuse_impossible(batch)
        with self._database.write() as connection:
            end = self._write(connection, batch, event, detail)
        self._at = end

    def settle(self) -> None:
        """Let the database update its statistics after the last batch."""
        with self._database.write() as connection:
            self._database.dialect.settle(connection)

    def _write(self, connection: Connection, batch: Batch, event: str, detail: Mapping[str, Any]) -> Head:
        head, dialect = chain.lock(connection, self._pool), self._database.dialect
        if head != self._at:
            self._ratings = _PoolRatings(connection, self._pool)
        self._at = None  # what is remembered is only true once this transaction is committed
        page = _BulkPage(head)
        fresh = self._ratings.fresh(batch)
        _put_items(page, fresh)
        _put_matches(page, batch)
        touched = self._ratings.play(page, batch)
        page.add(schema.tournament_event, {"kind": [event], "detail": [canonical(detail)]})
        end = page.write(connection, dialect, self._clock())
        self._ratings.store(connection, dialect, fresh, touched)
        return end


class _BulkPage:
    """Many rows to be added in one commit, as columns of stored values."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._parts: list[tuple[Table, Columns]] = []
        self.rows = head.rows

    def add(self, table: Table, columns: Columns) -> range:
        """Add rows and return their sequence numbers. Missing columns are empty."""
        count = len(next(iter(columns.values())))
        seqs = range(self.rows + 1, self.rows + 1 + count)
        if count:
            own: Columns = {
                "pool": [self._head.pool] * count,
                "seq": list(seqs),
                "commit": [self._head.commits + 1] * count,
            }
            rest: Columns = {column.name: [None] * count for column in table.columns if column.name not in columns}
            values = {**rest, **own, **columns}
            self._parts.append((table, {column.name: values[column.name] for column in table.columns}))
            self.rows += count
        return seqs

    def write(self, connection: Connection, dialect: Dialect, now: datetime) -> Head:
        """Write the rows with their commit; the end of the chain is returned."""
        head = self._head
        digests = ((table.name, json_digests(table.name, columns)) for table, columns in self._parts)
        link: dict[str, Any] = {
            "pool": head.pool,
            "number": head.commits + 1,
            "previous": head.hash,
            "at": now,
            "rows": shortened(digests),
        }
        hash = commit_hash(stored(schema.commit, link))
        connection.execute(insert(schema.commit), {**link, "hash": hash})
        for table, columns in self._parts:
            dialect.insert_rows(connection, table, list(columns), list(zip(*columns.values(), strict=True)))
        end = Head(pool=head.pool, commits=head.commits + 1, rows=self.rows, hash=hash)
        chain.move_head(connection, end)
        return end


def _refuse_impossible(batch: Batch) -> None:
    for id, a, b, choice, probability, confidence in zip(
        batch.id, batch.a, batch.b, batch.choice, batch.probability, batch.confidence, strict=True
    ):
        if a == b:
            raise LedgerError(f"match {id!r} pairs {a!r} with itself")
        if choice not in _OUTCOMES:
            raise LedgerError(f"match {id!r} has no answer: {choice}")
        if not math.isfinite(confidence) or (probability is not None and not 0.0 <= probability <= 1.0):
            raise LedgerError(f"match {id!r}: a number is out of its range ({confidence}, {probability})")


def _put_items(page: _BulkPage, fresh: Sequence[str]) -> None:
    words = WORDS.store_column(fresh)
    page.add(schema.item, {"item": words, "kind": [ItemKind.TEXT.value] * len(words), "text": words})


def _put_matches(page: _BulkPage, batch: Batch) -> None:
    count, id, a, b = len(batch), WORDS.store_column(batch.id), WORDS.store_column(batch.a), WORDS.store_column(batch.b)
    compared = page.add(
        schema.comparison,
        {
            "call": id,
            "attempt": [1] * count,
            "first": a,
            "second": b,
            "choice": [choice.value for choice in batch.choice],
            "judge": WORDS.store_column(batch.judge),
            "probability": [None if value is None else float(value) for value in batch.probability],
            "scores": ["[]"] * count,
            "seconds": [0.0] * count,
            **{name: [""] * count for name in ("rationale", "error")},
            **{name: [0] * count for name in ("calls", "input_tokens", "output_tokens", "cached")},
        },
    )
    page.add(
        schema.match,
        {
            "match": id,
            "round": [0] * count,
            "a": a,
            "b": b,
            "outcome": [_OUTCOMES[choice].value for choice in batch.choice],
            "protocol": [MatchProtocol.SINGLE_TURN.value] * count,
            "confidence": list(map(float, batch.confidence)),
        },
    )
    page.add(schema.match_comparison, {"match": id, "comparison": list(compared)})


class _PoolRatings:
    """The items of a pool and their ratings, by the number of each item."""

    def __init__(self, connection: Connection, pool: str) -> None:
        record = pools.record(connection, pool)
        if record.kind is not ItemKind.TEXT:
            raise InvalidItems(f"pool {pool!r} holds {record.kind} items, and votes are about texts")
        self._pool = pool
        self._config: RatingConfig = record.config
        rating = schema.rating
        rows = connection.execute(select(*rating.c["item", *RECORD]).where(rating.c.pool == pool)).all()
        ids, elo, *counts = zip(*rows, strict=True) if rows else repeat((), 1 + len(RECORD))
        self._ids = list(ids)
        self._numbers = {id: number for number, id in enumerate(ids)}
        self._elo = np.array(elo, dtype=np.float64)
        self._counts = np.array(counts, dtype=np.int64)  # matches, wins, losses, ties

    def fresh(self, batch: Batch) -> list[str]:
        """The new items of a batch, in order; they get the initial rating."""
        items = dict.fromkeys(joined.from_iterable(zip(batch.a, batch.b, strict=True)))
        fresh = [id for id in items if id not in self._numbers]
        self._numbers.update(zip(fresh, range(len(self._ids), len(self._ids) + len(fresh)), strict=True))
        self._ids.extend(fresh)
        self._elo = np.append(self._elo, np.full(len(fresh), self._config.initial))
        self._counts = np.append(self._counts, np.zeros((len(self._counts), len(fresh)), np.int64), axis=1)
        return fresh

    def play(self, page: _BulkPage, batch: Batch) -> list[int]:
        """Put the changes by all matches that count on the page, and return the numbers of the items that moved."""
        counted = [index for index, choice in enumerate(batch.choice) if choice is not Choice.ABSTAIN]
        a = np.array([self._numbers[batch.a[index]] for index in counted], dtype=np.int64)
        b = np.array([self._numbers[batch.b[index]] for index in counted], dtype=np.int64)
        score = np.array([_SCORES[batch.choice[index]] for index in counted])
        weight = np.array([batch.confidence[index] for index in counted], dtype=np.float64)
        rows = replay_rows(a, b, score, weight, len(self._ids), self._config, start=self._elo)
        self._elo = rows.ratings
        self._counts += record_counts(a, b, score, len(self._ids))
        numbers = change_columns(rows, score, weight, self._config)
        page.add(
            schema.rating_change,
            {
                "item": WORDS.store_column([self._ids[number] for number in np.column_stack((a, b)).ravel().tolist()]),
                "match": [id for id in WORDS.store_column([batch.id[index] for index in counted]) for _ in "ab"],
                **{name: column.tolist() for name, column in numbers.items()},
                "compensates": [0] * (2 * len(counted)),
            },
        )
        return [int(number) for number in np.unique(np.append(a, b))]

    def store(self, connection: Connection, dialect: Dialect, fresh: Sequence[str], touched: Sequence[int]) -> None:
        """Write the ratings of new items and of those that moved."""
        before = len(self._ids) - len(fresh)
        names = ["pool", "item", *RECORD]
        added = self._rows(range(before, len(self._ids)))
        if added:
            dialect.insert_rows(connection, schema.rating, names, added)
        updated = self._rows([number for number in touched if number < before])
        if updated:
            dialect.update_rows(connection, schema.rating, ["pool", "item"], names, updated)

    def _rows(self, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
        at = np.array(numbers, dtype=np.int64)
        items = WORDS.store_column([self._ids[number] for number in numbers])
        return list(zip(repeat(self._pool), items, self._elo[at].tolist(), *self._counts[:, at].tolist(), strict=False))
