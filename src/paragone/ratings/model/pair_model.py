"""The log posterior of a large fit: the same as ``posterior.Model``, by passes over sorted pairs."""

import math
from collections.abc import Collection
from dataclasses import dataclass, fields

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.evidence import Bools, Evidence, Floats, Ints
from paragone.ratings.model.pairs import Pairs, Voice, listen
from paragone.ratings.model.posterior import TIE_CENTER, Derivatives, Hyper, Model
from paragone.ratings.model.sufficient import totals

MOST_COUPLED = 50_000_000
"""Most numbers that tie items to the judges' parameters; more judges than that allows go another way."""

_BLOCK = 1_000_000
_LOGISTIC = 2.9  # variance of the normal that a logistic distribution is nearest to, in nats squared


def suits(evidence: Evidence, *, slope: bool) -> bool:
    """Whether this evidence can be laid out in pairs: hard verdicts only, no orderings, no slopes of judges to find."""
    judges = len(evidence.judges)
    few = 2 * judges * evidence.item_count <= MOST_COUPLED and evidence.first.size < np.iinfo(np.int32).max
    plain = not evidence.soft.any() and not (evidence.ranking_weight > 0).any()
    return few and plain and (judges < 2 or not slope)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PairModel(Model):
    """Evidence of hard verdicts in pairs; it has no ``rows`` and no ``rankings``.

    ``Derivatives.entries`` are, one behind the other: the curvature of each pair, the pairs' part of each item's, that
    between each item and each column, that of the columns, and the prior's precision of each parameter. Columns are the
    parameters of the judges.

    Attributes:
        pairs: The comparisons.
        met: Weight of the comparisons of each item, shape (items,).
        judged: Weight of the comparisons of each judge.
    """

    pairs: Pairs
    met: Floats
    judged: Floats

    @classmethod
    def of_pairs(cls, evidence: Evidence, positioned: Collection[str]) -> "PairModel":
        """The model of evidence that ``suits``, with a position term for the judges named in ``positioned``."""
        pairs, judges, items = Pairs.of(evidence), len(evidence.judges), evidence.item_count
        heard = np.diff(pairs.starts[::items])[:judges] > 0
        asked = np.array([judge in positioned for judge in evidence.judges], dtype=np.bool_) & heard
        tying = pairs.judge_ties[:judges] > 0
        dimension = items + int(asked.sum() + tying.sum())
        met, judged = _weighed(pairs)
        bare = Model.of(_without_comparisons(evidence), ())
        return cls(
            **{field.name: getattr(bare, field.name) for field in fields(Model)}
            | {
                "dimension": dimension,
                "position": _numbered(asked, items, dimension),
                "tie": _numbered(tying, items + int(asked.sum()), dimension),
                "pairs": pairs,
                "met": met,
                "judged": judged[:judges],
            }
        )

    @property
    def columns(self) -> int:
        """How many parameters the judges have."""
        return self.dimension - self.item_count

    def total_weight(self, hyper: Hyper) -> float:  # noqa: ARG002 - of hard verdicts no dispersion takes any away
        """The largest sum of weights that speaks of one item: the scale of its gradient.

        What speaks of a judge may be millions of verdicts, and to add up so many costs digits: a thousandth is allowed.
        """
        return float(self.met.max() + self.judged.max(initial=0.0) / 1000)

    def guess(self, spread: float) -> Floats:
        """A first idea of the parameters, as if everyone had met opponents from anywhere, shape (dimension,).

        Averaged over opponents of this spread, the chance to win is about a logistic curve that is flatter by a root.
        Where all met their equals it says that they are equal, which does no harm.
        """
        theta = np.zeros(self.dimension)
        won, lost = self.met / 2 + self.pairs.lead, self.met / 2 - self.pairs.lead
        strength = math.sqrt(1 + spread**2 / _LOGISTIC) * np.log((won + 0.5) / (lost + 0.5))
        theta[: self.item_count] = strength - strength.mean()
        first, half = self.pairs.judge_lead[: self.judged.size], self.judged / 2
        flatter = math.sqrt(1 + 2 * spread**2 / _LOGISTIC)
        theta = np.append(theta, 0.0)
        theta[self.position] = flatter * np.log((half + first + 0.5) / (half - first + 0.5))
        theta[self.tie[self.tie < self.dimension]] = TIE_CENTER
        return theta[:-1]

    def derivatives(self, theta: Floats, hyper: Hyper) -> Derivatives:
        """The log posterior and its derivatives at ``theta``."""
        pairs, items, count = self.pairs, self.item_count, self.columns
        values = np.append(theta, 0.0)
        position, tie = values[self.position], values[self.tie]
        entries = np.empty(pairs.second.size + items * (1 + count) + count**2 + self.dimension)
        entries[pairs.second.size :] = 0.0
        bends, degree, coupling, columns, precision = self.parts(entries)
        gradient = np.append(np.append(pairs.lead, np.zeros(count)), 0.0)
        value = float(pairs.lead @ theta[:items])
        for judge in range(self.position.size):
            at, of_tie = self.position[judge], self.tie[judge]
            ties = tie[judge] if of_tie < self.dimension else -math.inf
            voice = listen(pairs, judge, theta[:items], float(position[judge]), float(ties), bends)
            gradient[:items] -= voice.lead
            gradient[at] += pairs.judge_lead[judge] - voice.sums[0]
            gradient[of_tie] += pairs.judge_ties[judge] - voice.sums[1]
            value += pairs.judge_lead[judge] * position[judge] + pairs.judge_ties[judge] * tie[judge]
            value -= voice.log_partition
            degree += voice.degree
            self._couple(voice, at - items, of_tie - items, coupling, columns)
        mean, precision[:] = self.prior(hyper)
        away = theta - mean
        log_prior = float(np.log(precision).sum() - precision @ away**2) / 2
        return Derivatives(
            value=value + log_prior,
            log_likelihood=value,
            gradient=gradient[:-1] - precision * away,
            entries=entries,
        )

    def _couple(self, voice: Voice, position: int, tie: int, coupling: Floats, columns: Floats) -> None:
        """Put in what one judge's parameters have to do with the items and with each other."""
        _, _, leaning, crossed, unsure = voice.sums
        if position < self.columns:
            coupling[:, position] += voice.leaning
            columns[position, position] += leaning
        if tie < self.columns:
            coupling[:, tie] += voice.tying
            columns[tie, tie] += unsure
        if position < self.columns and tie < self.columns:
            columns[position, tie] += crossed
            columns[tie, position] += crossed

    def parts(self, entries: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """The entries as views: of pairs, items, items and columns, columns, and the prior's precision."""
        pairs, items, count = self.pairs.second.size, self.item_count, self.columns
        bends, degree, coupling, columns, precision = np.split(
            entries, np.cumsum([pairs, items, items * count, count**2])
        )
        return bends, degree, coupling.reshape(items, count), columns.reshape(count, count), precision

    def contradicted(self, theta: Floats, evidence: Evidence) -> bool:
        """Whether anything goes against the parameters: a tie or an upset; see ``identification.contradicted``."""
        if self.pairs.judge_ties.any():
            return True
        theta = rounded(theta, STRENGTH_DECIMALS)
        position = np.append(theta, 0.0)[self.position]
        for start in range(0, evidence.first.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            gap = theta[evidence.first[part]] - theta[evidence.second[part]] + position[evidence.judge[part]]
            against = (evidence.score[part] - 0.5) * np.sign(gap) < 0.5
            if (against & (evidence.weight[part] > 0)).any():
                return True
        return False


def _weighed(pairs: Pairs) -> tuple[Floats, Floats]:
    """Weight of the comparisons of each item and of each judge."""
    own = np.add.reduceat(np.append(pairs.weight, 0.0), pairs.starts[:-1])
    own[np.diff(pairs.starts) == 0] = 0.0
    by_judge = own.reshape(pairs.judges, pairs.items)
    return by_judge.sum(axis=0) + totals(pairs.second.astype(np.int64), pairs.weight, pairs.items), by_judge.sum(axis=1)


def _without_comparisons(evidence: Evidence) -> Evidence:
    return Evidence.from_arrays(evidence.item_count, [], [], [], judges=evidence.judges)


def _numbered(chosen: Bools, start: int, absent: int) -> Ints:
    """Consecutive numbers from ``start`` for the chosen, ``absent`` for the others."""
    return np.where(chosen, start + np.cumsum(chosen) - 1, absent)
