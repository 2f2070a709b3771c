"""A language model as an advocate."""

import hashlib
from collections.abc import Mapping
from typing import Any, Self

from paragone.domain import DebateTurn, Question, Speaker, Spending, Stage
from paragone.judges.base import in_debate
from paragone.judges.debates.debate import next_turn
from paragone.judges.dossier_prompt import presented
from paragone.judges.model import ModelCaller
from paragone.judges.prompts import closed, fenced_turns, turn_text
from paragone.judges.templates import PromptTemplate, load
from paragone.llm import Effort, ModelClient, ModelRequest, Price, Reply, connect
from paragone.llm.client import REQUEST_TIMEOUT

_LISTS = ("claims", "rebuttals", "evidence")
_LONG_ENOUGH = 1024
_LIKELY = 350
_MOST_ENTRIES = 12
_NOTHING_YET = "Nothing has been said yet."


class LLMAdvocate:
    """Has a language model argue for one side, with a prompt for each stage of a debate.

    The items and all earlier turns are fenced as data, not instructions: an advocate may well try to instruct the other
    side.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        price: Price | None = None,
        temperature: float = 0.0,
        max_tokens: int = _LONG_ENOUGH,
        effort: Effort | None = None,
        max_chars: int = 20_000,
        timeout: float = REQUEST_TIMEOUT,
        client: ModelClient | None = None,
    ) -> None:
        """Open an advocate; no call is made yet.

        Args:
            model: The model's name; see ``paragone.llm.connect``.
            base_url: Address of an OpenAI-compatible endpoint; None for the provider's own.
            price: The model's price; None for its list price, if that is known.
            temperature: Sampling temperature, from 0 to 2.
            max_tokens: Length of a turn at the most, 64 tokens or more, reasoning included; see ``LLMJudge``.
            effort: How hard a model that reasons should think; None leaves it to the model.
            max_chars: Characters of a text or a turn that the model sees; a remark says how much was left out.
            timeout: Seconds that one call may take.
            client: The client to use instead of opening one for ``model``, ``base_url`` and ``timeout``.

        Raises:
            InvalidConfig: If an option is out of its range.
            MissingKey: If the provider's key is not in the environment.
            MissingExtra: If the provider's package is not installed.
        """
        opened = connect(model, base_url=base_url, timeout=timeout) if client is None else client
        self._asking = ModelCaller(
            opened, price=price, temperature=temperature, max_tokens=max_tokens, max_chars=max_chars, effort=effort
        )
        self._shared = False
        self._templates = {stage: load(f"advocate_{stage}") for stage in Stage}
        self._schema = turn_schema()
        together = hashlib.sha256("".join(template.hash for template in self._templates.values()).encode()).hexdigest()
        combined = PromptTemplate(name="advocate", parts=(), hash=together)
        self._identity = self._asking.identity("advocate", combined, self._schema)

    @classmethod
    def like(cls, asking: ModelCaller) -> Self:
        """An advocate with a judge's model, over the judge's own connections, which it does not close."""
        advocate = cls(
            asking.client.model,
            client=asking.client,
            price=asking.rate,
            temperature=asking.temperature,
            max_tokens=max(asking.max_tokens, _LONG_ENOUGH),
            max_chars=asking.max_chars,
            effort=asking.effort,
        )
        advocate._shared = True
        return advocate

    def __repr__(self) -> str:
        return f"LLMAdvocate({self._identity!r})"

    @property
    def identity(self) -> str:
        """Model, address, and a hash of prompts and options."""
        return self._identity

    def prompt_hash(self, stage: Stage) -> str:
        """SHA-256 of the prompt template of a stage."""
        return self._templates[stage].hash

    async def argue(
        self, question: Question, speaker: Speaker, stage: Stage, so_far: tuple[DebateTurn, ...]
    ) -> DebateTurn:
        """Have the model write the turn.

        Raises:
            JudgeFailed: If there was no answer, or none that can be read.
        """
        request = self._request(question, speaker, stage, so_far)
        turn, usage = await self._asking.ask(request, read_turn)
        return DebateTurn(
            call=question.call,
            number=len(so_far) + 1,
            speaker=speaker,
            stage=stage,
            advocate=self._identity,
            prompt_hash=self.prompt_hash(stage),
            usage=usage,
            **turn,
        )

    def discovered(self) -> str:
        """What the first answer revealed about the model, in words; empty before."""
        return self._asking.discovered()

    def price(self, question: Question) -> float | None:
        """Expected cost of the next turn in US dollars; None if the price is unknown."""
        return self.forecast(question).dollars

    def forecast(self, question: Question) -> Spending:
        """Expected spending on the next turn, or else on an opening; a turn counts as 350 tokens."""
        following = next_turn(question) if in_debate(question) else (Speaker.FIRST, Stage.OPENING)
        return self._asking.forecast(self._request(question, *following, question.transcript), _LIKELY)

    async def close(self) -> None:
        """Close the connections, unless they are the judge's."""
        if not self._shared:
            await self._asking.client.close()

    def _request(
        self, question: Question, speaker: Speaker, stage: Stage, so_far: tuple[DebateTurn, ...]
    ) -> ModelRequest:
        limit, template = self._asking.max_chars, self._templates[stage]
        turn_texts = [turn_text(turn, limit) for turn in so_far]
        presentation = presented(question, limit, *turn_texts)
        side = speaker.upper()
        turns = fenced_turns(so_far, turn_texts, presentation.mark) or _NOTHING_YET
        user = template.fill(1, **presentation.slots, side=side, turns=turns)
        system = template.fill(0, side=side, other=speaker.opponent.upper(), dossier_rules=presentation.rules)
        return self._asking.request((system, user), self._schema)


def turn_schema() -> dict[str, Any]:
    """The JSON schema of a turn, with its fields in the order in which they are to be written."""
    several = {"type": "array", "items": {"type": "string"}}
    return closed({"content": {"type": "string"}, **dict.fromkeys(_LISTS, several)})


def read_turn(reply: Reply) -> dict[str, Any]:
    """Read a turn: ``content``, ``claims``, ``rebuttals`` and ``evidence``.

    Raises:
        ValueError: If the answer is malformed or empty.
    """
    answer = reply.parsed
    if answer is None:
        raise ValueError("it holds no JSON object, or more than one")
    content = answer.get("content")
    if not isinstance(content, str) or not content.strip():
        raise ValueError("its content must be text that says something")
    return {"content": content.strip(), **{name: _entries(answer, name) for name in _LISTS}}


def _entries(answer: Mapping[str, Any], name: str) -> tuple[str, ...]:
    entries = answer.get(name)
    if entries is None:  # without an enforced schema, models often leave an empty list out
        return ()
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise ValueError(f"its {name} must be a list of sentences")
    return tuple(entry.strip() for entry in entries[:_MOST_ENTRIES] if entry.strip())
