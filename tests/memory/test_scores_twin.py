"""The scores against their naive twin: counted in whatever pieces, they are what one plain replay comes to."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import (
    Action,
    Content,
    ContentEvent,
    ContentKind,
    ContentState,
    OpenSearch,
    PooledContent,
    PoolSize,
    Renamed,
    Showing,
    Shown,
    TruthFound,
    TruthSource,
    UsageConfig,
    Use,
)
from paragone.memory.scores import Scores, scores
from paragone.memory.store import (
    AccessLine,
    IndexLine,
    LogLine,
    MemoryConfig,
    ResultRow,
    SearchLine,
    SessionLine,
    Store,
    TruthLine,
)
from paragone.memory.store.config import initial_rating
from paragone.ratings.usage import show, use

FILE, VECTOR, SYMBOL, ADR = ContentKind.FILE, ContentKind.VECTOR, ContentKind.SYMBOL, ContentKind.ADR
PATHS = ("a.py", "b.py", "fixtures/c.py", "AGENTS.md", "d.md")


@dataclass
class Twin:
    """All of it in dicts, one event after another, nothing kept at hand and nothing read twice."""

    config: MemoryConfig
    states: dict[Content, ContentState] = field(default_factory=dict)
    searches: dict[str, OpenSearch] = field(default_factory=dict)
    sizes: dict[ContentKind, PoolSize] = field(default_factory=dict)
    moves: list[tuple[str, float, float]] = field(default_factory=list)

    def state(self, content: Content) -> ContentState:
        initial = initial_rating(content, self.config.tiers)
        return self.states.get(content) or ContentState(content=content, elo=initial, initial=initial)

    def mean(self, kind: ContentKind) -> float:
        rated = [one for one in self.states.values() if one.content.kind is kind]
        net = sum(one.elo - one.initial for one in rated)
        size = self.sizes.get(kind)
        if size is not None and size.count:
            return size.mean_initial + net / max(size.count, len(rated))
        return sum(one.elo for one in rated) / len(rated) if rated else 1200.0

    def search(self, id: str) -> OpenSearch | None:
        return self.searches.get(id)

    def count(self, event: ContentEvent) -> None:
        match event:
            case Showing() | Use():
                step = (show if isinstance(event, Showing) else use)(event, self, self.config.ratings)
                self.states.update(step.states)
                self.moves += [(move.content.id, move.old, move.new) for move in step.moves]
                if step.search is not None:
                    self.searches[step.search.id] = step.search
            case TruthFound():
                before = self.state(event.content)
                truth = {**dict(before.truth), event.source: event.r}
                kept = tuple((source, truth[source]) for source in TruthSource if truth.get(source) is not None)
                if kept != before.truth:
                    self.states[before.content] = replace(before, truth=kept)
            case PooledContent():
                self.sizes.update(event.pools)
            case Renamed():
                self._rename(event)

    def _rename(self, event: Renamed) -> None:
        file = self.state(Content(kind=FILE, id=event.old, path=event.old))
        if event.old == event.new or (file.last_use is not None and file.last_use > event.time):
            return
        for content in [one for one in self.states if one.path == event.old]:
            moving = self.states.pop(content)
            target = self._moved(content, event)
            there = self.states.get(target)
            self.states[target] = replace(moving, content=target) if there is None else self._merged(moving, there)
        for search in [one for one in self.searches.values() if one.time <= event.time]:
            rows = tuple(self._row(row, event) for row in search.results)
            counted = frozenset((self._moved(one, event), how) for one, how in search.counted)
            paid = {self._moved(one, event): points for one, points in search.paid.items()}
            self.searches[search.id] = replace(search, results=rows, counted=counted, paid=paid)

    def _merged(self, moving: ContentState, there: ContentState) -> ContentState:
        busier = moving if moving.updates > there.updates else there
        times = sorted([*moving.recent, *there.recent])
        firsts = [one.first_use for one in (moving, there) if one.first_use is not None]
        lasts = [one.last_use for one in (moving, there) if one.last_use is not None]
        truth = dict(moving.truth) | dict(there.truth)
        return replace(
            busier,
            content=there.content,
            updates=moving.updates + there.updates,
            uses=moving.uses + there.uses,
            first_use=min(firsts) if firsts else None,
            last_use=max(lasts) if lasts else None,
            recent=tuple(times[-self.config.ratings.need_recent :]),
            truth=tuple((source, truth[source]) for source in TruthSource if source in truth),
        )

    def _row(self, row: Shown, event: Renamed) -> Shown:
        if row.path != event.old:
            return row
        return replace(row, path=event.new, symbol=row.symbol.replace(f"@{event.old}::", f"@{event.new}::"))

    def _moved(self, content: Content, event: Renamed) -> Content:
        if content.path != event.old:
            return content
        id = event.new if content.kind is FILE else content.id.replace(f"@{event.old}::", f"@{event.new}::")
        return Content(kind=content.kind, id=id, path=event.new)


paths = st.sampled_from(PATHS)
when = st.integers(1_000_000, 1_000_300).map(float)
searches = st.sampled_from([f"s{n}" for n in range(4)])


def _rows(made: list[tuple[str, int]]) -> tuple[ResultRow, ...]:
    return tuple(
        ResultRow(rank=n, file_path=path, hash=f"{path}-{of}", symbol=f"@{path}::f{of}", similarity=0.5)
        for n, (path, of) in enumerate(made, 1)
    )


shows = st.builds(
    lambda name, time, made: SearchLine(
        id=name, timestamp=time, tool="semantic_search", query="q", results=_rows(made)
    ),
    searches,
    when,
    st.lists(st.tuples(paths, st.integers(0, 2)), min_size=1, max_size=6),
)
uses = st.builds(
    lambda path, action, search, time, kind: AccessLine(
        timestamp=time,
        action=action,
        entity_type=kind,
        entity_id=path if kind is FILE else f"@{path}::f1" if kind is SYMBOL else "ADR-1",
        file_path=path,
        also=((FILE, path),) if kind is not FILE else (),
        search_id=search,
    ),
    paths,
    st.sampled_from(list(Action)),
    st.one_of(searches, st.just("")),
    when,
    st.sampled_from([FILE, FILE, SYMBOL, ADR]),
)
truths = st.builds(
    lambda path, source, r, time: TruthLine(
        timestamp=time, entity_type=FILE, entity_id=path, file_path=path, source=source, r=r
    ),
    paths,
    st.sampled_from(TruthSource),
    st.one_of(st.none(), st.floats(0.0, 4.0)),
    when,
)
audits = st.builds(
    lambda files, outcome, time: SessionLine(
        timestamp=time, start_time=time, end_time=time, files_accessed=tuple(dict.fromkeys(files)), outcome=outcome
    ),
    st.lists(paths, max_size=3),
    st.sampled_from(["success", "failure"]),
    when,
)
indexed = st.builds(
    lambda renamed, count, time: IndexLine(
        timestamp=time, renamed=tuple(renamed), pools={FILE: PoolSize(count=count, mean_initial=1150.0)}
    ),
    st.lists(st.tuples(paths, paths), max_size=2),
    st.integers(0, 9),
    when,
)
evidence = st.lists(st.one_of(shows, uses, uses, truths, audits, indexed), min_size=1, max_size=25)
configs = st.sampled_from(
    [
        UsageConfig(),
        UsageConfig(zero_sum=False, established=2),
        UsageConfig(fold_decay=True, need_recent=2, search_days=0.001),
    ]
)


class Stopped(Exception):
    """A process that ended there."""


class Counting:
    """Counts a store's logs with some lines in a batch; now and then another one does, or it ends in the middle."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.scores = Scores(store)

    def again(self) -> None:
        """Another process goes on."""
        self.scores.close()
        self.scores = Scores(self.store)

    def cut_short(self) -> None:
        """The process ends after the update log was written, before the batch was committed."""
        write = self.store.logs.append_updates

        def die(lines: list[object]) -> None:
            write(lines)  # type: ignore[arg-type]
            raise Stopped

        self.store.logs.append_updates = die  # type: ignore[method-assign, assignment]
        try:
            self.scores.catch_up()
        except Stopped:
            self.again()
        finally:
            self.store.logs.append_updates = write  # type: ignore[method-assign]

    def delete(self) -> None:
        self.scores.close()
        for path in self.store.path.glob("elo_scores.db*"):
            path.unlink()
        self.scores = Scores(self.store)


