"""A tournament's complete ledger, read once: the source of all records."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from paragone.domain import DebateTurn, Pairing, RatingChange, Review, Spending
from paragone.domain.spending import total
from paragone.ledger import By, Event, Ledger, RecordedAdjustment, RecordedMatch
from paragone.tournaments.state import TournamentState, match_id
from paragone.tournaments.state.history import EventState


@dataclass(frozen=True, kw_only=True)
class Chronicle:
    """A whole tournament as the ledger has it, with all that a ``TournamentState`` leaves out to stay small.

    Attributes:
        state: The tournament.
        event_log: All events, in order.
        matches: All matches in the order of record, also those that were rolled back.
        changes: All rating changes, in the order of record.
        adjustments: Rating adjustments without a match, by id.
        turns: The turns of debates, by call.
        spending: Spending by call, turns and failed attempts included.
        reviews: The latest reviews of the items.
    """

    state: TournamentState
    event_log: tuple[Event, ...] = ()
    matches: tuple[RecordedMatch, ...] = ()
    changes: tuple[RatingChange, ...] = ()
    adjustments: Mapping[str, RecordedAdjustment] = field(default_factory=dict)
    turns: Mapping[str, tuple[DebateTurn, ...]] = field(default_factory=dict)
    spending: Mapping[str, Spending] = field(default_factory=dict)
    reviews: tuple[Review, ...] = ()

    @classmethod
    def read(cls, ledger: Ledger, state: TournamentState) -> "Chronicle":
        """Read all of a tournament from the ledger."""
        turns_by_call: defaultdict[str, list[DebateTurn]] = defaultdict(list)
        for turn in ledger.tournaments.turns(state.id):
            turns_by_call[turn.call].append(turn)
        return cls(
            state=state,
            event_log=ledger.tournaments.events(state.id),
            matches=ledger.matches.all(state.id),
            changes=ledger.ratings.changes(state.id),
            adjustments={entry.adjustment.id: entry for entry in ledger.ratings.adjustments(state.id)},
            turns={call: tuple(turns) for call, turns in turns_by_call.items()},
            spending=ledger.tournaments.spending_by(state.id, By.CALL),
            reviews=ledger.items.reviews(state.id),
        )

    @cached_property
    def by_id(self) -> Mapping[str, RecordedMatch]:
        """All matches by id."""
        return {recorded.match.id: recorded for recorded in self.matches}

    @cached_property
    def valid_matches(self) -> tuple[RecordedMatch, ...]:
        """Matches that were not rolled back, in the order of record."""
        return tuple(recorded for recorded in self.matches if not recorded.rolled_back)

    @cached_property
    def by_round(self) -> Mapping[int, tuple[RecordedMatch, ...]]:
        """All matches by the round they were planned in."""
        matches_by_round: defaultdict[int, list[RecordedMatch]] = defaultdict(list)
        for recorded in self.matches:
            matches_by_round[recorded.match.round].append(recorded)
        return {number: tuple(matches) for number, matches in matches_by_round.items()}

    @cached_property
    def spending_by_round(self) -> Mapping[int, Spending]:
        """Spending by round, open matches included; a call is ``ROUND.PLACE.NUMBER``."""
        return by_round(self.spending)

    @cached_property
    def planned(self) -> Mapping[str, Pairing]:
        """The planned pairs of all rounds by match id, without lineups."""
        return {
            match_id(plan.number, position): pairing
            for plan in self.state.rounds
            for position, pairing in enumerate(plan.pairings, start=1)
            if isinstance(pairing, Pairing)
        }

    @cached_property
    def round_notes(self) -> Mapping[int, Event]:
        """The event that recorded the plan of each round, by round."""
        return {int(event.detail["number"]): event for event in self.events("round")}

    def judged_turns(self, call: str) -> tuple[DebateTurn, ...]:
        """The turns that the verdict of a call rests on: of a debate that was shortened, those that were judged."""
        turns = self._left.get(call)
        return self.turns.get(call, ())[: None if turns is None else 2 * turns]

    @cached_property
    def _left(self) -> Mapping[str, int]:
        """Turns a side that the last fallback left a debate, by call."""
        return EventState(self.event_log).turns_left

    def events(self, *kinds: str) -> tuple[Event, ...]:
        """Events of some kinds, in order."""
        return tuple(event for event in self.event_log if event.kind in kinds)

    def note(self, number: int, name: str) -> Any:  # noqa: ANN401 - a plain JSON value
        """A note of a round's plan; None if it has none of that name."""
        event = self.round_notes.get(number)
        return None if event is None else event.detail.get(name)


def round_of(call: str) -> int:
    """The round of a call, ``ROUND.PLACE.NUMBER``; 0 for calls that no round planned, such as imported votes."""
    number = call.partition(".")[0]
    return int(number) if number.isdecimal() else 0


def by_round(spending: Mapping[str, Spending]) -> dict[int, Spending]:
    """Spending by round, from spending by call."""
    parts_by_round: defaultdict[int, list[Spending]] = defaultdict(list)
    for call, usage in spending.items():
        parts_by_round[round_of(call)].append(usage)
    return {number: total(parts) for number, parts in parts_by_round.items()}
