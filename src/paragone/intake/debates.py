"""Past debates of agents, and predictions that they made, from files, frames and mappings.

A table holds one of four things, and its columns say which: debates, one a row (``scores``, or ``winner`` and
``loser``, or ``agent_a`` and ``agent_b`` with ``score_a`` and ``score_b`` or with ``winner``); what each participant of
a debate scored, one a row (``debate_id``, ``agent``, ``score``); predictions (``agent``, ``domain``, ``confidence``,
``correct``); or the ratings that agents begin from (``agent``, ``rating``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

from paragone.errors import InvalidEvidence, UnknownColumn
from paragone.intake.debate_rows import DebateColumns, debate_of, gathered, prediction_of, rating_of
from paragone.intake.past_debate import PastDebate, PastPrediction, StartingRating
from paragone.intake.table import InputTable, refuse_unsound
from paragone.intake.table_chunks import row_count, table_chunks

_AT_ONCE = 1_000
_NAMED = 3


class Holding(StrEnum):
    """What the rows of a file hold."""

    DEBATE = "debate"
    ENTRY = "entry"
    PREDICTION = "prediction"
    RATING = "rating"


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateChunk:
    """Some of the debates, or of the predictions, of a file, in its order.

    Attributes:
        debates: The debates; none where the file holds predictions.
        predictions: The predictions; none where the file holds debates.
        ratings: The ratings that agents begin from.
        rows: Rows of the file that they took, skipped ones among them.
        problems: Rows among them that cannot be evidence and are skipped, by place and reason.
    """

    debates: tuple[PastDebate, ...] = ()
    predictions: tuple[PastPrediction, ...] = ()
    ratings: tuple[StartingRating, ...] = ()
    rows: int
    problems: tuple[str, ...] = ()

    @property
    def places(self) -> str:
        """The positions of the first and the last, for messages."""
        rows: Sequence[PastDebate | PastPrediction | StartingRating] = self.debates or self.predictions or self.ratings
        first, last = rows[0].where, rows[-1].where
        return first if first == last else f"{first} to {last.rpartition(' ')[2]}"


@dataclass(frozen=True, kw_only=True)
class DebateFile:
    """Where past debates, or predictions, are read from.

    Attributes:
        source: A path, a data frame, or a collection of mappings.
        encoding: Of a text file; None takes UTF-8, and UTF-16 and UTF-32 that show themselves.
        strict: Refuse a file with any row that cannot be evidence, instead of skipping up to one row in twenty.
    """

    source: object
    encoding: str | None = None
    strict: bool = False

    @property
    def name(self) -> str:
        """The name of the file, without its folder; ``debates`` where it is none."""
        return Path(self.source).name if isinstance(self.source, str | Path) else "debates"

    def count(self) -> int | None:
        """The approximate number of rows, for progress; None if only reading all of them would tell."""
        return row_count(self._entries)

    def chunks(self, size: int) -> Iterator[DebateChunk]:
        """The file's debates or predictions, in chunks.

        Memory grows with that number and no other, except where a row is one participant's score: the rows of a debate
        may stand anywhere in the file, so all are read first.

        Raises:
            UnreadableFile: If the source cannot be read.
            UnknownColumn: If the columns do not say what the rows hold.
            InvalidEvidence: If too many rows cannot be evidence, before the first of them is handed out; the message
                names the first. Where a row is one participant's score, none may be: what is left of a debate without
                it would be another debate.
        """
        checked = False
        for chunk in self._unchecked(size):
            if chunk.problems and not checked:
                self._refuse_unsound()
                checked = True
            yield chunk

    def _refuse_unsound(self) -> None:
        """Read the whole file, and refuse it if too many rows cannot be evidence."""
        rows, skipped, problems = 0, 0, list[str]()
        for chunk in self._unchecked(_AT_ONCE):
            rows, skipped = rows + chunk.rows, skipped + len(chunk.problems)
            problems = [*problems, *chunk.problems][:_NAMED]
        refuse_unsound(self.name, rows, skipped, problems, strict=self.strict, error=InvalidEvidence)

    def _unchecked(self, size: int) -> Iterator[DebateChunk]:
        tables = table_chunks(self._entries, name="debates", size=size, encoding=self.encoding)
        first = next(tables, None)
        if first is None or not first.rows:
            raise InvalidEvidence(f"{self.name} has no rows")
        columns = DebateColumns.of(first)
        holding = _holding(first, columns)
        tables = chain([first], tables)
        if holding is Holding.ENTRY:
            yield from _by_participant(tables, columns, size)
            return
        for table in tables:
            yield self._chunk(table, columns, holding)

    def _chunk(self, table: InputTable, columns: DebateColumns, holding: Holding) -> DebateChunk:
        debates, predictions, ratings, problems = (
            list[PastDebate](),
            list[PastPrediction](),
            list[StartingRating](),
            list[str](),
        )
        for index in range(len(table.rows)):
            try:
                if holding is Holding.PREDICTION:
                    predictions.append(prediction_of(table, columns, index, self._label))
                elif holding is Holding.RATING:
                    ratings.append(rating_of(table, columns, index))
                else:
                    debates.append(debate_of(table, columns, index, self._label))
            except InvalidEvidence as error:
                problems.append(str(error))
        return DebateChunk(
            debates=tuple(debates),
            predictions=tuple(predictions),
            ratings=tuple(ratings),
            rows=len(table.rows),
            problems=tuple(problems),
        )

    @cached_property
    def _entries(self) -> object:
        """The source; an iterator is kept as a list."""
        return list(self.source) if isinstance(self.source, Iterator) else self.source

    @cached_property
    def _label(self) -> str:
        """The name as a part of ids."""
        return "".join(ch if ch.isprintable() else "?" for ch in self.name)[:_LONGEST_LABEL]


_LONGEST_LABEL = 100


def _holding(table: InputTable, columns: DebateColumns) -> Holding:
    """What the rows hold, judged by the columns.

    Raises:
        UnknownColumn: If the columns do not tell.
    """
    is_debate = columns.scores is not None or columns.winner is not None or bool(columns.side_scores)
    if columns.correct is not None and is_debate:
        raise UnknownColumn(f"{table.name} holds both debates and predictions (correct); put them in two files")
    if is_debate:
        _require_opponents(table, columns)
        return Holding.DEBATE
    if columns.correct is not None and columns.agent is not None:
        return Holding.PREDICTION
    if columns.agent is not None and columns.score is not None:
        return Holding.ENTRY
    if columns.agent is not None and columns.rating is not None:
        return Holding.RATING
    raise UnknownColumn(
        f"{table.name} holds neither debates nor predictions nor ratings: it has {table.listing()}. Expected scores; "
        "or winner and loser; or agent_a, agent_b, score_a and score_b; or debate_id, agent and score; or, for "
        "predictions, agent, domain, confidence and correct; or, for the ratings that agents begin from, agent and "
        "rating"
    )


def _require_opponents(table: InputTable, columns: DebateColumns) -> None:
    if columns.scores is None and columns.loser is None and columns.participants is None and not columns.sides:
        raise UnknownColumn(
            f"{table.name} names winners but not their opponents: it has {table.listing()}. Add a column loser, "
            "with draw for draws, or participants, or two columns agent_a and agent_b"
        )


def _by_participant(tables: Iterator[InputTable], columns: DebateColumns, size: int) -> Iterator[DebateChunk]:
    debates = gathered(tables, columns)
    while part := tuple(islice(debates, size)):
        yield DebateChunk(debates=part, rows=sum(len(debate.participants) for debate in part))
