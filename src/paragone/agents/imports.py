"""The door for those who have past debates or predictions in files: ``import_debates`` records them in chunks."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from paragone.errors import Conflict, InvalidConfig

if TYPE_CHECKING:
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.debates import DebateChunk

CHUNK = 1_000
"""Debates a transaction: few enough that an interruption loses little, many enough that its end costs nothing."""
_NAMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedDebates:
    """What an import has come to.

    Attributes:
        file: Name of the file.
        rows: Rows of the file that are on record.
        debates: Debates among them that this call added.
        known_debates: Debates that were on record already.
        predictions: Predictions that this call added.
        known_predictions: Predictions that were on record already.
        skipped: Invalid rows.
        problems: The first of these, by position and reason.
    """

    file: str
    rows: int = 0
    debates: int = 0
    known_debates: int = 0
    predictions: int = 0
    known_predictions: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """Debates and predictions that this call added."""
        return self.debates + self.predictions


def import_debates(
    source: object,
    *,
    db: str | os.PathLike[str] = "paragone.db",
    pool: str = "agents",
    outcome: str = "ratio",
    normalize: str = "sum",
    encoding: str | None = None,
    strict: bool = False,
    chunk: int = CHUNK,
    observer: Callable[[ImportedDebates], None] = lambda _: None,
) -> ImportedDebates:
    """Record past debates of agents, or predictions, from a file.

    Each chunk is one transaction. An interrupted import is continued by calling it again: rows already on record are
    counted and change nothing. A debate without an id gets one made of the file's name and its row.

    Args:
        source: A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file, a data frame, or a collection of mappings.
        db: File or URL of the ledger.
        pool: The pool of agents.
        outcome: How scores become points: ``ratio``, ``win`` or ``margin``.
        normalize: How the points against several opponents add up: ``sum`` or ``n-1``.
        encoding: Of a text file; None takes UTF-8, or UTF-16 and UTF-32 if they are marked.
        strict: Whether to refuse unregistered agents, and a file with any invalid row, instead of skipping up to one
            row in twenty.
        chunk: Debates in a transaction.
        observer: Called after each chunk.

    Raises:
        UsageError: Naming what is wrong, and where; chunks before that are in the ledger.
        Conflict: If a debate is on record with other content.
        LedgerError: If the ledger cannot be opened or written.
    """
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.debates import DebateFile

    if chunk < 1:
        raise InvalidConfig(f"chunk must be at least 1 debate, not {chunk}")
    file = DebateFile(source=source, encoding=encoding, strict=strict)
    chunks = file.chunks(chunk)
    first = next(chunks)  # a file that is refused leaves no ledger behind
    done = ImportedDebates(file=file.name)
    with EloSystem(db, pool=pool, outcome=outcome, normalize=normalize, warn=False, strict=strict) as system:
        for part in chain([first], chunks):
            done = _recorded(system, part, done)
            observer(done)
    return done


def _recorded(system: "EloSystem", part: "DebateChunk", done: ImportedDebates) -> ImportedDebates:
    """Record a chunk, and add it to the counts."""
    debates, predictions = {entry.id for entry in part.debates}, {entry.id for entry in part.predictions}
    known_debates = system.recorded_debates(debates) if debates else set()
    known_predictions = system.recorded_predictions(predictions) if predictions else set()
    try:
        if debates:
            system.record_matches([entry.as_record() for entry in part.debates])
        if predictions:
            system.record_domain_predictions([entry.as_record() for entry in part.predictions])
    except Conflict as error:
        raise Conflict(f"{part.places}: {error}") from error
    return replace(
        done,
        rows=done.rows + part.rows,
        debates=done.debates + len(debates - known_debates),
        known_debates=done.known_debates + len(known_debates),
        predictions=done.predictions + len(predictions - known_predictions),
        known_predictions=done.known_predictions + len(known_predictions),
        skipped=done.skipped + len(part.problems),
        problems=(*done.problems, *part.problems)[:_NAMED],
    )
