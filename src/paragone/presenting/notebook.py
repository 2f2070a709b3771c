"""What notebooks show of boards, comparisons, agents, memory, items and matches; and their rows as data frames."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum
from html import escape
from importlib import import_module
from typing import Any

from paragone import extras
from paragone.domain import UNORDERED, Board, BoardRow, Match, PairedResult
from paragone.domain.board import Estimate
from paragone.domain.displayed import DisplayedList
from paragone.domain.text import counted, visible
from paragone.errors import InvalidConfig, InvalidItems, UnknownColumn
from paragone.intake.table import InputTable, as_number, as_text, is_missing
from paragone.intake.table_files import tabulate
from paragone.presenting import board_facts, figures, method_comparison, paired_comparison, plot_backends
from paragone.presenting.board_files import COLUMNS
from paragone.presenting.board_tables import BETWEEN, ELO, interval, ranked_items, ranks
from paragone.presenting.table import Cell, Column, Table, facts, item, number, numbers, table, text

MOST = 50
"""Rows that a notebook shows; frames have all."""

Records = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class NotebookView:
    """How values of a class are laid out.

    Attributes:
        tables: Tables of a value.
        records: Its rows, for data frames.
        figure: Its figure; None where there is none.
        facts: What else there is to say, as names and values.
    """

    tables: Callable[[Any], Sequence[Table[Any]]]
    records: Callable[[Any], Records]
    figure: Callable[[Any], figures.Figure] | None = None
    facts: Callable[[Any], Sequence[tuple[str, str]]] = lambda _: ()


def as_html(value: object) -> str:
    """A value as HTML without scripts, every text escaped."""
    view = _view(value)
    parts = [_table(each) for each in view.tables(value) if each.rows]
    lines = view.facts(value)
    if lines:
        parts.append(_table(facts("", "", lines)))
    return f"<div>{''.join(parts)}</div>"


def plotted(value: object, backend: str | None = None) -> Any:  # noqa: ANN401 - a figure of that library
    """A value's figure as plotly or matplotlib draws it.

    Raises:
        InvalidConfig: If there is none, or no such library.
        MissingExtra: If the library is not installed.
    """
    view = _view(value)
    if view.figure is None:
        raise InvalidConfig(f"there is no figure of a {type(value).__name__}")
    return plot_backends.drawn(view.figure(value), backend)


def as_frame(value: object, library: str) -> Any:  # noqa: ANN401 - a frame of that library
    """A value's rows as a frame; what is no text, number or truth value becomes JSON.

    Args:
        value: The value.
        library: ``pandas``, ``polars`` or ``pyarrow``.

    Raises:
        MissingExtra: If it is not installed.
    """
    rows = [{name: _plain(cell) for name, cell in row.items()} for row in _view(value).records(value)]
    with extras.importing("this frame needs", library):
        module = import_module(library)
    if library == "pyarrow":
        return module.Table.from_pylist(rows)
    return module.DataFrame(rows) if library == "pandas" else module.DataFrame(rows, infer_schema_length=None)


def _plain(cell: object) -> object:
    if isinstance(cell, Enum):
        return cell.value
    if cell is None or isinstance(cell, str | int | float | bool):
        return cell
    return json.dumps(cell, default=str, ensure_ascii=False)


def board_of_frame(source: object, *, level: float = 0.95) -> Board:
    """A board from a table of its rows, such as ``to_pandas`` or ``write`` made.

    Args:
        source: A data frame, a list of mappings or a file, with columns ``id`` and ``rating``, and perhaps others of a
            board. Ranks are by rating where there are none, and intervals are points where there are none.
        level: Probability that the intervals are meant to hold.

    Raises:
        UsageError: If a column is missing, an id comes twice, or a cell is no number.
    """
    rows = tabulate(source, name="the frame")
    at = {name: rows.found((name,), option=name) for name in COLUMNS}
    for name in ("id", "rating"):
        if at[name] is None:
            raise UnknownColumn(f"{rows.name} has no column {name!r}; it has {rows.listing()}")
    read = [_row(rows, index, at) for index in range(len(rows.rows))]
    ids = [row["id"] for row in read]
    twice = next((id for id in ids if ids.count(id) > 1), None)
    if twice is not None:
        raise InvalidItems(f"{rows.name} has the id {twice!r} twice")
    order = sorted(read, key=lambda row: (-row["rating"], row["id"]))
    ratings = [row["rating"] for row in order]
    items = tuple(BoardRow(**{**_ranks(row, ratings), **row}) for row in order)
    return Board(items=items, level=level, pairing=UNORDERED if at["elo"] is None else "")


def _ranks(row: Mapping[str, Any], ratings: Sequence[float]) -> dict[str, Any]:
    """What a row has where the frame does not say it."""
    rank = row.get("rank", ratings.index(row["rating"]) + 1)
    counts = dict.fromkeys(("wins", "losses", "ties", "matches"), 0)
    ends = {"low": row["rating"], "high": row["rating"], "elo": row["rating"]}
    return {**counts, **ends, "rank": rank, "rank_low": rank, "rank_high": rank}


def _row(rows: InputTable, index: int, at: Mapping[str, int | None]) -> dict[str, Any]:
    """The cells of a row that are there, each of its kind."""
    values: dict[str, Any] = {}
    kinds = {field.name: field.type for field in fields(BoardRow)}
    for name, column in at.items():
        cell = None if column is None else rows.rows[index][column]
        if is_missing(cell):
            continue
        value = as_text(cell) if kinds[name] == "str" or kinds[name] is str else as_number(cell)
        if value is None:
            raise InvalidItems(f"{rows.where(index)}: the {name} is {str(cell)[:40]!r}, which it cannot be")
        is_integer = kinds[name] in (int, "int") and isinstance(value, float)
        values[name] = int(value) if is_integer and isinstance(value, float) else value
    for name in ("id", "rating"):
        if name not in values:
            raise InvalidItems(f"{rows.where(index)}: the {name} is missing")
    return values


def _table(laid_out: Table[Any]) -> str:
    """A table; the rows beyond ``MOST`` are counted."""
    head = "".join(f"<th{_align(column.number)}>{escape(visible(column.name))}</th>" for column in laid_out.columns)
    numeric = [column.number for column in laid_out.columns]
    body = "".join(
        f"<tr>{''.join(_cell(cell, right) for cell, right in zip(line, numeric, strict=True))}</tr>"
        for line in laid_out.first(MOST).lines
    )
    surplus = len(laid_out.rows) - MOST
    more = f"<p>and {counted(surplus, 'more row')}</p>" if surplus > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(cell: Cell, right: bool) -> str:
    head = f"<b>{escape(visible(cell.head))}</b> " if cell.head else ""
    mark = f'<span style="display: inline-block; width: 0">{escape(cell.mark)}</span>' if cell.mark else ""
    return f"<td{_align(right)}>{head}{escape(visible(cell.text))}{mark}</td>"


def _align(right: bool) -> str:
    return f' style="text-align: {"right" if right else "left"}"'


def _view(value: object) -> NotebookView:
    """The view of a value's class; of a list that of its rows."""
    if isinstance(value, DisplayedList):
        return _LISTS[type(value[0]).__name__] if value else _EMPTY
    return next(_VIEWS[kind.__name__] for kind in type(value).__mro__ if kind.__name__ in _VIEWS)


