"""``import_votes``: record comparisons made elsewhere in a ledger, one chunk per transaction."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Unpack

from paragone.domain import Choice, RatingConfig
from paragone.errors import Conflict, InvalidConfig, InvalidVotes
from paragone.intake.items import MAX_ID
from paragone.intake.tool_exports import export_options
from paragone.intake.vote import UNNAMED, VoteFields, VoteOptions
from paragone.intake.votes import VoteChunk, VoteFile, VoteSurvey
from paragone.ledger import Batch, FileToImport, ImportedFile, Ledger
from paragone.ratings.elo import LEAST_WEIGHT
from paragone.tournaments.tournament_settings import IMPORTED, TournamentSettings

CHUNK = 20_000
"""Votes a transaction: few enough for little memory, many enough that its end costs nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportResult:
    """The result of an import.

    Attributes:
        tournament: Id of the tournament that holds the votes.
        file: Name of the file.
        rows: Rows of the file that are done: in the ledger, abstentions among them, or skipped.
        added: Rows that this call has added.
        skipped: Rows, among those that this call has read, that cannot be evidence and are not in the ledger.
        notes: How the votes were read, in sentences; empty until the end of the file.
    """

    tournament: str
    file: str
    rows: int
    added: int
    skipped: int = 0
    notes: tuple[str, ...] = ()


def import_votes(
    source: object,
    *,
    db: str | os.PathLike[str] = "paragone.db",
    into: str | None = None,
    options: VoteOptions | None = None,
    config: RatingConfig | None = None,
    chunk: int = CHUNK,
    observer: Callable[[ImportResult], None] = lambda _: None,
    **fields: Unpack[VoteFields],
) -> ImportResult:
    """Record comparisons that were made elsewhere in a ledger, where they can be ranked, audited and corrected.

    A chunk is one transaction. Whatever ends an import, calling it again goes on after the last chunk; nothing is there
    twice. Within a tournament a file is known by its name: rows that are there already must be the same, and rows
    that have come since are added.

    Args:
        source: A file, a data frame, a list of mappings, of tuples ``(a, b, winner)`` or ``(winner, loser)``.
        db: File or URL of the ledger.
        into: Id of the tournament, or its name; that of the file where nothing is said. A tournament that is named
            takes further files.
        options: How to read the votes and what to take them for; weights lie from 0.1 to 1. The plain model is for
            ``fit``.
        config: How the running Elo moves.
        chunk: Votes a transaction.
        observer: Told after each chunk.
        fields: Fields of ``VoteOptions`` that replace those of ``options``.

    Raises:
        UsageError: Naming what is wrong with the votes, and where; chunks before that are in the ledger.
        Conflict: If rows that are in the ledger have changed in the file, or the tournament does not take it.
        Busy: If somebody else is importing into the tournament.
        LedgerError: If the ledger cannot be opened or written.
    """
    if chunk < 1:
        raise InvalidConfig(f"chunk must be at least 1 vote, not {chunk}")
    chosen = export_options(source, replace(options or VoteOptions(), **fields))
    if chosen.plain:
        raise InvalidConfig("a ledger's board has no plain model; leave plain out, or rank with fit")
    votes = VoteFile(source=source, options=chosen)
    chunks = votes.chunks(chunk)
    first = next(chunks)
    _refuse_unkeepable(first)  # a file that cannot be taken leaves nothing behind
    with Ledger.open(db) as ledger:
        request = _wanted(votes, into, config or RatingConfig())
        tournament = ledger.matches.begin_import(request).tournament
        with ledger.tournaments.claim(tournament):
            imported = ledger.matches.begin_import(request)  # as it is now that nobody else goes on with it
            return _Import(ledger, imported, votes, observer).run(first, chunks)


def _wanted(votes: VoteFile, into: str | None, config: RatingConfig) -> FileToImport:
    # A budget that the votes have spent: whoever lets a judge go on from them says how far.
    title = into or PurePath(votes.name).stem
    settings = TournamentSettings(criteria=f"as voted in {votes.name}", judge=IMPORTED, budget=1, title=title)
    return FileToImport(
        name=votes.name,
        into=title,
        adds=into is not None,
        how=_terms(votes),
        settings=settings.as_json(),
        config=config,
    )


def _terms(votes: VoteFile) -> dict[str, Any]:
    """How the votes are taken; that they stand winner first is found by going through them, where it matters."""
    terms: dict[str, Any] = {"position": votes.options.position and votes.survey.has_order}
    if votes.options.repeats is not None:
        terms["repeats"] = votes.options.repeats
    return terms


