"""Connect to a model: OpenAI-compatible endpoints directly, other providers by way of pydantic-ai."""

import os
import re
from typing import TYPE_CHECKING, Any

from paragone import extras
from paragone.errors import InvalidConfig, JudgeFailed, MissingExtra, MissingKey
from paragone.llm.client import REQUEST_TIMEOUT, ModelClient, ModelLimits, ModelRequest, Reply, Structure
from paragone.llm.failures import CallTarget, clean, of_answer, of_silence, of_status
from paragone.llm.negotiation import Negotiation, Refusal, is_refusal
from paragone.llm.prices import Price, known_price
from paragone.llm.remote_calls import check_allowed, host_of
from paragone.llm.reply import answer_in, find_object

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_OWN_HOSTS = {
    "anthropic": "api.anthropic.com",
    "google": "generativelanguage.googleapis.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
}
_OLDER_KEYS = {"google": "GEMINI_API_KEY"}
_LONGEST = {"anthropic": 32_000}
"""The longest answer to ask for where a provider wants a number; a model that refuses this says what it accepts."""
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]*(?:KEY|TOKEN))`")


class ProviderClient:
    """A model of any provider that pydantic-ai knows, named ``provider:name``.

    The key comes from the provider's usual environment variable. The schema is enforced where the provider can, and
    asked for in words elsewhere. There are no log-probabilities.
    """

    gives_logprobs = False

    def __init__(self, model: str, *, timeout: float = REQUEST_TIMEOUT) -> None:
        """Open a client; see ``connect``."""
        self.model = model
        self._provider, _, self._name = model.partition(":")
        self._timeout = timeout
        key_name = f"{self._provider.upper()}_API_KEY"
        if self._provider in _OWN_HOSTS:
            _check_key(model, key_name, _OLDER_KEYS.get(self._provider, key_name))
        self._model = _open(model)
        self.base_url = self._model.base_url
        host = host_of(self.base_url) if self.base_url else self._provider
        self._target = CallTarget(model=self._name, host=host, key_name=key_name)
        self._negotiation = Negotiation(self._target)

    def __repr__(self) -> str:
        return f"ProviderClient({self.model!r})"

    @property
    def host(self) -> str | None:
        """Host and port of the address, where it is known and not the provider's own."""
        if self.base_url is None or self._target.host == _OWN_HOSTS.get(self._provider):
            return None
        return self._target.host

    @property
    def price(self) -> Price | None:
        """The list price of the model; None where it is not known."""
        return known_price(self._name, provider=self._provider)

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask once, without retries; see ``Negotiation.settle`` for what is asked again."""
        check_allowed(self.base_url)
        return await self._negotiation.settle(request, self._send)

    async def close(self) -> None:
        """Give back the connections, by entering and leaving the provider's context."""
        async with self._model:
            pass

    async def _send(self, request: ModelRequest, terms: ModelLimits) -> Reply | Refusal:
        """Send one request.

        Raises:
            JudgeFailed: For anything but an answer or a complaint about the request.
        """
        from pydantic_ai import exceptions
        from pydantic_ai.direct import model_request

        structure = self._structure(request, terms)
        try:
            answer = await model_request(
                self._model,
                _messages(request),
                model_settings=self._settings(request, terms),
                model_request_parameters=_parameters(request, structure),
            )
        except exceptions.ModelHTTPError as error:
            if is_refusal(error.status_code):
                return Refusal(error.status_code, _detail(error))
            raise self._failure(error) from None
        except (exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout):
            raise of_silence(self._target, timeout=self._timeout) from None
        except exceptions.ModelConnectionError:
            raise of_silence(self._target) from None
        except (exceptions.AgentRunError, exceptions.UserError) as error:
            raise of_answer(f"{type(error).__name__}: {error}", self._target) from None
        return _read(answer, structure, self._name)

    def _failure(self, error: "ModelHTTPError") -> JudgeFailed:
        return of_status(error.status_code, _detail(error), self._target, error.headers)

    def _settings(self, request: ModelRequest, terms: ModelLimits) -> "ModelSettings":
        from pydantic_ai.settings import ModelSettings

        settings = ModelSettings(timeout=self._timeout, max_retries=0)
        limit = terms.limit(request.max_tokens) or _LONGEST.get(self._provider)
        if limit is not None:
            settings["max_tokens"] = limit
        if request.effort is not None and "effort" not in terms.refused:
            settings["thinking"] = False if request.effort == "none" else request.effort
        if "temperature" not in terms.refused:
            settings["temperature"] = request.temperature
        return settings

    def _structure(self, request: ModelRequest, terms: ModelLimits) -> Structure:
        able = self._model.profile.get("supports_json_schema_output", False)
        return "schema" if request.schema is not None and able and "json_schema" not in terms.refused else "prompt"


def _parameters(request: ModelRequest, structure: Structure) -> "ModelRequestParameters":
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if request.schema is None or structure != "schema":
        return ModelRequestParameters()
    schema = OutputObjectDefinition(json_schema=request.schema, name="answer", strict=True)
    return ModelRequestParameters(output_mode="native", output_object=schema)


def _read(answer: "ModelResponse", structure: Structure, name: str) -> Reply:
    text, thought = (
        "".join(part.content for part in answer.parts if part.part_kind == kind) for kind in ("text", "thinking")
    )
    reasoning = answer.usage.details.get("reasoning_tokens", 0)
    has_thinking = any(part.part_kind == "thinking" for part in answer.parts)
    cut, filtered = answer.finish_reason == "length", answer.finish_reason == "content_filter"
    content = answer_in(text, thought, finished=not (cut or filtered))
    return Reply(
        text=content,
        parsed=find_object(content),
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        reasoning_tokens=reasoning,
        cached_tokens=answer.usage.cache_read_tokens,
        reasoned=bool(reasoning or has_thinking or content != text.strip()),
        model=answer.model_name or name,
        cut=cut,
        declined="its provider's content filter stopped it" if filtered else "",
        ending=str(answer.finish_reason),
        structure=structure,
    )


def _messages(request: ModelRequest) -> "list[ModelMessage]":
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

    parts = [
        SystemPromptPart(content=message.content)
        if message.role == "system"
        else UserPromptPart(content=message.content)
        for message in request.messages
    ]
    return [ModelRequest(parts=parts)]


def _detail(error: "ModelHTTPError") -> str:
    """What the provider said, without the wrapping."""
    body: Any = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, dict) else inner
    return str(body or "")


def _check_key(model: str, *names: str) -> None:
    """Look for the key before the provider's library is loaded, which takes seconds and would look for the same.

    Raises:
        MissingKey: If no variable of these names has one.
    """
    if not any(map(os.environ.get, names)):
        raise _missing_key(model, names[0])


def _missing_key(model: str, name: str) -> MissingKey:
    return MissingKey(f"{model!r} needs a key: set the environment variable {name}")


def _open(model: str) -> "Model[Any]":
    with extras.importing(f"{model!r} needs", "pydantic-ai-slim"):
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model
    try:
        return infer_model(model)
    except ImportError as error:
        raise MissingExtra(f"{model!r} needs a package that is not installed: {clean(str(error))}") from None
    except UserError as error:
        variable = _VARIABLE.search(str(error))
        if variable:
            raise _missing_key(model, variable[1]) from None
        raise InvalidConfig(
            f"{model!r} names no provider that is known: write provider:name, or give the address of an "
            f"OpenAI-compatible endpoint as base_url ({clean(str(error))})"
        ) from None


_ENDPOINT_PREFIXES = ("openai", "ft")
"""Prefixes of names for OpenAI's own endpoint: ``ft:`` begins the name of a fine-tuned model."""


def connect(
    model: str, *, base_url: str | None = None, timeout: float = REQUEST_TIMEOUT, batch_hours: float | None = None
) -> ModelClient:
    """A client for a model.

    Args:
        model: A name that an OpenAI-compatible endpoint knows (``gpt-4o-mini``, ``openai:gpt-4o-mini``), or
            ``provider:name`` for another provider (``anthropic:claude-haiku-4-5``). With ``base_url`` the name is
            taken as it stands.
        base_url: Address of an OpenAI-compatible endpoint; None for the provider's own.
        timeout: Seconds that one call may take.
        batch_hours: Send questions through the batch interface of an OpenAI-compatible endpoint, and wait so many hours
            for a batch; None to send each alone.

    Raises:
        MissingKey: If the endpoint is not on this machine and its key is not in the environment.
        MissingExtra: If the provider's package is not installed.
        InvalidConfig: If the provider or the address is not one, or the provider has no batch interface here.
    """
    provider, separator, _ = model.partition(":")
    if base_url is None and separator and provider not in _ENDPOINT_PREFIXES:
        if batch_hours is not None:
            raise InvalidConfig(f"{model} cannot be asked in batches: only OpenAI-compatible endpoints have them here")
        return ProviderClient(model, timeout=timeout)
    name = model.removeprefix("openai:") if base_url is None else model
    if batch_hours is not None:
        from paragone.llm.batches import BatchClient

        return BatchClient(name, hours=batch_hours, base_url=base_url, timeout=timeout)
    from paragone.llm.endpoint import EndpointClient

    return EndpointClient(name, base_url=base_url, timeout=timeout)
