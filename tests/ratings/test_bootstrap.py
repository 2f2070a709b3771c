"""The bootstrap: one replicate by hand, matches drawn as wholes, and how often its intervals hold the truth."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.ratings import Evidence, FitOptions, draws, fit, rating_intervals
from paragone.ratings.bootstrap import Resampling, replicates
from paragone.ratings.evidence import PAD
from paragone.ratings.model_prior import centres
from paragone.ratings.side_differences import fit_styled
from paragone.ratings.side_information import ColumnGroup, fit_informed

ITEMS, SPREAD = 30, 1.5
SAID = FitOptions(position=False, repeats=False)


def votes(seed: int, count: int = 900, judges: int = 1) -> tuple[Evidence, np.ndarray]:
    """Verdicts of pairs from anywhere, with the strengths behind them."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(scale=SPREAD, size=ITEMS)
    first = rng.integers(ITEMS, size=count)
    second = (first + rng.integers(1, ITEMS, size=count)) % ITEMS
    latent = strength[first] - strength[second] + rng.logistic(size=count)
    score = np.where(np.abs(latent) < 0.2, 0.5, latent > 0)
    judge = rng.integers(judges, size=count)
    names = [f"j{number}" for number in range(judges)]
    return Evidence.from_arrays(ITEMS, first, second, score, judge=judge, judges=names), strength - strength.mean()


@pytest.mark.parametrize("judges", [1, 2])
@pytest.mark.parametrize("dense_limit", [1500, 0])
def test_a_replicate_is_the_fit_of_the_votes_that_were_drawn(judges, dense_limit):
    """By hand: the rows are drawn and repeated, and fitted from nothing under the spread and slopes of the whole."""
    evidence, _ = votes(3, judges=judges)
    options = FitOptions(position=False, repeats=False, slope=False, dense_limit=dense_limit)
    whole = fit(evidence, options)
    resampling = Resampling.of(whole, seed=7)
    drawn = np.random.default_rng([83, 7, 5]).integers(900, size=900)
    rows = {name: getattr(evidence, name)[drawn] for name in ("first", "second", "score", "judge")}
    listed = Evidence.from_arrays(ITEMS, **rows, judges=evidence.judges)
    given = FitOptions(position=False, repeats=False, slope=False, spread=whole.prior_spread)
    (replicate,) = replicates(resampling, [5])
    tolerance = 2e-6 if judges == 1 else 0.05  # of a panel, what is held of ties is that of the whole
    assert replicate == pytest.approx(fit(listed, given).strength, abs=tolerance)
    assert replicate == pytest.approx(replicate - replicate.mean(), abs=1e-7)


def test_a_replicate_depends_on_its_number_alone():
    resampling = Resampling.of(fit(votes(1)[0], SAID), seed=2)
    together = replicates(resampling, range(6))
    apart = np.concatenate([replicates(resampling, [number]) for number in reversed(range(6))])[::-1]
    assert (together == apart).all()
    assert np.abs(together[1:] - together[0]).max(axis=1).min() > 0.05
    assert replicates(resampling, []).shape == (0, ITEMS)


def columns(seed: int) -> tuple[ColumnGroup, ...]:
    """A column that counts, and one that is taken out."""
    values = np.random.default_rng(seed).normal(size=(2, ITEMS, 1))
    values = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    return (
        ColumnGroup(name="use", columns=("use",), values=values[0]),
        ColumnGroup(name="out", columns=("out",), values=values[1], counts=False),
    )


@pytest.mark.parametrize("kind", ["columns", "ratings", "differences"])
def test_a_replicate_in_which_every_vote_is_drawn_once_is_the_fit(kind):
    """All votes are one match, so that each drawing is all of them; the fit is an average over several priors."""
    evidence, truth = votes(4)
    options = FitOptions(position=False, repeats=False, no_signal=2 / 3)
    if kind == "columns":
        whole = fit_informed(evidence, columns(1), options).fit
    elif kind == "ratings":
        rated = truth + np.random.default_rng(2).normal(size=ITEMS)
        whole = fit_informed(evidence, [], options, centres(rated)).fit
    else:
        differences = np.random.default_rng(3).normal(size=(len(evidence), 1)).round(1)
        whole = fit_styled(replace(evidence, differences=differences), ["long"], options).fit
    assert whole.mode is not None
    assert len(whole.mode.parts) == {"columns": 2, "ratings": 9, "differences": 0}[kind]
    resampling = Resampling.of(whole, seed=1, match=np.zeros(len(evidence), np.int64))
    (replicate,) = replicates(resampling, [0])
    assert replicate == pytest.approx(whole.mode.strength, abs=1e-5)


