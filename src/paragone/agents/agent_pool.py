"""An open pool of agents: what the modules of this room work on."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.agents import names
from paragone.agents.caches import Caches
from paragone.agents.misleading import Misleading
from paragone.agents.snapshot import Snapshot
from paragone.domain import Counting, Normalization, RatingConfig

if TYPE_CHECKING:
    from paragone.ledger import Ledger


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPool:
    """A pool of agents in an open ledger, and what is kept beside it.

    Attributes:
        ledger: The ledger.
        id: Id of the pool.
        config: How its ratings move.
        counting: How scores become points.
        normalization: How the points against several opponents add up.
        caches: Answers that are kept for a while.
        snapshot: The file beside the database.
        misleading: Warns where a literal formula misleads.
        new_id: Makes ids for what was recorded without one.
        strict: Whether evidence may name only agents that are registered.
    """

    ledger: "Ledger"
    id: str
    config: RatingConfig
    counting: Counting
    normalization: Normalization
    caches: Caches
    snapshot: Snapshot
    misleading: Misleading
    new_id: Callable[[], str]
    strict: bool = False

    @contextmanager
    def writing(self, agents: Iterable[str] = ()) -> Iterator["Ledger"]:
        """The ledger, to record something: what is kept beside it is out of date then, whatever came of it.

        Args:
            agents: The agents that the evidence names.

        Raises:
            NotFound: If the pool is strict and one of them is not registered; it names the nearest.
        """
        if self.strict:
            names.require(self.ledger, self.id, agents)
        try:
            yield self.ledger
        finally:
            self.snapshot.fall_behind()
            self.caches.clear()
        self.snapshot.keep_up()

    def close(self) -> None:
        """Bring the snapshot up to date and close the ledger."""
        try:
            self.snapshot.catch_up()
        finally:
            self.ledger.close()
