"""Ask the first question of a run alone: what it shows about the model serves all that follow."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge, JudgeCard, Wrapper, in_debate
from paragone.judges.debates.advocate import Advocate
from paragone.judges.panel_judge import PanelJudge

PATIENCE = 3
"""Questions in a row that a judge may fail before its first answer."""


@runtime_checkable
class Remote(Protocol):
    """A judge or an advocate whose abilities show only in its first answer."""

    def discovered(self) -> str:
        """What its first answer showed, in words; empty before."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Discovery:
    """What the first answer of a judge or an advocate showed.

    Attributes:
        who: Its identity.
        words: The form of its answers, log-probabilities, reasoning, and its price.
    """

    who: str
    words: str


@dataclass(slots=True)
class _Probe:
    """Whether questions may pass to one model: one at a time until it has answered."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_open: bool = False
    unanswered: int = 0


class Preflight(Wrapper):
    """Lets one question through to each model, and the others once it is answered.

    The first question is a real one: it costs nothing extra, its answer is kept like any other, and a resumed run does
    not pay for it again. One request reveals a wrong key or an unknown model, a few an endpoint that is down;
    parameters that the endpoint refuses and the token limit that the model needs are found once, not by every call in
    flight.

    Put it outside ``CircuitBreaker`` and ``Retrying``, so that a question counts with all its retries, and inside
    ``Cached``, so that a cached verdict asks nobody.
    """

    def __init__(
        self,
        judge: Judge,
        remotes: Mapping[str, Remote],
        *,
        is_new: bool = True,
        on_discovery: Callable[[Discovery], None] = lambda discovery: None,  # noqa: ARG005
        on_unusable: Callable[[JudgeFailed], None] = lambda failure: None,  # noqa: ARG005
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            remotes: Judges and advocates to try alone first, by every identity of theirs; others are asked at once.
            is_new: Whether the tournament has no answer yet.
            on_discovery: Called with what each first answer showed.
            on_unusable: Called with the failure if a judge on its own fails for good, or fails ``PATIENCE`` questions
                before its first answer. A panel's member or an advocate is paused instead; see ``CircuitBreaker``.
        """
        super().__init__(judge)
        self._remotes = remotes
        self._is_new = is_new
        self._on_discovery = on_discovery
        self._on_unusable = on_unusable
        self._probes: dict[int, _Probe] = {}

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, after the first one.

        Raises:
            JudgeFailed: If there was no answer.
        """
        who, alone = answering(self.card, question)
        remote = self._remotes.get(who)
        if remote is not None:
            probe = self._probes.setdefault(id(remote), _Probe())
            async with probe.lock:
                if not probe.is_open:
                    return await self._first(question, probe, remote)
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            if alone and failure.permanent:
                self._on_unusable(failure)
            raise

    async def _first(self, question: Question, probe: _Probe, remote: Remote) -> Verdict:
        """Ask a model that has not answered yet."""
        who, alone = answering(self.card, question)
        try:
            verdict = await self._judge.compare(question)
        except JudgeFailed as failure:
            probe.unanswered += 1
            probe.is_open = failure.permanent or probe.unanswered == PATIENCE
            if alone and probe.is_open and self._is_out(failure):
                self._on_unusable(failure)
            raise
        probe.is_open = True
        self._on_discovery(Discovery(who=who, words=remote.discovered()))
        return verdict

    def _is_out(self, failure: JudgeFailed) -> bool:
        """Whether the failure is the endpoint's, or the model's before its first answer.

        The open questions of a resumed tournament may be those that the model declines: they stop nothing.
        """
        silent = failure.retryable and not any(failure.tokens or ())
        return failure.permanent or silent or self._is_new


def answering(card: JudgeCard, question: Question) -> tuple[str, bool]:
    """Identity of who answers a question, and whether it is a judge on its own, which nothing can replace."""
    if in_debate(question):
        return ("" if card.debates is None else card.debates.advocate), False
    member = card.answering(question)
    return member.identity_for(question), member is card


def remotes_of(judge: Judge, advocate: Advocate | None) -> dict[str, Remote]:
    """Judges and advocates to ask alone first, by every identity of theirs."""
    members = judge.members if isinstance(judge, PanelJudge) else (judge,)
    remotes: dict[str, Remote] = {
        name: member for member in members if isinstance(member, Remote) for name in member.card.identities
    }
    return remotes | ({advocate.identity: advocate} if isinstance(advocate, Remote) else {})
