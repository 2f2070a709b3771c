"""What a section of ``benchmarks/rating.py`` hands back, and how it is measured and shown.

A section is a function ``(quick: bool) -> list[Table]``; ``rating.py`` names them all. ``quick`` asks for the same rows
at sizes that take seconds.
"""

import gc
import importlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Cell = str | int | float | None
"""A text, a number, or None for what was not measured (a dash, or JSON's null)."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table of figures.

    Attributes:
        title: What was measured, and on what.
        columns: Names of the columns, with their units.
        rows: As many cells each as there are columns; numbers are rounded when shown, never before.
        notes: What a reader has to know: rows that are left out and why, bars and whether they were met.
        digits: Significant digits of numbers, where they are shown.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    digits: int = 3


Section = Callable[[bool], list[Table]]


def cpu(call: Callable[[], object], repeat: int = 3) -> float:
    """Least CPU seconds of ``repeat`` calls, with the garbage collector off; warm up or compile before.

    CPU time, since the machine may be shared; the least, since whatever disturbs a call can only slow it.
    """
    best = math.inf
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeat):
            began = time.process_time()
            call()
            best = min(best, time.process_time() - began)
    finally:
        if collects:
            gc.enable()
    return best


def cpu_each(calls: Mapping[str, Callable[[], object]], repeat: int = 3) -> dict[str, float]:
    """Least CPU seconds of each of several calls, taken in turns: a slow minute of the machine slows them all."""
    rounds = [{name: cpu(call, 1) for name, call in calls.items()} for _ in range(repeat)]
    return {name: min(seconds[name] for seconds in rounds) for name in calls}


def peer(name: str) -> ModuleType | None:
    """The module of another package; None where it is not installed. Say so then: ``absent(name)``."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def absent(name: str) -> str:
    """The note for a row that is left out."""
    return f"{name} is not installed, its row is left out: make peers"


def as_text(table: Table) -> str:
    """A table as a Markdown table, as the page of benchmarks has it."""
    lines = [
        f"## {table.title}",
        "",
        "| " + " | ".join(table.columns) + " |",
        "|" + "---|" * len(table.columns),
        *("| " + " | ".join(_shown(cell, table.digits) for cell in row) + " |" for row in table.rows),
    ]
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes), ""])


def as_json(table: Table) -> dict[str, Any]:
    """A table as JSON: one object a row."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows, "notes": list(table.notes)}


def _shown(cell: Cell, digits: int) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool | str):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.{digits}g}"
