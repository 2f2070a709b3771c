"""The digest of what was played: kept in step, it is what reading everything anew would give."""

import random
from collections import Counter
from dataclasses import replace
from itertools import permutations

from paragone.domain import Choice, Comparison, Match, MatchProtocol, Order, Pairing, Verdict
from paragone.tournaments.state.history import MatchHistory
from paragone.tournaments.state.matches import PackedMatches

NAMES = "abcdef"


def match_of(number, first, second, choice, order=Order.AB, protocol=MatchProtocol.SINGLE_TURN):
    pairing = Pairing(a=first, b=second, orders=(order,))
    shown = pairing.shown(order)
    comparison = Comparison(
        call=f"{number}", first=shown[0], second=shown[1], verdict=Verdict(choice=choice, judge="j")
    )
    return replace(Match.of(f"{number}.1", pairing, (comparison,), round=number), protocol=protocol)


def matches_of(count, seed=1):
    rng = random.Random(seed)
    choices = (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN)
    return [
        match_of(
            number,
            *rng.sample(NAMES, 2),
            rng.choice(choices),
            rng.choice((Order.AB, Order.BA)),
            rng.choice(tuple(MatchProtocol)),
        )
        for number in range(1, count + 1)
    ]


def by_pair(course):
    """Meetings, showings and what is spent, of every pair in either order."""
    return {
        (a, b): (
            course.meetings(a, b),
            course.shown(a, b),
            {protocol for protocol in MatchProtocol if course.is_spent(a, b, protocol)},
        )
        for a, b in permutations(NAMES, 2)
    }


def digest(course):
    return (by_pair(course), course.leads, course.losses, course.last, course.promising)


def plain(played, rolled_back=frozenset()):
    """The same, item by item and pair by pair, from the list."""
    losses, last, promising = {}, {}, {}
    for item in NAMES:
        own = [match for match in played if item in match.items]
        scores = [
            (match.outcome.score if match.a == item else 1 - match.outcome.score)
            for match in own
            if match.outcome != "void" and match.id not in rolled_back
        ]
        streak = next((at for at, score in enumerate(reversed(scores)) if score != 0), len(scores))
        if own:
            last[item] = own[-1].round
        if streak:
            losses[item] = streak
        if scores[:6].count(1) >= 5:
            promising[item] = None
    met = Counter(pair for match in played for pair in ((match.a, match.b), (match.b, match.a)))
    shown = Counter(comparison.shown for match in played for comparison in match.comparisons)
    said = {(c.first, c.second, match.protocol.is_debate) for match in played for c in match.comparisons}
    pairs = {
        (a, b): (
            met[a, b],
            shown[a, b],
            {p for p in MatchProtocol if {(a, b, p.is_debate), (b, a, p.is_debate)} <= said},
        )
        for a, b in permutations(NAMES, 2)
    }
    leads = Counter()
    for (first, second), times in shown.items():
        leads[first] += times
        leads[second] -= times
    return pairs, leads, losses, last, promising


def test_it_is_what_reading_everything_anew_gives():
    course, played = MatchHistory(), PackedMatches()
    for match in matches_of(60):
        played.append(match)
        if len(played) in (7, 20, 60):
            course.follow(played, frozenset())
            assert digest(course) == plain(played)
    assert any(spent for _, _, spent in by_pair(course).values())


def test_what_was_rolled_back_is_a_meeting_and_no_loss():
    played = PackedMatches(match_of(number, "a", "b", Choice.FIRST) for number in range(1, 6))
    course = MatchHistory()
    course.follow(played, frozenset())
    assert (course.losses, list(course.promising)) == ({"b": 5}, ["a"])
    course.follow(played, frozenset({"5.1"}))
    assert (course.losses, list(course.promising)) == ({"b": 4}, [])
    assert course.meetings("a", "b") == course.meetings("b", "a") == 5


def test_another_past_begins_it_anew():
    played, other = PackedMatches(matches_of(30)), PackedMatches(matches_of(10, seed=2))
    course = MatchHistory()
    course.follow(played, frozenset())
    course.follow(other, frozenset())
    assert digest(course) == plain(other)


def test_a_state_made_of_another_has_a_course_of_its_own(past):
    made = past(4)
    made.round(("i0", "i1"))
    made.state.history.follow(made.state.played, frozenset())
    assert replace(made.state, played=PackedMatches()).history.meetings("i0", "i1") == 0


def test_it_takes_bytes_for_the_pairs_that_met_and_none_for_meeting_again():
    course, played = MatchHistory(), PackedMatches(matches_of(400))
    course.follow(played, frozenset())
    pairs = sum(course.meetings(a, b) > 0 for a, b in permutations(NAMES, 2))
    assert course.nbytes == 8 * pairs == 8 * 30
