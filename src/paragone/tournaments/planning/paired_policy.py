"""The policy of a paired comparison: question by question both outputs meet in both orders, until a test is settled."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.sequential_test import EVEN, least_further, look, settled
from paragone.domain import Choice, Match, Order, PairedDesign, PairedLook, Pairing
from paragone.ledger import CHOICES, PlannedRound
from paragone.tournaments.planning.schedule import Plan, afforded
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings

Floats = NDArray[np.float64]

_SCORES = np.array([{Choice.FIRST: 1.0, Choice.TIE: EVEN}.get(choice, 0.0) for choice in CHOICES])
_TIE = CHOICES.index(Choice.TIE)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedQuestions:
    """The questions of a paired comparison. Items 2q and 2q + 1 are the new and the old output for question q.

    Attributes:
        order: The questions in the order in which they are drawn.
        identical: Whether both outputs for a question are the same, so that neither is better, shape (questions,).
        number: The number of each item.
    """

    order: tuple[int, ...]
    identical: tuple[bool, ...]
    number: Mapping[str, int]

    @classmethod
    def of(cls, state: TournamentState) -> "PairedQuestions":
        """The questions of a tournament."""
        texts = [item.text for item in state.items]
        return cls(
            order=drawn_order(len(texts) // 2, state.settings.seed),
            identical=tuple(new == old for new, old in zip(texts[::2], texts[1::2], strict=True)),
            number={id: at for at, id in enumerate(state.ids)},
        )

    def first_rounds(self, state: TournamentState) -> dict[int, int]:
        """The questions that were planned, each with the round in which it was first."""
        rounds: dict[int, int] = {}
        for past in state.rounds:
            for pairing in past.pairings:
                rounds.setdefault(self.number[pairing.items[0]] // 2, past.number)
        return rounds


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PairedScores:
    """The scores of a paired comparison so far.

    Attributes:
        questions: Questions with a score, in the order in which they count.
        scores: Their scores, the mean of both orders, shape (scored,).
        by_order: Whether each order of presentation had another winner, shape (scored,).
        identical: How many of them have the same output on both sides.
        unanswered: How many questions were asked and have no score.
    """

    questions: tuple[int, ...]
    scores: Floats
    by_order: NDArray[np.bool_]
    identical: int
    unanswered: int

    @classmethod
    def of(cls, state: TournamentState, draw: PairedQuestions | None = None) -> "PairedScores":
        """The scores of a tournament as it stands.

        Questions count in the order in which they are drawn, whichever was answered first. One whose answer came after
        those of later questions counts where it came, so that earlier looks stand.

        Args:
            state: The tournament.
            draw: Its questions, where they are known already.
        """
        draw = draw or PairedQuestions.of(state)
        first_rounds, answers = draw.first_rounds(state), _answers(state)
        newest = max((answer.round for answer in answers.values()), default=0)
        counting: list[tuple[int, bool, int, int]] = []
        round = 0
        for at, question in enumerate(draw.order):
            if not (draw.identical[question] or question in first_rounds):
                break
            round = first_rounds.get(question, round)
            answer = answers.get(question)
            if answer is not None:
                counting.append((answer.round, answer.is_late, at, question))
            elif draw.identical[question] and round <= newest:
                counting.append((round, False, at, question))
        questions = tuple(question for *_, question in sorted(counting))
        scored = [answers.get(question, _IDENTICAL) for question in questions]
        identical = sum(draw.identical[question] for question in questions)
        return cls(
            questions=questions,
            scores=np.array([answer.score for answer in scored]),
            by_order=np.array([answer.by_order for answer in scored], np.bool_),
            identical=identical,
            unanswered=len(first_rounds) - (len(questions) - identical),
        )


def drawn_order(questions: int, seed: int) -> tuple[int, ...]:
    """The questions in the order in which they are drawn, so that the first of them are a sample of all."""
    order = list(range(questions))
    random.Random(f"paired {seed}").shuffle(order)  # noqa: S311 - a shuffle, not a secret
    return tuple(order)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Answer:
    """Both answers for a question.

    Attributes:
        round: The newest round on record when they came.
        is_late: Whether that is a later round than their own.
        score: The mean of both orders.
        by_order: Whether the orders differ.
    """

    round: int = 0
    is_late: bool = False
    score: float = EVEN
    by_order: bool = False


_IDENTICAL = _Answer()


def _answers(state: TournamentState) -> dict[int, _Answer]:
    """The answers for each question that was answered in both orders."""
    table = state.comparison_table
    rows = np.flatnonzero(table.is_evidence)
    match, new_first = table.match[rows], table.first[rows] % 2 == 0
    first_score = _SCORES[table.choice[rows]]
    score = np.where(new_first, first_score, 1.0 - first_score)
    decided = table.choice[rows] != _TIE
    matches = len(state.played)
    counts, in_order, total, decisions = (
        np.bincount(match, weights, minlength=matches) for weights in (None, new_first, score, decided)
    )
    question = np.zeros(matches, np.int64)
    question[match] = table.first[rows] // 2
    rounds = state.played.played.column("round")
    newest = np.maximum.accumulate(rounds)
    answers: dict[int, _Answer] = {}
    for at in np.flatnonzero((counts == 2) & (in_order == 1)).tolist():
        answer = _Answer(
            round=int(newest[at]),
            is_late=bool(rounds[at] < newest[at]),
            score=float(total[at]) / 2,
            by_order=bool(decisions[at] == 2 and total[at] == 1.0),
        )
        answers.setdefault(int(question[at]), answer)
    return answers


def look_at(state: TournamentState, scores: PairedScores) -> PairedLook:
    """What the test says of the scores so far."""
    return look(scores.scores, design_of(state.settings))


def plan(state: TournamentState) -> Plan:
    """The next question, unless the test is settled."""
    draw = PairedQuestions.of(state)
    now = look_at(state, PairedScores.of(state, draw))
    if now.verdict.is_settled:
        return Plan(reason=f"the test is settled after {now.settled_after} questions")
    return following(state, draw)


def following(state: TournamentState, draw: PairedQuestions) -> Plan:
    """The next question, in both orders."""
    planned, ids = draw.first_rounds(state), state.ids
    for question in draw.order:
        if question not in planned and not draw.identical[question]:
            pairing = Pairing(a=ids[2 * question], b=ids[2 * question + 1], orders=(Order.AB, Order.BA))
            return Plan(pairings=(pairing,))
    return Plan(reason="every question was asked, and the test is not settled")


class PairedBlocks:
    """The questions of a paired comparison, as far ahead as they are needed in any case.

    How far that is follows from the scores at each match on record, so the same questions are asked in whatever order
    answers arrive.

    Args:
        state: The tournament as it is when a run begins.
        notes: The notes of the blocks on record, by round.
    """

    def __init__(self, state: TournamentState, notes: Mapping[int, Mapping[str, Any]]) -> None:
        self._view = state.without_past()
        self._draw = PairedQuestions.of(state)
        self._design = design_of(state.settings)
        self._newest = self._last_open = self._needed = self._calls = 0
        self._settled_after: int | None = None
        for block in state.rounds:
            self.planned(block)
        self._look()
        self.learn(islice(state.played, max((note["evidence"] for note in notes.values()), default=0)))

    def learn(self, matches: Iterable[Match]) -> None:
        """Take in further matches, in the order of record, and look at each of them."""
        for match in matches:
            self._view.played.append(match)
            self._newest = max(self._newest, 1 + (self._view.rounds.place(match.id) or 0))
            self._look()

    def _look(self) -> None:
        if self._settled_after is not None:
            return
        counted = PairedScores.of(self._view, self._draw)
        _, self._settled_after = settled(counted.scores, self._design)
        if self._settled_after is None:
            further = self._asked_among(counted, least_further(counted.scores, self._design))
            self._last_open = self._newest
            self._needed = max(self._needed, self._newest + further)

    def _asked_among(self, counted: PairedScores, further: int) -> int:
        """How many of so many further questions are asked: those with identical outputs count by themselves."""
        scored = set(counted.questions)
        ahead = (question for question in self._draw.order if question not in scored)
        return sum(not self._draw.identical[question] for question in islice(ahead, further))

    def following(self, size: int, *, idle: bool) -> Plan:
        """The next question, unless it may not be needed; why there is none, once nothing is in flight."""
        plan = following(self._view, self._draw)
        is_wanted = plan.pairings and self._view.rounds.matches < max(self._needed, self._last_open + size)
        if not is_wanted and self._settled_after is not None:
            return Plan(reason=f"the test is settled after {self._settled_after} questions")
        if not (is_wanted or idle):
            return Plan(finished=False)
        notes = {"evidence": len(self._view.played)}
        return afforded(self._view, replace(plan, notes=notes), planned_calls=0 if idle else self._calls)

    def planned(self, block: PlannedRound) -> None:
        """Note that a block is on record."""
        self._view.rounds.append(block)
        self._calls += sum(planned.calls for planned in block.pairings)


def design_of(settings: TournamentSettings) -> PairedDesign:
    """The test of a paired comparison.

    Raises:
        ValueError: If the tournament is none.
    """
    if settings.paired is None:
        raise ValueError("the tournament is not a paired comparison")
    return settings.paired


def most_comparisons(settings: TournamentSettings, items: int, rounds: int) -> int:  # noqa: ARG001 - as all policies
    """Those of all questions, in both orders."""
    return items
