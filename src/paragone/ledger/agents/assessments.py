"""Tests of agents: recorded with what they move, and read."""

from dataclasses import fields
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from paragone.domain import RatingChange, RedTeamResult, StrengthTest
from paragone.errors import Conflict
from paragone.ledger import chain, pools, schema, strength_tests
from paragone.ledger.agent_records import RecordedTest
from paragone.ledger.agents import before
from paragone.ledger.agents.differing import told
from paragone.ratings.replay import advance

_test = schema.test
_THERE = select(_test).where(_test.c.pool == bindparam("of_pool"), _test.c.test == bindparam("of_test"))


def record(connection: Connection, pool: str, test: StrengthTest, at: datetime) -> tuple[RatingChange, ...]:
    """Record a test and move the ratings of its agent, who is added where the pool lacks it.

    Returns:
        The global change, then that of its domain where one is named; for a test that is there already, those that it
        made then.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If a test of that id is there with other content.
        InvalidItems: If the pool holds something else than agents, and lacks this one.
    """
    with chain.appending(connection, pool, at) as page:
        there = connection.execute(_THERE, {"of_pool": pool, "of_test": test.id}).first()
        if there is not None:
            _require_equal(pool, strength_tests.test_of(there), test)
            return strength_tests.changes_of(there)
        found = before.of_one(connection, pool, [test.item], domain=test.domain)
        found.enrol(page, [test.item])
        made = advance(found.ratings, found.tracks, test, found.config)
        page.add(_test, **strength_tests.values_of(test, made))
        found.put(page)
        return made


def recorded(connection: Connection, pool: str, agent: str | None, *, voided: bool = False) -> tuple[RecordedTest, ...]:
    """The tests of all agents of a pool, or of one, oldest first; those that are void only where they are asked for.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    found = strength_tests.recorded(connection, pool, *([] if agent is None else [_test.c.item == agent]))
    return tuple(each for each in found if voided or not each.voided)


def _require_equal(pool: str, there: StrengthTest, test: StrengthTest) -> None:
    if there != test:
        raise Conflict(
            f"test {test.id!r} of pool {pool!r} is recorded already, with {told(_said(there), _said(test))}; record "
            "this one under another id"
        )


def _said(test: StrengthTest) -> dict[str, object]:
    """What a test says."""
    kind = "red team" if isinstance(test, RedTeamResult) else "verification"
    measured = {field.name: getattr(test, field.name) for field in fields(test) if field.name not in ("id", "item")}
    return {"agent": test.item, "kind": kind, **measured}
