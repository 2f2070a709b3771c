"""Why a run ends."""

from dataclasses import dataclass

from paragone.tournaments.state import State


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run ended.

    Attributes:
        reason: In words.
        finished: Whether the tournament is over; otherwise ``resume`` goes on with it.
        failed: Whether something broke, rather than somebody asking for the stop.
        misuse: Whether what broke was asked for wrongly: the key is refused, or there is no such model.
        paused: Whether the run did all that was asked of it, though the tournament is not over: a session has so many
            rounds.
        aside: What may help whoever watches and is not kept: the last words of a program that judged.
    """

    reason: str
    finished: bool
    failed: bool = False
    misuse: bool = False
    paused: bool = False
    aside: str = ""


def session_over(state: State) -> str:
    """That a session is over, and how to go on; else empty. A run that was killed ends where it would have."""
    system, played = state.brief.system, len(state.rounds)
    if system is None or not played or played % system.scheduling.rounds_per_session:
        return ""
    return f"a session is over, {played} rounds were played so far"
