"""Held-out votes of LLMFAO's crowd: what each model predicts of votes that it has not seen.

Each split hides some votes of the crowd and fits the rest. A vote may end left, right or as a tie.

- Two outcomes: the votes that were decided, and the probability that the left won, given that somebody did. Every
  model has one, so that all can be compared: accuracy and log loss.
- Three outcomes: all votes, with the probability of a tie as well, where a model has one (ours, Newman's, and the
  shares of the three in the training votes).

Models that know no ties take a tie as half a win for each, or leave ties out; both are shown. Log loss is in nats.
Differences are taken split by split, and have their standard error over splits. Splits share training votes, so these
errors are somewhat too small.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from rating_table import Table, absent, peer
from real_data import Ballots, llmfao

from paragone.ratings import FitOptions, fit

SCARCE = 5
"""Training votes an item where votes are scarce."""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Of each held-out vote.

    Attributes:
        left: Probability that the left wins, given that somebody does, shape (votes,).
        tie: Probability of a tie; None where a model has none.
    """

    left: np.ndarray
    tie: np.ndarray | None = None


@dataclass(frozen=True, kw_only=True)
class Split:
    """What is fitted and what is asked.

    Attributes:
        train: Votes of the crowd, as one judge.
        more: Votes of the models, beside it.
        voter: Who of the crowd cast each training vote.
        test: Votes of the crowd that are predicted.
        test_voter: Who casts them.
    """

    train: Ballots
    more: Ballots
    voter: np.ndarray
    test: Ballots
    test_voter: np.ndarray


Model = Callable[[Split], Prediction]

COLUMNS = (
    "model",
    "accuracy, decided",
    "log loss, decided",
    "less the first row's (decided)",
    "log loss, three outcomes",
    "less the first row's (three)",
    "CPU s a split",
)


def heldout(quick: bool) -> list[Table]:
    """Cross-validation over votes and over pairs of models, and random splits with few votes to train on."""
    votes, voter, _ = llmfao()
    crowd = np.flatnonzero(votes.judge == 0)
    rng = np.random.default_rng(1)
    folds = 3 if quick else 10
    few = SCARCE * votes.items
    by_vote = np.array_split(rng.permutation(crowd), folds)
    by_pair = [np.concatenate(part) for part in _dealt(_pairs(votes, crowd), folds, rng)]
    scarce = [(order[:few], order[few:]) for order in (rng.permutation(crowd) for _ in range(3 if quick else 20))]
    kinds = {
        f"Held-out votes of the crowd, {folds} folds": _against_the_rest(by_vote),
        f"Held-out pairs of models: no vote on them was seen, {folds} folds": _against_the_rest(by_pair),
        f"{few} votes to train on ({SCARCE} an item), the rest predicted, {len(scarce)} random splits": scarce,
    }
    models, notes = contenders()
    return [
        table(title, models, [_split(votes, voter, *pair) for pair in splits], notes) for title, splits in kinds.items()
    ]


def _pairs(votes: Ballots, which: np.ndarray) -> list[np.ndarray]:
    """The votes of each pair of models, whichever was on the left."""
    low, high = np.minimum(votes.left, votes.right)[which], np.maximum(votes.left, votes.right)[which]
    _, pair = np.unique(low * votes.items + high, return_inverse=True)
    return [which[pair == number] for number in range(pair.max() + 1)]


def _dealt(groups: list[np.ndarray], count: int, rng: np.random.Generator) -> list[list[np.ndarray]]:
    order = rng.permutation(len(groups))
    return [[groups[place] for place in order[start::count]] for start in range(count)]


