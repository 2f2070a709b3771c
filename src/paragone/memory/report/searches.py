"""What searches and packs of the logs were worth: how high their results were rated then, and what of them was used."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING

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
from paragone.memory.index import count_tokens
from paragone.memory.learning.trace import Gone, Present, Replay, Step, Visit, file, trace
from paragone.memory.packing.plan import Candidate, by_budget, by_tiers, minimum_tokens, odds
from paragone.memory.scores import initial_rating, is_pinned
from paragone.memory.store import MemoryConfig
from paragone.memory.store.lines import AccessLine, Line, SearchLine
from paragone.ratings.activation import decayed, need
from paragone.ratings.usage import is_high
from paragone.wire.pack import PackForm
from paragone.wire.search import SearchMode

if TYPE_CHECKING:
    from paragone.memory.index import Index
    from paragone.memory.store import Store


def search_mode(config: MemoryConfig) -> SearchMode:
    """The mode by which ratings order: the configured one, or the document's if similarity alone orders."""
    return "document" if config.ranking.mode == "relevance" else config.ranking.mode


def searches(lines: Sequence[Line], config: MemoryConfig) -> Iterator[tuple[float, Efficiency]]:
    """The time and efficiency of each search with results.

    Files are ordered again among those that were shown; what a search left out is unknown.
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
    """The files used after each search."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        if isinstance(line, AccessLine) and line.search_id and line.action is not Action.CONTRADICTED:
            used[line.search_id].add(line.file_path or line.entity_id)
    return used


def _ranked(line: SearchLine, used: set[str], replay: Replay, config: MemoryConfig) -> Iterator[Ranked]:
    """Each file of a search once, at its best rank."""
    paths: set[str] = set()
    for row in sorted(line.results, key=lambda result: result.rank):
        if row.file_path in paths:
            continue
        paths.add(row.file_path)
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


_HEADING = 16
"""Tokens of a heading or a pointer besides its path, roughly; the fewest of any form."""
_LEAST_SESSIONS = 10
_RATED = 200_000
"""Ratings computed for all packs together, roughly."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """What a pack held of the next session's files.

    Attributes:
        time: When the session began, in seconds since 1970.
        used: Files it used that were known before and are in the index now.
        packed: Those in the pack, whole or as signatures.
        whole: Those in the pack whole.
    """

    time: float
    used: int
    packed: int
    whole: int


def coverages(store: "Store", index: "Index", lines: Iterable[Line], *, last: int) -> list[Coverage]:
    """One for each of the last sessions that used known files.

    Packs are planned as ``Packer`` does, with the ratings of that time and the sizes of files today; none is written.

    Args:
        store: Its configuration.
        index: Files and their sizes.
        lines: Of the logs.
        last: Maximum number of sessions; fewer if there are many files.
    """
    steps = list(trace(lines))
    packer = _Packer(store.config, index)
    most = min(last, max(_LEAST_SESSIONS, _RATED // max(len(packer.files), 1)))
    skipped = max(0, sum(isinstance(step, Visit) for step in steps) - most)
    return list(_covered(steps, packer, skipped))


def _covered(steps: Iterable[Step], packer: "_Packer", skipped: int) -> Iterator[Coverage]:
    visits = 0
    for step in steps:
        if not isinstance(step, Visit):
            packer.learn(step)
            continue
        visits += 1
        if visits > skipped and (used_paths := packer.known(step.time) & step.used):
            forms = packer.pack(step.time)
            used_forms = [forms.get(path) for path in used_paths]
            whole = used_forms.count(PackForm.FULL)
            packed = whole + used_forms.count(PackForm.SIGNATURES)
            yield Coverage(time=step.time, used=len(used_paths), packed=packed, whole=whole)


class _Packer:
    """Plans packs at any point of a trace."""

    def __init__(self, config: MemoryConfig, index: "Index") -> None:
        self._config, self._index = config, index
        self.files = {entry.path: entry for entry in index.files()}
        self._replay = Replay(config.ratings, lambda path: initial_rating(file(path), config.tiers))
        self._seen: set[str] = set()
        self._prices: dict[str, Mapping[PackForm, int]] = {}

    def learn(self, step: Step) -> None:
        match step:
            case Present():
                for path in step.paths:
                    self._replay.present(path)
                self._seen |= set(step.paths)
            case Gone():
                for path in step.paths:
                    self._replay.gone(path)
                self._seen -= set(step.paths)
            case Visit():
                pass
            case _:
                self._seen |= set(self._replay.count(step))

    def known(self, time: float) -> set[str]:
        """Files that are in the index now and, as far as known, existed then."""
        return {path for path, entry in self.files.items() if path in self._seen or entry.first_seen <= time}

    def pack(self, time: float) -> dict[str, PackForm]:
        """The form of each file in the pack of that time."""
        config = self._config.pack
        rated = [self._rated(path, time) for path in self.known(time)]
        if config.mode == "budget":  # what comes after those cannot be in
            rated = nsmallest(config.tokens // _HEADING + 1, rated, key=_place)
        candidates = [replace(candidate, prices=self._priced(candidate.path)) for candidate in rated]
        if config.mode == "tiers":
            return by_tiers(candidates, None)
        return by_budget(candidates, max(config.tokens, minimum_tokens(candidates)))

    def _rated(self, path: str, time: float) -> Candidate:
        standing, ratings = self._replay.standing(file(path)), self._config.ratings
        low = is_high(standing.truth, ratings) is False
        points = {"need": need(standing, time, ratings), "elo": self._elo(standing, time)}
        return Candidate(
            path=path,
            worth=odds(points[self._config.pack.order]) * (ratings.gated if low else 1.0),
            prices={},
            tier=content_tier(points[self._config.ranking.rank_by]),
            pinned=is_pinned(path, self._config.tiers),
            is_low=low,
        )

    def _elo(self, standing: Standing, time: float) -> float:
        last = self.files[standing.content.id].first_seen if standing.last_use is None else standing.last_use
        return decayed(standing.elo, last, time, self._config.ratings)

    def _priced(self, path: str) -> Mapping[PackForm, int]:
        """Tokens of each form of a file."""
        if path not in self._prices:
            heading, outline = _HEADING + len(path) // 3, self._index.signatures(self.files[path])
            prices = {PackForm.FULL: self.files[path].tokens + heading, PackForm.POINTER: heading}
            if outline:
                prices[PackForm.SIGNATURES] = count_tokens(outline) + heading
            self._prices[path] = prices
        return self._prices[path]


def _place(candidate: Candidate) -> tuple[bool, float, str]:
    return not candidate.pinned, -candidate.worth, candidate.path
