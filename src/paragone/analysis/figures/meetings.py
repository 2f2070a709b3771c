"""Who met whom, and how it went, as a figure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from paragone.analysis.figures.labels import cut, label, named
from paragone.analysis.figures.theme import FAVOUR, Figure, figure, nothing, places
from paragone.analysis.head_to_head import Record
from paragone.domain import Match, Outcome

MOST = 40
WRITTEN = 16
"""Up to so many items the results stand in the cells; in smaller ones they are shown on hovering."""


def records(matches: Iterable[Match], ids: Sequence[str]) -> dict[tuple[str, str], Record]:
    """The record of each of these items against each other one that it met; void matches do not count.

    A match among several counts as one between any two of them.
    """
    selected, tally = set(ids), Counter[tuple[str, str, str]]()
    for match in matches:
        if match.outcome is Outcome.VOID:
            continue
        participants = [(position, id) for position, id in enumerate(match.items) if id in selected]
        for position, id_a in participants:
            for other_place, other in participants:
                if position < other_place:
                    _count(tally, match, id_a, other)
    pairs = {(id_a, other) for id_a, other, _ in tally}
    return {
        (id_a, other): Record(
            wins=tally[id_a, other, "won"], draws=tally[id_a, other, "drew"], losses=tally[other, id_a, "won"]
        )
        for id_a, other in pairs | {(other, id_a) for id_a, other in pairs}
    }


def _count(tally: Counter[tuple[str, str, str]], match: Match, first: str, second: str) -> None:
    """Count a match of which ``first`` is named first: side a, or the better place of a ranking; or by their scores."""
    if match.scorecard is not None:
        scores = dict(zip(match.items, match.scorecard.scores, strict=True))
        drew, won = scores[first] == scores[second], scores[first] > scores[second]
    else:
        drew = match.outcome is Outcome.DRAW
        won = match.outcome is Outcome.A or match.ranking is not None
    if drew:
        tally[first, second, "drew"] += 1
        tally[second, first, "drew"] += 1
    elif won:
        tally[first, second, "won"] += 1
    else:
        tally[second, first, "won"] += 1


def head_to_head(ids: Sequence[str], texts: Sequence[str], records: Mapping[tuple[str, str], Record]) -> Figure:
    """Each item against each other: the share of the points that the one at the left won.

    Args:
        ids: The items, best first; of more than ``MOST``, the first.
        texts: Their texts.
        records: Their records against each other.
    """
    drawn, item_texts = ids[:MOST], texts[:MOST]
    if not any((a, b) in records for a in drawn for b in drawn):
        return nothing("None of the best items met each other.")
    written = len(drawn) <= WRITTEN
    cells = [[records.get((row, column)) for column in drawn] for row in drawn]
    grid = {
        "type": "heatmap",
        "z": [[None if record is None else record.share for record in line] for line in cells],
        "text": [["" if record is None else _brief(record) for record in line] for line in cells],
        "hovertext": [
            [_told(drawn[i], item_texts[i], drawn[j], cell) for j, cell in enumerate(line)]
            for i, line in enumerate(cells)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
        "colorscale": [list(stop) for stop in FAVOUR],
        "zmin": 0,
        "zmax": 1,
        "xgap": 2,
        "ygap": 2,
        "showscale": False,
        **({"texttemplate": "%{text}", "textfont": {"size": 9 if len(drawn) > 12 else 10}} if written else {}),
    }
    count = len(drawn)
    names = [label(id, 12 if count > WRITTEN else 16) for id in drawn]
    numbers = [str(place) for place in range(1, count + 1)]
    rows = [f"{name}  {number}" for name, number in zip(names, numbers, strict=True)]
    played = sum(record is not None for line in cells for record in line) // 2
    return figure(
        [grid],
        alt=f"Results of the best {count} items against each other, "
        f"{played} of {count * (count - 1) // 2} pairs met: " + ", ".join(cut(id, 22) for id in drawn[:10]),
        height=70 + (26 if written else 16) * count,
        margin={"l": 48, "r": 12, "t": 28, "b": 12},
        xaxis=places(numbers, side="top", showgrid=False, zeroline=False, tickangle=0, tickfont={"size": 10}),
        yaxis=places(rows, autorange="reversed", showgrid=False, zeroline=False, tickfont={"size": 11}),
    )


def _brief(record: Record) -> str:
    """Wins and losses; where there were only draws, a sign of equality."""
    return f"{record.wins}–{record.losses}" if record.wins + record.losses else "="


def _told(row: str, text: str, column: str, record: Record | None) -> str:
    if record is None:
        return ""
    against = named(column, "")
    return f"{named(row, text)}<br>against {against}<br>{record.wins} won, {record.draws} drawn, {record.losses} lost"
