"""A Python client for a paragone server: a layer that knows the API and nothing of the server's insides."""

from paragone.client.client import Client
from paragone.wire.event import Event

__all__ = ["Client", "Event"]
