"""The projection of what is counted of agents: read under the lock of their pool, and replaced."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from paragone.domain import brier
from paragone.ledger import schema
from paragone.ledger.chain import Page
from paragone.ledger.records import AgentTally
from paragone.ledger.statements import Statement, StatementForNames

_tally = schema.agent_tally
COUNTED = (
    "critiques_accepted",
    "critiques_total",
    "calibration_correct",
    "calibration_total",
    "calibration_brier_sum",
)
"""Columns of a tally beside its agent."""
_BEGIN = Statement(insert(_tally).values({name: bindparam(name) for name in ("pool", "item", *COUNTED)}))
_SET = Statement(
    update(_tally)
    .where(_tally.c.pool == bindparam("pool"), _tally.c.item == bindparam("item"))
    .values({name: bindparam(name) for name in COUNTED})
)
_DROP = Statement(delete(_tally).where(_tally.c.pool == bindparam("pool"), _tally.c.item == bindparam("item")))
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
    _put(page, stored, counted)


def _put(page: Page, stored: Mapping[str, AgentTally], counted: Tallies) -> None:
    changed = {agent: tally for agent, tally in counted.by_agent.items() if tally != stored.get(agent)}
    is_stored = [agent in stored for agent in changed]
    rows = _rows(page.head.pool, changed)
    for statement, old in ((_BEGIN, False), (_SET, True)):
        page.after.append((statement, [row for row, is_known in zip(rows, is_stored, strict=True) if is_known is old]))


def lower(page: Page, stored: Mapping[str, AgentTally], rightful: Mapping[str, AgentTally]) -> None:
    """Have tallies lowered to what is left of the evidence; an agent of which nothing is left has none.

    Args:
        page: What they are written with.
        stored: The tallies as they are kept.
        rightful: What they have to be, of agents that have one already.
    """
    pool = page.head.pool
    changed = {agent: tally for agent, tally in rightful.items() if tally != stored[agent]}
    gone = [{"pool": pool, "item": agent} for agent in stored if agent not in rightful]
    page.after += [(_SET, _rows(pool, changed)), (_DROP, gone)]


def write(connection: Connection, pool: str, tallies: Mapping[str, AgentTally]) -> None:
    """Begin the tallies of a pool that has none."""
    if tallies:
        _BEGIN.run(connection, _rows(pool, tallies))


def _rows(pool: str, tallies: Mapping[str, AgentTally]) -> list[dict[str, Any]]:
    return [
        {"pool": pool, "item": agent, **{name: getattr(tally, name) for name in COUNTED}}
        for agent, tally in tallies.items()
    ]


def tally_of(counted: Sequence[Any]) -> AgentTally:
    """A tally from the values of its row, in the order of ``COUNTED``."""
    return AgentTally(**dict(zip(COUNTED, counted, strict=True)))
