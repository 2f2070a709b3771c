"""Try a judge on labelled pairs: ask, keep the answers in a file, and go on from there after an interruption."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from paragone.analysis.quality.judge_trial import (
    LabelledPair,
    TrialAnswer,
    information,
    relative_sharpness,
    trial_figures,
)
from paragone.domain import Choice, CriterionScore, Dossier, Item, Question, Spending, Usage, Verdict
from paragone.domain.spending import total
from paragone.errors import InvalidConfig, JudgeFailed, UnreadableFile
from paragone.intake.vote import Votes
from paragone.judges.base import Judge, JudgeCard
from paragone.judges.call_options import ATTEMPTS, CONCURRENCY
from paragone.judges.debates.debate import Advocate, MemoryTurns
from paragone.judges.stack import Stack
from paragone.wire.judge_trial import JudgeTrial
from paragone.wire.spending import SpendingSummary


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

    Attributes:
        turns: Turns of debates in this process; what they took is kept with the answer.

    Raises:
        UnreadableFile: If it is there and holds anything else; a last line that was cut off is left out.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.turns = MemoryTurns()
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
        verdict = self.whole(question, verdict)
        self._answers[key, _repeat(question)] = verdict
        if self._path is None:
            return
        values = {"key": key, "repeat": _repeat(question), **asdict(verdict)}
        with self._path.open("ab") as file:
            file.write(json.dumps(values).encode("ascii") + b"\n")

    def whole(self, question: Question, verdict: Verdict) -> Verdict:
        """An answer with what the turns before it took."""
        usages = [verdict.usage, *(turn.usage for turn in self.turns.of(question.call))]
        if len(usages) == 1:
            return verdict
        costs = [usage.cost for usage in usages]
        usage = Usage(
            calls=sum(usage.calls for usage in usages),
            input_tokens=sum(usage.input_tokens for usage in usages),
            output_tokens=sum(usage.output_tokens for usage in usages),
            cost=None if None in costs else sum(filter(None, costs)),
            seconds=sum(usage.seconds for usage in usages),
        )
        return replace(verdict, usage=usage)


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


def protocols_of(card: JudgeCard, *, debates: bool) -> tuple[str, ...]:
    """The protocols that a judge can be tried in.

    Args:
        card: Its card.
        debates: Whether there is an advocate.
    """
    panel = ("panel",) if card.panel_debates is not None else ()
    return ("direct", *panel, *(("debate",) if debates and card.debates is not None else ()))


async def try_judge(
    judge: Judge,
    pairs: Sequence[LabelledPair],
    *,
    criteria: str,
    dossier: Dossier | None = None,
    again: int = 10,
    answers: AnswerFile | None = None,
    concurrency: int = CONCURRENCY,
    attempts: int = ATTEMPTS,
    protocol: str = "direct",
    advocate: Advocate | None = None,
    turns: int = 3,
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
        protocol: One of ``protocols_of``.
        advocate: Argues in debates.
        turns: Turns per side of a debate.
        on_answer: Called with how many questions are answered, and how many there are.

    Returns:
        The answers, and what they took when they were asked, earlier trials included.

    Raises:
        JudgeFailed: If the judge cannot answer at all.
    """
    unusable: list[JudgeFailed] = []
    store = AnswerFile() if answers is None else answers
    wrapped = Stack(
        store=store,
        advocate=advocate if protocol == "debate" else None,
        turns=store.turns,
        concurrency=concurrency,
        attempts=attempts,
        on_unusable=unusable.append,
    ).around(judge)
    questions = _questions(pairs, criteria, dossier, protocol=protocol, turns=turns, again=again)
    in_flight, done = asyncio.Semaphore(concurrency), 0

    async def answer(question: Question) -> Verdict:
        nonlocal done
        async with in_flight:
            if unusable:
                raise unusable[0]
            verdict = await wrapped.compare(question)
        if not verdict.cached:
            verdict = store.whole(question, verdict)
        done += 1
        on_answer(done, len(questions))
        return _in_form(verdict, judge.card.identity_for(question))

    trial_answers = await asyncio.gather(*(answer(question) for _, question in questions), return_exceptions=True)
    failure = next((each for each in trial_answers if isinstance(each, BaseException)), None)
    if unusable or failure is not None:
        raise unusable[0] if unusable else failure or RuntimeError("no answer")
    trial = tuple(
        TrialAnswer(pair=pair, a_first=a_first, repeat=repeat, verdict=verdict)
        for ((pair, a_first, repeat), _), verdict in zip(questions, trial_answers, strict=True)
        if isinstance(verdict, Verdict)
    )
    return trial, total(Spending.of(each.verdict.usage, decisions=1) for each in trial)


