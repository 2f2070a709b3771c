"""How events count: each by its kind, through the one definition in ``ratings.usage``."""

from dataclasses import replace

from paragone.domain.content import (
    Event,
    Pooled,
    Renamed,
    Showing,
    TruthFound,
    TruthSource,
    UsageConfig,
    UsageMove,
    Use,
)
from paragone.memory.scores.ground import StoredGround
from paragone.ratings.usage import show, touched, use


def count(event: Event, ground: StoredGround, config: UsageConfig) -> list[UsageMove]:
    """Count one event: the ground holds what came of it. Returns the moves of ratings."""
    match event:
        case Showing() | Use():
            return _step(event, ground, config)
        case TruthFound():
            _find_truth(event, ground)
        case Pooled():
            for kind, size in event.pools.items():
                ground.resize(kind, size)
        case Renamed():
            ground.rename(event)
    return []


def _step(event: Showing | Use, ground: StoredGround, config: UsageConfig) -> list[UsageMove]:
    if isinstance(event, Use):
        ground.fetch(touched(event, ground.search(event.search) if event.search else None))
        step = use(event, ground, config)
    else:
        if not config.zero_sum:
            ground.fetch(touched(event, None))
        step = show(event, ground, config)
    for standing in step.standings.values():
        ground.keep(standing)
    ground.record(step.moves)
    if step.search is not None:
        ground.keep_search(step.search)
    return step.moves


def _find_truth(event: TruthFound, ground: StoredGround) -> None:
    before = ground.standing(event.content)
    truth = {source: r for source, r in before.truth if source != event.source}
    if event.r is not None:
        truth[event.source] = event.r
    if tuple(truth.items()) != before.truth:
        ordered = tuple((source, truth[source]) for source in TruthSource if source in truth)
        ground.keep(replace(before, truth=ordered))
