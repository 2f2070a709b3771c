"""The board of a tournament as it would stand had something been otherwise. Nothing is changed, and nothing kept."""

import math
import threading

from paragone.errors import Busy, InvalidConfig
from paragone.tournaments.results.tournament_board import WhatIf, board_if
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.boards import supposed
from paragone.web.views.whole_tournament import PATIENCE, require_small
from paragone.wire.board import Board

AT_ONCE = 2
"""Boards that are supposed at the same time: each is a fit, and whoever may read may ask."""

_turns = threading.BoundedSemaphore(AT_ONCE)


def whatif(reader: LedgerReader, pool: str, suppose: WhatIf, limit: int = 50) -> Board:
    """The first rows of the board as it would stand.

    Raises:
        NotFound: If there is no such tournament, or it has no such match or judge.
        InvalidConfig: If it is too large, or something cannot be supposed.
        Busy: If others are supposing already.
    """
    require_small(reader, pool)
    for name in ("k", "initial"):
        if not math.isfinite(getattr(suppose, name) or 0.0):
            raise InvalidConfig(f"{name} is a finite number", key=name)
    if not _turns.acquire(timeout=PATIENCE):
        raise Busy("others are asking what if: ask again in a moment")
    try:
        return supposed(reader, pool, board_if(reader.ledger, reader.state(pool), suppose), limit)
    finally:
        _turns.release()
