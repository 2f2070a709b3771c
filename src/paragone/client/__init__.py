"""A server of paragone from Python: its own layer, which knows the API and nothing of how a server is made."""

from paragone.client.client import Client
from paragone.wire.event import Event

__all__ = ["Client", "Event"]
