"""Analyses of a tournament over HTTP: consistency checks, winning patterns, parameters and what-if boards."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from paragone.tournaments.results.tournament_board import WhatIf
from paragone.web.api.answers import Limit, refusals
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Reader
from paragone.web.views import consistency as checks
from paragone.web.views import patterns as findings
from paragone.web.views import whatif as supposing
from paragone.web.views.body import StorableText
from paragone.web.views.links import PoolId
from paragone.web.views.whole_tournament import of_whole
from paragone.wire.board import Board
from paragone.wire.consistency import Consistency
from paragone.wire.pattern import Patterns

router = APIRouter(prefix="/pools", tags=["tournaments"], responses=refusals(404))

MOST_LEFT_OUT = 100
"""Maximum numbers of matches and of judges to leave out in a what-if."""
_Some = Annotated[tuple[Annotated[StorableText, Query(max_length=500)], ...], Query(max_length=MOST_LEFT_OUT)]


@router.get("/{pool}/consistency")
def get_consistency(pool: PoolId, reader: LedgerDep, _: Reader) -> Consistency:
    """Whether results hang together: circles, surprising results, sudden swings, both orders, judges."""
    return checks.consistency(reader, pool)


@router.get("/{pool}/patterns", responses=refusals(404, 501))
def get_patterns(pool: PoolId, reader: LedgerDep, _: Reader) -> Patterns:
    """What wins and what loses, and how topics fare. Nothing is recorded, and no model is asked."""
    return findings.patterns(reader, pool)


@router.get("/{pool}/parameters")
def get_parameters(pool: PoolId, reader: LedgerDep, _: Reader) -> dict[str, Any]:
    """The parameters of a tournament, under the names that `paragone tournament config` has for them."""
    return of_whole(reader, "parameters", pool, lambda: asdict(reader.state(pool).system))


@router.get("/{pool}/whatif")
def suppose(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    k: Annotated[float | None, Query(gt=0, le=10_000, description="Another K factor for the running Elo.")] = None,
    initial: Annotated[float | None, Query(ge=-1e6, le=1e6, description="Another initial rating.")] = None,
    without_match: Annotated[_Some, Query(description="A match that never was; may be repeated.")] = (),
    without_judge: Annotated[_Some, Query(description="A judge who never was; may be repeated.")] = (),
    position: Annotated[bool, Query(description="Fit each judge's position bias, or take it at its word.")] = True,
    limit: Limit = 50,
) -> Board:
    """The first rows of the board as it would stand under other settings or without some evidence.

    Nothing is changed; calls and cost are the real ones.
    """
    assumptions = WhatIf(
        k=k,
        initial=initial,
        without_matches=without_match,
        without_judges=without_judge,
        position=position,
    )
    return supposing.whatif(reader, pool, assumptions, limit)
