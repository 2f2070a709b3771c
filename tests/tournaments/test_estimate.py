"""What a run will take, said before it spends."""

import pytest

from paragone.errors import JudgeFailed
from paragone.judges.simulated import SimulatedJudge
from paragone.tournaments.door import Tournament
from paragone.tournaments.estimate import estimate
from paragone.tournaments.runner import Pace

ITEMS = {str(number): f"item {number}" for number in range(12)}
ONE_BY_ONE = Pace(concurrency=1, attempts=1)


class Stubborn(SimulatedJudge):
    """Has no answer to the second question, and stops the run at the tenth."""

    asked = 0
    tournament = None

    async def compare(self, question):
        self.asked += 1
        if self.asked == 2:
            raise JudgeFailed("no answer")
        if self.asked == 10:
            self.tournament.gate.close("enough")
        return await super().compare(question)


@pytest.fixture
def tournament():
    judge = Stubborn({id: float(id) for id in ITEMS}, noise=0.5, seed=5)
    with Tournament.create(ITEMS, judge=judge, criteria="larger", budget=40, seed=3) as found:
        judge.tournament = found
        yield found


def said(tournament):
    done = tournament.ledger.tally(tournament.state.id).answered
    return estimate(tournament.state, tournament.known_judge(), done)


def test_before_the_first_call(tournament):
    assert (said(tournament).comparisons, said(tournament).done) == (40, 0)
    assert said(tournament).sentence().endswith("at most 40 calls, at most about $0.00")


def test_answers_of_matches_that_wait_for_another_are_not_asked_again(tournament):
    tournament.run(pace=ONE_BY_ONE)
    assert len(tournament.state.played) == 1  # the others wait for the second match, which has no answer
    assert (said(tournament).comparisons, said(tournament).done) == (31, 9)
    assert tournament.run(pace=ONE_BY_ONE).calls == 41  # 40 answers and the failure
    assert (said(tournament).comparisons, said(tournament).done) == (0, 40)
