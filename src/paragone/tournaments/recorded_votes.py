"""``fit``: rank recorded comparisons without a judge and without a ledger; neither is loaded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from paragone.analysis.board_rows import board_rows, judge_reports
from paragone.domain import (
    UNORDERED,
    Board,
    Choice,
    Goal,
    Item,
    JudgeReport,
    Rating,
    RatingConfig,
    SideInformation,
    Spending,
)
from paragone.domain.text import counted
from paragone.errors import InvalidConfig, InvalidVotes
from paragone.intake.tool_exports import export_options
from paragone.intake.vote import UNNAMED, VoteFields, VoteOptions
from paragone.intake.vote_arrays import Bools, Floats, Ints, VoteArrays, read_vote_arrays
from paragone.intake.vote_counts import OnCounted, count_shards
from paragone.intake.vote_extras import Slices, slices
from paragone.ratings.elo_arrays import replay_arrays
from paragone.ratings.elo_rule import EloRule
from paragone.ratings.evidence import Evidence
from paragone.ratings.plain_bradley_terry import one_way, plain_fit
from paragone.ratings.side_information import ColumnGroup
from paragone.tournaments.bootstrap import OnReplicate, bootstrap_of, require_enough
from paragone.tournaments.fit_extras import NO_EXTRAS, VOTES_ALONE, FitExtras, FitFields, SideEvidence, with_fields
from paragone.tournaments.posterior import Posterior, fit_options, fit_posterior
from paragone.tournaments.results.remarks import completed
from paragone.tournaments.side_information import side_report

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
    bootstrap: int = 0,
    on: str | None = None,
    on_replicate: OnReplicate = lambda done, total: None,  # noqa: ARG005
    extras: FitExtras = NO_EXTRAS,
    **fields: Unpack[FitFields],
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
        bootstrap: How many times votes are drawn anew for bootstrap intervals beside those of the posterior; 0 for
            none.
        on: Where these are fitted. None is in this process, ``local`` on all processors of this machine,
            ``tcp://...`` by the workers of the Dask scheduler there.
        on_replicate: Called with how many of them are fitted, and how many there are.
        extras: What else is read, such as gold pairs and columns of the items, and what else is shown.
        fields: Fields of ``VoteOptions`` and of ``FitExtras`` that replace those of ``options`` and of ``extras``:
            ``fit(votes, winner="best", gold="gold.csv")``.

    Returns:
        The board; its ``notes`` say how the votes were read.

    Raises:
        UsageError: Naming what is wrong with the votes, and where.
        MissingExtra: If a cluster is asked for and Dask is not installed.
        ServerFailed: If the cluster does not answer.
        NotConverged: If the fit does not converge; carries the partial fit.
    """
    chosen, extras = with_fields(options or VoteOptions(), extras, fields)
    chosen = export_options(votes, chosen)
    _require_resampled(chosen, bootstrap, level)
    side = SideEvidence.of(votes, chosen, extras, bootstrap=bootstrap > 0)
    chosen = side.reading_votes(chosen)
    terms = _Terms(goal=goal, level=level, seed=seed, config=config)
    table = read_vote_arrays(votes, options=chosen)
    cut = None if extras.by is None else slices(votes, extras.by, chosen)
    ranked = _Ranked.of(table, None, chosen, terms, side, in_order=advantage != 0.0)
    first, second, score = ranked.evidence.first, ranked.evidence.second, ranked.evidence.score
    by_row = np.full(score.size, EloRule(advantage=advantage).advantage, dtype=np.float64)
    elo = replay_arrays(first, second, score, None, len(ranked.ids), config, advantage=by_row)
    board = completed(ranked.board(elo, by_elo=by_elo), ranked.posterior, extras.suggest_gold)
    board = ranked.arena(board, extras, cut)
    return ranked.resampled(board, bootstrap, on, on_replicate) if bootstrap else board


