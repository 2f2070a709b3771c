"""How likely each file is to be needed by the next session, and which of its definitions, from what sessions used.

Age counts in sessions, not in days: a repository that rests for a month needs the same files afterwards. A use fades
with three half-lives at once, since some files are worked on for a week and others for years.
"""

import math
from collections import defaultdict
from collections.abc import Iterable

from paragone.domain.content import Action, ContentKind
from paragone.memory.log_replay import session_of
from paragone.memory.store import Store
from paragone.memory.store.lines import AccessLine, IndexLine, LogLine, SessionLine, path_of
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
