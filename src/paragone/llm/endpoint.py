"""The client for any OpenAI-compatible endpoint, whose features are found out by asking."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from paragone.errors import JudgeFailed
from paragone.llm.client import REQUEST_TIMEOUT, ModelLimits, ModelRequest, Reply, Schema, Structure, Token
from paragone.llm.failures import CallTarget, of_answer, of_silence, of_status
from paragone.llm.negotiation import Negotiation, Refusal, is_refusal
from paragone.llm.openai_sdk import open_sdk, target_of
from paragone.llm.prices import Price, known_price
from paragone.llm.remote_calls import check_allowed
from paragone.llm.reply import answer_in, find_object
from paragone.tracing import propagation_headers

if TYPE_CHECKING:
    from openai import APIStatusError
    from openai.types.chat import ChatCompletion, ChatCompletionMessage, ChatCompletionTokenLogprob
    from openai.types.chat.chat_completion import Choice
    from openai.types.chat.chat_completion_token_logprob import TopLogprob

_NOT_FOUND = 404
_OWN_HOST = "api.openai.com"
_THOUGHTS = ("reasoning_content", "reasoning")
"""Fields in which endpoints return a model's reasoning beside the answer."""


class EndpointClient:
    """A model behind an OpenAI-compatible endpoint.

    The key comes from ``OPENAI_API_KEY`` and the address, where none is given, from ``OPENAI_BASE_URL``, both read by
    the vendor's library. An endpoint on this machine needs no key and is reached past any proxy. Parameters that the
    endpoint refuses are left out from then on.
    """

    gives_logprobs = True

    def __init__(self, model: str, *, base_url: str | None = None, timeout: float = REQUEST_TIMEOUT) -> None:
        """Open a client; see ``connect``."""
        from openai import AsyncOpenAI

        self._sdk = open_sdk(AsyncOpenAI, base_url, timeout=timeout)
        self._timeout = timeout
        self.model = model
        self.base_url = str(self._sdk.base_url)
        self._target = target_of(self._sdk, model)
        self._negotiation = Negotiation(self._target)

    def __repr__(self) -> str:
        return f"EndpointClient({self.model!r}, host={self._target.host!r})"

    @property
    def host(self) -> str | None:
        """Host and port of the address, where it is not OpenAI's own."""
        return None if self._target.host == _OWN_HOST else self._target.host

    @property
    def price(self) -> Price | None:
        """The list price of the model at this address; None where it is not known."""
        return known_price(self.model, url=self.base_url)

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask once, without retries; see ``Negotiation.settle`` for what is asked again."""
        check_allowed(self.base_url)
        return await self._negotiation.settle(request, self._send)

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    async def _send(self, request: ModelRequest, terms: ModelLimits) -> Reply | Refusal:
        """Send one request; returns an answer, or a refusal of the request as it is.

        Raises:
            JudgeFailed: For any other outcome.
        """
        import openai

        body = parameters(self.model, request, terms)
        with failures(self._target, self._timeout):
            try:
                completion: ChatCompletion = await self._sdk.chat.completions.create(
                    **body, extra_headers=propagation_headers()
                )
            except openai.APIStatusError as error:
                if is_refusal(error.status_code):
                    return Refusal(error.status_code, _detail(error))
                raise
        return self._reply(completion, structure_of(request, terms))

    def _reply(self, answer: "ChatCompletion", structure: Structure) -> Reply:
        """Read an answer, trusting nothing in it: the library does not check its shape."""
        try:
            return _read(answer, structure)
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            nature = type(error).__name__
            page = f": {answer}" if isinstance(answer, str) else ""  # such as the page of a proxy
            reason = f"it is not a chat completion ({nature}); check the address, which mostly ends in /v1{page}"
            raise of_answer(reason, self._target) from None


@contextmanager
def failures(target: CallTarget, timeout: float, *, missing: str = "") -> Iterator[None]:
    """Turn the library's errors into ``JudgeFailed``.

    Args:
        target: Where the call goes.
        timeout: Seconds that it may take.
        missing: What to say where the endpoint does not know the path; by default that it has no such model.

    Raises:
        JudgeFailed: For any of them.
    """
    import httpx2
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        if missing and error.status_code == _NOT_FOUND:
            raise JudgeFailed(missing, permanent=True, misuse=True, tokens=(0, 0)) from None
        raise of_status(error.status_code, _detail(error), target, error.response.headers) from None
    except openai.APITimeoutError:
        raise of_silence(target, timeout=timeout) from None
    except openai.APIConnectionError as error:
        raise of_silence(target, sent=not isinstance(error.__cause__, httpx2.ConnectError)) from None
    except (openai.OpenAIError, httpx2.HTTPError, json.JSONDecodeError) as error:
        raise of_answer(f"{type(error).__name__}: {error}", target) from None


def parameters(model: str, request: ModelRequest, terms: ModelLimits) -> dict[str, Any]:
    """The body of a request that leaves out what the endpoint has refused.

    Without ``top_logprobs`` five alternatives are asked for instead of twenty; without ``json_schema`` any JSON
    object; without ``response_format`` the prompt alone asks for one. ``max_tokens`` gives way to its newer name, and
    is left out where the answer may be as long as the model's longest.
    """
    refused, limit = terms.refused, terms.limit(request.max_tokens)
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
    }
    if limit is not None:
        body["max_completion_tokens" if "max_tokens" in refused else "max_tokens"] = limit
    if request.effort is not None and "effort" not in refused:
        body["reasoning_effort"] = request.effort
    if "temperature" not in refused:
        body["temperature"] = request.temperature
    if request.logprobs and "logprobs" not in refused:
        body |= {"logprobs": True, "top_logprobs": 5 if "top_logprobs" in refused else 20}
    structure = structure_of(request, terms)
    if request.schema is not None and structure != "prompt":
        body["response_format"] = {"type": "json_object"} if structure == "object" else _strict(request.schema)
    return body


def structure_of(request: ModelRequest, terms: ModelLimits) -> Structure:
    """How the form of the answer is asked for."""
    if request.schema is None or "response_format" in terms.refused:
        return "prompt"
    return "object" if "json_schema" in terms.refused else "schema"


def _strict(schema: Schema) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _detail(error: "APIStatusError") -> str:
    """An endpoint's error message, with the parameter and the code that it names."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    codes = (f"[{value}]" for value in (error.param, error.code) if value)
    return " ".join([str(message or error.message), *codes])