def fit_shards(
    files: Sequence[str | Path],
    *,
    on: str | None = None,
    options: VoteOptions | None = None,
    goal: Goal = _GOAL,
    level: float = 0.95,
    seed: int = 0,
    config: RatingConfig = _CONFIG,
    on_counted: OnCounted = lambda done, total: None,  # noqa: ARG005
    bootstrap: int = 0,
    on_replicate: OnReplicate = lambda done, total: None,  # noqa: ARG005
    **fields: Unpack[VoteFields],
) -> Board:
    """Rank the comparisons of several files, which together may be larger than memory.

    Each file is counted where it can be: by how many votes each pair was decided, and how. The fit is that of all
    votes, taken as independent of one another. The running Elo, which depends on the order of play, stays at its
    initial value.

    Args:
        files: The files, such as the .parquet or .csv shards of a large table.
        on: Where they are counted. None is one after the other in this process, ``local`` as many at once as this
            machine has processors, ``tcp://...`` by the workers of the Dask scheduler there.
        options: How to read the votes and what to take them for.
        goal: The ranking that the forecast is about.
        level: Probability that intervals are meant to hold.
        seed: Seeds the posterior draws.
        config: Of the scale only ``initial`` matters.
        on_counted: Called after each file with how many are counted, and how many there are.
        bootstrap: How many times votes are drawn anew for bootstrap intervals, and fitted in the same place; 0 for
            none.
        on_replicate: Called with how many of them are fitted, and how many there are.
        fields: Fields of ``VoteOptions`` that replace those of ``options``.

    Returns:
        The board; its ``notes`` say how the votes were read.

    Raises:
        UsageError: Naming what is wrong with the votes, and where.
        MissingExtra: If a cluster is asked for and Dask is not installed.
        ServerFailed: If the cluster does not answer.
        NotConverged: If the fit does not converge; carries the partial fit.
    """
    chosen = replace(options or VoteOptions(), **fields)
    _require_resampled(chosen, bootstrap, level)
    counts = count_shards(files, chosen, on=on, on_counted=on_counted)
    if not chosen.plain:
        chosen = replace(chosen, repeats=False)
    terms = _Terms(goal=goal, level=level, seed=seed, config=config)
    ranked = _Ranked.of(counts.arrays, counts.votes, chosen, terms, VOTES_ALONE, in_order=False)
    board = replace(ranked.board(np.full(len(ranked.ids), config.initial)), pairing=UNORDERED)
    return ranked.resampled(board, bootstrap, on, on_replicate) if bootstrap else board


