"""``ledger.pools``: what holds items and matches with one set of rating parameters."""

from paragone.domain import ItemKind, RatingConfig
from paragone.ledger import chain
from paragone.ledger.evidence import pools
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import PoolRecord


class Pools(Namespace):
    """The pools of a ledger."""

    def create(self, pool: str, config: RatingConfig, *, kind: ItemKind = ItemKind.TEXT) -> None:
        """Create a pool; nothing happens if it exists with the same parameters.

        Raises:
            Conflict: If it exists with other parameters.
        """
        self._write_alone(pools.create, pool, config, kind, self._clock())

    def all(self) -> tuple[PoolRecord, ...]:
        """All pools, oldest first."""
        return self._read(pools.records)

    def get(self, pool: str) -> PoolRecord:
        """A pool by its id.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(pools.record, pool)

    def config(self, pool: str) -> RatingConfig:
        """The rating parameters of a pool.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(pools.record, pool).config

    def version(self, pool: str) -> int | None:
        """A number that grows with every write to the pool, whoever writes; None if there is no such pool."""
        return self._read(chain.version, pool)

    def versions(self) -> dict[str, int]:
        """The version of each pool."""
        return self._read(chain.versions)
