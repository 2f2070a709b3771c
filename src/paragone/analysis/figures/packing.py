"""Where the tokens of a pack go, as a figure: folders and files as areas, by the form that each file has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.analysis.figures.labels import hover, label
from paragone.analysis.figures.theme import Figure, figure, nothing

FORM_COLOURS: Mapping[str, str] = {"full": "#1f6fab", "signatures": "#0b7a5b", "pointer": "#6b7482"}
_FOLDER = "#3a4452"
_WORDS = "#ffffff"
_DEPTH = 3
"""Levels of folders that are areas of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
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


def where_tokens_go(pieces: Sequence[Piece], *, total: int) -> Figure:
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


def _file(piece: Piece) -> Figure:
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


def _forms(pieces: Sequence[Piece]) -> list[tuple[str, int]]:
    return [(form, sum(piece.tokens for piece in pieces if piece.form == form)) for form in FORM_COLOURS]
