"""Recorded comparisons from files that are too large to hold at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from paragone.errors import InvalidVotes
from paragone.intake.table import Table
from paragone.intake.table_chunks import row_count, table_chunks
from paragone.intake.votes import (
    Language,
    VoteColumns,
    calls_of,
    judges_of,
    named,
    probabilities_of,
    readings_of,
    rows_of,
    weights_of,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteChunk:
    """Consecutive rows of votes, as columns of one length; abstentions are among them.

    Attributes:
        start: How many rows came before.
        a: Ids of the items named first.
        b: Ids of the others.
        score: Score of ``a`` in [0, 1], as in ``Vote``; None for an abstention.
        tie: Whether it was called a tie.
        weight: How much each counts.
        judge: Who gave it; None where nobody is named.
        table: Where the rows stand, for messages.
    """

    start: int
    a: Sequence[str]
    b: Sequence[str]
    score: Sequence[float | None]
    tie: Sequence[bool]
    weight: Sequence[float]
    judge: Sequence[str | None]
    table: Table

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, kw_only=True)
class VoteFile:
    """Where votes are read from, and how; the rows, columns and winners are those that ``read_votes`` understands.

    Attributes:
        source: A path, a data frame, a collection of mappings, or a list of triples ``(a, b, winner)``.
        a: The column of the item named first; found where None, like the others.
        b: The column of the other.
        winner: The column of the winner.
        weight: The column of weights.
        judge: The column of judges.
    """

    source: object
    a: str | None = None
    b: str | None = None
    winner: str | None = None
    weight: str | None = None
    judge: str | None = None

    @property
    def name(self) -> str:
        """The name of the file, without its folder; ``votes`` where it is none."""
        return Path(self.source).name if isinstance(self.source, str | Path) else "votes"

    def count(self) -> int | None:
        """About how many rows there are, for who watches; None where only reading all of them would tell."""
        return row_count(self._entries)

    def chunks(self, size: int) -> Iterator[VoteChunk]:
        """The votes in the order of their rows, so many at a time; memory grows with that number and no other.

        Raises:
            UnreadableFile: If the source cannot be read.
            UnknownColumn: If a column is absent or cannot be told from others.
            InvalidVotes: If a row cannot be understood, when its chunk is taken; the message names it.
        """
        start = 0
        for table in self._tables(size):
            yield self._chunk(table, start)
            start += len(table.rows)
        if not start:
            raise InvalidVotes(f"{self.name} has no rows")

    def _tables(self, size: int) -> Iterator[Table]:
        return table_chunks(self._entries, name="votes", size=size)

    @cached_property
    def _entries(self) -> object:
        """The source; what can be gone through once only is kept."""
        source = self.source
        return named(list(source) if isinstance(source, Iterator) else source)

    def _columns(self, table: Table) -> VoteColumns:
        return VoteColumns.of(table, self.a, self.b, self.winner, self.weight, self.judge)

    def _chunk(self, table: Table, start: int) -> VoteChunk:
        columns = self._columns(table)
        rows = list(rows_of(table, columns))
        readings = readings_of(table, columns, rows)
        ambiguous = any(reading.is_ambiguous for reading in readings)
        calls = calls_of(table, rows, readings, self._language if ambiguous else Language())
        probabilities = list(probabilities_of(table, columns.probability))
        both = list(zip(calls, probabilities, strict=True))
        return VoteChunk(
            start=start,
            a=[row.a for row in rows],
            b=[row.b for row in rows],
            score=[call.score if probability is None else probability for call, probability in both],
            tie=[call.tie and probability is None for call, probability in both],
            weight=list(weights_of(table, columns.weight)),
            judge=list(judges_of(table, columns.judge)),
            table=table,
        )

    @cached_property
    def _language(self) -> Language:
        """That of the whole source, which is gone through for it: asked for where a winner may mean two things."""
        language = Language()
        for table in self._tables(10_000):
            columns = self._columns(table)
            language = language.heard(readings_of(table, columns, list(rows_of(table, columns))))
        return language
