"""What became of a question, as a worker writes it and a planner reads it. Answers themselves are in the ledger."""

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any

from paragone.domain import Choice, Usage, Verdict
from paragone.errors import JudgeFailed

ANSWERED, FAILED, SPENT, REFUSED = "answered", "failed", "spent", "refused"
"""Kinds of outcome: answered; no answer; the budget is spent; the worker may not or cannot ask it."""

_FAILURE = ("retryable", "attempts", "permanent", "misuse")


@dataclass(slots=True)
class AnswerNotes:
    """What happened while a question was asked.

    Attributes:
        failure: Why it has no answer.
        unusable: Whether the judge cannot answer at all.
        lost: Usage of the attempts without an answer.
        turns: Usage of the turns of its debate.
        events: Kind and detail of the events that were recorded.
        discovered: Who showed what in a first answer.
        outages: Who was paused: identity, reason and seconds.
        pending: What has to be on record before the question is done.
    """

    failure: JudgeFailed | None = None
    unusable: bool = False
    lost: list[Usage] = field(default_factory=list)
    turns: list[Usage] = field(default_factory=list)
    events: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    discovered: list[tuple[str, str]] = field(default_factory=list)
    outages: list[tuple[str, str, float | None]] = field(default_factory=list)
    pending: list["asyncio.Future[None]"] = field(default_factory=list)

    def outcome(self, verdict: Verdict) -> dict[str, Any]:
        """The outcome of a question that has a verdict, which may be a failure."""
        if verdict.choice is Choice.FAILED:
            return {**self._common(), **_failed(verdict)}
        return {**self._common(), "kind": ANSWERED, "cached_tokens": verdict.usage.cached_tokens}

    def _common(self) -> dict[str, Any]:
        failure = self.failure
        return {
            "failure": failure and {"message": str(failure), **{name: getattr(failure, name) for name in _FAILURE}},
            "unusable": self.unusable,
            "lost": [asdict(usage) for usage in self.lost],
            "turns": [asdict(usage) for usage in self.turns],
            "events": [[kind, dict(detail)] for kind, detail in self.events],
            "discovered": [list(each) for each in self.discovered],
            "outages": [list(each) for each in self.outages],
        }

    def ended(self, kind: str, why: str) -> dict[str, Any]:
        """The outcome of a question that has no verdict."""
        return {**self._common(), "kind": kind, "why": why}


def _failed(verdict: Verdict) -> dict[str, Any]:
    return {
        "kind": FAILED,
        "verdict": {
            "judge": verdict.judge,
            "prompt_hash": verdict.prompt_hash,
            "usage": asdict(verdict.usage),
            "error": verdict.error,
        },
    }


def failed_verdict(outcome: Mapping[str, Any]) -> Verdict:
    """The verdict of a question that failed."""
    values = dict(outcome["verdict"])
    return Verdict(choice=Choice.FAILED, usage=Usage(**values.pop("usage")), **values)


def failure_of(outcome: Mapping[str, Any]) -> JudgeFailed | None:
    """Why a question failed, without hints, which may hold keys."""
    failure = outcome["failure"]
    return failure and JudgeFailed(failure["message"], **{name: failure[name] for name in _FAILURE})


NOTES: ContextVar[AnswerNotes] = ContextVar("notes")
"""Those of the question that the present task asks."""
