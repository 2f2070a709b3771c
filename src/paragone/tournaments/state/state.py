"""The state of a tournament: its items, planned rounds and played matches."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from paragone.domain import (
    Adjustment,
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
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import NotFound
from paragone.ledger import Event, Ledger, TournamentRecord
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import Fit, FitOptions
from paragone.tournaments.posterior import Posterior, fit_options, fit_posterior
from paragone.tournaments.state.history import EventReader, EventState, MatchHistory, packed
from paragone.tournaments.state.matches import ComparisonTable, PackedMatches, counted_matches
from paragone.tournaments.state.rounds import PlanOrder, Rounds, block_notes
from paragone.tournaments.tournament_settings import TournamentSettings

if TYPE_CHECKING:
    from paragone.ratings.side_information import ColumnGroup
    from paragone.tournaments.state.similarities import Proximity, SimilarityCache
    from paragone.wire.live import RunLimits


@dataclass(kw_only=True)
class TournamentState:
    """A tournament as the ledger has it, kept in step while it runs.

    Attributes:
        id: The tournament's id; its pool has the same.
        settings: Its settings.
        config: How its running Elo moves.
        items: The items.
        rounds: Rounds planned so far.
        played: Recorded matches in order, those rolled back later included; without rationales and criterion scores,
            which the ledger has.
        rolled_back: Ids of the matches that were rolled back.
        position: Whether the fit has a position term for each judge.
        repeats: Whether answers to one pair may be repeats of one question; None as for ``fit_options``.
        ratings: The running Elo and the record of each item, by id.
        events: Its events, in order.
        reviews: Reviews of its items.
        proximity: Says which items are alike; not part of the ledger.
        debates: Whether the judge can judge debates; otherwise matches are planned without.
        history: Aggregates of the matches, for the weighted pairing.
        similarities: Cached answers of ``proximity``; None before the first round is planned.
    """

    id: str
    settings: TournamentSettings
    config: RatingConfig
    items: tuple[Item, ...]
    rounds: Rounds = field(default_factory=Rounds)
    played: PackedMatches = field(default_factory=PackedMatches)
    rolled_back: frozenset[str] = frozenset()
    position: bool = True
    repeats: bool | None = None
    ratings: dict[str, Rating] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    reviews: tuple[Review, ...] = ()
    proximity: "Proximity | None" = None
    debates: bool = True
    history: MatchHistory = field(default_factory=MatchHistory, init=False, repr=False, compare=False)
    similarities: "SimilarityCache | None" = field(default=None, init=False, repr=False, compare=False)
    _digest: EventReader = field(default_factory=EventReader, init=False, repr=False, compare=False)
    _matches_read: "_Recorded | None" = field(default=None, repr=False, compare=False)
    _events_read: int = 0
    _posterior: tuple[int, Posterior] | None = None
    _plain_fit: tuple[object, Fit] | None = None

    @classmethod
    def begin(
        cls,
        ledger: Ledger,
        name: str,
        settings: TournamentSettings,
        items: tuple[Item, ...],
        config: RatingConfig,
        *,
        reviews: tuple[Review, ...] = (),
        events: Sequence[tuple[str, Mapping[str, Any]]] = (),
        wish: Mapping[str, str] | None = None,
    ) -> "TournamentState":
        """A new tournament, recorded in the ledger in one transaction; reviews seed the ratings of their items.

        Args:
            ledger: The ledger.
            name: Its title, from which its id is made.
            settings: Its settings.
            items: Its items.
            config: How the running Elo moves.
            reviews: Reviews of the items.
            events: Events that it begins with, each a kind and its detail.
            wish: See ``ledger.tournaments.create``.
        """
        settings = replace(settings, title=name)
        record = ledger.tournaments.create(
            name,
            settings=settings.as_json(),
            items=items,
            config=config,
            wish=wish,
            adjustments=_seeds(reviews, config.initial) if reviews else (),
            reviews=reviews,
            events=events,
        )
        state = cls(id=record.id, settings=settings, config=config, items=items, reviews=reviews)
        state.debates = settings.advocate is not None
        state.ratings = ledger.ratings.all(record.pool)
        state.read_events(ledger)
        return state

    def without_past(self) -> "TournamentState":
        """The tournament as it was before its first round, to be followed by a planner."""
        events = list(self.events)
        return replace(self, rounds=Rounds(), played=PackedMatches(), ratings={}, events=events, _posterior=None)

    def extend(self, ledger: Ledger, changes: "RunLimits") -> None:
        """Change the budget, a limit or the confidence, and record it.

        Raises:
            InvalidConfig: If a value is out of its range.
        """
        self.settings = self.settings.extended(changes)
        ledger.tournaments.add_event(self.id, "extended", dict(changes))

    @classmethod
    def load(cls, ledger: Ledger, tournament: str | None) -> "TournamentState":
        """The state of a tournament on record; of the newest if no id is given."""
        return cls._read(ledger, ledger.tournaments.get(tournament), _Recorded())

    def followed(self, ledger: Ledger) -> "TournamentState":
        """The state on record now; of the matches only what is new is read, so this state may not be used any more."""
        return self._read(ledger, ledger.tournaments.get(self.id), self._matches_read or _Recorded())

    @classmethod
    def _read(cls, ledger: Ledger, record: TournamentRecord, recorded: "_Recorded") -> "TournamentState":
        events = ledger.tournaments.events(record.id)
        settings = TournamentSettings.from_json(record.settings).after(events)
        terms = import_terms(events)
        recorded = recorded.followed(ledger, record.pool)
        planned = ledger.tournaments.rounds(record.id, beyond=len(recorded.rounds))
        recorded.rounds.extend(planned)
        return cls(
            id=record.id,
            settings=settings,
            config=ledger.pools.config(record.pool),
            items=ledger.items.all(record.pool),
            rounds=recorded.rounds,
            played=recorded.played,
            rolled_back=recorded.rolled_back,
            position=terms.get("position", True),
            repeats=terms.get("repeats"),
            ratings=ledger.ratings.all(record.pool),
            events=list(map(packed, events)),
            _events_read=len(events),
            reviews=ledger.items.reviews(record.pool),
            debates=settings.advocate is not None,
            _matches_read=recorded,
        )

    def refresh(self, ledger: Ledger) -> None:
        """Read what other processes recorded meanwhile: items, events, reviews, rating changes."""
        self.read_events(ledger)
        self.reviews = ledger.items.reviews(self.id)
        ratings = ledger.ratings.all(self.id)
        if len(ratings) != len(self.items):
            # an item that joined between the two queries has no rating here, and waits for the next refresh
            self.items = tuple(item for item in ledger.items.all(self.id) if item.id in ratings)
            self._posterior = None
        if any(ratings[id] != rating for id, rating in self.ratings.items()):
            self._reload(ledger)  # adjusted, or a match was rolled back
        self.ratings = ratings

    def read_events(self, ledger: Ledger) -> None:
        """Read new events only, which is much less to read than a large pool.

        Events that this process recorded itself are read again, in order with those of others.
        """
        self.events[self._events_read :] = map(packed, ledger.tournaments.events(self.id, after=self._events_read))
        self._events_read = len(self.events)

    def _reload(self, ledger: Ledger) -> None:
        recorded = _Recorded().followed(ledger, self.id)
        self.played, self.rolled_back = recorded.played, recorded.rolled_back
        self.history = MatchHistory()
        self._posterior = None

    def take(self, match: Match, changes: Iterable[RatingChange]) -> None:
        """Add a match that was just recorded, with its rating changes."""
        self.played.append(match)
        self.apply_changes(match, changes)

    def apply_changes(self, match: Match, changes: Iterable[RatingChange]) -> None:
        """Apply the rating changes of a match; one among several items counts as one against each opponent."""
        opponents = len(match.items) - 1
        for change in changes:
            if match.ranking is None:
                won, lost = int(change.score == 1.0), int(change.score == 0.0)
            else:
                lost = match.items.index(change.item)
                won = opponents - lost
            before = self.ratings[change.item]
            self.ratings[change.item] = Rating(
                item=change.item,
                elo=change.new,
                matches=before.matches + opponents,
                wins=before.wins + won,
                losses=before.losses + lost,
                ties=before.ties + opponents - won - lost,
            )

    def void(self, matches: Iterable[str], items: tuple[Item, ...] | None = None) -> None:
        """Note that matches were rolled back, and the present items if some joined."""
        self.rolled_back |= frozenset(matches)
        self.items = self.items if items is None else items
        self.history = MatchHistory()
        self._posterior = None

    def snapshot(self) -> "TournamentState":
        """A copy that another thread may read while the run goes on."""
        return replace(
            self,
            rounds=self.rounds.copy(),
            played=self.played.copy(),
            ratings=dict(self.ratings),
            events=list(self.events),
        )

    def require(self, items: Iterable[str]) -> None:
        """Check that all ids are items.

        Raises:
            NotFound: If one is not in the tournament.
        """
        for id in items:
            if id not in self.ratings:
                raise NotFound(f"there is no item {quoted(id)} in {self.id}{did_you_mean(id, self.ratings)}")

    @property
    def system(self) -> TournamentSystemConfig:
        """The parameters of the weighted pairing; the specifications' defaults for the other ones."""
        return _documents_defaults() if self.settings.system is None else self.settings.system

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self.items)

    @property
    def event_state(self) -> EventState:
        """The state that the events lead to."""
        return self._digest.of(self.events, self._events_read)

    @property
    def entered(self) -> Mapping[str, int]:
        """The round in which an item that was added after the start may first play, by id."""
        return self.event_state.entered

    @property
    def matches(self) -> Sequence[Match]:
        """Matches that were not rolled back, in the order of record."""
        if not self.rolled_back:
            return self.played
        return [self.played[row] for row in np.flatnonzero(counted_matches(self.played, self.rolled_back)).tolist()]

    @property
    def answered(self) -> int:
        """Calls that count towards the budget: those of all recorded matches; a list is one call.

        Answers of open matches do not count yet, so that a run that was killed between an answer and its match can
        finish what it planned.
        """
        return self.played.calls

    @property
    def texts(self) -> int:
        """Texts shown in these calls: two for a pair, its length for a list."""
        return self.played.texts

    @property
    def comparison_table(self) -> ComparisonTable:
        """The comparisons of valid matches, as columns."""
        return ComparisonTable.of(self.played, self.ids, self.rolled_back)

    @property
    def comparisons(self) -> list[Comparison]:
        """All comparisons of valid matches."""
        return [comparison for match in self.matches for comparison in match.comparisons]

    @property
    def weights(self) -> list[float]:
        """The weight of each of these comparisons: the confidence in its match."""
        return [match.confidence for match in self.matches for _ in match.comparisons]

    @property
    def rankings(self) -> list[Ranking]:
        """All rankings of several items in valid matches."""
        several = (match for match in self.played.list_matches.values() if match.id not in self.rolled_back)
        return [match.ranking for match in several if match.ranking is not None]

    @property
    def evidence(self) -> Evidence:
        """The evidence of the fit."""
        rankings = self.rankings
        if not rankings:
            return self.comparison_table.evidence()
        return Evidence.of(self.comparisons, self.ids, self.weights, rankings=rankings)

    @property
    def has_evidence(self) -> bool:
        """Whether there is any evidence yet."""
        return bool(self.comparison_table.is_evidence.any()) or any(ranking.verdict.order for ranking in self.rankings)

    @property
    def turns_left(self) -> Mapping[str, int]:
        """Turns a side that were judged, by call, where these are not as many as planned."""
        return self.event_state.turns_left

    @property
    def posterior(self) -> Posterior:
        """The batch fit over what was played so far."""
        if self._posterior is None or self._posterior[0] != len(self.played):
            fresh = posterior_of(
                self.settings,
                self.items,
                self.evidence,
                initial=self.config.initial,
                position=self.position,
                repeats=self.repeats,
            )
            self._posterior = (len(self.played), fresh)
        return self._posterior[1]

    @property
    def plain_fit(self) -> Fit:
        """The fit without averages and draws, for decisions that are made often: a third of the work of ``posterior``.

        It takes for granted that items differ, and that answers to one pair are independent.
        """
        of = (len(self.played), self.rolled_back, self.ids)
        if self._plain_fit is None or self._plain_fit[0] != of:
            evidence = self.evidence
            options = replace(self.fit_options(evidence.judges), no_signal=0.0, repeats=False)
            self._plain_fit = (of, fit(evidence, options))
        return self._plain_fit[1]

    def fit_options(self, judges: Collection[str]) -> FitOptions:
        """The terms of a fit of answers by these judges."""
        return fit_options(judges, position=self.position, repeats=self.repeats)

    def supposing(self, config: RatingConfig, played: Iterable[Match], *, position: bool) -> "TournamentState":
        """The state with other matches, another configuration, another model."""
        played = PackedMatches(played)
        return replace(
            self,
            config=config,
            played=played,
            rolled_back=frozenset(),
            position=position,
            _posterior=None,
            _plain_fit=None,
        )

    @property
    def open_matches(self) -> list[tuple[str, Planned]]:
        """Planned matches that are to be played now, by id, in the order of the plan.

        Those of the last round, or where rounds are planned ahead those of all rounds that were not set aside.
        """
        if not self.rounds:
            return []
        if block_notes(self.events):
            return PlanOrder.of(self.rounds, self.played.ids(), self.events).open
        last = self.rounds[-1]
        if last.number == self.event_state.cancelled:
            return []
        latest = next(self.played.rounds_back(), range(0))
        played = {match.id for match in map(self.played.contest, latest) if match.round == last.number}
        planned = (
            (match_id(last.number, position), pairing) for position, pairing in enumerate(last.pairings, start=1)
        )
        return [(id, pairing) for id, pairing in planned if id not in played]


