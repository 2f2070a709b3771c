"""Event streams of a server, across reconnections."""

import json
import time
from collections.abc import Callable, Iterator

from paragone.client.connection import Connection
from paragone.errors import Busy, ServerFailed
from paragone.wire.event import Event

SILENCE = 45.0
"""Seconds without even a heartbeat, which comes every 15, after which the connection counts as lost."""


def listen(
    connection: Connection,
    pool: str | None,
    last: int | None,
    *,
    path: str = "/events",
    pause: float = 1.0,
    attempts: int = 10,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Event]:
    """Endless events; a lost connection is reopened, and changes meanwhile are reported.

    Args:
        connection: To the server.
        pool: The pool; all if None.
        last: Id of the last event received before.
        path: Where the events are.
        pause: Seconds before it tries again.
        attempts: Attempts in a row before it gives up.
        sleep: Waits.

    Raises:
        ServerFailed: If the server cannot be reached any more.
    """
    failed = 0
    while True:
        try:
            for event in _once(connection, path, pool, last):
                failed, last = 0, event.id
                yield event
        except (ServerFailed, Busy):
            failed += 1
            if failed >= attempts:
                raise
        sleep(pause)


def _once(connection: Connection, path: str, pool: str | None, last: int | None) -> Iterator[Event]:
    headers = {} if last is None else {"last-event-id": str(last)}
    with connection.stream(path, headers, patience=SILENCE, pool=pool) as answer:
        yield from events(answer.iter_lines())


def events(lines: Iterator[str]) -> Iterator[Event]:
    """The events of a stream's lines; comments and other fields are ignored."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        if "data" in fields:
            data = json.loads(fields["data"])
            yield Event(
                pool=data["pool"], version=data["version"], moved=fields.get("event") == "moved", id=int(fields["id"])
            )
        fields = {}
