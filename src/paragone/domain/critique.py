"""What one agent said of another's work, and whether it was taken up (A1)."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Critique:
    """A critique that an agent made.

    Attributes:
        id: Names it, so that it counts once; empty where every one counts.
        agent: Id of the agent that made it.
        accepted: Whether the one that it was about accepted it.
    """

    id: str = ""
    agent: str
    accepted: bool