def _require_resampled(options: VoteOptions, bootstrap: int, level: float) -> None:
    """Refuse a bootstrap that cannot be, before anything is read."""
    if not bootstrap:
        return
    if options.plain:
        raise InvalidConfig(
            "the plain model has no bootstrap: votes that are drawn anew often leave an item without a win, and so "
            "without an estimate; leave plain (--plain) out"
        )
    require_enough(bootstrap, level)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Terms:
    """On what terms votes are fitted: see ``fit``."""

    goal: Goal
    level: float
    seed: int
    config: RatingConfig


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Ranked:
    """Votes and the strengths that they lead to.

    Attributes:
        ids: Ids of the items.
        table: The votes.
        votes: How many votes each of its rows stands for; None for one.
        evidence: The evidence of these.
        posterior: The fit.
        options: What the votes were taken for.
        side: What is known of the items beside the votes.
        groups: The columns among it.
        units: What the effects of differences between the sides of votes are for, by their names.
    """

    ids: tuple[str, ...]
    table: VoteArrays
    votes: Ints | None
    evidence: Evidence
    posterior: Posterior
    options: VoteOptions
    side: SideInformation
    groups: tuple[ColumnGroup, ...]
    units: Mapping[str, str]

    @classmethod
    def of(
        cls,
        table: VoteArrays,
        votes: Ints | None,
        options: VoteOptions,
        terms: _Terms,
        side: SideEvidence,
        *,
        in_order: bool,
    ) -> "_Ranked":
        """Fit votes. ``in_order`` says whether something beside a position term depends on who was named first."""
        if not len(table):
            raise InvalidVotes("there is no vote to rank by: every row was empty or an abstention")
        position = options.position and table.has_order
        items = _items(table, in_order=position or in_order)
        voted = [table.names[item] for item in items.tolist()]
        ids = (*voted, *sorted(set(side.prior or ()).difference(voted)))
        evidence = side.beside(_evidence(table, items, len(ids)), table.row)
        read, groups = side.columns(ids)
        posterior = _posterior(ids, evidence, replace(options, position=position), terms, side, groups)
        return cls(
            ids=ids,
            table=table,
            votes=votes,
            evidence=evidence,
            posterior=posterior,
            options=options,
            side=read,
            groups=groups,
            units={each.name: each.unit for each in side.differences},
        )

    def board(self, elo: Floats, *, by_elo: bool = False) -> Board:
        """The board, with the running Elo of each item."""
        posterior, table = self.posterior, self.table
        has_terms = (self.options.position and table.has_order) or bool(posterior.slopes) or posterior.is_anchored
        judges = _reports(self.evidence, self.votes, posterior) if has_terms else ()
        items = tuple(Item(id=id, text=id) for id in self.ids)
        records = _records(self.ids, self.evidence, self.votes, elo)
        votes = len(table) if self.votes is None else int(self.votes.sum())
        rows = board_rows(items, posterior.strengths, records, by_elo=by_elo)
        return Board(
            items=rows,
            spending=Spending(decisions=votes),
            position_bias=judges[0].position_bias if judges else None,
            abstentions=table.abstentions,
            judges=judges,
            forecast=posterior.forecast,
            identified=posterior.fit.identified,
            level=posterior.level,
            stopped=counted(votes, "recorded comparison"),
            seed=posterior.seed,
            method=_method(posterior, self.options),
            notes=(*table.notes, *self.side.notes),
            side=side_report(posterior, [row.id for row in rows], self.side.notes, self.units),
        )

    def arena(self, board: Board, extras: FitExtras, cut: Slices | None) -> Board:
        """The board with boards by slice, and with how often each item beat each other, as far as asked for."""
        if cut is None and not extras.win_rates:
            return board
        from paragone.tournaments.arena import slice_report, taken_out, win_rates

        if extras.win_rates:
            board = replace(board, win_rates=win_rates(self.evidence, self.ids, [row.id for row in board.items]))
        if cut is None:
            return board
        posterior, slices = self.posterior, cut.of(self.table.row)
        report = slice_report(
            self.evidence,
            self.ids,
            slices,
            level=posterior.level,
            initial=posterior.initial,
            seed=posterior.seed,
            removal=taken_out(posterior, self.evidence, self.groups),
        )
        return replace(board, slices=report, notes=(*board.notes, *slices.notes, *self._not_in_slices(slices.by)))

    def _not_in_slices(self, by: str) -> tuple[str, ...]:
        """What the boards by slice leave out."""
        lines = []
        if any(effect.counts for effect in self.posterior.effects):
            lines.append(f"boards by {by} are by the votes: in them no column counts")
        if len(self.posterior.fit.judges) > 1:
            lines.append(f"boards by {by} take all judges for one")
        return tuple(lines)

    def resampled(self, board: Board, count: int, on: str | None, on_replicate: OnReplicate) -> Board:
        """The board with bootstrap intervals; each vote is a match."""
        posterior = self.posterior
        bootstrap = bootstrap_of(
            board, posterior, count, seed=posterior.seed, votes=self.votes, on=on, on_replicate=on_replicate
        )
        return replace(board, bootstrap=bootstrap)


def _items(votes: VoteArrays, *, in_order: bool) -> Ints:
    """The items as they first come; the two of a row by name where sides mean nothing, so that they change nothing."""
    first, second = votes.a, votes.b
    if not in_order:
        by_name = np.argsort(np.array(sorted(range(len(votes.names)), key=votes.names.__getitem__), np.int64))
        turned = by_name[first] > by_name[second]
        first, second = np.where(turned, second, first), np.where(turned, first, second)
    return _as_they_come(np.column_stack([first, second]).ravel(), len(votes.names))


