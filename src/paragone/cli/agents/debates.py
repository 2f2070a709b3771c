"""Debates of an agent as lines of a table, and as plain values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paragone.domain import GLOBAL

if TYPE_CHECKING:
    from paragone.domain import RatingChange, Scorecard
    from paragone.ledger import ScoredMatch

_OTHERS = 3
"""Opponents that a line names."""


def change_of(changes: "Sequence[RatingChange]", agent: str) -> float:
    """Elo points by which changes moved the global rating of an agent."""
    return sum(change.change for change in changes if change.item == agent and change.track == GLOBAL)


def letter(found: "ScoredMatch", agent: str) -> str:
    """How a debate went for an agent: W, L or D; a dot where it was rolled back."""
    card = scorecard(found)
    if found.rolled_back:
        return "."
    if card.winner is None:
        return "D"
    return "W" if card.winner == agent else "L"


def scorecard(found: "ScoredMatch") -> "Scorecard":
    """What everybody scored.

    Raises:
        ValueError: If the match rests on something else.
    """
    card = found.match.scorecard
    if card is None:
        raise ValueError(f"the match {found.match.id!r} has no scorecard")
    return card


def debate_line(found: "ScoredMatch", agent: str) -> tuple[str, ...]:
    """One debate, seen from an agent."""
    card = scorecard(found)
    scores = dict(zip(card.participants, card.scores, strict=True))
    others = [f"{name} {score:g}" for name, score in scores.items() if name != agent]
    more = f" and {len(others) - _OTHERS} more" if len(others) > _OTHERS else ""
    word = {"W": "won", "L": "lost", "D": "drew", ".": "rolled back"}[letter(found, agent)]
    return (
        found.match.id,
        f"{found.at:%Y-%m-%d %H:%M}",
        card.domain,
        word,
        f"{change_of(found.changes, agent):+.2f}",
        f"{scores[agent]:g}",
        ", ".join(others[:_OTHERS]) + more,
    )


def debate_values(found: "ScoredMatch", agent: str) -> dict[str, Any]:
    """One debate as plain values."""
    card = scorecard(found)
    return {
        "debate_id": found.match.id,
        "winner": card.winner,
        "participants": list(card.participants),
        "domain": card.domain or None,
        "task": card.task or None,
        "scores": dict(zip(card.participants, card.scores, strict=True)),
        "confidence_weight": found.match.confidence,
        "elo_change": change_of(found.changes, agent),
        "rolled_back": found.rolled_back,
        "created_at": found.at.isoformat(),
    }
