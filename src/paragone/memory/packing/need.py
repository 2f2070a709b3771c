"""How likely each file is to be needed by the next session, and which of its definitions, from what sessions used.

Age counts in sessions, not in days: a repository that rests for a month needs the same files afterwards. A use fades
with three half-lives at once, since some files are worked on for a week and others for years.

How well a definition answers a query is BM25 of its own words, and of those in its path.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from paragone.domain.content import Action, ContentKind
from paragone.memory.index import Index
from paragone.memory.index.units import Unit, owner_of
from paragone.memory.search.bm25 import K1, B, idf
from paragone.memory.search.candidates import SearchSnapshot, best
from paragone.memory.store import Store
from paragone.memory.store.lines import AccessLine, IndexLine, LogLine, SessionLine, path_of
from paragone.memory.trace import session_of
from paragone.memory.words import counts, query_terms, words
from paragone.ratings.activation import UNUSED as UNUSED_RATING
from paragone.ratings.elo import NATS_PER_POINT
from paragone.ratings.usefulness import Feedback, log_odds, probability

HALF_LIVES = ((15.0, 0.25), (100.0, 0.5), (600.0, 0.25))
"""Half-lives in sessions, with their weights. Measured: ``benchmarks/memory_pack.py``."""
UNUSED = 1e-4
"""The need of a file that no session used."""
HORIZON = 5.0
"""A pack serves about so many sessions: the chance counts that any of them needs the file."""
HIT_HALF_LIFE, HIT_SESSIONS = 60.0, 150
"""Half-life of a change of a definition, in sessions, and the sessions after which it is forgotten."""
LINES = 20_000
"""Lines of the logs that are read, from the last one back: older uses weigh less than ``UNUSED``."""


class Uses:
    """What sessions used, in order."""

    def __init__(self) -> None:
        self._sessions: dict[str, int] = {}
        self._uses: dict[str, set[int]] = {}
        self._changes: dict[str, set[tuple[int, str]]] = {}

    def session(self, id: str, paths: Iterable[str]) -> None:
        """Note that a session used some files; each counts once."""
        number = self._sessions.setdefault(id, len(self._sessions))
        for path in paths:
            self._uses.setdefault(path, set()).add(number)

    def change(self, id: str, path: str, name: str) -> None:
        """Note that a session changed or expanded a definition."""
        number = self._sessions.setdefault(id, len(self._sessions))
        self._changes.setdefault(path, set()).add((number, name))

    def rename(self, old: str, new: str) -> None:
        """From now on, earlier uses of a path are uses of another."""
        if old in self._uses:
            self._uses.setdefault(new, set()).update(self._uses.pop(old))
        if old in self._changes:
            self._changes.setdefault(new, set()).update(self._changes.pop(old))

    def needs(self) -> dict[str, float]:
        """The expected uses of each used file by the next session, about a probability."""
        now = len(self._sessions) - 1
        return {path: need(now - number for number in numbers) for path, numbers in self._uses.items()}

    def hits(self) -> dict[str, dict[str, float]]:
        """How often each definition was changed, by path and name, fading; the whole file's by the name ``""``."""
        now = len(self._sessions) - 1
        hits: dict[str, dict[str, float]] = {}
        for path, numbers in self._uses.items():
            if recent := [number for number in numbers if now - number < HIT_SESSIONS]:
                hits[path] = defaultdict(float, {"": sum(_faded(now - number) for number in sorted(recent))})
        for path, changes in self._changes.items():
            for number, name in sorted(changes):
                if now - number < HIT_SESSIONS:
                    hits.setdefault(path, defaultdict(float))[name] += _faded(now - number)
        return hits


def _faded(age: int) -> float:
    return math.pow(2.0, -age / HIT_HALF_LIFE)


def need(ages: Iterable[int]) -> float:
    """The expected uses by the next session, given the age of each use in sessions."""
    return math.fsum(
        weight * math.pow(2.0, -age / half_life) * math.log(2.0) / half_life
        for age in ages
        for half_life, weight in HALF_LIVES
    )


def chance(need: float) -> float:
    """The probability that any of the next sessions needs a file."""
    return -math.expm1(-HORIZON * (need + UNUSED))


def useful(chance: float, feedback: Feedback) -> float:
    """The chance that a file is needed, given what was reported of it: errors lower it, uses raise it.

    Example:
        A chance of one half becomes 0.2 by one contradiction, and 0.67 by one use.
    """
    odds = chance / (1.0 - chance) if chance < 1.0 else _CERTAIN
    return 1.0 / (1.0 + math.exp(-log_odds(feedback)) / odds)


_CERTAIN = 1e12


def is_doubted(feedback: Feedback) -> bool:
    """Whether content was reported to be wrong so much more often than useful that its text stays out of packs."""
    return feedback.is_known and probability(feedback) < _DOUBTED


_DOUBTED = 0.2
"""P(useful) below which content is doubted: two contradictions without a use, or one of a file whose R is low."""


def expected(elo: float) -> float:
    """The chance that a rating in Elo points stands for: one half at the initial rating of the medium tier."""
    return 1.0 / (1.0 + math.exp((UNUSED_RATING - elo) * NATS_PER_POINT))


def uses_of(lines: Iterable[LogLine]) -> Uses:
    """The uses that lines of the logs tell of."""
    uses = Uses()
    for line in lines:
        if isinstance(line, SessionLine | IndexLine):
            for old, new in line.renamed:
                uses.rename(old, new)
        if isinstance(line, SessionLine):
            _take_session(uses, line)
        elif isinstance(line, AccessLine) and not line.part and line.action is not Action.CONTRADICTED:
            _take_access(uses, line)
    return uses


def _take_session(uses: Uses, line: SessionLine) -> None:
    session = session_of(line)
    if not line.accesses_logged:
        uses.session(session, line.files_accessed)
    for path, name in line.changed:
        uses.change(session, path, name)


def _take_access(uses: Uses, line: AccessLine) -> None:
    session = session_of(line)
    touched = ((line.entity_type, line.entity_id), *line.also)
    uses.session(session, {id for kind, id in touched if kind is ContentKind.FILE})
    for kind, id in touched:
        if kind is ContentKind.SYMBOL:
            uses.change(session, path_of(kind, id), leaf(id.partition("::")[2]))


def leaf(name: str) -> str:
    """The last part of a qualified name."""
    return name.rpartition(".")[2].partition("#")[0]


def recent_uses(store: "Store") -> Uses:
    """The uses of the last sessions of a store."""
    return uses_of(store.logs.after(max(0, store.logs.last_seq - LINES), kinds={AccessLine, SessionLine, IndexLine}))


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
