"""What the events of a tournament say about its runs: whether one goes on, who began it, and what was wished of it.

A wish is an event of the ledger, so that it reaches the run in whichever process of the server that is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from paragone.ledger import Event
from paragone.web.acts import ADMIN

RUN = "run"
PAUSE, STOP = "pause", "stop"
Wish = Literal["", "pause", "stop"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Steering:
    """Where the runs of a tournament are, by its events.

    Attributes:
        begun: Whether anything was ever planned or played by a run.
        is_ours: Whether the last run is one of a server, which hears wishes.
        by: Who began that run; empty where it is not ours.
        wish: What was wished of it.
        wished_by: By whom.
        ended: Whether the last run ended in order; one that goes on, or was killed, did not.
        reason: Why it ended.
        finished: Whether the tournament was over then.
    """

    begun: bool = False
    is_ours: bool = False
    by: str = ""
    wish: Wish = ""
    wished_by: str = ""
    ended: bool = False
    reason: str = ""
    finished: bool = False

    @property
    def is_paused(self) -> bool:
        """Whether the last run ended as somebody wished it to be paused."""
        return self.ended and self.wish == PAUSE and not self.finished


def steering_of(events: Iterable[Event]) -> Steering:
    """What the events of a tournament come to.

    A run of a server says so right after it has begun (``resumed``, where it goes on with something).
    """
    begun = ours = ended = finished = False
    by = wished_by = reason = ""
    wish: Wish = ""
    for event in events:
        detail = event.detail
        act = detail.get("act") if event.kind == ADMIN else None
        if event.kind == "resumed" or act == RUN:
            begun, ours, ended, finished = True, act == RUN, False, False
            by, wish, wished_by, reason = (str(detail["by"]) if ours else ""), "", "", ""
        elif event.kind == "stopped":
            begun, ended, finished, reason = True, True, bool(detail.get("finished")), str(detail["reason"])
        elif not ended and act in {PAUSE, STOP}:
            wish, wished_by = ("pause" if act == PAUSE else "stop"), str(detail["by"])
    return Steering(
        begun=begun, is_ours=ours, by=by, wish=wish, wished_by=wished_by, ended=ended, reason=reason, finished=finished
    )
