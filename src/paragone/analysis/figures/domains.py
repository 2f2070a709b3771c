"""Agents by domain, as a figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from paragone.analysis.figures.labels import cut, ends, label, named
from paragone.analysis.figures.theme import FAVOUR, Figure, figure, nothing, places

MOST_AGENTS = 40
MOST_DOMAINS = 30
WRITTEN = 7
"""Up to so many domains the numbers stand in the cells; of more they are shown on hovering."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainRating:
    """What one agent is worth in one domain.

    Attributes:
        rating: A strength or a running Elo, in Elo points.
        low: Lower end of its interval, where it has one.
        high: Upper end.
        matches: Debates that it rests on, where that is known.
    """

    rating: float
    low: float | None = None
    high: float | None = None
    matches: int | None = None


def domain_ratings(
    agents: Sequence[str],
    domains: Sequence[str],
    ratings: Mapping[tuple[str, str], DomainRating],
    *,
    what: str = "Strength",
) -> Figure:
    """Ratings of agents by domain, blank where there is none; colours run from the lowest to the highest.

    Args:
        agents: Their names, the best first; of more than ``MOST_AGENTS``, the first.
        domains: Names of the domains; of more than ``MOST_DOMAINS``, the first.
        ratings: By agent and domain.
        what: What the ratings are.
    """
    rows = [agent for agent in agents[:MOST_AGENTS] if any((agent, domain) in ratings for domain in domains)]
    columns = [domain for domain in domains[:MOST_DOMAINS] if any((row, domain) in ratings for row in rows)]
    cells = [[ratings.get((row, column)) for column in columns] for row in rows]
    known = [cell.rating for line in cells for cell in line if cell is not None]
    if not known:
        return nothing("No debate was about a domain.")
    middle = fmean(known)
    reach = max(1.0, *(abs(rating - middle) for rating in known))
    hover_text = [[_told(rows[i], columns[j], cell) for j, cell in enumerate(line)] for i, line in enumerate(cells)]
    grid = {
        "type": "heatmap",
        "z": [[None if cell is None else cell.rating for cell in line] for line in cells],
        "text": [["" if cell is None else f"{cell.rating:.0f}" for cell in line] for line in cells],
        "hovertext": hover_text,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
        "colorscale": [list(stop) for stop in FAVOUR],
        "zmin": middle - reach,
        "zmax": middle + reach,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "nticks": 4},
        "showscale": len(columns) > WRITTEN,
        **({"texttemplate": "%{text}", "textfont": {"size": 10}} if len(columns) <= WRITTEN else {}),
    }
    alt = f"{what} of {len(rows)} agents in {len(columns)} domains: "
    return figure(
        [grid],
        alt=alt + ", ".join(cut(column, 22) for column in columns[:10]),
        height=130 + 26 * len(rows),
        margin={"l": 48, "r": 12, "t": 28, "b": 12},
        xaxis=places(
            [ends(column, 14) for column in columns],
            side="top",
            showgrid=False,
            zeroline=False,
            tickangle=-45,
            tickfont={"size": 10},
        ),
        yaxis=places([ends(row, 16) for row in rows], autorange="reversed", showgrid=False, zeroline=False),
    )


def _told(agent: str, domain: str, cell: DomainRating | None) -> str:
    if cell is None:
        return ""
    interval = "" if cell.low is None or cell.high is None else f" ({cell.low:.0f} to {cell.high:.0f})"
    debates = "" if cell.matches is None else f"<br>{cell.matches:,} debates"
    return f"{named(agent, '')}<br>{label(domain, 40)}: {cell.rating:.0f}{interval}{debates}"
