"""Standard output through rich: lines and tables. All text is untrusted and never markup."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from paragone.domain.text import visible
from paragone.presenting.table import Cell, Column, Table

WIDTH_WHEN_PIPED = 120
LONG_WORD = 16
"""Letters from which a word in a table may be broken."""


class StandardOutput(Console):
    """Standard output; a closed pipe is left to ``main``."""

    def on_broken_pipe(self) -> None:
        """Raise, where rich would end the process with a failure's exit code."""
        raise BrokenPipeError


def out() -> Console:
    """Standard output, wide enough for a board when it is not a terminal."""
    console = StandardOutput(highlight=False)
    return (
        console if console.is_terminal else StandardOutput(highlight=False, width=max(console.width, WIDTH_WHEN_PIPED))
    )


def plain(text: str) -> Text:
    """Text on one line, without control characters, never markup."""
    return Text(visible(text))


def say(*lines: str) -> None:
    """Print lines of text that may quote untrusted words; only a terminal has them broken between words."""
    console = out()
    for line in lines:
        console.print(_indented(line), soft_wrap=not console.is_terminal)


def _indented(text: str) -> Text:
    """A text as ``plain`` has it, behind the blanks that it begins with."""
    return Text(" " * (len(text) - len(text.lstrip(" ")))).append_text(plain(text))


def show(*blocks: str | Table[Any]) -> None:
    """Print lines of text, and tables without their titles and notes."""
    for block in blocks:
        if isinstance(block, str):
            say(block)
        else:
            _show_table(block)


def _show_table(table: Table[Any]) -> None:
    right = frozenset(column.name for column in table.columns if column.number)
    columns = [_texts(column, table.rows) for column in table.columns]
    print_table([column.name for column in table.columns], list(zip(*columns, strict=True)), right=right)


def _texts(column: Column[Any], rows: Sequence[Any]) -> list[str]:
    """The cells of a column; where a number has a mark behind it, the others end with a blank."""
    cells = [column.cell(row) for row in rows]
    if not any(cell.mark for cell in cells):
        return [cell.text for cell in cells]
    digits = max(len(column.name) - 1, *(len(cell.text) for cell in cells))
    return [f"{cell.text:>{digits}}{cell.mark or ' '}" for cell in cells]


def _justify(texts: Sequence[str], *, is_number: bool) -> Literal["left", "right"]:
    """How a column is aligned; one with marks is padded already, and rich would remove blanks at the right."""
    return "right" if is_number and not any(text.endswith(" ") for text in texts) else "left"


def table_for_width(table: Table[Any], width: int, widths: Sequence[tuple[int, int]]) -> RichTable:
    """A table for a width, whose last column takes what the others leave: a name too long is cut, a number never.

    Args:
        table: The table.
        width: Characters in a line.
        widths: Below each of these widths, ascending, how many columns there are besides the last.
    """
    *columns, name = table.columns
    columns = columns[: next((count for below, count in widths if width < below), None)]
    rich = table_of(expand=True)
    texts = [_texts(column, table.rows) for column in columns]
    for column, cells in zip(columns, texts, strict=True):
        rich.add_column(column.name, justify=_justify(cells, is_number=column.number), no_wrap=True)
    rich.add_column(name.name, no_wrap=True, overflow="ellipsis", ratio=1)
    for line in zip(*texts, (_name(name.cell(row)) for row in table.rows), strict=True):
        rich.add_row(*line)
    return rich


def _name(cell: Cell) -> Text:
    if not cell.head:
        return plain(cell.text)
    return plain(cell.head).append("  ").append_text(Text(visible(cell.more or cell.text)[:300], style="dim"))


def print_table_for_width(console: Console, table: RichTable) -> None:
    """Print a table that ``table_for_width`` made."""
    lines = _unstyled(table, console.width) if console.color_system is None else None
    if lines is None:
        console.print(table)
    else:
        console.out("\n".join(lines), highlight=False)


