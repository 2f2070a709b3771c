"""Who is whose rival and whose ally, as a figure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import cos, pi, sin

from paragone.analysis.figures.labels import ends, named
from paragone.analysis.figures.theme import BLUE, GREY, ORANGE, Figure, figure, nothing
from paragone.analysis.relationships import Relationship, RelationshipMetrics
from paragone.errors import MissingExtra

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
    try:
        import networkx as nx
    except ImportError:
        raise MissingExtra(
            f"the graph of {len(agents)} agents needs the package networkx; "
            "install it with: pip install 'paragone[report]'"
        ) from None
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
    """What is told of each pair, where one points at the middle of its line."""
    lines = [(at[pair.agent_a], at[pair.agent_b]) for pair in pairs]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [(start[0] + end[0]) / 2 for start, end in lines],
        "y": [(start[1] + end[1]) / 2 for start, end in lines],
        "marker": {"size": 7, "color": [_KINDS[pair.relationship][1] for pair in pairs]},
        "hovertext": [_told(pair) for pair in pairs],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _told(pair: RelationshipMetrics) -> str:
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
