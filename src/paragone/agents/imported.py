"""What an import has come to, and the steps that record what a file holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paragone.agents.elo_system import EloSystem
    from paragone.intake.past_debate import PastDebate, PastPrediction, StartingRating

NAMED = 3
"""Invalid rows that are named."""


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
    recorded, late = system.started([each.agent for each in ratings])
    usable = [each for each in ratings if each.agent not in late]
    system.start_ratings({each.agent: each.rating for each in usable}, source)
    problems = [
        f"{each.where}: {each.agent!r} has a rating by its debates or tests already"
        for each in ratings
        if each.agent in late
    ]
    return replace(
        done,
        ratings=done.ratings + len(usable) - len(recorded),
        known_ratings=done.known_ratings + len(recorded),
        skipped=done.skipped + len(problems),
        problems=(*done.problems, *problems)[:NAMED],
    )
