"""Content as figures: R against Elo in four quadrants, need against Elo, and tiers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from paragone.domain.content import ContentTier, Quadrant
from paragone.presenting.figures.theme import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    Figure,
    axis,
    faint,
    figure,
    hover,
    label,
    named,
    nothing,
    places,
)
from paragone.wire.memory import QuadrantDot

MOST_DOTS = 1500
"""Dots of a figure at most; of more content, each quadrant gets its share, evenly by rating."""
QUADRANT_COLOURS: Mapping[Quadrant, str] = {
    Quadrant.BEST: GREEN,
    Quadrant.LATENT: BLUE,
    Quadrant.ECHO: RED,
    Quadrant.PRUNE: ORANGE,
    Quadrant.UNKNOWN: GREY,
}
TIER_NAMES: Mapping[ContentTier, str] = {tier: tier.value.capitalize() for tier in ContentTier}
_UNKNOWN = (-1.0, -0.35)
"""Where content without an R stands, left of the axis."""
_TICKS = ((0.0, "0"), (0.5, "½"), (1.0, "1×"), (2.0, "2×"), (4.0, "4×"), (8.0, "8×"), (16.0, "16×"))


def sampled(dots: Sequence[QuadrantDot], most: int = MOST_DOTS) -> list[QuadrantDot]:
    """A sample of the dots: of each quadrant its share, evenly by rating, with the highest."""
    if len(dots) <= most:
        return list(dots)
    sample: list[QuadrantDot] = []
    for quadrant in Quadrant:
        own = sorted((dot for dot in dots if dot.quadrant is quadrant), key=lambda dot: (-dot.elo, dot.id))
        capacity = max(20, most * len(own) // len(dots) - 20)
        step = max(1, math.ceil(len(own) / capacity))
        sample += own[::step]
    return sample


def truth_against_use(dots: Sequence[QuadrantDot], *, often: float, of: int, what: str = "files") -> Figure:
    """R against Elo in the memory specification's four quadrants; what has no R stands by itself at the left.

    R is drawn in multiples of its threshold, since sources have thresholds of their own: linear below, logarithmic
    above, negative ones at 0.

    Args:
        dots: What is drawn, already sampled.
        often: Ratings above this are high.
        of: How many there are in all.
        what: What they are.
    """
    if not dots:
        return nothing(f"There are no {what}.")
    ratings = [dot.elo for dot in dots]
    low, high = min(*ratings, often - 60), max(*ratings, often + 60)
    margin = 0.06 * (high - low)
    y0, y1 = low - margin, high + margin
    x1 = max([_place(dot) for dot in dots if dot.r is not None] + [2.0]) + 0.25
    groups = {quadrant: [dot for dot in dots if dot.quadrant is quadrant] for quadrant in Quadrant}
    has_unknown = any(groups[Quadrant.UNKNOWN])
    x0 = _UNKNOWN[0] - 0.1 if has_unknown else -0.12
    return figure(
        [_dots(quadrant, own) for quadrant, own in groups.items() if own],
        alt=f"R against Elo of {len(dots):,} of {of:,} {what}, in four quadrants",
        height=460,
        xaxis=axis(
            "R, in multiples of its threshold",
            range=[x0, x1],
            zeroline=False,
            showgrid=False,
            tickmode="array",
            tickvals=[
                *([sum(_UNKNOWN) / 2] if has_unknown else []),
                *(_scaled(at) for at, _ in _TICKS if _scaled(at) <= x1),
            ],
            ticktext=[*(["unknown"] if has_unknown else []), *(text for at, text in _TICKS if _scaled(at) <= x1)],
        ),
        yaxis=axis("Elo points", zeroline=False, range=[y0, y1]),
        showlegend=True,
        shapes=[*_areas(x1, y0, y1, often), *([_bar(-0.2, y0, y1)] if has_unknown else [])],
        annotations=_names(x1, y0, y1),
    )


def _scaled(ratio: float) -> float:
    """Where a multiple of the threshold is drawn."""
    return max(ratio, 0.0) if ratio <= 1.0 else 1.0 + math.log2(ratio)


def _place(dot: QuadrantDot) -> float:
    if dot.r is None:
        share = crc32(dot.id.encode("utf-8", "replace")) / 2**32
        return _UNKNOWN[0] + share * (_UNKNOWN[1] - _UNKNOWN[0])  # spread out, the same in every run
    if dot.threshold > 0.0:
        return min(_scaled(dot.r / dot.threshold), 5.0)
    return min(_scaled(1.0 + dot.r - dot.threshold), 5.0)  # no multiples of nothing: distances then


def _dots(quadrant: Quadrant, dots: Sequence[QuadrantDot]) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": quadrant.value[:1].upper() + quadrant.value[1:],
        "x": [round(_place(dot), 4) for dot in dots],
        "y": [round(dot.elo, 1) for dot in dots],
        "marker": {"size": 7, "color": QUADRANT_COLOURS[quadrant], "opacity": 0.75},
        "hovertext": [_told(dot) for dot in dots],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _told(dot: QuadrantDot) -> str:
    r = "R unknown" if dot.r is None else f"R {dot.r:.2f}, threshold {dot.threshold:.2f}"
    return f"{named(dot.id, dot.note)}<br>{r}<br>Elo {dot.elo:.0f}, need {dot.need:.0f}"


def _areas(x1: float, y0: float, y1: float, often: float) -> list[Figure]:
    sides = (
        (Quadrant.PRUNE, -0.2, 1.0, y0, often),
        (Quadrant.ECHO, -0.2, 1.0, often, y1),
        (Quadrant.LATENT, 1.0, x1, y0, often),
        (Quadrant.BEST, 1.0, x1, often, y1),
    )
    return [
        {
            "type": "rect",
            "layer": "below",
            "x0": x_low,
            "x1": x_high,
            "y0": low,
            "y1": high,
            "fillcolor": faint(QUADRANT_COLOURS[quadrant], 0.07),
            "line": {"width": 0},
        }
        for quadrant, x_low, x_high, low, high in sides
    ]


def _bar(at: float, y0: float, y1: float) -> Figure:
    return {"type": "line", "x0": at, "x1": at, "y0": y0, "y1": y1, "line": {"dash": "dot"}}


def _names(x1: float, y0: float, y1: float) -> list[Figure]:
    corners = (
        (Quadrant.ECHO, -0.17, y1, "left", "top"),
        (Quadrant.BEST, x1, y1, "right", "top"),
        (Quadrant.PRUNE, -0.17, y0, "left", "bottom"),
        (Quadrant.LATENT, x1, y0, "right", "bottom"),
    )
    return [
        {
            "text": quadrant.value.capitalize(),
            "x": x,
            "y": y,
            "xanchor": across,
            "yanchor": down,
            "showarrow": False,
            "font": {"color": QUADRANT_COLOURS[quadrant], "size": 12},
        }
        for quadrant, x, y, across, down in corners
    ]


def need_against_elo(dots: Sequence[QuadrantDot], *, of: int, what: str = "files") -> Figure:
    """Need against Elo: both rise with use; what lies above the line is used more of late than its rating says."""
    if not dots:
        return nothing(f"There are no {what}.")
    values = [value for dot in dots for value in (dot.elo, dot.need)]
    low, high = _around(values)
    groups = {quadrant: [dot for dot in dots if dot.quadrant is quadrant] for quadrant in Quadrant}
    traces = [
        {**_dots(quadrant, own), "x": [round(dot.elo, 1) for dot in own], "y": [round(dot.need, 1) for dot in own]}
        for quadrant, own in groups.items()
        if own
    ]
    return figure(
        traces,
        alt=f"Need against Elo of {len(dots):,} of {of:,} {what}",
        height=340,
        xaxis=axis("Elo points", zeroline=False, range=_around([dot.elo for dot in dots])),
        yaxis=axis("need", zeroline=False, range=_around([dot.need for dot in dots])),
        showlegend=True,
        shapes=[{"type": "line", "x0": low, "x1": high, "y0": low, "y1": high, "line": {"dash": "dot"}}],
    )


def _around(values: Sequence[float]) -> list[float]:
    """The range of an axis that holds them all, with some room."""
    margin = 10.0 + 0.05 * (max(values) - min(values))
    return [min(values) - margin, max(values) + margin]


def tier_sizes(counts: Mapping[ContentTier, Mapping[Quadrant, int]], *, what: str = "files") -> Figure:
    """How much content each tier holds, by what is known of its truth.

    Args:
        counts: By tier, and within it by quadrant.
        what: What is counted.
    """
    if not any(any(own.values()) for own in counts.values()):
        return nothing(f"There are no {what}.")
    tiers = list(ContentTier)
    groups = (
        ("R high", BLUE, (Quadrant.BEST, Quadrant.LATENT)),
        ("R low", RED, (Quadrant.ECHO, Quadrant.PRUNE)),
        ("R unknown", GREY, (Quadrant.UNKNOWN,)),
    )
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": [sum(counts.get(tier, {}).get(quadrant, 0) for quadrant in quadrants) for tier in tiers],
            "y": list(range(len(tiers))),
            "marker": {"color": colour},
            "hovertemplate": f"%{{x:,}} {what}, {name}<extra></extra>",
        }
        for name, colour, quadrants in groups
    ]
    return figure(
        [bar for bar in bars if any(bar["x"])],
        alt=f"Number of {what} by tier: "
        + ", ".join(f"{TIER_NAMES[tier]} {sum(counts.get(tier, {}).values()):,}" for tier in tiers),
        height=230,
        barmode="stack",
        xaxis=axis(what, zeroline=False, rangemode="tozero"),
        yaxis=places([TIER_NAMES[tier] for tier in tiers], range=[len(tiers) - 0.4, -0.6], showgrid=False),
        showlegend=True,
    )


FORM_COLOURS: Mapping[str, str] = {"full": "#1f6fab", "signatures": "#0b7a5b", "pointer": "#6b7482"}
_FOLDER = "#3a4452"
_WORDS = "#ffffff"
_DEPTH = 3
"""Levels of folders that are areas of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PackPart:
    """A file in a pack.

    Attributes:
        path: Its path; untrusted.
        form: ``full``, ``signatures`` or ``pointer``.
        tokens: What it takes.
        note: Why; untrusted.
    """

    path: str
    form: str
    tokens: int
    note: str = ""


