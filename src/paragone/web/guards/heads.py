"""HEAD: what GET would say, without its body. What streams for ever is ended as soon as it has begun."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


async def answer_head(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer HEAD by what the application says to GET."""
    begun = False

    async def beginning(message: Message) -> None:
        nonlocal begun
        if message["type"] == "http.response.start" and not begun:
            begun = True
            await send(message)
            await send({"type": "http.response.body", "body": b""})
            asking.cancel()

    inner = {**scope, "method": "GET"}
    asking = asyncio.ensure_future(app(inner, receive, beginning))
    try:
        await asyncio.wait({asking})
    finally:
        asking.cancel()
        scope.update({name: inner[name] for name in inner.keys() - scope.keys()})  # which route it was, for one
    if not asking.cancelled() and not begun:
        asking.result()
