"""Reviews in a tournament: they seed its ratings and part its equals, and no more (T16)."""

import asyncio

import pytest

import without_board
from paragone.domain import Review
from paragone.domain.records import RankingTask, TaskType
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.presenting.tournament_report import values_of
from paragone.presenting.tournament_report.summary import settings_of
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.report import gather
from paragone.tournaments.results.tournament_board import WhatIf
from paragone.tournaments.tournament import Tournament

IDEAS = {"first": "an idea", "twin": "its equal", "worst": "the loser to all"}


def by_worth(one, other, criteria):
    """Prefers everybody to the worst, and finds the others equal."""
    if "worst" in (one.id, other.id):
        return "second" if one.id == "worst" else "first"
    return "tie"


def reviewed(**scores):
    return [Review(item=item, reviewer="ada", score=score) for item, score in scores.items()]


def play(reviews=(), **options):
    options = {"pairing": "round-robin", "criteria": "worth", "judge": by_worth, "seed": 1, **options}
    tournament = Tournament.create(IDEAS, reviews=reviews or None, **options)
    without_board.run(tournament)
    return tournament


def order(board):
    return [(row.rank, row.id) for row in board.items]


def test_reviews_part_those_that_the_matches_cannot_and_override_nothing():
    with play() as plain:
        assert order(plain.board()) == [(1, "first"), (1, "twin"), (3, "worst")]
        strengths = {row.id: row.rating for row in plain.board().items}
    with play(reviewed(first=0.4, twin=0.6, worst=1.0)) as told:
        board = told.board()
        assert order(board) == [(1, "twin"), (2, "first"), (3, "worst")]  # the best review does not help the loser
        assert {row.id: row.rating for row in board.items} == pytest.approx(strengths)
        assert order(told.whatif(WhatIf())) == order(board)


def test_where_nothing_was_played_the_reviews_alone_rank():
    ideas = Tournament.create(
        IDEAS, judge=by_worth, criteria="worth", pairing="weighted", reviews=reviewed(twin=0.9, worst=0.2)
    )
    with ideas as tournament:
        assert order(tournament.board()) == [(1, "twin"), (2, "first"), (3, "worst")]
        elo = {row.id: row.elo for row in tournament.board(by_elo=True).items}
        assert elo == pytest.approx({"twin": 1360.0, "first": 1200.0, "worst": 1080.0})  # 1200 + 400 (score - .5)


def test_the_global_ranking_and_the_report_stand_in_that_order():
    judge = SimulatedJudge({"first": 0.0, "twin": 0.0, "worst": -3.0}, noise=0.0)
    with play(reviewed(first=0.4, twin=0.6), pairing="weighted", judge=judge) as tournament:
        agent = RankingAgent(tournament)
        agent.submit(RankingTask(id="g", task_type=TaskType.GLOBAL_RANKING))
        asyncio.run(agent.run())
        expected = [row.id for row in tournament.board().items]
        ranked = agent.tasks()["g"].result["ranked_hypotheses"]
        assert [one["hypothesis_id"] for one in ranked] == expected
        report = gather(tournament.ledger, tournament.state)
        assert values_of(report)["ranking"]["top_performers"] == expected
        assert dict(settings_of(report))["Strengths"].endswith("; ties in the order of reviews")


def test_added_reviews_and_the_event_that_wakes_are_recorded_together_and_once():
    def recorded():
        audit = tournament.audit()
        assert audit.ok
        events = [event.detail for event in tournament.state.events if event.kind == "reviewed"]
        return audit.commits, events, [review.item for review in tournament.state.reviews]

    with play() as tournament:
        before = recorded()[0]
        assert tournament.add_reviews(reviewed(worst=0.9, first=0.4)) == tuple(reviewed(worst=0.9, first=0.4))
        after = (before + 1, [{"items": ["first", "worst"]}], ["worst", "first"])  # a single commit
        assert recorded() == after
        assert tournament.add_reviews(reviewed(first=0.4, worst=0.9)) == ()
        assert recorded() == after
        assert tournament.add_reviews(reviewed(first=0.4, worst=0.8)) == tuple(reviewed(worst=0.8))
        assert recorded()[:2] == (before + 2, [{"items": ["first", "worst"]}, {"items": ["worst"]}])
