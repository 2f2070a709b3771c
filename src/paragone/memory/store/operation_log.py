"""Log of operations by administrators, as over HTTP. Lines are only appended; they move no rating."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from paragone.errors import InvalidRecord
from paragone.memory.store.lines import Line, encode, from_json
from paragone.memory.store.log_reading import parts, raw_lines
from paragone.memory.store.log_writing import writing
from paragone.memory.store.store import Store

_NAME = "act_log"


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationLine(Line):
    """A line of the log of acts, written before the act is done.

    Attributes:
        by: Who.
        act: What, such as ``prune``.
        about: Of what, and with which options.
    """

    by: str
    act: str
    about: dict[str, Any] = field(default_factory=dict)


def log_operation(store: Store, by: str, act: str, **about: object) -> OperationLine:
    """Put an act on record; it is on the disk when this returns.

    Args:
        store: To what.
        by: Who does it.
        act: What.
        about: Of what, and with which options; JSON values.

    Raises:
        Unwritable: If the disk is full, or the folder may not be written.
        Busy: If somebody else writes for too long.
    """
    line, data = encode(OperationLine(id=store.new_id(), timestamp=store.clock(), by=by, act=act, about=about))
    with store.locked("acts"), writing(store.path / "logs", sys.maxsize) as log:
        log.write(_NAME, [data])
        log.sync()
    return line


def operations(store: Store) -> list[OperationLine]:
    """All acts on record, the oldest first. A line that a kill cut in half says nothing."""
    return list(_operations(store))


def _operations(store: Store) -> Iterator[OperationLine]:
    for part in parts(store.path / "logs", (_NAME,)).get(_NAME, ()):
        for raw in raw_lines(part):
            with suppress(InvalidRecord):
                yield from_json(OperationLine, raw)
