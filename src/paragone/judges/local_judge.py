"""The small judge that runs in this process: no key, no network."""

import asyncio
import time
from threading import Lock

from paragone.domain import Choice, Question, Spending, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import JudgeCard
from paragone.judges.fences import encodable
from paragone.judges.templates import load
from paragone.llm.local_model import (
    MEGABYTES,
    LocalModel,
    TooLong,
    check_installed,
    find_weights,
    install_command,
    install_weights,
    probability_of,
)

__all__ = ["MEGABYTES", "LocalJudge", "install_command", "install_weights"]

_TEXT = 1200
_CRITERIA = 300
_SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)


class LocalJudge:
    """Asks SmolLM2-135M which of two texts is better, by letting it complete a list of judged pairs.

    Its letters say nothing, since it names the first nearly always; its probability is the evidence. How much more it
    inclines to the first than it always does tells which is better, and the fit finds out what it always does. So take
    it with a model that has a position term, as paragone's does.

    Texts are shown on one line and up to 1,200 characters, fewer where that is too much for the model's context; both
    are held to the same length. The same question has the same answer, whatever was asked before.
    """

    def __init__(self) -> None:
        """Find the model; it is loaded at the first call.

        Raises:
            MissingExtra: If llama.cpp or the weights are not installed; says how to install them.
        """
        check_installed()
        self._weights = find_weights()
        self._template = load("pair_completion")
        identity = f"local:{self._weights.stem}#{self._template.hash[:8]}"
        self._card = JudgeCard(identity=identity, prompt_hash=self._template.hash, concurrency=1)
        self._model: LocalModel | None = None
        self._loading = Lock()

    def __repr__(self) -> str:
        return f"LocalJudge({self._card.identity!r})"

    @property
    def card(self) -> JudgeCard:
        """What other packages must know about it."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, in a thread.

        Raises:
            JudgeFailed: If the model fails.
        """
        start = time.perf_counter()
        probability, tokens = await asyncio.to_thread(self._answer, question)
        return Verdict(
            choice=Choice.FIRST if probability > 0.5 else Choice.SECOND,
            judge=self._card.identity,
            probability=probability,
            prompt_hash=self._template.hash,
            usage=Usage(calls=1, input_tokens=tokens, output_tokens=1, cost=0.0, seconds=time.perf_counter() - start),
        )

    def price(self, question: Question) -> float:  # noqa: ARG002  # whatever is asked
        """Nothing: the model runs here."""
        return 0.0

    def forecast(self, question: Question) -> Spending:
        """What a call takes: a token is taken for four characters, and costs nothing."""
        sent = sum(map(len, self._prompt(question, _SHARES[0]))) // 4
        return Spending(requests=1, input_tokens=sent, output_tokens=1, dollars=0.0)

    async def close(self) -> None:
        """Free the model's memory; a later call would load it again."""
        with self._loading:
            model, self._model = self._model, None
        if model is not None:
            await asyncio.to_thread(model.close)

    def _answer(self, question: Question) -> tuple[float, int]:
        """Probability that the first is better, and the length of what was read, in tokens."""
        model = self._loaded()
        for share in _SHARES:
            try:
                logprobs, tokens = model.next_token(*self._prompt(question, share))
            except TooLong:
                continue
            probability = probability_of(" A", " B", logprobs)
            if probability is None:
                raise JudgeFailed("the local model names neither text", retryable=False)
            return probability, tokens
        raise JudgeFailed("the criteria and the texts do not fit the local model's context", retryable=False)

    def _loaded(self) -> LocalModel:
        with self._loading:
            if self._model is None:
                self._model = LocalModel(self._weights)
            return self._model

    def _prompt(self, question: Question, share: float) -> tuple[str, str]:
        """The part that is the same for all questions of a tournament, and the rest.

        The criteria are counted in bytes, since no byte makes more than one token: they leave room for the texts.
        """
        criteria = one_line(question.criteria, _CRITERIA).encode()[:_CRITERIA].decode("utf-8", "ignore").rstrip(".")
        limit = int(_TEXT * share)
        first, second = (one_line(item.text, limit) for item in (question.first, question.second))
        return self._template.fill(0, criteria=criteria) + "\n\n", self._template.fill(1, first=first, second=second)


def one_line(text: str, limit: int) -> str:
    """A text on one line and at most so long, without the signs that the model's own format is made of.

    The prompt is made of lines, so a text on one line cannot add a judged pair or a verdict to it.
    """
    flat = " ".join(encodable(text).replace("<|", "< |").split())
    return flat if len(flat) <= limit else flat[:limit].rstrip() + " [...]"
