"""Prompts and answer schemas for pairs, lists and debates.

Items, turns and the dossier are untrusted: each stands between a begin and an end line with a mark that none of the
texts contains, and the system's message says that nothing in between is an instruction. So a text can neither end its
own fence nor begin another. The criteria are the user's own words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from paragone.domain import Choice, DebateTurn, Question, Verdict
from paragone.domain.parameter import SYNONYMS
from paragone.errors import JudgeFailed
from paragone.judges.answer import (
    LABELS,
    Answer,
    answer_of_reply,
    asked_score,
    order_of_reply,
    order_schema,
    read_answer,
    read_panel,
)
from paragone.judges.base import AnswerContents
from paragone.judges.dossier_prompt import presented
from paragone.judges.fences import cut, encodable
from paragone.judges.templates import PromptTemplate, load
from paragone.llm import Reply
from paragone.llm.reply import probability_between

Criteria = Sequence[str] | Mapping[str, float]
"""Criteria to score texts on, or the weight of each."""

_LIKELY_ANSWER = 80
_LIKELY_DECISION = 200
_LIKELY_PANEL = 520
_LIKELY_SCORE = 16
_LIKELY_PLACE = 3


class PromptForm(Protocol):
    """A prompt, the schema of its answer, and the reader of that answer.

    Attributes:
        template: Its template.
        schema: The schema of an answer to a question without a rubric.
        contents: What such an answer must hold.
    """

    template: PromptTemplate
    schema: dict[str, Any]
    contents: AnswerContents

    def schema_for(self, question: Question) -> dict[str, Any]:
        """The schema of the answer to a question."""
        ...

    def prompt(self, question: Question, max_chars: int) -> tuple[str, str]:
        """The system's message and the user's."""
        ...

    def likely(self, question: Question) -> int:
        """Expected tokens of an answer."""
        ...

    def read(self, question: Question, reply: Reply, judge: str) -> Verdict:
        """The verdict, without its usage.

        Raises:
            ValueError: If the answer is malformed.
        """
        ...


class PairForm:
    """Two texts side by side, a quick verdict and a brief rationale.

    Source: the Ranking Agent specification, "Single-Turn Comparison".

    Args:
        scores: Criteria to score, optionally with weights; None for those of the question's rubric, if it has one.
        logprobs: Whether the verdict comes first, so that its probability can be read.
        template: The template; one of this package by default.

    Attributes:
        reasons_first: The form to use without log-probabilities; None if this is that form.
    """

    def __init__(
        self,
        scores: Criteria | None,
        *,
        logprobs: bool,
        template: PromptTemplate | None = None,
    ) -> None:
        self._scoring = ScoredCriteria(() if scores is None else scores, by_rubric=scores is None)
        self.contents = AnswerContents(rationale=True, weights=self._scoring.weights)
        self.reasons_first = PairForm(scores, logprobs=False) if logprobs else None
        self._verdict_first = logprobs
        self.template = template or load("pair_verdict_first" if logprobs else "pair_reasons_first")
        self.schema = answer_schema(tuple(self.contents.weights), verdict_first=logprobs)

    def schema_for(self, question: Question) -> dict[str, Any]:
        """The schema of the answer to a question."""
        return answer_schema(tuple(self._scoring.of(question)), verdict_first=self._verdict_first)

    def prompt(self, question: Question, max_chars: int) -> tuple[str, str]:
        """The system's message and the user's."""
        presentation = presented(question, max_chars)
        fields = {"scores": self._scoring.line(question), "dossier_rules": presentation.rules}
        return self.template.fill(0, **fields), self.template.fill(1, **presentation.slots)

    def likely(self, question: Question) -> int:
        """80 tokens, and 16 more for each criterion that is scored."""
        return _LIKELY_ANSWER + _LIKELY_SCORE * len(self._scoring.of(question))

    def read(self, question: Question, reply: Reply, judge: str) -> Verdict:
        """The verdict, with the model's probability if it can be read."""
        if reply.without_logprobs and self.reasons_first is not None:
            return self.reasons_first.read(question, reply, judge)
        answer = answer_of_reply(reply.parsed, tuple(self._scoring.of(question)))
        return _verdict(answer, self.template, judge, None if self.reasons_first is None else reply)


