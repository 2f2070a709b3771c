"""Counting what the logs have gained, batch by batch, by one process at a time.

The lines of the update log go before the transaction that they belong to. After a kill in between they are there when
the same lines are counted again, and the log leaves out what it has.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice

from paragone.domain.content import (
    Event,
    Pooled,
    Renamed,
    Showing,
    TruthFound,
    TruthSource,
    UsageConfig,
    UsageMove,
    Use,
)
from paragone.memory.scores.database import Database
from paragone.memory.scores.working_set import WorkingSet
from paragone.memory.store.config import MemoryConfig
from paragone.memory.store.lines import Line, UpdateLine
from paragone.memory.store.store import Store
from paragone.ratings.usage import show, touched, use


def count(event: Event, working_set: WorkingSet, config: UsageConfig) -> list[UsageMove]:
    """Apply one event to the working set. Returns the changes of ratings."""
    match event:
        case Showing() | Use():
            return _step(event, working_set, config)
        case TruthFound():
            _find_truth(event, working_set)
        case Pooled():
            for kind, size in event.pools.items():
                working_set.resize(kind, size)
        case Renamed():
            working_set.rename(event)
    return []


def _step(event: Showing | Use, working_set: WorkingSet, config: UsageConfig) -> list[UsageMove]:
    if isinstance(event, Use):
        working_set.fetch(touched(event, working_set.search(event.search) if event.search else None))
        step = use(event, working_set, config)
    else:
        if not config.zero_sum:
            working_set.fetch(touched(event, None))
        step = show(event, working_set, config)
    for standing in step.standings.values():
        working_set.keep(standing)
    working_set.record(step.moves)
    if step.search is not None:
        working_set.keep_search(step.search)
    return step.moves


def _find_truth(event: TruthFound, working_set: WorkingSet) -> None:
    before = working_set.standing(event.content)
    truth = {source: r for source, r in before.truth if source != event.source}
    if event.r is not None:
        truth[event.source] = event.r
    if tuple(truth.items()) != before.truth:
        ordered = tuple((source, truth[source]) for source in TruthSource if source in truth)
        working_set.keep(replace(before, truth=ordered))


_BATCH = 500
"""Lines of evidence in one transaction."""
_PATIENCE = 300.0
"""Seconds to wait for another process that counts: from nothing that may take minutes."""
_RULES = 1
"""Of counting: a change of them changes what the same logs come to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreUpdate:
    """What catching up did.

    Attributes:
        lines: How many lines of evidence it counted.
        moves: How many moves of ratings came of them.
        because: Why it began from nothing; empty where it did not.
    """

    lines: int = 0
    moves: int = 0
    because: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Counted:
    """How far the scores have counted.

    Attributes:
        basis: By which constants; empty before the first time.
        seq: Of the last line.
        id: Of the last line.
        moved: ``seq`` of the last line that moved a rating.
    """

    basis: str = ""
    seq: int = 0
    id: str = ""
    moved: int = 0


def basis_of(config: MemoryConfig) -> str:
    """A name of all that decides what logs come to: the constants, the tiers, and the rules."""
    constants = json.dumps([_RULES, asdict(config.ratings), asdict(config.tiers)], sort_keys=True)
    return hashlib.sha256(constants.encode()).hexdigest()[:16]


def is_current(store: Store, database: Database) -> bool:
    """Whether there is nothing to count."""
    counted = _counted(database)
    return counted.basis == basis_of(store.config) and counted.seq == store.logs.last_seq


def catch_up(
    store: Store, database: Database, working_set: WorkingSet, *, anew: bool = False, check: bool = True
) -> ScoreUpdate:
    """Count what is not counted yet.

    Args:
        store: Whose logs.
        database: Where it is kept.
        working_set: The standings in it.
        anew: Whether to begin from nothing.
        check: Whether to look if what was counted before is still in the logs; once in the life of a process will do.

    Raises:
        Busy: If another process counts for minutes.
        Unwritable: If the disk is full.
    """
    with store.locked("scores", patience=_PATIENCE):
        basis = basis_of(store.config)
        before = _counted(database)
        because = "it was asked for" if anew else _why_anew(store, before, basis, check=check)
        if because or not before.basis:
            before = _Counted(basis=basis)
            _batch(store, database, working_set, before, [], clear=True)
        lines = moves = 0
        for batch in _batches(store.logs.after(before.seq)):
            before, batch_moves = _batch(store, database, working_set, before, batch)
            lines, moves = lines + len(batch), moves + batch_moves
        return ScoreUpdate(lines=lines, moves=moves, because=because)


def _why_anew(store: Store, before: _Counted, basis: str, *, check: bool) -> str:
    """Why what was counted cannot be gone on from."""
    if not before.basis:
        return ""
    if before.basis != basis:
        return "the configuration of ratings or tiers has changed"
    if not check and before.seq <= store.logs.last_seq:
        return ""
    last = next(store.logs.after(before.seq - 1), None) if before.seq else None
    if before.seq and (last is None or (last.seq, last.id) != (before.seq, before.id)):
        return "the logs are others than those that were counted"
    if before.moved and next(store.logs.updates(after=before.moved - 1), None) is None:
        return "the update log lacks moves that were counted"
    return ""


def _batch(
    store: Store,
    database: Database,
    working_set: WorkingSet,
    before: _Counted,
    lines: list[Line],
    *,
    clear: bool = False,
) -> tuple[_Counted, int]:
    """Count some lines: all of them, or none."""
    try:
        with database.writing():
            if clear:
                database.clear()
            if database.was_changed() or clear:
                working_set.forget()
            updates = [
                update for line in lines for update in _counted_line(line, working_set, store.config, before.basis)
            ]
            working_set.write()
            after = _after(before, lines, updates)
            _keep(database, after)
            if updates:
                store.logs.append_updates(updates)
    except BaseException:
        working_set.forget()
        raise
    return after, len(updates)


def _counted_line(line: Line, working_set: WorkingSet, config: MemoryConfig, basis: str) -> Iterator[UpdateLine]:
    for event in line.events():
        for move in count(event, working_set, config.ratings):
            yield UpdateLine.of(move, seq=line.seq, basis=basis, session=line.session_id)


def _after(before: _Counted, lines: list[Line], updates: list[UpdateLine]) -> _Counted:
    return _Counted(
        basis=before.basis,
        seq=lines[-1].seq if lines else before.seq,
        id=lines[-1].id if lines else before.id,
        moved=updates[-1].seq if updates else before.moved,
    )


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while batch := list(islice(lines, _BATCH)):
        yield batch


def _counted(database: Database) -> _Counted:
    return _Counted(**dict(database.connection.execute("SELECT name, value FROM meta")))


def _keep(database: Database, counted: _Counted) -> None:
    database.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(asdict(counted).items()))
