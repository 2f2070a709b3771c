"""What an agent foretold, as values: who wins a tournament, and what is so in a domain."""

from datetime import datetime
from operator import itemgetter

from paragone.domain import brier
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.agents.roster import roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.values import Known, View, Words


class AgentPrediction(View):
    """What an agent foretold.

    Attributes:
        at: When it was recorded.
        tournament: Whose winner it is about; empty where it is of a domain.
        winner: Whom it expected to win that; empty where it is of a domain.
        domain: The domain; empty where it is of a tournament.
        confidence: The chance that it gave it.
        correct: Whether it came true; None while nobody knows.
        brier: Its Brier score; None while nobody knows.
    """

    at: datetime
    tournament: Words = ""
    winner: Words = ""
    domain: Words = ""
    confidence: float
    correct: bool | None
    brier: Known


class PredictionPage(View):
    """Predictions, the newest first.

    Attributes:
        agent: Whose.
        predictions: The predictions of this page.
        total: How many there are in all.
        next: Cursor of the next page; None on the last.
    """

    agent: Words
    predictions: list[AgentPrediction]
    total: int
    next: str | None = None


def predictions_of(
    library: Library, pool: str, agent: str, *, limit: int = 50, after: str | None = None
) -> PredictionPage:
    """What an agent foretold, of tournaments and in domains, the newest first.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    roster_with(library, pool, agent)
    listing = ("agent predictions", pool, agent)
    last = place_of(after, listing)
    every = [*_of_tournaments(library, pool, agent), *_of_domains(library, pool, agent)]
    every.sort(key=itemgetter(0), reverse=True)
    left = every if last is None else [one for one in every if list(one[0]) < last]  # type: ignore[operator]
    shown = left[:limit]
    return PredictionPage(
        agent=agent,
        predictions=[one for _, one in shown],
        total=len(every),
        next=cursor(listing, list(shown[-1][0])) if len(left) > limit else None,
    )


Keyed = tuple[tuple[str, int, int | str], AgentPrediction]
"""A prediction, behind what it is sorted by: when, of which kind, and which of its kind."""


def _of_tournaments(library: Library, pool: str, agent: str) -> list[Keyed]:
    return [
        (
            (_moment(one.at), 1, one.prediction.tournament),
            AgentPrediction(
                at=one.at,
                tournament=one.prediction.tournament,
                winner=one.prediction.winner,
                confidence=one.prediction.confidence,
                correct=one.correct,
                brier=one.brier,
            ),
        )
        for one in library.ledger.agents.predictions(pool, agent)
    ]


def _of_domains(library: Library, pool: str, agent: str) -> list[Keyed]:
    return [
        (
            (_moment(one.at), 0, number),
            AgentPrediction(
                at=one.at,
                domain=one.prediction.domain,
                confidence=one.prediction.confidence,
                correct=one.prediction.correct,
                brier=brier(one.prediction.confidence, one.prediction.correct),
            ),
        )
        for number, one in enumerate(library.ledger.agents.domain_predictions(pool, agent)[::-1])
    ]


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")
