"""``ledger.tournaments``: rounds, events, verdicts, debates and spending."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from paragone.domain import Adjustment, Item, Planned, RatingConfig, Review, Spending
from paragone.ledger import chain, schema
from paragone.ledger.databases.database import Namespace, appends, glances, pages, reads
from paragone.ledger.evidence import pools, rating_changes, tournaments, verdicts
from paragone.ledger.evidence import spending as spending_
from paragone.ledger.evidence.tournaments import JOINED, REVIEWED
from paragone.ledger.records import TournamentRecord

EventToRecord = tuple[str, Mapping[str, Any]]
"""An event, as a kind and its detail."""


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
        adjustments: Sequence[Adjustment] = (),
        reviews: Sequence[Review] = (),
        events: Sequence[EventToRecord] = (),
    ) -> TournamentRecord:
        """Create a tournament with its pool, its items and whatever it begins with: all of it, or nothing.

        Args:
            stem: The id is made of this and a number.
            settings: The tournament's settings.
            items: Its items.
            config: Its rating parameters.
            wish: Identifies the request: a ``key`` and a fingerprint of what was requested. An equal request returns
                the tournament that it created the first time.
            adjustments: Adjustments of ratings, such as seeds, in the order in which they apply.
            reviews: Reviews of the items.
            events: Further events, each a kind and its detail.

        Raises:
            Conflict: If two items with the same id differ, or the key was used for another request.
            InvalidItems: If the items are of several kinds.
            NotFound: If an adjustment or a review names another item.
        """
        at = self._clock()
        with self._database.write(alone=True) as connection:
            existing = None if wish is None else tournaments.wished(connection, wish)
            if existing is not None:
                return existing
            created = tournaments.create(connection, stem, settings, items, config, at, wish)
            if adjustments or reviews or events:
                with chain.appending(connection, created.id, at) as page:
                    pools.put_reviews(connection, page, reviews)
                    rating_changes.put_adjustments(connection, page, adjustments)
                    tournaments.put_events(connection, page, events)
            return created

    for_request = reads(tournaments.wished)
    get = reads(tournaments.record)
    all = reads(tournaments.records)
    marks = reads(tournaments.marks)
    states = reads(tournaments.states)

    def claim(self, tournament: str) -> AbstractContextManager[Callable[[], bool]]:
        """Hold a tournament while running it; released at the end of the block, or when the process is killed.

        The value of the block says whether it is still held: a database server that dies releases it, too.

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
        wake: bool = False,
        events: Sequence[EventToRecord] = (),
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
            wake: Whether items that were there and have new reviews may play again if they rest after losses: a
                ``reviewed`` event names them.
            events: Further events, recorded before the reviews.

        Returns:
            The new items.

        Raises:
            NotFound: If there is no such tournament, or an adjustment or review names an item that it lacks.
            Conflict: If an item exists with another text, or an adjustment with other content.
            InvalidItems: If an item is of another kind than the others.
        """
        at = self._clock()
        with self._database.write() as connection:
            tournaments.record(connection, tournament)
            with chain.appending(connection, tournament, at) as page:
                fresh = pools.put_items(connection, page, items)
                if fresh:
                    detail = {"items": [item.id for item in fresh], "round": round}
                    page.add(schema.tournament_event, kind=JOINED, detail=detail)
                if events:
                    tournaments.put_events(connection, page, events)
                news = {review.item for review in pools.put_reviews(connection, page, reviews)}
                news -= {item.id for item in fresh}
                if wake and news:
                    page.add(schema.tournament_event, kind=REVIEWED, detail={"items": sorted(news)})
                rating_changes.put_adjustments(connection, page, adjustments)
        return tuple(fresh)

    add_event = appends(tournaments.put_event)
    add_events = appends(tournaments.put_events)
    events = reads(tournaments.events)
    guidance = reads(tournaments.guidance)
    place_of_round = glances(tournaments.place_of_round)

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
        at = self._clock()
        with self._database.write() as connection:
            tournaments.record(connection, tournament)
            with chain.appending(connection, tournament, at) as page:
                tournaments.put_round(connection, page, number, pairings, notes or {})

    rounds = reads(tournaments.rounds)

    def count_rounds(self, tournament: str) -> int:
        """The number of planned rounds."""
        return self._read(chain.count, schema.planned_round, tournament)[0]

    # Verdicts and debates

    record_verdict = appends(verdicts.record, prepare=verdicts.prepare)
    verdict = reads(verdicts.answered)
    cached_verdict = glances(verdicts.cached)  # two where there is one: the second sees what the first did

    record_turn = appends(verdicts.record_turn)

    turn = glances(verdicts.turn_before)
    turns = reads(verdicts.turns)
    each_turn = pages(verdicts.turns_after)
    """The turns of all debates in the order of record, as an iterator that holds one page in memory."""

    # Spending

    spending = reads(tournaments.spending)

    def total_spending(self) -> Spending:
        """The spending of all tournaments of the ledger together."""
        return self._read(spending_.of_pool, None)

    spending_by = reads(tournaments.spending_by)
    match_spending = reads(spending_.of_match)
