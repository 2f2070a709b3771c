"""Try a judge on labelled pairs: ask, keep the answers in a file, and go on from there after an interruption."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from paragone.analysis.quality.judge_trial import LabelledPair, TrialAnswer
from paragone.domain import Choice, CriterionScore, Dossier, Item, Question, Spending, Usage, Verdict
from paragone.domain.spending import total
from paragone.errors import InvalidConfig, JudgeFailed, UnreadableFile
from paragone.intake.vote import Votes
from paragone.judges.base import Judge
from paragone.judges.stack import stacked


def labelled_pairs(votes: Votes, texts: Mapping[str, str] | None = None) -> tuple[tuple[LabelledPair, ...], int]:
    """Pairs with labels from votes, and how many pairs have none, since their votes are ties or cancel out.

    Args:
        votes: The votes; several on a pair are added up.
        texts: The texts by id; None if the votes name the texts themselves.

    Raises:
        InvalidConfig: If an id has no text, or no pair has a label.
    """
    scores: dict[tuple[str, str], float] = {}
    for vote in votes:
        key, score = ((vote.a, vote.b), vote.score) if vote.a < vote.b else ((vote.b, vote.a), 1.0 - vote.score)
        scores[key] = scores.get(key, 0.0) + vote.weight * (score - 0.5)
    if texts is not None:
        missing = next((id for pair in scores for id in pair if id not in texts), None)
        if missing is not None:
            raise InvalidConfig(
                f"{votes.source}: {missing!r} is not among the items; the labelled pairs name their ids"
            )
    labelled = {pair: score for pair, score in scores.items() if abs(score) > 1e-9}
    if not labelled:
        raise InvalidConfig(f"{votes.source}: no pair has a label, a text that is better than the other")
    items = {id: Item(id=id, text=id if texts is None else texts[id]) for pair in labelled for id in pair}
    pairs = tuple(LabelledPair(a=items[a], b=items[b], a_is_better=score > 0) for (a, b), score in labelled.items())
    return pairs, len(scores) - len(labelled)


class AnswerFile:
    """Answers in a file of JSON lines, which a later trial of the same judge takes in place of asking.

    Args:
        path: The file; None keeps them in memory.

    Raises:
        UnreadableFile: If it is there and holds anything else; a last line that was cut off is left out.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._answers: dict[tuple[str, int], Verdict] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                values = json.loads(line)
                self._answers[values["key"], values["repeat"]] = _verdict(values)
            except (ValueError, KeyError, TypeError) as error:
                if number == len(lines):  # the process was killed while it wrote this one
                    path.write_bytes(b"\n".join([*lines[:-1], b""]))
                    return
                raise UnreadableFile(f"{path}, line {number}: not an answer of a trial; name another file") from error

    def find(self, question: Question, key: str) -> Verdict | None:
        """The answer to a question, at no cost."""
        verdict = self._answers.get((key, _repeat(question)))
        return None if verdict is None else replace(verdict, cached=True)

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:
        """Write an answer down."""
        self._answers[key, _repeat(question)] = verdict
        if self._path is None:
            return
        values = {"key": key, "repeat": _repeat(question), **asdict(verdict)}
        with self._path.open("ab") as file:
            file.write(json.dumps(values).encode("ascii") + b"\n")


def _verdict(values: dict[str, Any]) -> Verdict:
    return Verdict(
        choice=Choice(values["choice"]),
        judge=values["judge"],
        probability=values["probability"],
        scores=tuple(CriterionScore(**score) for score in values["scores"]),
        rationale=values["rationale"],
        prompt_hash=values["prompt_hash"],
        usage=Usage(**values["usage"]),
    )


def _repeat(question: Question) -> int:
    return int(question.call.rpartition(".")[2])


async def try_judge(
    judge: Judge,
    pairs: Sequence[LabelledPair],
    *,
    criteria: str,
    dossier: Dossier | None = None,
    again: int = 10,
    answers: AnswerFile | None = None,
    concurrency: int = 8,
    attempts: int = 3,
    on_answer: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> tuple[tuple[TrialAnswer, ...], Spending]:
    """Ask a judge about every pair in both orders, and about some a second time.

    Args:
        judge: The judge; it is not closed.
        pairs: The pairs.
        criteria: What "better" means.
        dossier: What it sees beside the texts.
        again: Pairs of which one order is asked a second time, to see whether it repeats itself.
        answers: Where answers are kept and taken from; in memory by default.
        concurrency: Calls in flight.
        attempts: Tries for a question before it counts as failed.
        on_answer: Called with how many questions are answered, and how many there are.

    Returns:
        The answers, and what they took when they were asked, earlier trials included.

    Raises:
        JudgeFailed: If the judge cannot answer at all.
    """
    unusable: list[JudgeFailed] = []
    wrapped = stacked(
        judge,
        store=AnswerFile() if answers is None else answers,
        concurrency=concurrency,
        attempts=attempts,
        on_unusable=unusable.append,
    )
    asked = [(pair, a_first, 0) for pair in range(len(pairs)) for a_first in (True, False)]
    asked += [(pair, pair % 2 == 0, 1) for pair in range(min(again, len(pairs)))]
    in_flight, done = asyncio.Semaphore(concurrency), 0

    async def answer(pair: int, a_first: bool, repeat: int) -> TrialAnswer:
        nonlocal done
        shown = pairs[pair]
        first, second = (shown.a, shown.b) if a_first else (shown.b, shown.a)
        question = Question(
            call=f"{pair + 1}.{1 if a_first else 2}.{repeat}",
            first=first,
            second=second,
            criteria=criteria,
            dossier=dossier,
        )
        async with in_flight:
            if unusable:
                raise unusable[0]
            verdict = await wrapped.compare(question)
        done += 1
        on_answer(done, len(asked))
        return TrialAnswer(pair=pair, a_first=a_first, repeat=repeat, verdict=verdict)

    given = await asyncio.gather(*(answer(*each) for each in asked), return_exceptions=True)
    failure = next((each for each in given if isinstance(each, BaseException)), None)
    if unusable or failure is not None:
        raise unusable[0] if unusable else failure or RuntimeError("no answer")
    told = tuple(each for each in given if isinstance(each, TrialAnswer))
    return told, total(Spending.of(each.verdict.usage, decisions=1) for each in told)
