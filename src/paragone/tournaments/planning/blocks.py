"""Plan a tournament ahead of its answers, a block of matches at a time.

A block is a pure function of the items, the seed, the pairs of all blocks before it, and the first so many matches on
record. The planners here keep what they know between blocks, so that a block costs little; a planner that is made anew
reads all blocks on record and then plans as the one before would have.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np

from paragone.domain import Aim, Choice, Comparison, Match, Outcome, Pairing, Planned
from paragone.ledger import PlannedRound
from paragone.pairing import gain, informative
from paragone.pairing.forecast import forecast, reached
from paragone.pairing.presentation import PairHistory, alternating_orders
from paragone.ratings.evidence import Floats
from paragone.ratings.model.curvature import one_thread
from paragone.tournaments.planning import round_robin_policy
from paragone.tournaments.planning.carried_posterior import DENSE, CarriedPosterior
from paragone.tournaments.planning.schedule import Plan, afforded
from paragone.tournaments.planning.stopping import budget_left, reached_reason
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.rounds import block_notes
from paragone.tournaments.tournament_settings import TournamentSettings

DRAWS, LOOKS = 200, 100
"""Draws by which pairs are chosen; those by which it is found out whether a full forecast is worth its time."""
LEAST_EVIDENCE = 24
"""New matches on record before a new fit, at the least; in larger pools half as many as there are items."""

BY_GAIN = "by_gain"
"""Note of a block: whether the tournament plans by gain, which it keeps for good. Earlier versions did not."""

_SCORES = {Choice.FIRST: 1.0, Choice.SECOND: 0.0, Choice.TIE: 0.5}


class BlockPlanner(Protocol):
    """Plans a tournament block by block."""

    def learn(self, matches: Iterable[Match]) -> None:
        """Take in further matches, in the order of record."""
        ...

    def following(self, size: int, *, idle: bool) -> Plan:
        """The next block, with its notes; or why there is none.

        Args:
            size: Matches of the block.
            idle: Whether every match that was planned has been played or given up, and all on record were taken in.
        """
        ...

    def planned(self, block: PlannedRound) -> None:
        """Note that a block is on record."""
        ...


class RoundRobinBlocks:
    """The rounds of a round robin, for which no answer is needed.

    Args:
        state: The tournament as it is when a run begins.
    """

    def __init__(self, state: TournamentState) -> None:
        self._view = state.without_past()
        self._retired = frozenset(state.event_state.retired)
        self._calls = 0
        for block in state.rounds:
            self.planned(block)

    def learn(self, matches: Iterable[Match]) -> None:
        """Take in further matches: those that are missing at the end are asked again."""
        self._view.played.extend(matches)

    def following(self, size: int, *, idle: bool) -> Plan:  # noqa: ARG002 - a round is a block
        """The next round; once all are planned and played, what stayed open in them."""
        is_planned = round_robin_policy.is_planned(self._view)
        if is_planned and not idle:
            return Plan()
        plan = round_robin_policy.plan(self._view)
        if is_planned:  # what stayed open; rounds themselves are never cut, as the next begins where they end
            pairings = tuple(pairing for pairing in plan.pairings if self._retired.isdisjoint(pairing.items))
            plan = replace(plan, pairings=pairings, reason=plan.reason or "everyone who is left has met everyone")
        return afforded(self._view, replace(plan, notes={"evidence": 0}), planned_calls=0 if idle else self._calls)

    def planned(self, block: PlannedRound) -> None:
        """Note that a block is on record."""
        self._view.rounds.append(block)
        self._calls += sum(planned.calls for planned in block.pairings)


class InformativeBlocks:
    """The comparisons that tell most, with those that are not answered yet taken for half known.

    Args:
        state: The tournament as it is when a run begins.
        notes: The notes of the blocks on record, by round.
    """

    def __init__(self, state: TournamentState, notes: Mapping[int, Mapping[str, Any]]) -> None:
        self._view = state.without_past()
        self._index = {id: number for number, id in enumerate(state.ids)}
        self._history = PairHistory(len(self._index))
        self._opponents: list[set[int]] = [set() for _ in self._index]
        self._carried: CarriedPosterior | None = None
        self._waiting: dict[tuple[int, int], int] = {}  # comparisons without an answer, and how often they were planned
        self._fitted = 0  # matches on record at the last fit
        self._fits = False
        self._doubt = 1.0  # probability of no signal at the last fit
        self._inverted: frozenset[str] = frozenset()  # judges that it turned round
        self._calls = 0
        first_round = min((block.number for block in state.rounds), default=None)
        # The best item alone is found more often among near neighbours of the favourites.
        suited = len(self._index) <= gain.MOST_ITEMS and state.settings.goal.aim is not Aim.WINNER
        self._by_gain = suited if first_round is None else notes.get(first_round, {}).get(BY_GAIN, False)
        self._replay(state, notes)

    def _replay(self, state: TournamentState, notes: Mapping[int, Mapping[str, Any]]) -> None:
        """Follow the blocks on record as if they had just been planned; only the last fit is made again."""
        last_fit = max((number for number, note in notes.items() if note.get("refit")), default=0)
        matches = iter(state.played)
        for block in state.rounds:
            note = notes.get(block.number)
            if note is not None:
                self.learn(islice(matches, max(0, note["evidence"] - len(self._view.played))))
                if block.number == last_fit:
                    self._fit()
            self.planned(block)

    def learn(self, matches: Iterable[Match]) -> None:
        """Take in further matches, in the order of record."""
        for match in matches:
            self._view.played.append(match)
            if match.outcome is not Outcome.VOID and match.id not in self._view.rolled_back:
                self._meet(match.items)
            for comparison in match.comparisons:
                self._answer(comparison, match.confidence)

    def _meet(self, items: Collection[str]) -> None:
        numbers = [self._index[item] for item in items if item in self._index]
        for number in numbers:
            if len(self._opponents[number]) < 2:
                self._opponents[number].update(other for other in numbers if other != number)

    def _answer(self, comparison: Comparison, weight: float) -> None:
        pair = self._index[comparison.first], self._index[comparison.second]
        times = self._waiting.get(pair, 0)
        if times > 1:
            self._waiting[pair] = times - 1
        elif not self._waiting.pop(pair, 0):  # no plan had it, such as a vote
            self._history.add(*pair)
            if self._carried is not None:
                self._carried.expect(*pair)
        verdict = comparison.verdict
        if self._carried is not None and verdict.choice.is_evidence:
            score = _SCORES[verdict.choice] if verdict.probability is None else verdict.probability
            inverted = verdict.judge in self._inverted
            self._carried.learn(*pair, 1.0 - score if inverted else score, weight)

    def planned(self, block: PlannedRound) -> None:
        """Note that a block is on record: its pairs are half known from now on."""
        self._view.rounds.append(block)
        self._calls += sum(planned.calls for planned in block.pairings)
        for planned in block.pairings:
            for pair in self._shown(planned):
                self._history.add(*pair)
                self._waiting[pair] = self._waiting.get(pair, 0) + 1
                if self._carried is not None:
                    self._carried.expect(*pair)

    def _shown(self, planned: Planned) -> list[tuple[int, int]]:
        """The comparisons of a planned match, in their orders of presentation."""
        if not isinstance(planned, Pairing):
            return []
        ids = [planned.shown(order) for order in planned.orders]
        return [(self._index[first], self._index[second]) for first, second in ids]

    @one_thread
    def following(self, size: int, *, idle: bool) -> Plan:
        """The next block, unless the ranking asked for is settled or the budget is spent."""
        calls = 0 if idle else self._calls
        if budget_left(self._view, calls).is_spent:
            return afforded(self._view, Plan(), calls)
        self._fits = False
        if self._is_fit_due():
            self._fit()
        draws = None if self._carried is None else self._carried.draws(DRAWS, self._rng(1))
        if draws is not None and self._might_stop(draws):
            if reached(self._view.posterior.forecast, self._view.settings.goal):
                return Plan(reason=reached_reason(self._view))
            draws = self._carried.draws(DRAWS, self._rng(1)) if self._carried is not None else draws
        plan = self._pairs(size, draws)
        notes = {"evidence": len(self._view.played), "refit": self._fits, BY_GAIN: self._by_gain}
        return afforded(self._view, replace(plan, notes=notes), calls)

    def _is_fit_due(self) -> bool:
        if self._carried is None:
            # A model's ratings say which pairs to begin with; without them the first are chosen at random.
            return bool(self._view.rounds or self._view.settings.prior is not None)
        return len(self._view.played) - self._fitted >= self._patience()

    def _patience(self) -> int:
        return max(LEAST_EVIDENCE, len(self._index) // 2)

    def _fit(self) -> None:
        """Fit the evidence, and take the comparisons that are not answered yet for half known."""
        fitted = self._view.posterior.fit
        dense = gain.MOST_ITEMS if self._by_gain else DENSE
        self._carried, self._doubt = CarriedPosterior.of(fitted, dense=dense), fitted.no_signal
        self._fitted, self._fits = len(self._view.played), True
        self._inverted = self._view.posterior.inverted
        for pair, times in self._waiting.items():
            for _ in range(times):
                self._carried.expect(*pair)

    def _might_stop(self, draws: Floats) -> bool:
        """Whether the full forecast is worth its time: what is carried forward knows a little too much.

        If so, and some evidence has come since the last fit, there is a new one.
        """
        if self._carried is None or min(map(len, self._opponents)) < min(2, len(self._opponents) - 1):
            return False
        goal = self._view.settings.goal
        if not reached(forecast(self._carried.mean, draws[:LOOKS], goal), goal):
            return False
        if not self._fits and len(self._view.played) - self._fitted >= self._patience() // 3:
            self._fit()
        return self._fits

    def _pairs(self, size: int, draws: Floats | None) -> Plan:
        if self._carried is None or draws is None:
            pairs = informative.start(len(self._index), rng=self._rng())
        elif self._by_gain:
            pairs = self._of_most_gain(size, self._carried)
        else:
            pairs = self._of_neighbours(size, self._carried, draws)
        if not pairs:
            return Plan(reason="every pair has been asked in both orders")
        ids, orders = self._view.ids, alternating_orders(self._view.settings.comparison_rounds)
        return Plan(pairings=tuple(Pairing(a=ids[first], b=ids[second], orders=orders) for first, second in pairs))

    def _of_most_gain(self, size: int, carried: CarriedPosterior) -> tuple[tuple[int, int], ...]:
        settings = self._view.settings
        far = gain.FAR_SHARE if self._doubt > gain.DOUBT else 0.0
        focus = (1.0 - far) * gain.FOCUS_SHARE[settings.goal.aim]
        return gain.next_batch(
            carried.mean,
            carried.covariance,
            self._history,
            settings.goal,
            size=size,
            audit_share=settings.audit_share,
            far=self._share_of(size, far),
            focus=self._share_of(size, focus),
            rng=self._rng(),
            seen=carried.seen,
        )

    def _of_neighbours(self, size: int, carried: CarriedPosterior, draws: Floats) -> tuple[tuple[int, int], ...]:
        settings = self._view.settings
        far = self._share_of(size, informative.FAR_SHARE)
        focus = self._share_of(size, informative.FOCUS_SHARE * (1 - informative.FAR_SHARE))
        return informative.next_batch(
            carried.mean,
            draws,
            self._history,
            settings.goal,
            size=size,
            audit_share=settings.audit_share,
            far_share=far / size,
            focus_share=focus / max(1, size - far),
            rng=self._rng(),
        )

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng([self._view.settings.seed, len(self._view.rounds) + 1, *purpose])

    def _share_of(self, size: int, share: float) -> int:
        """Pairs of a block for a purpose: over all blocks they come to their share, however small blocks are."""
        total = self._history.total
        return math.floor((total + size) * share) - math.floor(total * share)


def planner_for(state: TournamentState, notes: Mapping[int, Mapping[str, Any]]) -> BlockPlanner:
    """The planner of a tournament whose rounds can be planned ahead."""
    if state.settings.pairing == "round-robin":
        return RoundRobinBlocks(state)
    if state.settings.paired is not None:
        from paragone.tournaments.planning.paired_policy import PairedBlocks

        return PairedBlocks(state, notes)
    return InformativeBlocks(state, notes)


SMALLEST = 16
"""The smallest window: room for as many calls in flight as there are by default."""
MARGIN = 2
"""A window holds at least so many times the calls in flight; a smaller one keeps them waiting for each other."""
WIDE = 4
"""A window that is chosen for its calls in flight holds so many times as many, for stragglers not to fill it."""
MOST = 4
"""The largest window, as a multiple of the items: one more and the pairs would be as good as random."""
PLAIN = 4
"""Items to a call in flight: with at least so many, calls in flight change no result, and the window is half of the
items."""
PARTS = 2
"""Blocks in a window; more where a block would have more matches than there are disjoint pairs. Smaller blocks
tell worse which pairs go together: with four, tau at five calls an item was .03 lower for 150 items."""
SURE = 8
"""Calls in flight for which a paired comparison asks nothing but what is needed in any case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """How far ahead matches are planned and asked.

    Attributes:
        size: Matches between the oldest without an answer and the newest that may be asked; None for no limit.
        block: Matches that are planned together.
        by_evidence: Whether what is on record says how far ahead is planned, at least by a block.
    """

    size: int | None
    block: int
    by_evidence: bool = False