def _as_they_come(numbers: Ints, count: int) -> Ints:
    """The different numbers below ``count``, in the order of their first places."""
    position = np.full(count, numbers.size)
    position[numbers[::-1]] = np.arange(numbers.size)[::-1]  # of several, the last is kept
    rows: Ints = np.flatnonzero(position < numbers.size)
    return rows[np.argsort(position[rows])]


def _posterior(
    ids: tuple[str, ...],
    evidence: Evidence,
    options: VoteOptions,
    terms: _Terms,
    side: SideEvidence,
    groups: Sequence[ColumnGroup],
) -> Posterior:
    if not options.plain:
        return fit_posterior(
            ids,
            evidence,
            goal=terms.goal,
            level=terms.level,
            initial=terms.config.initial,
            seed=terms.seed,
            options=fit_options(evidence.judges, position=options.position, repeats=options.repeats),
            gold=side.gold,
            by_panel=side.by_panel,
            groups=groups,
            differences=side.names,
            by_judge=bool(side.judge),
            prior=side.prior,
        )
    if options.l2 == 0.0:
        _refuse_one_way(ids, evidence)
    plain = plain_fit(evidence, options.l2)
    return Posterior(
        ids=ids, fit=plain, seed=terms.seed, goal=terms.goal, level=terms.level, initial=terms.config.initial
    )


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


def _evidence(votes: VoteArrays, items: Ints, count: int) -> Evidence:
    """The votes of these items, which are the first of ``count``."""
    index = np.zeros(len(votes.names), np.int64)
    index[items] = np.arange(items.size)
    numbers: dict[str, int] = {}
    judge = np.zeros(len(votes.judges), np.int64)
    for at in _as_they_come(votes.judge, len(votes.judges)).tolist():
        judge[at] = numbers.setdefault(votes.judges[at] or UNNAMED, len(numbers))
    return Evidence.from_arrays(
        count,
        first=index[votes.a],
        second=index[votes.b],
        score=votes.score,
        tie=votes.tie,
        soft=~votes.tie & (votes.score != 0.0) & (votes.score != 1.0),
        weight=votes.weight,
        judge=judge[votes.judge],
        judges=tuple(numbers),
    )


def _records(ids: Sequence[str], evidence: Evidence, votes: Ints | None, elo: Floats) -> dict[str, Rating]:
    won, lost = evidence.score > 0.5, evidence.score < 0.5

    def count(of_first: Bools, of_second: Bools) -> list[int]:
        sides = ((evidence.first, of_first), (evidence.second, of_second))
        each = [
            np.bincount(items[rows], None if votes is None else votes[rows], minlength=len(ids))
            for items, rows in sides
        ]
        return [int(total) for total in each[0] + each[1]]

    wins, losses, ties = count(won, lost), count(lost, won), count(~won & ~lost, ~won & ~lost)
    rows = zip(ids, elo.tolist(), wins, losses, ties, strict=True)
    return {
        id: Rating(item=id, elo=value, matches=win + loss + tie, wins=win, losses=loss, ties=tie)
        for id, value, win, loss, tie in rows
    }


def _reports(evidence: Evidence, votes: Ints | None, posterior: Posterior) -> tuple[JudgeReport, ...]:
    answers = {
        Choice.FIRST: evidence.score > 0.5,
        Choice.SECOND: evidence.score < 0.5,
        Choice.TIE: evidence.score == 0.5,
    }
    counts: dict[str, Counter[Choice]] = {judge: Counter() for judge in evidence.judges}
    for choice, rows in answers.items():
        column = np.bincount(evidence.judge[rows], None if votes is None else votes[rows], minlength=len(counts))
        for judge, count in zip(counts, column.tolist(), strict=True):
            if count:
                counts[judge][choice] = int(count)
    return judge_reports(counts, posterior.positions, posterior.slopes)
