"""A judge that is a function: the longer text wins. Use it as ``--judge python:judge_by_length:longer``."""

from typing import Protocol


class Text(Protocol):
    """What a judge sees of an item."""

    id: str
    text: str


def longer(first: Text, second: Text, criteria: str) -> str | None:
    """Answer "first", "second", "tie", or None for no opinion; the criteria are of no interest to this one."""
    difference = len(first.text) - len(second.text)
    if difference == 0:
        return "tie"
    return "first" if difference > 0 else "second"


def explained(first: Text, second: Text, criteria: str) -> dict[str, object]:
    """The same with scores from 0 to 1 and a reason: a judge may say more than who won."""
    longest = max(len(first.text), len(second.text), 1)
    return {
        "winner": longer(first, second, criteria),
        "scores": {"length": (len(first.text) / longest, len(second.text) / longest)},
        "rationale": f"{len(first.text)} characters against {len(second.text)}",
    }