def posterior_of(
    settings: TournamentSettings,
    items: Sequence[Item],
    evidence: Evidence,
    *,
    initial: float,
    position: bool = True,
    repeats: bool | None = None,
) -> Posterior:
    """The batch fit over the evidence of a tournament, on the terms of its settings.

    Args:
        settings: Its settings.
        items: Its items.
        evidence: The evidence, over the same items.
        initial: The rating of an average item, in Elo points.
        position: See ``TournamentState``.
        repeats: See ``TournamentState``.
    """
    groups: tuple[ColumnGroup, ...] = ()
    if settings.side_information.columns:
        from paragone.tournaments.side_information import groups_of  # loads what fits columns

        groups = groups_of(settings.side_information.columns, items)
    return fit_posterior(
        tuple(item.id for item in items),
        evidence,
        goal=settings.goal,
        level=settings.level,
        initial=initial,
        seed=settings.seed,
        options=fit_options(evidence.judges, position=position, repeats=repeats),
        groups=groups,
        gold=settings.gold,
        prior=settings.prior,
    )


def import_terms(events: Iterable[Event]) -> Mapping[str, Any]:
    """How to read imported votes: ``position``, and ``repeats`` if it was given; empty without imports."""
    terms: Mapping[str, Any] = {}
    for event in events:
        if event.kind == "import":
            terms = event.detail["how"]
    return terms


