"""``ledger.tournaments``: rounds, events, verdicts, debates and spending."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, select

from paragone.domain import (
    Adjustment,
    DebateTurn,
    Item,
    Lineup,
    Order,
    Pairing,
    Planned,
    RatingConfig,
    Review,
    Spending,
)
from paragone.errors import Conflict
from paragone.ledger import chain, schema
from paragone.ledger.column_types import canonical
from paragone.ledger.databases.database import Namespace, appends, glances, pages, reads
from paragone.ledger.evidence import pools, rating_changes, tournaments, verdicts
from paragone.ledger.evidence import spending as spending_
from paragone.ledger.evidence.spending import By
from paragone.ledger.evidence.tournaments import JOINED, REVIEWED, ROUND
from paragone.ledger.records import PlannedRound, TournamentRecord


def _turns_after(connection: Connection, pool: str, after: int, count: int) -> tuple[list[DebateTurn], int]:
    """The next turns of a pool, and the sequence number of the last."""
    table = schema.debate_turn
    query = select(table).where(table.c.pool == pool, table.c.seq > after).order_by(table.c.seq).limit(count)
    rows = connection.execute(query).all()
    return list(map(verdicts.turn_of, rows)), rows[-1].seq if rows else after


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
        plan = PlannedRound(number=number, pairings=tuple(pairings))
        detail = {**(notes or {}), "number": number}
        with self._database.write() as connection:
            tournaments.record(connection, tournament)
            with chain.appending(connection, tournament, at) as page:
                recorded = next(iter(_rounds(connection, tournament, number)), None)
                if recorded is None:
                    page.add(schema.planned_round, number=number, pairings=list(map(_stored, pairings)))
                    if notes:
                        page.add(schema.tournament_event, kind=ROUND, detail=detail)
                elif recorded != plan:
                    raise Conflict(f"round {number} of tournament {tournament!r} has another plan already")
                elif notes and canonical(detail) not in map(canonical, _notes(connection, tournament, number)):
                    raise Conflict(f"round {number} of tournament {tournament!r} was planned already, with other notes")

    def rounds(self, tournament: str, *, beyond: int = 0) -> tuple[PlannedRound, ...]:
        """The planned rounds of a tournament, in the order of planning.

        Args:
            tournament: Its id.
            beyond: How many of the first to leave out; none is ever changed or removed.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            tournaments.record(connection, tournament)
            return tuple(_rounds(connection, tournament, beyond=beyond))

    def count_rounds(self, tournament: str) -> int:
        """The number of planned rounds."""
        return self._read(chain.count, schema.planned_round, tournament)[0]

    # Verdicts and debates

    record_verdict = appends(verdicts.record, prepare=verdicts.prepare)
    verdict = reads(verdicts.answered)
    cached_verdict = glances(verdicts.cached)  # two where there is one: the second sees what the first did

    record_turn = appends(verdicts.record_turn)

    def turns(self, tournament: str, call: str | None = None) -> tuple[DebateTurn, ...]:
        """The turns of the debate before a call, in order; or those of all debates, in the order of record."""
        table = schema.debate_turn
        query = select(table).where(table.c.pool == tournament).order_by(table.c.seq)
        if call is not None:
            query = select(table).where(table.c.pool == tournament, table.c.call == call).order_by(table.c.number)
        with self._database.read() as connection:
            return tuple(map(verdicts.turn_of, connection.execute(query)))

    each_turn = pages(_turns_after)
    """The turns of all debates in the order of record, as an iterator that holds one page in memory."""

    # Spending

    def spending(self, tournament: str) -> Spending:
        """The decisions, requests, tokens and dollars of a tournament.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return spending_.of_pool(connection, tournaments.record(connection, tournament).pool)

    def total_spending(self) -> Spending:
        """The spending of all tournaments of the ledger together."""
        return self._read(spending_.of_pool, None)

    def spending_by(self, tournament: str, by: By) -> dict[str, Spending]:
        """The spending of a tournament by judge and advocate, or by call; the parts add up to the whole.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return spending_.by(connection, tournaments.record(connection, tournament).pool, by)

    match_spending = reads(spending_.of_match)


def _rounds(connection: Connection, id: str, number: int | None = None, *, beyond: int = 0) -> list[PlannedRound]:
    table = schema.planned_round
    conditions = [table.c.pool == id, *([] if number is None else [table.c.number == number])]
    query = select(table.c.number, table.c.pairings).where(*conditions).order_by(table.c.seq)
    rows = connection.execute(query.offset(beyond) if beyond else query)
    return [PlannedRound(number=row.number, pairings=tuple(map(_planned, row.pairings))) for row in rows]


def _stored(planned: Planned) -> list[Any]:
    if isinstance(planned, Lineup):
        return [list(planned.items)]
    debate: list[Any] = [planned.turns, planned.degraded] if planned.turns or planned.degraded else []
    if planned.panel or planned.level:  # plans without them are stored as they were before there were any
        debate = [planned.turns, planned.degraded, planned.panel, planned.level]
    return [planned.a, planned.b, list(planned.orders), *debate]


def _planned(stored: list[Any]) -> Planned:
    if len(stored) == 1:
        return Lineup(items=tuple(stored[0]))
    a, b, orders, *debate = stored
    form: list[Any] = debate + [0, False, False, 0][len(debate) :]
    turns, degraded, panel, level = form
    orders_shown = tuple(map(Order, orders))
    return Pairing(a=a, b=b, orders=orders_shown, turns=turns, degraded=degraded, panel=panel, level=level)


def _notes(connection: Connection, id: str, number: int) -> list[Mapping[str, Any]]:
    details = (event.detail for event in tournaments.events(connection, id) if event.kind == ROUND)
    return [detail for detail in details if detail["number"] == number]
