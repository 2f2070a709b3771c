"""Record what an Aragora database holds: debates, predictions, relationships, and ratings without debates."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from paragone.agents.imported import NAMED, ImportedDebates, recorded_debates, recorded_predictions, recorded_ratings
from paragone.errors import Conflict, InvalidEvidence, NotFound

if TYPE_CHECKING:
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.aragora import AragoraDatabase, PastRelationship, PastWinnerPrediction


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
    known, problems = system.recorded_winner_predictions(), list[str]()
    added = already = skipped = 0
    for tournament, group in groupby(sorted(predictions, key=attrgetter("tournament")), attrgetter("tournament")):
        members = list(group)
        fresh = [each for each in members if (tournament, each.predictor) not in known]
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
    known = system.recorded_relationships([each.id for each in relationships])
    fresh = [each for each in relationships if each.id not in known]
    system.update_relationships_batch(
        [{"agent_a": each.a, "agent_b": each.b, "update_id": each.id, **each.counts} for each in fresh]
    )
    return replace(done, relationships=len(fresh), known_relationships=len(known))
