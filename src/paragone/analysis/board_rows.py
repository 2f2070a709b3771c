"""The rows of a board from strengths and records, and what the answers say about the judges who gave them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from paragone.domain import BoardRow, Choice, Item, JudgeReport, ListReport, PlainRow, Ranking, Rating


def board_rows(
    items: Sequence[Item], strengths: Mapping[str, PlainRow], records: Mapping[str, Rating], *, by_elo: bool = False
) -> tuple[BoardRow, ...]:
    """Rank items, best first.

    Args:
        items: The pool, in any order; ties are listed in this order.
        strengths: Per item id.
        records: Running Elo and counters per item id.
        by_elo: Rank by the running Elo instead of the strength.

    Returns:
        One row an item. Items of equal value share the better rank ("1, 2, 2, 4").
    """
    if by_elo:
        ranks = _shared_ranks([records[item.id].elo for item in items])
    else:
        ranks = [strengths[item.id].rank for item in items]
    ranked = sorted(zip(ranks, items, strict=True), key=lambda pair: pair[0])
    return tuple(_row(item, rank, strengths[item.id], records[item.id]) for rank, item in ranked)


def _shared_ranks(values: Sequence[float]) -> list[int]:
    best: dict[float, int] = {}
    for rank, value in enumerate(sorted(values, reverse=True), start=1):
        best.setdefault(value, rank)
    return [best[value] for value in values]


def _row(item: Item, rank: int, strength: PlainRow, record: Rating) -> BoardRow:
    return BoardRow(
        id=item.id,
        text=item.text,
        rank=rank,
        rank_low=strength.rank_low,
        rank_high=strength.rank_high,
        rating=strength.rating,
        low=strength.low,
        high=strength.high,
        elo=record.elo,
        wins=record.wins,
        losses=record.losses,
        ties=record.ties,
        matches=record.matches,
    )


Interval = tuple[float, float, float]
"""An estimate with the lower and upper end of its interval."""


def judge_reports(
    counts: Mapping[str, Counter[Choice]],
    positions: Mapping[str, Interval],
    slopes: Mapping[str, Interval] | None = None,
) -> tuple[JudgeReport, ...]:
    """Report on each judge, the one with the most evidence first.

    Args:
        counts: By judge identity, how often it gave each answer that is evidence.
        positions: By judge identity, the position term in nats with its interval, where the fit could tell.
        slopes: The same of the slope; it says something only where several judges compared.
    """
    slope_of = slopes if slopes is not None and len(counts) > 1 else {}
    reports = [_report(judge, tally, positions.get(judge), slope_of.get(judge)) for judge, tally in counts.items()]
    return tuple(sorted(reports, key=lambda report: (-report.comparisons, report.judge)))


Places = tuple[tuple[float, ...], float]
"""What an item gains by each place in a list, and the largest standard error of that."""


def list_reports(
    rankings: Iterable[Ranking],
    noises: Mapping[tuple[str, int], Interval],
    gains: Mapping[tuple[str, int], Places] | None = None,
) -> tuple[ListReport, ...]:
    """Report on the lists of each judge and length, the one with the most of them first.

    Args:
        rankings: Answered rankings.
        noises: By judge and length, the noise relative to a pair's with its interval, where the fit could tell.
        gains: By judge and length, what an item gains by its place, where the fit could tell.
    """
    firsts: defaultdict[tuple[str, int], list[bool]] = defaultdict(list)
    for ranking in rankings:
        if ranking.verdict.order:
            firsts[ranking.verdict.judge, len(ranking.shown)].append(ranking.verdict.order[0] == 0)
    gained = {} if gains is None else gains
    reports = [_list_report(who, on_top, noises.get(who), gained.get(who)) for who, on_top in firsts.items()]
    return tuple(sorted(reports, key=lambda report: (-report.lists, report.judge, report.size)))


def _list_report(who: tuple[str, int], on_top: list[bool], noise: Interval | None, gains: Places | None) -> ListReport:
    estimate, low, high = noise or (None, None, None)
    gained, error = gains or ((), None)
    return ListReport(
        judge=who[0],
        size=who[1],
        lists=len(on_top),
        first_share=sum(on_top) / len(on_top),
        noise=estimate,
        noise_low=low,
        noise_high=high,
        places=gained,
        place_error=error,
    )


def _report(judge: str, tally: Counter[Choice], position: Interval | None, steepness: Interval | None) -> JudgeReport:
    total = tally.total()
    decided = tally[Choice.FIRST] + tally[Choice.SECOND]
    estimate, low, high = position or (None, None, None)
    slope, slope_low, slope_high = steepness or (None, None, None)
    return JudgeReport(
        judge=judge,
        comparisons=total,
        first_share=tally[Choice.FIRST] / decided if decided else None,
        tie_rate=tally[Choice.TIE] / total,
        position_bias=estimate,
        position_low=low,
        position_high=high,
        slope=slope,
        slope_low=slope_low,
        slope_high=slope_high,
    )
