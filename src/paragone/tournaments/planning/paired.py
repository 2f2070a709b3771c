"""The policy of a paired comparison: question by question both outputs meet in both orders, until a test is settled."""

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.sequential_test import EVEN, look
from paragone.domain import Choice, Order, PairedDesign, PairedLook, Pairing
from paragone.ledger import CHOICES
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import TournamentSettings

Floats = NDArray[np.float64]

MOST_TRIES = 3
"""How often a question is planned whose answers fail."""
_SCORES = np.array([{Choice.FIRST: 1.0, Choice.TIE: EVEN}.get(choice, 0.0) for choice in CHOICES])
_TIE = CHOICES.index(Choice.TIE)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PairedScores:
    """The scores of a paired comparison so far. Items 2q and 2q + 1 are the new and the old output for question q.

    Attributes:
        order: The questions in the order in which they are drawn.
        identical: Whether both outputs for a question are the same, so that neither is better, shape (questions,).
        tries: How often each question was planned.
        questions: Questions with a score, in the order in which they count.
        scores: Their scores, the mean of both orders, shape (scored,).
        by_order: Whether each order of presentation had another winner, shape (scored,).
    """

    order: tuple[int, ...]
    identical: tuple[bool, ...]
    tries: Counter[int]
    questions: tuple[int, ...]
    scores: Floats
    by_order: NDArray[np.bool_]

    @classmethod
    def of(cls, state: State) -> "PairedScores":
        """The scores of a tournament as it stands."""
        texts, number = [item.text for item in state.items], {id: at for at, id in enumerate(state.ids)}
        identical = tuple(new == old for new, old in zip(texts[::2], texts[1::2], strict=True))
        order = drawn_order(len(identical), state.settings.seed)
        planned = [(past.number, number[pairing.items[0]] // 2) for past in state.rounds for pairing in past.pairings]
        tries = Counter(question for _, question in planned)
        first_round = dict(reversed([(question, round) for round, question in planned]))
        answers = _answers(state)
        counting: list[tuple[int, int, int]] = []  # round, place, question: a score that came late counts where it came
        round = 0
        for at, question in enumerate(order):
            if not (identical[question] or question in tries):
                break
            round = first_round.get(question, round)
            if identical[question] or question in answers:
                counting.append((answers[question][0] if question in answers else round, at, question))
        questions = tuple(question for *_, question in sorted(counting))
        both = [answers.get(question, (0, EVEN, False))[1:] for question in questions]
        return cls(
            order=order,
            identical=identical,
            tries=tries,
            questions=questions,
            scores=np.array([score for score, _ in both]),
            by_order=np.array([by_order for _, by_order in both], np.bool_),
        )

    @property
    def unanswered(self) -> tuple[int, ...]:
        """Questions that were asked and have no score."""
        scored = set(self.questions)
        return tuple(question for question in self.order if self.tries[question] and question not in scored)

    def following(self, block: int) -> list[int]:
        """The next questions to be asked, and with them again those whose answers failed.

        What failed is not asked alone: that would be taken for a judge that is away.
        """
        fresh = [question for question in self.order if not self.tries[question] and not self.identical[question]]
        again = [question for question in self.unanswered if self.tries[question] < MOST_TRIES]
        return fresh[:block] + again if fresh else []


def drawn_order(questions: int, seed: int) -> tuple[int, ...]:
    """The questions in the order in which they are drawn, so that the first of them are a sample of all."""
    order = list(range(questions))
    random.Random(f"paired {seed}").shuffle(order)  # noqa: S311 - a shuffle, not a secret
    return tuple(order)


def _answers(state: State) -> dict[int, tuple[int, float, bool]]:
    """By question that was answered in both orders: the round, the score, and whether the orders differ."""
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
    answers: dict[int, tuple[int, float, bool]] = {}
    for at in np.flatnonzero((counts == 2) & (in_order == 1)).tolist():
        by_order = bool(decisions[at] == 2 and total[at] == 1.0)
        answers.setdefault(int(question[at]), (int(rounds[at]), float(total[at]) / 2, by_order))
    return answers


def look_at(state: State, scores: PairedScores) -> PairedLook:
    """What the test says of the scores so far."""
    return look(scores.scores, design_of(state.settings))


def plan(state: State) -> Plan:
    """The next questions, unless the test is settled."""
    scores = PairedScores.of(state)
    now = look_at(state, scores)
    if now.verdict.is_settled:
        return Plan(reason=f"the test is settled after {now.settled_after} questions")
    following = scores.following(design_of(state.settings).block)
    if not following:
        return Plan(reason="every question was asked, and the test is not settled")
    ids = state.ids
    pairings = tuple(
        Pairing(a=ids[2 * question], b=ids[2 * question + 1], orders=(Order.AB, Order.BA)) for question in following
    )
    return Plan(pairings=pairings)


def design_of(settings: TournamentSettings) -> PairedDesign:
    """The test of a paired comparison.

    Raises:
        ValueError: If the tournament is none.
    """
    if settings.paired is None:
        raise ValueError("the tournament is no paired comparison")
    return settings.paired


def most_comparisons(settings: TournamentSettings, items: int, rounds: int) -> int:  # noqa: ARG001 - as all policies
    """Those of all questions, in both orders."""
    return items
