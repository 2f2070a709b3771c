"""Pools: what holds items and matches with one set of rating parameters."""

from paragone.domain import (
    ItemKind,
    RatingConfig,
)
from paragone.ledger import (
    chain,
    pools,
)
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import PoolRecord


class Pools(Namespace):
    """Pools of a ledger."""

    def create(self, pool: str, config: RatingConfig, *, kind: ItemKind = ItemKind.TEXT) -> None:
        """Make a pool; one that is there with the same parameters stays as it is.

        Raises:
            Conflict: If it is there with others.
        """
        with self._database.write(alone=True) as connection:
            pools.create(connection, pool, config, kind, self._clock())

    def all(self) -> tuple[PoolRecord, ...]:
        """All pools, oldest first."""
        with self._database.read() as connection:
            return pools.records(connection)

    def get(self, pool: str) -> PoolRecord:
        """A pool.

        Raises:
            NotFound: If there is none of that id.
        """
        with self._database.read() as connection:
            return pools.record(connection, pool)

    def config(self, pool: str) -> RatingConfig:
        """How the ratings of a pool move.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return pools.record(connection, pool).config

    def version(self, pool: str) -> int | None:
        """That number of one pool; None where there is none of that id."""
        with self._database.read() as connection:
            return chain.version(connection, pool)

    def versions(self) -> dict[str, int]:
        """A number for each pool that grows with every write to it, whoever writes."""
        with self._database.read() as connection:
            return chain.versions(connection)
