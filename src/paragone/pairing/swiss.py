"""The N-loss Swiss: who meets whom next, why it is over, and the table.

Everybody starts without a loss and is out at ``elimination_count`` of them. Items with equally many losses meet, in
random order; whoever is left over is carried to the next bracket that has anyone, and the one left over at the last
sits the round out. Where the document leaves it open:

- Nobody meets an opponent again while another pairing avoids it: as many as possible get an opponent who is new to
  them, within their bracket, else in a later one, else across all of them. Only those whom that leaves over meet
  again, the pairs that have met least first. So in the third round of the specification's example D meets A, who is new
  to D, and not C again.
- Of the last bracket, who has sat out least sits out, where that makes nobody meet again; and one of a bracket above
  if all of the last have sat out more.
- A void match (the judge abstained, or was never available) is neither a win nor a loss, and its pair does not meet
  again.
- A draw is a loss for both. Or it is played again in the next round, at most twice in a row, and then is a loss for
  both. Or it is nothing, and the pair does not meet again.

So every match brings a loss, or is one of at most three in a row that does, or keeps a pair from meeting again: every
tournament ends, at the latest when no pair is left that may meet.

Source: the Swiss specification.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from paragone.domain import Draws, Match, Order, Pairing, TableRow
from paragone.pairing.matching import Joined, Matching, largest_matching, paired_in_order, with_another_single
from paragone.pairing.presentation import alternating_orders
from paragone.pairing.swiss_history import MOST_REPLAYS, IndexPair, SwissHistory, SwissRecord, SwissRules

__all__ = ["Draws", "SwissRecord", "SwissRound", "final_table", "most_matches", "next_round", "standings"]


@dataclass(frozen=True, kw_only=True, slots=True)
class SwissRound:
    """The next round, or why there is none.

    Attributes:
        pairings: Who meets whom; empty when the tournament is over.
        reason: Why it is over, in words; empty while it goes on.
    """

    pairings: tuple[Pairing, ...] = ()
    reason: str = ""


def standings(
    ids: Sequence[str], results: Iterable[Match], *, elimination_count: int = 2, draws: str = Draws.LOSS
) -> tuple[SwissRecord, ...]:
    """How each item has done, in the order of ``ids``.

    Args:
        ids: The items.
        results: Their matches with the numbers of their rounds, in any order.
        elimination_count: Losses at which an item is out; 1 is a knockout.
        draws: What a drawn match means, one of ``Draws``.

    Raises:
        InvalidItems: If there are fewer than two items, or an id twice.
        InvalidConfig: If a rule is out of its range.
        ValueError: If a result names an item that is not among them.
    """
    rules = SwissRules(elimination_count=elimination_count, draws=draws)
    return SwissHistory.of(ids, results, rules).records


def final_table(
    ids: Sequence[str], results: Iterable[Match], *, elimination_count: int = 2, draws: str = Draws.LOSS
) -> tuple[TableRow, ...]:
    """The table by wins, best first; items with equally many wins share a rank, and the ranks they fill are skipped.

    Within a rank fewer losses come first, then the order of ``ids``. Takes and raises what ``standings`` does.

    Source: the Swiss specification, "最終順位（勝利数順）".
    """
    records = standings(ids, results, elimination_count=elimination_count, draws=draws)
    rank_of: dict[int, int] = {}
    return tuple(
        TableRow(id=row.item, rank=rank_of.setdefault(row.wins, rank), wins=row.wins, losses=row.losses)
        for rank, row in enumerate(sorted(records, key=lambda row: (-row.wins, row.losses)), start=1)
    )


def most_matches(items: int, *, elimination_count: int = 2, draws: str = Draws.LOSS) -> int:
    """How many matches a tournament of so many items can take, void ones apart.

    A match that counts costs at least one loss, and before the last of them at least two items are short of
    ``elimination_count``.
    """
    rules = SwissRules(elimination_count=elimination_count, draws=draws)
    decided = items * rules.elimination_count - 1
    if rules.draws == Draws.REPLAY:
        return decided * (MOST_REPLAYS + 1)
    return decided + items * (items - 1) // 2 if rules.draws == Draws.NONE else decided


def next_round(
    ids: Sequence[str],
    results: Iterable[Match],
    *,
    elimination_count: int = 2,
    draws: str = Draws.LOSS,
    comparison_rounds: int = 2,
    rng: random.Random,
) -> SwissRound:
    """Who meets whom next, or why the tournament is over.

    Args:
        ids: The items.
        results: Their matches with the numbers of their rounds, in any order.
        elimination_count: Losses at which an item is out; 1 is a knockout.
        draws: What a drawn match means, one of ``Draws``.
        comparison_rounds: Comparisons a match, in alternating order. Of an odd number, items that met before are shown
            the other way round, and else the item goes first that was shown first less often so far.
        rng: Shuffles the brackets. The same ids, results and state of the generator give the same round.

    Raises:
        InvalidItems: If there are fewer than two items, or an id twice.
        InvalidConfig: If a rule is out of its range.
        ValueError: If a result names an item that is not among them.
    """
    rules = SwissRules(elimination_count=elimination_count, draws=draws)
    orders = alternating_orders(comparison_rounds)
    history = SwissHistory.of(ids, results, rules)
    active = [v for v, record in enumerate(history.records) if record.active]
    if reason := _reason_to_stop(ids, active, history, rules):
        return SwissRound(reason=reason)
    again = _to_replay(history)
    waiting = set(active) - {v for pair in again for v in pair}
    pairs = again + _paired(sorted(waiting), history, rng)
    return SwissRound(pairings=tuple(_presented(ids, pair, history, orders) for pair in pairs))


def _reason_to_stop(ids: Sequence[str], active: Sequence[int], history: SwissHistory, rules: SwissRules) -> str:
    if not active:
        return f"every item has lost {rules.elimination_count} times"
    if len(active) == 1:
        return f"only {ids[active[0]]} has lost less than {rules.elimination_count} times"
    if _anybody_may_meet(active, history):
        return ""
    nothing = "drew or had no verdict" if rules.draws == Draws.NONE else "had no verdict"
    return f"nobody is left to pair: {len(active)} items are still in, and each two of them {nothing}"


def _to_replay(history: SwissHistory) -> list[IndexPair]:
    """The pairs that drew and play again; each item once, should matches that were rolled back have left it two."""
    again: list[IndexPair] = []
    busy: set[int] = set()
    for u, v in history.due:
        both_in = history.records[u].active and history.records[v].active
        if both_in and history.may_meet(u, v) and not busy & {u, v}:
            again.append((u, v))
            busy |= {u, v}
    return again


def _anybody_may_meet(active: Sequence[int], history: SwissHistory) -> bool:
    items = set(active)
    return any(len(items) - 1 > len(history.ruled_out[v] & items) for v in active)


def _paired(waiting: Sequence[int], history: SwissHistory, rng: random.Random) -> list[IndexPair]:
    """The pairs of a round, in the order of the brackets."""
    order, last, mate = _paired_by_bracket(waiting, history, rng)
    # Those left over by their brackets may still get an opponent new to them if pairs are exchanged across brackets.
    mate = largest_matching(order, history.are_new, mate)
    mate, joined = _paired_again(order, mate, history)
    mate = _sat_out_in_turn(order, last, mate, joined, history)
    position = {v: i for i, v in enumerate(order)}
    return [(u, mate[u]) for u in order if u in mate and position[u] < position[mate[u]]]


def _paired_by_bracket(
    waiting: Sequence[int], history: SwissHistory, rng: random.Random
) -> tuple[list[int], dict[int, int], Matching]:
    """Pair each bracket, together with whoever is carried to it, with opponents new to them.

    Returns:
        All items in the order in which they were paired, for each the number of the last bracket that it was in, and
        the pairs.
    """
    brackets: dict[int, list[int]] = {}
    for v in waiting:
        brackets.setdefault(history.records[v].losses, []).append(v)
    order: list[int] = []
    last: dict[int, int] = {}
    mate: Matching = {}
    carried: list[int] = []
    for losses in sorted(brackets):
        pool = brackets[losses] + carried
        rng.shuffle(pool)
        last.update(dict.fromkeys(pool, losses))
        pairs = largest_matching(pool, history.are_new, paired_in_order(pool, history.are_new))
        mate |= pairs
        order += [v for v in pool if v in pairs]
        carried = [v for v in pool if v not in pairs]
    return order + carried, last, mate


def _paired_again(order: Sequence[int], mate: Matching, history: SwissHistory) -> tuple[Matching, Joined]:
    """Pair those left over with whom they have met before, the pairs that have met least first.

    Returns:
        All pairs, and which pairs could take the place of others without making more of them meet again.
    """
    over = [v for v in order if v not in mate]
    pairs: Matching = {}
    joined: Joined = history.are_new
    for most in sorted({history.times_met(u, v) for u, v in combinations(over, 2) if history.may_meet(u, v)}):
        joined = _new_or_among(set(over), most, history)
        pairs = largest_matching(over, joined, pairs)
    return mate | pairs, joined


def _new_or_among(over: set[int], most: int, history: SwissHistory) -> Joined:
    def joined(u: int, v: int) -> bool:
        if history.are_new(u, v):
            return True
        return u in over and v in over and history.times_met(u, v) <= most and history.may_meet(u, v)

    return joined


def _sat_out_in_turn(
    order: Sequence[int], last: dict[int, int], mate: Matching, joined: Joined, history: SwissHistory
) -> Matching:
    """Let the item sit out that has done so least, of the last bracket before those above it."""
    single = [v for v in order if v not in mate]
    if len(single) != 1:
        return mate
    turn = {v: (history.records[v].sat_out, -last[v]) for v in order}
    for sooner in sorted({turn[v] for v in order if turn[v] < turn[single[0]]}):
        candidates = {v for v in order if turn[v] == sooner}
        matching = with_another_single(order, joined, mate, single[0], candidates)
        if single[0] in matching:
            return matching
    return mate


def _presented(ids: Sequence[str], pair: IndexPair, history: SwissHistory, orders: tuple[Order, ...]) -> Pairing:
    u, v = pair
    if len(orders) % 2 and _goes_second(u, v, history):
        u, v = v, u
    return Pairing(a=ids[u], b=ids[v], orders=orders)


def _goes_second(u: int, v: int, history: SwissHistory) -> bool:
    first_before = history.last_first.get((min(u, v), max(u, v)))
    return history.leads[u] > history.leads[v] if first_before is None else first_before == u
