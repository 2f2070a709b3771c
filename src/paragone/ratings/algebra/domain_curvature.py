"""Strengths by domain: the curvature in blocks that share the global strengths alone, and the optimum.

With ``H`` the curvature of one domain's debates, the block of its own parameters is ``B = 1 + tau^2 H`` with inverse
``V``. The domain's information about the global strengths is ``(1 - V) / tau^2``; the strengths there respond to the
global ones by ``V``; and ``tau^2 V`` is their covariance given those. So a step costs one inverse for each domain, of
the size of the agents in it, and no larger matrix is formed.

The optimum is found by Newton's method; a factor is used again for as long as it brings the gradient down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paragone.ratings.algebra.threads import lapack
from paragone.ratings.evidence import Floats
from paragone.ratings.model.domain_model import DomainModel, Field, FieldCurvature, Point, Scales
from paragone.ratings.model.posterior import TIE


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """One field's part of the curvature.

    Attributes:
        field: The debates.
        tau: Spread of the deviations there, in nats.
        curvature: Curvature of the debates.
    """

    field: Field
    tau: float
    curvature: FieldCurvature

    @cached_property
    def factor(self) -> Floats:
        """Lower Cholesky factor of ``B``, in Fortran's order."""
        matrix = np.asfortranarray(self.tau**2 * self.curvature.strengths)
        if matrix.size == 0:
            return matrix
        matrix[np.diag_indices_from(matrix)] += 1.0
        factor, failed = lapack().dpotrf(matrix, lower=1, overwrite_a=1, clean=1)
        if failed:
            raise np.linalg.LinAlgError("the curvature of a domain is not positive definite")
        result: Floats = factor
        return result

    @cached_property
    def inverse(self) -> Floats:
        """``V``."""
        if self.tau == 0.0:
            return np.eye(self.field.present.size)
        lower = lapack().dpotri(self.factor, lower=1)[0]  # above the diagonal are the factor's zeros
        inverse_matrix: Floats = lower + lower.T
        inverse_matrix[np.diag_indices_from(inverse_matrix)] /= 2
        return inverse_matrix

    @cached_property
    def with_tie(self) -> Floats:
        """``V`` times the curvature in strengths and the log tie parameter."""
        result: Floats = self.inverse @ self.curvature.with_tie
        return result

    @property
    def global_curvature(self) -> Floats:
        """What the field tells about the global strengths of those present."""
        if self.tau == 0.0:
            return self.curvature.strengths
        curvature = -self.inverse
        curvature[np.diag_indices_from(curvature)] += 1.0
        curvature /= self.tau**2
        return curvature

    @property
    def tie_curvature(self) -> float:
        """And about the log tie parameter."""
        return self.curvature.tie - self.tau**2 * float(self.curvature.with_tie @ self.with_tie)

    def log_determinant(self) -> float:
        """Of ``B``."""
        return 2.0 * float(np.log(np.diagonal(self.factor)).sum())

    def moved(self, shared: Floats, agents: int) -> Floats:
        """How the strengths of those present move with shared parameters, shape (present, ...)."""
        if self.tau == 0.0:
            return shared[self.field.present]
        response: Floats = self.inverse @ shared[self.field.present]
        if len(shared) > agents:
            response -= self.tau**2 * np.multiply.outer(self.with_tie, shared[agents])
        return response


