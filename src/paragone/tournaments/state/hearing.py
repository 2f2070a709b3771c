"""How much is left of a debate that failed, and so how much its verdict heard, as the events of the tournament tell."""

from collections.abc import Iterable

from paragone.ledger import Event

FALLBACK, RESTORED = "fallback", "restored"
"""Events of debates: a failed one takes a step down the ladder; one is held at another length than that step left."""


def turns_left(events: Iterable[Event]) -> dict[str, int]:
    """How many turns a side are left of each debate that failed, by its call; 0 for a direct comparison.

    A debate that was left for later begins again at its whole length, and so does one whose run was cut off on its way
    down the ladder; where that one is held after all, it says so (``restored``).

    Args:
        events: What happened in the tournament, in order.
    """
    left: dict[str, int] = {}
    for event in events:
        if event.kind not in (FALLBACK, RESTORED) or "call" not in event.detail:
            continue  # a match that ran out of time has no step of one of its debates
        call = str(event.detail["call"])
        if event.detail.get("step") == "later":
            left.pop(call, None)
        else:
            left[call] = int(event.detail["turns"])
    return left