@dataclass(frozen=True, kw_only=True, slots=True)
class _Recorded:
    """What was read of the matches and rounds on record.

    Attributes:
        rounds: The planned rounds; a list that grows.
        played: The matches; another one.
        rolled_back: Ids of those that were rolled back.
        match: Sequence number of the last match.
        rollback: Sequence number of the last rollback.
    """

    rounds: Rounds = field(default_factory=Rounds)
    played: PackedMatches = field(default_factory=PackedMatches)
    rolled_back: frozenset[str] = frozenset()
    match: int = 0
    rollback: int = 0

    def followed(self, ledger: Ledger, pool: str) -> "_Recorded":
        """With what was recorded since."""
        last = self.match
        for entry in ledger.matches.each(pool, self.match):
            self.played.append(entry.match)
            last = entry.sequence
        rollbacks = ledger.matches.rollbacks_after(pool, self.rollback)  # of older matches too
        return replace(
            self,
            played=self.played,
            rolled_back=self.rolled_back | {match for _, match in rollbacks},
            match=last,
            rollback=max((seq for seq, _ in rollbacks), default=self.rollback),
        )


def match_id(number: int, position: int) -> str:
    """The id of a planned match: its round and its position in it, both from 1."""
    return f"{number}.{position}"


def _seeds(reviews: Sequence[Review], initial: float) -> Sequence[Adjustment]:
    from paragone.analysis.reviews import seeds  # few tournaments begin with reviews

    return seeds(reviews, initial=initial)


@cache
def _documents_defaults() -> TournamentSystemConfig:
    """Made once: each of its hundred parameters is checked, and some ask for it once for each item."""
    return TournamentSystemConfig()
