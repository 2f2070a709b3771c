"""Strengths by domain, averaged over fits under different deviations: moments, and draws for ranks."""

from dataclasses import dataclass

import numpy as np

from paragone.domain.rounding import DRAW_DECIMALS, SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.ratings.algebra.domain_curvature import DomainCurvature
from paragone.ratings.evidence import Floats
from paragone.ratings.inference.deviation import Node
from paragone.ratings.model.domain_model import DomainModel, Point, Scales


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Mixture:
    """Strengths less the average of the pool, a row for what is global and one for each domain.

    Attributes:
        mean: Shape (rows, agents), in nats.
        variance: Within and between the fits, and what the uncertainty of the spread adds.
        draws: Shape (rows, draws, agents).
    """

    mean: Floats
    variance: Floats
    draws: Floats


def mixture(
    model: DomainModel, held: tuple[Node, ...], spread_error: float, count: int, rng: np.random.Generator
) -> Mixture:
    """The average over these fits.

    Args:
        model: The debates.
        held: The fits.
        spread_error: Standard error of the logarithm of the spread.
        count: How many draws.
        rng: Source of randomness, for the draws alone.
    """
    shape = (len(model.fields), model.agents)
    mean, square, draws = np.zeros(shape), np.zeros(shape), np.empty((shape[0], count, shape[1]))
    ends = np.round(rounded(np.cumsum([node.weight for node in held]), SHARE_DECIMALS) * count).astype(int)
    for node, start, end in zip(held, [0, *ends], ends, strict=False):
        at, curvature = _centred(model, node.point, node.scales), _curvature(model, node)
        along = spread_error * _drift(model, node, curvature)
        normal = rng.standard_normal((node.point.shared.size + 1, end - start))
        shared = curvature.shared_samples(normal[:-1])
        for row, tau in enumerate(model.taus(node.scales)):
            left_out = (node.scales.spread**2 + tau**2) / max(model.agents, 1)
            variance = np.maximum(curvature.variances(row) - left_out, 0.0) + along[row] ** 2
            mean[row] += node.weight * at[row]
            square[row] += node.weight * (variance + at[row] ** 2)
            away = curvature.samples(row, shared, rng.standard_normal((model.agents, end - start)))
            away -= away.mean(axis=0)
            draws[row, start:end] = (at[row][:, None] + away + np.outer(along[row], normal[-1])).T
    variance = np.maximum(square - mean**2, 0.0)
    return Mixture(mean=rounded(mean, STRENGTH_DECIMALS), variance=variance, draws=rounded(draws, DRAW_DECIMALS))


def _curvature(model: DomainModel, node: Node) -> DomainCurvature:
    return DomainCurvature(model, model.bends(node.point, node.scales), node.scales)


def _drift(model: DomainModel, node: Node, curvature: DomainCurvature) -> Floats:
    """How the strengths move with the logarithm of the spread, row by row."""
    pull = np.zeros_like(node.point.shared)
    pull[: model.agents] = 2 * node.point.shared[: model.agents] / node.scales.spread**2
    moved = curvature.solve(Point(shared=pull, own=tuple(np.zeros_like(own) for own in node.point.own)))
    return _centred(model, moved, node.scales)


def _centred(model: DomainModel, point: Point, scales: Scales) -> Floats:
    """Strengths of all agents less their mean, shape (rows, agents)."""
    rows = np.tile(point.shared[: model.agents], (len(model.fields), 1))
    for row, field, strength in zip(rows, model.fields, model.strengths(point, scales), strict=True):
        row[field.present] = strength
    centred: Floats = rows - rows.mean(axis=1, keepdims=True)
    return centred
