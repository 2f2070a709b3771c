"""A question that was answered before is not asked again."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable
from dataclasses import replace
from typing import Protocol
from weakref import WeakValueDictionary

from paragone.domain import DebateTurn, Question, Usage, Verdict
from paragone.judges.base import Judge, JudgeCard, Wrapper
from paragone.judges.limits import Slots


class VerdictStore(Protocol):
    """Where verdicts are kept."""

    def find(self, question: Question, key: str) -> Verdict | Awaitable[Verdict | None] | None:
        """The verdict for a question, as it should be returned, at once or a little later; None where there is none."""
        ...

    def keep(self, question: Question, key: str, verdict: Verdict) -> Awaitable[None] | None:
        """Store an answer; what is returned, if anything, ends when it is safe."""
        ...


class MemoryVerdicts:
    """Verdicts in memory. Failures are not kept."""

    def __init__(self) -> None:
        self._verdicts: dict[str, Verdict] = {}

    def __len__(self) -> int:
        return len(self._verdicts)

    def find(self, question: Question, key: str) -> Verdict | None:  # noqa: ARG002  # the key says it all
        """The stored verdict, marked as cached and costing nothing."""
        verdict = self._verdicts.get(key)
        return None if verdict is None else replace(verdict, cached=True, usage=Usage(cost=0.0))

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:  # noqa: ARG002
        """Keep it."""
        self._verdicts[key] = verdict


class Cached(Wrapper):
    """A cache: looks into a store before asking, and stores every answer but no failure.

    The same question put twice at once is asked once: the second waits and finds the answer in the store. A question
    counts as in progress until its answer is safe, so that a crash costs at most as many answers as the judge takes
    questions at once.
    """

    def __init__(self, judge: Judge, store: VerdictStore, concurrency: int | None = None) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            store: Where answers are kept.
            concurrency: Questions in progress at once at the most; None for no limit.
        """
        super().__init__(judge)
        self._store = store
        self._slots = Slots(concurrency)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def compare(self, question: Question) -> Verdict:
        """The verdict from the store, else from the judge inside.

        Raises:
            JudgeFailed: If the judge inside failed; nothing is kept then.
        """
        key = verdict_key(question, self.card)
        # The lock lives as long as somebody holds or awaits it; the dictionary alone keeps none.
        async with self._asking.setdefault(key, asyncio.Lock()):
            looked_up = self._store.find(question, key)
            cached = await looked_up if isinstance(looked_up, Awaitable) else looked_up
            if cached is not None:
                return cached
            async with self._slots.slot():
                verdict = await self._judge.compare(question)
                if verdict.choice.is_answer:
                    stored = self._store.keep(question, key, verdict)
                    if stored is not None:
                        await stored
                return verdict


def verdict_key(question: Question, card: JudgeCard) -> str:
    """SHA-256, in hexadecimal, of everything that a verdict depends on.

    It hashes one JSON array: the texts in their order of presentation (so AB and BA differ), the ids where the judge
    reads them, the criteria, the judge's identity and the protocol; for a debate also its length, the advocate, and
    the turns where they are part of the question; and the dossier, if there is one and the judge reads it.

    Source: the Swiss specification, "キャッシュキーの構造".
    """
    who = card.answering(question)
    parts: list[object] = [
        "paragone verdict 1",
        [item.content_hash for item in question.items],
        [item.id for item in question.items] if who.reads_ids else None,
        question.criteria,
        who.identity_for(question),
        question.protocol.value,
    ]
    if question.turns or question.transcript:
        turns = [[turn.speaker, turn.stage, turn.content, *_cited(turn)] for turn in question.transcript]
        parts.append([question.turns, "" if card.debates is None else card.debates.advocate, turns])
    dossier_counts = who.reads_dossier or question.turns  # an advocate may read what its judge does not
    if dossier_counts and question.dossier is not None and not question.dossier.is_empty:
        parts.append(["dossier", question.dossier.hash, who.dossier_hash])
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode("ascii")).hexdigest()


def _cited(turn: DebateTurn) -> list[list[str]]:
    return [list(turn.claims), list(turn.rebuttals), list(turn.evidence)]
