"""Tests of agents, which change a rating without an opponent; they are recorded with the changes they cause."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, select

from paragone.domain import RatingChange, RedTeamResult, StrengthTest, VerificationResult
from paragone.errors import Conflict, Corrupted
from paragone.ledger import chain, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import of_few
from paragone.ledger.evidence import roster
from paragone.ledger.evidence.agent_evidence import difference_text, not_void, voided_tests
from paragone.ledger.evidence.rating_changes import uncontested
from paragone.ledger.records import RecordedTest
from paragone.ledger.statements import Statement
from paragone.ratings.running_elo import advance

_test = schema.test
_KINDS: Mapping[str, type[RedTeamResult] | type[VerificationResult]] = {
    "redteam": RedTeamResult,
    "verification": VerificationResult,
}
_MEASURED = {
    RedTeamResult: ("robustness", "successful", "total", "critical"),
    VerificationResult: ("verified", "disproven", "k"),
}
_EFFECT = ("old", "new", "clamped")


def values_of(test: StrengthTest, changes: Sequence[RatingChange]) -> dict[str, Any]:
    """A test and its changes, the global one first, as the values of a row."""
    kind = type(test)
    values = {
        "test": test.id,
        "item": test.item,
        "kind": next(name for name, noun in _KINDS.items() if noun is kind),
        "measured": {name: getattr(test, name) for name in _MEASURED[kind]},
        "session": test.session if isinstance(test, RedTeamResult) else "",
        "domain": test.domain,
    }
    for prefix, change in zip(("", "domain_"), changes, strict=False):
        values.update({f"{prefix}{name}": getattr(change, name) for name in _EFFECT})
    return values


def test_of(row: Row[tuple[Any, ...]]) -> StrengthTest:
    """A row as the test that was recorded.

    Raises:
        Corrupted: If it cannot be one.
    """
    try:
        session = {"session": row.session} if row.kind == "redteam" else {}
        return _KINDS[row.kind](id=row.test, item=row.item, domain=row.domain, **session, **row.measured)
    except (KeyError, TypeError, ValueError) as error:  # no version of paragone wrote such a row
        raise Corrupted(f"test {row.test!r} is not valid ({error}); an audit says more") from error


def changes_of(row: Row[tuple[Any, ...]]) -> tuple[RatingChange, ...]:
    """The changes by a test: the global one, then that of its domain if it has one."""
    global_change = uncontested(row.item, row.test, row.old, row.new, clamped=row.clamped)
    if row.domain_old is None:
        return (global_change,)
    in_domain = {name: getattr(row, f"domain_{name}") for name in _EFFECT}
    return (global_change, uncontested(row.item, row.test, **in_domain, track=row.domain))


def by_sequence(connection: Connection, pool: str) -> dict[int, StrengthTest]:
    """All tests of a pool, voided ones too, by sequence number."""
    return {row.seq: test_of(row) for row in _IN_ORDER.named_rows(connection, {"of_pool": pool})}


def valid(connection: Connection, pool: str) -> dict[int, StrengthTest]:
    """The tests of a pool that are not void, by sequence number."""
    voided = set(voided_tests(connection, pool).values())
    return {seq: test for seq, test in by_sequence(connection, pool).items() if seq not in voided}


_IN_ORDER = Statement(select(_test).where(_test.c.pool == bindparam("of_pool")).order_by(_test.c.seq))
_OF_ID = select(_test).where(_test.c.pool == bindparam("of_pool"), _test.c.test == bindparam("of_test"))


def recorded(
    connection: Connection, pool: str, agent: str | None = None, *, voided: bool = False
) -> tuple[RecordedTest, ...]:
    """The tests of all agents of a pool or of one, oldest first; voided ones only if ``voided`` is true.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.require(connection, pool)
    query = chain.with_time(_test, select(_test, not_void(_test).label("counts"))).where(_test.c.pool == pool)
    if not voided:
        query = query.where(not_void(_test))
    order: ColumnElement[int] = _test.c.seq
    if agent is not None:
        query, order = query.where(_test.c.item == agent), of_few(_test.c.seq)
    return tuple(
        RecordedTest(test=test_of(row), changes=changes_of(row), at=row.at, voided=not row.counts)
        for row in connection.execute(query.order_by(order))
    )


def put(connection: Connection, page: LedgerPage, test: StrengthTest) -> tuple[RatingChange, ...]:
    """Record a test of an agent, and change its ratings.

    Returns:
        The global change, then that of the test's domain if it has one; for a test that is already recorded, those
        of then.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If a test of that id is recorded with other content.
        InvalidItems: If the pool does not hold agents, and lacks this one.
    """
    pool = page.head.pool
    row = connection.execute(_OF_ID, {"of_pool": pool, "of_test": test.id}).first()
    if row is not None:
        _require_equal(pool, test_of(row), test)
        return changes_of(row)
    ratings = roster.of_one(connection, pool, [test.item], domain=test.domain)
    ratings.enrol(page, [test.item])
    changes = advance(ratings.ratings, ratings.tracks, test, ratings.config)
    page.add(_test, **values_of(test, changes))
    ratings.put(page)
    return changes


def _require_equal(pool: str, recorded: StrengthTest, test: StrengthTest) -> None:
    if recorded != test:
        raise Conflict(
            f"test {test.id!r} of pool {pool!r} is recorded already, with "
            f"{difference_text(_content(recorded), _content(test))}; "
            "record this one under another id"
        )


def _content(test: StrengthTest) -> dict[str, object]:
    """The content of a test."""
    kind = "red team" if isinstance(test, RedTeamResult) else "verification"
    measured = {field.name: getattr(test, field.name) for field in fields(test) if field.name not in ("id", "item")}
    return {"agent": test.item, "kind": kind, **measured}
