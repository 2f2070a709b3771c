"""Columns of items as a prior whose share the evidence chooses, and columns that must not count."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.errors import InvalidConfig, InvalidVotes
from paragone.ratings import Centre, ColumnGroup, Evidence, Fit, FitOptions, fit, fit_informed
from paragone.ratings.evidence import Floats
from paragone.ratings.inference.optimum import Ascent
from paragone.ratings.model.covariates import PriorShape, ShapedModel, StyledModel
from paragone.ratings.model.curvature import DensePattern
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.likelihood import Hyper, Model
from paragone.ratings.posterior_draws import draws
from paragone.ratings.side_differences import fit_styled
from paragone.ratings.side_information import MOST_ITEMS, shape_of

ITEMS = 24
BOARD = FitOptions(no_signal=2 / 3)


def standard(values: Floats) -> Floats:
    """Columns of mean 0 and standard deviation 1."""
    away = values - values.mean(axis=0)
    scaled: Floats = away / away.std(axis=0)
    return scaled


def world(seed: int, answers: int, share: float, items: int = ITEMS) -> tuple[Floats, Floats, Evidence]:
    """A column, strengths that go with it by this correlation, and answers of a noisy judge."""
    rng = np.random.default_rng(seed)
    column = standard(rng.standard_normal((items, 1)))
    truth = share * column[:, 0] + np.sqrt(1 - share**2) * rng.standard_normal(items)
    first = rng.integers(0, items, answers)
    second = (first + rng.integers(1, items, answers)) % items
    lead = (truth[first] - truth[second]) / 0.5 + 0.4 + rng.logistic(size=answers)
    score = np.where(abs(lead) < 0.35, 0.5, np.where(lead > 0, 1.0, 0.0))
    return column, truth, Evidence.from_arrays(items, first, second, score)


def group(values: Floats, name: str = "stars", *, counts: bool = True) -> ColumnGroup:
    columns = tuple(f"{name} {number}" for number in range(values.shape[1]))
    return ColumnGroup(name=name, columns=columns, values=values, counts=counts)


def agreement(strength: Floats, truth: Floats) -> float:
    """Kendall's tau."""
    return float((np.sign(np.subtract.outer(strength, strength)) * np.sign(np.subtract.outer(truth, truth))).mean())


def some_shape(items: int, mean: bool) -> PriorShape:
    rng = np.random.default_rng(3)
    shape = shape_of([group(standard(rng.standard_normal((items, 2))))], [0.8])
    assert shape is not None
    return replace(shape, mean=standard(rng.standard_normal((items, 1)))[:, 0] / 2) if mean else shape


def log_posterior(model: ShapedModel, theta: Floats, spread: float) -> float:
    """As it is written: the likelihood row by row, and the normal density of the strengths by a full covariance."""
    values = np.append(theta, 0.0)[model.slots]
    tie = np.where(model.slots[:, 3] < model.dimension, values[:, 3], -np.inf)
    outcome = Davidson.at(values[:, 0] - values[:, 1] + values[:, 2], tie)
    rows = model.rows
    ties = rows.tied * np.where(np.isfinite(tie), tie, 0.0)
    likelihood = float((rows.lead * (values @ [1, -1, 1, 0]) + ties - rows.weight * outcome.log_partition).sum())
    covariance = spread**2 * np.linalg.inv(model.shape.precision)
    away = theta[: model.item_count] - spread * model.shape.mean
    prior = -(away @ np.linalg.solve(covariance, away) + np.linalg.slogdet(covariance)[1]) / 2
    others, centers = theta[model.item_count :], np.array([0.0, -1.0])
    return float(likelihood + prior - ((others - centers) ** 2).sum() / 8 - 2 * np.log(2.0))


