"""Strengths by domain: each agent's global one plus a deviation, which a Gaussian holds near 0.

An agent's strength in a domain is ``g + tau u`` with ``g ~ N(0, spread^2)`` for the agent and ``u ~ N(0, 1)`` for the
agent in the domain; debates without a domain are between the ``g``. It is the log posterior of ``likelihood.Model``
with a deviation for each agent of a row, one log tie parameter for all and no position term. With ``u`` in place of
the deviations nothing is singular where tau is 0.

Domains share the global strengths and the tie parameter alone, and so the curvature is solved in blocks. With ``H``
the curvature of one domain's debates in the strengths there, the block of its own parameters is ``B = 1 + tau^2 H``
with inverse ``V``. The domain's information about the global strengths is ``(1 - V) / tau^2``; the strengths there
respond to the global ones by ``V``; and ``tau^2 V`` is their covariance given those. So a step costs one inverse for
each domain, of the size of the agents in it. One matrix of all parameters takes 34 times as long for 100 agents in ten
domains.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.covariates import kinds_of_rows
from paragone.ratings.model.curvature import lapack
from paragone.ratings.model.likelihood import TIE_CENTER, Hyper, Likelihood, Model, Rows, totals
from paragone.ratings.score_pairs import ScorePairs


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DomainDebates:
    """The debates of one domain, or those without one.

    Attributes:
        rows: Its rows of evidence, which are sorted by domain.
        present: Index of each agent that debated here, ascending.
        first: Place in ``present`` of one agent of each row.
        second: Place of the other.
        own: Parameters of the deviations of those present.
        tau: Standard deviation of strengths here around the global ones, in nats; 0 for debates without a domain.
    """

    rows: slice
    present: Ints
    first: Ints
    second: Ints
    own: slice
    tau: float


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DomainModel(Model):
    """Debates laid out for global strengths and deviations from them.

    The parameters are the global strengths, the log tie parameter where anything tied, and the deviations over tau,
    domain by domain. Domains take the place of judges; 0 stands for debates without one. ``Derivatives.entries`` are
    the ``Likelihood.curvatures`` of the rows, and last the prior's precision.

    Attributes:
        domains: The debates by domain, those without one first.
        lead: What speaks for the first of each row beside strengths, in nats, shape (rows,).
    """

    domains: tuple[DomainDebates, ...]
    lead: Floats

    @classmethod
    def of_pairs(cls, pairs: ScorePairs, domains: int) -> "DomainModel":
        """The model of these pairs in so many domains, without deviations; see ``deviating``."""
        judges = tuple(map(str, range(domains + 1)))
        evidence, kind, lead = replace(pairs.evidence(), judge=pairs.domain + 1, judges=judges), None, np.zeros(1)
        if pairs.lead is not None:
            lead, kind = np.unique(pairs.lead, return_inverse=True)
        plain = Model.of(evidence, (), kind=kind)
        kinds = np.zeros(plain.rows.weight.size, np.int64) if kind is None else kinds_of_rows(evidence, kind)
        order = np.argsort(plain.rows.judge, kind="stable")
        rows = Rows(**{field.name: getattr(plain.rows, field.name)[order] for field in fields(Rows)})
        starts = np.searchsorted(rows.judge, np.arange(domains + 2)).tolist()
        end, parts = plain.item_count + int(rows.tied.any()), []
        for used in map(slice, starts, starts[1:]):
            ends = np.stack([rows.first[used], rows.second[used]])
            present, local = np.unique(ends, return_inverse=True)
            first, second = local.reshape(ends.shape)
            part = slice(end, end := end + present.size)
            parts.append(DomainDebates(rows=used, present=present, first=first, second=second, own=part, tau=0.0))
        tie = np.full(len(judges), plain.item_count if rows.tied.any() else end)
        absent = np.full(rows.weight.size, end)
        return cls(
            item_count=plain.item_count,
            dimension=end,
            rows=rows,
            slots=np.stack([rows.first, rows.second, absent, tie[rows.judge]], axis=1),
            rankings=plain.rankings,
            ranking_weight=plain.ranking_weight,
            position=np.full(len(judges), end),
            tie=tie,
            slope=plain.slope,
            ranking_judge=plain.ranking_judge,
            place=plain.place,
            ranking_place=plain.ranking_place,
            domains=tuple(parts),
            lead=lead[kinds[order]],
        )

    def deviating(self, tau: float) -> "DomainModel":
        """The same with deviations of this standard deviation, in nats."""
        nowhere, *domains = self.domains
        return replace(self, domains=(nowhere, *[replace(domain, tau=tau) for domain in domains]))

    @property
    def start(self) -> Floats:
        """All strengths equal."""
        theta = np.zeros(self.dimension + 1)
        theta[self.tie] = TIE_CENTER
        return theta[:-1]

    @property
    def shared(self) -> int:
        """How many parameters all domains share."""
        return self.dimension - sum(domain.present.size for domain in self.domains)

    def prior(self, hyper: Hyper) -> tuple[Floats, Floats]:
        """Mean and precision of each parameter before evidence: deviations are standard normal, before tau."""
        mean, precision = Model.prior(self, hyper)
        precision[self.shared :] = 1.0
        return mean, precision

    def _log_odds(self, theta: Floats, lever: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002 - tau is the lever
        log_odds = np.empty(self.rows.weight.size)
        for domain in self.domains:
            strength = theta[domain.present] + domain.tau * theta[domain.own]
            log_odds[domain.rows] = strength[domain.first] - strength[domain.second] + self.lead[domain.rows]
        tie = theta[self.item_count] if self.shared > self.item_count else -np.inf
        return log_odds, np.array(tie)

    def _compared(self, theta: Floats, hyper: Hyper, gradient: Floats) -> tuple[float, Callable[[], Floats]]:
        rows = Likelihood.at(self.rows, self.certainty(hyper), *self._log_odds(theta, self.lever))
        for domain in self.domains:
            by_lead, count = rows.by_lead[domain.rows], domain.present.size
            slope = totals(domain.first, by_lead, count) - totals(domain.second, by_lead, count)
            gradient[domain.present] += slope
            gradient[domain.own] += domain.tau * slope
        gradient[self.item_count : self.shared] += rows.by_tie.sum()
        return rows.value, lambda: rows.curvatures().ravel()

    def entries(self, theta: Floats, hyper: Hyper) -> Floats:
        """``Derivatives.entries`` at ``theta``."""
        return self.derivatives(theta, hyper).entries

    def strengths(self, theta: Floats, row: int) -> Floats:
        """Strengths of all agents in one domain; those who did not debate there have their global one.

        Args:
            theta: The parameters, shape (dimension,) or (dimension, draws).
            row: Index into ``domains``.
        """
        strength, domain = theta[: self.item_count].copy(), self.domains[row]
        strength[domain.present] += domain.tau * theta[domain.own]
        return strength


class DomainPattern:
    """Where the entries of a ``DomainModel`` belong."""

    rough = False
    lasting = True

    def __init__(self, model: DomainModel) -> None:
        self._model = model

    def curvature(self, entries: Floats) -> "DomainCurvature":
        return DomainCurvature(self._model, entries)


class Block:
    """One domain's part of the curvature.

    Attributes:
        domain: The domain.
        strengths: Curvature of its debates in the strengths of those present, ``H``.
        coupling: In a strength and the log tie parameter, shape (present,).
        tie: In the log tie parameter.
    """

    def __init__(self, domain: DomainDebates, strengths: Floats, coupling: Floats, tie: Floats) -> None:
        first, second, count = domain.first, domain.second, domain.present.size
        # Only differences enter, so H is the Laplacian of a weighted graph: minus a pair's curvature off the diagonal,
        # and on it what all pairs of an agent add up to.
        matrix = -totals(first * count + second, strengths, count**2).reshape(count, count)
        matrix += matrix.T
        matrix[np.diag_indices(count)] = totals(first, strengths, count) + totals(second, strengths, count)
        self.domain, self.strengths, self.tie = domain, matrix, float(tie.sum())
        self.coupling = totals(first, coupling, count) - totals(second, coupling, count)

    @cached_property
    def factor(self) -> Floats:
        """Lower Cholesky factor of ``B``, in Fortran's order."""
        matrix = np.asfortranarray(self.domain.tau**2 * self.strengths)
        matrix[np.diag_indices_from(matrix)] += 1.0
        return _factored(matrix)

    @cached_property
    def inverse(self) -> Floats:
        """``V``."""
        if self.domain.tau == 0.0 or not self.strengths.size:
            return np.eye(len(self.strengths))
        lower = lapack().dpotri(self.factor, lower=1)[0]  # above the diagonal are the factor's zeros
        inverse_matrix: Floats = lower + lower.T
        inverse_matrix[np.diag_indices_from(inverse_matrix)] /= 2
        return inverse_matrix

    @cached_property
    def with_tie(self) -> Floats:
        """``V`` times the curvature in strengths and the log tie parameter."""
        product: Floats = self.inverse @ self.coupling
        return product

    @property
    def global_curvature(self) -> Floats:
        """What the domain tells about the global strengths of those present."""
        if self.domain.tau == 0.0:
            return self.strengths
        # (1 - V) / tau^2 = H V = H - tau^2 H V H: what H leaves once the deviations are integrated out (the Schur
        # complement), without multiplying matrices.
        curvature = -self.inverse
        curvature[np.diag_indices_from(curvature)] += 1.0
        curvature /= self.domain.tau**2
        return curvature

    @property
    def tie_curvature(self) -> float:
        """And about the log tie parameter."""
        # The Schur complement again: deviations and tie parameter are coupled by tau times the coupling of the
        # strengths.
        return self.tie - self.domain.tau**2 * float(self.coupling @ self.with_tie)

    def log_determinant(self) -> float:
        """Of ``B``."""
        return 2.0 * float(np.log(np.diagonal(self.factor)).sum()) if self.domain.tau > 0.0 else 0.0

    def followed(self, shared: Floats, agents: int) -> Floats:
        """How the deviations answer to shared parameters, shape (present, ...)."""
        strength, tau = shared[self.domain.present], self.domain.tau
        if tau == 0.0:
            return np.zeros_like(strength)
        # The most likely u is -V (tau H g + tau c t), c the coupling; and tau V H = (1 - V) / tau.
        deviation: Floats = (self.inverse @ strength - strength) / tau
        if len(shared) > agents:
            deviation -= tau * np.multiply.outer(self.with_tie, shared[agents])
        return deviation


