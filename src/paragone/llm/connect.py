"""Which client reaches which model."""

from paragone.llm.client import Client

_ENDPOINT_PREFIXES = ("openai", "ft")
"""Prefixes of names for OpenAI's own endpoint: ``ft:`` begins the name of a fine-tuned model."""


def connect(model: str, *, base_url: str | None = None, timeout: float = 120.0) -> Client:
    """A client for a model.

    Args:
        model: A name that an OpenAI-compatible endpoint knows (``gpt-4o-mini``, ``openai:gpt-4o-mini``), or
            ``provider:name`` for another provider (``anthropic:claude-haiku-4-5``). With ``base_url`` the name is
            taken as it stands.
        base_url: Address of an OpenAI-compatible endpoint; None for the provider's own.
        timeout: Seconds that one call may take.

    Raises:
        MissingKey: If the endpoint is not on this machine and its key is not in the environment.
        MissingExtra: If the provider's package is not installed.
        InvalidConfig: If the provider or the address is not one.
    """
    provider, separator, _ = model.partition(":")
    if base_url is None and separator and provider not in _ENDPOINT_PREFIXES:
        from paragone.llm.providers import ProviderClient

        return ProviderClient(model, timeout=timeout)
    from paragone.llm.endpoint import EndpointClient

    name = model.removeprefix("openai:") if base_url is None else model
    return EndpointClient(name, base_url=base_url, timeout=timeout)
