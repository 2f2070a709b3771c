"""Document M's success metrics, computed from the logs, each with its target, its evidence, and its course over time.

Whatever is said of a session was known before it: packs and ratings are those of the moment in which it began.

Source: document M, "Success Metrics", with its settled readings.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from paragone.analysis.content.convergence import SETTLED, TOP, WINDOW, Efficiency, Moved, convergence
from paragone.errors import InvalidConfig, NotFound
from paragone.memory.learning.trace import session_of
from paragone.memory.packing import Packer
from paragone.memory.report.searches import Coverage, coverages, search_mode, searches
from paragone.memory.store.lines import AccessLine, Line, SearchLine, SessionLine

if TYPE_CHECKING:
    from paragone.memory.index import Index
    from paragone.memory.scores import Scores
    from paragone.memory.store import Store

By = Literal["week", "session"]
CONVERGENCE, LITE, SEARCH = "convergence", "LITE accuracy", "search efficiency"
USED_ON, USED_OFF, SAVINGS = "used@5 with Elo", "used@5 without Elo", "token savings"
TARGETS = {CONVERGENCE: 0.9, LITE: 0.9, SEARCH: 0.8, SAVINGS: 0.8}
"""Shares at which a metric is met. Of convergence the document names none; nine in ten is ours."""
LEAST_SESSIONS = 100
"""Sessions after which ratings should have converged."""
NOTHING = "nothing to measure yet"
_PACKED_SESSIONS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A metric at some time.

    Attributes:
        time: When its first session began, in seconds since 1970.
        value: The share, from 0 to 1.
        evidence: How much it rests on.
    """

    time: float
    value: float
    evidence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: Which.
        value: The share; None where there is nothing to measure yet.
        target: What it should come to; None where the document names none.
        met: Whether it does; None where that cannot be said yet.
        evidence: How much it rests on.
        counted: What evidence counts.
        note: What to know of it.
        series: By week or by session.
    """

    name: str
    value: float | None
    target: float | None = None
    met: bool | None = None
    evidence: int = 0
    counted: str
    note: str = ""
    series: tuple[Point, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Metrics:
    """All of them.

    Attributes:
        as_of: At which time, in seconds since 1970.
        sessions: How many sessions the logs have.
        metrics: Each of them.
    """

    as_of: float
    sessions: int
    metrics: tuple[Metric, ...]


def measure(
    store: "Store", index: "Index", scores: "Scores", *, as_of: float | None = None, by: By = "week"
) -> Metrics:
    """Compute all metrics.

    Args:
        store: Whose logs.
        index: The sizes of files.
        scores: Catches up first, so that the moves are whole.
        as_of: The time of the pack that is compared with all files whole, in seconds since 1970; now.
        by: What a point of a series is: a week or a session.
    """
    now = store.clock() if as_of is None else as_of
    scores.catch_up()
    lines = list(store.logs.after())
    start_times = _beginnings(lines)
    return Metrics(
        as_of=now,
        sessions=len(start_times),
        metrics=(
            _convergence(store, lines, start_times, by),
            _lite(store, coverages(store, index, lines, last=_PACKED_SESSIONS), by),
            *_searches(store, lines, by),
            _savings(Packer(store, index, scores), now),
        ),
    )


def _beginnings(lines: Iterable[Line]) -> dict[str, float]:
    """When each session began, in the order in which they did."""
    start_times: dict[str, float] = {}
    for line in lines:
        if isinstance(line, SearchLine | AccessLine | SessionLine):
            start_times.setdefault(session_of(line), line.timestamp)
    return start_times


def _convergence(store: "Store", lines: Sequence[Line], start_times: dict[str, float], by: By) -> Metric:
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
        Point(time=times[window.session], value=window.settled / window.active, evidence=window.active)
        for window in windows
    )
    early = len(start_times) < LEAST_SESSIONS
    note = f"share of active items that moved under {SETTLED:g} points over the last {WINDOW} sessions"
    if not points:
        nothing = f"{NOTHING}: it takes {WINDOW} sessions"
        return Metric(name=CONVERGENCE, value=None, target=TARGETS[CONVERGENCE], counted="active items", note=nothing)
    last = points[-1]
    return Metric(
        name=CONVERGENCE,
        value=last.value,
        target=TARGETS[CONVERGENCE],
        met=None if early else last.value >= TARGETS[CONVERGENCE],
        evidence=last.evidence,
        counted="active items",
        note=f"{note}; judged from {LEAST_SESSIONS} sessions on" if early else note,
        series=points,
    )


def _ends(times: Sequence[float], by: By) -> list[int]:
    """The last session of each week, or every session; ascending."""
    if by == "session":
        return list(range(len(times)))
    return sorted({_period(time, number, by): number for number, time in enumerate(times)}.values())


def _lite(store: "Store", covered: Sequence[Coverage], by: By) -> Metric:
    rows = [(coverage.time, coverage.packed, coverage.used) for coverage in covered]
    whole, used = sum(coverage.whole for coverage in covered), sum(coverage.used for coverage in covered)
    note = (
        "share of a session's files that the pack before it held, whole or as signatures; packs are planned by "
        f"{store.config.pack.order} then and sizes now, of files that are in the index now"
    )
    return _share(LITE, rows, "files used", f"{note}; whole {whole / used:.0%}" if used else note, by)


def _searches(store: "Store", lines: Sequence[Line], by: By) -> tuple[Metric, ...]:
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


def _share(name: str, rows: Sequence[tuple[float, int, int]], counted: str, note: str, by: By) -> Metric:
    """A metric from (time, hits, of how many) of sessions or searches."""
    total = sum(of for _, _, of in rows)
    if not total:
        return Metric(name=name, value=None, target=TARGETS.get(name), counted=counted, note=NOTHING)
    value, target = sum(hits for _, hits, _ in rows) / total, TARGETS.get(name)
    return Metric(
        name=name,
        value=value,
        target=target,
        met=None if target is None else value >= target,
        evidence=total,
        counted=counted,
        note=note,
        series=_series(rows, by),
    )


def _series(rows: Sequence[tuple[float, int, int]], by: By) -> tuple[Point, ...]:
    periods: defaultdict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for number, row in enumerate(rows):
        periods[_period(row[0], number, by)].append(row)
    points = [
        Point(
            time=min(time for time, _, _ in period),
            value=sum(hits for _, hits, _ in period) / of,
            evidence=of,
        )
        for period in periods.values()
        if (of := sum(of for _, _, of in period))
    ]
    return tuple(sorted(points, key=lambda point: point.time))


def _period(time: float, number: int, by: By) -> str:
    if by == "session":
        return str(number)
    year, week, _ = datetime.fromtimestamp(time, tz=UTC).isocalendar()
    return f"{year}-{week:02}"


def _savings(packer: Packer, now: float) -> Metric:
    target = TARGETS[SAVINGS]
    try:
        pack = packer.pack(as_of=now)
    except NotFound as error:
        return Metric(name=SAVINGS, value=None, target=target, counted="files", note=f"{NOTHING}: {error}")
    except InvalidConfig as error:
        return Metric(name=SAVINGS, value=None, target=target, counted="files", note=str(error))
    if not pack.full_tokens:
        return Metric(name=SAVINGS, value=None, target=target, counted="files", note=f"{NOTHING}: the index is empty")
    note = f"the pack of now, {pack.tokens:,} tokens, against {pack.full_tokens:,} of all files whole"
    return Metric(
        name=SAVINGS,
        value=pack.saving,
        target=target,
        met=pack.saving >= target,
        evidence=len(pack.manifest),
        counted="files",
        note=note,
    )
