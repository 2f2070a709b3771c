"""What the results of an N-loss Swiss come to: who won how often, who is out, who has met whom."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paragone.domain import Draws, Match, Outcome
from paragone.errors import InvalidConfig, InvalidItems

MOST_REPLAYS = 2
"""How often a drawn match is played again before the draw stands, where draws are replayed."""


IndexPair = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class SwissRules:
    """When an item is out. Source: the Swiss specification, "設定パラメータ".

    Attributes:
        elimination_count: Losses at which an item is out; 1 is a knockout.
        draws: What a drawn match means, one of ``Draws``.
    """

    elimination_count: int = 2
    draws: str = Draws.LOSS

    def __post_init__(self) -> None:
        if self.elimination_count < 1:
            raise InvalidConfig(f"elimination_count must be at least 1, not {self.elimination_count}")
        if self.draws not in tuple(Draws):
            raise InvalidConfig(f"draws must be one of {', '.join(Draws)}, not {self.draws!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SwissRecord:
    """How an item has done.

    Attributes:
        item: Its id.
        wins: Matches won.
        losses: Matches lost, drawn ones included where a draw is a loss.
        draws: Matches drawn, whatever a draw means.
        voids: Matches without a verdict.
        sat_out: Rounds that it did not play in while it was active.
        active: Whether it is still in.
    """

    item: str
    wins: int = 0
    losses: int = 0
    draws: int = 0
    voids: int = 0
    sat_out: int = 0
    active: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class SwissHistory:
    """The results so far, by the items' indices; the same whatever the order in which they come.

    Attributes:
        records: How each item has done.
        leads: How much more often each item was shown first than second.
        meetings: For each item, how often it has met each of its opponents.
        ruled_out: For each item, the opponents that it is not to meet again: asking brought nothing.
        due: Pairs that drew and are to play again at once.
        last_first: For each pair that has met, the one of the two that was shown first the last time.
    """

    records: tuple[SwissRecord, ...]
    leads: tuple[int, ...]
    meetings: tuple[dict[int, int], ...]
    ruled_out: tuple[set[int], ...]
    due: tuple[IndexPair, ...]
    last_first: dict[IndexPair, int]

    @classmethod
    def of(cls, ids: Sequence[str], results: Iterable[Match], rules: SwissRules) -> "SwissHistory":
        """Read the results.

        Args:
            ids: The items.
            results: Their matches with the numbers of their rounds, in any order.
            rules: What a draw means, and at how many losses an item is out.

        Raises:
            InvalidItems: If there are fewer than two items, or an id twice.
            ValueError: If a result names an item that is not among them.
        """
        index = _index(ids)
        pairs = _by_pair(index, results)
        tallies = [_Tally() for _ in ids]
        due = tuple(pair for pair in sorted(pairs) if _read_pair(tallies, index, pair, pairs[pair], rules))
        rounds = sorted({match.round for matches in pairs.values() for match in matches})
        return cls(
            records=tuple(_record(item, tallies[i], rounds, rules) for item, i in index.items()),
            leads=tuple(tally.lead for tally in tallies),
            meetings=tuple(tally.meetings for tally in tallies),
            ruled_out=tuple(tally.ruled_out for tally in tallies),
            due=due,
            last_first={pair: index[_shown_first(matches[-1])] for pair, matches in pairs.items()},
        )

    def are_new(self, u: int, v: int) -> bool:
        """Whether two items have not met."""
        return v not in self.meetings[u]

    def may_meet(self, u: int, v: int) -> bool:
        """Whether two items may meet, again or for the first time."""
        return v not in self.ruled_out[u]

    def times_met(self, u: int, v: int) -> int:
        """How often two items have met."""
        return self.meetings[u].get(v, 0)


@dataclass(slots=True)
class _Tally:
    """Counters of one item while the results are read."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    voids: int = 0
    played: int = 0
    last_round: int = 0
    lead: int = 0
    meetings: dict[int, int] = field(default_factory=dict)
    ruled_out: set[int] = field(default_factory=set)


