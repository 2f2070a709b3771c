"""A language model as a judge."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from paragone.domain import Question, Spending, Verdict
from paragone.errors import InvalidConfig
from paragone.judges.base import DebateCard, JudgeCard, ListCard
from paragone.judges.model import CRITERIA, ModelCaller
from paragone.judges.prompts import Criteria, DebateForm, ListForm, PairForm, PanelForm, PromptForm
from paragone.judges.templates import load, own_template
from paragone.llm import Effort, ModelClient, ModelRequest, Price, connect
from paragone.llm.client import REQUEST_TIMEOUT

MOST = 20
"""The longest list that a model is asked to order."""

PANEL_TOKENS = 1536
"""A panel debate may take so many tokens, whatever the limit of other answers."""


class LLMJudge:
    """Asks a language model which of two texts is better, to put several in order, or to hold or decide a debate.

    If the endpoint gives log-probabilities, the verdict carries the model's probability that the first is better, read
    at the token that names the winner. For that the verdict must come before the reasons: a model that has just written
    why the first is better is sure of it, and its probability no longer says how close the two were. For the same
    reason none is read if the model reasoned before it answered. Without log-probabilities, and in debates, the reasons
    come first, which makes a better rationale. An endpoint that refuses log-probabilities is asked in that form from
    then on, and ``prompt_hash`` of a verdict says which form it answers.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        price: Price | None = None,
        temperature: float = 0.0,
        max_tokens: int = 512,
        effort: Effort | None = None,
        logprobs: bool = True,
        scores: Criteria | None = None,
        debate_scores: Criteria | None = None,
        max_chars: int = 20_000,
        timeout: float = REQUEST_TIMEOUT,
        batch_hours: float | None = None,
        template: str | Path | None = None,
        client: ModelClient | None = None,
    ) -> None:
        """Open a judge; no call is made yet.

        Args:
            model: The model's name; see ``paragone.llm.connect``.
            base_url: Address of an OpenAI-compatible endpoint; None for the provider's own.
            price: The model's price; None for its list price, if that is known.
            temperature: Sampling temperature, from 0 to 2.
            max_tokens: Maximum length of an answer in tokens, reasoning included; 64 or more, and 1,536 at least for a
                panel debate. If an answer is cut off, it is asked for again at twice that, then at the
                model's own limit, and so are those after it.
            effort: How hard a model that reasons should think; None leaves it to the model.
            logprobs: Whether to ask for log-probabilities.
            scores: Criteria to score both texts on, such as ``CRITERIA``, or a mapping from criterion to weight, which
                the prompt states; 0 leaves a criterion out. By default those of the question's rubric, if it has one;
                an empty sequence scores nothing. ``merit`` is a synonym of ``impact``.
            debate_scores: The same for verdicts on debates; by default ``scores``, or ``CRITERIA`` without these.
            max_chars: Characters of a text that the model sees; a remark says how much was left out.
            timeout: Seconds that one call may take.
            batch_hours: Send questions through the provider's batch interface, at about half the price, and wait so
                many hours for a batch; None to send each alone. Answers are the same, so it is no part of the identity.
            template: A file with a prompt for pairs, in place of the package's own; see ``own_template``.
            client: The client to use instead of opening one for ``model``, ``base_url``, ``timeout`` and
                ``batch_hours``.

        Raises:
            InvalidConfig: If an option is out of its range.
            MissingKey: If the provider's key is not in the environment.
            MissingExtra: If the provider's package is not installed.
        """
        for weights in (scores, debate_scores):
            _check_weights(weights)
        opened = (
            connect(model, base_url=base_url, timeout=timeout, batch_hours=batch_hours) if client is None else client
        )
        self._asking = ModelCaller(
            opened, price=price, temperature=temperature, max_tokens=max_tokens, max_chars=max_chars, effort=effort
        )
        own = None if template is None else own_template(template, scores=bool(scores))
        scores_rubric = scores is None and (own is None or "scores" in own.slots)
        self._pair = PairForm(
            None if scores_rubric else scores or (),
            logprobs=logprobs and opened.gives_logprobs and own is None,
            template=own,
        )
        scores = scores or ()
        self._list = ListForm()
        criteria = (scores or CRITERIA) if debate_scores is None else debate_scores
        self._debate, self._panel = DebateForm(criteria), PanelForm(criteria)
        self._card = self._described(
            scores=scores,
            debate_scores=scores if debate_scores is None else debate_scores,
            scores_rubric=scores_rubric,
            batched=batch_hours is not None,
        )

    def _described(self, *, scores: Criteria, debate_scores: Criteria, scores_rubric: bool, batched: bool) -> JudgeCard:
        def debates(form: DebateForm | PanelForm) -> DebateCard:
            identity = self._identity(form, debate_scores)
            return DebateCard(identity=identity, prompt_hash=form.template.hash, contents=form.contents)

        return JudgeCard(
            identity=self._identity(self._pair, scores),
            prompt_hash=self._pair.template.hash,
            contents=self._pair.contents,
            batched=batched,
            lists=ListCard(identity=self._identity(self._list), prompt_hash=self._list.template.hash, most=MOST),
            debates=debates(self._debate),
            reads_dossier=self._pair.template.takes_dossier,
            dossier_hash=load("dossier").hash,
            scores_rubric=scores_rubric,
            panel_debates=debates(self._panel),
        )

    def __repr__(self) -> str:
        return f"LLMJudge({self._card.identity!r})"

    @property
    def card(self) -> JudgeCard:
        """Its properties, for other packages."""
        return self._card

    @property
    def asking(self) -> ModelCaller:
        """The model with its options, for an advocate that uses the same."""
        return self._asking

    def discovered(self) -> str:
        """What the first answer revealed about the model, in words; empty before."""
        return self._asking.discovered()

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, order one list, or decide one debate.

        Raises:
            JudgeFailed: If there was no answer, or none that can be read.
        """
        question = self._seen(question)
        form, judge = self._form(question), self._card.identity_for(question)
        verdict, usage = await self._asking.ask(
            self._request(question), lambda reply: form.read(question, reply, judge)
        )
        return replace(verdict, usage=usage)

    def price(self, question: Question) -> float | None:
        """Expected cost of the answer in US dollars; None if the price is unknown."""
        return self.forecast(question).dollars

    def forecast(self, question: Question) -> Spending:
        """Expected requests, tokens and dollars of the answer."""
        question = self._seen(question)
        return self._asking.forecast(self._request(question), self._form(question).likely(question))

    async def close(self) -> None:
        """Close the connections."""
        await self._asking.client.close()

    def _seen(self, question: Question) -> Question:
        """The question without what its card says that it does not read."""
        return question if self._card.reads_dossier else replace(question, dossier=None)

    def _form(self, question: Question) -> PromptForm:
        if question.others:
            return self._list
        if question.panel:
            return self._panel
        return self._debate if question.turns else self._pair

    def _request(self, question: Question) -> ModelRequest:
        form = self._form(question)
        request = self._asked_in(form, question)
        if not isinstance(form, PairForm) or form.reasons_first is None:
            return request
        return replace(request, logprobs=True, without_logprobs=self._asked_in(form.reasons_first, question))

    def _asked_in(self, form: PromptForm, question: Question) -> ModelRequest:
        prompt, least = form.prompt(question, self._asking.max_chars), PANEL_TOKENS if form is self._panel else 0
        request = self._asking.request(prompt, form.schema_for(question), least_tokens=least)
        return replace(request, call=question.call)

    def _identity(self, form: PromptForm, scores: Criteria = ()) -> str:
        more = {"weights": dict(form.contents.weights)} if isinstance(scores, Mapping) else {}
        return self._asking.identity("llm", form.template, form.schema, **more)


def _check_weights(scores: Criteria | None) -> None:
    if not isinstance(scores, Mapping) or not scores:
        return
    if not all(0.0 <= weight < math.inf for weight in scores.values()) or not sum(scores.values()):
        raise InvalidConfig(
            f"the weights of criteria are numbers from 0 up, and at least one is above 0: {dict(scores)}"
        )
