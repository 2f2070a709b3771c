"""The door for those who have comparisons already: ``fit`` ranks them; no judge, no ledger, and neither is loaded."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypedDict, Unpack

import numpy as np

from paragone.analysis import board_rows
from paragone.analysis.agreement import reports_of_counts
from paragone.domain import Board, Choice, Goal, Item, JudgeReport, Rating, RatingConfig, Spending
from paragone.errors import InvalidVotes
from paragone.intake.vote import Vote, Votes
from paragone.intake.votes import read_votes
from paragone.ratings.columns import replay_arrays
from paragone.ratings.evidence import Evidence
from paragone.ratings.rule import EloRule
from paragone.tournaments.standing import Standing, stand

UNNAMED = "votes"
"""Who judged, where the votes do not say."""


class VoteOptions(TypedDict, total=False):
    """How recorded votes are ranked.

    Attributes:
        goal: The ranking that the forecast is about.
        level: Probability that intervals are meant to hold.
        seed: Seeds the posterior draws.
        position: Whether ``a`` was shown first, so that a position term can be told.
        config: How the running Elo moves.
        advantage: Elo points that ``a`` is expected to play above its rating in the running Elo, such as at home. The
            strength has the position term for that.
        by_elo: Rank by the running Elo instead of the strength.
    """

    goal: Goal
    level: float
    seed: int
    position: bool
    config: RatingConfig
    advantage: float
    by_elo: bool


def fit(
    votes: object,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    weight: str | None = None,
    judge: str | None = None,
    **options: Unpack[VoteOptions],
) -> Board:
    """Rank recorded comparisons, without a judge.

    Args:
        votes: A file, a data frame, a list of mappings, or of tuples ``(a, b, winner)``.
        a: Column of one side; found where nothing is said.
        b: Column of the other.
        winner: Column of the result: a, b, tie, left, right, an id, or a score of ``a`` in [0, 1].
        weight: Column of weights, where there is one.
        judge: Column that names who judged, where there is one.
        options: See ``VoteOptions``: goal, level, seed, position, config, advantage, by_elo.

    Raises:
        UsageError: Naming what is wrong with the votes, and where.
        NotConverged: If the fit does not converge; carries the partial fit.
    """
    table = read_votes(votes, a=a, b=b, winner=winner, weight=weight, judge=judge)
    return board_of_votes(table, **options)


def board_of_votes(votes: Sequence[Vote], **options: Unpack[VoteOptions]) -> Board:
    """Fit recorded votes and rank their items.

    Args:
        votes: Votes in the order in which they were cast; the running Elo depends on it, the strength does not.
        options: See ``VoteOptions``.

    Raises:
        InvalidVotes: If there is no vote.
        InvalidConfig: If the advantage is not a finite number.
    """
    if not votes:
        raise InvalidVotes("there is no vote to rank by: every row was empty or an abstention")
    config, position = options.get("config") or RatingConfig(), options.get("position", False)
    rule = EloRule(advantage=options.get("advantage", 0.0))
    level, seed = options.get("level", 0.95), options.get("seed", 0)
    ids = tuple(dict.fromkeys(id for vote in votes for id in (vote.a, vote.b)))
    evidence = _evidence(votes, ids)
    standing = stand(
        ids,
        evidence,
        goal=options.get("goal") or Goal(),
        level=level,
        initial=config.initial,
        seed=seed,
        position=position,
    )
    items = tuple(Item(id=id, text=id) for id in ids)
    judges = _reports(votes, standing) if position or standing.slopes else ()
    return Board(
        items=board_rows(
            items,
            standing.strengths,
            _records(votes, ids, evidence, config, rule),
            by_elo=options.get("by_elo", False),
        ),
        spending=Spending(decisions=len(votes)),
        position_bias=judges[0].position_bias if judges else None,
        abstentions=votes.abstentions if isinstance(votes, Votes) else 0,
        judges=judges,
        forecast=standing.forecast,
        identified=standing.fit.identified,
        level=level,
        stopped=f"{len(votes)} recorded comparisons",
        seed=seed,
        method=standing.method,
    )


def _evidence(votes: Sequence[Vote], ids: Sequence[str]) -> Evidence:
    index = {id: place for place, id in enumerate(ids)}
    judges = tuple(dict.fromkeys(vote.judge or UNNAMED for vote in votes))
    numbers = {judge: place for place, judge in enumerate(judges)}
    score = np.array([vote.score for vote in votes])
    tie = np.array([vote.tie for vote in votes])
    return Evidence.from_arrays(
        len(ids),
        first=np.array([index[vote.a] for vote in votes]),
        second=np.array([index[vote.b] for vote in votes]),
        score=score,
        tie=tie,
        soft=np.array([vote.probability is not None for vote in votes]),
        weight=np.array([vote.weight for vote in votes]),
        judge=np.array([numbers[vote.judge or UNNAMED] for vote in votes]),
        judges=judges,
    )


def _records(
    votes: Sequence[Vote], ids: Sequence[str], evidence: Evidence, config: RatingConfig, rule: EloRule
) -> dict[str, Rating]:
    advantage = np.full(len(votes), rule.advantage, dtype=np.float64)
    elo = replay_arrays(evidence.first, evidence.second, evidence.score, None, len(ids), config, advantage=advantage)
    counts = {id: [0, 0, 0] for id in ids}
    for vote in votes:
        place = 2 if vote.score == 0.5 else 0 if vote.score > 0.5 else 1
        counts[vote.a][place] += 1
        counts[vote.b][(1, 0, 2)[place]] += 1
    return {
        id: Rating(item=id, elo=float(value), matches=sum(tally), wins=tally[0], losses=tally[1], ties=tally[2])
        for (id, tally), value in zip(counts.items(), elo, strict=True)
    }


def _reports(votes: Sequence[Vote], standing: Standing) -> tuple[JudgeReport, ...]:
    counts: defaultdict[str, Counter[Choice]] = defaultdict(Counter)
    for vote in votes:
        counts[vote.judge or UNNAMED][_choice(vote)] += 1
    return reports_of_counts(counts, standing.positions, standing.slopes)


def _choice(vote: Vote) -> Choice:
    if vote.score == 0.5:
        return Choice.TIE
    return Choice.FIRST if vote.score > 0.5 else Choice.SECOND