def _questions(
    pairs: Sequence[LabelledPair],
    criteria: str,
    dossier: Dossier | None,
    *,
    protocol: str,
    turns: int,
    again: int,
) -> list[tuple[tuple[int, bool, int], Question]]:
    """Every pair in both orders, and one order of some a second time, each with its pair, order and repeat."""
    forms: dict[str, dict[str, Any]] = {"panel": {"panel": True}, "debate": {"turns": turns}}
    prefix = "" if protocol == "direct" else f"{protocol}."
    presentations = [(pair, a_first, 0) for pair in range(len(pairs)) for a_first in (True, False)]
    presentations += [(pair, pair % 2 == 0, 1) for pair in range(min(again, len(pairs)))]
    questions = []
    for pair, a_first, repeat in presentations:
        item_ids = (pairs[pair].a, pairs[pair].b) if a_first else (pairs[pair].b, pairs[pair].a)
        question = Question(
            call=f"{prefix}{pair + 1}.{1 if a_first else 2}.{repeat}",
            first=item_ids[0],
            second=item_ids[1],
            criteria=criteria,
            dossier=dossier,
            **forms.get(protocol, {}),
        )
        questions.append(((pair, a_first, repeat), question))
    return questions


def _in_form(verdict: Verdict, identity: str) -> Verdict:
    """A verdict, or a failure where the judge fell back to another form, which is no evidence about this one."""
    if not verdict.choice.is_answer or verdict.judge == identity:
        return verdict
    return replace(verdict, choice=Choice.FAILED, probability=None, error="it was answered in another form")


async def tried(
    name: str,
    judge: Judge,
    pairs: Sequence[LabelledPair],
    protocols: Sequence[str],
    **how: Any,  # noqa: ANN401
) -> list[JudgeTrial]:
    """How a judge does in some protocols, the direct one first.

    Args:
        name: The judge, as it was named.
        judge: The judge; it is not closed.
        pairs: The pairs.
        protocols: Some of ``protocols_of``.
        how: As for ``try_judge``.

    Raises:
        JudgeFailed: If it cannot answer at all.
    """
    trials: list[JudgeTrial] = []
    for protocol in protocols:
        trial_answers, spending = await try_judge(judge, pairs, protocol=protocol, **how)
        trials.append(_trial(name, judge, pairs, protocol, trial_answers, spending, trials[0] if trials else None))
    return trials


def _trial(
    name: str,
    judge: Judge,
    pairs: Sequence[LabelledPair],
    protocol: str,
    trial_answers: Sequence[TrialAnswer],
    spending: Spending,
    direct: JudgeTrial | None,
) -> JudgeTrial:
    card, figures, decisions = judge.card, trial_figures(pairs, trial_answers), max(1, spending.decisions)
    form = {"panel": card.panel_debates, "debate": card.debates}.get(protocol) or card
    tokens = spending.tokens / decisions
    return JudgeTrial.like(
        figures,
        spec=name,
        protocol=protocol,
        judge=form.identity,
        prompt_hash=form.prompt_hash,
        pairs=len(pairs),
        sharpness=None if direct is None else relative_sharpness(figures.agreement, direct.agreement),
        information=information(figures.agreement) / tokens * 1000 if tokens else None,
        spending=SpendingSummary.like(spending.as_dict()),
        requests_per_decision=spending.requests / decisions,
        dollars_per_decision=None if spending.cost is None else spending.cost / decisions,
        tokens_per_decision=tokens,
        seconds_per_decision=spending.seconds / decisions,
    )