def _read(answer: "ChatCompletion", structure: Structure) -> Reply:
    choice, usage = answer.choices[0], answer.usage
    text, thought = _content(choice.message)
    cut, declined = choice.finish_reason == "length", _declined(choice)
    content = answer_in(text, thought, finished=not (cut or declined))
    details = usage.completion_tokens_details if usage else None
    reasoning = int((details.reasoning_tokens if details else 0) or 0)
    sent = usage.prompt_tokens_details if usage else None
    return Reply(
        text=content,
        parsed=find_object(content),
        tokens=_tokens(choice.logprobs.content if choice.logprobs else None),
        input_tokens=int(usage.prompt_tokens) if usage else 0,
        output_tokens=int(usage.completion_tokens) if usage else 0,
        reasoning_tokens=reasoning,
        cached_tokens=int((sent.cached_tokens if sent else 0) or 0),
        reasoned=bool(reasoning or thought or content != text.strip()),
        model=str(answer.model),
        cut=cut,
        declined=declined,
        ending=str(choice.finish_reason),
        structure=structure,
    )


def _content(message: "ChatCompletionMessage") -> tuple[str, str]:
    """What a message says, and what the model thought before; Mistral's endpoint gives both as parts of a list."""
    content: Any = message.content
    thought = next(filter(None, (getattr(message, name, None) for name in _THOUGHTS)), "")
    if isinstance(content, list):
        thought = thought or [part for part in content if part["type"] == "thinking"]
        content = "".join(part["text"] for part in content if part["type"] == "text")
    return str(content or ""), str(thought or "")


def _declined(choice: "Choice") -> str:
    if choice.message.refusal:
        return str(choice.message.refusal)
    return "its provider's content filter stopped it" if choice.finish_reason == "content_filter" else ""


def _tokens(content: "Sequence[ChatCompletionTokenLogprob] | None") -> tuple[Token, ...]:
    return tuple(
        Token(
            text=_bytes(token),
            alternatives=tuple((_bytes(other), float(other.logprob)) for other in token.top_logprobs or ()),
        )
        for token in content or ()
    )


def _bytes(token: "ChatCompletionTokenLogprob | TopLogprob") -> bytes:
    """A token's bytes: a token may be part of a character, so that its text alone misleads."""
    return bytes(token.bytes) if token.bytes else str(token.token).encode()
