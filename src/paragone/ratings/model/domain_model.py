"""Strengths by domain: each agent's global one plus a deviation, which a Gaussian holds near 0.

An agent's strength in a domain is ``g + tau u`` with ``g ~ N(0, spread^2)`` for the agent and ``u ~ N(0, 1)`` for the
agent in the domain; debates without a domain are between the ``g``. A pair's outcome follows Davidson's model, and one
log tie parameter is shared by all. The likelihood is that of ``posterior.Model`` without a position term; with ``u`` in
place of the deviations nothing is singular where tau is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.posterior import TIE, Davidson, totals
from paragone.ratings.score_pairs import NO_DOMAIN, ScorePairs


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class FieldCurvature:
    """The negative second derivative of one field's log-likelihood.

    Attributes:
        strengths: In the strengths of the agents there, shape (present, present).
        with_tie: In a strength and the log tie parameter, shape (present,).
        tie: In the log tie parameter.
    """

    strengths: Floats
    with_tie: Floats
    tie: float


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Field:
    """The debates of one domain, or those without one: one row for each two agents that met.

    Attributes:
        present: Index of each agent that debated here, ascending.
        first: Place in ``present`` of one agent of each pair, shape (rows,).
        second: Place of the other.
        weight: Sum of the weights.
        lead: Weighted sum of score - 1/2, from the first one's side.
        tied: Weight of the ties.
    """

    present: Ints
    first: Ints
    second: Ints
    weight: Floats
    lead: Floats
    tied: Floats

    @classmethod
    def of(cls, pairs: ScorePairs, domain: int) -> "Field":
        """The debates of this domain."""
        used = (pairs.domain == domain) & (pairs.weight > 0)
        keys, group = np.unique(pairs.first[used] * pairs.agents + pairs.second[used], return_inverse=True)
        ends = np.stack(np.divmod(keys, max(pairs.agents, 1)))
        present, local = np.unique(ends, return_inverse=True)
        first, second = local.reshape(ends.shape)
        weight, score, tie = pairs.weight[used], pairs.score[used], pairs.tie[used]
        return cls(
            present=present,
            first=first,
            second=second,
            weight=totals(group, weight, keys.size),
            lead=totals(group, weight * (score - 0.5), keys.size),
            tied=totals(group, weight * tie, keys.size),
        )

    def outcomes(self, strength: Floats, tie: float) -> tuple[Floats, Davidson]:
        """Differences in strength and the distributions of the outcomes, by row."""
        apart = strength[self.first] - strength[self.second]
        return apart, Davidson.at(apart, np.asarray(tie))

    def slope(self, strength: Floats, tie: float) -> tuple[float, Floats, float]:
        """Log-likelihood, its gradient in the strengths of those present, and in the log tie parameter."""
        apart, outcome = self.outcomes(strength, tie)
        ties = float(self.tied.sum()) * tie if np.isfinite(tie) else 0.0
        value = float(self.lead @ apart) + ties - float(self.weight @ outcome.log_partition)
        residual = self.lead - self.weight * outcome.margin / 2
        gradient = totals(self.first, residual, self.present.size) - totals(self.second, residual, self.present.size)
        return value, gradient, float(self.tied.sum()) - float(self.weight @ outcome.tie)

    def curvature(self, strength: Floats, tie: float) -> FieldCurvature:
        """The curvature at these strengths of those present."""
        count, outcome = self.present.size, self.outcomes(strength, tie)[1]
        between, with_tie_by_row = self.weight * outcome.variance, self.weight * outcome.covariance
        matrix = -totals(self.first * count + self.second, between, count**2).reshape(count, count)
        matrix += matrix.T
        diagonal = np.arange(count)
        matrix[diagonal, diagonal] = totals(self.first, between, count) + totals(self.second, between, count)
        return FieldCurvature(
            strengths=matrix,
            with_tie=totals(self.first, with_tie_by_row, count) - totals(self.second, with_tie_by_row, count),
            tie=float(self.weight @ outcome.tie_variance),
        )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Scales:
    """What strengths and deviations depend on.

    Attributes:
        spread: Standard deviation of the global strengths, in nats.
        tau: Standard deviation of the deviations from them, in nats.
    """

    spread: float
    tau: float


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Point:
    """Values of all parameters, or a direction among them.

    Attributes:
        shared: Global strengths, and behind them the log tie parameter where there are ties.
        own: Deviations over tau of those present, field by field.
    """

    shared: Floats
    own: tuple[Floats, ...]

    def ahead(self, step: "Point", share: float) -> "Point":
        """The point that lies a share of a step ahead."""
        own = tuple(value + share * direction for value, direction in zip(self.own, step.own, strict=True))
        return Point(shared=self.shared + share * step.shared, own=own)

    @property
    def size(self) -> float:
        """The largest component."""
        return max(float(np.abs(part).max(initial=0.0)) for part in (self.shared, *self.own))


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DomainModel:
    """Debates laid out for the parameters that they speak of.

    Attributes:
        agents: How many agents there are.
        fields: Debates by domain, those without one first; their deviations are none.
        ties: Whether anything tied: only then there is a log tie parameter.
    """

    agents: int
    fields: tuple[Field, ...]
    ties: bool

    @classmethod
    def of(cls, pairs: ScorePairs, domains: int) -> "DomainModel":
        """The model of these pairs in so many domains."""
        fields = tuple(Field.of(pairs, domain) for domain in range(NO_DOMAIN, domains))
        return cls(agents=pairs.agents, fields=fields, ties=any(field.tied.sum() > 0 for field in fields))

    @property
    def start(self) -> Point:
        """All strengths equal."""
        tie = [TIE.center] if self.ties else []
        return Point(
            shared=np.append(np.zeros(self.agents), tie), own=tuple(np.zeros(f.present.size) for f in self.fields)
        )

    @property
    def total_weight(self) -> float:
        """The largest sum of weights that speaks of one agent."""
        total = np.zeros(self.agents)
        for field in self.fields:
            for side in (field.first, field.second):
                total[field.present] += totals(side, field.weight, field.present.size)
        return float(total.max(initial=0.0))

    def taus(self, scales: Scales) -> Sequence[float]:
        """Tau of each field: the debates without a domain have none."""
        return (0.0, *[scales.tau] * (len(self.fields) - 1))

    def strengths(self, point: Point, scales: Scales) -> tuple[Floats, ...]:
        """Strengths of those present, field by field."""
        return tuple(
            point.shared[field.present] + tau * own
            for field, tau, own in zip(self.fields, self.taus(scales), point.own, strict=True)
        )

    def tie(self, point: Point) -> float:
        """The log tie parameter; -inf where nothing tied."""
        return float(point.shared[self.agents]) if self.ties else -np.inf

    def slope(self, point: Point, scales: Scales) -> tuple[float, Point]:
        """The log posterior, normalised but for powers of 2 pi, and its gradient."""
        agents, tie = self.agents, self.tie(point)
        strong = point.shared[:agents]
        value = -agents * float(np.log(scales.spread)) - float(strong @ strong) / (2 * scales.spread**2)
        shared, own = np.append(-strong / scales.spread**2, np.zeros(int(self.ties))), []
        if self.ties:
            value -= ((tie - TIE.center) / TIE.spread) ** 2 / 2 + float(np.log(TIE.spread))
            shared[agents] -= (tie - TIE.center) / TIE.spread**2
        rows = zip(self.fields, self.taus(scales), self.strengths(point, scales), point.own, strict=True)
        for field, tau, strength, deviation in rows:
            log_likelihood, gradient, tie_slope = field.slope(strength, tie)
            value += log_likelihood - float(deviation @ deviation) / 2
            shared[field.present] += gradient
            shared[agents:] += tie_slope
            own.append(tau * gradient - deviation)
        return value, Point(shared=shared, own=tuple(own))

    def curvatures(self, point: Point, scales: Scales) -> tuple[FieldCurvature, ...]:
        """Curvatures field by field."""
        tie = self.tie(point)
        strengths = self.strengths(point, scales)
        return tuple(field.curvature(strength, tie) for field, strength in zip(self.fields, strengths, strict=True))
