"""The order of plans, the pointer over it, and how many matches were on record where."""

from datetime import UTC, datetime

from paragone.domain import Pairing
from paragone.ledger import Event, PlannedRound
from paragone.tournaments.state.rounds import PlanOrder

AT = datetime(2026, 1, 1, tzinfo=UTC)


def planned(number, count):
    return PlannedRound(number=number, pairings=tuple(Pairing(a=f"a{at}", b=f"b{at}") for at in range(count)))


def noted(number, evidence):
    return Event(kind="round", detail={"number": number, "evidence": evidence}, at=AT)


def aside(match, after):
    return Event(kind="aside", detail={"match": match, "after": after}, at=AT)


ROUNDS = (planned(1, 3), planned(2, 3))
NOTES = (noted(1, 0), noted(2, 1))


def ids(open_matches):
    return [id for id, _ in open_matches]


def test_the_pointer_follows_what_is_recorded():
    order = PlanOrder.of(ROUNDS, ["1.1", "1.2"], NOTES)
    assert (order.pointer, order.records) == (2, 2)
    assert [order.records_at(at) for at in range(3)] == [0, 1, 2]
    assert ids(order.open) == ["1.3", "2.1", "2.2", "2.3"]


def test_a_match_that_is_set_aside_is_passed_and_its_record_moves_nothing():
    order = PlanOrder.of(ROUNDS, ["1.1", "1.3", "1.2", "2.1"], (*NOTES, aside("1.2", 1)))
    # The pointer: 1 after 1.1, 2 by the event, 3 after 1.3, still 3 after 1.2, 4 after 2.1.
    assert [order.records_at(at) for at in range(5)] == [0, 1, 1, 2, 4]
    assert (order.pointer, list(order.aside), ids(order.open)) == (4, [], ["2.2", "2.3"])


def test_a_match_that_is_aside_is_not_open():
    order = PlanOrder.of(ROUNDS, ["1.1"], (*NOTES, aside("1.2", 1)))
    assert list(order.aside) == ["1.2"]
    assert ids(order.open) == ["1.3", "2.1", "2.2", "2.3"]


def test_votes_that_no_plan_has_count_as_records_and_move_nothing():
    order = PlanOrder.of(ROUNDS, ["vote-1", "1.1", "vote-2"], NOTES)
    assert (order.pointer, order.records, order.records_at(1)) == (1, 3, 2)


def test_a_match_that_was_passed_without_an_event_stays_open_where_it_was_planned_ahead():
    order = PlanOrder.of(ROUNDS, ["1.1", "1.3"], NOTES)
    assert (order.pointer, ids(order.open)[0]) == (3, "1.2")


def test_of_rounds_of_earlier_versions_only_the_last_stays_open():
    order = PlanOrder.of((*ROUNDS, planned(3, 1)), ["1.1", "1.3", "2.1", "2.3"], (noted(3, 4),))
    assert ids(order.open) == ["2.2", "3.1"]