@pytest.mark.parametrize("mean", [False, True])
def test_value_and_derivatives_are_those_of_the_density_as_written(mean: bool) -> None:
    _, _, evidence = world(0, 60, 0.5)
    model = ShapedModel.around(Model.of(evidence, evidence.judges), some_shape(ITEMS, mean))
    theta, hyper = np.random.default_rng(1).standard_normal(model.dimension), Hyper(spread=1.3, dispersion=np.ones(1))
    at, nudge = model.derivatives(theta, hyper), 1e-5
    assert at.value == pytest.approx(log_posterior(model, theta, 1.3), abs=1e-9)
    units = np.eye(model.dimension)
    slopes = [
        (log_posterior(model, theta + nudge * unit, 1.3) - log_posterior(model, theta - nudge * unit, 1.3))
        / (2 * nudge)
        for unit in units
    ]
    assert at.gradient == pytest.approx(slopes, abs=1e-6)
    bends = [
        (
            model.derivatives(theta - nudge * unit, hyper).gradient
            - model.derivatives(theta + nudge * unit, hyper).gradient
        )
        / (2 * nudge)
        for unit in units
    ]
    full = DensePattern(model.places, model.dimension).full(at.entries)
    assert full == pytest.approx(np.array(bends), abs=1e-6)


@pytest.mark.parametrize("mean", [False, True])
def test_best_spread_is_where_the_evidence_is_highest(mean: bool) -> None:
    _, _, evidence = world(1, 120, 0.5)
    options = FitOptions(shape=some_shape(ITEMS, mean))
    best = fit(evidence, options)

    def height(factor: float) -> float:
        spread = best.prior_spread * factor
        prior = -((np.log(spread) - np.log(options.spread_center)) ** 2) / (2 * options.spread_width**2)
        return float(fit(evidence, replace(options, spread=spread)).log_evidence + prior)

    assert height(1.0) > max(height(0.99), height(1.01))
    assert height(1.01) - height(0.99) == pytest.approx(0.0, abs=1e-4)  # the slope is nothing


def test_independent_strengths_are_the_plain_fit() -> None:
    _, _, evidence = world(2, 90, 0.5)
    plain = fit(evidence, BOARD)
    same = fit(evidence, replace(BOARD, shape=PriorShape.of(np.eye(ITEMS))))
    assert same.strength == pytest.approx(plain.strength, abs=1e-8)
    assert same.standard_error == pytest.approx(plain.standard_error, abs=1e-8)
    assert same.no_signal == pytest.approx(plain.no_signal, abs=1e-6)
    drawn = [draws(each, 200, np.random.default_rng(0)) for each in (same, plain)]
    assert drawn[0].mean(axis=0) == pytest.approx(drawn[1].mean(axis=0), abs=1e-4)


def test_a_shape_with_a_column_is_the_model_with_a_coefficient() -> None:
    """t = e + z b with b of its own: the same likelihood, so the same strengths as by the covariance of t."""
    column, _, evidence = world(3, 120, 0.6)
    odds, spread = 0.8, 1.2
    shape = shape_of([group(column)], [odds])
    fitted = fit(evidence, FitOptions(shape=shape, spread=spread, position=False))
    # Newton on (e, b) together, ties as one more parameter.
    design = np.zeros((len(evidence), ITEMS + 1))
    design[np.arange(len(evidence)), evidence.first] += 1.0
    design[np.arange(len(evidence)), evidence.second] -= 1.0
    design[:, ITEMS] = column[evidence.first, 0] - column[evidence.second, 0]
    own = spread**2 / (1 + odds)
    # The average of all strengths has a variance that no comparison sees; it is left out on both sides.
    precision = np.diag([*np.full(ITEMS, 1 / own), 1 / (own * odds)])
    theta = np.zeros(ITEMS + 1)
    for _ in range(30):
        outcome = Davidson.at(design @ theta, np.full(len(evidence), fitted.tie[0]))
        gradient = design.T @ (evidence.score - 0.5 - outcome.margin / 2) - precision @ theta
        theta += np.linalg.solve(design.T @ (outcome.variance[:, None] * design) + precision, gradient)
    assert fitted.strength == pytest.approx(
        theta[:ITEMS] - theta[:ITEMS].mean() + theta[ITEMS] * column[:, 0], abs=1e-6
    )
    adjusted = fit_informed(evidence, [group(column, counts=False)], FitOptions(position=False))
    assert adjusted.fit.removed == pytest.approx(adjusted.effects[0].effect * column[:, 0], abs=1e-5)