class ListForm:
    """Several texts to be put in order."""

    def __init__(self) -> None:
        self.contents = AnswerContents(rationale=True)
        self.template = load("ordering")
        self.schema = order_schema()

    def schema_for(self, question: Question) -> dict[str, Any]:  # noqa: ARG002  # lists are not scored
        """The schema of the answer to a question."""
        return self.schema

    def prompt(self, question: Question, max_chars: int) -> tuple[str, str]:
        """The system's message and the user's."""
        presentation, count = presented(question, max_chars), str(len(question.items))
        sign, numbered = presentation.mark, enumerate(zip(presentation.texts, presentation.notes, strict=True), start=1)
        fenced = (f"[BEGIN {at} {sign}]\n{text}\n[END {at} {sign}]{notes}" for at, (text, notes) in numbered)
        user = self.template.fill(
            1,
            mark=sign,
            criteria=presentation.criteria,
            count=count,
            dossier=presentation.dossier,
            texts="\n\n".join(fenced),
        )
        return self.template.fill(0, count=count, dossier_rules=presentation.rules), user

    def likely(self, question: Question) -> int:
        """80 tokens, and 3 for each item."""
        return _LIKELY_ANSWER + _LIKELY_PLACE * len(question.items)

    def read(self, question: Question, reply: Reply, judge: str) -> Verdict:
        """The order."""
        order = order_of_reply(reply.parsed, len(question.items))
        rationale = (reply.parsed or {}).get("rationale")
        return Verdict(
            choice=Choice.RANKED,
            judge=judge,
            order=order,
            rationale=rationale.strip() if isinstance(rationale, str) else "",
            prompt_hash=self.template.hash,
        )


class DebateForm:
    """Two texts and the debate about them: reasons, a score on every criterion, a decision.

    The reasons come first, which makes a better rationale; so no probability is asked for.

    Source: the Ranking Agent specification, "Multi-Turn Scientific Debate".

    Args:
        scores: Criteria to score, optionally with weights.
    """

    def __init__(self, scores: Criteria) -> None:
        self._scoring = ScoredCriteria(scores, by_rubric=True)
        self.contents = AnswerContents(rationale=True, weights=self._scoring.weights)
        self.template = load("debate")
        self.schema = answer_schema(tuple(self.contents.weights), verdict_first=False)

    def schema_for(self, question: Question) -> dict[str, Any]:
        """The schema of the answer to a question."""
        return answer_schema(tuple(self._scoring.of(question)), verdict_first=False)

    def prompt(self, question: Question, max_chars: int) -> tuple[str, str]:
        """The system's message and the user's.

        Raises:
            JudgeFailed: If the debate was not held.
        """
        if not question.transcript:
            raise JudgeFailed("a debate is to be judged that was not held: it needs an advocate", retryable=False)
        turn_texts = [turn_text(turn, max_chars) for turn in question.transcript]
        presentation = presented(question, max_chars, *turn_texts)
        turns = fenced_turns(question.transcript, turn_texts, presentation.mark)
        system = self.template.fill(0, scores=self._scoring.line(question), dossier_rules=presentation.rules)
        return system, self.template.fill(1, **presentation.slots, turns=turns)

    def likely(self, question: Question) -> int:
        """200 tokens, and 16 more for each criterion."""
        return _LIKELY_DECISION + _LIKELY_SCORE * len(self._scoring.of(question))

    def read(self, question: Question, reply: Reply, judge: str) -> Verdict:
        """The decision."""
        return _verdict(answer_of_reply(reply.parsed, tuple(self._scoring.of(question))), self.template, judge, None)


class ScoredCriteria:
    """On which criteria both texts are scored.

    Args:
        scores: The criteria where the question has no rubric, optionally with weights.
        by_rubric: Whether a rubric's criteria take their place.

    Attributes:
        weights: The weights without a rubric.
    """

    def __init__(self, scores: Criteria, *, by_rubric: bool) -> None:
        self.weights = weighted(scores)
        self._weighted, self._by_rubric = isinstance(scores, Mapping), by_rubric

    def of(self, question: Question) -> Mapping[str, float]:
        """The weight of each criterion to score."""
        rubric = self._rubric_weights(question)
        return self.weights if rubric is None else rubric

    def line(self, question: Question) -> str:
        """The line of a prompt that asks for the scores; empty without any."""
        rubric = self._rubric_weights(question)
        if rubric is None:
            return asking_for(self.weights, weighted=self._weighted)
        return asking_for(rubric, weighted=True)

    def _rubric_weights(self, question: Question) -> Mapping[str, float] | None:
        return rubric_weights(question) if self._by_rubric else None


def rubric_weights(question: Question) -> Mapping[str, float] | None:
    """The weights of the question's rubric; None if it has none."""
    rubric = None if question.dossier is None else question.dossier.rubric
    return None if rubric is None else rubric.weights


