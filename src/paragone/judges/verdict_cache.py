"""A cache of verdicts: a question that was answered before is not asked again."""

import asyncio
import hashlib
import json
from dataclasses import replace
from typing import Protocol
from weakref import WeakValueDictionary

from paragone.domain import DebateTurn, Question, Usage, Verdict
from paragone.judges.base import Judge, JudgeCard, Wrapper


class VerdictStore(Protocol):
    """Where verdicts are kept."""

    def find(self, question: Question, key: str) -> Verdict | None:
        """The verdict for a question, as it should be returned; None where there is none."""
        ...

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:
        """Take in an answer that was just given."""
        ...


class MemoryVerdicts:
    """Answered verdicts, in memory. A failure is no answer and is not kept."""

    def __init__(self) -> None:
        self._verdicts: dict[str, Verdict] = {}

    def __len__(self) -> int:
        return len(self._verdicts)

    def find(self, question: Question, key: str) -> Verdict | None:  # noqa: ARG002  # the key says it all
        """The kept verdict, marked as cached and costing nothing."""
        verdict = self._verdicts.get(key)
        return None if verdict is None else replace(verdict, cached=True, usage=Usage(cost=0.0))

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:  # noqa: ARG002
        """Keep it."""
        self._verdicts[key] = verdict


class Cached(Wrapper):
    """Looks into a store before asking, and puts every answer there; a failure is none.

    The same question asked twice at once is asked once: the second waits and finds the answer in the store.
    """

    def __init__(self, judge: Judge, store: VerdictStore) -> None:
        super().__init__(judge)
        self._store = store
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def compare(self, question: Question) -> Verdict:
        """The verdict from the store, else from the judge inside.

        Raises:
            JudgeFailed: If the judge inside failed; nothing is kept then.
        """
        key = verdict_key(question, self.card)
        async with self._asking.setdefault(key, asyncio.Lock()):
            cached = self._store.find(question, key)
            if cached is not None:
                return cached
            verdict = await self._judge.compare(question)
            if verdict.choice.is_answer:
                self._store.keep(question, key, verdict)
            return verdict


def verdict_key(question: Question, card: JudgeCard) -> str:
    """SHA-256, in hexadecimal, of everything that a verdict depends on.

    That is the texts in their order of presentation (so AB and BA differ), the ids where the judge reads them, the
    criteria, the judge's identity and the protocol, as one JSON array: no two different questions have the same. Of a
    debate it is also how long it is, who speaks, and what was said where that is part of the question.

    Source: document S, "キャッシュキーの構造".
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
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode("ascii")).hexdigest()


def _cited(turn: DebateTurn) -> list[list[str]]:
    return [list(turn.claims), list(turn.rebuttals), list(turn.evidence)]
