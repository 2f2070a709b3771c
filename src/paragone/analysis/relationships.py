"""Two agents: rivals or allies by their dealings, and their record head to head.

The formulas are Aragora's, and crude: rivalry counts how often two met, disagreed and won in turns; it says nothing
about whether that is more than chance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from paragone.domain.agent_evidence import Dealings, Relation
from paragone.domain.records import WinLossRecord

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ABOVE = 0.6
"""Score above which two are rivals or allies."""
LISTED = 0.3
"""Score above which one is listed among rivals or allies."""
FULL = 20
"""Debates from which on rivalry has no more of them."""
ACQUAINTED = 3
"""Debates below which two are acquainted at most, unless a score says more."""
DECIDED = 2
"""Decided matches above which the balance of wins tells of an alliance."""


class Relationship(StrEnum):
    """What two agents are to each other."""

    RIVAL = "rival"
    ALLY = "ally"
    NEUTRAL = "neutral"
    ACQUAINTANCE = "acquaintance"
    NO_HISTORY = "no_history"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class RelationshipMetrics:
    """Two agents in numbers, seen from the first.

    Attributes:
        agent_a: The first.
        agent_b: The other.
        rivalry_score: From 0 to 1.
        alliance_score: From 0 to 1.
        relationship: What they are to each other.
        debate_count: Debates in which both took part.
        agreement_rate: Share of these in which they agreed.
        head_to_head: Wins and losses of the first, as ``3-1``.
    """

    agent_a: str
    agent_b: str
    rivalry_score: float = 0.0
    alliance_score: float = 0.0
    relationship: Relationship = Relationship.UNKNOWN
    debate_count: int = 0
    agreement_rate: float = 0.0
    head_to_head: str = "0-0"


def metrics(a: str, b: str, relation: Relation | None) -> RelationshipMetrics:
    """What two agents are to each other.

    Args:
        a: From whom it is seen.
        b: The other.
        relation: The sum of their dealings, from either side; None where nothing is known of them.

    Raises:
        ValueError: If the relation is one of others.
    """
    if relation is None:
        return RelationshipMetrics(agent_a=a, agent_b=b)
    if {relation.a, relation.b} != {a, b}:
        raise ValueError(f"this is the relation of {relation.a!r} and {relation.b!r}, not of {a!r} and {b!r}")
    dealings = relation.seen_from(a).dealings
    have_met = dealings.debates > 0
    rivals, allies = (rivalry(dealings), alliance(dealings)) if have_met else (0.0, 0.0)
    return RelationshipMetrics(
        agent_a=a,
        agent_b=b,
        rivalry_score=rivals,
        alliance_score=allies,
        relationship=classify(rivals, allies, dealings.debates),
        debate_count=dealings.debates,
        agreement_rate=agreement(dealings),
        head_to_head=f"{dealings.a_wins}-{dealings.b_wins}",
    )


def rivalry(dealings: Dealings) -> float:
    """Many debates, little agreement and wins on both sides, from 0 to 1."""
    often = min(1.0, dealings.debates / FULL)
    return 0.3 * often + 0.4 * (1 - agreement(dealings)) + 0.3 * balance(dealings)


def alliance(dealings: Dealings) -> float:
    """Agreement and accepted critiques, from 0 to 1; where more than two matches were decided, also one-sided wins."""
    if dealings.a_wins + dealings.b_wins > DECIDED:
        return 0.5 * agreement(dealings) + 0.3 * acceptance(dealings) + 0.2 * (1 - balance(dealings))
    return 0.5 * agreement(dealings) + 0.5 * acceptance(dealings)


def classify(rivalry: float, alliance: float, debates: int) -> Relationship:
    """What two are to each other, by their scores and the number of their debates."""
    if not debates:
        return Relationship.NO_HISTORY
    if rivalry > ABOVE and rivalry > alliance:
        return Relationship.RIVAL
    if alliance > ABOVE and alliance > rivalry:
        return Relationship.ALLY
    return Relationship.ACQUAINTANCE if debates < ACQUAINTED else Relationship.NEUTRAL


def agreement(dealings: Dealings) -> float:
    """Share of the debates in which they agreed, at most 1: agreements may be counted where no debate was."""
    return min(1.0, dealings.agreements / dealings.debates) if dealings.debates else 0.0


def acceptance(dealings: Dealings) -> float:
    """Share of the critiques, of both, that were accepted; a half where there were none."""
    critiques = dealings.critiques_a_to_b + dealings.critiques_b_to_a
    accepted = dealings.accepted_a_to_b + dealings.accepted_b_to_a
    return min(1.0, accepted / critiques) if critiques else 0.5


def balance(dealings: Dealings) -> float:
    """Wins of the one who won less by those of the other; a half where nobody has won."""
    fewer, more = sorted((dealings.a_wins, dealings.b_wins))
    return fewer / more if more else 0.5


def rivals(agent: str, relations: Iterable[Relation], *, count: int = 5) -> tuple[RelationshipMetrics, ...]:
    """Those with whom an agent's rivalry is above .3, the highest first, equal ones by name.

    Args:
        agent: From whom it is seen.
        relations: Sums of dealings; those of others are passed over.
        count: How many at the most.
    """
    return _highest(agent, relations, "rivalry_score", count)


def allies(agent: str, relations: Iterable[Relation], *, count: int = 5) -> tuple[RelationshipMetrics, ...]:
    """Those with whom an agent's alliance is above .3, the highest first, equal ones by name.

    Args:
        agent: From whom it is seen.
        relations: Sums of dealings; those of others are passed over.
        count: How many at the most.
    """
    return _highest(agent, relations, "alliance_score", count)


def _highest(agent: str, relations: Iterable[Relation], score: str, count: int) -> tuple[RelationshipMetrics, ...]:
    own = (relation for relation in relations if agent in (relation.a, relation.b))
    candidates = (metrics(agent, relation.b if relation.a == agent else relation.a, relation) for relation in own)
    of = attrgetter(score)
    listed = sorted(
        (candidate for candidate in candidates if of(candidate) > LISTED),
        key=lambda candidate: (-of(candidate), candidate.agent_b),
    )
    return tuple(listed[: max(0, count)])


def met_by_scores(
    agents: Sequence[str], match: Ints, agent: Ints, score: Floats
) -> Mapping[tuple[str, str], WinLossRecord]:
    """The record of each agent against each other one that it met: in every debate the one with the higher score won.

    Args:
        agents: Names, of which the entries speak by index.
        match: Index of the debate of each entry, shape (entries,), in any order.
        agent: Who it is about.
        score: What that one scored.
    """
    order = np.lexsort((agent, match))
    match, agent, score = match[order], agent[order], score[order]
    cells = np.concatenate([np.zeros(0, np.int64), *_cells(len(agents), match, agent, score)])
    keys, counts = np.unique(cells, return_counts=True)
    tally = {int(key): int(count) for key, count in zip(keys, counts, strict=True)}
    pairs = sorted({key // 3 for key in tally})
    records: dict[tuple[str, str], WinLossRecord] = {}
    for pair in pairs:
        agent_a, agent_b = agents[pair // len(agents)], agents[pair % len(agents)]
        lost, drew, won = (tally.get(3 * pair + result, 0) for result in range(3))
        records[agent_a, agent_b] = WinLossRecord(wins=won, draws=drew, losses=lost)
        records[agent_b, agent_a] = WinLossRecord(wins=lost, draws=drew, losses=won)
    return records


def _cells(count: int, match: Ints, agent: Ints, score: Floats) -> list[Ints]:
    """For any two in one debate three times their pair, and 0, 1 or 2 where the first lost, drew or won.

    Entries of a debate stand next to each other, by agent; so those that are one apart are compared, then those that
    are two apart, until no debate is that long.
    """
    cells: list[Ints] = []
    for apart in range(1, match.size):
        first = np.flatnonzero(match[apart:] == match[:-apart])
        if not first.size:
            break
        second = first + apart
        result = 1 + np.sign(score[first] - score[second]).astype(np.int64)
        cells.append(3 * (agent[first] * count + agent[second]) + result)
    return cells
