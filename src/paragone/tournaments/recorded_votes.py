"""``fit``: rank recorded comparisons without a judge and without a ledger; neither is loaded."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from paragone.analysis import board_rows
from paragone.analysis.leaderboard import reports_of_counts
from paragone.domain import Board, Choice, Goal, Item, JudgeReport, Rating, RatingConfig, Spending
from paragone.errors import InvalidVotes
from paragone.intake.vote import UNNAMED, Vote, VoteFields, VoteOptions
from paragone.intake.votes import read_votes
from paragone.ratings.columns import replay_arrays
from paragone.ratings.evidence import Evidence
from paragone.ratings.plain import one_way, plain_fit
from paragone.ratings.rule import EloRule
from paragone.tournaments.posterior import Posterior, fit_options, fit_posterior

_GOAL, _CONFIG = Goal(), RatingConfig()


def fit(
    votes: object,
    *,
    options: VoteOptions | None = None,
    goal: Goal = _GOAL,
    level: float = 0.95,
    seed: int = 0,
    config: RatingConfig = _CONFIG,
    advantage: float = 0.0,
    by_elo: bool = False,
    **fields: Unpack[VoteFields],
) -> Board:
    """Rank recorded comparisons, without a judge.

    Args:
        votes: A file, a data frame, a list of mappings, of tuples ``(a, b, winner)`` or ``(winner, loser)``.
        options: How to read the votes and what to take them for.
        goal: The ranking that the forecast is about.
        level: Probability that intervals are meant to hold.
        seed: Seeds the posterior draws.
        config: How the running Elo moves.
        advantage: Elo points that ``a`` is expected to play above its rating in the running Elo, such as at home. The
            strength has the position term for that.
        by_elo: Rank by the running Elo instead of the strength.
        fields: Fields of ``VoteOptions`` that replace those of ``options``: ``fit(votes, winner="best", plain=True)``.

    Returns:
        The board; its ``notes`` say how the votes were read.

    Raises:
        UsageError: Naming what is wrong with the votes, and where.
        NotConverged: If the fit does not converge; carries the partial fit.
    """
    chosen = replace(options or VoteOptions(), **fields)
    table = read_votes(votes, options=chosen)
    if not table:
        raise InvalidVotes("there is no vote to rank by: every row was empty or an abstention")
    position = chosen.position and table.has_order
    rule = EloRule(advantage=advantage)
    ids = _ids(table, in_order=position or advantage != 0.0)
    evidence = _evidence(table, ids)
    posterior = _posterior(ids, evidence, replace(chosen, position=position), goal, level, config, seed)
    judges = _reports(table, posterior) if position or posterior.slopes else ()
    records = _records(table, ids, evidence, config, rule)
    return Board(
        items=board_rows(tuple(Item(id=id, text=id) for id in ids), posterior.strengths, records, by_elo=by_elo),
        spending=Spending(decisions=len(table)),
        position_bias=judges[0].position_bias if judges else None,
        abstentions=table.abstentions,
        judges=judges,
        forecast=posterior.forecast,
        identified=posterior.fit.identified,
        level=level,
        stopped=f"{len(table)} recorded comparisons",
        seed=seed,
        method=_method(posterior, chosen),
        notes=table.notes,
    )


def _ids(votes: Sequence[Vote], *, in_order: bool) -> tuple[str, ...]:
    """The items as they first come; the two of a row by name where sides mean nothing, so that they change nothing."""
    pairs = ((vote.a, vote.b) for vote in votes)
    return tuple(dict.fromkeys(id for pair in pairs for id in (pair if in_order else sorted(pair))))


def _posterior(
    ids: tuple[str, ...],
    evidence: Evidence,
    options: VoteOptions,
    goal: Goal,
    level: float,
    config: RatingConfig,
    seed: int,
) -> Posterior:
    if not options.plain:
        terms = fit_options(evidence.judges, position=options.position, repeats=options.repeats)
        return fit_posterior(ids, evidence, goal=goal, level=level, initial=config.initial, seed=seed, options=terms)
    if options.l2 == 0.0:
        _refuse_one_way(ids, evidence)
    plain = plain_fit(evidence, options.l2)
    return Posterior(ids=ids, fit=plain, seed=seed, goal=goal, level=level, initial=config.initial)


def _refuse_one_way(ids: Sequence[str], evidence: Evidence) -> None:
    apart = one_way(evidence)
    if apart is None:
        return
    names = [repr(id) for id, lone in zip(ids, apart, strict=True) if lone]
    which = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    raise InvalidVotes(
        f"the plain model has no estimate without a penalty: none of the other items ever beat or tied {which}, so the "
        "distance is infinite; add a penalty (l2=0.01, --l2 0.01), or leave plain out"
    )


def _method(posterior: Posterior, options: VoteOptions) -> dict[str, Any]:
    if not options.plain:
        return posterior.method
    return posterior.method | {
        "name": "bradley-terry",
        "prior_spread": None if options.l2 == 0.0 else (2 * options.l2) ** -0.5,
        "spread": "none" if options.l2 == 0.0 else "given",
        "ties": "half a win",
        "l2": options.l2,
    }


def _evidence(votes: Sequence[Vote], ids: Sequence[str]) -> Evidence:
    index = {id: position for position, id in enumerate(ids)}
    judges = tuple(dict.fromkeys(vote.judge or UNNAMED for vote in votes))
    numbers = {judge: position for position, judge in enumerate(judges)}
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
        column = 2 if vote.score == 0.5 else 0 if vote.score > 0.5 else 1
        counts[vote.a][column] += 1
        counts[vote.b][(1, 0, 2)[column]] += 1
    return {
        id: Rating(item=id, elo=float(value), matches=sum(tally), wins=tally[0], losses=tally[1], ties=tally[2])
        for (id, tally), value in zip(counts.items(), elo, strict=True)
    }


def _reports(votes: Sequence[Vote], posterior: Posterior) -> tuple[JudgeReport, ...]:
    counts: defaultdict[str, Counter[Choice]] = defaultdict(Counter)
    for vote in votes:
        counts[vote.judge or UNNAMED][_choice(vote)] += 1
    return reports_of_counts(counts, posterior.positions, posterior.slopes)


def _choice(vote: Vote) -> Choice:
    if vote.score == 0.5:
        return Choice.TIE
    return Choice.FIRST if vote.score > 0.5 else Choice.SECOND