def test_a_column_that_counts_makes_the_order_better() -> None:
    gains, counted = [], []
    for seed in range(4):
        column, truth, evidence = world(seed, 40, 0.7, items=40)
        informed = fit_informed(evidence, [group(column)], BOARD)
        gains.append(agreement(informed.fit.strength, truth) - agreement(informed.without.strength, truth))
        counted.append(informed.effects[0])
    assert np.mean(gains) > 0.05
    assert all(effect.effect > 0 for effect in counted)


def test_a_column_that_says_nothing_hardly_counts() -> None:
    _, truth, evidence = world(5, 240, 0.0)
    noise = standard(np.random.default_rng(9).standard_normal((ITEMS, 1)))
    informed = fit_informed(evidence, [group(noise)], BOARD)
    (effect,) = informed.effects
    assert effect.probability < 0.5
    assert abs(effect.effect) < effect.standard_error
    assert abs(agreement(informed.fit.strength, truth) - agreement(informed.without.strength, truth)) < 0.02
    assert informed.without.strength == pytest.approx(fit(evidence, BOARD).strength, abs=1e-9)


def test_the_order_of_columns_changes_nothing() -> None:
    column, _, evidence = world(6, 100, 0.6)
    other = standard(np.random.default_rng(2).standard_normal((ITEMS, 2)))
    groups = [group(column, "stars"), group(other, "age"), group(-column, "debt")]
    forward, backward = fit_informed(evidence, groups, BOARD), fit_informed(evidence, groups[::-1], BOARD)
    assert forward.fit.strength == pytest.approx(backward.fit.strength, abs=1e-8)
    assert forward.effects == (*backward.effects[3:], *backward.effects[1:3], backward.effects[0])


def test_a_column_that_must_not_count_is_taken_out() -> None:
    """A judge that likes length, and a truth that has nothing to do with it."""
    column, truth, evidence = world(7, 400, 0.0)
    rng = np.random.default_rng(7)
    lead = (truth[evidence.first] - truth[evidence.second]) / 0.5
    lead += 1.5 * (column[evidence.first, 0] - column[evidence.second, 0]) + rng.logistic(size=len(evidence))
    swayed = replace(evidence, score=np.where(lead > 0, 1.0, 0.0), tie=np.zeros(len(evidence), np.bool_))
    adjusted = fit_informed(swayed, [group(column, "length", counts=False)], BOARD)
    (effect,) = adjusted.effects
    assert abs(effect.effect - 1.5) < 2 * effect.standard_error
    assert not effect.counts
    assert agreement(adjusted.fit.strength, truth) > agreement(adjusted.without.strength, truth) + 0.1
    assert adjusted.fit.mode is not None
    drawn = draws(adjusted.fit, 2000, np.random.default_rng(0))
    assert drawn.std(axis=0) == pytest.approx(adjusted.fit.standard_error, rel=0.25)
    assert np.corrcoef(drawn.mean(axis=0), adjusted.fit.strength)[0, 1] > 0.99


def test_intervals_hold_as_often_as_they_say() -> None:
    inside = []
    for seed in range(12):
        column, truth, evidence = world(seed, 100, 0.6)
        informed = fit_informed(evidence, [group(column)], BOARD).fit
        away = 2 * (truth - truth.mean()) - informed.strength  # the judge's noise is half a unit: two nats a unit
        inside.append(np.abs(away) < 1.96 * informed.standard_error)
    assert 0.9 < np.mean(inside) <= 1.0


