"""Past debates, predictions and ratings of files, or of an Aragora database, recorded by ``import_debates``."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.errors import Conflict, InvalidConfig, InvalidEvidence, NotFound

if TYPE_CHECKING:
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.aragora import AragoraDatabase, PastRelationship, PastWinnerPrediction
    from paragone.intake.debates import DebateChunk
    from paragone.intake.past_debate import PastDebate, PastPrediction, StartingRating

NAMED = 3
"""Invalid rows that are named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedDebates:
    """The result of an import.

    Attributes:
        file: Name of the file.
        rows: Rows of the file that are on record.
        debates: Debates among them that this call added.
        known_debates: Debates that were on record already.
        predictions: Predictions that this call added.
        known_predictions: Predictions that were on record already.
        ratings: Starting ratings that this call added.
        known_ratings: Starting ratings that were on record already.
        relationships: Relationships that this call added, from a database.
        known_relationships: Relationships that were on record already.
        skipped: Invalid rows.
        problems: The first of these, by position and reason.
        derived: Rows of a database that follow from others and are no evidence, by table.
    """

    file: str
    rows: int = 0
    debates: int = 0
    known_debates: int = 0
    predictions: int = 0
    known_predictions: int = 0
    ratings: int = 0
    known_ratings: int = 0
    relationships: int = 0
    known_relationships: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()
    derived: Mapping[str, int] = field(default_factory=dict)

    @property
    def added(self) -> int:
        """Debates, predictions, starting ratings and relationships that this call added."""
        return self.debates + self.predictions + self.ratings + self.relationships


def recorded_debates(system: "EloSystem", debates: "Sequence[PastDebate]", done: ImportedDebates) -> ImportedDebates:
    """Record debates, and add them to the counts."""
    ids = {each.id for each in debates}
    recorded = system.recorded_debates(ids) if ids else set()
    if debates:
        system.record_matches([each.as_record() for each in debates])
    return replace(done, debates=done.debates + len(ids - recorded), known_debates=done.known_debates + len(recorded))


def recorded_predictions(
    system: "EloSystem", predictions: "Sequence[PastPrediction]", done: ImportedDebates
) -> ImportedDebates:
    """Record predictions, and add them to the counts."""
    ids = {each.id for each in predictions}
    recorded = system.recorded_predictions(ids) if ids else set()
    if predictions:
        system.record_domain_predictions([each.as_record() for each in predictions])
    return replace(
        done,
        predictions=done.predictions + len(ids - recorded),
        known_predictions=done.known_predictions + len(recorded),
    )


def recorded_ratings(
    system: "EloSystem", ratings: "Sequence[StartingRating]", done: ImportedDebates, *, source: str
) -> ImportedDebates:
    """Record starting ratings, and add them to the counts; agents that have a rating of their own are skipped.

    Raises:
        Conflict: If another starting rating of an agent is on record.
    """
    if not ratings:
        return done
    recorded, already_rated = system.started([each.agent for each in ratings])
    usable = [each for each in ratings if each.agent not in already_rated]
    system.start_ratings({each.agent: each.rating for each in usable}, source)
    problems = [
        f"{each.where}: {each.agent!r} has a rating by its debates or tests already"
        for each in ratings
        if each.agent in already_rated
    ]
    return replace(
        done,
        ratings=done.ratings + len(usable) - len(recorded),
        known_ratings=done.known_ratings + len(recorded),
        skipped=done.skipped + len(problems),
        problems=(*done.problems, *problems)[:NAMED],
    )


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

    Each chunk is one transaction, and rows count in the order of the file. An interrupted import is continued by
    calling it again: rows already on record are counted and change nothing. A debate without an id gets one made of the
    file's name and its row.

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
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.aragora import is_sqlite, read_aragora
    from paragone.intake.debates import DebateFile
    from paragone.intake.table_files import refuse_content

    if chunk < 1:
        raise InvalidConfig(f"chunk must be at least 1 debate, not {chunk}")
    refuse_content(source, name="debates")
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


def record_aragora(
    system: "EloSystem",
    database: "AragoraDatabase",
    *,
    strict: bool,
    chunk: int,
    observer: Callable[[ImportedDebates], None],
) -> ImportedDebates:
    """Record a database; what is on record already is counted and changes nothing.

    Args:
        system: Where to record.
        database: What was read.
        strict: Whether to refuse a database with any row that cannot be evidence.
        chunk: Debates in a transaction.
        observer: Called after each transaction.

    Raises:
        InvalidEvidence: If ``strict``, naming the first row that cannot be evidence.
        Conflict: If a debate is on record with other content.
    """
    if strict and database.problems:
        raise InvalidEvidence(f"{database.problems[0]}; leave out --strict to skip such rows")
    done = ImportedDebates(
        file=database.name,
        skipped=len(database.problems),
        problems=database.problems[:NAMED],
        derived=dict(database.derived),
    )
    done = recorded_ratings(system, database.ratings, done, source=database.name)
    for start in range(0, len(database.debates), chunk):
        done = recorded_debates(system, database.debates[start : start + chunk], done)
        observer(done)
    for start in range(0, len(database.predictions), chunk):
        done = recorded_predictions(system, database.predictions[start : start + chunk], done)
        observer(done)
    done = _relationships(system, database.relationships, _winners(system, database.winner_predictions, done))
    done = replace(done, rows=database.rows)
    observer(done)
    return done


def _winners(
    system: "EloSystem", predictions: "Sequence[PastWinnerPrediction]", done: ImportedDebates
) -> ImportedDebates:
    """Record predictions of winners, tournament by tournament, and who won."""
    recorded, problems = system.recorded_winner_predictions(), list[str]()
    added = already = skipped = 0
    for tournament, group in groupby(sorted(predictions, key=attrgetter("tournament")), attrgetter("tournament")):
        members = list(group)
        fresh = [each for each in members if (tournament, each.predictor) not in recorded]
        won = next((each.actual for each in members if each.actual), "")
        already += len(members) - len(fresh)
        before = added
        try:
            for each in fresh:
                system.record_winner_prediction(tournament, each.predictor, each.winner, each.confidence)
                added += 1
            if fresh and won:
                system.resolve_tournament_calibration(tournament, won)
        except (Conflict, NotFound, InvalidEvidence) as error:  # a winner on record, or one that cannot be
            problems.append(f"{done.file}, tournament {tournament!r}: {error}")
            skipped += before + len(fresh) - added or 1  # all are recorded where only the winner cannot be
    return replace(
        done,
        predictions=done.predictions + added,
        known_predictions=done.known_predictions + already,
        skipped=done.skipped + skipped,
        problems=(*done.problems, *problems)[:NAMED],
    )


def _relationships(
    system: "EloSystem", relationships: "Sequence[PastRelationship]", done: ImportedDebates
) -> ImportedDebates:
    recorded = system.recorded_relationships([each.id for each in relationships])
    fresh = [each for each in relationships if each.id not in recorded]
    system.update_relationships_batch(
        [{"agent_a": each.a, "agent_b": each.b, "update_id": each.id, **each.counts} for each in fresh]
    )
    return replace(done, relationships=len(fresh), known_relationships=len(recorded))
