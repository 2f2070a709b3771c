"""Open clients of the libraries, and turn their errors and those of endpoints into ``JudgeFailed``; nothing else does.

A message says what went wrong, where, and what to do. It never holds a key: what an endpoint wrote back is shortened
and cleaned first, and left out altogether where a key was refused. The foreign exception is not chained, because its
text and its request would carry along what the message leaves out.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from paragone.errors import InvalidConfig, JudgeFailed, MissingKey
from paragone.llm.client import Reply, host_of, is_loopback

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import AsyncOpenAI, OpenAI

    Sdk = TypeVar("Sdk", OpenAI, AsyncOpenAI)


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
    spent = status == 402 or (status == 429 and any(word in detail.lower() for word in _SPENT))
    cleaned = clean(detail, endpoint.secrets)
    if status in (401, 403):
        text = f"{endpoint.host} refused the key ({status}): check the environment variable {endpoint.key_name}"
    elif status == 404:
        text = f"{endpoint.host} has no model {endpoint.model!r} (404): check its name, and the address if you gave one"
    elif spent:
        text = f"{endpoint.host} says that the account's credit or quota is spent ({status}): {cleaned}"
    elif status == 429:
        text = f"{endpoint.host} limits the rate of calls (429): {cleaned}"
    elif status >= 500:
        text = f"{endpoint.host} failed ({status}): {cleaned}"
    else:
        text = f"{endpoint.host} refused the request ({status}): {cleaned}"
    retryable = (status >= 500 or status in _RETRYABLE) and not spent
    after = _retry_after(headers or {}) if retryable else None
    permanent, misuse = spent or status in _MISUSE, status in _MISUSE
    tokens = (0, 0)  # an HTTP error is not charged for
    return JudgeFailed(text, retryable=retryable, retry_after=after, permanent=permanent, misuse=misuse, tokens=tokens)


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


KEY = "OPENAI_API_KEY"


def open_sdk(kind: "type[Sdk]", base_url: str | None, *, timeout: float, retries: int = 0) -> "Sdk":
    """The library's client for an address.

    An endpoint on this machine needs no key and is reached past any proxy.

    Args:
        kind: ``openai.OpenAI`` or ``openai.AsyncOpenAI``.
        base_url: The address; None for ``OPENAI_BASE_URL`` or OpenAI's own.
        timeout: Seconds that one call may take.
        retries: Tries after the first, made by the library.

    Raises:
        MissingKey: If the endpoint is not on this machine and its key is not in the environment.
        InvalidConfig: If the address is not valid.
    """
    import openai

    if base_url is not None:
        _check_address(base_url)
    address = base_url or os.environ.get("OPENAI_BASE_URL", "")
    options: dict[str, Any] = {"base_url": base_url, "max_retries": retries, "timeout": timeout}
    if is_loopback(address):
        http: Any = openai.DefaultHttpxClient if kind is openai.OpenAI else openai.DefaultAsyncHttpxClient
        options["http_client"] = http(
            trust_env=False, follow_redirects=False, timeout=timeout, verify=_local_certificates()
        )
    try:
        return kind(**options)
    except openai.OpenAIError:
        sdk = kind(**options, api_key="not-needed")
        if not is_loopback(address):
            where = host_of(str(sdk.base_url))
            raise MissingKey(f"{where} needs a key: set the environment variable {KEY}") from None
        return sdk


@cache
def _local_certificates() -> "SSLContext":
    """The system's certificates, for endpoints on this machine. To read them takes 50 ms, so this is done once."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def target_of(sdk: "OpenAI | AsyncOpenAI", model: str) -> CallTarget:
    """The endpoint of a client."""
    key = str(sdk.api_key or "")
    return CallTarget(model=model, host=host_of(str(sdk.base_url)), key_name=KEY, secrets=(key,))


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, valid = urlsplit(""), False
    if parts.username or parts.password:
        raise InvalidConfig(f"the model's address holds a user or a password; put the key into {KEY} instead")
    if not valid:
        raise InvalidConfig(f"the model's address must begin with http:// or https:// and name a host, not {url!r}")