def where_tokens_go(pieces: Sequence[PackPart], *, total: int) -> Figure:
    """The tokens of a pack as areas within areas.

    Args:
        pieces: Files in it, those that matter most first.
        total: Tokens of the whole pack: what the pieces leave is one area more.
    """
    if not pieces:
        return nothing("There is nothing in this pack.")
    sums: dict[str, int] = {}
    for piece in pieces:
        for folder in _folders(piece.path):
            sums[folder] = sums.get(folder, 0) + piece.tokens
    rest = max(0, total - sum(piece.tokens for piece in pieces))
    areas = [_area("", "pack", None, total or 1, _FOLDER, f"the pack<br>{total:,} tokens")]
    areas += [_folder(folder, tokens) for folder, tokens in sums.items()]
    areas += [_file(piece) for piece in pieces]
    if rest:
        areas.append(
            _area(
                "\0rest", "all else", "", rest, FORM_COLOURS["pointer"], f"headings, further files<br>{rest:,} tokens"
            )
        )
    return figure(
        [_treemap(areas)],
        alt=f"Where {total:,} tokens go: " + ", ".join(f"{name} {count:,}" for name, count in _forms(pieces)),
        height=420,
        margin={"l": 0, "r": 0, "t": 4, "b": 0},
    )


def _treemap(areas: Sequence[Figure]) -> Figure:
    columns = {name: [area[name] for area in areas] for name in ("ids", "labels", "parents", "values", "hovertext")}
    return {
        "type": "treemap",
        **columns,
        "branchvalues": "total",
        "marker": {
            "colors": [area["colour"] for area in areas],
            "line": {"width": 1},
            "pad": {"t": 20, "l": 3, "r": 3, "b": 3},
        },
        "textfont": {"color": _WORDS, "size": 12},
        "insidetextfont": {"color": _WORDS},
        "textinfo": "label+value",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "pathbar": {"visible": False},
        "tiling": {"pad": 2},
    }


