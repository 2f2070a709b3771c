"""Other providers than OpenAI-compatible ones, by way of pydantic-ai."""

import re
from typing import TYPE_CHECKING, Any

from paragone.errors import InvalidConfig, JudgeFailed, MissingExtra, MissingKey
from paragone.llm.client import Reply, Request
from paragone.llm.extract import find_object
from paragone.llm.failures import Place, clean, of_answer, of_silence, of_status
from paragone.llm.negotiation import Negotiation, Refusal, is_refusal
from paragone.llm.prices import Price, known_price
from paragone.llm.remote import check_allowed, host_of

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_REMEDY = "install it with: pip install 'paragone[providers]'"
_OWN_HOSTS = {
    "anthropic": "api.anthropic.com",
    "google": "generativelanguage.googleapis.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
}
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]*(?:KEY|TOKEN))`")


class ProviderClient:
    """A model of any provider that pydantic-ai knows, named ``provider:name``.

    The key comes from the provider's usual environment variable. The schema is enforced where the provider can, and
    asked for in words elsewhere. There are no log-probabilities.
    """

    gives_logprobs = False

    def __init__(self, model: str, *, timeout: float = 120.0) -> None:
        """Open a client; see ``connect``."""
        self.model = model
        self._provider, _, self._name = model.partition(":")
        self._timeout = timeout
        self._model = _open(model)
        self.base_url = self._model.base_url
        host = host_of(self.base_url) if self.base_url else self._provider
        self._place = Place(model=self._name, host=host, key_name=f"{self._provider.upper()}_API_KEY")
        self._negotiation = Negotiation(self._place)

    def __repr__(self) -> str:
        return f"ProviderClient({self.model!r})"

    @property
    def host(self) -> str | None:
        """Host and port of the address, where it is known and not the provider's own."""
        if self.base_url is None or self._place.host == _OWN_HOSTS.get(self._provider):
            return None
        return self._place.host

    @property
    def price(self) -> Price | None:
        """The list price of the model; None where it is not known."""
        return known_price(self._name, provider=self._provider)

    async def ask(self, request: Request) -> Reply:
        """Ask once, without retries; where a parameter is refused, the question is put again without it."""
        check_allowed(self.base_url)

        async def send(refused: frozenset[str]) -> "ModelResponse | Refusal":
            return await self._send(request, refused)

        answer, calls = await self._negotiation.settle(request, send)
        text = "".join(part.content for part in answer.parts if part.part_kind == "text")
        if not text:
            why, taken = f"it is empty (finish reason: {answer.finish_reason})", answer.usage
            tokens = (taken.input_tokens, taken.output_tokens)
            raise of_answer(why, self._place, calls=calls, tokens=tokens)
        return Reply(
            text=text,
            parsed=find_object(text),
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            model=answer.model_name or self._name,
            calls=calls,
            cut=answer.finish_reason == "length",
        )

    async def close(self) -> None:
        """Give back the connections, by entering and leaving the provider's context."""
        async with self._model:
            pass

    async def _send(self, request: Request, refused: frozenset[str]) -> "ModelResponse | Refusal":
        """Send one request.

        Raises:
            JudgeFailed: For anything but an answer or a complaint about the request.
        """
        from pydantic_ai import exceptions
        from pydantic_ai.direct import model_request

        try:
            return await model_request(
                self._model,
                _messages(request),
                model_settings=self._settings(request, refused),
                model_request_parameters=self._parameters(request, refused),
            )
        except exceptions.ModelHTTPError as error:
            if is_refusal(error.status_code):
                return Refusal(error.status_code, _detail(error))
            raise self._failure(error) from None
        except (exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout):
            raise of_silence(self._place, timeout=self._timeout) from None
        except exceptions.ModelConnectionError:
            raise of_silence(self._place) from None
        except (exceptions.AgentRunError, exceptions.UserError) as error:
            raise of_answer(f"{type(error).__name__}: {error}", self._place) from None

    def _failure(self, error: "ModelHTTPError") -> JudgeFailed:
        return of_status(error.status_code, _detail(error), self._place, error.headers)

    def _settings(self, request: Request, refused: frozenset[str]) -> "ModelSettings":
        from pydantic_ai.settings import ModelSettings

        settings = ModelSettings(max_tokens=request.max_tokens, timeout=self._timeout, max_retries=0)
        if "temperature" not in refused:
            settings["temperature"] = request.temperature
        return settings

    def _parameters(self, request: Request, refused: frozenset[str]) -> "ModelRequestParameters":
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        able = self._model.profile.get("supports_json_schema_output", False)
        if request.schema is None or not able or "json_schema" in refused:
            return ModelRequestParameters()
        schema = OutputObjectDefinition(json_schema=request.schema, name="answer", strict=True)
        return ModelRequestParameters(output_mode="native", output_object=schema)


def _messages(request: Request) -> "list[ModelMessage]":
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
    return str(body)


def _open(model: str) -> "Model[Any]":
    try:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model
    except ImportError:
        raise MissingExtra(f"{model!r} needs the package pydantic-ai-slim; {_REMEDY}") from None
    try:
        return infer_model(model)
    except ImportError as error:
        raise MissingExtra(f"{model!r} needs a package that is not installed: {clean(str(error))}") from None
    except UserError as error:
        variable = _VARIABLE.search(str(error))
        if variable:
            raise MissingKey(f"{model!r} needs a key: set the environment variable {variable[1]}") from None
        raise InvalidConfig(
            f"{model!r} names no provider that is known: write provider:name, or give the address of an "
            f"OpenAI-compatible endpoint as base_url ({clean(str(error))})"
        ) from None
