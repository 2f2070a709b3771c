"""Which agents a pool has, and which models they are."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from paragone.domain import Item, ItemKind
from paragone.ledger import chain, schema
from paragone.ledger.agents.voids import stands
from paragone.ledger.chain import Page
from paragone.ledger.columns import of_few
from paragone.ledger.evidence import pools
from paragone.ledger.statements import StatementForNames

_item, _registration = schema.item, schema.registration
_MODEL = (
    select(_registration.c.model)
    .where(
        _registration.c.pool == bindparam("of_pool"),
        _registration.c.item == bindparam("of_item"),
        stands(_registration),
    )
    .order_by(of_few(_registration.c.seq).desc())
    .limit(1)
)
_PRESENT = StatementForNames(
    lambda names: select(_item.c.item).where(_item.c.pool == bindparam("of_pool"), _item.c.item.in_(names))
)


def register(connection: Connection, pool: str, agent: str, model: str, at: datetime) -> None:
    """Have an agent, and say which model it is; the model it has already, or none, changes nothing.

    Raises:
        NotFound: If there is no such pool.
        InvalidItems: If the pool holds something else than agents.
    """
    with chain.appending(connection, pool, at) as page:
        enrol(connection, page, [agent])
        if model and connection.scalar(_MODEL, {"of_pool": pool, "of_item": agent}) != model:
            page.add(_registration, item=agent, model=model)


def enrol(connection: Connection, page: Page, names: Iterable[str]) -> list[str]:
    """Put the agents that their pool does not have yet on a page, and begin their ratings.

    Args:
        connection: A transaction that writes.
        page: A page of the pool.
        names: Ids of agents, in the order in which they come in.

    Returns:
        Those that are new.

    Raises:
        InvalidItems: If the pool holds something else than agents.
    """
    pool, unique = page.head.pool, list(dict.fromkeys(names))
    existing = present(connection, pool, unique)
    fresh = [name for name in unique if name not in existing]
    if fresh:
        items = [Item(id=name, text=name, kind=ItemKind.AGENT) for name in fresh]
        record = pools.record(connection, pool)
        pools.write_items(page, items, record.kind)
        pools.begin_ratings(connection, pool, items, record.config)
    return fresh


def present(connection: Connection, pool: str, names: list[str]) -> set[str]:
    """Those of some agents that a pool has."""
    return {name for (name,) in _PRESENT.rows(connection, names, {"of_pool": pool})}


def names(connection: Connection, pool: str) -> list[str]:
    """The names of all agents of a pool, in the order in which they came in."""
    return list(connection.scalars(select(_item.c.item).where(_item.c.pool == pool).order_by(_item.c.seq)))
