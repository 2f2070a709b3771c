"""Quality checks of a tournament: the checks of ``analysis`` applied to its ledger and fit."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import overload

import numpy as np

from paragone.analysis.board_rows import judge_reports
from paragone.analysis.quality.anomalies import Fair, anomalies, unseen
from paragone.analysis.quality.contests import AnswerTable, Contests, FittedContests
from paragone.analysis.quality.cycles import tangles, transitivity
from paragone.analysis.quality.judge_quality import Habits, Took, agreement, rated
from paragone.analysis.quality.outliers import both_orders, chance_of_result, chances, outliers
from paragone.domain import Choice, Comparison, JudgeReport, Outcome
from paragone.domain.spending import NOTHING
from paragone.ledger import CHOICES, By, Ledger
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence, Floats
from paragone.ratings.fit_types import Fit
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import OUTCOMES, ComparisonTable, Flags, Ints, PackedMatches, item_numbers
from paragone.wire.consistency import Consistency, Swing

MOST_REFITS = 200_000
"""Answers times judges up to which there is a fit without each judge; above, each is compared with all of them."""
_CHOSEN = np.array([{Choice.FIRST: 1.0, Choice.TIE: 0.5}.get(choice, 0.0) for choice in CHOICES])
_SCORES = np.array([0.0 if outcome is Outcome.VOID else outcome.score for outcome in OUTCOMES])


def quality_of(ledger: Ledger, state: TournamentState) -> Consistency:
    """Run all checks on a tournament.

    Args:
        ledger: The ledger.
        state: The tournament.
    """
    predicted = prediction(state)
    contests, rng = predicted.contests, np.random.default_rng([state.settings.seed, len(predicted.contests)])
    agreements, consensus = agreements_of(state)
    ends = chances(predicted)
    return Consistency(
        tournament=state.id,
        matches=len(contests),
        left_out=len(state.matches) - len(contests),
        transitivity=transitivity(contests, rng, predicted),
        tangles=tangles(contests, rng, predicted.strength, chance=chance_of_result(predicted, ends)),
        outliers=outliers(predicted, ends),
        both_orders=both_orders(predicted),
        anomalies=_anomalies(ledger, state, predicted),
        judges=rated(_reports(state), took(ledger, state), habits_of(state.posterior.fit), agreements),
        consensus=consensus,
    )


def anomalies_of(ledger: Ledger, state: TournamentState) -> tuple[Swing, ...]:
    """Swings of the running Elo that fair results do not explain, and that are not in the queue yet.

    Args:
        ledger: The ledger.
        state: The tournament; its ``anomaly`` events name item and match of those found before.
    """
    queued = {
        (str(event.detail["item"]), str(event.detail["match"])) for event in state.events if event.kind == "anomaly"
    }
    return unseen(_anomalies(ledger, state, prediction(state)), queued)


def prediction(state: TournamentState) -> FittedContests:
    """What the fit predicts for valid matches between two items that have an answer."""
    posterior, played, table = state.posterior, state.played, state.comparison_table
    fitted = posterior.fit
    judge = _judges(table, fitted)
    matches_kept, answers_kept = _checkable(state, fitted, judge)
    number, sides = np.cumsum(matches_kept) - 1, item_numbers(played, state.ids)
    score = _SCORES[played.played.column("outcome")[matches_kept]]
    contests = Contests.of(
        state.ids,
        _Ids(played, np.flatnonzero(matches_kept)),
        sides[played.played.column("a")[matches_kept]],
        sides[played.played.column("b")[matches_kept]],
        score,
    )
    # Strengths include effects of single pairs and of drift; averaged over these, answers are less decided.
    stretch = fitted.repeats.stretch
    return FittedContests(
        contests=contests,
        answers=_answers(table, answers_kept, number[table.match[answers_kept]], judge[answers_kept], contests, fitted),
        draws=lambda: posterior.draws / (stretch * posterior.stretch),
        strength=fitted.strength / stretch,
    )


class _Ids(Sequence[str]):
    """Ids of some matches, which are made as they are asked for: of a long tournament few are."""

    def __init__(self, played: PackedMatches, rows: Ints) -> None:
        self._played, self._rows = played, rows

    def __len__(self) -> int:
        return self._rows.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._played.id(row) for row in self._rows[index].tolist()]
        return self._played.id(int(self._rows[index]))


def agreements_of(state: TournamentState) -> tuple[dict[str, tuple[float, int]], str]:
    """For each judge the share of its decided answers that agree with the consensus, and their number; and which."""
    by_judge: defaultdict[str, list[Comparison]] = defaultdict(list)
    all_comparisons = state.comparisons
    for comparison in all_comparisons:
        if comparison.verdict.choice.is_evidence:
            by_judge[comparison.verdict.judge].append(comparison)
    if len(by_judge) < 2:
        return {}, "none"
    if len(by_judge) * len(all_comparisons) > MOST_REFITS:
        strength = _by_id(state, state.posterior.fit.strength)
        return {judge: agreement(comparisons, strength) for judge, comparisons in by_judge.items()}, "all"
    evidence = Evidence.of(all_comparisons, state.ids)
    refits = {judge: _without(state, evidence, judge) for judge in by_judge}
    return {judge: agreement(comparisons, refits[judge]) for judge, comparisons in by_judge.items()}, "others"


def took(ledger: Ledger, state: TournamentState) -> dict[str, Took]:
    """What each judge's calls cost, and their answers, by identity."""
    counts: defaultdict[str, Counter[Choice]] = defaultdict(Counter)
    debates: Counter[str] = Counter()
    for match in state.matches:
        for answer in match.answers:
            counts[answer.verdict.judge][answer.verdict.choice] += 1
        if match.protocol.is_debate:
            debates.update({answer.verdict.judge for answer in match.answers})
    spent = ledger.tournaments.spending_by(state.id, By.WHO)
    return {
        judge: Took(
            answered=sum(tally[choice] for choice in Choice if choice.is_evidence),
            decided=tally[Choice.FIRST] + tally[Choice.SECOND],
            abstentions=tally[Choice.ABSTAIN],
            failures=spent.get(judge, NOTHING).failed,
            debates=debates[judge],
            cost=spent.get(judge, NOTHING).cost,
        )
        for judge, tally in counts.items()
    }