def test_priors_are_weighed_by_their_evidence() -> None:
    """A signed guess: strengths around the column or around its mirror image, and the evidence says which."""
    column, _, evidence = world(8, 60, 0.9)
    eye = np.eye(ITEMS)
    halves, mean = np.full(ITEMS, 0.5), np.sqrt(0.5) * column[:, 0]
    around = [Centre(mean=sign * mean, variance=halves, rest=0.5, log_weight=0.0) for sign in (1.0, -1.0)]
    average = fit_informed(evidence, [], BOARD, around).fit
    assert average.mode is not None
    weights = [part.weight for part in average.mode.parts]
    assert weights[0] > 0.99
    assert sum(weights) == pytest.approx(1.0)
    alone = fit(evidence, replace(BOARD, shape=PriorShape.of(0.5 * eye + 0.5 / ITEMS, mean)))
    assert average.strength == pytest.approx(alone.strength, abs=0.05)


def test_columns_around_a_centre_that_says_nothing_are_columns_alone() -> None:
    column, _, evidence = world(5, 80, 0.6)
    other = standard(np.random.default_rng(6).standard_normal((ITEMS, 1)))
    groups = [group(column), ColumnGroup(name="out", columns=("out",), values=other, counts=False)]
    nowhere = Centre(mean=np.zeros(ITEMS), variance=np.ones(ITEMS), rest=1.0, log_weight=0.0)
    alone, around = (fit_informed(evidence, groups, BOARD, centres) for centres in ((), (nowhere,)))
    assert around.fit.strength == pytest.approx(alone.fit.strength, abs=1e-6)
    assert around.fit.standard_error == pytest.approx(alone.fit.standard_error, abs=1e-6)
    assert [effect.effect for effect in around.effects] == pytest.approx([effect.effect for effect in alone.effects])


def test_what_a_centre_leaves_is_what_columns_can_explain() -> None:
    """Before any answer, by hand: strengths are the centre; the effect of a column has the variance that is left."""
    column = standard(np.random.default_rng(2).standard_normal((ITEMS, 1)))
    mean = standard(np.random.default_rng(3).standard_normal((ITEMS, 1)))[:, 0]
    out = ColumnGroup(name="out", columns=("out",), values=column, counts=False)
    centre = Centre(mean=0.8 * mean, variance=np.full(ITEMS, 0.36), rest=0.36, log_weight=0.0)
    informed = fit_informed(Evidence.from_arrays(ITEMS, [], [], []), [out], replace(BOARD, no_signal=0.0), [centre])
    spread = informed.fit.prior_spread
    assert informed.fit.strength == pytest.approx(spread * 0.8 * mean, abs=1e-6)
    (effect,) = informed.effects
    assert effect.effect == pytest.approx(0.0, abs=1e-6)
    assert effect.standard_error == pytest.approx(spread * np.sqrt(0.36 * 0.3 / 1.3), rel=0.02)


def test_nothing_to_say_is_the_plain_fit() -> None:
    _, _, evidence = world(9, 60, 0.5)
    plain: Fit = fit_informed(evidence, [], BOARD).fit
    assert np.array_equal(plain.strength, fit(evidence, BOARD).strength)


def test_before_any_answer_nothing_is_known_but_what_goes_together() -> None:
    column = standard(np.random.default_rng(0).standard_normal((ITEMS, 1)))
    none = Evidence.from_arrays(ITEMS, [], [], [])
    informed = fit_informed(none, [group(column)], BOARD).fit
    assert np.array_equal(informed.strength, np.zeros(ITEMS))
    order = np.argsort(column[:, 0])
    assert informed.covariance is not None
    assert informed.covariance[order[0], order[1]] > informed.covariance[order[0], order[-1]]


def test_groups_of_other_items_are_refused() -> None:
    _, _, evidence = world(9, 60, 0.5)
    with pytest.raises(ValueError, match="shape"):
        fit_informed(evidence, [group(np.ones((3, 1)))], BOARD)


