"""Which request is being answered: an id of its own, for the log, for traces and for whoever reports a problem."""

import secrets
from contextvars import ContextVar

HEADER = b"x-request-id"
"""The header of every answer that has it."""

_request: ContextVar[str] = ContextVar("request", default="")


def begin_request() -> str:
    """Give the request that begins here an id, for all that is done about it; also in threads and runs of its own."""
    id = secrets.token_hex(8)
    _request.set(id)
    return id


def request_id() -> str:
    """Id of the request that is being answered; empty where none is."""
    return _request.get()
