"""What an agent foretold, as values: who wins a tournament, and what is so in a domain."""

from datetime import datetime
from operator import itemgetter

from paragone.domain import brier
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.prediction import AgentPrediction, PredictionPage


def predictions_of(
    reader: LedgerReader, pool: str, agent: str, *, limit: int = 50, after: str | None = None
) -> PredictionPage:
    """What an agent foretold, of tournaments and in domains, the newest first.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    roster_with(reader, pool, agent)
    listing = ("agent predictions", pool, agent)
    last = place_of(after, listing)
    every = [*_of_tournaments(reader, pool, agent), *_of_domains(reader, pool, agent)]
    every.sort(key=itemgetter(0), reverse=True)
    remaining = every if last is None else [keyed for keyed in every if list(keyed[0]) < last]  # type: ignore[operator]
    page = remaining[:limit]
    return PredictionPage(
        agent=agent,
        predictions=[keyed for _, keyed in page],
        total=len(every),
        next=cursor(listing, list(page[-1][0])) if len(remaining) > limit else None,
    )


Keyed = tuple[tuple[str, int, int | str], AgentPrediction]
"""A prediction, behind what it is sorted by: when, of which kind, and which of its kind."""


def _of_tournaments(reader: LedgerReader, pool: str, agent: str) -> list[Keyed]:
    return [
        (
            (_moment(recorded.at), 1, recorded.prediction.tournament),
            AgentPrediction(
                at=recorded.at,
                tournament=recorded.prediction.tournament,
                winner=recorded.prediction.winner,
                confidence=recorded.prediction.confidence,
                correct=recorded.correct,
                brier=recorded.brier,
            ),
        )
        for recorded in reader.ledger.agents.predictions(pool, agent)
    ]


def _of_domains(reader: LedgerReader, pool: str, agent: str) -> list[Keyed]:
    return [
        (
            (_moment(recorded.at), 0, number),
            AgentPrediction(
                at=recorded.at,
                domain=recorded.prediction.domain,
                confidence=recorded.prediction.confidence,
                correct=recorded.prediction.correct,
                brier=brier(recorded.prediction.confidence, recorded.prediction.correct),
            ),
        )
        for number, recorded in enumerate(reader.ledger.agents.domain_predictions(pool, agent)[::-1])
    ]


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")