def test_a_large_pool_is_fitted_by_answers_alone() -> None:
    items = MOST_ITEMS + 1
    first = np.arange(items - 1)
    evidence = Evidence.from_arrays(items, first, first + 1, np.ones(items - 1))
    large = fit_informed(evidence, [group(standard(np.random.default_rng(0).standard_normal((items, 1))))])
    assert large.effects == ()
    assert large.fit is large.without


def test_search_starts_from_the_plain_fit() -> None:
    """The ascent of the search ends where the fit under the same prior and spread does."""
    column, _, evidence = world(10, 100, 0.5)
    shape = shape_of([group(column)], [1.0])
    assert shape is not None
    exact = fit(evidence, FitOptions(shape=shape, spread=1.5))
    model = ShapedModel.around(Model.of(evidence, evidence.judges), shape)
    pattern = DensePattern(model.places, model.dimension)
    ascent = Ascent(model=model, pattern=pattern, theta=np.zeros(model.dimension), steps=50, tolerance=1e-10)
    optimum = ascent.to(Hyper(spread=1.5, dispersion=np.ones(1), panel=exact.panel))
    assert optimum.log_evidence == pytest.approx(exact.log_evidence, abs=1e-8)


def styled(seed: int, answers: int) -> Evidence:
    """Answers that also depend on two things in which the sides differ."""
    rng = np.random.default_rng(seed)
    _, _, evidence = world(seed, answers, 0.0, items=8)
    return replace(evidence, differences=rng.standard_normal((answers, 2)).round(1))


def test_derivatives_with_differences_are_those_of_the_value() -> None:
    evidence = styled(0, 40)
    model = StyledModel.of_styled(evidence, evidence.judges)
    theta, hyper = np.random.default_rng(1).standard_normal(model.dimension), Hyper(spread=1.3, dispersion=np.ones(1))
    at, nudge, units = model.derivatives(theta, hyper), 1e-5, np.eye(model.dimension)
    ends = [(model.derivatives(theta + nudge * u, hyper), model.derivatives(theta - nudge * u, hyper)) for u in units]
    assert at.gradient == pytest.approx([(a.value - b.value) / (2 * nudge) for a, b in ends], abs=1e-6)
    bends = np.array([(b.gradient - a.gradient) / (2 * nudge) for a, b in ends])
    assert DensePattern(model.places, model.dimension).full(at.entries) == pytest.approx(bends, abs=1e-6)
    # The likelihood is that of the plain model with each difference added to its log-odds.
    lead = theta[evidence.first] - theta[evidence.second] + theta[8] + evidence.differences @ theta[-2:]
    outcome = Davidson.at(lead, np.full(lead.size, theta[9]))
    chances = np.where(evidence.tie, outcome.tie, np.where(evidence.score > 0.5, outcome.first, outcome.second))
    assert at.log_likelihood == pytest.approx(float(np.log(chances).sum()), abs=1e-9)


def test_differences_turn_round_with_their_pair() -> None:
    """Where the order is not recorded, the same votes named the other way round are the same evidence."""
    evidence = styled(1, 80)
    turned = replace(
        evidence,
        first=evidence.second,
        second=evidence.first,
        score=1.0 - evidence.score,
        differences=-evidence.differences,
    )
    one, other = (fit_styled(each, ("a", "b"), FitOptions(position=False)) for each in (evidence, turned))
    assert one.fit.strength == pytest.approx(other.fit.strength, abs=1e-8)
    assert [effect.effect for effect in one.effects] == pytest.approx([effect.effect for effect in other.effects])


def test_differences_must_fit_the_comparisons() -> None:
    _, _, evidence = world(0, 10, 0.5)
    with pytest.raises(InvalidVotes, match="3 rows of differences for 10 comparisons"):
        replace(evidence, differences=np.ones((3, 1)))
    with pytest.raises(InvalidVotes, match="finite"):
        replace(evidence, differences=np.full((10, 1), np.nan))
    styled = replace(evidence, differences=np.ones((10, 1)))
    with pytest.raises(InvalidConfig, match="repeats=False"):
        fit(styled, FitOptions(repeats=True))