@contextmanager
def remembered(config: UsageConfig) -> Iterator[Counting]:
    folder = Path(tempfile.mkdtemp())
    try:
        with Store.create(folder, config=MemoryConfig(ratings=config), clock=lambda: 1_000_400.0) as store:
            counting = Counting(store)
            yield counting
            counting.scores.close()
    finally:
        shutil.rmtree(folder)


@given(
    config=configs,
    lines=evidence,
    cuts=st.lists(st.sampled_from(["", "look", "again", "cut short", "delete"]), min_size=25, max_size=25),
    batch=st.integers(1, 30),
)
def test_counted_in_pieces_it_is_one_plain_replay(
    config: UsageConfig, lines: list[LogLine], cuts: list[str], batch: int
) -> None:
    before, scores._BATCH = scores._BATCH, batch
    try:
        with remembered(config) as counting:
            for line, then in zip(lines, cuts, strict=False):
                counting.store.logs.append([line])
                if then == "look":
                    list(counting.scores.ratings([Content(kind=FILE, id=path) for path in PATHS], as_of=2e6))
                elif then:
                    {"again": counting.again, "cut short": counting.cut_short, "delete": counting.delete}[then]()
            found = {one.content: one for one in counting.scores.rated()}
            twin = Twin(config=counting.store.config)
            for line in counting.store.logs.after():
                for event in line.events():
                    twin.count(event)
            means = {kind: pool.mean for kind, pool in counting.scores.pools().items()}
            updates = [(one.entity_id, one.elo_old, one.elo_new) for one in counting.store.logs.updates()]
    finally:
        scores._BATCH = before
    _same(found, twin, config)
    assert all(abs(means[kind] - twin.mean(kind)) < 1e-9 for kind in ContentKind)
    assert [one[0] for one in updates] == [one[0] for one in twin.moves]


