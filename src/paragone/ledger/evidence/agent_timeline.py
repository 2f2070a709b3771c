"""Timelines of agents: what they began from, seasons, and when each became another by a new version.

All are adjustments: a starting rating sets the running Elo (``seed``), a season takes it part of the way to the pool's
initial rating (``season``), and a new version leaves it where it is (``revision``). So they have their place between
the debates, and audits and replays count them like any adjustment.
"""

import bisect
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, bindparam, or_, select

from paragone.domain import Adjustment, AdjustmentKind, RatingChange
from paragone.ledger import schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.evidence import pools, rating_changes, roster
from paragone.ledger.evidence.agent_evidence import not_void
from paragone.ledger.statements import Statement
from paragone.ratings.score_pairs import AgentVersions

_adjustment = schema.adjustment
_KINDS = (AdjustmentKind.SEED, AdjustmentKind.REVISION)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTimeline:
    """Starting ratings and new versions of the agents of a pool.

    Attributes:
        start: Starting rating by agent, less the pool's initial one, in Elo points.
        revised: Sequence numbers of an agent's new versions, ascending.
    """

    start: Mapping[str, float]
    revised: Mapping[str, Sequence[int]]

    def version(self, agent: str, sequence: int) -> int:
        """Which version of an agent took part in what has this sequence number, from 0."""
        return bisect.bisect(self.revised.get(agent, ()), sequence)

    def history(self, agents: Sequence[str], versions: Sequence[int]) -> AgentVersions | None:
        """The same by the index of agents; None if nobody of them changed or had a rating before.

        Args:
            agents: Names of the agents.
            versions: Version by entry of their debates.
        """
        history = AgentVersions(
            version=np.array(versions, dtype=np.int64),
            current=np.array([len(self.revised.get(agent, ())) for agent in agents], dtype=np.int64),
            start=np.array([self.start.get(agent, math.nan) for agent in agents], dtype=np.float64),
        )
        return None if history.says_nothing else history


_CHANGES = Statement(
    select(*_adjustment.c["seq", "item", "kind", "target"])
    .where(
        _adjustment.c.pool == bindparam("of_pool"),
        or_(*(_adjustment.c.kind == kind for kind in _KINDS)),
        not_void(_adjustment),
    )
    .order_by(_adjustment.c.seq)
)


def timeline_of(connection: Connection, pool: str) -> AgentTimeline:
    """The starting ratings and new versions of a pool that count."""
    start: dict[str, float] = {}
    revised: dict[str, list[int]] = defaultdict(list)
    rows = _CHANGES.named_rows(connection, {"of_pool": pool})
    initial = pools.config(connection, pool).initial if rows else 0.0
    for row in rows:
        if row.kind is AdjustmentKind.REVISION:
            revised[row.item].append(row.seq)
        else:
            start[row.item] = row.target - initial
    return AgentTimeline(start=start, revised=revised)


def adjust(connection: Connection, page: LedgerPage, adjustments: Sequence[Adjustment]) -> tuple[RatingChange, ...]:
    """Make adjustments of ratings, adding agents that the pool lacks; as ``put_adjustments``.

    Args:
        connection: A transaction.
        page: A page of the pool.
        adjustments: The adjustments, in the order in which they apply.
    """
    roster.enrol(connection, page, [adjustment.item for adjustment in adjustments])
    return rating_changes.put_adjustments(connection, page, adjustments)
