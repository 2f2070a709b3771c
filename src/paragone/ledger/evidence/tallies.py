"""The projection of what is counted of agents: read under the lock of their pool, and replaced."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, bindparam, select

from paragone.domain import brier
from paragone.ledger import schema
from paragone.ledger.chain import Page
from paragone.ledger.records import AgentTally
from paragone.ledger.statements import Projection, Statement, StatementForNames

_tally = schema.agent_tally
COUNTED = (
    "critiques_accepted",
    "critiques_total",
    "calibration_correct",
    "calibration_total",
    "calibration_brier_sum",
)
"""Columns of a tally beside its agent."""


def _row(agent: str, tally: AgentTally) -> dict[str, Any]:
    return {"item": agent, **{name: getattr(tally, name) for name in COUNTED}}


_TALLIES = Projection(_tally, _row)
_OF_POOL = select(*_tally.c["item", *COUNTED]).where(_tally.c.pool == bindparam("of_pool"))
_ALL = Statement(_OF_POOL)
_SOME = StatementForNames(lambda items: _OF_POOL.where(_tally.c.item.in_(items)))


@dataclass(kw_only=True, slots=True)
class Tallies:
    """What is counted of some agents, to be counted on.

    Whoever counts the same evidence in the same order comes to the same sums, to the last bit.

    Attributes:
        by_agent: The tally of each that has one.
    """

    by_agent: dict[str, AgentTally] = field(default_factory=dict)

    def critique(self, agent: str, accepted: bool) -> None:
        """Count a critique."""
        old = self._of(agent)
        self.by_agent[agent] = replace(
            old, critiques_accepted=old.critiques_accepted + accepted, critiques_total=old.critiques_total + 1
        )

    def outcome(self, agent: str, confidence: float, correct: bool) -> float:
        """Count a prediction whose outcome is known; its Brier score is returned."""
        old, score = self._of(agent), brier(confidence, correct)
        self.by_agent[agent] = replace(
            old,
            calibration_correct=old.calibration_correct + correct,
            calibration_total=old.calibration_total + 1,
            calibration_brier_sum=old.calibration_brier_sum + score,
        )
        return score

    def _of(self, agent: str) -> AgentTally:
        return self.by_agent.get(agent, AgentTally())


def some(connection: Connection, pool: str, agents: Iterable[str]) -> dict[str, AgentTally]:
    """The tallies of some agents, by id; of those that have one."""
    rows = _SOME.rows(connection, list(dict.fromkeys(agents)), {"of_pool": pool})
    return {agent: tally_of(counted) for agent, *counted in rows}


def every(connection: Connection, pool: str) -> dict[str, AgentTally]:
    """The tallies of a pool, by agent."""
    rows = _ALL.rows(connection, {"of_pool": pool})
    return {agent: tally_of(counted) for agent, *counted in rows}


@contextmanager
def counting(connection: Connection, page: Page, agents: Collection[str]) -> Iterator[Tallies]:
    """The tallies of some agents, to be counted on in the block; what changed is written with the page."""
    stored = some(connection, page.head.pool, agents)
    counted = Tallies(by_agent=dict(stored))
    yield counted
    put(page, stored, counted.by_agent)


def put(page: Page, before: Mapping[str, AgentTally], after: Mapping[str, AgentTally]) -> None:
    """Have tallies written with a page; agents that ``after`` lacks lose theirs."""
    page.after += _TALLIES.difference(page.head.pool, before, after)


def write(connection: Connection, pool: str, tallies: Mapping[str, AgentTally]) -> None:
    """Write the tallies of a pool that has none."""
    _TALLIES.insert(connection, pool, tallies)


def tally_of(counted: Sequence[Any]) -> AgentTally:
    """A tally from the values of its row, in the order of ``COUNTED``."""
    return AgentTally(**dict(zip(COUNTED, counted, strict=True)))
