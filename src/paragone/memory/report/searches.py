"""Each search of the logs: how high what it showed was rated then, and where what was used would have stood."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from paragone.analysis.content.convergence import (
    Efficiency,
    Ranked,
    bounded_score,
    document_score,
    efficiency,
    elo_norm,
    r_gate,
)
from paragone.domain.content import Action, ContentTier, Standing, UsageConfig, content_tier
from paragone.memory.learning.trace import Gone, Present, Replay, Visit, file, trace
from paragone.memory.scores import initial_rating
from paragone.memory.store import MemoryConfig
from paragone.memory.store.lines import AccessLine, Line, SearchLine
from paragone.ratings.activation import decayed, need
from paragone.ratings.usage import is_high
from paragone.wire.search import SearchMode


def search_mode(config: MemoryConfig) -> SearchMode:
    """How ratings order where they do: as configured, and as the document does where likeness alone is configured."""
    return "document" if config.ranking.mode == "relevance" else config.ranking.mode


def searches(lines: Sequence[Line], config: MemoryConfig) -> Iterator[tuple[float, Efficiency]]:
    """The time of each search that showed something, and what it was worth.

    Files are ordered anew among those that were shown; what a search left out cannot be known.
    """
    by_id = {line.id: line for line in lines if isinstance(line, SearchLine)}
    used = _used(lines)
    replay = Replay(config.ratings, lambda path: initial_rating(file(path), config.tiers))
    for step in trace(lines):
        match step:
            case Visit():
                continue
            case Present():
                for path in step.paths:
                    replay.present(path)
                continue
            case Gone():
                for path in step.paths:
                    replay.gone(path)
                continue
        line = by_id.get(step.id)
        if line is not None and line.results:
            yield step.time, efficiency(list(_ranked(line, used[line.id], replay, config)))
        replay.count(step)


def _used(lines: Iterable[Line]) -> defaultdict[str, set[str]]:
    """By search, the files that it led to."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        if isinstance(line, AccessLine) and line.search_id and line.action is not Action.CONTRADICTED:
            used[line.search_id].add(line.file_path or line.entity_id)
    return used


def _ranked(line: SearchLine, used: set[str], replay: Replay, config: MemoryConfig) -> Iterator[Ranked]:
    """Each file of a search once, at its best rank."""
    seen: set[str] = set()
    for row in sorted(line.results, key=lambda one: one.rank):
        if row.file_path in seen:
            continue
        seen.add(row.file_path)
        standing = replay.standing(file(row.file_path))
        points = _points(standing, line.timestamp, config)
        similarity = 1.0 / row.rank if row.similarity is None else row.similarity
        yield Ranked(
            path=row.file_path,
            similarity=similarity,
            score=_score(similarity, points, standing, config),
            high=content_tier(points) is ContentTier.HIGH,
            used=row.file_path in used,
        )


def _points(standing: Standing, time: float, config: MemoryConfig) -> float:
    ratings: UsageConfig = config.ratings
    if config.ranking.rank_by == "need":
        return need(standing, time, ratings)
    return decayed(standing.elo, standing.last_use, time, ratings)


def _score(similarity: float, points: float, standing: Standing, config: MemoryConfig) -> float:
    gate = r_gate(is_high(standing.truth, config.ratings))
    if search_mode(config) == "bounded":
        return bounded_score(similarity, elo_norm(points), gate, config.ranking.bound)
    return document_score(similarity, elo_norm(points), gate)
