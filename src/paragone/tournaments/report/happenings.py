"""What happened beside the matches, counted from the events of a tournament."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from paragone.ledger import Event


@dataclass(frozen=True, kw_only=True, slots=True)
class Happenings:
    """Counts of what is worth a word.

    Attributes:
        degraded: Debates that a round could not pay for and that became shorter.
        deferred: Matches that were put off to a later round.
        fallbacks: Steps that debates went down after failures.
        incomplete: Items that could not play.
        retired: Items that are not available at the end.
        anomalies: Sudden swings of ratings that wait for somebody to look at them.
        rests: How often a judge of a panel or an advocate failed too often and was left in peace.
        requests: Matches that were asked for.
        joined: Items that were added after the start.
        runs: How often it was begun or taken up again.
    """

    degraded: int = 0
    deferred: int = 0
    fallbacks: int = 0
    incomplete: int = 0
    retired: int = 0
    anomalies: int = 0
    rests: int = 0
    requests: int = 0
    joined: int = 0
    runs: int = 0

    def told(self) -> list[tuple[str, int]]:
        """What happened at all, in words, with its count."""
        words = (
            ("debates that the budget made shorter", self.degraded),
            ("matches put off to a later round", self.deferred),
            ("steps down after failed debates", self.fallbacks),
            ("hypotheses that are incomplete", self.incomplete),
            ("hypotheses that are not available", self.retired),
            ("anomalies that wait for review", self.anomalies),
            ("rests of judges or advocates that failed too often", self.rests),
            ("matches that were asked for", self.requests),
            ("hypotheses that joined later", self.joined),
        )
        return [(word, count) for word, count in words if count]


def happenings(events: Iterable[Event]) -> Happenings:
    """Count what happened."""
    counts: Counter[str] = Counter()
    away: set[str] = set()
    waiting: set[str] = set()
    for event in events:
        detail = event.detail
        if event.kind == "round":
            counts["degraded"] += len(detail.get("degraded", ()))
            counts["deferred"] += len(detail.get("deferred", ()))
        elif event.kind == "retired":
            away.update(detail["items"])
        elif event.kind == "returned":
            away.difference_update(detail["items"])
        elif event.kind == "anomaly":
            waiting.add(str(detail["id"]))
        elif event.kind == "anomaly_reviewed":
            waiting.discard(str(detail["id"]))
        elif event.kind == "joined":
            counts["joined"] += len(detail["items"])
        else:
            counts[event.kind] += 1
    return Happenings(
        degraded=counts["degraded"],
        deferred=counts["deferred"],
        fallbacks=counts["fallback"],
        incomplete=counts["incomplete"],
        retired=len(away),
        anomalies=len(waiting),
        rests=counts["rested"],
        requests=counts["request"],
        joined=counts["joined"],
        runs=counts["started"] + counts["resumed"],
    )