def _board_records(board: Board) -> Records:
    return [{name: getattr(row, name) for name in COLUMNS} for row in board.items]


def _board_figure(board: Board) -> figures.Figure:
    return figures.leaderboard(board.items, level=board.level, with_elo=board.is_elo_telling)


def _paired_records(result: PairedResult) -> Records:
    names = ("questions", "available", "wins", "losses", "ties", "identical", "by_order", "unanswered", "calls")
    design = {name: getattr(result.design, name) for name in ("new", "old", "alpha", "power", "margin")}
    counts = {name: getattr(result, name) for name in (*names, "fixed_calls", "judge", "tournament")}
    return [{**design, **asdict(result.look), **counts}]


def _paired_figure(result: PairedResult) -> figures.Figure:
    look, name = result.look, f"{result.design.new} against {result.design.old}"
    if look.estimate is None:
        raise InvalidConfig("no question has a score, so there is nothing to be drawn")
    estimate = Estimate(name=name, value=look.estimate, low=look.low, high=look.high, note=result.in_words)
    return figures.forest(
        [estimate], alt=f"Probability that {result.design.new} wins", title="probability of winning", zero=0.5,
        number=lambda share: f"{share:.1%}",
    )  # fmt: skip


def _match_tables(match: Match) -> list[Table[Any]]:
    columns: tuple[Column[Any], ...] = (
        text("first", lambda each: each.first),
        text("second", lambda each: each.second),
        text("answer", lambda each: each.verdict.choice.value),
        text("why", lambda each: each.verdict.rationale),
        text("judge", lambda each: each.verdict.judge),
    )
    return [table(match.comparisons, *columns)]


