"""``EloSystem``: everything about agents in one object, and how it opens a pool of agents.

Its methods are in modules of their subjects, such as ``debates``. A recorded debate moves ratings by ``running_elo``
and ``elo`` of ``paragone.ratings``.
"""

import os
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from paragone.agents import checks, debates, leaderboards
from paragone.agents.agent_forecasts import AgentForecasts
from paragone.agents.agent_pool import AS_DOCUMENTED, AgentPool, Caches, Lifetimes
from paragone.agents.debates import Debates
from paragone.agents.evidence import Evidence
from paragone.agents.formula_warnings import FormulaWarnings
from paragone.agents.leaderboards import INITIAL, Leaderboards
from paragone.agents.predictions import Predictions
from paragone.agents.proposals import Proposals
from paragone.agents.relationships import Relationships
from paragone.agents.seasons import Seasons
from paragone.agents.snapshot import Rows, Snapshot, path_beside
from paragone.agents.strength_tests import StrengthTests
from paragone.closing import Closing
from paragone.domain import Counting, ItemKind, Normalization, RatingConfig
from paragone.errors import Conflict, InvalidConfig, NotFound

if TYPE_CHECKING:
    from paragone.ledger import Ledger, PoolRecord


AGENTS: Final = RatingConfig(initial=INITIAL, k=32.0)
"""The default configuration of ratings of agents.

Source: Aragora's specification, "Default Values".
"""

DATABASE: Final = "paragone.db"
"""The default database, in the current folder."""

IN_SNAPSHOT: Final = {"leaderboard": 100, "recent_matches": 50}
"""Rows of each part of a snapshot."""

_Option = TypeVar("_Option", bound=Enum)


def random_id() -> str:
    """A unique id."""
    return uuid.uuid4().hex


def database_path(db: str | os.PathLike[str] | None, db_path: str | os.PathLike[str] | None) -> str | os.PathLike[str]:
    """The database, from either of its two arguments.

    Raises:
        InvalidConfig: If both are given.
    """
    if db is not None and db_path is not None:
        raise InvalidConfig("db and db_path are the same; give one of them", key="db_path")
    return next((path for path in (db, db_path) if path is not None), DATABASE)


def open_pool(
    db: str | os.PathLike[str],
    *,
    pool: str,
    config: RatingConfig | None,
    outcome: str,
    normalize: str,
    clock: Callable[[], float],
    now: Callable[[], datetime] | None,
    lifetimes: Lifetimes,
    snapshot: str | os.PathLike[str] | bool | None,
    durable: bool,
    patience: float,
    warn: bool,
    new_id: Callable[[], str],
    strict: bool,
) -> AgentPool:
    """Open a pool of agents, creating it if missing; ``EloSystem`` explains the arguments."""
    from paragone.ledger import Ledger, utc_now

    counting, normalization = _option(Counting, outcome, "outcome"), _option(Normalization, normalize, "normalize")
    id, now = checks.pool(pool), utc_now if now is None else now
    ledger = Ledger.open(db, clock=now, durable=durable, patience=checks.patience(patience))
    try:
        record = _record(ledger, id, config)
    except Exception:  # whatever went wrong, nobody else will close the ledger
        ledger.close()
        raise
    return AgentPool(
        ledger=ledger,
        id=id,
        config=record.config,
        counting=counting,
        normalization=normalization,
        caches=Caches(lifetimes, clock),
        snapshot=_snapshot(ledger, record, _path(snapshot, ledger.file, id), clock, now),
        formula_warnings=FormulaWarnings(on=warn),
        new_id=new_id,
        strict=strict,
    )


def pool_in(
    ledger: "Ledger", pool: str, *, outcome: str = "ratio", normalize: str = "sum", strict: bool = False
) -> AgentPool:
    """A pool of agents in an open ledger, to record something; it is created if missing.

    An existing snapshot is kept up to date, and none is created. There are no warnings. The caller closes the ledger.

    Args:
        ledger: The ledger.
        pool: Its pool.
        outcome: As for ``EloSystem``.
        normalize: As for ``EloSystem``.
        strict: As for ``EloSystem``.

    Raises:
        Conflict: If the pool holds something other than agents.
        InvalidEvidence: If the name is invalid.
    """
    from paragone.ledger import utc_now

    id = checks.pool(pool)
    counting, normalization = _option(Counting, outcome, "outcome"), _option(Normalization, normalize, "normalize")
    record, beside = _record(ledger, id, None), _path(None, ledger.file, id)
    snapshot_file = beside if beside is not None and beside.exists() else None
    return AgentPool(
        ledger=ledger,
        id=id,
        config=record.config,
        counting=counting,
        normalization=normalization,
        caches=Caches(AS_DOCUMENTED, time.monotonic),
        snapshot=_snapshot(ledger, record, snapshot_file, time.monotonic, utc_now),
        formula_warnings=FormulaWarnings(on=False),
        new_id=random_id,
        strict=strict,
    )


def _snapshot(
    ledger: "Ledger", of: "PoolRecord", path: Path | None, clock: Callable[[], float], now: Callable[[], datetime]
) -> Snapshot:
    return Snapshot(path, pool=of.id, created=of.created, gather=lambda: gathered(ledger, of.id), clock=clock, now=now)


def gathered(ledger: "Ledger", pool: str) -> Mapping[str, tuple[Rows, bool]]:
    """The parts of a snapshot: the rows of each, and whether these are all."""
    return {
        "leaderboard": leaderboards.leaderboard_rows(ledger, pool, IN_SNAPSHOT["leaderboard"]),
        "recent_matches": debates.recent_rows(ledger, pool, IN_SNAPSHOT["recent_matches"]),
    }


