"""Find out what an endpoint refuses, leave that out, and remember it."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from paragone.llm.client import Request
from paragone.llm.failures import Place, of_status

_LOG = logging.getLogger("paragone.llm")
_Answer = TypeVar("_Answer")

FEATURES = ("top_logprobs", "logprobs", "json_schema", "response_format", "temperature", "max_tokens")
"""What an endpoint may refuse, the narrower feature before the wider one."""

_NAMED_AS = {"json_schema": ("json_schema", "response_format", "output_config", "output_format", "schema")}
_STATUSES = frozenset({400, 422})


@dataclass(frozen=True, slots=True)
class Refusal:
    """An endpoint's complaint about a request."""

    status: int
    complaint: str


def is_refusal(status: int) -> bool:
    """Whether a status says that the request itself was at fault, so that another may do."""
    return status in _STATUSES


def newly_refused(complaint: str, request: Request, refused: frozenset[str]) -> frozenset[str]:
    """What to leave out after a complaint: the feature it names, else everything at once.

    Empty where nothing is left to leave out.
    """
    used = [name for name in FEATURES if name not in refused and _uses(name, request)]
    said = complaint.lower().replace("max_completion_tokens", "max_tokens")
    for name in used:
        if any(word in said for word in _NAMED_AS.get(name, (name,))):
            return frozenset({name})
    return frozenset(used)


def _uses(name: str, request: Request) -> bool:
    if name in {"top_logprobs", "logprobs"}:
        return request.logprobs
    return request.schema is not None or name in {"temperature", "max_tokens"}


class Negotiation:
    """What one endpoint has refused for one model so far."""

    def __init__(self, place: Place) -> None:
        """Start with nothing refused."""
        self._place = place
        self.refused: frozenset[str] = frozenset()

    async def settle(
        self, request: Request, send: Callable[[frozenset[str]], Awaitable[_Answer | Refusal]]
    ) -> tuple[_Answer, int]:
        """Send, and send again without what was refused, until there is an answer.

        What was left out is remembered only once the endpoint has answered without it: a complaint about something
        else, such as a prompt that is too long, costs no later call a feature.

        Args:
            request: What is asked.
            send: Sends the request without the features given.

        Returns:
            The answer, and the number of requests it took.

        Raises:
            JudgeFailed: If the endpoint complains about the barest request too, or ``send`` says so.
        """
        refused, calls = self.refused, 1
        while isinstance(answer := await send(refused), Refusal):
            dropped = newly_refused(answer.complaint, request, refused)
            if not dropped:
                raise of_status(answer.status, answer.complaint, self._place)
            refused |= dropped
            calls += 1
        for name in sorted(refused - self.refused):
            _LOG.warning("%s refuses %s for %s; going on without it", self._place.host, name, self._place.model)
        self.refused |= refused
        return answer, calls
