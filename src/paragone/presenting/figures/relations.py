"""Who is whose rival and whose ally, as a figure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin

from paragone import extras
from paragone.analysis.relationships import Relationship, RelationshipMetrics
from paragone.domain import Match, Outcome
from paragone.domain.records import WinLossRecord
from paragone.domain.text import cut
from paragone.presenting.figures.theme import (
    BLUE,
    FAVOUR,
    GREY,
    ORANGE,
    Figure,
    ends,
    figure,
    label,
    named,
    nothing,
    places,
)

MOST_AGENTS = 40
MOST_PAIRS = 400
FEW = 10
"""Agents that stand in a circle; more are laid out by who met whom."""
_WIDTHS = (1.6, 3.0, 5.0)
_KINDS: Mapping[Relationship, tuple[str, str, str]] = {
    Relationship.NEUTRAL: ("neutral", GREY, "solid"),
    Relationship.ACQUAINTANCE: ("acquaintance", GREY, "dot"),
    Relationship.ALLY: ("ally", BLUE, "solid"),
    Relationship.RIVAL: ("rival", ORANGE, "dash"),
}
"""Name, colour and dash, what matters most last, so that it is drawn on top."""

Place = tuple[float, float]


def relationships(pairs: Sequence[RelationshipMetrics]) -> Figure:
    """Agents joined by what they are to each other; the more debates, the wider the line.

    Args:
        pairs: Two agents each, in any order; those without a debate are left out, and of many agents those with few.

    Raises:
        MissingExtra: If there are more than ten agents and networkx is not installed.
    """
    drawn = _shown(pairs)
    if not drawn:
        return nothing("No two agents met in a debate.")
    debates = Counter[str]()
    for pair in drawn:
        debates[pair.agent_a] += pair.debate_count
        debates[pair.agent_b] += pair.debate_count
    agents = sorted(debates)
    at = _circle(agents) if len(agents) <= FEW else _spread(agents, drawn)
    counts = Counter(pair.relationship for pair in drawn)
    hidden = {"visible": False}
    return figure(
        [*_lines(drawn, at), _middles(drawn, at), _dots(agents, debates, at)],
        alt=f"{len(agents)} agents, {len(drawn)} pairs that met: {counts[Relationship.RIVAL]} rivals, "
        f"{counts[Relationship.ALLY]} allies",
        height=420,
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={**hidden, "range": [-1.35, 1.35]},
        yaxis={**hidden, "range": [-1.25, 1.25]},
        showlegend=True,
    )


def _shown(pairs: Sequence[RelationshipMetrics]) -> list[RelationshipMetrics]:
    """The pairs that met, of the agents with most debates, each once; those with most debates first."""
    by_pair = {frozenset((pair.agent_a, pair.agent_b)): pair for pair in pairs if pair.relationship in _KINDS}
    debates = Counter[str]()
    for pair in by_pair.values():
        debates[pair.agent_a] += pair.debate_count
        debates[pair.agent_b] += pair.debate_count
    agents = set(sorted(debates, key=lambda agent: (-debates[agent], agent))[:MOST_AGENTS])
    among = [pair for pair in by_pair.values() if {pair.agent_a, pair.agent_b} <= agents]
    return sorted(among, key=lambda pair: (-pair.debate_count, pair.agent_a, pair.agent_b))[:MOST_PAIRS]


def _circle(agents: Sequence[str]) -> dict[str, Place]:
    """Evenly on a circle, the first on top, clockwise."""
    turns = [2 * pi * index / len(agents) for index in range(len(agents))]
    return {agent: (sin(turn), cos(turn)) for agent, turn in zip(agents, turns, strict=True)}


def _spread(agents: Sequence[str], pairs: Sequence[RelationshipMetrics]) -> dict[str, Place]:
    """Those who met stand near each other, by T. Kamada and S. Kawai (1989); parts that never met, side by side."""
    with extras.importing(f"the graph of {len(agents)} agents needs", "networkx"):
        import networkx as nx
    graph = nx.Graph()
    graph.add_nodes_from(agents)
    graph.add_edges_from((pair.agent_a, pair.agent_b) for pair in pairs)
    steps = dict(nx.all_pairs_shortest_path_length(graph))
    apart = 1 + max(max(to.values()) for to in steps.values())
    distance = {source: {target: to.get(target, apart) for target in agents} for source, to in steps.items()}
    layout = nx.kamada_kawai_layout(graph, dist=distance)
    return {agent: (round(float(layout[agent][0]), 4), round(float(layout[agent][1]), 4)) for agent in agents}


def _lines(pairs: Sequence[RelationshipMetrics], at: Mapping[str, Place]) -> list[Figure]:
    """One trace for each kind and width, since a trace has one width; each kind stands in the legend once."""
    most = max(pair.debate_count for pair in pairs)
    drawn: dict[tuple[Relationship, int], list[RelationshipMetrics]] = {}
    for pair in pairs:
        width = min(len(_WIDTHS) - 1, len(_WIDTHS) * pair.debate_count // (most + 1))
        drawn.setdefault((pair.relationship, width), []).append(pair)
    traces = []
    for kind, (name, colour, dash) in _KINDS.items():
        widths = [width for width in range(len(_WIDTHS)) if (kind, width) in drawn]
        for width in widths:
            line = {"color": colour, "width": _WIDTHS[width], "dash": dash}
            traces.append(_line(drawn[kind, width], at, line, name, in_legend=width == widths[-1]))
    return traces


def _line(
    pairs: Sequence[RelationshipMetrics], at: Mapping[str, Place], line: Figure, name: str, *, in_legend: bool
) -> Figure:
    ends_of = [(at[pair.agent_a], at[pair.agent_b]) for pair in pairs]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "legendgroup": name,
        "showlegend": in_legend,
        "x": [value for start, end in ends_of for value in (start[0], end[0], None)],
        "y": [value for start, end in ends_of for value in (start[1], end[1], None)],
        "line": line,
        "opacity": 0.9,
        "hoverinfo": "skip",
    }


def _middles(pairs: Sequence[RelationshipMetrics], at: Mapping[str, Place]) -> Figure:
    """The note on each pair, shown on hovering over the middle of its line."""
    lines = [(at[pair.agent_a], at[pair.agent_b]) for pair in pairs]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [(start[0] + end[0]) / 2 for start, end in lines],
        "y": [(start[1] + end[1]) / 2 for start, end in lines],
        "marker": {"size": 7, "color": [_KINDS[pair.relationship][1] for pair in pairs]},
        "hovertext": [_pair_note(pair) for pair in pairs],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _pair_note(pair: RelationshipMetrics) -> str:
    name = _KINDS[pair.relationship][0]
    return (
        f"{named(pair.agent_a, '')} and {named(pair.agent_b, '')}: {name}"
        f"<br>{pair.debate_count:,} debates, agreed in {pair.agreement_rate:.0%}, {pair.head_to_head}"
        f"<br>rivalry {pair.rivalry_score:.2f}, alliance {pair.alliance_score:.2f}"
    )


def _dots(agents: Sequence[str], debates: Mapping[str, int], at: Mapping[str, Place]) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [at[agent][0] for agent in agents],
        "y": [at[agent][1] for agent in agents],
        "text": [ends(agent, 14) for agent in agents],
        "textposition": ["top center" if at[agent][1] >= 0 else "bottom center" for agent in agents],
        "cliponaxis": False,
        "marker": {"size": 13, "color": GREY, "line": {"width": 1.5}},
        "hovertext": [f"{named(agent, '')}<br>{debates[agent]:,} times in a debate with another" for agent in agents],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


MOST = 40
WRITTEN = 16
"""Items up to which results are written into the cells; for more they are shown on hovering."""


def records(matches: Iterable[Match], ids: Sequence[str]) -> dict[tuple[str, str], WinLossRecord]:
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
        (id_a, other): WinLossRecord(
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


def head_to_head(ids: Sequence[str], texts: Sequence[str], records: Mapping[tuple[str, str], WinLossRecord]) -> Figure:
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
            [_record_note(drawn[i], item_texts[i], drawn[j], cell) for j, cell in enumerate(line)]
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
    numbers = [str(number) for number in range(1, count + 1)]
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


def _brief(record: WinLossRecord) -> str:
    """Wins and losses; where there were only draws, a sign of equality."""
    return f"{record.wins}–{record.losses}" if record.wins + record.losses else "="


def _record_note(row: str, text: str, column: str, record: WinLossRecord | None) -> str:
    if record is None:
        return ""
    against = named(column, "")
    return f"{named(row, text)}<br>against {against}<br>{record.wins} won, {record.draws} drawn, {record.losses} lost"
