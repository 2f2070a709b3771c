"""The connection to models: the only package that talks to one.

Here live the client for any OpenAI-compatible endpoint, the client for other providers, the small model that runs in
this process, the translation of their errors, and prices. The package knows nouns and errors; it knows no judge, no
prompt and no ledger. Vendors' libraries are imported when a client is made, never before.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.llm.client import (
        Effort,
        Message,
        ModelClient,
        ModelLimits,
        ModelRequest,
        Price,
        Reply,
        Token,
        ask,
        forbid_remote_calls,
        is_loopback,
        known_price,
    )
    from paragone.llm.providers import connect
else:
    __getattr__ = names(
        __name__,
        {
            ".client": (
                "Effort Message ModelClient ModelLimits ModelRequest Price Reply Token ask "
                "forbid_remote_calls is_loopback known_price"
            ),
            ".providers": "connect",
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
