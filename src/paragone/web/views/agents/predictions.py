"""What an agent foretold, as values: who wins a tournament, and what is so in a domain."""

from datetime import datetime
from operator import itemgetter

from paragone.domain import brier
from paragone.web.books.library import Library
from paragone.web.views.agents.roster import roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.prediction import AgentPrediction, PredictionPage


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
        for one in library.ledger.predictions(pool, agent)
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
        for number, one in enumerate(library.ledger.domain_predictions(pool, agent)[::-1])
    ]


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")
