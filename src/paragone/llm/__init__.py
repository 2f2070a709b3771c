"""The connection to models: the only package that talks to one.

Here live the client for any OpenAI-compatible endpoint, the client for other providers, the small model that runs in
this process, the translation of their errors, and prices. The package knows nouns and errors; it knows no judge, no
prompt and no ledger. Vendors' libraries are imported when a client is made, never before.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.llm.client import Effort, Message, ModelClient, ModelLimits, ModelRequest, Reply, Token, ask
    from paragone.llm.prices import Price, known_price
    from paragone.llm.providers import connect
    from paragone.llm.remote_calls import forbid_remote_calls, is_loopback
else:
    __getattr__ = names(
        __name__,
        {
            ".client": "Effort Message ModelClient ModelLimits ModelRequest Reply Token ask",
            ".prices": "Price known_price",
            ".providers": "connect",
            ".remote_calls": "forbid_remote_calls is_loopback",
        },
    )

__all__ = [
    "Effort",
    "Message",
    "ModelClient",
    "ModelLimits",
    "ModelRequest",
    "Price",
    "Reply",
    "Token",
    "ask",
    "connect",
    "forbid_remote_calls",
    "is_loopback",
    "known_price",
]
