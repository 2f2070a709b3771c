"""A board as a file: JSON, CSV or one self-contained HTML page."""

import csv
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from paragone.domain import Board, BoardRow
from paragone.errors import InvalidConfig, Unwritable

COLUMNS = (
    "rank",
    "id",
    "rating",
    "low",
    "high",
    "rank_low",
    "rank_high",
    "elo",
    "wins",
    "losses",
    "ties",
    "matches",
    "text",
)


def as_json(board: Board) -> str:
    """The board as one JSON object; numbers are not rounded."""
    return json.dumps(board.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(board: Board) -> str:
    """The rows of the board, best first, under a header."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows({**asdict(row), "text": " ".join(row.text.split())} for row in board.items)
    return out.getvalue()


def as_html(board: Board) -> str:
    """One page that needs no other file and no script."""
    from jinja2 import Environment, PackageLoader

    page = Environment(loader=PackageLoader("paragone.tournaments"), autoescape=True).get_template("board.html")
    low = min(row.low for row in board.items)
    high = max(row.high for row in board.items)
    width = (high - low) or 1.0

    def place(row: BoardRow) -> dict[str, float]:
        return {
            "low": round(100 * (row.low - low) / width, 2),
            "width": round(100 * (row.high - row.low) / width, 2),
            "mark": round(min(99.2, 100 * (row.rating - low) / width), 2),
        }

    centre = sum(row.rating for row in board.items) / len(board.items)
    return page.render(
        board=board,
        title=board.tournament or "Ranking",
        facts=facts(board),
        rows=[(row, place(row)) for row in board.items],
        low=f"{low:.0f}",
        high=f"{high:.0f}",
        centre=round(100 * (centre - low) / width, 2),
        percent=lambda share: f"{share:.0%}",
    )


def facts(board: Board) -> list[tuple[str, str]]:
    """What is worth saying beside the rows, as names and values in words."""
    said = [("calls", f"{board.calls}")] if board.tournament else []
    if board.cached_calls:
        said.append(("from earlier verdicts", f"{board.cached_calls}"))
    if board.failed_calls:
        said.append(("failed calls", f"{board.failed_calls}"))
    if board.abstentions:
        said.append(("abstentions", f"{board.abstentions}"))
    if board.cost is not None:
        said.append(("cost", money(board.cost)))
    said.extend(
        (f"position bias of {report.judge}", _position(report.position_bias, report.position_low, report.position_high))
        for report in board.judges
    )
    if board.forecast is not None:
        said.append(("expected tau with the true order", f"{board.forecast.tau:.2f}"))
        said.append((f"expected recall of the true top {board.forecast.top}", f"{board.forecast.recall:.0%}"))
        said.append(("probability that the first is the best", f"{board.forecast.p_best:.0%}"))
    if board.outlook is not None:
        seen = board.outlook
        said.append(("as many calls again would bring about", f"tau {seen.tau:.2f}, recall {seen.recall:.0%}"))
    if board.stopped:
        said.append(("stopped", board.stopped))
    return said


def money(dollars: float) -> str:
    """Dollars as a person reads them: tenths of a cent matter where calls are cheap."""
    return f"${dollars:,.2f}" if dollars >= 100 or dollars == 0 else f"${dollars:.4f}"


def _position(estimate: float | None, low: float | None, high: float | None) -> str:
    if estimate is None or low is None or high is None:
        return "cannot be told"
    if low <= 0.0 <= high:
        return f"none found ({estimate:+.2f} nats, {low:+.2f} to {high:+.2f})"
    side = "first" if estimate > 0 else "second"
    return f"towards the {side} shown ({estimate:+.2f} nats, {low:+.2f} to {high:+.2f})"


FORMATS: dict[str, Callable[[Board], str]] = {".json": as_json, ".csv": as_csv, ".html": as_html}


def check(path: Path) -> None:
    """Refuse a file that could not be written, before anything is spent.

    Raises:
        InvalidConfig: If its ending names no format.
        Unwritable: If its folder does not exist or may not be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise InvalidConfig(f"{path}: a board is written as {', '.join(FORMATS)}; end the name in one of these")
    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK) or path.is_dir():
        raise Unwritable(f"{path} cannot be written: its folder must exist and be writable")


def write(board: Board, path: str | os.PathLike[str]) -> None:
    """Write a board whole or not at all, in the format that the file's ending names.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
    """
    target = Path(path)
    check(target)
    save(FORMATS[target.suffix.lower()](board), target)


def save(text: str, path: Path) -> None:
    """Write text beside the file and swap it in.

    Raises:
        Unwritable: If the file cannot be written.
    """
    beside = path.absolute().with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from error


def as_jsonl(records: Sequence[Mapping[str, Any]]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)


def write_records(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write records whole or not at all, as .jsonl or .csv.

    Raises:
        InvalidConfig: If the ending names neither.
        Unwritable: If the file cannot be written.
    """
    if path.suffix.lower() == ".jsonl":
        save(as_jsonl(records), path)
    elif path.suffix.lower() == ".csv":
        save(_records_as_csv(records), path)
    else:
        raise InvalidConfig(f"{path}: records are written as .jsonl or .csv; end the name in one of these")


def _records_as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    table = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    table.writeheader()
    for record in records:
        table.writerow({key: _cell(value) for key, value in record.items()})
    return out.getvalue()


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, tuple, dict)) else value
