"""Strengths that change: an agent's versions and periods, its starting rating, and its deviations by domain.

Each agent has a state for every version and period in which it debated, and for today. The first is normal with the
spread of the pool; of an agent with a starting rating, around a share of it, and with what that share leaves of the
variance: if a rating is a strength and an error, both the slope and the share of the variance explained are its
reliability. Each later one is normal around the one before, with a
variance of ``drift^2`` for each new version and ``walk^2`` for each period in between. In a domain a deviation of the
agent is added, the same in all of its states. So the strengths are ``mean + A z`` with ``z`` standard normal, and ``A``
has a column for each first state, each step, and each deviation. Nothing is singular where a scale is 0.

A log tie parameter, where anything tied, is one more row and column of ``A``. The likelihood is that of
``davidson.Davidson``.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.model.curvature import lapack
from paragone.ratings.model.likelihood import TIE, Likelihood, Rows, merge, totals
from paragone.ratings.score_pairs import JUDGE, AgentVersions, ScoreColumns, ScorePairs

_STEPS = 100
_HALVINGS = 40
_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Scales:
    """What strengths depend on.

    Attributes:
        spread: Standard deviation of first states, in nats.
        drift: Standard deviation of what a new version changes, in nats.
        walk: Standard deviation of what a period changes, in nats.
        tau: Standard deviation of deviations by domain, in nats.
        share: How much of a starting rating counts, from 0 to 1: its reliability.
    """

    spread: float
    drift: float = 0.0
    walk: float = 0.0
    tau: float = 0.0
    share: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class States:
    """The states of all agents, by agent, version and period.

    Attributes:
        agent: Index of the agent of each, shape (states,), ascending.
        version: Version of the agent, ascending for each.
        period: Period, ascending for each version.
        of_entry: State of each entry of the debates, shape (entries,).
        today: State of each agent now, shape (agents,).
    """

    agent: Ints
    version: Ints
    period: Ints
    of_entry: Ints
    today: Ints

    @classmethod
    def of(cls, columns: ScoreColumns, history: AgentVersions, every: int | None) -> Self:
        """The states in which agents debated, and those of today.

        Args:
            columns: The debates, in the order of record.
            history: Versions by entry and agent.
            every: Debates in a period; None for one period.
        """
        agents, debates = len(columns.agents), columns.domain.size
        period = np.zeros(columns.match.size, np.int64) if every is None else columns.match // every
        last = 0 if every is None else max(debates - 1, 0) // every
        keys = np.stack(
            [
                np.concatenate([columns.agent, np.arange(agents)]),
                np.concatenate([history.version, history.current]),
                np.concatenate([period, np.full(agents, last)]),
            ]
        )
        states, row_of = np.unique(keys, axis=1, return_inverse=True)
        row_of = row_of.reshape(-1)
        entries = columns.match.size
        return cls(
            agent=states[0], version=states[1], period=states[2], of_entry=row_of[:entries], today=row_of[entries:]
        )

    @property
    def first(self) -> Ints:
        """Where an agent's first state is, by state: True for the first; shape (states,)."""
        first: Ints = np.append(True, self.agent[1:] != self.agent[:-1])[: self.agent.size]
        return first


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Mode:
    """The most likely parameters under some scales.

    Attributes:
        scales: The scales.
        z: The parameters, standard normal before evidence, shape (parameters,).
        factor: Lower Cholesky factor of the curvature there.
        log_evidence: Laplace's approximation to the log marginal likelihood.
        gradient_norm: Largest component of the gradient.
        steps: Newton steps taken.
    """

    scales: Scales
    z: Floats
    factor: Floats
    log_evidence: float
    gradient_norm: float
    steps: int


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class MovingModel:
    """Debates laid out for strengths that change.

    Attributes:
        rows: The comparisons, between places.
        shown: Which parameters each place has, 0 or 1, shape (places, parameters). The last place is the tie parameter.
        start: Starting rating by place, 0 for none, in nats.
        versions: New versions that each step's parameter stands for, else 0, shape (parameters,).
        periods: Periods that it stands for.
        initial: Which parameters are first states.
        rated: Which of them are of agents with a starting rating.
        deviating: Which parameters are deviations.
        today: Which parameters the strengths of today have, shape (agents, parameters).
        today_start: Starting rating by agent, 0 for none.
        deviation: Parameter of each agent's deviation in each domain, -1 for none, shape (domains, agents).
    """

    rows: Rows
    shown: Floats
    start: Floats
    versions: Floats
    periods: Floats
    initial: Floats
    rated: Floats
    deviating: Floats
    today: Floats
    today_start: Floats
    deviation: Ints

    @classmethod
    def of(cls, columns: ScoreColumns, history: AgentVersions, *, every: int | None, domains: bool, nat: float) -> Self:
        """The model of these debates.

        Args:
            columns: The debates, in the order of record.
            history: Versions and starting ratings.
            every: Debates in a period of a random walk; None for strengths that new versions alone change.
            domains: Whether strengths deviate by domain; if not, all debates count alike.
            nat: Elo points in a nat.
        """
        states = States.of(columns, history, every)
        names = tuple(map(str, range(states.agent.size)))
        between = replace(columns, agents=names, agent=states.of_entry, history=None)
        pairs = ScorePairs.of(between)
        where = pairs.domain if domains else np.full(pairs.domain.size, -1)
        nodes, ends = np.unique(
            np.stack([np.concatenate([pairs.first, pairs.second]), np.concatenate([where, where])]),
            axis=1,
            return_inverse=True,
        )
        first, second = ends.reshape(2, -1)
        rows = merge(
            Evidence.from_arrays(
                max(nodes.shape[1], 1), first, second, pairs.score, weight=pairs.weight, judges=(JUDGE,)
            )
        )
        return cls._laid_out(rows, states, nodes, history.start / nat, len(columns.domains) if domains else 0)

    @classmethod
    def _laid_out(cls, rows: Rows, states: States, nodes: Ints, start: Floats, domains: int) -> Self:
        count, agents = states.agent.size, start.size
        of_states, rated = _loadings(states), ~np.isnan(start)
        state, domain = nodes
        start = np.nan_to_num(start)
        keys = np.unique(np.stack([domain, states.agent[state]])[:, domain >= 0], axis=1)
        deviation = np.full((domains, agents), -1)
        deviation[keys[0], keys[1]] = count + np.arange(keys.shape[1])
        ties = int(rows.tied.any())
        size = count + keys.shape[1] + ties
        shown = np.zeros((state.size + 1, size))
        shown[:-1, :count] = of_states[state]
        in_domain = np.flatnonzero(domain >= 0)
        shown[in_domain, deviation[domain[in_domain], states.agent[state[in_domain]]]] = 1.0
        shown[-1, size - ties :] = 1.0
        today = np.zeros((agents, size))
        today[:, :count] = of_states[states.today]
        steps = ~states.first
        return cls(
            rows=rows,
            shown=shown,
            start=np.append(start[states.agent[state]], 0.0),
            versions=_padded(np.where(steps, np.diff(states.version, prepend=0), 0), size),
            periods=_padded(np.where(steps, np.diff(states.period, prepend=0), 0), size),
            initial=_padded(states.first, size),
            rated=_padded(states.first & rated[states.agent], size),
            deviating=_padded(np.repeat([0, 1], [count, keys.shape[1]]), size),
            today=today,
            today_start=start,
            deviation=deviation,
        )

    @property
    def weight(self) -> float:
        """What all comparisons count for."""
        return float(self.rows.weight.sum())

    @property
    def has_ties(self) -> bool:
        """Whether anything tied."""
        return bool(self.shown[-1].any())

    def scale(self, scales: Scales) -> Floats:
        """What each parameter is multiplied by, shape (parameters,)."""
        variance = (
            scales.spread**2 * (self.initial - scales.share * self.rated)
            + scales.drift**2 * self.versions
            + scales.walk**2 * self.periods
            + scales.tau**2 * self.deviating
            + TIE.spread**2 * self.shown[-1]
        )
        root: Floats = np.sqrt(variance)
        return root

    def mean(self, scales: Scales) -> Floats:
        """Of each place before evidence, shape (places,)."""
        mean = scales.share * self.start
        mean[-1] = TIE.center
        return mean

    def mode(self, scales: Scales, z: Floats) -> Mode:
        """The most likely parameters, by Newton's method: the log posterior is concave.

        Args:
            scales: The scales.
            z: Where to begin.

        Raises:
            NotConverged: If the steps allowed do not suffice.
        """
        loadings, mean = self.shown * self.scale(scales), self.mean(scales)
        bound = _TOLERANCE * max(self.weight, 1.0)
        likelihood = self._likelihood(mean + loadings @ z)
        for step in range(_STEPS):
            gradient = loadings.T @ self._gradient(likelihood) - z
            factor = _factored(np.eye(z.size) + loadings.T @ (self._curvature(likelihood) @ loadings))
            norm = float(np.abs(gradient).max(initial=0.0))
            if norm <= bound:
                determinant = float(np.log(np.diagonal(factor)).sum())
                return Mode(
                    scales=scales,
                    z=z,
                    factor=factor,
                    log_evidence=likelihood.value - float(z @ z) / 2 - determinant,
                    gradient_norm=norm,
                    steps=step,
                )
            z, likelihood = self._climbed(z, _solved(factor, gradient), likelihood.value, loadings, mean)
        raise NotConverged(f"strengths that change did not converge in {_STEPS} steps", None)

    def _climbed(
        self, z: Floats, move: Floats, value: float, loadings: Floats, mean: Floats
    ) -> tuple[Floats, Likelihood]:
        """A step, halved until it does not descend."""
        before = value - float(z @ z) / 2
        for _ in range(_HALVINGS):
            after = z + move
            likelihood = self._likelihood(mean + loadings @ after)
            if likelihood.value - float(after @ after) / 2 >= before - 1e-12 * abs(before):
                break
            move = move / 2
        return after, likelihood

    def _likelihood(self, strength: Floats) -> Likelihood:
        log_odds = strength[self.rows.first] - strength[self.rows.second]
        tie = np.array(strength[-1] if self.has_ties else -math.inf)
        return Likelihood.at(self.rows, np.ones(log_odds.size), log_odds, tie)

    def _gradient(self, likelihood: Likelihood) -> Floats:
        """Of the log-likelihood, by place."""
        size, rows = len(self.shown), self.rows
        gradient: Floats = totals(rows.first, likelihood.by_lead, size) - totals(rows.second, likelihood.by_lead, size)
        gradient[-1] = likelihood.by_tie.sum()
        return gradient

    def _curvature(self, likelihood: Likelihood) -> Floats:
        """Negative second derivative of the log-likelihood, shape (places, places)."""
        size, rows = len(self.shown), self.rows
        of_lead, of_both, of_tie = likelihood.curvatures()
        # Only differences enter: the Laplacian of a weighted graph.
        matrix = -totals(rows.first * size + rows.second, of_lead, size * size).reshape(size, size)
        matrix += matrix.T
        matrix[np.diag_indices(size)] -= matrix.sum(axis=1)
        matrix[-1] = matrix[:, -1] = totals(rows.first, of_both, size) - totals(rows.second, of_both, size)
        matrix[-1, -1] = of_tie.sum()
        return matrix

    def strengths(self, scales: Scales, row: int) -> tuple[Floats, Floats, Floats]:
        """How the strengths of today follow from the parameters.

        Args:
            scales: The scales.
            row: 0 for what all domains share, d + 1 for domain d.

        Returns:
            Their means before evidence, shape (agents,); their loadings, shape (agents, parameters); and the variance
            of what no parameter stands for, since an agent did not debate in the domain, shape (agents,).
        """
        scale = self.scale(scales)
        loadings, agents = self.today * scale, len(self.today)
        beyond = np.zeros(agents)
        if row > 0:
            at = self.deviation[row - 1]
            present = np.flatnonzero(at >= 0)
            loadings[present, at[present]] = scale[at[present]]
            beyond[at < 0] = scales.tau**2
        return scales.share * self.today_start, loadings, beyond


def _loadings(states: States) -> Floats:
    """Which first states and steps each state adds up, shape (states, states)."""
    number = np.arange(states.agent.size)
    same = states.agent[:, None] == states.agent
    added: Floats = (same & (number <= number[:, None])).astype(np.float64)
    return added


def _padded(values: Ints, size: int) -> Floats:
    padded = np.zeros(size)
    padded[: values.size] = values
    return padded


def _factored(matrix: Floats) -> Floats:
    factor, _ = lapack().dpotrf(matrix, lower=1, clean=1)
    result: Floats = factor
    return result


def _solved(factor: Floats, right: Floats) -> Floats:
    solution: Floats = lapack().dpotrs(factor, right, lower=1)[0]
    return solution
