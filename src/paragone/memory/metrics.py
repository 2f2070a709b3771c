"""The specified measures of success, computed from the logs, each with its target, evidence and series over time.

Ratings and packs for a session are those of the moment when it began.

Source: the memory specification, "Success Metrics", with its settled readings.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np

from paragone.analysis.content.convergence import (
    SETTLED,
    TOP,
    WINDOW,
    Efficiency,
    RankedFile,
    RatingMove,
    convergence,
    efficiency,
)
from paragone.analysis.content.document_score import document_score, elo_norm, r_gate
from paragone.domain.content import Action, Content, ContentState, ContentTier, Renamed, Showing, content_tier
from paragone.errors import InvalidConfig, NotFound
from paragone.memory.log_replay import Gone, SessionStart, TraceEvent, TraceReplay, session_of, trace
from paragone.memory.packing import Packer
from paragone.memory.packing.by_symbol import choices_of, file_forms, rows_of
from paragone.memory.packing.by_tier import CandidateFile, by_tiers
from paragone.memory.packing.need import Uses, chance, expected
from paragone.memory.packing.selection import minimum, select
from paragone.memory.store import MemoryConfig
from paragone.memory.store.config import initial_rating, is_pinned
from paragone.memory.store.lines import AccessLine, LogLine, SearchLine, SessionLine, instant, path_of
from paragone.ratings.activation import decayed
from paragone.ratings.usage import is_high
from paragone.wire.memory import MeasurePoint, Measures, MemoryMeasure
from paragone.wire.pack import PackForm

if TYPE_CHECKING:
    from paragone.memory.index import Index
    from paragone.memory.scores import Scores
    from paragone.memory.store import Store


def searches(lines: Sequence[LogLine], config: MemoryConfig) -> Iterator[tuple[float, Efficiency]]:
    """The time and efficiency of each search with results.

    Files are ordered again among those that were shown; what a search left out is unknown.
    """
    by_id = {line.id: line for line in lines if isinstance(line, SearchLine)}
    used = _used(lines)
    replay = _replay(config)
    for step in trace(lines):
        line = by_id.get(step.id) if isinstance(step, Showing) else None
        if line is not None and line.results:
            yield line.timestamp, efficiency(list(_ranked(line, used[line.id], replay, config)))
        replay.take(step)


def _replay(config: MemoryConfig) -> TraceReplay:
    return TraceReplay(config.ratings, lambda path: initial_rating(Content.file(path), config.tiers))


def _used(lines: Iterable[LogLine]) -> defaultdict[str, set[str]]:
    """The files used after each search."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        if isinstance(line, AccessLine) and line.search_id and line.action is not Action.CONTRADICTED:
            used[line.search_id].add(line.file_path or line.entity_id)
    return used


def _ranked(line: SearchLine, used: set[str], replay: TraceReplay, config: MemoryConfig) -> Iterator[RankedFile]:
    """Each file of a search once, at its best rank."""
    paths: set[str] = set()
    for row in sorted(line.results, key=lambda result: result.rank):
        if row.file_path in paths:
            continue
        paths.add(row.file_path)
        state = replay.state(Content.file(row.file_path))
        points = decayed(state.elo, state.last_use, line.timestamp, config.ratings)
        similarity = 1.0 / row.rank if row.similarity is None else row.similarity
        yield RankedFile(
            path=row.file_path,
            similarity=similarity,
            score=_score(similarity, points, state, config),
            high=content_tier(points) is ContentTier.HIGH,
            used=row.file_path in used,
        )


def _score(similarity: float, points: float, state: ContentState, config: MemoryConfig) -> float:
    gate = r_gate(is_high(state.truth, config.ratings))
    return document_score(similarity, elo_norm(points), gate)