def habits_of(fitted: Fit) -> dict[str, Habits]:
    """The judges' parameters in a fit, by identity."""
    columns = zip(
        fitted.judges,
        fitted.slope.tolist(),
        (np.nan_to_num(fitted.position) / fitted.repeats.stretch).tolist(),
        fitted.tie.tolist(),
        fitted.dispersion.tolist(),
        strict=True,
    )
    return {judge: Habits(slope=s, position=p, tie=t, scatter=d) for judge, s, p, t, d in columns}


def _anomalies(ledger: Ledger, state: TournamentState, predicted: FittedContests) -> tuple[Swing, ...]:
    win, draw = predicted.ends(predicted.strength)
    fitted = state.posterior.fit
    fair = Fair(win=win, draw=draw, error=fitted.standard_error / fitted.repeats.stretch)
    return anomalies(predicted.contests, fair, ledger.ratings.each_change(state.id))


def _reports(state: TournamentState) -> tuple[JudgeReport, ...]:
    return judge_reports(state.comparison_table.counts(), state.posterior.positions, state.posterior.slopes)


def _judges(table: ComparisonTable, fitted: Fit) -> Ints:
    """The judge of each comparison by its number in the fit; -1 if it is not in the fit."""
    number_of = {judge: number for number, judge in enumerate(fitted.judges)}
    numbers = np.array([number_of.get(judge, -1) for judge in table.judges], dtype=np.int64)
    return numbers[table.judge] if numbers.size else table.judge.astype(np.int64)


def _checkable(state: TournamentState, fitted: Fit, judge: Ints) -> tuple[Flags, Flags]:
    """Matches whose answers have a likelihood under the fit, and these answers.

    Ties by a judge that states probabilities have none. Shapes (matches,) and (comparisons,).
    """
    table, played = state.comparison_table, state.played
    answers_kept = table.is_evidence
    ties = np.flatnonzero(table.choice == CHOICES.index(Choice.TIE))
    odd = ties[~np.isnan(table.probability[ties]) | ~np.isfinite(fitted.tie[judge[ties]])]
    matches_kept = np.bincount(table.match[answers_kept], minlength=len(played)) > 0
    matches_kept[table.match[odd]] = False
    matches_kept &= played.played.column("outcome") != OUTCOMES.index(Outcome.VOID)
    return matches_kept, answers_kept & matches_kept[table.match]


def _answers(
    table: ComparisonTable, answers_kept: Flags, match: Ints, judge: Ints, contests: Contests, fitted: Fit
) -> AnswerTable:
    soft, first = ~np.isnan(table.probability[answers_kept]), table.first[answers_kept]
    return AnswerTable(
        match=match,
        first=first,
        second=table.second[answers_kept],
        forward=first == contests.a[match],
        choice=_CHOSEN[table.choice[answers_kept]],
        slope=fitted.slope[judge],
        position=np.nan_to_num(fitted.position[judge]) / fitted.repeats.stretch,
        tie=np.where(soft, -math.inf, fitted.tie[judge]),
        scatter=np.where(soft, fitted.dispersion[judge], 0.0),
    )


def _without(state: TournamentState, evidence: Evidence, judge: str) -> dict[str, float]:
    """Strengths by all judges but one."""
    others = evidence.without_judge(judge)
    return _by_id(state, fit(others, state.fit_options(others.judges)).strength)


def _by_id(state: TournamentState, strength: Floats) -> dict[str, float]:
    return dict(zip(state.ids, strength.tolist(), strict=True))
