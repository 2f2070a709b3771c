"""What a tournament took, as a whole or in one of its rounds."""

from datetime import datetime, timedelta
from itertools import chain, pairwise

from paragone.domain.records import ResourceMetrics
from paragone.ledger import RecordedMatch
from paragone.tournaments.documents.chronicle import Chronicle


def resources(chronicle: Chronicle, number: int | None = None) -> ResourceMetrics:
    """What recorded matches and all turns of debates took (T8).

    Answers that came from earlier verdicts took nothing. A call that brought no answer is no compute unit, as it does
    not count towards a budget; the tokens and the money that it took are counted.

    Args:
        chronicle: The tournament.
        number: Only this round; all of them where None.
    """
    verdicts = [answer.verdict for recorded in _matches(chronicle, number) for answer in recorded.match.answers]
    turns = chronicle.turns_by_round
    said = chain.from_iterable(turns.values()) if number is None else turns.get(number, ())
    lost = chronicle.failures.values() if number is None else chronicle.failures_by_round.get(number, ())
    asked = [verdict for verdict in verdicts if not verdict.cached]
    taken = [verdict.usage for verdict in asked] + [turn.usage for turn in said]
    paid = [*taken, *lost]
    known = [usage.cost for usage in taken if usage.cost is not None]
    wasted = [usage.cost for usage in lost if usage.cost is not None]
    return ResourceMetrics(
        calls=len(taken),
        cached_calls=len(verdicts) - len(asked),
        input_tokens=sum(usage.input_tokens for usage in paid),
        output_tokens=sum(usage.output_tokens for usage in paid),
        cost=sum([*known, *wasted], 0.0) if len(known) == len(taken) else None,
        wall_seconds=running_time(chronicle, number).total_seconds(),
        compute_units=float(len(taken)),
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
