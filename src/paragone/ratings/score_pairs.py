"""From the scores of debates to pairs: of each two in a debate the one with the higher score won, equal scores tie.

The pairs of one debate are not independent: who is far ahead beats all others at once. The pairs of a ranking of n
equals tell as much as if each were on its own and counted for ``3 / (n + 1)``. That is exact whatever the noise is
like, since all rankings of equals are equally likely: the variance of an agent's wins is then ``(n^2 - 1) / 12``, and
Godambe's information ``H J^-1 H`` of the pairs is ``3 n / (4 (n + 1))`` where independent pairs would claim ``n / 4``.
A duel keeps its weight of 1. Pairs of unequals depend less on each other: there the weight is on the safe side.

Source: V. P. Godambe (1960), "An optimum property of regular maximum likelihood estimation", Annals of Mathematical
Statistics 31; C. Varin, N. Reid, D. Firth (2011), "An overview of composite likelihood methods", Statistica Sinica 21.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from paragone.errors import InvalidEvidence
from paragone.ratings.evidence import MOST_WEIGHT, Bools, Evidence, Floats, Ints

NO_DOMAIN = -1
JUDGE = "debates"
"""Under what name debates enter a fit."""
PAIR_WEIGHT = "3 / (participants + 1)"
"""The rule of ``pair_weight``, in words."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class AgentVersions:
    """Versions and starting ratings of the agents of some debates.

    Attributes:
        version: Version of the agent in each entry of the debates, from 0, shape (entries,).
        current: Version of each agent now, shape (agents,).
        start: Starting rating of each agent less the pool's initial one, in Elo points; NaN for none, shape (agents,).
    """

    version: Ints
    current: Ints
    start: Floats

    @classmethod
    def none(cls, entries: int, agents: int) -> Self:
        """The history of agents that never changed and had no rating before."""
        return cls(
            version=np.zeros(entries, np.int64), current=np.zeros(agents, np.int64), start=np.full(agents, np.nan)
        )

    @property
    def says_nothing(self) -> bool:
        """Whether nobody changed or had a rating before."""
        return not self.current.any() and bool(np.isnan(self.start).all())

    def of_entries(self, selected: Bools) -> "AgentVersions":
        """The same of some entries alone."""
        return replace(self, version=self.version[selected])


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ScoreColumns:
    """What agents scored in debates, as columns: one entry for each agent in a debate, in any order.

    Attributes:
        agents: Names of the agents; entries name them by index.
        domains: Names of the domains.
        match: Index of the debate of each entry, shape (entries,).
        agent: Index into ``agents``.
        score: What the agent scored, any finite number.
        domain: Index into ``domains`` by debate, -1 for none, shape (debates,).
        confidence: How much each debate counts for, 0 or more; 1 is a full debate.
        history: Versions and starting ratings of the agents; None if nobody changed or had a rating before.
        lead: By debate of two, what speaks beside strengths for the one whose entry comes first, in nats; None for
            nothing.

    Raises:
        InvalidEvidence: If lengths differ, an index or a value is out of its range, a name comes twice, or an agent is
            in a debate twice.
    """

    agents: tuple[str, ...]
    domains: tuple[str, ...]
    match: Ints
    agent: Ints
    score: Floats
    domain: Ints
    confidence: Floats
    history: AgentVersions | None = None
    lead: Floats | None = None

    def __post_init__(self) -> None:
        if not self.match.shape == self.agent.shape == self.score.shape:
            raise InvalidEvidence("match, agent and score must be of one length")
        history = self.history
        if history is not None and not (
            history.version.shape == self.agent.shape
            and history.current.shape == history.start.shape == (len(self.agents),)
        ):
            raise InvalidEvidence("a history has a version of each entry, and a version and a rating of each agent")
        if self.lead is not None and self.lead.shape != self.domain.shape:
            raise InvalidEvidence(f"{self.domain.size} debates and {self.lead.size} leads")
        if self.domain.shape != self.confidence.shape:
            raise InvalidEvidence(f"{self.domain.size} domains and {self.confidence.size} confidences of debates")
        for names, what in ((self.agents, "an agent"), (self.domains, "a domain")):
            if len(set(names)) != len(names):
                raise InvalidEvidence(f"{what} is named twice")
        _check_range("match", self.match, 0, self.domain.size)
        _check_range("agent", self.agent, 0, len(self.agents))
        _check_range("domain", self.domain, NO_DOMAIN, len(self.domains))
        _refuse(~np.isfinite(self.score), "entry", "its score is not a finite number")
        _refuse(~((self.confidence >= 0) & (self.confidence <= MOST_WEIGHT)), "debate", "its confidence is negative")
        _, first, count = np.unique(self.match * len(self.agents) + self.agent, return_index=True, return_counts=True)
        twice = np.zeros(self.match.size, dtype=np.bool_)
        twice[first[count > 1]] = True
        _refuse(twice, "entry", "its agent is in the debate twice")

    @property
    def debates(self) -> Ints:
        """In how many debates against others each agent was, shape (agents,)."""
        size = np.bincount(self.match, minlength=self.domain.size)
        return np.bincount(self.agent[size[self.match] > 1], minlength=len(self.agents))

    def within(self, domain: str) -> "ScoreColumns":
        """The debates of one domain alone; none where nobody debated in it."""
        at = self.domains.index(domain) if domain in self.domains else len(self.domains)
        selected = self.domain[self.match] == at
        return replace(
            self,
            match=self.match[selected],
            agent=self.agent[selected],
            score=self.score[selected],
            history=None if self.history is None else self.history.of_entries(selected),
        )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ScorePairs:
    """Pairs of agents that met in a debate, the one with the lower index first; all arrays have shape (pairs,).

    Attributes:
        agents: How many agents there are.
        first: Index of one agent.
        second: Index of the other.
        score: Score of ``first``: 1, 0, or 0.5 for a tie.
        weight: How many independent comparisons the pair counts for.
        domain: Index of the domain, -1 for none.
        lead: What speaks for ``first`` beside strengths, in nats; None for nothing.
    """

    agents: int
    first: Ints
    second: Ints
    score: Floats
    weight: Floats
    domain: Ints
    lead: Floats | None = None

    @classmethod
    def of(cls, columns: ScoreColumns) -> "ScorePairs":
        """All pairs of all debates. A debate with one participant is no evidence."""
        # By debate and agent, so that pairs come out the same whatever the order of the entries.
        order = np.lexsort((columns.agent, columns.match))
        match, agent, score = columns.match[order], columns.agent[order], columns.score[order]
        size = np.bincount(match, minlength=columns.domain.size)
        start = np.cumsum(size) - size
        parts = [_places(start[size == count], int(count)) for count in np.unique(size[size > 1])]
        former, latter = np.concatenate([np.zeros((2, 0), np.int64), *parts], axis=1)
        debate = match[former]
        return cls(
            agents=len(columns.agents),
            first=agent[former],
            second=agent[latter],
            score=np.where(score[former] == score[latter], 0.5, score[former] > score[latter]),
            weight=columns.confidence[debate] * pair_weight(size[debate]),
            domain=columns.domain[debate],
            lead=None
            if columns.lead is None
            else np.where(order[former] < order[latter], 1.0, -1.0) * columns.lead[debate],
        )

    @property
    def tie(self) -> Bools:
        """Which pairs tied."""
        tied: Bools = self.score == 0.5
        return tied

    def evidence(self) -> Evidence:
        """The pairs as evidence for a fit, whatever their domain; it takes a fit without a position term."""
        return Evidence.from_arrays(
            max(self.agents, 1), self.first, self.second, self.score, weight=self.weight, judges=(JUDGE,)
        )


def pair_weight(participants: Ints) -> Floats:
    """For how many comparisons each pair of a debate counts, by the number of its participants."""
    weight: Floats = 3.0 / (participants.astype(np.float64) + 1.0)
    return weight


def _places(start: Ints, count: int) -> Ints:
    """Entries of all pairs of debates of one size, which begin at these entries, shape (2, pairs)."""
    pair = np.stack(np.triu_indices(count, 1))
    entries: Ints = (start[None, :, None] + pair[:, None, :]).reshape(2, -1)
    return entries


def _check_range(name: str, values: Ints, least: int, end: int) -> None:
    _refuse((values < least) | (values >= end), "row", f"its {name} lies outside of {least} to {end - 1}")


def _refuse(wrong: Bools, kind: str, text: str) -> None:
    """Raise for the first row that is wrong, naming it."""
    if wrong.any():
        raise InvalidEvidence(f"{kind} {int(np.argmax(wrong))}: {text}")
