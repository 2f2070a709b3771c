"""The first question of a run is asked alone: what it shows of the model holds for all that follow."""

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
"""Questions that a judge may leave unanswered, one after another, before the first answer."""


@runtime_checkable
class Remote(Protocol):
    """A judge or an advocate of which some is known only once it has answered."""

    def discovered(self) -> str:
        """What its first answer showed, in words; empty before that."""
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
class _Door:
    """Whether questions may pass to one voice: one at a time until one was answered."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_open: bool = False
    unanswered: int = 0


class Preflight(Wrapper):
    """Lets one question through to each model, and the others only once that was answered.

    The first question of the run is a real one: it costs nothing extra, its answer is kept like any other, and a run
    that goes on does not pay for it again. A wrong key or an unknown model is found by one request, an endpoint that
    is down by a few; parameters that the endpoint refuses and the limit of tokens that the model needs are found out
    once and not by all calls at a time.

    Put it outside ``CircuitBreaker`` and ``Retrying``, so that a question counts with all its retries, and inside
    ``Cached``,
    so that what is known asks nobody.
    """

    def __init__(
        self,
        judge: Judge,
        remotes: Mapping[str, Remote],
        *,
        is_new: bool = True,
        discovered: Callable[[Discovery], None] = lambda discovery: None,  # noqa: ARG005
        out: Callable[[JudgeFailed], None] = lambda failure: None,  # noqa: ARG005
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            remotes: Who is to be tried first, by each name that its answers may bear; others are asked at once.
            is_new: Whether no question of the tournament was answered before this run.
            discovered: Told of the first answer of each.
            out: Told of the failure where the judge on its own refuses for good, or leaves ``PATIENCE`` questions
                unanswered before its first answer. A panel's member or an advocate is paused instead; see
                ``CircuitBreaker``.
        """
        super().__init__(judge)
        self._remotes = remotes
        self._is_new = is_new
        self._discovered = discovered
        self._out = out
        self._doors: dict[int, _Door] = {}

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, after the first one.

        Raises:
            JudgeFailed: If there was no answer.
        """
        who, alone = answering(self.card, question)
        remote = self._remotes.get(who)
        if remote is not None:
            probe = self._doors.setdefault(id(remote), _Door())
            async with probe.lock:
                if not probe.is_open:
                    return await self._first(question, probe, remote)
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            if alone and failure.permanent:
                self._out(failure)
            raise

    async def _first(self, question: Question, probe: _Door, remote: Remote) -> Verdict:
        """Answer a question to somebody who has not answered any yet."""
        who, alone = answering(self.card, question)
        try:
            verdict = await self._judge.compare(question)
        except JudgeFailed as failure:
            probe.unanswered += 1
            probe.is_open = failure.permanent or probe.unanswered == PATIENCE
            if alone and probe.is_open and self._is_out(failure):
                self._out(failure)
            raise
        probe.is_open = True
        self._discovered(Discovery(who=who, words=remote.discovered()))
        return verdict

    def _is_out(self, failure: JudgeFailed) -> bool:
        """Whether a failure is the endpoint's, or the model's before it ever answered.

        Of a tournament that goes on, the questions that are open may be those that a model declines: they stop nobody.
        """
        silent = failure.retryable and not any(failure.tokens or ())
        return failure.permanent or silent or self._is_new


def answering(card: JudgeCard, question: Question) -> tuple[str, bool]:
    """Who answers a question, by identity, and whether it is a judge on its own, whom nobody can replace."""
    if in_debate(question):
        return ("" if card.debates is None else card.debates.advocate), False
    member = card.answering(question)
    return member.identity_for(question), member is card


def remotes_of(judge: Judge, advocate: Advocate | None) -> dict[str, Remote]:
    """Those who are asked alone at first, by each name that their answers may bear."""
    members = judge.members if isinstance(judge, PanelJudge) else (judge,)
    remotes: dict[str, Remote] = {
        name: member for member in members if isinstance(member, Remote) for name in member.card.identities
    }
    return remotes | ({advocate.identity: advocate} if isinstance(advocate, Remote) else {})
