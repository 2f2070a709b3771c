"""A language model as a judge."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.answer import Answer, read_answer
from paragone.judges.base import JudgeCard, ListCard
from paragone.judges.ordering import order_of_reply, order_schema
from paragone.judges.rubrics import Rubric, cut, encodable, load, mark
from paragone.llm import Client, Message, Price, Reply, Request, connect
from paragone.llm.logprobs import probability_between

CRITERIA = ("novelty", "correctness", "testability", "impact", "clarity")
"""The criteria for hypotheses. Source: documents T and R."""

MOST = 20
"""The longest list that a model is asked to order."""

_ALIASES = {"merit": "impact"}
_LABELS = (Choice.FIRST.value, Choice.SECOND.value, Choice.TIE.value)
_CHARACTERS_A_TOKEN = 4
_LIKELY_ANSWER = 80
_LIKELY_SCORE = 16
_LIKELY_PLACE = 3


class LLMJudge:
    """Asks a language model which of two texts is better, or to put several in order.

    Where the endpoint gives log-probabilities, the verdict carries the model's probability that the first is better,
    read at the token that names the winner. For that the verdict has to come before the reasons: a model that has just
    written why the first is better is sure of it, and its probability no longer says how close the two were. Where no
    log-probabilities are wanted or to be had, the reasons come first, which makes the better letter.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        price: Price | None = None,
        temperature: float = 0.0,
        max_tokens: int = 512,
        logprobs: bool = True,
        scores: Sequence[str] = (),
        max_chars: int = 20_000,
        timeout: float = 120.0,
        client: Client | None = None,
    ) -> None:
        """Open a judge; no call is made yet.

        Args:
            model: The model's name; see ``paragone.llm.connect``.
            base_url: Address of an OpenAI-compatible endpoint; None for the provider's own.
            price: What the model costs; None for its list price, where that is known.
            temperature: Sampling temperature, from 0 to 2.
            max_tokens: Length of an answer at the most, 64 tokens or more. A model that thinks before it answers needs
                several thousand.
            logprobs: Whether to ask for log-probabilities.
            scores: Criteria to score both texts on, such as ``CRITERIA``; none by default.
            max_chars: Characters of a text that are shown; the rest is left out, and the model is told so.
            timeout: Seconds that one call may take.
            client: The client to use in place of the one that ``model``, ``base_url`` and ``timeout`` name.

        Raises:
            InvalidConfig: If an option is out of its range.
            MissingKey: If the provider's key is not in the environment.
            MissingExtra: If the provider's package is not installed.
        """
        _check(temperature, max_tokens, max_chars)
        self._client = connect(model, base_url=base_url, timeout=timeout) if client is None else client
        self._price = self._client.price if price is None else price
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._max_chars = max_chars
        self._logprobs = logprobs and self._client.gives_logprobs
        self._scores = tuple(dict.fromkeys(_ALIASES.get(name, name) for name in scores))
        self._rubric = load("verdict_first" if self._logprobs else "reasons_first")
        self._schema = answer_schema(self._scores, verdict_first=self._logprobs)
        self._ordering = load("ordering")
        self._card = JudgeCard(
            identity=self._identity(self._rubric, self._schema),
            prompt_hash=self._rubric.hash,
            lists=ListCard(
                identity=self._identity(self._ordering, order_schema()), prompt_hash=self._ordering.hash, most=MOST
            ),
        )

    def __repr__(self) -> str:
        return f"LLMJudge({self._card.identity!r})"

    @property
    def card(self) -> JudgeCard:
        """What the rest of the house must know about it."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, or order one list.

        Raises:
            JudgeFailed: If there was no answer, or none that can be read.
        """
        begun = time.perf_counter()
        reply = await self._client.ask(self._request(question))
        read = self._ordered if question.others else self._compared
        verdict = self._readable(reply, lambda: read(question, reply))
        return replace(verdict, usage=self._usage(reply, time.perf_counter() - begun))

    def _compared(self, question: Question, reply: Reply) -> Verdict:
        answer = read_reply(reply.parsed, self._scores)
        return Verdict(
            choice=answer.choice,
            judge=self._card.identity_for(question),
            probability=_probability(answer.choice, reply),
            scores=answer.scores,
            rationale=answer.rationale.strip(),
            prompt_hash=self._rubric.hash,
        )

    def _ordered(self, question: Question, reply: Reply) -> Verdict:
        order = order_of_reply(reply.parsed, len(question.items))
        rationale = (reply.parsed or {}).get("rationale")
        return Verdict(
            choice=Choice.RANKED,
            judge=self._card.identity_for(question),
            order=order,
            rationale=rationale.strip() if isinstance(rationale, str) else "",
            prompt_hash=self._ordering.hash,
        )

    def price(self, question: Question) -> float | None:
        """What the answer will cost at the most likely, in US dollars; None where the price is not known.

        A token is taken for four characters, an answer for 80 tokens, 16 more for each criterion that is scored, and 3
        for each item of a list.
        """
        if self._price is None:
            return None
        asked = sum(len(message.content) for message in self._request(question).messages)
        more = _LIKELY_PLACE * len(question.items) if question.others else _LIKELY_SCORE * len(self._scores)
        answered = min(self._max_tokens, _LIKELY_ANSWER + more)
        return self._price.of(asked // _CHARACTERS_A_TOKEN + 1, answered)

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.close()

    def _identity(self, rubric: Rubric, schema: Mapping[str, Any]) -> str:
        """Model, address where it is not the provider's own, and a hash of all else that changes answers."""
        options = {
            "prompt": rubric.hash,
            "schema": schema,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "max_chars": self._max_chars,
            "url": self._client.base_url,
        }
        digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()
        host = f"@{self._client.host}" if self._client.host else ""
        return f"llm:{self._client.model}{host}#{rubric.hash[:8]}{digest[:8]}"

    def _request(self, question: Question) -> Request:
        system, user = self._list_prompt(question) if question.others else self._pair_prompt(question)
        return Request(
            messages=(Message(role="system", content=system), Message(role="user", content=user)),
            schema=order_schema() if question.others else self._schema,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            logprobs=self._logprobs and not question.others,
        )

    def _pair_prompt(self, question: Question) -> tuple[str, str]:
        first, second, criteria = self._shown(question)
        fields = {"mark": mark(first, second, criteria), "criteria": criteria, "first": first, "second": second}
        return self._rubric.fill(0, scores=_asking_for(self._scores)), self._rubric.fill(1, **fields)

    def _list_prompt(self, question: Question) -> tuple[str, str]:
        *texts, criteria = self._shown(question)
        sign, count = mark(*texts, criteria), str(len(texts))
        fenced = (f"[BEGIN {at} {sign}]\n{text}\n[END {at} {sign}]" for at, text in enumerate(texts, start=1))
        user = self._ordering.fill(1, mark=sign, criteria=criteria, count=count, texts="\n\n".join(fenced))
        return self._ordering.fill(0, count=count), user

    def _shown(self, question: Question) -> list[str]:
        """The texts as the model sees them, and after them the criteria."""
        texts = [cut(encodable(item.text), self._max_chars) for item in question.items]
        return [*texts, encodable(question.criteria)]

    def _readable(self, reply: Reply, read: Callable[[], Verdict]) -> Verdict:
        """The verdict, or the failure that a malformed answer is.

        An answer that was cut at ``max_tokens`` would be cut again, so that asking again may not help.
        """
        if reply.parsed is None and reply.cut:
            raise JudgeFailed(
                f"{self._client.model} did not finish within {self._max_tokens} tokens: give it a higher max_tokens",
                retryable=False,
            )
        try:
            return read()
        except ValueError as error:
            raise JudgeFailed(f"{self._client.model} gave a malformed answer: {error}") from None

    def _usage(self, reply: Reply, seconds: float) -> Usage:
        cost = None if self._price is None else self._price.of(reply.input_tokens, reply.output_tokens)
        return Usage(
            calls=reply.calls,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost=cost,
            seconds=seconds,
        )


def answer_schema(scores: Sequence[str], *, verdict_first: bool) -> dict[str, Any]:
    """The JSON schema of an answer, with its fields in the order in which they are to be written."""
    verdict = {"verdict": {"type": "string", "enum": list(_LABELS)}}
    side = _object({"first": {"type": "number"}, "second": {"type": "number"}})
    scored = {"scores": _object(dict.fromkeys(scores, side))} if scores else {}
    rationale = {"rationale": {"type": "string"}}
    return _object(verdict | scored | rationale if verdict_first else rationale | scored | verdict)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _asking_for(scores: Sequence[str]) -> str:
    if not scores:
        return ""
    names = ", ".join(f'"{name}"' for name in scores)
    return f'- "scores": for each of {names} an object with numbers from 0 to 1 for "first" and "second".\n'


def read_reply(answer: Mapping[str, Any] | None, scores: Sequence[str]) -> Answer:
    """Read a model's answer.

    Args:
        answer: The JSON object that it gave, if any.
        scores: The criteria that it was asked to score; each must be there.

    Raises:
        ValueError: If it is malformed. An unknown label is an error, never a tie.
    """
    if answer is None:
        raise ValueError("it holds no JSON object, or more than one")
    label = answer.get("verdict")
    label = label.strip().lower() if isinstance(label, str) else label
    if label not in _LABELS:
        raise ValueError(f"its verdict must be one of {', '.join(_LABELS)}, not {str(label)[:40]!r}")
    scored = {name: _asked(answer.get("scores"), name) for name in scores}
    return read_answer({"winner": label, "scores": scored, "rationale": answer.get("rationale")})


def _asked(scores: object, criterion: str) -> object:
    found = scores.get(criterion) if isinstance(scores, dict) else None
    if found is None:
        raise ValueError(f"its scores for {criterion!r} are missing")
    return found


def _probability(choice: Choice, reply: Reply) -> float | None:
    """The model's probability that the first is better, ties left out; None where it called a tie.

    In a tie the two labels share what little is left, and their ratio would turn "they are close" into a claim.
    """
    if choice is Choice.TIE:
        return None
    return probability_between(reply.tokens, "verdict", Choice.FIRST, Choice.SECOND)


def _check(temperature: float, max_tokens: int, max_chars: int) -> None:
    if not 0.0 <= temperature <= 2.0:
        raise InvalidConfig(f"temperature lies between 0 and 2, not {temperature}")
    if max_tokens < 64:
        raise InvalidConfig(f"max_tokens must be at least 64, not {max_tokens}: a shorter answer is cut off")
    if max_chars < 1:
        raise InvalidConfig(f"max_chars must be at least 1, not {max_chars}")