class _Import:
    """One import on its way."""

    def __init__(
        self, ledger: Ledger, imported: ImportedFile, votes: VoteFile, observer: Callable[[ImportResult], None]
    ) -> None:
        self._ledger = ledger
        self._known = imported
        self._observer = observer
        self._votes = votes
        self._survey: VoteSurvey | None = None
        self._bulk = ledger.matches.bulk(imported.tournament)
        self._digest = hashlib.sha256()
        self._rows = 0

    def run(self, first: VoteChunk, rest: Iterator[VoteChunk]) -> ImportResult:
        self._take(first)
        for chunk in rest:
            self._take(chunk)
        if self._rows < self._known.rows:
            raise Conflict(self._changed(f"has {self._rows:,} rows now, and {self._known.rows:,} are there"))
        if self._ledger.tournaments.events(self._known.tournament)[-1].kind != "stopped":
            reason = f"{self._rows:,} votes of {self._known.name} imported"
            self._ledger.tournaments.add_event(self._known.tournament, "stopped", {"reason": reason})
            self._bulk.settle()
        notes = () if self._survey is None else self._survey.notes
        return replace(self._so_far(), notes=notes)

    def _take(self, chunk: VoteChunk) -> None:
        """Compare what is there, record what is not."""
        self._survey = self._votes.surveyed([chunk], self._survey)
        lines, end = _lines(chunk), chunk.start + len(chunk)
        marks = [mark for mark in self._known.digests if chunk.start < mark <= end]
        for mark in sorted(marks):
            self._digest.update(b"".join(lines[self._rows - chunk.start : mark - chunk.start]))
            if self._digest.hexdigest() != self._known.digests[mark]:
                raise Conflict(self._changed(f"differs somewhere before row {mark + 1:,} from what is there"))
            self._rows = mark
        self._digest.update(b"".join(lines[self._rows - chunk.start :]))
        fresh, self._rows = max(self._rows, self._known.rows), end
        if end > self._known.rows:
            batch = _batch(chunk, fresh - chunk.start, self._known.number)
            detail = {"number": self._known.number, "rows": end, "digest": self._digest.hexdigest()}
            self._bulk.record(batch, event="imported", detail=detail)
        self._observer(self._so_far())

    def _so_far(self) -> ImportResult:
        imported = self._known
        rows = max(self._rows, imported.rows)
        skipped = 0 if self._survey is None else self._survey.skipped
        return ImportResult(
            tournament=imported.tournament, file=imported.name, rows=rows, added=rows - imported.rows, skipped=skipped
        )

    def _changed(self, what: str) -> str:
        return (
            f"{self._known.name} {what}, in {self._known.tournament}; what was recorded stays: import the file as it "
            "was, or the changed one under another name (--into)"
        )


def _lines(chunk: VoteChunk) -> list[bytes]:
    """Each vote as bytes that no other vote has."""
    columns = (chunk.a, chunk.b, chunk.score, chunk.tie, chunk.weight, chunk.judge)
    return [
        f"{len(a)} {a}{len(b)} {b}{score} {tie} {weight} {judge}\n".encode("utf-8", "surrogatepass")
        for a, b, score, tie, weight, judge in zip(*columns, strict=True)
    ]


def _batch(chunk: VoteChunk, start: int, number: int) -> Batch:
    """The votes from a place in a chunk on, as matches; they are called by their file's number and their row."""
    _refuse_unkeepable(chunk)
    rows = [row for row in range(start, len(chunk)) if chunk.problem[row] is None]
    scores = [chunk.score[row] for row in rows]
    return Batch(
        id=[f"f{number}.{chunk.start + row + 1}" for row in rows],
        a=[chunk.a[row] for row in rows],
        b=[chunk.b[row] for row in rows],
        choice=[_choice(score) for score in scores],
        probability=[
            None if chunk.tie[row] or score in (None, 0.0, 1.0) else score
            for row, score in zip(rows, scores, strict=True)
        ],
        judge=[chunk.judge[row] or UNNAMED for row in rows],
        confidence=[chunk.weight[row] for row in rows],
    )


def _choice(score: float | None) -> Choice:
    if score is None:
        return Choice.ABSTAIN
    if score == 0.5:
        return Choice.TIE
    return Choice.FIRST if score > 0.5 else Choice.SECOND


def _refuse_unkeepable(chunk: VoteChunk) -> None:
    for row, (a, b, weight, problem) in enumerate(zip(chunk.a, chunk.b, chunk.weight, chunk.problem, strict=True)):
        if problem is not None:
            continue
        if not LEAST_WEIGHT <= weight <= 1.0:
            raise InvalidVotes(
                f"{chunk.table.where(row)}: the weight {weight:g} is outside of [{LEAST_WEIGHT:g}, 1], which is what "
                "a match in a ledger can count; divide all by the largest, or rank with `paragone fit`, which takes any"
            )
        if max(len(a), len(b)) > MAX_ID:
            raise InvalidVotes(f"{chunk.table.where(row)}: an item's id has more than {MAX_ID} characters")
