"""Where a tournament is: its items, what was planned and what was played."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import cast

from paragone.analysis.reviews import seeds
from paragone.domain import (
    Comparison,
    Item,
    Match,
    Planned,
    Ranking,
    Rating,
    RatingChange,
    RatingConfig,
    Review,
    TournamentSystemConfig,
)
from paragone.errors import NotFound
from paragone.ledger import Event, Ledger, PlannedRound
from paragone.ratings.evidence import Evidence
from paragone.tournaments.brief import Brief, Extension
from paragone.tournaments.standing import Standing, stand
from paragone.tournaments.state.course import Course
from paragone.tournaments.state.hearing import turns_left
from paragone.tournaments.state.kept import slim
from paragone.tournaments.state.proximity import Likeness, Proximity


@dataclass(kw_only=True)
class State:
    """A tournament as the ledger has it, kept in step while it runs.

    Attributes:
        id: The tournament's id; its pool has the same.
        brief: What it was asked to do.
        config: How its running Elo moves.
        items: The pool.
        rounds: Rounds planned so far.
        played: Matches that were recorded, in that order, the ones rolled back later included; without rationales and
            criterion scores, which the ledger has.
        rolled_back: Ids of those.
        position: Whether the fit has a position term for each judge.
        ratings: The running Elo and the record of each item, by id.
        events: What happened to it, in order.
        entered: The round in which an item that was added after the start may first play, by id.
        reviews: What reviewers think of its items.
        proximity: Tells which items are alike; None where nothing does. No part of the ledger.
        debates: Whether the judge can hear debates; else matches are planned without.
        course: What was played, digested, as the weighted pairing reads it.
        likeness: What ``proximity`` said so far.
    """

    id: str
    brief: Brief
    config: RatingConfig
    items: tuple[Item, ...]
    rounds: list[PlannedRound] = field(default_factory=list)
    played: list[Match] = field(default_factory=list)
    rolled_back: frozenset[str] = frozenset()
    position: bool = True
    ratings: dict[str, Rating] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    entered: dict[str, int] = field(default_factory=dict)
    reviews: tuple[Review, ...] = ()
    proximity: Proximity | None = None
    debates: bool = True
    course: Course = field(default_factory=Course, init=False, repr=False, compare=False)
    likeness: Likeness = field(default_factory=Likeness, init=False, repr=False, compare=False)
    _heard: int = 0
    _left: tuple[int, dict[str, int]] | None = None
    _standing: tuple[int, Standing] | None = None

    @classmethod
    def begin(
        cls,
        ledger: Ledger,
        name: str,
        brief: Brief,
        items: tuple[Item, ...],
        config: RatingConfig,
        *,
        reviews: tuple[Review, ...] = (),
    ) -> "State":
        """A new tournament, recorded in the ledger; reviews seed the ratings of their items."""
        record = ledger.create_tournament(name, settings=brief.as_json(), items=items, config=config)
        if reviews:
            moves = seeds(reviews, initial=config.initial)
            ledger.join(record.id, (), round=1, adjustments=moves, reviews=reviews)
        state = cls(id=record.id, brief=brief, config=config, items=items, reviews=reviews)
        state.debates = brief.advocate is not None
        state.ratings = ledger.ratings(record.pool)
        state.hear(ledger)
        return state

    def extend(self, ledger: Ledger, changes: Extension) -> None:
        """Change the budget, a limit or the confidence, and record it.

        Raises:
            InvalidConfig: If a value is out of its range.
        """
        self.brief = self.brief.extended(changes)
        ledger.add_event(self.id, "extended", dict(changes))

    @classmethod
    def load(cls, ledger: Ledger, tournament: str | None) -> "State":
        """The state as the ledger has it; of the newest tournament where no id is given."""
        record = ledger.tournament(tournament)
        brief, position = Brief.from_json(record.settings), True
        events = ledger.events(record.id)
        for event in events:
            if event.kind == "extended":
                brief = brief.extended(cast("Extension", event.detail))
            elif event.kind == "import":
                position = event.detail["how"]["position"]
        recorded = ledger.matches(record.pool)
        return cls(
            id=record.id,
            brief=brief,
            config=ledger.pool_config(record.pool),
            items=ledger.items(record.pool),
            rounds=list(ledger.rounds(record.id)),
            played=[slim(entry.match) for entry in recorded],
            rolled_back=frozenset(entry.match.id for entry in recorded if entry.rolled_back),
            position=position,
            ratings=ledger.ratings(record.pool),
            events=list(events),
            entered=entered(events),
            _heard=len(events),
            reviews=ledger.reviews(record.pool),
            debates=brief.advocate is not None,
        )

    def refresh(self, ledger: Ledger) -> None:
        """Take in what others did to the tournament meanwhile: items, events, reviews, ratings that they moved."""
        self.hear(ledger)
        self.reviews = ledger.reviews(self.id)
        ratings = ledger.ratings(self.id)
        if len(ratings) != len(self.items):
            # what joined between the two readings has no rating here, and waits for the next look
            self.items = tuple(item for item in ledger.items(self.id) if item.id in ratings)
            self._standing = None
        if any(ratings[id] != rating for id, rating in self.ratings.items()):
            self._reload(ledger)  # adjusted, or a match was rolled back
        self.ratings = ratings

    def hear(self, ledger: Ledger) -> None:
        """Take in what happened, and no more: of a large pool that is far less to read.

        What this process noted by itself is read again, among what others did meanwhile.
        """
        fresh = ledger.events(self.id, after=self._heard)
        self.events = [*self.events[: self._heard], *fresh]
        self._heard += len(fresh)
        self.entered = entered(self.events)

    def _reload(self, ledger: Ledger) -> None:
        recorded = ledger.matches(self.id)
        self.played = [slim(entry.match) for entry in recorded]
        self.rolled_back = frozenset(entry.match.id for entry in recorded if entry.rolled_back)
        self.course = Course()
        self._standing = None

    def take(self, match: Match, changes: Iterable[RatingChange]) -> None:
        """Take in a match that was just recorded, and the rating changes that it made."""
        self.played.append(slim(match))
        self.moved(match, changes)

    def moved(self, match: Match, changes: Iterable[RatingChange]) -> None:
        """Take in the rating changes of a match: one among several counts as one against each opponent."""
        others = len(match.items) - 1
        for change in changes:
            if match.ranking is None:
                won, lost = int(change.score == 1.0), int(change.score == 0.0)
            else:
                lost = match.items.index(change.item)
                won = others - lost
            before = self.ratings[change.item]
            self.ratings[change.item] = Rating(
                item=change.item,
                elo=change.new,
                matches=before.matches + others,
                wins=before.wins + won,
                losses=before.losses + lost,
                ties=before.ties + others - won - lost,
            )

    def snapshot(self) -> "State":
        """A copy that another thread may read while the run goes on."""
        return replace(
            self,
            rounds=list(self.rounds),
            played=list(self.played),
            ratings=dict(self.ratings),
            events=list(self.events),
        )

    def require(self, items: Iterable[str]) -> None:
        """Refuse ids that are no items.

        Raises:
            NotFound: If one is not in the tournament.
        """
        for id in items:
            if id not in self.ratings:
                raise NotFound(f"there is no item {id!r} in {self.id}")

    @property
    def system(self) -> TournamentSystemConfig:
        """The parameters of the weighted pairing; the documents' defaults for the other ones."""
        return TournamentSystemConfig() if self.brief.system is None else self.brief.system

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self.items)

    @property
    def matches(self) -> list[Match]:
        """Matches that stand, in the order of record."""
        return [match for match in self.played if match.id not in self.rolled_back]

    @property
    def answered(self) -> int:
        """Calls that count towards the budget: those of all matches that were recorded, a list being one call.

        Answers of matches that are still open were planned for, so a run that was killed between an answer and its
        match may still finish what it planned.
        """
        return sum(len(match.answers) for match in self.played)

    @property
    def texts(self) -> int:
        """Texts that these calls showed: two for a pair, as many as it is long for a list."""
        return sum(len(answer.shown) for match in self.played for answer in match.answers)

    @property
    def comparisons(self) -> list[Comparison]:
        """All comparisons of the matches that stand."""
        return [comparison for match in self.matches for comparison in match.comparisons]

    @property
    def weights(self) -> list[float]:
        """How much each of these comparisons counts: the confidence in its match."""
        return [match.confidence for match in self.matches for _ in match.comparisons]

    @property
    def rankings(self) -> list[Ranking]:
        """All rankings of several items of the matches that stand."""
        return [match.ranking for match in self.matches if match.ranking is not None]

    @property
    def told(self) -> bool:
        """Whether there is any evidence yet."""
        return any(answer.verdict.choice.is_evidence for match in self.matches for answer in match.answers)

    @property
    def turns_left(self) -> dict[str, int]:
        """Turns a side that a verdict heard, by its call, where these are not the ones that were planned."""
        if self._left is None or self._left[0] != len(self.events):
            self._left = (len(self.events), turns_left(self.events))
        return self._left[1]

    @property
    def standing(self) -> Standing:
        """The batch fit over what was played so far."""
        if self._standing is None or self._standing[0] != len(self.played):
            fresh = stand(
                self.ids,
                Evidence.of(self.comparisons, self.ids, self.weights, rankings=self.rankings),
                goal=self.brief.goal,
                level=self.brief.level,
                initial=self.config.initial,
                seed=self.brief.seed,
                position=self.position,
            )
            self._standing = (len(self.played), fresh)
        return self._standing[1]

    def supposing(self, config: RatingConfig, played: list[Match], *, position: bool) -> "State":
        """The state as it would be with other matches, another configuration, another model."""
        return replace(self, config=config, played=played, rolled_back=frozenset(), position=position, _standing=None)

    @property
    def open_matches(self) -> list[tuple[str, Planned]]:
        """Matches of the last round that have not been played, by id, in the order of the plan."""
        if not self.rounds:
            return []
        last = self.rounds[-1]
        latest = takewhile(lambda match: match.round == last.number, reversed(self.played))
        played = {match.id for match in latest}
        named = ((match_id(last.number, place), pairing) for place, pairing in enumerate(last.pairings, start=1))
        return [(id, pairing) for id, pairing in named if id not in played]


def entered(events: Iterable[Event]) -> dict[str, int]:
    """The round in which each item that was added after the start may first play, by id."""
    joined = (event.detail for event in events if event.kind == "joined")
    return {item: int(detail["round"]) for detail in joined for item in detail["items"]}


def match_id(number: int, place: int) -> str:
    """Name of a planned match: round and place in it, both from 1."""
    return f"{number}.{place}"
