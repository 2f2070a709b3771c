"""Relations between agents: counts as they were reported, and their sums for each pair."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from sqlalchemy import BindParameter, Connection, Row, Select, bindparam, column, select, union_all, values

from paragone.domain import DEALINGS, Dealings, Relation
from paragone.errors import Corrupted, InvalidEvidence
from paragone.ledger import schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import TextType
from paragone.ledger.evidence import agent_evidence, pools, roster
from paragone.ledger.evidence.agent_evidence import NONE, counting
from paragone.ledger.statements import Projection, Statement, StatementForNames

IdPair = tuple[str, str]

_MOST = 2**63 - 1
"""The largest whole number that a database keeps."""

_relation, _sum = schema.relation, schema.relationship
_ADDED = counting(_relation)
_ADDITIONS = Statement(_ADDED)
_BETWEEN = Statement(_ADDED.where(_relation.c.a == bindparam("of_a"), _relation.c.b == bindparam("of_b")))
_OF_POOL = select(_sum).where(_sum.c.pool == bindparam("of_pool"))
_EVERY = Statement(_OF_POOL)
_OF_AGENT = Statement(  # each by its index
    union_all(*(_OF_POOL.where(agent == bindparam("of_agent")) for agent in (_sum.c.a, _sum.c.b)))
)


def _among(names: Sequence[BindParameter[str]]) -> Select[Any]:
    """The sums of pairs, each two names in a row; the last name again makes a pair that nobody is."""
    pairs = values(column("a", TextType), column("b", TextType), name="named")
    named = pairs.data(list(zip(names[::2], names[1::2], strict=False))).cte()
    return select(_sum).join(
        named, (_sum.c.pool == bindparam("of_pool")) & (_sum.c.a == named.c.a) & (_sum.c.b == named.c.b)
    )


_SOME = StatementForNames(_among)


def _row(pair: IdPair, dealings: Dealings) -> dict[str, Any]:
    return {"a": pair[0], "b": pair[1], **{name: getattr(dealings, name) for name in DEALINGS}}


_SUMS = Projection(_sum, _row)


def put(connection: Connection, page: LedgerPage, relations: Sequence[Relation]) -> None:
    """Add to the counts between agents, all or nothing; an addition whose id is recorded changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If an addition of that id is recorded with other content.
        InvalidEvidence: If a sum grows beyond what a database can store.
    """
    pool = page.head.pool
    additions = [relation.ordered for relation in relations]
    new = agent_evidence.fresh(connection, pool, _relation.c.relation, additions, _addition)
    roster.enrol(connection, page, [agent for relation in new for agent in (relation.a, relation.b)])
    sums_before = _some(connection, pool, [(relation.a, relation.b) for relation in new])
    for relation in new:
        page.add(_relation, relation=relation.id or None, **_row((relation.a, relation.b), relation.dealings))
    changed = added_up(new, sums_before)
    _require_countable(changed)
    page.after += _SUMS.difference(pool, sums_before, changed)


def added_up(additions: Iterable[Relation], start: Mapping[IdPair, Dealings]) -> dict[IdPair, Dealings]:
    """The sums of each pair that has an addition, in the order of first additions."""
    totals: dict[IdPair, Dealings] = {}
    for relation in additions:
        ordered = relation.ordered
        pair = (ordered.a, ordered.b)
        totals[pair] = totals.get(pair, start.get(pair, Dealings())) + ordered.dealings
    return totals


def _require_countable(totals: Mapping[IdPair, Dealings]) -> None:
    for pair, dealings in totals.items():
        for name in DEALINGS:
            if getattr(dealings, name) > _MOST:
                raise InvalidEvidence(f"{name} of {pair[0]!r} and {pair[1]!r} would come to more than {_MOST}")


def sums(connection: Connection, pool: str, agent: str | None = None) -> tuple[Relation, ...]:
    """The counts between the agents of each pair, ``a`` sorting before ``b``, in the order of the pairs.

    Args:
        connection: A transaction.
        pool: The pool.
        agent: Only pairs with this agent.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    rows = (_EVERY if agent is None else _OF_AGENT).named_rows(connection, {"of_pool": pool, "of_agent": agent})
    return tuple(sorted(map(_of, rows), key=attrgetter("a", "b")))


def between(connection: Connection, pool: str, a: str, b: str) -> Relation | None:
    """The counts between two agents, seen from ``a``; None if there are none.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    pair = (min(a, b), max(a, b))
    dealings = _some(connection, pool, [pair]).get(pair)
    return None if dealings is None else Relation(a=pair[0], b=pair[1], dealings=dealings).seen_from(a)


def additions(
    connection: Connection, pool: str, *, pair: IdPair | None = None, without: int = NONE
) -> Iterable[Relation]:
    """The additions of a pool that are not void, in the order of record.

    Args:
        connection: A transaction.
        pool: The pool.
        pair: Only those between two agents, in sorted order; None for all pairs.
        without: Sequence number of an addition to leave out.
    """
    statement, of_pair = (_ADDITIONS, {}) if pair is None else (_BETWEEN, {"of_a": pair[0], "of_b": pair[1]})
    return map(_addition, statement.stream(connection, {"of_pool": pool, "without": without, **of_pair}))


def lower(connection: Connection, page: LedgerPage, pair: IdPair, without: int) -> None:
    """Lower the sums of a pair with a page when an addition is voided; a pair without additions has no sums.

    Args:
        connection: A transaction.
        page: A page of the pool.
        pair: The agents, in sorted order.
        without: Sequence number of the voided addition.
    """
    pool = page.head.pool
    remaining = added_up(additions(connection, pool, pair=pair, without=without), {})
    page.after += _SUMS.difference(pool, _some(connection, pool, [pair]), remaining)


def every(connection: Connection, pool: str) -> dict[IdPair, Dealings]:
    """The stored sums of a pool, by pair."""
    return _by_pair(_EVERY.named_rows(connection, {"of_pool": pool}))


def write(connection: Connection, pool: str, totals: Mapping[IdPair, Dealings]) -> None:
    """Write the sums of a pool that has none."""
    _SUMS.insert(connection, pool, totals)


def _some(connection: Connection, pool: str, pairs: Sequence[IdPair]) -> dict[IdPair, Dealings]:
    """The sums of some pairs, by pair; pairs without any are left out."""
    names = [name for pair in dict.fromkeys(pairs) for name in pair]
    return _by_pair(_SOME.named_rows(connection, names, {"of_pool": pool}))


def _by_pair(rows: Iterable[Row[tuple[Any, ...]]]) -> dict[IdPair, Dealings]:
    return {(row.a, row.b): _dealings(row) for row in rows}


def _of(row: Row[tuple[Any, ...]]) -> Relation:
    try:
        return Relation(a=row.a, b=row.b, dealings=_dealings(row))
    except ValueError as error:
        raise Corrupted(f"a relation of {row.a!r} is not valid ({error}); an audit says more") from error


def _addition(row: Row[tuple[Any, ...]]) -> Relation:
    dealings = _of(row)
    return Relation(id=row.relation or "", a=dealings.a, b=dealings.b, dealings=dealings.dealings).ordered


def _dealings(row: Row[tuple[Any, ...]]) -> Dealings:
    try:
        return Dealings(**{name: getattr(row, name) for name in DEALINGS})
    except (TypeError, ValueError) as error:  # no version of paragone wrote such a row
        raise Corrupted(f"a relation of {row.a!r} is not valid ({error}); an audit says more") from error
