"""Open clients of the OpenAI library, for all endpoints that speak its protocol: keys, addresses, proxies."""

import os
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from paragone.errors import InvalidConfig, MissingKey
from paragone.llm.failures import CallTarget
from paragone.llm.remote_calls import host_of, is_loopback

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import AsyncOpenAI, OpenAI

    Sdk = TypeVar("Sdk", OpenAI, AsyncOpenAI)

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
