"""What a tournament took, as a whole or in one of its rounds."""

from datetime import datetime, timedelta
from itertools import pairwise

from paragone.domain import Spending
from paragone.domain.records import ResourceMetrics
from paragone.domain.spending import NOTHING, total
from paragone.ledger import RecordedMatch
from paragone.tournaments.documents.chronicle import Chronicle


def resources(chronicle: Chronicle, number: int | None = None) -> ResourceMetrics:
    """What a tournament or one of its rounds took (T8): all that was asked, of matches that are not over too.

    Args:
        chronicle: The tournament.
        number: Only this round; all of them where None.
    """
    rounds = chronicle.spending_by_round
    taken = total(rounds.values()) if number is None else rounds.get(number, NOTHING)
    return as_metrics(taken, running_time(chronicle, number).total_seconds(), float(taken.units))


def as_metrics(taken: Spending, seconds: float, units: float) -> ResourceMetrics:
    """Spending in the documents' form.

    Args:
        taken: Decisions, requests, tokens, dollars.
        seconds: Wall time.
        units: Compute units.
    """
    return ResourceMetrics(
        calls=taken.requests,
        cached_calls=taken.cached,
        input_tokens=taken.input_tokens,
        output_tokens=taken.output_tokens,
        cost=taken.cost,
        wall_seconds=seconds,
        compute_units=units,
    )


def running_time(chronicle: Chronicle, number: int | None = None) -> timedelta:
    """Time that went by between the plan of a round, or the first, and its last match.

    A gap that ends where the tournament was resumed is left out: nobody was running it.
    """
    own = [recorded.at for recorded in _matches(chronicle, number)]
    if not own:
        return timedelta()
    begun, last = min([_begun(chronicle, number), *own]), max(own)
    resumed = {event.at for event in chronicle.events("resumed")}
    events = (event.at for event in chronicle.events("resumed", "stopped", "round", "fallback"))
    marks = sorted({begun, *own, *(at for at in events if begun < at < last)})
    return sum((after - before for before, after in pairwise(marks) if after not in resumed), timedelta())


def _matches(chronicle: Chronicle, number: int | None) -> tuple[RecordedMatch, ...]:
    return chronicle.matches if number is None else chronicle.by_round.get(number, ())


def _begun(chronicle: Chronicle, number: int | None) -> datetime:
    """When a round was planned; where that was not noted, when the one before it was over."""
    first = 1 if number is None else number
    if first in chronicle.round_notes:
        return chronicle.round_notes[first].at
    before = chronicle.by_round.get(first - 1, ())
    return before[-1].at if before else chronicle.happened[0].at
