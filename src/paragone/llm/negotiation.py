"""Find out what an endpoint refuses and how long its answers may be, and remember it for the run."""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from paragone.errors import JudgeFailed
from paragone.llm.client import ModelLimits, ModelRequest, Reply
from paragone.llm.failures import CallTarget, of_reply, of_status

_LOG = logging.getLogger("paragone.llm")

FEATURES = ("top_logprobs", "logprobs", "json_schema", "response_format", "temperature", "effort", "max_tokens")
"""What an endpoint may refuse, the narrower feature before the wider one. ``max_tokens`` has a newer name instead."""

_NAMED_AS = {
    "json_schema": ("json_schema", "response_format", "output_config", "output_format", "schema"),
    "effort": ("reasoning", "effort", "thinking"),
}
_STATUSES = frozenset({400, 422})
_SHORTEST = 64
_ROOM_LEFT = re.compile(r"\(\d+ > (\d+) - (\d+)\)")
"""vLLM's words for a limit that does not fit: (asked > context - prompt)."""
_TOO_SHORT = ("must be greater", "must be at least", "too small")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An endpoint's complaint about a request."""

    status: int
    complaint: str


def is_refusal(status: int) -> bool:
    """Whether a status says that the request itself was at fault, so that another may do."""
    return status in _STATUSES


def newly_refused(complaint: str, request: ModelRequest, refused: frozenset[str]) -> frozenset[str]:
    """What to leave out after a complaint: the feature it names, else everything at once.

    Empty where nothing is left to leave out.
    """
    used = [name for name in FEATURES if name not in refused and _uses(name, request)]
    words = _in_old_words(complaint)
    for name in used:
        if any(word in words for word in _NAMED_AS.get(name, (name,))):
            return frozenset({name})
    return frozenset(used)


def _in_old_words(complaint: str) -> str:
    return complaint.lower().replace("max_completion_tokens", "max_tokens")


def _uses(name: str, request: ModelRequest) -> bool:
    if name in {"top_logprobs", "logprobs"}:
        return request.logprobs
    if name == "effort":
        return request.effort is not None
    return request.schema is not None or name in {"temperature", "max_tokens"}


def allowed_limit(complaint: str, limit: int) -> int | None:
    """The longest answer that an endpoint allows, as it says when it refuses a limit; None where it does not."""
    words = _in_old_words(complaint)
    if "max_tokens" not in words:
        return None
    if match := _ROOM_LEFT.search(words):
        return max(_SHORTEST, int(match[1]) - int(match[2]))
    numbers = [int(digits) for digits in re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d{3})", "", words))]
    return max((number for number in numbers if _SHORTEST <= number < limit), default=None)


