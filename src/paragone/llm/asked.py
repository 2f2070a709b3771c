"""Asking a model, as a span by the names that OpenTelemetry has for it; no prompt and no answer is in it."""

from paragone.llm.client import Client, Reply, Request
from paragone.tracing import span


async def asked(client: Client, request: Request) -> Reply:
    """Ask once, without retries.

    Raises:
        JudgeFailed: If there was no answer; says whether asking again may help.
        UsageError: If remote calls are forbidden and this would be one.
    """
    known = {"gen_ai.operation.name": "chat", "gen_ai.request.model": client.model, "server.address": client.host}
    with span(f"chat {client.model}", known, kind="client") as told:
        reply = await client.ask(request)
        told.note(
            {
                "gen_ai.response.model": reply.model,
                "gen_ai.usage.input_tokens": reply.input_tokens,
                "gen_ai.usage.output_tokens": reply.output_tokens,
            }
        )
        return reply
