"""Boards of an arena: by slice of the votes, and how often each item beat each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from paragone.domain import Slice, SliceReport, SliceRow, WinRates
from paragone.domain.rounding import DRAW_DECIMALS, POINT_DECIMALS, SHARE_DECIMALS, rounded
from paragone.errors import InvalidVotes
from paragone.intake.vote_extras import Slices
from paragone.ratings.domain_strength import DomainOptions, DomainStrengths, fit_domains
from paragone.ratings.elo import ELO_PER_NAT, to_elo
from paragone.ratings.evidence import Evidence, Floats
from paragone.ratings.intervals import rank_intervals
from paragone.ratings.score_pairs import ScoreColumns
from paragone.ratings.side_information import ColumnGroup
from paragone.tournaments.posterior import Posterior


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class TakenOut:
    """What is taken out of the strengths of a fit.

    Attributes:
        values: What the first side of each vote has more of than the second, in units, shape (votes, kinds).
        effect: What a unit speaks for, in nats, shape (kinds,).
        error: Its standard error.
    """

    values: Floats
    effect: Floats
    error: Floats


def taken_out(posterior: Posterior, evidence: Evidence, groups: Sequence[ColumnGroup]) -> TakenOut | None:
    """What a fit took out of strengths, in its own votes; None for nothing.

    Args:
        posterior: The fit.
        evidence: Its votes.
        groups: The columns of its items.
    """
    effects = [effect for effect in posterior.effects if not effect.counts]
    if not effects:
        return None
    values = evidence.differences
    if not evidence.has_differences:
        columns = np.concatenate([group.values for group in groups if not group.counts], axis=1)
        values = columns[evidence.first] - columns[evidence.second]
    size, error = zip(*((effect.effect, effect.standard_error) for effect in effects), strict=True)
    return TakenOut(values=values, effect=np.array(size), error=np.array(error))


def slice_report(
    evidence: Evidence,
    ids: Sequence[str],
    slices: Slices,
    *,
    level: float,
    initial: float,
    seed: int,
    removal: TakenOut | None = None,
) -> SliceReport:
    """Boards by slice: one fit, in which an item's strength in a slice is its common one and a deviation.

    What is taken out of strengths is that of the whole: one effect for all slices, with its uncertainty.

    Args:
        evidence: The votes; probabilities count for the side that they favour.
        ids: Ids of the items.
        slices: The slice of each vote.
        level: Probability that intervals are meant to hold.
        initial: The rating of an average item, in Elo points.
        seed: Seeds the draws for intervals of ranks.
        removal: What is taken out; None for nothing.
    """
    if len(slices.names) < 2:
        raise InvalidVotes(f"all votes have the same {slices.by!r}, so there are no slices (by, --by)")
    columns = _duels(evidence, ids, slices)
    options = DomainOptions(level=level)

    def fitted_with(effect: Floats) -> DomainStrengths:
        duels = columns if removal is None else replace(columns, lead=removal.values @ effect)
        return fit_domains(duels, options, rng=np.random.default_rng([seed, len(ids)]))

    fitted = fitted_with(np.zeros(0) if removal is None else removal.effect)
    if removal is not None:
        shifted = [fitted_with(removal.effect + error).strength for error in np.diag(removal.error)]
        fitted = _widened(fitted, np.stack(shifted) - fitted.strength, np.random.default_rng([seed, len(ids), 1]))
    ends = rounded(ELO_PER_NAT * np.array([fitted.tau, fitted.tau_low, fitted.tau_high]), POINT_DECIMALS).tolist()
    spread, low, high = ends
    return SliceReport(
        by=slices.by,
        slices=tuple(_slice(fitted, columns, at, level, initial) for at in range(len(slices.names))),
        spread=spread,
        spread_low=low,
        spread_high=high,
    )


def _widened(fitted: DomainStrengths, shifted: Floats, rng: np.random.Generator) -> DomainStrengths:
    """Strengths with the uncertainty of effects, one standard error of which moves them so far.

    Args:
        fitted: Strengths given the effects.
        shifted: Shape (kinds, rows, items).
        rng: Source of the draws.
    """
    level = fitted.options.level
    error = np.sqrt(fitted.standard_error**2 + (shifted**2).sum(axis=0))
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    normal = rng.standard_normal((fitted.sample.shape[1], len(shifted)))
    sample = rounded(fitted.sample + np.einsum("kri,dk->rdi", shifted, normal), DRAW_DECIMALS)
    ranks = [rank_intervals(drawn, level, rank) for drawn, rank in zip(sample, fitted.rank, strict=True)]
    best, worst = np.stack(ranks, axis=1)
    return replace(
        fitted,
        standard_error=error,
        low=fitted.strength - reach,
        high=fitted.strength + reach,
        rank_low=best,
        rank_high=worst,
        sample=sample,
    )


def _duels(evidence: Evidence, ids: Sequence[str], slices: Slices) -> ScoreColumns:
    match = np.repeat(np.arange(len(evidence)), 2)
    return ScoreColumns(
        agents=tuple(ids),
        domains=slices.names,
        match=match,
        agent=np.stack([evidence.first, evidence.second], axis=1).ravel(),
        score=np.stack([evidence.score, 1.0 - evidence.score], axis=1).ravel(),
        domain=slices.number.astype(np.int64),
        confidence=evidence.weight.copy(),
    )


def _slice(fitted: DomainStrengths, columns: ScoreColumns, at: int, level: float, initial: float) -> Slice:
    row, name = at + 1, fitted.domains[at]
    votes = columns.within(name).debates
    apart = fitted.sample[row] - fitted.sample[0]
    tail = (1.0 - level) / 2.0
    away = np.stack([fitted.strength[row] - fitted.strength[0], *np.quantile(apart, [tail, 1.0 - tail], axis=0)])
    away[1], away[2] = np.minimum(away[1], away[0]), np.maximum(away[2], away[0])
    points = [to_elo(each[row], initial=initial) for each in (fitted.strength, fitted.low, fitted.high)]
    figures = rounded([*points, *(ELO_PER_NAT * away)], POINT_DECIMALS).T.tolist()
    ranks = np.stack([fitted.rank[row], fitted.rank_low[row], fitted.rank_high[row]], axis=1).tolist()
    rows = [
        SliceRow(
            id=id,
            rank=rank,
            rank_low=best,
            rank_high=worst,
            rating=rating,
            low=low,
            high=high,
            votes=count,
            apart=from_whole,
            apart_low=least,
            apart_high=most,
        )
        for id, count, (rank, best, worst), (rating, low, high, from_whole, least, most) in zip(
            fitted.agents, votes.tolist(), ranks, figures, strict=True
        )
    ]
    members = int(np.count_nonzero(columns.domain == at))
    return Slice(name=name, votes=members, rows=tuple(sorted(rows, key=lambda each: each.rank)))


def win_rates(evidence: Evidence, ids: Sequence[str], order: Sequence[str]) -> WinRates:
    """How often each item beat each other, ties as halves.

    Args:
        evidence: The votes.
        ids: Ids of the items.
        order: The same, best first.
    """
    items = len(ids)
    won, meetings = np.zeros((items, items)), np.zeros((items, items))
    for first, second, score in (
        (evidence.first, evidence.second, evidence.score),
        (evidence.second, evidence.first, 1.0 - evidence.score),
    ):
        np.add.at(won, (first, second), score)
        np.add.at(meetings, (first, second), 1.0)
    index = {id: at for at, id in enumerate(ids)}
    rows = np.array([index[id] for id in order])
    won, meetings = won[np.ix_(rows, rows)], meetings[np.ix_(rows, rows)]
    return WinRates(
        ids=tuple(order), rates=_rates(won, meetings), votes=tuple(map(tuple, meetings.astype(int).tolist()))
    )


def _rates(won: Floats, meetings: Floats) -> tuple[tuple[float | None, ...], ...]:
    shares = rounded(won / np.maximum(meetings, 1.0), SHARE_DECIMALS)
    return tuple(
        tuple(share if count else None for share, count in zip(row, counts, strict=True))
        for row, counts in zip(shares.tolist(), meetings.tolist(), strict=True)
    )