def test_the_comparisons_of_a_match_are_drawn_together():
    """Each match is a pair in both orders; so a weight is the same in both."""
    first, second = np.arange(20) % 5, (np.arange(20) + 1) % 5
    both = np.stack([first, second], axis=1)
    evidence = Evidence.from_arrays(5, both.ravel(), both[:, ::-1].ravel(), np.tile([1.0, 0.0], 20))
    match = np.repeat(np.arange(20), 2)
    weights = np.array([Resampling.of(fit(evidence, SAID), 0, match=match).resampled(n).weight for n in range(50)])
    assert (weights[:, ::2] == weights[:, 1::2]).all()
    assert (weights.sum(axis=1) == 40).all()
    # Of 20 matches drawn 20 times, each is left out with probability .95 ** 20 = .358; 1000 cases, 4 standard errors.
    assert (weights[:, ::2] == 0).mean() == pytest.approx(0.95**20, abs=4 * np.sqrt(0.358 * 0.642 / 1000))


def test_a_row_of_counts_is_drawn_as_often_as_the_votes_that_it_stands_for():
    evidence = Evidence.from_arrays(3, [0, 1, 0], [1, 2, 2], [1, 1, 0], weight=[30.0, 60.0, 5.0])
    resampling = Resampling.of(fit(evidence, SAID), 4, votes=np.array([30, 60, 10]))
    weights = np.array([resampling.resampled(number).weight for number in range(2000)])
    assert weights @ [1, 1, 2] == pytest.approx(100)  # the last row's votes weigh a half each
    # Binomial: 100 draws, p = .3; and the mean of 2000.
    assert weights[:, 0].mean() == pytest.approx(30, abs=4 * np.sqrt(21 / 2000))
    assert weights[:, 0].var() == pytest.approx(21, rel=4 * np.sqrt(2 / 2000))


def test_rankings_cannot_be_resampled():
    evidence = Evidence.from_arrays(3, [0], [1], [1], rankings=[[0, 1, 2], [2, 1, PAD][:2]])
    with pytest.raises(ValueError, match="rankings"):
        Resampling.of(fit(evidence, SAID), 0)


def test_intervals_hold_the_truth_about_as_often_as_the_posteriors_do(deep):
    """15 pools of 30 items (five without --deep), 60 votes an item: 450 intervals of 90 %.

    Were they independent, a share of .90 had a standard error of .014. Strengths that are drawn towards each other vary
    less than what is known of them, and so the bootstrap's may hold the truth a little less often: here by the square
    of the standard error over that of the prior, (.32 / 1.5)^2 = 5 % of the variance, or 1 % of the share, and by as
    much again for the shift towards the mean. Bounds are four standard errors of fifteen pools and these 2 %.
    """
    held = np.zeros(2)
    width = np.zeros(2)
    pools = 15 if deep else 5
    for seed in range(pools):
        evidence, strength = votes(seed)
        whole = fit(evidence, SAID)
        by_posterior = rating_intervals(whole, 0.9, draws(whole, 500, np.random.default_rng(seed)))
        by_bootstrap = rating_intervals(whole, 0.9, replicates(Resampling.of(whole, seed), range(120)))
        for which, (low, high) in enumerate((by_posterior, by_bootstrap)):
            held[which] += ((low <= strength) & (strength <= high)).mean() / pools
            width[which] += (high - low).mean() / pools
    assert held[0] == pytest.approx(0.90, abs=0.056)
    assert held[1] == pytest.approx(0.90, abs=0.076)
    assert 0.85 < width[1] / width[0] < 1.05
