"""Critiques by agents, and the counts of agents: of critiques, and of predictions whose outcome is known.

The counts are a projection: read while their pool is locked, and replaced.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from paragone.domain import Critique
from paragone.domain.brier import brier
from paragone.ledger import schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.evidence import roster
from paragone.ledger.evidence.agent_evidence import fresh
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
    """The tallies of some agents, to be added to.

    Counting the same evidence in the same order gives the same sums, to the last bit.

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
    """The tallies of some agents, by id; agents without one are left out."""
    rows = _SOME.rows(connection, list(dict.fromkeys(agents)), {"of_pool": pool})
    return {agent: tally_of(counted) for agent, *counted in rows}


def every(connection: Connection, pool: str) -> dict[str, AgentTally]:
    """The tallies of a pool, by agent."""
    rows = _ALL.rows(connection, {"of_pool": pool})
    return {agent: tally_of(counted) for agent, *counted in rows}


@contextmanager
def counting(connection: Connection, page: LedgerPage, agents: Collection[str]) -> Iterator[Tallies]:
    """The tallies of some agents, to be added to in the block; changes are written with the page."""
    stored = some(connection, page.head.pool, agents)
    counted = Tallies(by_agent=dict(stored))
    yield counted
    put(page, stored, counted.by_agent)


def record_critiques(connection: Connection, page: LedgerPage, critiques: Sequence[Critique]) -> None:
    """Record critiques, all or none; one whose id is already recorded changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If one of that id is recorded with other content.
    """
    new = fresh(connection, page.head.pool, schema.critique.c.critique, critiques, _critique_of)
    agents = [critique.agent for critique in new]
    roster.enrol(connection, page, agents)
    with counting(connection, page, agents) as counted:
        for critique in new:
            values = {"critique": critique.id or None, "item": critique.agent, "accepted": critique.accepted}
            page.add(schema.critique, **values)
            counted.critique(critique.agent, critique.accepted)


def _critique_of(row: Row[tuple[Any, ...]]) -> Critique:
    return Critique(id=row.critique or "", agent=row.item, accepted=row.accepted)


def put(page: LedgerPage, before: Mapping[str, AgentTally], after: Mapping[str, AgentTally]) -> None:
    """Have tallies written with a page; agents that ``after`` lacks lose theirs."""
    page.after += _TALLIES.difference(page.head.pool, before, after)


def write(connection: Connection, pool: str, tallies: Mapping[str, AgentTally]) -> None:
    """Write the tallies of a pool that has none."""
    _TALLIES.insert(connection, pool, tallies)


def tally_of(counted: Sequence[Any]) -> AgentTally:
    """A tally from the values of its row, in the order of ``COUNTED``."""
    return AgentTally(**dict(zip(COUNTED, counted, strict=True)))