def _area(id: str, name: str, parent: str | None, tokens: int, colour: str, hover_text: str) -> Figure:
    """An area; the root has the id of an empty path and no parent."""
    return {
        "ids": f"/{id}",
        "labels": name,
        "parents": "" if parent is None else f"/{parent}",
        "values": tokens,
        "colour": colour,
        "hovertext": hover_text,
    }


def _folder(folder: str, tokens: int) -> Figure:
    parent, _, name = folder.rpartition("/")
    hover_text = f"<b>{label(folder, 56)}</b><br>{tokens:,} tokens"
    return _area(f"{folder}/", label(name, 30), f"{parent}/" if parent else "", tokens, _FOLDER, hover_text)


def _file(piece: PackPart) -> Figure:
    folders = _folders(piece.path)
    hover_text = (
        f"<b>{label(piece.path, 56)}</b><br>{label(piece.form)}, {piece.tokens:,} tokens<br>{hover(piece.note)}"
    )
    parent = f"{folders[-1]}/" if folders else ""
    name = label(piece.path.rpartition("/")[2], 30)
    return _area(piece.path, name, parent, piece.tokens, FORM_COLOURS.get(piece.form, _FOLDER), hover_text)


def _folders(path: str) -> list[str]:
    """The folders that a file lies in, from the outermost, as far as they are drawn."""
    parts = path.split("/")[:-1][:_DEPTH]
    return ["/".join(parts[: number + 1]) for number in range(len(parts))]


def _forms(pieces: Sequence[PackPart]) -> list[tuple[str, int]]:
    return [(form, sum(piece.tokens for piece in pieces if piece.form == form)) for form in FORM_COLOURS]
