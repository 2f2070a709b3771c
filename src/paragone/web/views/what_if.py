"""What-if boards: the board without some evidence or under other settings, beside the one that there is."""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from paragone.errors import Busy, InvalidConfig
from paragone.tournaments.results.tournament_board import WhatIf, board_if
from paragone.web.readers.ledger_reader import PATIENCE, LedgerReader
from paragone.web.views.board import supposed
from paragone.wire.board import Board

AT_ONCE = 2
"""Fits on request at the same time: whoever may read may ask for one."""
_turns = threading.BoundedSemaphore(AT_ONCE)


@contextmanager
def turn() -> Iterator[None]:
    """A turn to fit something that was asked for.

    Raises:
        Busy: If there is none for a while.
    """
    if not _turns.acquire(timeout=PATIENCE):
        raise Busy("other fits are being computed: ask again in a moment")
    try:
        yield
    finally:
        _turns.release()


def what_if_board(reader: LedgerReader, pool: str, assumptions: WhatIf, limit: int, passed: int = 0) -> Board:
    """Some rows of the board under assumptions, after those that are passed over.

    Raises:
        NotFound: If there is no such tournament, match or judge.
        InvalidConfig: If it is too large, or a number is not finite.
        Busy: If others ask for such boards.
    """
    reader.require_small(pool)
    for name, value in (("k", assumptions.k), ("initial", assumptions.initial)):
        if not math.isfinite(value or 0.0):
            raise InvalidConfig(f"{name} is a finite number", key=name)
    with turn():
        return supposed(reader, pool, board_if(reader.ledger, reader.state(pool), assumptions), limit, passed)
