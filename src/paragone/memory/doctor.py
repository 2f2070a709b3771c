"""Finds what is wrong with a store, what is worth knowing about it, and what to do; and where regular use leads."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal

from paragone.analysis.content import ContentUsage, echo_chambers
from paragone.domain.content import (
    Action,
    Content,
    ContentKind,
    ContentState,
    ContentTier,
    OpenSearch,
    Showing,
    Shown,
    UsageConfig,
    Use,
    content_tier,
)
from paragone.domain.text import counted
from paragone.errors import Failure
from paragone.memory.store.lines import AccessLine, LogLine, SearchLine, SessionLine, as_iso
from paragone.memory.store.log_files import LogProblem
from paragone.ratings.activation import SECONDS_A_DAY, decayed, retention, true_half_life
from paragone.ratings.usage import Step, show, use

if TYPE_CHECKING:
    from paragone.memory.index import FileEntry, Index
    from paragone.memory.scores import ContentRating, PoolSums, Scores
    from paragone.memory.store import Store
    from paragone.memory.store.config import RankBy

Pattern = Literal["read", "searched"]
_WAYS: tuple[Pattern, ...] = ("read", "searched")
EVERY = (1.0, 7.0, 30.0)
HORIZON = 365.0
"""Days that are simulated."""
_RIVALS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyState:
    """The rating that a pattern of use leads to.

    Attributes:
        every: Days between uses.
        way: ``read`` alone, or ``searched``: shown at rank 1 with four others at the pool's mean, then read.
        zero_sum: Whether unused results pay, or the specification's literal boosts apply.
        fold_decay: Whether a change starts from the decayed rating.
        high: The rating right after a use, in Elo points.
        low: The rating right before the next.
        rise: How much another month of such uses would raise it.
        chosen: Whether these are the constants of the store.
    """

    every: float
    way: Pattern
    zero_sum: bool
    fold_decay: bool
    high: float
    low: float
    rise: float
    chosen: bool


@lru_cache(maxsize=8)
def steady_states(config: UsageConfig, mean: float) -> tuple[SteadyState, ...]:
    """Simulate a year of uses for every pattern and each combination of ``zero_sum`` and ``fold_decay``.

    Args:
        config: The constants; the two switches are tried both ways.
        mean: Of the pool, in Elo points, assumed constant; the file begins there.
    """
    return tuple(
        _simulated(tried, way, every, mean, tried == config)
        for zero_sum in (True, False)
        for fold in (True, False)
        for tried in (replace(config, zero_sum=zero_sum, fold_decay=fold),)
        for way in _WAYS
        for every in EVERY
    )


def _simulated(config: UsageConfig, way: Pattern, every: float, mean: float, chosen: bool) -> SteadyState:
    pool = _Pool(config, mean)
    days = [day * every for day in range(int((HORIZON + 30.0) / every) + 1)]
    year = max(day for day in days if day <= HORIZON)
    high = rise = mean
    for day in days:
        pool.use(day * SECONDS_A_DAY, way)
        if day == year:
            high = pool.elo
        rise = pool.elo
    low = decayed(high, 0.0, every * SECONDS_A_DAY, config)
    return SteadyState(
        every=every,
        way=way,
        zero_sum=config.zero_sum,
        fold_decay=config.fold_decay,
        high=high,
        low=low,
        rise=rise - high,
        chosen=chosen,
    )


_OWN = Content.file("own")
_RESULTS = tuple(Shown(rank=rank, path=name) for rank, name in enumerate(("own", *"abcdefgh"[:_RIVALS]), 1))


class _Pool:
    """A file among others that stay at the mean."""

    def __init__(self, config: UsageConfig, mean: float) -> None:
        self._config, self._mean = config, mean
        self._own = ContentState(content=_OWN, elo=mean, initial=mean)
        self._open: OpenSearch | None = None

    @property
    def elo(self) -> float:
        return self._own.elo

    def state(self, content: Content) -> ContentState:
        if content == _OWN:
            return self._own
        return ContentState(content=content, elo=self._mean, initial=self._mean, updates=self._config.established)

    def mean(self, kind: ContentKind) -> float:  # noqa: ARG002 - all are files
        return self._mean

    def search(self, id: str) -> OpenSearch | None:  # noqa: ARG002 - only the last one is asked for
        return self._open

    def use(self, time: float, way: Pattern) -> None:
        """Show the file in a search, if that is the way, and read it."""
        search = ""
        if way == "searched":
            search = f"{time}"
            showing = Showing(id=search, time=time, tool="semantic_search", results=_RESULTS)
            self._keep(show(showing, self, self._config))
        read = Use(id=f"{time}:read", time=time, action=Action.READ, contents=(_OWN,), search=search)
        self._keep(use(read, self, self._config))

    def _keep(self, step: Step) -> None:
        self._own = step.states.get(_OWN, self._own)
        self._open = step.search


Severity = Literal["broken", "warning", "advice", "fine"]
SEVERITIES: tuple[Severity, ...] = ("broken", "warning", "advice", "fine")
"""The worst first; only what is broken makes the exit code 1."""
DRIFT = 40.0
"""Elo points by which a pool's mean may drift before a warning: a tenth of a tier."""
_KILLED = ("incomplete JSON", "cut in half")
"""Start of the description of a line that a kill cut, which is expected and breaks nothing."""
_CLOCK_TOLERANCE = 60.0
_MAX_NAMED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        severity: How bad it is.
        subject: What was checked.
        says: The result.
        advice: What to do; empty if nothing.
    """

    severity: Severity
    subject: str
    says: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """All findings, the worst first.

    Attributes:
        as_of: The time, in seconds since 1970.
        findings: The findings.
        steady: Where patterns of use lead, under the store's constants and others.
    """

    as_of: float
    findings: tuple[Finding, ...]
    steady: tuple[SteadyState, ...]

    @property
    def is_broken(self) -> bool:
        return any(finding.severity == "broken" for finding in self.findings)


def diagnose(store: "Store", index: "Index", scores: "Scores", *, as_of: float | None = None) -> Diagnosis:
    """Check everything.

    Args:
        store: Its logs and constants.
        index: Its index, compared with the files.
        scores: Its ratings.
        as_of: The time of the ratings, in seconds since 1970; now if None.
    """
    now = store.moment(as_of)
    config = store.config.ratings
    lines, pools = list(store.logs.after()), scores.pools()
    files, damage = _indexed(index)
    ratings = _ratings(scores, files, now)
    pool = pools.get(ContentKind.FILE)
    steady = steady_states(config, pool.mean if pool is not None and pool.count else 1200.0)
    findings = chain(
        logs(store.logs.problems()),
        evidence(lines),
        clocks(lines, store.clock()),
        iter([damage]) if damage is not None else freshness(store, files),
        truth(ratings),
        drift(pools, config, store.config.ranking.rank_by),
        tiers(ratings, steady),
        echoes(ratings),
        forgetting(config),
    )
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return Diagnosis(as_of=now, findings=tuple(ordered), steady=steady)


def logs(problems: Sequence[LogProblem]) -> Iterator[Finding]:
    """Damaged lines, file by file."""
    if not problems:
        yield Finding(severity="fine", subject="logs", says="every line can be read")
    by_file: dict[str, list[LogProblem]] = {}
    for problem in problems:
        by_file.setdefault(str(problem.file), []).append(problem)
    for file, own in by_file.items():
        details = ", ".join(f"{damage.line} ({damage.what})" for damage in own[:_MAX_NAMED])
        more = f", and {len(own) - _MAX_NAMED} more" if len(own) > _MAX_NAMED else ""
        killed = all(damage.what.startswith(_KILLED) for damage in own)
        yield Finding(
            severity="warning" if killed else "broken",
            subject="logs",
            says=f"{file}: {counted(len(own), 'damaged line')}, not counted: {details}{more}",
            advice="a kill cut them; what they said is lost, and nothing else is"
            if killed
            else "put them right from a backup, or delete them; then: paragone memory rate --rebuild",
        )


def evidence(lines: Sequence[LogLine]) -> Iterator[Finding]:
    """Whether there is anything to rate by."""
    acts = [line for line in lines if isinstance(line, SearchLine | AccessLine | SessionLine)]
    if not acts:
        yield Finding(
            severity="advice",
            subject="evidence",
            says="nothing was used yet: every rating is the initial one",
            advice="take the history of the repository: paragone memory learn-git",
        )
        return
    sessions = counted(len({line.session_id or line.id for line in acts}), "session")
    yield Finding(severity="fine", subject="evidence", says=f"{counted(len(acts), 'line')} of {sessions}")


def clocks(lines: Iterable[LogLine], now: float) -> Iterator[Finding]:
    """Lines dated after now, and actions dated well before those that were logged earlier."""
    ahead, back, latest = 0, 0, float("-inf")
    for line in lines:
        ahead += line.timestamp > now + _CLOCK_TOLERANCE
        if isinstance(line, SearchLine | AccessLine):
            back += line.timestamp < latest - SECONDS_A_DAY
            latest = max(latest, line.timestamp)
    if ahead:
        yield Finding(
            severity="warning",
            subject="clock",
            says=f"{counted(ahead, 'line')} dated after now, {as_iso(now)}: what they touched keeps its height",
            advice="set the clock right; the lines come right with time",
        )
    if back:
        yield Finding(
            severity="warning",
            subject="clock",
            says=f"{counted(back, 'act')} dated over a day before an act that was logged earlier",
            advice="look at the clocks of the machines that write here, or at logs that were imported late",
        )
    if not ahead and not back:
        yield Finding(severity="fine", subject="clock", says="times are in order")


def freshness(store: "Store", files: Sequence["FileEntry"]) -> Iterator[Finding]:
    """Whether the index exists and matches the files."""
    if not files:
        yield Finding(
            severity="warning",
            subject="index",
            says="the index is empty: there is nothing to search and nothing to pack",
            advice="paragone memory index",
        )
        return
    stale = [entry.path for entry in files if not _is_as_indexed(store, entry)]
    if stale:
        examples = ", ".join(stale[:_MAX_NAMED]) + (", ..." if len(stale) > _MAX_NAMED else "")
        yield Finding(
            severity="advice",
            subject="index",
            says=f"{counted(len(stale), 'file')} of {len(files):,} changed or went since they were indexed: {examples}",
            advice="paragone memory index",
        )
    else:
        yield Finding(severity="fine", subject="index", says=f"{counted(len(files), 'file')} as they were indexed")


def truth(ratings: Sequence["ContentRating"]) -> Iterator[Finding]:
    """How much content has no R."""
    used = [rating for rating in ratings if rating.uses]
    unknown = sum(rating.is_high is None for rating in used)
    if not used or not unknown:
        return
    yield Finding(
        severity="advice",
        subject="truth",
        says=f"R is unknown for {unknown / len(used):.0%} of {counted(len(used), 'file')} in use: no gate closes, "
        "and they are never pruned",
        advice="supply R where you know it: paragone memory truth",
    )


def drift(pools: dict[ContentKind, "PoolSums"], config: UsageConfig, rank_by: "RankBy") -> Iterator[Finding]:
    """How far each pool's mean has moved: gains that nobody paid for.

    Reads without a search, such as the commits that `learn-git` counts, are always among them. That is a fault only
    where the running Elo decides the order, or where the literal boosts let it grow without end.
    """
    matters = rank_by == "elo" or not config.zero_sum
    for kind, pool in pools.items():
        if not pool.rated or not pool.count:
            continue
        away = pool.mean - pool.mean_initial
        bad = matters and abs(away) > DRIFT
        yield Finding(
            severity="warning" if bad else "fine",
            subject="inflation",
            says=f"{kind}: the mean of {counted(pool.count, 'item')} moved {away:+.1f} points from "
            f"{pool.mean_initial:.0f}; {pool.net:+.0f} points in all that nobody paid for",
            advice=_advice_on_drift(config) if bad else "",
        )


def _advice_on_drift(config: UsageConfig) -> str:
    if not config.zero_sum:
        return "the literal boosts inflate without end: set zero_sum = true under [ratings]"
    return (
        'nobody pays for reads without a search: compare files with each other, or set rank_by = "need" under [ranking]'
    )


def tiers(ratings: Sequence["ContentRating"], steady: Iterable[SteadyState]) -> Iterator[Finding]:
    """Tiers that are empty and cannot be reached under the constants."""
    if not ratings:
        return
    reachable = Counter(content_tier(rating.elo) for rating in ratings)
    chosen = [rating for rating in steady if rating.chosen]
    best = max(chosen, key=lambda rating: rating.high)
    says = ", ".join(f"{tier} {reachable[tier]:,}" for tier in ContentTier)
    if reachable[ContentTier.HIGH] or content_tier(best.high) is ContentTier.HIGH:
        yield Finding(severity="fine", subject="tiers", says=says)
        return
    yield Finding(
        severity="advice",
        subject="tiers",
        says=f"{says}; nothing is HIGH, and nothing can be: a file that is used every {best.every:g} days stands at "
        f"{best.high:.0f} after {HORIZON:g} days",
        advice="name what is always needed under tiers.high, pack by budget, or set fold_decay = false",
    )


def echoes(ratings: Sequence["ContentRating"]) -> Iterator[Finding]:
    """Files with a low R that are used much."""
    histories = [
        ContentUsage(content=rating.content, rating=rating.elo, r=rating.r, is_high=rating.is_high, uses=rating.uses)
        for rating in ratings
    ]
    chambers = echo_chambers(histories, sum(rating.uses for rating in ratings))
    if chambers:
        examples = ", ".join(
            f"{rating.usage.content.id} ({rating.share:.1%} of all uses)" for rating in chambers[:_MAX_NAMED]
        )
        yield Finding(
            severity="warning",
            subject="echo chambers",
            says=f"{counted(len(chambers), 'file')} of low R in much use: {examples}",
            advice="read what they say, correct them, or look at them on the dashboard: paragone memory dashboard",
        )


def forgetting(config: UsageConfig) -> Iterator[Finding]:
    """What the specification's half-life means."""
    half = true_half_life(config.half_life)
    decayed = config.decay_base + 800.0 * retention(30.0, config.half_life)
    yield Finding(
        severity="fine",
        subject="forgetting",
        says=f"half_life = {config.half_life:g} is a time constant: half of a rating's height above "
        f"{config.decay_base:g} is gone after {half:.1f} days; {config.decay_base + 800.0:.0f} shows as {decayed:.0f} "
        "after 30",
    )


def _indexed(index: "Index") -> tuple[Sequence["FileEntry"], Finding | None]:
    """The files of the index, or a finding that it cannot be read."""
    try:
        return index.files(), None
    except Failure as error:
        return (), Finding(
            severity="broken", subject="index", says=f"it cannot be read: {error}", advice="paragone memory index"
        )


def _is_as_indexed(store: "Store", entry: "FileEntry") -> bool:
    try:
        now = (store.root / entry.path).stat()
    except OSError:
        return False
    return now.st_size == entry.size and abs(now.st_mtime - entry.mtime) < 1e-3


def _ratings(scores: "Scores", files: Sequence["FileEntry"], now: float) -> list["ContentRating"]:
    indexed = [Content.file(entry.path) for entry in files]
    # Before anything is indexed, the logs tell what there is; afterwards, what the index lacks is gone.
    contents = indexed or [state.content for state in scores.rated(ContentKind.FILE)]
    since = {entry.path: entry.first_seen for entry in files}
    return list(scores.ratings(contents, as_of=now, since=since).values())
