"""Document M's measures of success, computed from the logs, each with its target, evidence and series over time.

Ratings and packs for a session are those of the moment when it began.

Source: document M, "Success Metrics", with its settled readings.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from paragone.analysis.content.convergence import SETTLED, TOP, WINDOW, Efficiency, Moved, convergence
from paragone.errors import InvalidConfig, NotFound
from paragone.memory.learning.trace import session_of
from paragone.memory.packing import Packer
from paragone.memory.report.searches import Coverage, coverages, search_mode, searches
from paragone.memory.store.lines import AccessLine, Line, SearchLine, SessionLine, instant
from paragone.wire.memory import MeasurePoint, Measures, MemoryMeasure

if TYPE_CHECKING:
    from paragone.memory.index import Index
    from paragone.memory.scores import Scores
    from paragone.memory.store import Store

Period = Literal["week", "session"]
CONVERGENCE, LITE, SEARCH = "convergence", "LITE accuracy", "search efficiency"
USED_ON, USED_OFF, SAVINGS = "used@5 with Elo", "used@5 without Elo", "token savings"
TARGETS = {CONVERGENCE: 0.9, LITE: 0.9, SEARCH: 0.8, SAVINGS: 0.8}
"""Shares to reach. The document names none for convergence; nine in ten is ours."""
LEAST_SESSIONS = 100
"""Sessions after which ratings should have converged."""
NOTHING = "nothing to measure yet"
_PACKED_SESSIONS = 200


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
            _convergence(store, lines, start_times, by),
            _lite(store, coverages(store, index, lines, last=_PACKED_SESSIONS), by),
            *_searches(store, lines, by),
            _savings(Packer(store, index, scores), now),
        ],
    )


def _beginnings(lines: Iterable[Line]) -> dict[str, float]:
    """When each session began, in that order."""
    start_times: dict[str, float] = {}
    for line in lines:
        if isinstance(line, SearchLine | AccessLine | SessionLine):
            start_times.setdefault(session_of(line), line.timestamp)
    return start_times


def _convergence(store: "Store", lines: Sequence[Line], start_times: dict[str, float], by: Period) -> MemoryMeasure:
    numbers = {session: number for number, session in enumerate(start_times)}
    of_line = {line.seq: numbers[session_of(line)] for line in lines if session_of(line) in numbers}
    moves = [
        Moved(
            session=of_line[update.seq],
            item=(update.entity_type, update.entity_id),
            old=update.elo_old,
            new=update.elo_new,
        )
        for update in store.logs.updates()
        if update.seq in of_line
    ]
    times = list(start_times.values())
    windows = [window for window in convergence(moves, _ends(times, by)) if window.active]
    points = tuple(
        MeasurePoint(at=instant(times[window.session]), value=window.settled / window.active, evidence=window.active)
        for window in windows
    )
    early = len(start_times) < LEAST_SESSIONS
    note = f"share of active items that moved under {SETTLED:g} points over the last {WINDOW} sessions"
    if not points:
        nothing = f"{NOTHING}: it takes {WINDOW} sessions"
        return _measure(CONVERGENCE, "active items", nothing)
    note = f"{note}; judged from {LEAST_SESSIONS} sessions on" if early else note
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
    whole, used = sum(coverage.whole for coverage in covered), sum(coverage.used for coverage in covered)
    note = (
        "share of a session's files that the pack before it held, whole or as signatures; packs are planned by "
        f"{store.config.pack.order} then and sizes now, of files that are in the index now"
    )
    return _share(LITE, rows, "files used", f"{note}; whole {whole / used:.0%}" if used else note, by)


def _searches(store: "Store", lines: Sequence[Line], by: Period) -> tuple[MemoryMeasure, ...]:
    efficiencies = list(searches(lines, store.config))
    used = [(time, efficiency) for time, efficiency in efficiencies if efficiency.used]
    mode = search_mode(store.config)
    again = f"share of the results that were used which are among the first {TOP}"
    return (
        _share(
            SEARCH,
            [(time, efficiency.high, efficiency.shown) for time, efficiency in efficiencies],
            "results",
            f"share of the first {TOP} files of searches whose rating was HIGH (1600 and up) at that time",
            by,
        ),
        _share(USED_ON, _rows(used, "used_on"), "files used", f"{again}, ordered by ratings as {mode!r} does", by),
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
