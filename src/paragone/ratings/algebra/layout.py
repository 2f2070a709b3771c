"""Which form of the model and of its curvature suits evidence: a full matrix, a sparse one, or passes over pairs."""

from paragone.ratings.algebra.curvature import DensePattern, Pattern
from paragone.ratings.algebra.pair_curvature import DensePairPattern, PairPattern
from paragone.ratings.algebra.sparse_curvature import SparsePattern
from paragone.ratings.evidence import Evidence
from paragone.ratings.fitted import FitOptions
from paragone.ratings.loops.compiled import available
from paragone.ratings.model.pair_model import PairModel, suits
from paragone.ratings.model.posterior import Model

MANY = 50_000
"""Comparisons that compiled loops take up faster than it takes to load them."""


def model_of(evidence: Evidence, options: FitOptions) -> Model:
    """The model: in pairs where there is much evidence of one kind, else row by row."""
    positioned = options.positioned(evidence.judges)
    large = evidence.item_count > options.dense_limit or (evidence.first.size >= MANY and available())
    if large and suits(evidence, slope=options.slope):
        return PairModel.of_pairs(evidence, positioned)
    return Model.of(evidence, positioned)


def pattern_of(model: Model, options: FitOptions) -> Pattern:
    """Where the entries of the model's curvature belong: a full matrix up to the limit asked for."""
    dense = model.dimension <= options.dense_limit
    if isinstance(model, PairModel):
        return DensePairPattern(model) if dense else PairPattern(model)
    if dense:
        return DensePattern(model.places, model.dimension)
    return SparsePattern(model.places, model.dimension)