def _same(found: dict[Content, ContentState], twin: Twin, config: UsageConfig) -> None:
    """The pool's mean is a running sum here and one sum there: those bits may differ, and nothing else."""
    assert found.keys() == twin.states.keys()
    for content, one in found.items():
        other = twin.states[content]
        assert abs(one.elo - other.elo) < 1e-9
        assert replace(one, elo=0.0) == replace(other, elo=0.0)
        assert one.content.path == other.content.path


@given(config=configs, lines=evidence, cuts=st.lists(st.booleans(), min_size=25, max_size=25))
def test_counted_one_by_one_and_all_at_once_are_the_same_bits(
    config: UsageConfig, lines: list[LogLine], cuts: list[bool]
) -> None:
    with remembered(config) as counting:
        for line, is_cut in zip(lines, cuts, strict=False):
            counting.store.logs.append([line])
            if is_cut:
                counting.again()
            counting.scores.catch_up()
        one_by_one = {one.content: one for one in counting.scores.rated()}, counting.scores.pools()
        counting.scores.rebuild()
        at_once = {one.content: one for one in counting.scores.rated()}, counting.scores.pools()
        assert at_once == one_by_one
        assert repr(sorted(map(repr, at_once[0].values()))) == repr(sorted(map(repr, one_by_one[0].values())))
        ids = [line.id for line in counting.store.logs.updates()]
        assert len(ids) == len(set(ids)), "no move is written twice"
