"""Turn the errors of endpoints, and of the libraries that call them, into ``JudgeFailed``; nothing else does.

A message says what went wrong, where, and what to do. It never holds a key: what an endpoint wrote back is shortened
and cleaned first, and left out altogether where a key was refused. The foreign exception is not chained, because its
text and its request would carry along what the message leaves out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from paragone.errors import JudgeFailed
from paragone.llm.client import Reply

_RETRYABLE = frozenset({408, 409, 425, 429})
_MISUSE = frozenset({401, 403, 404})
_LONGEST_DETAIL = 300
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|gsk|xai|AIza|pk)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+")
_SPENT = ("insufficient_quota", "billing", "credit balance")


@dataclass(frozen=True, kw_only=True, slots=True)
class CallTarget:
    """The endpoint of a call, in words that may be shown.

    Attributes:
        model: Name of the model.
        host: Host and port.
        key_name: Environment variable that the key is taken from.
        secrets: What must not be shown. Kept out of the representation.
    """

    model: str
    host: str
    key_name: str
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"CallTarget(model={self.model!r}, host={self.host!r}, key_name={self.key_name!r})"


def clean(text: str, secrets: Iterable[str] = ()) -> str:
    """Text from outside on one line, shortened, with keys removed."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    text = " ".join(_LOOKS_LIKE_A_KEY.sub("***", text).split())
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def of_status(status: int, detail: str, endpoint: CallTarget, headers: Mapping[str, str] | None = None) -> JudgeFailed:
    """The failure for an HTTP status.

    Args:
        status: The status, 4xx or 5xx.
        detail: What the endpoint said. Untrusted.
        endpoint: Where the call went.
        headers: Headers of the answer, with keys in lower case.
    """
    after = _retry_after(headers or {})
    spent = status == 402 or (status == 429 and any(word in detail.lower() for word in _SPENT))
    own_words = detail.removeprefix(f"Error code: {status}").removeprefix(" - ")  # which openai puts before them
    said = f": {clean(own_words, endpoint.secrets)}" if own_words.strip() else ""
    if status in (401, 403):
        text = f"{endpoint.host} refused the key ({status}): check the environment variable {endpoint.key_name}"
    elif status == 404:
        text = f"{endpoint.host} has no model {endpoint.model!r} (404): check its name, and the address if you gave one"
    elif spent:
        text = f"{endpoint.host} says that the account's credit or quota is spent ({status}){said}"
    elif status == 429:
        wait = f" and asks to wait {after:,.0f} s" if after else ""
        text = f"{endpoint.host} limits the rate of calls{wait} (429){said}"
    elif status >= 500:
        text = f"{endpoint.host} failed ({status}){said}"
    else:
        text = f"{endpoint.host} refused the request ({status}){said}"
    retryable = (status >= 500 or status in _RETRYABLE) and not spent
    permanent, misuse = spent or status in _MISUSE, status in _MISUSE
    return JudgeFailed(
        text,
        retryable=retryable,
        retry_after=after if retryable else None,
        permanent=permanent,
        misuse=misuse,
        tokens=(0, 0),  # an HTTP error is not charged for
    )


def of_silence(endpoint: CallTarget, *, timeout: float | None = None, sent: bool = True) -> JudgeFailed:
    """The failure of a call without an HTTP answer.

    Args:
        endpoint: Where the call went.
        timeout: Seconds waited, for a timeout; None for a connection that was refused or broke.
        sent: Whether the request may have arrived, so that it may have to be paid for.
    """
    if timeout is not None:
        return JudgeFailed(f"{endpoint.host} did not answer within {timeout:g} s")
    text = f"no connection to {endpoint.host}: it cannot be reached, or it broke off; is it running?"
    return JudgeFailed(text, tokens=None if sent else (0, 0))


def of_answer(
    reason: str, endpoint: CallTarget, *, calls: int = 1, tokens: tuple[int, int] | None = None
) -> JudgeFailed:
    """The failure of an unreadable answer; asking again may help.

    Args:
        reason: What is wrong with it. Untrusted.
        endpoint: Where the call went.
        calls: Requests it took.
        tokens: Tokens sent and received, where the answer says: they are paid for all the same.
    """
    text = f"{endpoint.model} at {endpoint.host} gave no usable answer: {clean(reason, endpoint.secrets)}"
    return JudgeFailed(text, attempts=calls, tokens=tokens)


def of_reply(reply: Reply, endpoint: CallTarget, limit: int | None) -> JudgeFailed | None:
    """The failure of an answer without content; None where it has some.

    Args:
        reply: The reply.
        endpoint: Where the call went.
        limit: The token limit of the request; None for the model's own.
    """
    tokens = (reply.input_tokens, reply.output_tokens) if reply.input_tokens or reply.output_tokens else None
    if reply.is_unfinished:
        text = f"{endpoint.model} at {endpoint.host} did not finish its answer: {_unfinished(reply, limit)}"
        return JudgeFailed(text, retryable=False, tokens=tokens)
    if reply.declined and reply.parsed is None:
        text = f"{endpoint.model} at {endpoint.host} declined to answer: {clean(reply.declined, endpoint.secrets)}"
        return JudgeFailed(text, retryable=False, tokens=tokens)
    if reply.text:
        return None
    thought = f"the model reasoned{_counted(reply)} and then said nothing" if reply.reasoned else "it is empty"
    return of_answer(f"{thought} (finish reason: {reply.ending})", endpoint, tokens=tokens)


def _unfinished(reply: Reply, limit: int | None) -> str:
    reached = "its own limit" if limit is None else f"the {limit:,} tokens that it may take"
    if not reply.reasoned:
        return f"it reached {reached}. Ask for less (shorter texts with max_chars, no scores), or take another model"
    return (
        f"it reasoned{_counted(reply)} and reached {reached}. Have it think less (the option effort=low of its "
        "spec), or take another model"
    )


def _counted(reply: Reply) -> str:
    return f" for {reply.reasoning_tokens:,} tokens" if reply.reasoning_tokens else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the endpoint's headers say: a number of seconds, of milliseconds, or a date."""
    milliseconds, after = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        return None if after is None else max(0.0, float(after))
    except ValueError:
        return _seconds_until(after or "")


def _seconds_until(date: str) -> float | None:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