def after_refusal(refusal: Refusal, request: ModelRequest, terms: ModelLimits) -> ModelLimits | None:
    """The terms to try after a complaint; None where nothing is left to try."""
    limit, words = terms.limit(request.max_tokens), _in_old_words(refusal.complaint)
    if "max_tokens" in words and any(sign in words for sign in _TOO_SHORT) and terms.can_raise(request.max_tokens):
        return replace(terms, raises=terms.raises + 1)
    most = None if limit is None else allowed_limit(refusal.complaint, limit)
    if most is not None:
        return replace(terms, most=most)
    dropped = newly_refused(refusal.complaint, request, terms.refused)
    return replace(terms, refused=terms.refused | dropped) if dropped else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Before:
    """What earlier requests for the same question took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def after(self, answer: Reply) -> "_Before":
        """Add a useless answer."""
        return _Before(
            calls=self.calls + 1,
            input_tokens=self.input_tokens + answer.input_tokens,
            output_tokens=self.output_tokens + answer.output_tokens,
        )

    def added_to(self, answer: Reply) -> Reply:
        """The answer with these requests counted in."""
        return replace(
            answer,
            calls=answer.calls + self.calls,
            input_tokens=answer.input_tokens + self.input_tokens,
            output_tokens=answer.output_tokens + self.output_tokens,
        )

    def count_into(self, failure: JudgeFailed) -> None:
        """Count these requests into a failure; what its own request took may be unknown."""
        failure.attempts += self.calls
        if self.input_tokens or self.output_tokens:
            sent, received = failure.tokens or (0, 0)
            failure.tokens = (sent + self.input_tokens, received + self.output_tokens)


class Negotiation:
    """What an endpoint accepts for a model, as found out so far.

    Attributes:
        terms: What is known of it.
    """

    def __init__(self, endpoint: CallTarget) -> None:
        """Start with nothing refused."""
        self._target = endpoint
        self.terms = ModelLimits()

    async def settle(
        self, request: ModelRequest, send: Callable[[ModelRequest, ModelLimits], Awaitable[Reply | Refusal]]
    ) -> Reply:
        """Send, and send again without what was refused or with room for a longer answer, until there is an answer.

        What was left out is remembered only once the endpoint has answered without it: a complaint about something
        else, such as a prompt that is too long, costs no later call a feature. An answer that was cut is asked for
        again at twice the limit of tokens, then at the model's own, which later calls keep.

        Args:
            request: What is asked.
            send: Sends a request on these terms.

        Returns:
            The answer, with the requests and the tokens of all that were sent.

        Raises:
            JudgeFailed: If the endpoint complains about the barest request too, the answer is none, or ``send`` says
                so; it counts all requests.
        """
        terms, before = self.terms, _Before()
        while True:
            adapted = _on(terms, request)
            try:
                answer = await send(adapted, terms)
                if isinstance(answer, Refusal):
                    terms = self._after(answer, adapted, terms)
                    before = replace(before, calls=before.calls + 1)
                    continue
                self._remember(terms, adapted, answer)
                if answer.is_unfinished and terms.can_raise(adapted.max_tokens):
                    terms = self._raised(terms, adapted)
                    before = before.after(answer)
                    continue
                failure = of_reply(answer, self._target, terms.limit(adapted.max_tokens))
                if failure is not None:
                    raise failure
            except JudgeFailed as failure:
                before.count_into(failure)
                raise
            return replace(before.added_to(answer), terms=self.terms, without_logprobs=adapted is not request)

    def _after(self, refusal: Refusal, request: ModelRequest, terms: ModelLimits) -> ModelLimits:
        following = after_refusal(refusal, request, terms)
        if following is None:
            raise of_status(refusal.status, refusal.complaint, self._target)
        return following

    def _remember(self, terms: ModelLimits, request: ModelRequest, answer: Reply) -> None:
        current = self.terms
        for name in sorted(terms.refused - current.refused):
            _LOG.warning("%s refuses %s for %s; going on without it", self._target.host, name, self._target.model)
        silent = {"logprobs"} if request.logprobs and answer.text and not answer.tokens else set()
        self.terms = ModelLimits(
            refused=current.refused | terms.refused | silent,
            raises=max(current.raises, terms.raises),
            most=terms.most if current.most is None else current.most,
        )

    def _raised(self, terms: ModelLimits, request: ModelRequest) -> ModelLimits:
        """Terms with room for a longer answer, by as much as calls at the same time have found out already."""
        raises = max(self.terms.raises, terms.raises + 1)
        raised = replace(terms, raises=raises, most=self.terms.most)
        self.terms = replace(self.terms, raises=raises)
        limit = raised.limit(request.max_tokens)
        _LOG.warning(
            "%s did not finish within %s tokens; asking again with %s",
            self._target.model, terms.limit(request.max_tokens), limit or "its own limit",
        )  # fmt: skip
        return raised


def _on(terms: ModelLimits, request: ModelRequest) -> ModelRequest:
    """What to ask on these terms: something else where log-probabilities cannot be had."""
    without = request.without_logprobs if "logprobs" in terms.refused else None
    return without or request
