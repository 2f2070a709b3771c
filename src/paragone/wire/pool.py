"""Pools and the tournaments in them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value

ExportTable = Literal["board", "items", "matches", "verdicts", "turns", "changes"]
"""What can be exported of a pool."""
PoolState = Literal["active", "archived", "deleted"]
ExportFormat = Literal["csv", "jsonl", "parquet"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tournament(Value):
    """What a tournament was asked to do, and what it took so far.

    Attributes:
        criteria: What "better" means.
        judge: Spec of the judge, or the identity of one that was given as an object.
        pairing: How items are paired.
        votable: Whether people can vote on it: its pairing leaves room for that, and its items have texts to show.
        budget: Maximum decisions; None for no limit.
        rounds: Rounds planned so far.
        running: Whether somebody runs it now.
        stopped: Why the last run ended; empty if none has.
        spending: What it took; None of a large tournament while that is being counted.
    """

    criteria: str
    judge: str
    pairing: str
    votable: bool
    budget: int | None
    rounds: int
    running: bool
    stopped: str
    spending: SpendingSummary | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool(Value):
    """A pool.

    Attributes:
        id: Its id.
        title: What whoever made it calls it; its id where nothing else is known.
        kind: What its items are.
        created: When it was made.
        version: A number that grows with every write to it.
        items: Items in it.
        matches: Matches recorded, those that were rolled back too.
        initial: The rating that items begin with.
        k: The K factor.
        tournament: What its tournament is about; None where it is none.
        state: ``active``, ``archived`` (lists leave it out) or ``deleted`` (it takes no new evidence, either).
    """

    id: str
    title: str
    kind: str
    created: datetime
    version: int
    items: int
    matches: int
    initial: float
    k: float
    tournament: Tournament | None
    state: PoolState = "active"


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolPage(Value):
    """Pools, the newest first.

    Attributes:
        pools: The pools.
        next: Cursor of the next page; None on the last.
        total: Number of them in all; None in answers of earlier versions.
    """

    pools: list[Pool]
    next: str | None = None
    total: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AddedItems(Value):
    """What was added.

    Attributes:
        added: Ids of the items that are new; the others were there already.
    """

    added: list[str]