class DomainCurvature:
    """The curvature of a ``DomainModel``, in blocks."""

    def __init__(self, model: DomainModel, entries: Floats) -> None:
        self._model = model
        curvatures, self._precision = np.split(entries, [3 * model.rows.weight.size])
        by_row = curvatures.reshape(3, -1)
        self._blocks = tuple(Block(domain, *by_row[:, domain.rows]) for domain in model.domains)

    @cached_property
    def _shared(self) -> Floats:
        """Lower factor of the curvature of what is shared once all deviations are integrated out."""
        agents, size = self._model.item_count, self._model.shared
        matrix = np.zeros((size, size), order="F")
        matrix[np.diag_indices(size)] = self._precision[:size]
        for block in self._blocks:
            present = block.domain.present
            rows = (slice(agents),) * 2 if present.size == agents else np.ix_(present, present)
            matrix[rows] += block.global_curvature
            if size > agents:
                matrix[agents, present] += block.with_tie
                matrix[agents, agents] += block.tie_curvature
        return _factored(matrix)

    def log_determinant(self) -> float:
        shared = 2.0 * float(np.log(np.diagonal(self._shared)).sum())
        return shared + sum(block.log_determinant() for block in self._blocks)

    def solve(self, right: Floats) -> Floats:
        agents, shared, solution = self._model.item_count, right[: self._model.shared].copy(), np.empty_like(right)
        for block in self._blocks:
            domain, own = block.domain, right[block.domain.own]
            # Block elimination: the deviations' right side, eased by V, is taken off that of the shared ones through
            # tau H and tau c; and tau H V r = (r - V r) / tau.
            solution[domain.own] = eased = block.inverse @ own
            if domain.tau > 0.0:
                shared[domain.present] -= (own - eased) / domain.tau
                shared[agents:] -= domain.tau * float(block.coupling @ eased)
        solution[: shared.size] = shared = lapack().dpotrs(self._shared, shared, lower=1)[0]
        for block in self._blocks:
            solution[block.domain.own] += block.followed(shared, agents)
        return solution

    def step(self, gradient: Floats, accuracy: float) -> Floats:  # noqa: ARG002 - exact at no extra cost
        return self.solve(gradient)

    def samples(self, normal: Floats) -> Floats:
        drawn, size = normal.copy(), self._model.shared
        # First what is shared, by its marginal; then each domain's deviations given that, with covariance V. L^-T z has
        # the covariance (L L^T)^-1.
        drawn[:size] = lapack().dtrtrs(self._shared, normal[:size], lower=1, trans=1)[0]
        for block in self._blocks:
            own = block.domain.own
            if block.domain.tau > 0.0 and block.strengths.size:
                drawn[own] = lapack().dtrtrs(block.factor, normal[own], lower=1, trans=1)[0]
            drawn[own] += block.followed(drawn[:size], self._model.item_count)
        return drawn

    def strength_variances(self, row: int) -> Floats:
        """Of the strengths of all agents in one domain, whether they debated there or not, shape (agents,)."""
        agents, block = self._model.item_count, self._blocks[row]
        present, tau = block.domain.present, block.domain.tau
        # A strength here is g + tau u. Put in the most likely u of those present, it is V g - tau^2 V c t; what remains
        # of u adds tau^2 V. Others have g and a deviation that nothing is known of.
        loadings = np.eye(self._model.shared, agents, order="F")
        loadings[:, present] = 0.0
        loadings[np.ix_(present, present)] = block.inverse
        loadings[agents:, present] = -(tau**2) * block.with_tie
        roots = lapack().dtrtrs(self._shared, loadings, lower=1, overwrite_b=1)[0]
        unexplained = np.full(agents, tau**2)
        unexplained[present] *= np.diagonal(block.inverse)
        variances: Floats = (roots**2).sum(axis=0) + unexplained
        return variances


def _factored(matrix: Floats) -> Floats:
    """Lower Cholesky factor of a matrix in Fortran's order, which it overwrites."""
    if not matrix.size:  # LAPACK refuses it
        return matrix
    factor, failed = lapack().dpotrf(matrix, lower=1, overwrite_a=1, clean=1)
    if failed:
        raise np.linalg.LinAlgError("the curvature of strengths by domain is not positive definite")
    result: Floats = factor
    return result