def _record(ledger: "Ledger", id: str, config: RatingConfig | None) -> "PoolRecord":
    """The pool, created if missing.

    Raises:
        Conflict: If it exists, and holds something other than agents or has another configuration.
    """
    try:
        record = ledger.pools.get(id)
    except NotFound:
        record = _made(ledger, id, config)
    if record.kind is not ItemKind.AGENT:
        raise Conflict(f"pool {id!r} holds items of kind {record.kind}, not agents; name another: EloSystem(pool=...)")
    if config is not None and config != record.config:
        raise Conflict(f"pool {id!r} already exists with {record.config}; leave config out, or name another pool")
    return record


def _made(ledger: "Ledger", id: str, config: RatingConfig | None) -> "PoolRecord":
    with suppress(Conflict):  # created meanwhile with another configuration, which the caller checks
        ledger.pools.create(id, AGENTS if config is None else config, kind=ItemKind.AGENT)
    return ledger.pools.get(id)


def _option(options: type[_Option], value: str, name: str) -> _Option:
    try:
        return options(value)
    except ValueError:
        values = ", ".join(repr(option.value) for option in options)
        raise InvalidConfig(f"{name} is one of {values}, not {value!r}", key=name) from None


def _path(snapshot: str | os.PathLike[str] | bool | None, database: Path | None, pool: str) -> Path | None:
    """The snapshot's file: beside the database by default; False for none."""
    if snapshot is False:
        return None
    if snapshot is None or snapshot is True:
        return None if database is None else path_beside(database, pool)
    return Path(snapshot).absolute()


class EloSystem(
    Debates,
    Leaderboards,
    Predictions,
    AgentForecasts,
    Proposals,
    Relationships,
    StrengthTests,
    Seasons,
    Evidence,
    Closing,
):
    """Ratings of agents, their calibration and their relationships, in a ledger. Threads may share an instance.

    It has the methods of Aragora's specification, and names that its users call. Everything recorded is evidence in the
    ledger, which can be audited, replayed and rolled back. Unknown agents in evidence are added.

    Besides its own errors, every method may raise ``InvalidEvidence``, a ``ValueError``, for an invalid name, number or
    count; ``Busy`` if another process locked the database for longer than ``patience``; ``Unwritable`` and
    ``Corrupted`` if the database cannot be used.

    Args:
        db: A file, ``sqlite:///FILE``, ``sqlite://`` for memory, or ``postgresql://user:password@host/db``; it is
            created if missing. None is ``paragone.db`` in the current folder.
        pool: The pool of the ledger; it is created if missing.
        config: Initial rating, K, floor and ceiling; None takes those of the pool, and 1500, 32, 100 and 4000 for a new
            one.
        outcome: How the scores of two participants become points: ``ratio`` (Aragora's), ``win`` or ``margin``.
        normalize: How points against several opponents add up: ``sum`` (Aragora's), or ``n-1`` for their mean.
        clock: Monotonic seconds for the caches and the snapshot.
        now: Returns the time of a record; UTC if None.
        lifetimes: How long leaderboards and statistics are cached.
        snapshot: The file of the snapshot. None puts it beside an SQLite file, and keeps none elsewhere; False keeps
            none.
        durable: Whether each call waits until its record is on disk, so that it survives a power failure.
        patience: Seconds to wait while another process writes, before ``Busy``.
        warn: Whether to warn where a literal formula misleads (``LiteralFormulaWarning``).
        new_id: Makes ids for evidence recorded without one.
        strict: Whether to refuse evidence about unregistered agents (``NotFound``, suggesting near names), also as
            predicted or actual winners; agents are then added by ``register_agent`` only.
        db_path: The same as ``db``, for old callers.

    Raises:
        Conflict: If the pool holds something other than agents, or exists with another configuration.
        InvalidConfig: If an argument is not one of its options, the URL is of an unknown kind, or both ``db`` and
            ``db_path`` are given.
        Unwritable: If the database cannot be opened or created, or is not a ledger.

    Example:
        >>> with EloSystem("sqlite://") as elo:
        ...     elo.record_match(participants=["claude", "gpt4"], scores={"claude": 0.75, "gpt4": 0.25})
        {'claude': 8.0, 'gpt4': -8.0}
    """

    def __init__(
        self,
        db: str | os.PathLike[str] | None = None,
        *,
        pool: str = "agents",
        config: RatingConfig | None = None,
        outcome: str = "ratio",
        normalize: str = "sum",
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] | None = None,
        lifetimes: Lifetimes = AS_DOCUMENTED,
        snapshot: str | os.PathLike[str] | bool | None = None,
        durable: bool = True,
        patience: float = 30.0,
        warn: bool = True,
        new_id: Callable[[], str] = random_id,
        strict: bool = False,
        db_path: str | os.PathLike[str] | None = None,
    ) -> None:
        pool_in_ledger = open_pool(
            database_path(db, db_path),
            pool=pool,
            config=config,
            outcome=outcome,
            normalize=normalize,
            clock=clock,
            now=now,
            lifetimes=lifetimes,
            snapshot=snapshot,
            durable=durable,
            patience=patience,
            warn=warn,
            new_id=new_id,
            strict=strict,
        )
        super().__init__(pool_in_ledger)

    def close(self) -> None:
        """Bring the snapshot up to date, and release files and connections."""
        self._pool.close()
