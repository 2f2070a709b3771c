"""The door for those who have past debates, predictions or ratings in files: ``import_debates`` records them."""

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.agents.imported import (
    NAMED,
    ImportedDebates,
    recorded_debates,
    recorded_predictions,
    recorded_ratings,
)
from paragone.errors import Conflict, InvalidConfig

if TYPE_CHECKING:
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.debates import DebateChunk

CHUNK = 1_000
"""Debates a transaction: few enough that an interruption loses little, many enough that its end costs nothing."""


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
    """Record past debates, predictions or starting ratings of agents from a file, or what an Aragora database holds.

    Each chunk is one transaction. An interrupted import is continued by calling it again: rows already on record are
    counted and change nothing. A debate without an id gets one made of the file's name and its row.

    Args:
        source: A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file, a data frame, or a collection of mappings; or
            Aragora's SQLite file, of which rows that cannot be evidence are skipped, however many.
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
    from paragone.agents.aragora_import import record_aragora
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.aragora import is_sqlite, read_aragora
    from paragone.intake.debates import DebateFile

    if chunk < 1:
        raise InvalidConfig(f"chunk must be at least 1 debate, not {chunk}")
    if is_sqlite(source):
        database = read_aragora(Path(str(source)))
        with EloSystem(db, pool=pool, outcome=outcome, normalize=normalize, warn=False, strict=strict) as system:
            return record_aragora(system, database, strict=strict, chunk=chunk, observer=observer)
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
    try:
        done = recorded_debates(system, part.debates, done)
        done = recorded_predictions(system, part.predictions, done)
        done = recorded_ratings(system, part.ratings, done, source=done.file)
    except Conflict as error:
        raise Conflict(f"{part.places}: {error}") from error
    return replace(
        done,
        rows=done.rows + part.rows,
        skipped=done.skipped + len(part.problems),
        problems=(*done.problems, *part.problems)[:NAMED],
    )
