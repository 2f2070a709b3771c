"""``EloSystem``: everything about agents in one object."""

import os
import time
from collections.abc import Callable
from datetime import datetime

from paragone.agents import opening
from paragone.agents.agent_pool import AS_DOCUMENTED, Lifetimes
from paragone.agents.boards import Boards
from paragone.agents.debates import Debates
from paragone.agents.evidence import Evidence
from paragone.agents.predictions import Predictions
from paragone.agents.relationships import Relationships
from paragone.agents.strength_tests import StrengthTests
from paragone.closing import Closing
from paragone.domain import RatingConfig


class EloSystem(Debates, Boards, Predictions, Relationships, StrengthTests, Evidence, Closing):
    """Ratings of agents, their calibration and their relationships, in a ledger. Threads may share one.

    Its methods are those of document A, with what its users also call. All that is recorded is evidence in the ledger,
    to be audited, replayed and rolled back. Agents that a recording call names and that are not there yet are added.

    Every method may raise ``InvalidEvidence``, which is a ``ValueError``, for a name, a number or a count that cannot
    be; ``Busy`` where another process kept the database locked for longer than ``patience``; ``Unwritable`` and
    ``Corrupted`` where the database cannot be used; besides what it says itself.

    Args:
        db: A file, ``sqlite:///FILE``, ``sqlite://`` for memory, or ``postgresql://user:password@host/db``; it is made
            where there is none. None is ``paragone.db`` in the folder of the process.
        pool: Which of the ledger's pools; it is made where there is none.
        config: Initial rating, K, floor and ceiling; None takes those of the pool, and 1500, 32, 100 and 4000 for a new
            one.
        outcome: How the scores of two participants become points: ``ratio``, the document's; ``win``; ``margin``.
        normalize: How the points against several opponents add up: ``sum``, the document's; ``n-1``, their mean.
        clock: Seconds that never go back, by which the caches and the snapshot go.
        now: Gives the time that goes with what is recorded; UTC where None.
        lifetimes: For how long leaderboards and statistics are kept.
        snapshot: The file of the snapshot. None has one beside an SQLite file and none elsewhere; False has none.
        durable: Whether each call waits until the disk has what it recorded, and so survives a loss of power.
        patience: Seconds to wait while another process writes, before ``Busy``.
        warn: Whether to warn where a literal formula misleads (``LiteralFormulaWarning``).
        new_id: Makes ids for what is recorded without one.
        strict: Whether to refuse evidence about agents that are not registered (``NotFound``, naming the nearest),
            those too that are expected to win or won; agents then come in by ``register_agent`` alone.
        db_path: The same as ``db``, as old code names it.

    Raises:
        Conflict: If the pool holds something else than agents, or is there with another configuration than asked for.
        InvalidConfig: If an argument is none of its options, the URL is of no known kind, or both ``db`` and
            ``db_path`` are given.
        Unwritable: If the database cannot be opened or made, or is no ledger.

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
        new_id: Callable[[], str] = opening.random_id,
        strict: bool = False,
        db_path: str | os.PathLike[str] | None = None,
    ) -> None:
        pool_in_ledger = opening.open_pool(
            opening.database_path(db, db_path),
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
        """Bring the snapshot up to date, and give back files and connections."""
        self._pool.close()
