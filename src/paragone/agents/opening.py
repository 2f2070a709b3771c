"""Opening a pool of agents: the ledger, the pool in it, and what is kept beside it."""

import os
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from paragone.agents import boards, checks, debates
from paragone.agents.agent_pool import AS_DOCUMENTED, AgentPool, Caches, Lifetimes
from paragone.agents.literal_formulas import FormulaWarnings
from paragone.agents.rating import INITIAL
from paragone.agents.snapshot import Rows, Snapshot, path_beside
from paragone.domain import Counting, ItemKind, Normalization, RatingConfig
from paragone.errors import Conflict, InvalidConfig, NotFound

if TYPE_CHECKING:
    from paragone.ledger import Ledger, PoolRecord

AGENTS: Final = RatingConfig(initial=INITIAL, k=32.0)
"""How ratings of agents move where nothing else is said.

Source: document A, "Default Values".
"""

DATABASE: Final = "paragone.db"
"""Where agents are kept where nothing is said: in the folder of the process."""

IN_SNAPSHOT: Final = {"leaderboard": 100, "recent_matches": 50}
"""How many rows of each part a snapshot has."""

_Option = TypeVar("_Option", bound=Enum)


def random_id() -> str:
    """An id that nothing else has."""
    return uuid.uuid4().hex


def database_path(db: str | os.PathLike[str] | None, db_path: str | os.PathLike[str] | None) -> str | os.PathLike[str]:
    """The database that is meant, by whichever of its two names.

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
    """Open a pool of agents, and make it where there is none; ``EloSystem`` says what the arguments are."""
    from paragone.ledger import Ledger, utc_now

    counting, normalization = _option(Counting, outcome, "outcome"), _option(Normalization, normalize, "normalize")
    id, now = checks.pool(pool), utc_now if now is None else now
    ledger = Ledger.open(db, clock=now, durable=durable, patience=checks.patience(patience))
    try:
        record = _record(ledger, id, config)
    except Exception:
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
    """A pool of agents in a ledger that is open already, to record something; it is made where there is none.

    Where a snapshot lies beside the database it is kept up; none is begun. Nothing is warned of. Whoever opened the
    ledger closes it.

    Args:
        ledger: The ledger.
        pool: Which of its pools.
        outcome: As ``EloSystem`` has it.
        normalize: As ``EloSystem`` has it.
        strict: As ``EloSystem`` has it.

    Raises:
        Conflict: If the pool holds something else than agents.
        InvalidEvidence: If no pool can be called so.
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
    """What goes into a snapshot: the rows of each part, and whether these are all."""
    return {
        "leaderboard": boards.leaderboard_rows(ledger, pool, IN_SNAPSHOT["leaderboard"]),
        "recent_matches": debates.recent_rows(ledger, pool, IN_SNAPSHOT["recent_matches"]),
    }


def _record(ledger: "Ledger", id: str, config: RatingConfig | None) -> "PoolRecord":
    """The pool, which is made where it is not there.

    Raises:
        Conflict: If it is there, and holds something else or is configured in another way than was asked for.
    """
    try:
        record = ledger.pools.get(id)
    except NotFound:
        record = _made(ledger, id, config)
    if record.kind is not ItemKind.AGENT:
        raise Conflict(f"pool {id!r} holds items of kind {record.kind}, not agents; name another: EloSystem(pool=...)")
    if config is not None and config != record.config:
        raise Conflict(f"pool {id!r} is there already with {record.config}; leave config out, or name another pool")
    return record


def _made(ledger: "Ledger", id: str, config: RatingConfig | None) -> "PoolRecord":
    with suppress(
        Conflict
    ):  # somebody made it meanwhile, in another way: whether that will do is for the caller to see
        ledger.pools.create(id, AGENTS if config is None else config, kind=ItemKind.AGENT)
    return ledger.pools.get(id)


def _option(options: type[_Option], value: str, name: str) -> _Option:
    try:
        return options(value)
    except ValueError:
        values = ", ".join(repr(option.value) for option in options)
        raise InvalidConfig(f"{name} is one of {values}, not {value!r}", key=name) from None


def _path(snapshot: str | os.PathLike[str] | bool | None, database: Path | None, pool: str) -> Path | None:
    """Where the snapshot is: beside the database where nothing is said; False is for none."""
    if snapshot is False:
        return None
    if snapshot is None or snapshot is True:
        return None if database is None else path_beside(database, pool)
    return Path(snapshot).absolute()
