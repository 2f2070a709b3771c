"""Tournaments of hypotheses whose past is what a test says, without a ledger and a judge."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from paragone.domain import Choice, Comparison, Item, Match, Pairing, Rating, TournamentSystemConfig, Verdict
from paragone.ledger import Event, PlannedRound
from paragone.ratings.running_elo import step
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for

AT = datetime(2026, 1, 1, tzinfo=UTC)


class Past:
    """A tournament with a past: ``state`` is it, the methods make more of it happen.

    Args:
        ratings: The running Elo by id, or how many items named i0, i1, ... begin at 1200.
        matches: Matches that each has played, for all or by id.
        system: The parameters.
        options: Of the brief.
    """

    def __init__(self, ratings, *, matches=10, system=None, **options):
        values = {f"i{n}": 1200.0 for n in range(ratings)} if isinstance(ratings, int) else ratings
        settings = {"seed": 1, "pairing": "weighted", "system": system or TournamentSystemConfig(), **options}
        brief = settings_for(len(values), criteria="c", judge="j", **settings)
        items = tuple(Item(id=id, text=id) for id in values)
        self.state = TournamentState(id="t-1", settings=brief, config=brief.system.rating, items=items)
        count = matches if isinstance(matches, dict) else dict.fromkeys(values, matches)
        self.state.ratings = {
            id: Rating(item=id, elo=float(elo), matches=count.get(id, 0)) for id, elo in values.items()
        }

    def event(self, kind, **detail):
        """Something happened."""
        self.state.events.append(Event(kind=kind, detail=detail, at=AT))

    def plan(self, plan):
        """A planned round is recorded, with its notes."""
        self.state.rounds.append(PlannedRound(number=len(self.state.rounds) + 1, pairings=plan.pairings))
        self.event("round", **plan.notes)

    def play(self, winner_of):
        """The open matches are played; ``winner_of(a, b)`` names the winner, or None for a draw."""
        for id, pairing in self.state.open_matches:
            self.record(id, pairing, winner_of(pairing.a, pairing.b))

    def round(self, *matches):
        """A round of (winner, loser) is planned and played."""
        pairings = tuple(Pairing(a=winner, b=loser) for winner, loser in matches)
        number = len(self.state.rounds) + 1
        self.state.rounds.append(PlannedRound(number=number, pairings=pairings))
        self.event("round", number=number)
        self.play(lambda a, b: a)

    def record(self, id, pairing, winner):
        """One match is recorded, and its ratings move as in the ledger."""
        comparisons = tuple(
            Comparison(call=f"{id}.{at}", first=first, second=second, verdict=_verdict(winner, first, second))
            for at, (first, second) in enumerate(map(pairing.shown, pairing.orders))
        )
        match = Match.of(id, pairing, comparisons, round=len(self.state.rounds))
        before = tuple(self.state.ratings[item] for item in match.items)
        for rating in step(before, match, self.state.config)[0]:
            self.state.ratings[rating.item] = rating
        self.state.played.append(match)

    def again(self):
        """The same tournament, as another process would load it."""
        state = replace(self.state)
        state.rounds, state.events, state.played = list(state.rounds), list(state.events), state.played.copy()
        return state


def _verdict(winner, first, second):
    choice = {first: Choice.FIRST, second: Choice.SECOND}.get(winner, Choice.TIE)
    return Verdict(choice=choice, judge="j")


@pytest.fixture
def past():
    """Makes tournaments with a past: see ``Past``."""
    return Past
