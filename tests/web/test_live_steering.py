"""What the events of a tournament say about its runs."""

from datetime import UTC, datetime
from typing import Any

import pytest

from paragone.domain import Aim, Forecast, Goal, Spending
from paragone.ledger import Event
from paragone.ledger.evidence.tournaments import ADMIN
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.runs.run import Steering, steering_of
from paragone.web.views.live import reasons


def steering(*events: tuple[str, dict[str, Any]]) -> Steering:
    return steering_of(Event(kind=kind, detail=detail, at=datetime.now(UTC)) for kind, detail in events)


def act(name: str, by: str = "ada") -> tuple[str, dict[str, Any]]:
    return ADMIN, {"by": by, "act": name}


STARTED, RESUMED = ("started", {}), ("resumed", {})


def stopped(reason: str, *, finished: bool = False) -> tuple[str, dict[str, Any]]:
    return "stopped", {"reason": reason, "finished": finished}


def test_a_tournament_that_was_made_has_not_begun():
    assert steering(STARTED) == Steering()


def test_a_run_of_a_server_hears_wishes_until_it_ends():
    assert steering(STARTED, act("run")) == Steering(has_started=True, is_ours=True, by="ada")
    wished = steering(STARTED, act("run"), act("pause", "bob"))
    assert (wished.wish, wished.wished_by, wished.ended) == ("pause", "bob", False)
    assert steering(STARTED, act("run"), act("pause"), act("stop", "eve")).wish == "stop"


def test_only_what_ended_as_was_wished_is_paused():
    assert steering(STARTED, act("run"), act("pause"), stopped("paused by ada")).is_paused
    assert not steering(STARTED, act("run"), stopped("the judge failed")).is_paused
    assert not steering(STARTED, act("run"), act("pause"), stopped("all is asked", finished=True)).is_paused


def test_a_wish_is_of_one_run_and_not_of_the_next():
    again = steering(STARTED, act("run"), act("stop"), stopped("stopped by ada"), RESUMED, act("run", "eve"))
    assert again == Steering(has_started=True, is_ours=True, by="eve")
    assert steering(STARTED, act("run"), act("pause"), RESUMED, act("run")).wish == ""


def test_a_run_at_a_terminal_after_one_of_a_server_is_not_ours():
    later = steering(STARTED, act("run"), stopped("the server ended"), RESUMED)
    assert (later.is_ours, later.by, later.has_started, later.ended) == (False, "", True, False)


def test_other_acts_of_admins_are_no_wishes():
    assert steering(STARTED, act("run"), act("roll back")).wish == ""


SPENT = Spending(decisions=10, requests=12, failed=2, input_tokens=300, output_tokens=50, dollars=0.25)
SEEN = Forecast(p_best=0.71, recall=0.82, top=3, tau=0.643)


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"winner": True}, "when the one on top to be the best with 90% is expected: 71% now"),
        ({"top": 3}, "when 90% of the true top 3 among the first 3 is expected: 82% now"),
        ({"whole_order": True}, "when an agreement of 0.9 with the true order (Kendall's tau) is expected: 0.64 now"),
        ({"pairing": "swiss", "budget": None}, "when all but one are out, each after 2 losses"),
        ({"pairing": "round-robin"}, "when every pair was played: 28 calls in all"),
        ({"pairing": "weighted"}, "when its session is over, in 10 rounds, or the ranking has settled"),
    ],
)
def test_what_will_end_it_is_said_with_how_far_that_is(options, first):
    brief = settings_for(8, criteria="c", judge="local", **options)
    found = reasons(brief, items=8, rounds=0, spent=SPENT, forecast=SEEN)
    assert found[0] == first


def test_every_limit_is_a_reason():
    brief = settings_for(8, criteria="c", judge="local", budget=40, max_cost=2.5, max_tokens=1000)
    assert brief.goal == Goal(aim=Aim.BALANCED)
    wanted = "an agreement of 0.9 with the true order (Kendall's tau) and 90% of the true top"
    assert reasons(brief, items=8, rounds=1, spent=SPENT, forecast=None) == [
        f"when {wanted} is expected: nothing is known yet",
        "when its budget of 40 decisions is spent: 10 so far",
        "when its limit of $2.5000 is spent: $0.2500 so far",
        "when its limit of 1,000 tokens is spent: 350 so far",
    ]
