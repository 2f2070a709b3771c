"""A debate, turn by turn."""

from dataclasses import dataclass, field
from enum import StrEnum

from paragone.domain.outcome import Usage


class Speaker(StrEnum):
    """Whose turn it is, by the order of presentation; the judge's own turn is its verdict."""

    FIRST = "first"
    SECOND = "second"

    @property
    def opponent(self) -> "Speaker":
        """The other side."""
        return Speaker.SECOND if self is Speaker.FIRST else Speaker.FIRST


class Stage(StrEnum):
    """What a turn is for. Source: document R, "Multi-Turn Scientific Debate"."""

    OPENING = "opening"
    EXCHANGE = "exchange"
    CLOSING = "closing"


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateTurn:
    """What one side said in one turn. All texts are untrusted.

    Attributes:
        call: The comparison that the debate is for.
        number: Its place in the debate, from 1.
        speaker: Whose advocate spoke.
        stage: Opening, exchange or closing.
        content: What was said.
        claims: The claims made, one sentence each.
        rebuttals: Answers to claims of the other side.
        evidence: What was cited.
        advocate: Identity of whoever spoke: model, prompt, options. Never holds a key.
        prompt_hash: SHA-256 of the prompt template, for advocates that have one.
        usage: What it took.
    """

    call: str
    number: int
    speaker: Speaker
    stage: Stage
    content: str
    claims: tuple[str, ...] = ()
    rebuttals: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    advocate: str = ""
    prompt_hash: str | None = None
    usage: Usage = field(default_factory=Usage)


def stages(turns: int) -> tuple[Stage, ...]:
    """The stages of a side's turns: an opening, exchanges, a closing; a single turn is an opening.

    Args:
        turns: Turns a side.
    """
    if turns <= 1:
        return (Stage.OPENING,) * turns
    return (Stage.OPENING, *(Stage.EXCHANGE,) * (turns - 2), Stage.CLOSING)
