"""How well definitions answer the query of a pack: BM25 of their own words, and of those in their paths."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from paragone.memory.index import Index
from paragone.memory.index.units import Unit, owner_of
from paragone.memory.search.bm25 import K1, B, idf
from paragone.memory.search.candidates import SearchSnapshot, best
from paragone.memory.store import Store
from paragone.memory.words import counts, query_terms, words

MAX_CHUNKS = 400
"""Chunks whose units are looked at: the best matches."""
PATH_SHARE = 0.5
"""What a word in the path is worth, as a share of its weight."""


class QueryMatch:
    """What a query finds in an index.

    Attributes:
        units: Score of units by path and number in the file.
        paths: Score that all units of a file have for its path, by path.
    """

    def __init__(self, store: Store, index: Index, query: str, paths: Sequence[str]) -> None:
        chunks = SearchSnapshot(store, index).catalogue("chunk")
        self._terms = sorted(set(query_terms(query)))
        size = len(chunks.words.lengths)
        self._weights = {word: idf(chunks.words.occurrences(word), size) for word in self._terms}
        self._mean = float(chunks.words.lengths.mean()) if size else 1.0
        self.paths = {path: score for path in paths if (score := self._path(path)) > 0.0}
        rows = best(chunks.words.similarity(self._terms), MAX_CHUNKS).tolist() if size else []
        own_paths = set(paths)
        texts: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        hits = [chunk for row in rows for chunk in index.places(chunks.ids[row]) if chunk.path in own_paths]
        units = index.units(sorted({chunk.path for chunk in hits}))
        owners = {path: _owners(some) for path, some in units.items()}
        for chunk in hits:
            _share_out(chunk.path, chunk.start, chunk.text, owners[chunk.path], texts)
        self.units = {key: score for key, some in texts.items() if (score := self._score(some)) > 0.0}

    def highest(self) -> float:
        """The highest score of any unit; 0 without any."""
        scores = [score + self.paths.get(path, 0.0) for (path, _), score in self.units.items()]
        return max((*scores, *self.paths.values()), default=0.0)

    def _path(self, path: str) -> float:
        own = set(words(path))
        return PATH_SHARE * sum(weight for word, weight in self._weights.items() if word in own)

    def _score(self, lines: Sequence[str]) -> float:
        has = counts(lines)
        length = sum(has.values())
        penalty = K1 * (1.0 - B + B * length / max(self._mean, 1e-9))
        return sum(weight * _saturated(has, word, penalty) for word, weight in self._weights.items())


def _saturated(has: Mapping[str, int], word: str, penalty: float) -> float:
    times = has.get(word, 0)
    return times / (times + penalty)


def _owners(units: Sequence[Unit]) -> list[int]:
    return owner_of(units[0].end, [(unit.start, unit.end) for unit in units[1:]]) if units else []


def _share_out(
    path: str, start: int, text: str, owners: Sequence[int], texts: defaultdict[tuple[str, int], list[str]]
) -> None:
    """Give each line of a chunk to the unit that it belongs to."""
    for row, line in enumerate(text.split("\n"), start - 1):
        if row < len(owners):
            texts[path, owners[row]].append(line)
