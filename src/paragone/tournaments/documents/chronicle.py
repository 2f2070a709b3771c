"""A tournament's complete ledger, read once: the source of all documents."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from paragone.domain import DebateTurn, Pairing, RatingChange, Review, Spending
from paragone.domain.spending import total
from paragone.ledger import By, Event, Ledger, RecordedAdjustment, RecordedMatch
from paragone.tournaments.state import State, match_id
from paragone.tournaments.state.history import EventState


@dataclass(frozen=True, kw_only=True)
class Chronicle:
    """A tournament as its ledger has it, whole: what a ``State`` leaves out to stay small is here.

    Attributes:
        state: The tournament.
        event_log: All events, in order.
        matches: All matches, those that were rolled back too, in the order of record.
        changes: Every move of a rating, in the order of record.
        adjustments: Moves that no match made, by id.
        turns: What was said in debates, by call.
        spending: What each call took, turns and failed attempts included.
        reviews: What reviewers last said of each item.
    """

    state: State
    event_log: tuple[Event, ...] = ()
    matches: tuple[RecordedMatch, ...] = ()
    changes: tuple[RatingChange, ...] = ()
    adjustments: Mapping[str, RecordedAdjustment] = field(default_factory=dict)
    turns: Mapping[str, tuple[DebateTurn, ...]] = field(default_factory=dict)
    spending: Mapping[str, Spending] = field(default_factory=dict)
    reviews: tuple[Review, ...] = ()

    @classmethod
    def read(cls, ledger: Ledger, state: State) -> "Chronicle":
        """Everything that the ledger has of a tournament now."""
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
        """What each round took, with its matches that are not over; a call is ``ROUND.PLACE.NUMBER``."""
        return by_round(self.spending)

    @cached_property
    def planned(self) -> Mapping[str, Pairing]:
        """The pairings of all rounds by match id; lineups of several are not among them."""
        return {
            match_id(plan.number, position): pairing
            for plan in self.state.rounds
            for position, pairing in enumerate(plan.pairings, start=1)
            if isinstance(pairing, Pairing)
        }

    @cached_property
    def round_notes(self) -> Mapping[int, Event]:
        """How each round was planned, by its number."""
        return {int(event.detail["number"]): event for event in self.events("round")}

    def heard(self, call: str) -> tuple[DebateTurn, ...]:
        """What was said before the verdict of a call; of a debate that was cut short, as much as was judged."""
        turns = self._left.get(call)
        return self.turns.get(call, ())[: None if turns is None else 2 * turns]

    @cached_property
    def _left(self) -> Mapping[str, int]:
        """Turns a side that the last step down the ladder left a debate, by call."""
        return EventState(self.event_log).turns_left

    def events(self, *kinds: str) -> tuple[Event, ...]:
        """Events of some kinds, in order."""
        return tuple(event for event in self.event_log if event.kind in kinds)

    def note(self, number: int, name: str) -> Any:  # noqa: ANN401 - a plain JSON value
        """What was noted about a round when it was planned; None where nothing was."""
        event = self.round_notes.get(number)
        return None if event is None else event.detail.get(name)


def round_of(call: str) -> int:
    """The round of a call, ``ROUND.PLACE.NUMBER``; 0 of what no round planned, such as imported votes."""
    number = call.partition(".")[0]
    return int(number) if number.isdecimal() else 0


def by_round(spending: Mapping[str, Spending]) -> dict[int, Spending]:
    """What each round took, from what each call did."""
    parts_by_round: defaultdict[int, list[Spending]] = defaultdict(list)
    for call, usage in spending.items():
        parts_by_round[round_of(call)].append(usage)
    return {number: total(parts) for number, parts in parts_by_round.items()}
