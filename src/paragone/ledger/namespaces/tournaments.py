"""Tournaments: rounds, events, verdicts, debates and spending."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from paragone.domain import (
    Adjustment,
    Comparison,
    DebateTurn,
    Item,
    Planned,
    Ranking,
    RatingConfig,
    Review,
    Spending,
    Verdict,
)
from paragone.ledger import (
    browsing,
    reading,
)
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.playing import debates, spending, tournaments, verdicts
from paragone.ledger.playing.spending import By
from paragone.ledger.records import Event, PlannedRound, TournamentRecord


class Tournaments(Namespace):
    """The tournaments of a ledger. Each has the id of its pool."""

    def create(
        self,
        stem: str,
        *,
        settings: Mapping[str, Any],
        items: Sequence[Item],
        config: RatingConfig,
        wish: Mapping[str, str] | None = None,
    ) -> TournamentRecord:
        """Create a tournament with its pool and items; its id is made of the stem and a number.

        Args:
            stem: What its id is made of.
            settings: What it is asked to do.
            items: Its items.
            config: How their running Elo moves.
            wish: What names the wish for it, its ``key`` and marks of what was wished: the same again makes no other.

        Raises:
            Conflict: If two items with the same id differ, or the key of the wish was used for something else.
            InvalidItems: If the items are of several kinds.
        """
        with self._database.write(alone=True) as connection:
            return tournaments.create(connection, stem, settings, items, config, self._clock(), wish)

    def for_request(self, wish: Mapping[str, str]) -> TournamentRecord | None:
        """The tournament that was created for a wish; None where none was.

        Raises:
            Conflict: If its key was used for something else.
        """
        with self._database.read() as connection:
            return tournaments.wished(connection, wish)

    def get(self, id: str | None = None) -> TournamentRecord:
        """A tournament; the newest where no id is given.

        Raises:
            NotFound: If there is none; the message names some that there are.
        """
        with self._database.read() as connection:
            return tournaments.record(connection, id)

    def all(self) -> tuple[TournamentRecord, ...]:
        """All tournaments, oldest first."""
        with self._database.read() as connection:
            return tournaments.records(connection)

    def claim(self, tournament: str) -> AbstractContextManager[None]:
        """Hold a tournament while running it; given back at the end, or when the holder is killed.

        Raises:
            NotFound: If there is no such tournament.
            Busy: On entering, if another process or thread runs it now.
        """
        return self._database.dialect.claim(self.get(tournament).id)

    def is_claimed(self, tournament: str) -> bool:
        """Whether somebody holds a tournament, so runs it now."""
        with self._database.read() as connection:
            return self._database.dialect.is_claimed(connection, tournament)

    def join(
        self,
        tournament: str,
        items: Sequence[Item],
        *,
        round: int,
        adjustments: Sequence[Adjustment] = (),
        reviews: Sequence[Review] = (),
    ) -> tuple[Item, ...]:
        """Add items to a tournament that may be running, with what seeds them: all of it, or nothing.

        A ``joined`` event names the items that are new, where there are any. Items, adjustments and reviews that are
        there already change nothing, so whoever does not know whether it was done may do it again.

        Args:
            tournament: Which.
            items: The items.
            round: The round in which they can first play.
            adjustments: Moves of ratings, such as seeds, in the order in which they are made.
            reviews: Reviews that they come with.

        Returns:
            The items that are new.

        Raises:
            NotFound: If there is no such tournament, or an adjustment or a review is of an item that is not in it.
            Conflict: If an item is there with another text, or an adjustment with other content.
            InvalidItems: If an item is of another kind than the others.
        """
        with self._database.write() as connection:
            return tournaments.join(connection, tournament, items, round, adjustments, reviews, self._clock())

    def add_event(self, tournament: str, kind: str, detail: Mapping[str, Any]) -> None:
        """Say that something happened to a tournament.

        Raises:
            NotFound: If there is no such tournament.
        """
        self.add_events(tournament, [(kind, detail)])

    def add_events(self, tournament: str, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Say that some things happened to a tournament, each a kind and its detail: all of them, or none.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.write() as connection:
            tournaments.add_events(connection, tournament, events, self._clock())

    def events(self, tournament: str, *, after: int = 0) -> tuple[Event, ...]:
        """What happened to a tournament, in order.

        Args:
            tournament: Which.
            after: How many to leave out: those that were read before.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return tournaments.events(connection, tournament, after=after)

    def plan_round(
        self, tournament: str, number: int, pairings: Sequence[Planned], notes: Mapping[str, Any] | None = None
    ) -> None:
        """Keep the plan of a round, and what is noted about it; the same again changes nothing.

        Args:
            tournament: Which.
            number: The round, from 1.
            pairings: Its matches.
            notes: What else is worth keeping, as plain JSON values. Where there is anything, a ``round`` event says it
                beside the round's number.

        Raises:
            NotFound: If there is no such tournament.
            Conflict: If the round has another plan, or other notes.
        """
        with self._database.write() as connection:
            tournaments.plan_round(connection, tournament, number, pairings, notes, self._clock())

    def rounds(self, tournament: str) -> tuple[PlannedRound, ...]:
        """The planned rounds of a tournament, in the order of planning.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return tournaments.rounds(connection, tournament)

    def count_rounds(self, pool: str) -> int:
        """How many rounds of a tournament were planned."""
        with self._database.read() as connection:
            return browsing.count_rounds(connection, pool)

    def record_verdict(
        self, tournament: str, answer: Comparison | Ranking, *, key: str | None = None, again: bool = False
    ) -> None:
        """Keep a verdict, an answer or a failure, as soon as it arrives.

        Args:
            tournament: Whose call it answers.
            answer: The call and its verdict, on two items or on several. An answered call again, with equal content,
                changes nothing; a failure is another attempt each time.
            key: What the verdict cache finds it by (S3); None for a failure, which is never found.
            again: Whether it may have been recorded before, nobody knows: then an equal failure is the same attempt.

        Raises:
            NotFound: If there is no such tournament, or it lacks one of the items.
            Conflict: If the call has another answer.
        """
        with self._database.write() as connection:
            verdicts.record(connection, tournament, answer, key, self._clock(), again=again)

    def verdict(self, tournament: str, call: str) -> Verdict | None:
        """The answer of a call; None while it has none."""
        with self._database.read() as connection:
            return verdicts.answered(connection, tournament, call)

    def cached_verdict(self, key: str) -> Verdict | None:
        """The newest answer to the question with this key in any tournament, as its judge gave it; None without one."""
        with self._database.read() as connection:
            return verdicts.cached(connection, key)

    def record_turn(self, tournament: str, turn: DebateTurn) -> None:
        """Keep a turn of a debate as soon as it was said; the same turn again changes nothing.

        Its usage is what the advocate took. The verdict that follows says what the judge took, and no more.

        Raises:
            NotFound: If there is no such tournament.
            Conflict: If something else was said in that turn.
        """
        with self._database.write() as connection:
            debates.record(connection, tournament, turn, self._clock())

    def turns(self, tournament: str, call: str | None = None) -> tuple[DebateTurn, ...]:
        """The turns of the debate before a call, in their order; of all debates, in the order of record, where None."""
        with self._database.read() as connection:
            return debates.turns(connection, tournament, call)

    def each_turn(self, pool: str) -> Iterator[DebateTurn]:
        """The turns of all debates one after the other, in the order of record; no more than a page is in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return reading.each_turn(self._database, pool)

    def spending(self, tournament: str) -> Spending:
        """What a tournament took: decisions, requests, tokens, dollars.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return spending.whole(connection, tournaments.record(connection, tournament).pool)

    def total_spending(self) -> Spending:
        """What all tournaments of the ledger took together."""
        with self._database.read() as connection:
            return spending.whole(connection, None)

    def spending_by(self, tournament: str, what: By) -> dict[str, Spending]:
        """The same by judge and advocate, or by call; the parts add up to the whole.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return spending.by(connection, tournaments.record(connection, tournament).pool, what)

    def match_spending(self, pool: str, match: str, calls: Sequence[str]) -> Spending:
        """What one match took, turns and failed attempts included.

        Args:
            pool: Where it was played.
            match: Its id.
            calls: The calls that it rests on.
        """
        with self._database.read() as connection:
            return spending.of_match(connection, pool, match, calls)