def _against_the_rest(parts: Sequence[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each part as what is asked, all others as what is fitted."""
    return [
        (np.concatenate([other for place, other in enumerate(parts) if place != number]), part)
        for number, part in enumerate(parts)
    ]


def _split(votes: Ballots, voter: np.ndarray, train: np.ndarray, test: np.ndarray) -> Split:
    return Split(
        train=votes.at(train),
        more=votes.at(votes.judge > 0),
        voter=voter[train],
        test=votes.at(test),
        test_voter=voter[test],
    )


def contenders() -> tuple[dict[str, Model], list[str]]:
    """Every model by its name, ours first, and a note for each that is not there."""
    models: dict[str, Model] = {
        "paragone, the crowd with a position term": ours,
        "paragone, the same, each vote for a new one": partial(ours, repeats=False),
        "paragone, no position term": partial(ours, position=False),
        "paragone, each of the crowd a judge: ties": partial(each_voter, position=False, slope=False),
        "paragone, the same: ties and positions": partial(each_voter, position=True, slope=False),
        "paragone, the same: ties, positions and slopes": partial(each_voter, position=True, slope=True),
        "paragone, all three judges, no slopes": partial(ours, judges="all", slope=False),
        "paragone, all three judges": partial(ours, judges="all"),
        "paragone, GPT-4 and GPT-3.5 alone": partial(ours, judges="models"),
    }
    notes = []
    if peer("evalica") is not None:
        models |= {
            "evalica Bradley-Terry, ties half": partial(evalica_model, algorithm="bradley_terry", tie_weight=0.5),
            "evalica Bradley-Terry, ties left out": partial(evalica_model, algorithm="bradley_terry", tie_weight=0.0),
            "evalica Newman": partial(evalica_model, algorithm="newman"),
            "evalica Elo": partial(evalica_model, algorithm="elo"),
        }
    else:
        notes.append(absent("evalica"))
    if peer("choix") is not None:
        models |= {
            "choix ilsr_pairwise, ties half": partial(choix_model, algorithm="ilsr_pairwise", ties=True, alpha=0.01),
            "choix ilsr_pairwise, ties left out": partial(
                choix_model, algorithm="ilsr_pairwise", ties=False, alpha=0.01
            ),
            "choix opt_pairwise, ties left out": partial(choix_model, algorithm="opt_pairwise", ties=False, alpha=0.01),
        }
    else:
        notes.append(absent("choix"))
    return models | {"shares of the outcomes alone": shares}, notes


def ours(
    split: Split, *, position: bool = True, slope: bool = True, repeats: bool = True, judges: str = "crowd"
) -> Prediction:
    """The fit's mode, plugged in: of the crowd, of all judges, or of the models, who do not know the crowd's habits.

    Where the fit found that pairs have a say of their own, a vote is less decided than the strengths by themselves are.
    """
    parts = {"crowd": [split.train], "all": [split.train, split.more], "models": [split.more]}[judges]
    result = fit(joined(parts).evidence(), FitOptions(position=position, slope=slope, repeats=repeats))
    gap, asked = _gap(result.strength, split.test) / result.repeats.stretch, split.test.judge
    if judges == "models":
        return Prediction(left=_logistic(gap))
    bias = np.nan_to_num(result.position)[asked] / result.repeats.stretch
    return _davidson(gap * result.slope[asked] + bias, np.exp(result.tie[asked]))


def each_voter(split: Split, *, position: bool, slope: bool) -> Prediction:
    """The same with a term for ties, and others, of each person in the crowd; of somebody new, those of the crowd."""
    count = 1 + max(split.voter.max(), split.test_voter.max())
    names = tuple(f"voter {number}" for number in range(count))
    options = FitOptions(position=position, slope=slope)
    result = fit(replace(split.train, judge=split.voter, judges=names).evidence(), options)
    crowd = fit(split.train.evidence(), FitOptions(position=position))
    seen = np.bincount(split.voter, minlength=count) > 0
    bias = np.where(seen, result.position, crowd.position[0])[split.test_voter]
    tie = np.where(seen & np.isfinite(result.tie), result.tie, crowd.tie[0])[split.test_voter]
    sharp = np.where(seen, result.slope, 1.0)[split.test_voter]
    return _davidson(sharp * _gap(result.strength, split.test) + np.nan_to_num(bias), np.exp(tie))


def joined(parts: Sequence[Ballots]) -> Ballots:
    """Several votes as one."""
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("left", "right", "score", "judge")
    }
    return replace(parts[0], **columns)


def evalica_model(split: Split, *, algorithm: str, **options: float) -> Prediction:
    """evalica's scores with its defaults, except that it may go on until it has converged."""
    import evalica

    train = split.train
    names = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    if algorithm != "elo":
        options |= {"limit": 10_000, "tolerance": 1e-8}
    result = getattr(evalica, algorithm)(
        train.left.tolist(), train.right.tolist(), [names[score] for score in train.score.tolist()], **options
    )
    score = result.scores.reindex(range(train.items)).fillna(1000.0 if algorithm == "elo" else 1.0).to_numpy(float)
    if algorithm == "elo":
        return Prediction(left=_logistic(_gap(score * np.log(10.0) / 400.0, split.test)))
    gap = _gap(np.log(np.maximum(score, np.finfo(float).tiny)), split.test)
    return _davidson(gap, np.full(gap.size, 2 * result.v)) if algorithm == "newman" else Prediction(left=_logistic(gap))


def choix_model(split: Split, *, algorithm: str, ties: bool, alpha: float) -> Prediction:
    """choix's strengths, with a little of its regularisation; a tie is half a win for each, all counted twice."""
    import choix

    train, games = split.train, []
    for left, right, score in zip(train.left.tolist(), train.right.tolist(), train.score.tolist(), strict=True):
        if score == 0.5:
            games += [(left, right), (right, left)] if ties else []
        else:
            games += [(left, right) if score == 1.0 else (right, left)] * (2 if ties else 1)
    return Prediction(left=_logistic(_gap(getattr(choix, algorithm)(train.items, games, alpha=alpha), split.test)))


def shares(split: Split) -> Prediction:
    """Always the shares of left and tie among the training votes."""
    score, asked = split.train.score, len(split.test)
    decided = score[score != 0.5]
    return Prediction(left=np.full(asked, decided.mean()), tie=np.full(asked, np.mean(score == 0.5)))


def table(title: str, models: dict[str, Model], splits: Sequence[Split], notes: Sequence[str]) -> Table:
    """Means over the splits, and the differences to the first model."""
    rows, first = [], None
    for name, model in models.items():
        start = time.process_time()
        scores = np.array([measures(model(split), split.test.score) for split in splits])
        seconds = (time.process_time() - start) / len(splits)
        first = scores if first is None else first
        with np.errstate(invalid="ignore"):  # a model that was sure and wrong has an infinite loss
            apart = scores - first
            error = apart.std(axis=0, ddof=1) / np.sqrt(len(splits))
        accuracy, two, three = (_cell(float(value)) for value in scores.mean(axis=0))
        differences = [_difference(apart[:, place], error[place]) for place in (1, 2)]
        rows.append([name, accuracy, two, differences[0], three, differences[1], round(seconds, 4)])
    spread = first.std(axis=0, ddof=1) / np.sqrt(len(splits))
    said = f"Standard errors of the first row: accuracy {spread[0]:.4f}, log loss {spread[1]:.4f} and {spread[2]:.4f}."
    return Table(title=title, columns=COLUMNS, rows=rows, notes=(said, *notes), digits=4)


def measures(predicted: Prediction, score: np.ndarray) -> tuple[float, float, float]:
    """Accuracy and log loss of the decided votes, and log loss of all (NaN without a probability of ties).

    A model that holds the two for equal is right in half of such votes.
    """
    decided = score != 0.5
    left, won = predicted.left[decided], score[decided] == 1.0
    right = np.where(left == 0.5, 0.5, (left > 0.5) == won)
    with np.errstate(divide="ignore"):
        two = -np.log(np.where(won, left, 1 - left))
        if predicted.tie is None:
            return float(right.mean()), float(two.mean()), float("nan")
        three = -np.log(np.where(decided, 1 - predicted.tie, predicted.tie))
    return float(right.mean()), float(two.mean()), float((three.sum() + two.sum()) / score.size)


def _cell(value: float) -> float | str | None:
    if np.isnan(value):
        return None
    return round(value, 4) if np.isfinite(value) else "infinite"


def _difference(apart: np.ndarray, error: float) -> str | None:
    if not np.isfinite(apart).all() or not apart.any():
        return None
    return f"{apart.mean():+.4f} ± {error:.4f}"


def _gap(strength: np.ndarray, asked: Ballots) -> np.ndarray:
    return strength[asked.left] - strength[asked.right]


def _logistic(gap: np.ndarray) -> np.ndarray:
    return (1 + np.tanh(gap / 2)) / 2


def _davidson(gap: np.ndarray, tie: np.ndarray) -> Prediction:
    """Left, tie and right in the ratio exp(gap/2) : tie : exp(-gap/2)."""
    return Prediction(left=_logistic(gap), tie=tie / (2 * np.cosh(gap / 2) + tie))