def _match_records(match: Match) -> Records:
    call = {"match": match.id, "round": match.round, "a": match.a, "b": match.b, "outcome": match.outcome}
    return [
        {**call, "first": each.first, "second": each.second, "answer": each.verdict.choice, "judge": each.verdict.judge}
        for each in match.comparisons
    ] or [call]


def _strengths(rows: Sequence[Any]) -> list[Table[Any]]:
    columns: tuple[Column[Any], ...] = (
        ranks(rows),
        BETWEEN,
        number("strength", lambda row: row.strength, ".0f"),
        interval(0.95),
        ELO,
        number("debates", lambda row: row.matches),
        text("agent", lambda row: row.agent),
    )
    return [table(rows, *columns)]


def _strength_figure(rows: Sequence[Any]) -> figures.Figure:
    shared = ("rank", "rank_low", "rank_high", "low", "high", "elo", "matches")
    board = [
        BoardRow(
            id=row.agent, rating=row.strength, wins=0, losses=0, ties=0, **{name: getattr(row, name) for name in shared}
        )
        for row in rows
    ]
    return figures.leaderboard(board, what="agents")


def _agents(rows: Sequence[Any]) -> list[Table[Any]]:
    columns: tuple[Column[Any], ...] = (
        number("Elo", lambda row: row.elo, ".0f"),
        numbers("W-L-D", lambda row: f"{row.wins}-{row.losses}-{row.draws}"),
        number("debates", lambda row: row.debates_count),
        text("agent", lambda row: row.agent_name),
    )
    return [table(rows, *columns)]


def _found(page: Any) -> list[Table[Any]]:  # noqa: ANN401 - of a search
    columns: tuple[Column[Any], ...] = (
        number("rank", lambda row: row.rank, ""),
        number("score", lambda row: row.score, ".3f"),
        text("where", lambda row: f"{row.path}:{row.start}-{row.end}"),
        text("title", lambda row: row.title),
        text("why", lambda row: row.breakdown.summary),
    )
    return [table(page.results, *columns)]


def _found_records(page: Any) -> Records:  # noqa: ANN401
    names = ("rank", "score", "path", "start", "end", "title", "snippet")
    return [{name: getattr(row, name) for name in names} for row in page.results]


def _found_facts(page: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    lines = [("query", page.query), ("results", f"{len(page.results)} of {page.total}")]
    return [*lines, *([("notice", page.notice)] if page.notice else [])]


def _content(page: Any) -> list[Table[Any]]:  # noqa: ANN401 - a board of content
    columns: tuple[Column[Any], ...] = (
        number("Elo", lambda row: row.elo, ".0f"),
        number("need", lambda row: row.need, ".2f"),
        number("uses", lambda row: row.uses),
        number("R", lambda row: row.r, ".2f"),
        text("content", lambda row: row.path if row.path == row.id else f"{row.path} {row.id}"),
    )
    return [table(page.value.rows, *columns)]


def _plain_records(rows: Sequence[Any]) -> Records:
    return [asdict(row) for row in rows]


_EMPTY = NotebookView(tables=lambda _: (), records=lambda _: [], facts=lambda _: [("rows", "none")])
_LISTS = {
    "AgentStrength": NotebookView(tables=_strengths, records=_plain_records, figure=_strength_figure),
    "AgentRating": NotebookView(tables=_agents, records=_plain_records),
}
"""Views of lists, by the class of their rows."""
_VIEWS = {
    "Board": NotebookView(
        tables=lambda board: [ranked_items(board)],
        records=_board_records,
        figure=_board_figure,
        facts=board_facts.facts,
    ),
    "PairedResult": NotebookView(
        tables=lambda _: (),
        records=_paired_records,
        figure=_paired_figure,
        facts=paired_comparison.facts,
    ),
    "MethodComparison": NotebookView(
        tables=lambda each: [method_comparison.ranks(each), method_comparison.agreement(each)],
        records=lambda each: _plain_records(each.items),
    ),
    "Item": NotebookView(
        tables=lambda each: [table([each], item("item", lambda row: (row.id, row.text)))],
        records=lambda each: _plain_records([each]),
    ),
    "Match": NotebookView(
        tables=_match_tables,
        records=_match_records,
        facts=lambda match: [("match", match.id), ("outcome", f"{match.a} against {match.b}: {match.outcome}")],
    ),
    "Found": NotebookView(tables=_found, records=_found_records, facts=_found_facts),
    "ContentBoard": NotebookView(
        tables=_content,
        records=lambda page: _plain_records(page.value.rows),
        facts=lambda page: [("content", f"{len(page.rows)} of {page.total}")],
    ),
}
"""Views by the name of a class, so that nobody loads memory who shows a board."""
