"""``ledger.tournaments``: rounds, events, verdicts, debates and spending."""

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
from paragone.ledger.evidence import browsing, debates, spending, tournaments, verdicts
from paragone.ledger.evidence.spending import By
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import Event, PlannedRound, TournamentRecord


class Tournaments(Namespace):
    """The tournaments of a ledger. The id of a tournament is also that of its pool."""

    def create(
        self,
        stem: str,
        *,
        settings: Mapping[str, Any],
        items: Sequence[Item],
        config: RatingConfig,
        wish: Mapping[str, str] | None = None,
    ) -> TournamentRecord:
        """Create a tournament with its pool and items.

        Args:
            stem: The id is made of this and a number.
            settings: The tournament's settings.
            items: Its items.
            config: Its rating parameters.
            wish: Identifies the request: a ``key`` and a fingerprint of what was requested. An equal request returns
                the tournament that it created the first time.

        Raises:
            Conflict: If two items with the same id differ, or the key was used for another request.
            InvalidItems: If the items are of several kinds.
        """
        return self._write_alone(tournaments.create, stem, settings, items, config, self._clock(), wish)

    def for_request(self, wish: Mapping[str, str]) -> TournamentRecord | None:
        """The tournament that a request created; None if it created none.

        Raises:
            Conflict: If the key was used for another request.
        """
        return self._read(tournaments.wished, wish)

    def get(self, id: str | None = None) -> TournamentRecord:
        """A tournament by its id, or the newest one.

        Raises:
            NotFound: If there is none; the message names some that exist.
        """
        return self._read(tournaments.record, id)

    def all(self) -> tuple[TournamentRecord, ...]:
        """All tournaments, oldest first."""
        return self._read(tournaments.records)

    def claim(self, tournament: str) -> AbstractContextManager[None]:
        """Hold a tournament while running it; released at the end of the block, or when the process is killed.

        Raises:
            NotFound: If there is no such tournament.
            Busy: On entering, if another process or thread is running it.
        """
        return self._database.dialect.claim(self.get(tournament).id)

    def is_claimed(self, tournament: str) -> bool:
        """Whether a process or thread holds a tournament, so is running it."""
        return self._read(self._database.dialect.is_claimed, tournament)

    def join(
        self,
        tournament: str,
        items: Sequence[Item],
        *,
        round: int,
        adjustments: Sequence[Adjustment] = (),
        reviews: Sequence[Review] = (),
    ) -> tuple[Item, ...]:
        """Add items to a tournament that may be running, with their seeds: all of it, or nothing.

        A ``joined`` event names the new items, if there are any. Items, adjustments and reviews that are already
        recorded change nothing, so the call is safe to repeat.

        Args:
            tournament: Id of the tournament.
            items: The items.
            round: The first round in which they can play.
            adjustments: Adjustments of ratings, such as seeds, in the order in which they apply.
            reviews: Reviews of the items.

        Returns:
            The new items.

        Raises:
            NotFound: If there is no such tournament, or an adjustment or review names an item that it lacks.
            Conflict: If an item exists with another text, or an adjustment with other content.
            InvalidItems: If an item is of another kind than the others.
        """
        return self._write(tournaments.join, tournament, items, round, adjustments, reviews, self._clock())

    def add_event(self, tournament: str, kind: str, detail: Mapping[str, Any]) -> None:
        """Record an event.

        Raises:
            NotFound: If there is no such tournament.
        """
        self.add_events(tournament, [(kind, detail)])

    def add_events(self, tournament: str, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Record several events, each a kind and its detail: all of them, or none.

        Raises:
            NotFound: If there is no such tournament.
        """
        self._write(tournaments.add_events, tournament, events, self._clock())

    def events(self, tournament: str, *, after: int = 0) -> tuple[Event, ...]:
        """The events of a tournament, in order.

        Args:
            tournament: Id of the tournament.
            after: How many events to skip: those that were read before.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self._read(tournaments.events, tournament, after=after)

    def plan_round(
        self, tournament: str, number: int, pairings: Sequence[Planned], notes: Mapping[str, Any] | None = None
    ) -> None:
        """Record the plan of a round; recording an equal plan again changes nothing.

        Args:
            tournament: Id of the tournament.
            number: The number of the round, from 1.
            pairings: Its matches.
            notes: More about the plan, as plain JSON values. If there are any, a ``round`` event holds them.

        Raises:
            NotFound: If there is no such tournament.
            Conflict: If the round has another plan, or other notes.
        """
        self._write(tournaments.plan_round, tournament, number, pairings, notes, self._clock())

    def rounds(self, tournament: str) -> tuple[PlannedRound, ...]:
        """The planned rounds of a tournament, in the order of planning.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self._read(tournaments.rounds, tournament)

    def count_rounds(self, tournament: str) -> int:
        """The number of planned rounds."""
        return self._read(browsing.count_rounds, tournament)

    # Verdicts and debates

    def record_verdict(
        self, tournament: str, answer: Comparison | Ranking, *, key: str | None = None, again: bool = False
    ) -> None:
        """Record a verdict, an answer or a failure, as soon as it arrives.

        Args:
            tournament: Id of the tournament.
            answer: The call and its verdict, on two items or on several. An equal answer to the same call changes
                nothing; each failure is another attempt.
            key: The key of the verdict cache; None for a failure, which is never cached.
            again: Whether this may have been recorded before. If so, an equal failure counts as the same attempt.

        Raises:
            NotFound: If there is no such tournament, or it lacks one of the items.
            Conflict: If the call has another answer.
        """
        self._write(verdicts.record, tournament, answer, key, self._clock(), again=again)

    def verdict(self, tournament: str, call: str) -> Verdict | None:
        """The answer to a call; None as long as there is none."""
        return self._read(verdicts.answered, tournament, call)

    def cached_verdict(self, key: str) -> Verdict | None:
        """The newest answer with a cache key, in any tournament, as its judge gave it; None if there is none."""
        return self._read(verdicts.cached, key)

    def record_turn(self, tournament: str, turn: DebateTurn) -> None:
        """Record a turn of a debate as soon as it is spoken; an equal turn changes nothing.

        Its usage is that of the advocate alone, as the usage of the verdict is that of the judge alone.

        Raises:
            NotFound: If there is no such tournament.
            Conflict: If the turn is recorded with other content.
        """
        self._write(debates.record, tournament, turn, self._clock())

    def turns(self, tournament: str, call: str | None = None) -> tuple[DebateTurn, ...]:
        """The turns of the debate before a call, in order; or those of all debates, in the order of record."""
        return self._read(debates.turns, tournament, call)

    def each_turn(self, tournament: str) -> Iterator[DebateTurn]:
        """The turns of all debates in the order of record, as an iterator that holds one page in memory.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self._pages(debates.page, tournament)

    # Spending

    def spending(self, tournament: str) -> Spending:
        """The decisions, requests, tokens and dollars of a tournament.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self._read(spending.of_tournament, tournament)

    def total_spending(self) -> Spending:
        """The spending of all tournaments of the ledger together."""
        return self._read(spending.whole, None)

    def spending_by(self, tournament: str, by: By) -> dict[str, Spending]:
        """The spending of a tournament by judge and advocate, or by call; the parts add up to the whole.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self._read(spending.by, tournament, by)

    def match_spending(self, pool: str, match: str, calls: Sequence[str]) -> Spending:
        """The spending of one match, with its debate turns and failed attempts.

        Args:
            pool: The pool.
            match: Id of the match.
            calls: The calls that the match rests on.
        """
        return self._read(spending.of_match, pool, match, calls)
