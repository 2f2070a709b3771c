"""Recorded comparisons from files, frames and mappings, whole or a part at a time.

``table_files`` reads the files, and ``vote_columns`` says which columns hold whom, who won and by how much.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Unpack

from paragone.domain.text import counted
from paragone.errors import InvalidVotes
from paragone.intake.table import InputTable, listed, refuse_unsound
from paragone.intake.table_chunks import row_count, table_chunks, text_encoding
from paragone.intake.tool_exports import ExportedVotes, exported_votes
from paragone.intake.vote import Vote, VoteFields, VoteOptions, Votes
from paragone.intake.vote_columns import Language, VoteColumns, calls_of, labels_of, rows_of, winner_numbers
from paragone.intake.winner_cells import Labels, WinnerNumbers

_AT_ONCE = 20_000
NAMED = 3
"""Rows that cannot be evidence and are named in a message."""
_SURELY_SORTED = 10
"""Decided votes from which it is no accident that one side always wins: one in five hundred at even odds."""


def read_votes(source: object, *, options: VoteOptions | None = None, **fields: Unpack[VoteFields]) -> Votes:
    """Recorded comparisons, one a row.

    The two items stand in columns called ``a`` and ``b``, ``left`` and ``right``, ``model_a`` and ``model_b`` and the
    like, or named. The winner is a side (``a``, ``left``, ``first``, the name of its column, ...), the id of one of the
    two items, ``tie`` (``draw``, ``equal``), or a score from 0 to 1: 1 if the first won, 0 if the second did, 0.5 for a
    tie, anything between a probability. Or the items stand in columns ``winner`` and ``loser`` (``chosen`` and
    ``rejected``), with a column ``draw`` where there are draws. Or one of the columns ``winner_model_a``,
    ``winner_model_b`` and ``winner_tie`` is 1, as in LMSYS's competition on Kaggle. An empty winner is an abstention:
    left out and counted. A column ``probability`` holds the probability that the first is better; where a row has one,
    it counts and the winner does not. Columns called ``weight`` and ``judge`` are used where there are any. The same
    pair may come many times.

    A row that cannot be evidence (an item against itself, a blank id, an unknown winner, a weight or probability out
    of range) is skipped and counted; ``notes`` name the first three.

    Args:
        source: A path (.csv, .tsv, .jsonl, .json, .parquet, .xlsx), a data frame, a collection of mappings, a list of
            triples ``(a, b, winner)``, or of pairs ``(winner, loser)``.
        options: How to read it.
        fields: Fields of ``VoteOptions`` that replace those of ``options``.

    Returns:
        The votes in the order of their rows.

    Raises:
        UnreadableFile: If the source cannot be read.
        UnknownColumn: If a column is absent or cannot be told from others.
        InvalidVotes: If more than one row in twenty cannot be evidence, or any where that is asked for (``strict``);
            the message names the first.
    """
    if isinstance(source, Votes):
        return source
    file = VoteFile(source=source, options=replace(options or VoteOptions(), **fields))
    chunks = list(file.chunks(_AT_ONCE))
    survey = file.surveyed(chunks)
    return Votes(
        [vote for chunk in chunks for vote in chunk.votes()],
        abstentions=survey.abstentions,
        skipped=survey.skipped,
        has_order=survey.has_order,
        notes=survey.notes,
        source=file.name,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteChunk:
    """Consecutive rows of votes, as columns of one length; abstentions and skipped rows are among them.

    Attributes:
        start: How many rows came before.
        a: Ids of the items named first.
        b: Ids of the others.
        score: Score of ``a`` in [0, 1], as in ``Vote``; None for an abstention or a skipped row.
        tie: Whether it was called a tie.
        weight: How much each counts.
        judge: Who gave it; None where nobody is named.
        problem: Why a row cannot be evidence; None where it can.
        table: Where the rows stand, for messages.
        note: How numbers of winners were read; empty where they are scores.
    """

    start: int
    a: Sequence[str]
    b: Sequence[str]
    score: Sequence[float | None]
    tie: Sequence[bool]
    weight: Sequence[float]
    judge: Sequence[str | None]
    problem: Sequence[str | None]
    table: InputTable
    note: str = ""

    def __len__(self) -> int:
        return len(self.a)

    def votes(self) -> Iterator[Vote]:
        """The rows that are evidence."""
        rows = zip(self.a, self.b, self.score, self.tie, self.weight, self.judge, strict=True)
        for a, b, score, tie, weight, judge in rows:
            if score is not None:
                yield Vote(a=a, b=b, score=score, tie=tie, weight=weight, judge=judge)

    def problems(self) -> list[str]:
        """Each row that cannot be evidence, by its place, and why."""
        return [
            f"{self.table.where(index)}: {problem}" for index, problem in enumerate(self.problem) if problem is not None
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteSurvey:
    """What a source of votes holds, and how it was read.

    Attributes:
        name: What the source is called.
        columns: Where the items and the result stand, in words.
        judge: The column of judges; None where there is none.
        judge_found: Whether it was found by its name, and not named by the caller.
        sides: Whether rows have two sides, and do not name the winner and the loser.
        encoding: Of a text file that is not UTF-8.
        repeats: As in ``VoteOptions``.
        is_export: Whether it is an export of another tool.
        numbers: How numbers of winners were read, in words; empty where they are scores.
        rows: How many rows there are.
        abstentions: Rows that name no winner.
        skipped: Rows that cannot be evidence.
        problems: The first of these, by place and reason.
        first_wins: Votes for the item named first.
        second_wins: Votes for the other.
    """

    name: str
    columns: str
    judge: str | None
    judge_found: bool
    sides: bool
    encoding: str | None
    repeats: bool | None
    is_export: bool = False
    numbers: str = ""
    rows: int = 0
    abstentions: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()
    first_wins: int = 0
    second_wins: int = 0

    def after(self, chunk: VoteChunk) -> "VoteSurvey":
        """The survey with more rows."""
        problems = chunk.problems()
        left_out = sum(score is None for score in chunk.score)
        return replace(
            self,
            numbers=chunk.note or self.numbers,
            rows=self.rows + len(chunk),
            abstentions=self.abstentions + left_out - len(problems),
            skipped=self.skipped + len(problems),
            problems=(*self.problems, *problems)[:NAMED],
            first_wins=self.first_wins + sum(score is not None and score > 0.5 for score in chunk.score),
            second_wins=self.second_wins + sum(score is not None and score < 0.5 for score in chunk.score),
        )

    @property
    def has_order(self) -> bool:
        """Whether the item named first may be the one shown first: rows have sides, and not one side always wins."""
        decided = self.first_wins + self.second_wins
        sorted_by_winner = decided >= _SURELY_SORTED and 0 in (self.first_wins, self.second_wins)
        return self.sides and not sorted_by_winner

    @property
    def notes(self) -> tuple[str, ...]:
        """How the source was read, in sentences; the first is about the judges."""
        votes = counted(self.rows - self.abstentions - self.skipped, "vote")
        lines = [f"{self.name}: {votes} from {self.columns}{self._judges()}"]
        if not self.has_order:
            lines.append(f"{self._sorted()}: no position term, and {self._independence()}")
        if self.numbers:
            lines.append(self.numbers)
        if self.skipped:
            lines.append(f"{self.skipped:,} of {self.rows:,} rows skipped: {listed(self.problems, self.skipped)}")
        if self.encoding is not None:
            lines.append(f"read as {self.encoding.upper()}")
        return tuple(lines)

    def refuse_unsound(self, *, strict: bool) -> None:
        """Refuse the source if too many rows cannot be evidence.

        Raises:
            InvalidVotes: If more than one row in twenty cannot be, or any and ``strict``.
        """
        refuse_unsound(self.name, self.rows, self.skipped, self.problems, strict=strict, error=InvalidVotes)

    def _judges(self) -> str:
        if self.judge is None:
            return ""
        if self.is_export:
            return ""
        remedy = " (--no-judge leaves it out)" if self.judge_found else ""
        return f", judges from the column {self.judge!r}{remedy}"

    def _sorted(self) -> str:
        if not self.sides:
            return "rows name the winner and the loser, not the order in which items were shown"
        side = "first" if self.first_wins else "second"
        return f"the item named {side} always wins, so rows do not say in which order items were shown"

    def _independence(self) -> str:
        if self.repeats:
            return "answers to one pair may be repeats of one question, as asked"
        whose = "by different judges " if self.judge is not None and self.repeats is None else ""
        return f"answers to one pair {whose}are independent"


@dataclass(frozen=True, kw_only=True)
class VoteFile:
    """A source of votes and how to read it; see ``read_votes``.

    Attributes:
        source: As for ``read_votes``.
        options: How to read it.
    """

    source: object
    options: VoteOptions = field(default_factory=VoteOptions)

    @property
    def name(self) -> str:
        """The name of the file, without its folder; ``votes`` where it is none."""
        return Path(self.source).name if isinstance(self.source, str | Path) else "votes"

    def count(self) -> int | None:
        """The approximate number of rows, for progress; None where only reading all of them would tell."""
        return row_count(self.entries)

    def chunks(self, size: int) -> Iterator[VoteChunk]:
        """The votes in the order of their rows, so many at a time; memory grows with that number and no other.

        Raises:
            UnreadableFile: If the source cannot be read.
            UnknownColumn: If a column is absent or cannot be told from others.
            InvalidVotes: If too many rows cannot be evidence, before the first of them is handed out.
        """
        start, checked = 0, False
        for chunk in self._unchecked(size):
            if not checked and any(chunk.problem):
                self.survey.refuse_unsound(strict=self.options.strict)
                checked = True
            yield chunk
            start += len(chunk)
        if not start:
            raise InvalidVotes(f"{self.name} has no rows")

    @cached_property
    def survey(self) -> VoteSurvey:
        """Read the source and say what it holds.

        Raises:
            UnreadableFile: If the source cannot be read.
            UnknownColumn: If a column is absent or cannot be told from others.
            InvalidVotes: If it has no rows.
        """
        return self.surveyed(self._unchecked(_AT_ONCE))

    def surveyed(self, chunks: Iterable[VoteChunk], survey: VoteSurvey | None = None) -> VoteSurvey:
        """What chunks of this source hold, added to an earlier survey.

        Raises:
            InvalidVotes: If there are none.
        """
        for chunk in chunks:
            survey = (self.begun(chunk.table) if survey is None else survey).after(chunk)
        if survey is None:
            raise InvalidVotes(f"{self.name} has no rows")
        return survey

    def begun(self, table: InputTable) -> VoteSurvey:
        """What the columns alone tell, of no rows yet."""
        columns = self._columns(table)
        return VoteSurvey(
            name=self.name,
            columns=f"the columns {columns.listing(table)}" if self._export is None else self._export.title,
            judge=None if columns.judge is None else table.columns[columns.judge],
            judge_found=columns.judge_found,
            sides=columns.has_sides,
            encoding=text_encoding(self.source, self.options.encoding),
            repeats=self.options.repeats,
            is_export=self._export is not None,
        )

    def _unchecked(self, size: int) -> Iterator[VoteChunk]:
        start = 0
        for table in self._tables(size):
            is_whole = not start and len(table.rows) < size
            yield self._chunk(table, start, self._labels(table, is_whole=is_whole))
            start += len(table.rows)

    def _tables(self, size: int) -> Iterator[InputTable]:
        return table_chunks(self.entries, name="votes", size=size, encoding=self.options.encoding)

    @cached_property
    def entries(self) -> object:
        """The source, or the votes of a log of another tool; an iterator is kept as a list."""
        if self._export is not None:
            return self._export.rows
        source = self.source
        return named(list(source) if isinstance(source, Iterator) else source)

    @cached_property
    def _export(self) -> ExportedVotes | None:
        return exported_votes(self.source, self.options.form, self.options.encoding)

    def _columns(self, table: InputTable) -> VoteColumns:
        return VoteColumns.of(table, self.options)

    def _labels(self, table: InputTable, *, is_whole: bool) -> Labels:
        """What a chunk's winners may say; the other chunks are read for it only where they may make a difference."""
        columns = self._columns(table)

        def numbers() -> WinnerNumbers:
            own = winner_numbers(table, columns)
            return self._numbers if own.may_be_codes and not is_whole else own

        return labels_of(table, columns, self.options, numbers)

    @cached_property
    def _numbers(self) -> WinnerNumbers:
        """The numbers of all winners of the source."""
        each = (winner_numbers(table, self._columns(table)) for table in self._tables(_AT_ONCE))
        return sum(each, WinnerNumbers())

    def _chunk(self, table: InputTable, start: int, labels: Labels) -> VoteChunk:
        rows = rows_of(table, self._columns(table), labels)
        ambiguous = any(row.is_ambiguous for row in rows)
        calls = calls_of(table, rows, self._language if ambiguous else Language().after(rows))
        both = list(zip(rows, calls, strict=True))
        return VoteChunk(
            start=start,
            a=[row.a for row in rows],
            b=[row.b for row in rows],
            score=[call.score if row.probability is None else row.probability for row, call in both],
            tie=[call.tie and row.probability is None for row, call in both],
            weight=[row.weight for row in rows],
            judge=[row.judge for row in rows],
            problem=[row.problem for row in rows],
            table=table,
            note=labels.note,
        )

    @cached_property
    def _language(self) -> Language:
        """The language of the whole source, read only where a winner is ambiguous."""
        language = Language()
        for table in self._tables(_AT_ONCE):
            labels = self._labels(table, is_whole=False)
            language = language.after(rows_of(table, self._columns(table), labels))
        return language


def named(source: object) -> object:
    """Triples and pairs as mappings; anything else as it came.

    Raises:
        InvalidVotes: If a tuple has another length, or the entries are files.
    """
    if isinstance(source, list | tuple) and source and all(isinstance(entry, str | Path) for entry in source):
        raise InvalidVotes(f"votes: {source[0]} is a file or a text; votes in several files are ranked by fit_shards")
    if not isinstance(source, list | tuple) or not all(isinstance(entry, tuple | list) for entry in source):
        return source
    for names in (("a", "b", "winner"), ("winner", "loser")):
        if all(len(entry) == len(names) for entry in source):
            return [dict(zip(names, entry, strict=True)) for entry in source]
    raise InvalidVotes("votes: expected triples (a, b, winner) or pairs (winner, loser), all of one length")
