"""Analyses of a tournament over HTTP: consistency checks, winning patterns, parameters and what-if boards."""

import math
import threading
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from paragone.errors import Busy, InvalidConfig
from paragone.tournaments.results.patterns import analyse_patterns
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.results.tournament_board import WhatIf, board_if
from paragone.web.api.answers import Limit, refusals
from paragone.web.middleware.authentication import Reader
from paragone.web.parameters import LedgerDep, PoolId, StorableText
from paragone.web.readers.ledger_reader import PATIENCE
from paragone.web.views.boards import supposed
from paragone.wire.board import Board
from paragone.wire.consistency import Consistency
from paragone.wire.pattern import Patterns

router = APIRouter(prefix="/pools", tags=["tournaments"], responses=refusals(404))

AT_ONCE = 2
"""What-if boards that are fitted at the same time: whoever may read may ask for one."""
_turns = threading.BoundedSemaphore(AT_ONCE)

MOST_LEFT_OUT = 100
"""Maximum numbers of matches and of judges to leave out in a what-if."""
_Some = Annotated[tuple[Annotated[StorableText, Query(max_length=500)], ...], Query(max_length=MOST_LEFT_OUT)]


@router.get("/{pool}/consistency")
def get_consistency(pool: PoolId, reader: LedgerDep, _: Reader) -> Consistency:
    """Whether the results are consistent: cycles, surprising results, sudden swings, both orders, judges."""
    return reader.whole("consistency", pool, lambda: quality_of(reader.ledger, reader.state(pool)))


@router.get("/{pool}/patterns", responses=refusals(404, 501))
def get_patterns(pool: PoolId, reader: LedgerDep, _: Reader) -> Patterns:
    """What wins and what loses, and how topics fare. Nothing is recorded, and no model is asked."""
    return Patterns.like(reader.whole("patterns", pool, lambda: analyse_patterns(reader.state(pool))))


@router.get("/{pool}/parameters")
def get_parameters(pool: PoolId, reader: LedgerDep, _: Reader) -> dict[str, Any]:
    """The parameters of a tournament, under the names that `paragone tournament config` has for them."""
    return reader.whole("parameters", pool, lambda: asdict(reader.state(pool).system))


@router.get("/{pool}/whatif")
def suppose(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    k: Annotated[float | None, Query(gt=0, le=10_000, description="Another K factor for the running Elo.")] = None,
    initial: Annotated[float | None, Query(ge=-1e6, le=1e6, description="Another initial rating.")] = None,
    without_match: Annotated[_Some, Query(description="A match to leave out; may be repeated.")] = (),
    without_judge: Annotated[_Some, Query(description="A judge to leave out; may be repeated.")] = (),
    position: Annotated[bool, Query(description="Whether to fit each judge's position bias.")] = True,
    limit: Limit = 50,
) -> Board:
    """The first rows of the board as it would stand under other settings or without some evidence.

    Nothing is changed; calls and cost are the real ones.
    """
    reader.require_small(pool)
    for name, value in (("k", k), ("initial", initial)):
        if not math.isfinite(value or 0.0):
            raise InvalidConfig(f"{name} is a finite number", key=name)
    assumptions = WhatIf(
        k=k, initial=initial, without_matches=without_match, without_judges=without_judge, position=position
    )
    if not _turns.acquire(timeout=PATIENCE):
        raise Busy("others are asking what if: ask again in a moment")
    try:
        return supposed(reader, pool, board_if(reader.ledger, reader.state(pool), assumptions), limit)
    finally:
        _turns.release()