def _unstyled(table: RichTable, width: int) -> list[str] | None:
    """The lines of such a table as rich would print them without colours, where that is plain; else None.

    Rich takes two milliseconds a row, most of it for colours and for characters that are wider than one column.
    """
    columns = [list(map(str, [column.header, *column.cells])) for column in table.columns]
    free = width - sum(max(map(len, column)) + 2 for column in columns[:-1])
    figures = map(str.rstrip, chain.from_iterable(columns[:-1]))  # blanks behind them are those of the column
    if free < 1 or not all(map(_is_plain, chain(figures, columns[-1]))):
        return None
    padded = []
    for column, texts in zip(table.columns, columns[:-1], strict=False):
        widest = max(map(len, texts))
        is_right = column.justify == "right"
        padded.append([f"{text.rjust(widest) if is_right else text.ljust(widest)}  " for text in texts])
    padded.append([(text if len(text) <= free else f"{text[: free - 1]}…").ljust(free) for text in columns[-1]])
    return list(map("".join, zip(*padded, strict=True)))


def _is_plain(text: str) -> bool:
    """Whether a text has as many columns as characters, and nothing in it that rich takes for markup."""
    return text.isascii() and text.isprintable() and text == text.rstrip() and not _MARKS.intersection(text)


_MARKS = frozenset("[:\\")


def print_table(columns: Sequence[str], lines: Sequence[Sequence[str]], *, right: frozenset[str] = frozenset()) -> None:
    """Print a table; columns named in ``right`` are aligned to the right. Where it is too wide, rows are stacked."""
    console = out()
    least = [_least(name, lines, at, name in right) for at, name in enumerate(columns)]
    free = console.width - 2 * (len(columns) - 1)
    if sum(least) > free:
        console.print(_stacked(columns, lines))
        return
    widest = [max(cell_len(name), *(cell_len(line[at]) for line in lines), 1) for at, name in enumerate(columns)]
    table = table_of(expand=False)
    fitted = [*_fitted(widest, least, free)[:-1], None]  # the last takes the rest
    for at, (name, width) in enumerate(zip(columns, fitted, strict=True)):
        justify = _justify([line[at] for line in lines], is_number=name in right)
        table.add_column(name, justify=justify, overflow="fold", width=width)
    for line in lines:
        table.add_row(
            *(_indented(cell) if name in right else plain(cell) for name, cell in zip(columns, line, strict=True))
        )
    console.print(table)


def table_of(*, expand: bool) -> RichTable:
    """An empty table in the style of all tables."""
    return RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=expand)


def _fitted(widest: Sequence[int], least: Sequence[int], free: int) -> list[int]:
    """Widths of columns: their own where there is room, else the widest give way, down to their least.

    Rich would shrink columns to their least only after sharing out the room, and cut the end of the line.
    """
    widths = [min(width, free) for width in widest]
    for _ in range(sum(widths) - free):
        at = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at]))
        widths[at] -= 1
    return widths


def _least(name: str, lines: Sequence[Sequence[str]], at: int, is_figure: bool) -> int:
    """The least width of a column: figures are never broken, words only beyond a length."""
    lengths = [len(word) for word in name.split()]
    for line in lines:
        lengths += [len(line[at])] if is_figure else [min(len(word), LONG_WORD) for word in line[at].split()]
    return max(lengths, default=1)


def _stacked(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> Text:
    """Each row as a paragraph, a line for each cell; empty cells are left out."""
    rows = [
        [
            Text.assemble((f"{name}: ", "bold"), plain(cell))
            for name, cell in zip(columns, line, strict=True)
            if cell.strip()
        ]
        for line in lines
    ]
    return Text("\n\n").join(Text("\n").join(row) for row in rows)


def print_report(summary: Sequence[tuple[str, str]], tiles: Sequence[tuple[str, str]]) -> None:
    """Print the summary of a report and its headline numbers."""
    console = out()
    for topic, sentence in summary:
        console.print(plain(topic).append(":"), style="bold")
        console.print(plain(sentence))
    console.print()
    for name, value in tiles:
        console.print(plain(f"{name}: {value}"))