class DomainCurvature:
    """The negative second derivative of a domain model's log posterior, factored."""

    def __init__(self, model: DomainModel, curvatures: Sequence[FieldCurvature], scales: Scales) -> None:
        self._model = model
        self._scales = scales
        self._blocks = tuple(
            Block(field=field, tau=tau, curvature=curvature)
            for field, tau, curvature in zip(model.fields, model.taus(scales), curvatures, strict=True)
        )

    @cached_property
    def _shared(self) -> Floats:
        """Lower factor of the curvature of what is shared, all deviations gone along."""
        agents = self._model.agents
        size = agents + int(self._model.ties)
        matrix = np.zeros((size, size), order="F")
        matrix[np.arange(agents), np.arange(agents)] = self._scales.spread**-2
        for block in self._blocks:
            everyone = block.field.present.size == agents
            rows = (slice(agents),) * 2 if everyone else np.ix_(block.field.present, block.field.present)
            matrix[rows] += block.global_curvature
            if self._model.ties:
                matrix[agents, block.field.present] += block.with_tie
                matrix[agents, agents] += block.tie_curvature
        if self._model.ties:
            matrix[agents, agents] += TIE.spread**-2
        factor, failed = lapack().dpotrf(matrix, lower=1, overwrite_a=1, clean=1)
        if failed:
            raise np.linalg.LinAlgError("the curvature of the global strengths is not positive definite")
        result: Floats = factor
        return result

    def log_determinant(self) -> float:
        """Natural logarithm of the determinant."""
        shared = 2.0 * float(np.log(np.diagonal(self._shared)).sum())
        return shared + sum(block.log_determinant() for block in self._blocks)

    def solve(self, right: Point) -> Point:
        """The solution of ``curvature @ x = right``."""
        agents, shared, inner = self._model.agents, right.shared.copy(), []
        for block, own in zip(self._blocks, right.own, strict=True):
            eased = block.inverse @ own
            inner.append(eased)
            if block.tau > 0.0:
                shared[block.field.present] -= (own - eased) / block.tau
                shared[agents:] -= block.tau * float(block.curvature.with_tie @ eased)
        solution = lapack().dpotrs(self._shared, shared, lower=1)[0]
        return Point(
            shared=solution,
            own=tuple(self._own(block, solution, eased) for block, eased in zip(self._blocks, inner, strict=True)),
        )

    def _own(self, block: Block, shared: Floats, eased: Floats) -> Floats:
        if block.tau == 0.0:
            return eased
        own: Floats = eased + (block.moved(shared, self._model.agents) - shared[block.field.present]) / block.tau
        return own

    def variances(self, field: int) -> Floats:
        """Of all agents' strengths in one field, shape (agents,)."""
        agents, block = self._model.agents, self._blocks[field]
        loadings = np.eye(len(self._shared), agents, order="F")
        loadings[:, block.field.present] = self._loadings(block)
        roots = lapack().dtrtrs(self._shared, loadings, lower=1, overwrite_b=1)[0]
        left_open = np.full(agents, block.tau**2)
        left_open[block.field.present] *= np.diagonal(block.inverse)
        result: Floats = (roots**2).sum(axis=0) + left_open
        return result

    def _loadings(self, block: Block) -> Floats:
        """What the strengths of those present take from each shared parameter, shape (shared, present)."""
        loadings = np.zeros((len(self._shared), block.field.present.size))
        loadings[block.field.present] = block.inverse
        loadings[self._model.agents :] = -(block.tau**2) * block.with_tie
        return loadings

    def shared_samples(self, normal: Floats) -> Floats:
        """Draws of the shared parameters less their optimum, from standard normals, shape (shared, draws)."""
        drawn: Floats = lapack().dtrtrs(self._shared, normal, lower=1, trans=1)[0]
        return drawn

    def samples(self, field: int, shared: Floats, normal: Floats) -> Floats:
        """Draws of all agents' strengths in one field, shape (agents, draws).

        Args:
            field: Which field.
            shared: From ``shared_samples``.
            normal: Standard normals, shape (agents, draws).
        """
        agents, block = self._model.agents, self._blocks[field]
        drawn = shared[:agents] + block.tau * normal
        present = block.field.present
        if present.size:
            own = lapack().dtrtrs(block.factor, normal[present], lower=1, trans=1)[0]
            drawn[present] = block.moved(shared, agents) + block.tau * own
        return drawn


_HALVINGS = 40
_ROUNDING = 1e-13
_FALL = 0.25


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DomainOptimum:
    """Where the log posterior of a domain model is highest.

    Attributes:
        scales: What it is the optimum under.
        point: The parameters.
        value: The log posterior there.
        curvature: Its negative second derivative there.
        gradient_norm: The largest component of the gradient.
        iterations: Newton steps taken.
        converged: Whether the gradient is as small as was asked.
    """

    scales: Scales
    point: Point
    value: float
    curvature: DomainCurvature
    gradient_norm: float
    iterations: int
    converged: bool

    @property
    def log_evidence(self) -> float:
        """Laplace's approximation to the log marginal likelihood."""
        return self.value - self.curvature.log_determinant() / 2


def climb(model: DomainModel, scales: Scales, start: Point, *, steps: int, tolerance: float) -> DomainOptimum:
    """Climb to the maximum of the log posterior; it is concave, so there is one.

    Args:
        model: The debates.
        scales: Held fixed.
        start: Where to start.
        steps: Newton steps allowed.
        tolerance: Bound on each component of the gradient, as a share of the weight that speaks of one agent.
    """
    bound = tolerance * (1.0 + model.total_weight)
    point, steps_taken = start, 0
    value, slope = model.slope(point, scales)
    curvature, fresh, norm = _curvature(model, point, scales), True, slope.size
    while norm > bound and steps_taken < steps:
        candidate, value, slope = _forward(model, scales, point, value, slope, curvature)
        stuck, fell = candidate is point, slope.size <= max(bound, _FALL * norm)
        point, norm, steps_taken = candidate, slope.size, steps_taken + 1
        if stuck and fresh:
            break
        fresh = not fell
        if not fell:
            curvature = _curvature(model, point, scales)
    return DomainOptimum(
        scales=scales,
        point=point,
        value=value,
        curvature=curvature if fresh else _curvature(model, point, scales),
        gradient_norm=norm,
        iterations=steps_taken,
        converged=norm <= bound,
    )


def _curvature(model: DomainModel, point: Point, scales: Scales) -> DomainCurvature:
    return DomainCurvature(model, model.curvatures(point, scales), scales)


def _forward(
    model: DomainModel, scales: Scales, point: Point, value: float, slope: Point, curvature: DomainCurvature
) -> tuple[Point, float, Point]:
    """The first of the full step, its half, its quarter, ... that does not go down."""
    step, share = curvature.solve(slope), 1.0
    for _ in range(_HALVINGS):
        candidate = point.ahead(step, share)
        reached, ahead = model.slope(candidate, scales)
        if reached >= value - _ROUNDING * (1.0 + abs(value)):
            return candidate, reached, ahead
        share /= 2
    return point, value, slope