_FRAME = 12
"""Tokens around the bodies of a file besides its path, roughly."""
_MIN_PACKED_SESSIONS = 10
_MAX_RATINGS = 200_000
"""Ratings computed for all packs together, roughly."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """What a pack held of the next session's files.

    Attributes:
        time: When the session began, in seconds since 1970.
        used: Files it used that were known before and are in the index now.
        packed: Those in the pack, whole, in part, or as signatures.
        whole: Those in the pack whole.
    """

    time: float
    used: int
    packed: int
    whole: int


def coverages(store: "Store", index: "Index", lines: Iterable[LogLine], *, last: int) -> list[Coverage]:
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
    most = min(last, max(_MIN_PACKED_SESSIONS, _MAX_RATINGS // max(len(packer.files), 1)))
    skipped = max(0, sum(isinstance(step, SessionStart) for step in steps) - most)
    return list(_covered(steps, packer, skipped))


def _covered(steps: Iterable[TraceEvent], packer: "_Packer", skipped: int) -> Iterator[Coverage]:
    visits = 0
    for step in steps:
        if isinstance(step, SessionStart):
            visits += 1
            if visits > skipped and (used_paths := packer.known(step.time) & step.used):
                forms = packer.pack(step.time)
                used_forms = [forms.get(path, PackForm.EXCLUDED) for path in used_paths]
                packed = sum(form not in {PackForm.EXCLUDED, PackForm.POINTER} for form in used_forms)
                full = used_forms.count(PackForm.FULL)
                yield Coverage(time=step.time, used=len(used_paths), packed=packed, whole=full)
        packer.learn(step)


class _Packer:
    """Plans packs at any point of a trace, with the units of files today."""

    def __init__(self, config: MemoryConfig, index: "Index") -> None:
        self._config, self._index = config, index
        self.files = {entry.path: entry for entry in index.files()}
        self._replay, self._uses = _replay(config), Uses()
        self._seen: set[str] = set()
        self._paths = sorted(self.files)
        rows = rows_of(self._paths, index.unit_sizes())
        costs = [(len(path) // 3, _FRAME + len(path) // 3) for path in self._paths]
        self._choices = choices_of(costs, rows, np.zeros(len(rows)))

    def learn(self, step: TraceEvent) -> None:
        self._seen |= set(self._replay.take(step))
        match step:
            case SessionStart():
                self._uses.session(step.id, step.used)
            case Renamed():
                self._uses.rename(step.old, step.new)
            case Gone():
                self._seen -= set(step.paths)

    def known(self, time: float) -> set[str]:
        """Files that are in the index now and, as far as known, existed then."""
        return {path for path, entry in self.files.items() if path in self._seen or entry.first_seen <= time}

    def pack(self, time: float) -> dict[str, PackForm]:
        """The form of each file in the pack of that time."""
        paths = self.known(time)
        if self._config.pack.mode == "tiers":
            return by_tiers([self._candidate(path, time) for path in sorted(paths)], None)
        needs, gates = self._uses.needs(), [self._is_low(path) for path in self._paths]
        chances = [
            (chance(needs.get(path, 0.0)) if self._config.pack.order == "need" else expected(self._elo(path, time)))
            * (self._config.ratings.gated if low else 1.0)
            for path, low in zip(self._paths, gates, strict=True)
        ]
        absent = np.array([path not in paths for path in self._paths], np.bool_)
        pinned = np.array([is_pinned(path, self._config.tiers) for path in self._paths], np.bool_) & ~absent
        choices = replace(
            self._choices, chance=np.array(chances), absent=absent, pinned=pinned, closed=np.array(gates, np.bool_)
        )
        forms = file_forms(choices, select(choices, max(self._config.pack.tokens, minimum(choices))))
        return {path: form for path, form in zip(self._paths, forms, strict=True) if form is not PackForm.EXCLUDED}

    def _candidate(self, path: str, time: float) -> CandidateFile:
        """A file as packs by tier see it: without a budget, what its forms cost does not matter."""
        prices = dict.fromkeys((PackForm.FULL, PackForm.POINTER), 1)
        if self._index.signatures(self.files[path]):
            prices[PackForm.SIGNATURES] = 1
        elo = self._elo(path, time)
        return CandidateFile(
            path=path,
            worth=elo,
            prices=prices,
            tier=content_tier(elo),
            pinned=is_pinned(path, self._config.tiers),
            is_low=self._is_low(path),
        )

    def _state(self, path: str) -> ContentState:
        return self._replay.state(Content.file(path))

    def _is_low(self, path: str) -> bool:
        return is_high(self._state(path).truth, self._config.ratings) is False

    def _elo(self, path: str, time: float) -> float:
        state = self._state(path)
        last = self.files[path].first_seen if state.last_use is None else state.last_use
        return decayed(state.elo, last, time, self._config.ratings)


Period = Literal["week", "session"]
CONVERGENCE, LITE, SEARCH = "convergence", "LITE accuracy", "search efficiency"
USED_ON, USED_OFF, SAVINGS = "used@5 with Elo", "used@5 without Elo", "token savings"
TARGETS = {CONVERGENCE: 0.9, LITE: 0.9, SEARCH: 0.8, SAVINGS: 0.8}
"""Shares to reach. The document names none for convergence; nine in ten is ours."""
MIN_SESSIONS = 100
"""Sessions after which ratings should have converged."""
NOTHING = "nothing to measure yet"
_MAX_PACKED_SESSIONS = 200


def measure(
    store: "Store", index: "Index", scores: "Scores", *, as_of: float | None = None, by: Period = "week"
) -> Measures:
    """Compute all measures.

    Args:
        store: Whose logs.
        index: The sizes of files.
        scores: Updated first, so that the logged changes are complete.
        as_of: The time of the pack that is compared with all files whole, in seconds since 1970; now if None.
        by: A point of a series for each week or session.
    """
    now = store.moment(as_of)
    scores.catch_up()
    lines = list(store.logs.after())
    start_times = _beginnings(lines)
    return Measures(
        at=instant(now),
        sessions=len(start_times),
        measures=[
            _convergence(store, lines, start_times, by, gone=_gone(index)),
            _lite(store, coverages(store, index, lines, last=_MAX_PACKED_SESSIONS), by),
            *_searches(store, lines, by),
            _savings(Packer(store, index, scores), now),
        ],
    )


def _beginnings(lines: Iterable[LogLine]) -> dict[str, float]:
    """When each session began, in that order."""
    start_times: dict[str, float] = {}
    for line in lines:
        if isinstance(line, SearchLine | AccessLine | SessionLine):
            start_times.setdefault(session_of(line), line.timestamp)
    return start_times


def _gone(index: "Index") -> Callable[[str], bool]:
    """Whether a path is of a file that no longer exists, as far as the index knows."""
    paths = set(index.paths())
    return lambda path: bool(paths) and bool(path) and path not in paths


def _convergence(
    store: "Store",
    lines: Sequence[LogLine],
    start_times: dict[str, float],
    by: Period,
    *,
    gone: Callable[[str], bool],
) -> MemoryMeasure:
    numbers = {session: number for number, session in enumerate(start_times)}
    of_line = {line.seq: numbers[session_of(line)] for line in lines if session_of(line) in numbers}
    moves = [
        RatingMove(
            session=of_line[update.seq],
            item=(update.entity_type, update.entity_id),
            old=update.elo_old,
            new=update.elo_new,
        )
        for update in store.logs.updates()
        if update.seq in of_line and not gone(path_of(update.entity_type, update.entity_id))
    ]
    times = list(start_times.values())
    windows = [window for window in convergence(moves, _ends(times, by)) if window.active]
    points = tuple(
        MeasurePoint(at=instant(times[window.session]), value=window.settled / window.active, evidence=window.active)
        for window in windows
    )
    early = len(start_times) < MIN_SESSIONS
    note = f"share of active items that moved under {SETTLED:g} points over the last {WINDOW} sessions"
    if not points:
        nothing = f"{NOTHING}: it takes {WINDOW} sessions"
        return _measure(CONVERGENCE, "active items", nothing)
    note = f"{note}; judged from {MIN_SESSIONS} sessions on" if early else note
    last = points[-1]
    return _measure(
        CONVERGENCE, "active items", note, last.value, evidence=last.evidence, series=points, is_early=early
    )


def _measure(
    name: str,
    counted: str,
    note: str,
    value: float | None = None,
    *,
    evidence: int = 0,
    series: Sequence[MeasurePoint] = (),
    is_early: bool = False,
) -> MemoryMeasure:
    target = TARGETS.get(name)
    return MemoryMeasure(
        name=name,
        value=value,
        target=target,
        met=None if value is None or target is None or is_early else value >= target,
        evidence=evidence,
        counted=counted,
        note=note,
        series=list(series),
    )


def _ends(times: Sequence[float], by: Period) -> list[int]:
    """The last session of each week, or every session; ascending."""
    if by == "session":
        return list(range(len(times)))
    return sorted({_period(time, number, by): number for number, time in enumerate(times)}.values())


def _lite(store: "Store", covered: Sequence[Coverage], by: Period) -> MemoryMeasure:
    rows = [(coverage.time, coverage.packed, coverage.used) for coverage in covered]
    full, used = sum(coverage.whole for coverage in covered), sum(coverage.used for coverage in covered)
    note = (
        "share of a session's files that the pack before it held, whole or as signatures; packs are planned by "
        f"{store.config.pack.order} then and sizes now, of files that are in the index now"
    )
    return _share(LITE, rows, "files used", f"{note}; whole {full / used:.0%}" if used else note, by)


def _searches(store: "Store", lines: Sequence[LogLine], by: Period) -> tuple[MemoryMeasure, ...]:
    efficiencies = list(searches(lines, store.config))
    used = [(time, efficiency) for time, efficiency in efficiencies if efficiency.used]
    again = f"share of the results that were used which are among the first {TOP}"
    return (
        _share(
            SEARCH,
            [(time, efficiency.high, efficiency.shown) for time, efficiency in efficiencies],
            "results",
            f"share of the first {TOP} files of searches whose rating was HIGH (1600 and up) at that time",
            by,
        ),
        _share(USED_ON, _rows(used, "used_on"), "files used", f"{again}, ordered by ratings as 'document' does", by),
        _share(USED_OFF, _rows(used, "used_off"), "files used", f"{again}, ordered by similarity alone", by),
    )


def _rows(efficiencies: Iterable[tuple[float, Efficiency]], name: str) -> list[tuple[float, int, int]]:
    return [(time, getattr(efficiency, name), efficiency.used) for time, efficiency in efficiencies]


def _share(name: str, rows: Sequence[tuple[float, int, int]], counted: str, note: str, by: Period) -> MemoryMeasure:
    """A measure from (time, hits, total) of sessions or searches."""
    total = sum(of for _, _, of in rows)
    if not total:
        return _measure(name, counted, NOTHING)
    value = sum(hits for _, hits, _ in rows) / total
    return _measure(name, counted, note, value, evidence=total, series=_series(rows, by))


def _series(rows: Sequence[tuple[float, int, int]], by: Period) -> list[MeasurePoint]:
    periods: defaultdict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for number, row in enumerate(rows):
        periods[_period(row[0], number, by)].append(row)
    points = [
        MeasurePoint(
            at=instant(min(time for time, _, _ in period)),
            value=sum(hits for _, hits, _ in period) / of,
            evidence=of,
        )
        for period in periods.values()
        if (of := sum(of for _, _, of in period))
    ]
    return sorted(points, key=lambda point: point.at)


def _period(time: float, number: int, by: Period) -> str:
    if by == "session":
        return str(number)
    year, week, _ = datetime.fromtimestamp(time, tz=UTC).isocalendar()
    return f"{year}-{week:02}"


def _savings(packer: Packer, now: float) -> MemoryMeasure:
    try:
        pack = packer.pack(as_of=now)
    except NotFound as error:
        return _measure(SAVINGS, "files", f"{NOTHING}: {error}")
    except InvalidConfig as error:
        return _measure(SAVINGS, "files", str(error))
    if not pack.full_tokens:
        return _measure(SAVINGS, "files", f"{NOTHING}: the index is empty")
    note = f"the pack of now, {pack.tokens:,} tokens, against {pack.full_tokens:,} of all files whole"
    return _measure(SAVINGS, "files", note, pack.saving, evidence=len(pack.manifest))
