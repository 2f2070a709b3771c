"""Boards of an arena: by slice of the votes, and how often each item beat each other."""

from collections.abc import Sequence

import numpy as np

from paragone.domain import Slice, SliceReport, SliceRow, WinRates
from paragone.domain.rounding import POINT_DECIMALS, SHARE_DECIMALS, rounded
from paragone.errors import InvalidVotes
from paragone.intake.vote_extras import Slices
from paragone.ratings.domain_strength import DomainOptions, DomainStrengths, fit_domains
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.intervals import ELO_PER_NAT, to_elo
from paragone.ratings.score_pairs import ScoreColumns


def slice_report(
    evidence: Evidence,
    ids: Sequence[str],
    by: str,
    slices: Slices,
    *,
    level: float,
    initial: float,
    seed: int,
) -> SliceReport:
    """Boards by slice: one fit, in which an item's strength in a slice is its common one and a deviation.

    Args:
        evidence: The votes; probabilities count for the side that they favour.
        ids: Ids of the items.
        by: The column that cuts the votes.
        slices: Names of the slices, and the number of each vote's.
        level: Probability that intervals are meant to hold.
        initial: The rating of an average item, in Elo points.
        seed: Seeds the draws for intervals of ranks.
    """
    names, number = slices
    numbers = sorted(set(number.tolist()))
    names, number = tuple(names[at] for at in numbers), np.searchsorted(numbers, number)
    if len(names) < 2:
        raise InvalidVotes(f"all votes have the same {by!r}, so there are no slices (by, --by)")
    columns = _duels(evidence, ids, names, number)
    fitted = fit_domains(columns, DomainOptions(level=level), rng=np.random.default_rng([seed, len(ids)]))
    ends = rounded(ELO_PER_NAT * np.array([fitted.tau, fitted.tau_low, fitted.tau_high]), POINT_DECIMALS).tolist()
    spread, low, high = ends
    return SliceReport(
        by=by,
        slices=tuple(_slice(fitted, columns, at, level, initial) for at in range(len(names))),
        spread=spread,
        spread_low=low,
        spread_high=high,
    )


def _duels(evidence: Evidence, ids: Sequence[str], names: tuple[str, ...], number: Ints) -> ScoreColumns:
    match = np.repeat(np.arange(len(evidence)), 2)
    return ScoreColumns(
        agents=tuple(ids),
        domains=names,
        match=match,
        agent=np.stack([evidence.first, evidence.second], axis=1).ravel(),
        score=np.stack([evidence.score, 1.0 - evidence.score], axis=1).ravel(),
        domain=number.astype(np.int64),
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
    won, met = np.zeros((items, items)), np.zeros((items, items))
    for first, second, score in (
        (evidence.first, evidence.second, evidence.score),
        (evidence.second, evidence.first, 1.0 - evidence.score),
    ):
        np.add.at(won, (first, second), score)
        np.add.at(met, (first, second), 1.0)
    index = {id: at for at, id in enumerate(ids)}
    places = np.array([index[id] for id in order])
    won, met = won[np.ix_(places, places)], met[np.ix_(places, places)]
    return WinRates(ids=tuple(order), rates=_rates(won, met), votes=tuple(map(tuple, met.astype(int).tolist())))


def _rates(won: Floats, met: Floats) -> tuple[tuple[float | None, ...], ...]:
    shares = rounded(won / np.maximum(met, 1.0), SHARE_DECIMALS)
    return tuple(
        tuple(share if count else None for share, count in zip(row, counts, strict=True))
        for row, counts in zip(shares.tolist(), met.tolist(), strict=True)
    )