def window_of(settings: TournamentSettings, items: int, concurrency: int, before: int = 0) -> Window | None:
    """The window of a tournament; None if each of its rounds needs the results of the one before.

    Args:
        settings: Its settings.
        items: Number of items.
        concurrency: Calls in flight at the most.
        before: Its window in an earlier run, which is kept if it is wide enough; 0 without one.
    """
    if settings.paired is not None:
        return Window(size=None, block=max(settings.paired.block, questions_ahead(concurrency)), by_evidence=True)
    if settings.pairing == "round-robin":
        return Window(size=None, block=max(1, items // 2))
    if settings.pairing != "informative" or settings.group_size != 2:
        return None
    size = max(SMALLEST, math.ceil(items / 2), before)
    matches = math.ceil(concurrency / settings.comparison_rounds)
    if size < MARGIN * matches:
        size = max(size, min(WIDE * matches, MOST * max(items, SMALLEST // 2)))
    return Window(size=size, block=min(size // PARTS, max(SMALLEST, items) // 2))


def questions_ahead(concurrency: int) -> int:
    """Questions that a paired comparison asks ahead at the least: more calls in flight are meant to save time."""
    return 1 + max(0, concurrency - SURE) // 2


def window_of_state(state: TournamentState, concurrency: int) -> Window | None:
    """The window of a tournament as it stands: at least as wide as in earlier runs; see ``window_of``."""
    noted = [note.get("window") or 0 for note in block_notes(state.events).values()]
    return window_of(state.settings, len(state.items), concurrency, max(noted, default=0))


def window_note(window: Window | None, items: int, concurrency: int) -> str:
    """What a window costs that is wider than there are items, in words; empty if it costs nothing, or there is none."""
    if window is None or window.size is None or window.size <= max(items, SMALLEST):
        return ""
    return (
        f"with {concurrency} calls in flight {window.size} matches are planned ahead of their answers, more than there "
        f"are items: a run that reaches its confidence ends up to so many matches later; with a concurrency of "
        f"{max(1, items // PLAIN)} it would be {max(SMALLEST, math.ceil(items / 2))}"
    )