def _index(ids: Sequence[str]) -> dict[str, int]:
    index = {item: i for i, item in enumerate(ids)}
    if len(ids) < 2:
        raise InvalidItems(f"a tournament needs two items or more, not {len(ids)}")
    if len(index) < len(ids):
        twice = next(item for i, item in enumerate(ids) if index[item] != i)
        raise InvalidItems(f"the id {twice!r} occurs more than once")
    return index


def _by_pair(index: dict[str, int], results: Iterable[Match]) -> dict[IndexPair, list[Match]]:
    """The matches of each pair in the order of their rounds."""
    pairs: defaultdict[IndexPair, list[Match]] = defaultdict(list)
    for match in results:
        if match.a not in index or match.b not in index:
            raise ValueError(f"match {match.id!r} is between {match.a!r} and {match.b!r}, who are not both in")
        i, j = index[match.a], index[match.b]
        pairs[(i, j) if i < j else (j, i)].append(match)
    for matches in pairs.values():
        matches.sort(key=lambda match: match.round)
    return pairs


def _read_pair(
    tallies: list[_Tally], index: dict[str, int], pair: IndexPair, matches: list[Match], rules: SwissRules
) -> bool:
    """Count the matches of a pair; whether it drew the last of them and is to play again."""
    i, j = pair
    tallies[i].meetings[j] = tallies[j].meetings[i] = len(matches)
    draws_in_a_row = 0
    for match in matches:
        a, b = tallies[index[match.a]], tallies[index[match.b]]
        _count_appearance(a, b, match)
        _count_decision(a, b, match.outcome)
        draws_in_a_row = draws_in_a_row + 1 if match.outcome is Outcome.DRAW else 0
        if draws_in_a_row and _draw_stands(draws_in_a_row, rules):
            a.losses += 1
            b.losses += 1
            draws_in_a_row = 0
        if match.outcome is Outcome.VOID or (draws_in_a_row and rules.draws == Draws.NONE):
            tallies[i].ruled_out.add(j)
            tallies[j].ruled_out.add(i)
    return rules.draws == Draws.REPLAY and draws_in_a_row > 0


def _draw_stands(draws_in_a_row: int, rules: SwissRules) -> bool:
    """Whether a draw is a loss for both."""
    if rules.draws == Draws.REPLAY:
        return draws_in_a_row > MOST_REPLAYS
    return rules.draws == Draws.LOSS


def _count_appearance(a: _Tally, b: _Tally, match: Match) -> None:
    lead = _lead_of_a(match)
    a.lead += lead
    b.lead -= lead
    for side in (a, b):
        side.played += 1
        side.last_round = max(side.last_round, match.round)


def _count_decision(a: _Tally, b: _Tally, outcome: Outcome) -> None:
    if outcome in (Outcome.A, Outcome.B):
        winner, loser = (a, b) if outcome is Outcome.A else (b, a)
        winner.wins += 1
        loser.losses += 1
        return
    for side in (a, b):
        side.draws += outcome is Outcome.DRAW
        side.voids += outcome is Outcome.VOID


def _lead_of_a(match: Match) -> int:
    """How much more often ``a`` was shown first than second, in comparisons that were answered."""
    if not match.comparisons:
        return 1
    answered = [comparison for comparison in match.comparisons if comparison.verdict.choice.is_evidence]
    return sum(1 if comparison.first == match.a else -1 for comparison in answered)


def _shown_first(match: Match) -> str:
    return match.comparisons[0].first if match.comparisons else match.a


def _record(item: str, tally: _Tally, rounds: list[int], rules: SwissRules) -> SwissRecord:
    active = tally.losses < rules.elimination_count
    rounds_in = len(rounds) if active else bisect_right(rounds, tally.last_round)
    return SwissRecord(
        item=item,
        wins=tally.wins,
        losses=tally.losses,
        draws=tally.draws,
        voids=tally.voids,
        sat_out=max(rounds_in - tally.played, 0),
        active=active,
    )