class PanelForm:
    """Two texts and a debate about them within the answer: experts argue for both, answer each other, score and vote.

    The verdict is that of most votes, a tie where the two texts have as many. With ``n`` experts of whom ``v`` vote for
    the first (a tie is half a vote), the probability that the first is better is ``(v + 1) / (n + 2)``: that of
    Laplace's rule, which is never certain. The arguments and votes stand in the rationale.

    Args:
        scores: Criteria to score, optionally with weights.
    """

    def __init__(self, scores: Criteria) -> None:
        self._scoring = ScoredCriteria(scores, by_rubric=True)
        self.contents = AnswerContents(rationale=True, weights=self._scoring.weights)
        self.template = load("panel_debate")
        self.schema = panel_schema(tuple(self.contents.weights))

    def schema_for(self, question: Question) -> dict[str, Any]:
        """The schema of the answer to a question."""
        return panel_schema(tuple(self._scoring.of(question)))

    def prompt(self, question: Question, max_chars: int) -> tuple[str, str]:
        """The system's message and the user's."""
        presentation = presented(question, max_chars)
        fields = {"scores": self._scoring.line(question), "dossier_rules": presentation.rules}
        return self.template.fill(0, **fields), self.template.fill(1, **presentation.slots)

    def likely(self, question: Question) -> int:
        """520 tokens, and 16 more for each criterion."""
        return _LIKELY_PANEL + _LIKELY_SCORE * len(self._scoring.of(question))

    def read(self, question: Question, reply: Reply, judge: str) -> Verdict:
        """The verdict by votes."""
        debate = read_panel(reply.parsed)
        scored = {name: asked_score((reply.parsed or {}).get("scores"), name) for name in self._scoring.of(question)}
        answer = read_answer({"winner": debate.choice.value, "scores": scored, "rationale": debate.text})
        verdict = _verdict(answer, self.template, judge, None)
        return replace(verdict, probability=debate.probability)


def weighted(scores: Criteria) -> dict[str, float]:
    """Weights of the criteria by their names in this package: 1 each by default; those of weight 0 are left out."""
    weights = scores if isinstance(scores, Mapping) else dict.fromkeys(scores, 1.0)
    return {SYNONYMS.get(name, name): weight for name, weight in weights.items() if weight > 0.0}


def turn_text(turn: DebateTurn, max_chars: int) -> str:
    """A turn as the model sees it."""
    lists = (("Claims", turn.claims), ("Rebuttals", turn.rebuttals), ("Evidence cited", turn.evidence))
    parts = [f"{name}:\n" + "\n".join(f"- {entry}" for entry in entries) for name, entries in lists if entries]
    return cut(encodable("\n".join([turn.content, *parts])), max_chars)


def fenced_turns(turns: Sequence[DebateTurn], texts: Sequence[str], sign: str) -> str:
    """The turns, each within its fence."""
    names = (f"TURN {turn.number}: {turn.stage.upper()} FOR THE {turn.speaker.upper()}" for turn in turns)
    return "\n\n".join(
        f"[BEGIN {name} {sign}]\n{text}\n[END {name} {sign}]" for name, text in zip(names, texts, strict=True)
    )


def answer_schema(scores: Sequence[str], *, verdict_first: bool) -> dict[str, Any]:
    """The JSON schema of an answer, with its fields in the order in which they are to be written."""
    verdict = {"verdict": {"type": "string", "enum": list(LABELS)}}
    side = closed({"first": {"type": "number"}, "second": {"type": "number"}})
    scored = {"scores": closed(dict.fromkeys(scores, side))} if scores else {}
    rationale = {"rationale": {"type": "string"}}
    return closed(verdict | scored | rationale if verdict_first else rationale | scored | verdict)


def panel_schema(scores: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of a panel debate, with its fields in the order in which they are to be written."""
    sentences = {"type": "array", "items": {"type": "string"}}
    text, vote = {"type": "string"}, {"type": "string", "enum": list(LABELS)}
    side = closed({"first": {"type": "number"}, "second": {"type": "number"}})
    scored = {"scores": closed(dict.fromkeys(scores, side))} if scores else {}
    votes = {"type": "array", "items": closed({"expert": text, "reason": text, "vote": vote})}
    argued = dict.fromkeys(("for_first", "for_second", "rebuttals"), sentences)
    return closed({**argued, **scored, "votes": votes, "rationale": text})


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def asking_for(weights: Mapping[str, float], *, weighted: bool) -> str:
    """The line of a prompt that asks for scores, with their weights if these were given."""
    if not weights:
        return ""
    names = ", ".join(f'"{name}"' for name in weights)
    line = f'- "scores": for each of {names} an object with numbers from 0 to 1 for "first" and "second".'
    if weighted:
        total = sum(weights.values())
        shares = ", ".join(f"{name} {weight / total:.0%}" for name, weight in weights.items())
        line += f" In the decision they weigh: {shares}."
    return f"{line}\n"


def _verdict(answer: Answer, template: PromptTemplate, judge: str, reply: Reply | None) -> Verdict:
    return Verdict(
        choice=answer.choice,
        judge=judge,
        probability=None if reply is None else _probability(answer.choice, reply),
        scores=answer.scores,
        rationale=answer.rationale.strip(),
        prompt_hash=template.hash,
    )


def _probability(choice: Choice, reply: Reply) -> float | None:
    """The model's probability that the first is better, given no tie; None if it called a tie, or had reasoned.

    In a tie the two labels share the little mass that is left, and their ratio would turn "they are close" into a
    claim. After reasoning a model is sure of whatever it concluded.
    """
    if choice is Choice.TIE or reply.reasoned:
        return None
    return probability_between(reply.tokens, "verdict", Choice.FIRST, Choice.SECOND)
