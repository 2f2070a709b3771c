"""Exports of a pool in pieces: CSV, JSON lines or Parquet, with the records that `paragone export` writes."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Literal

from paragone import extras
from paragone.domain import Rating
from paragone.domain.text import visible, whole
from paragone.presenting.files import as_csv, as_jsonl
from paragone.tournaments.results.inspection import match_record, turn_record, verdict_record
from paragone.web.readers.ledger_reader import LedgerReader

What = Literal["board", "items", "matches", "verdicts", "turns", "changes"]
Format = Literal["csv", "jsonl", "parquet"]
Record = Mapping[str, Any]

PIECE = 1_000
"""Records in memory at once."""

TYPES: Mapping[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
"""Media types."""

_RATING = {"elo": "number", "wins": "count", "losses": "count", "ties": "count", "matches": "count"}
_USAGE = {"calls": "count", "input_tokens": "count", "output_tokens": "count", "cost": "number", "seconds": "number"}
COLUMNS: Mapping[What, Mapping[str, str]] = {
    "board": {
        "rank": "count",
        "id": "words",
        **dict.fromkeys(("rating", "low", "high"), "number"),
        **dict.fromkeys(("rank_low", "rank_high"), "count"),
        **_RATING,
        "text": "words",
    },
    "items": dict.fromkeys(("id", "text", "kind"), "words"),
    "matches": {
        "id": "words",
        "round": "count",
        **dict.fromkeys(("a", "b", "outcome", "winner"), "words"),
        "items": "list",
        "comparisons": "count",
        "protocol": "words",
        "confidence": "number",
        "rolled_back": "flag",
    },
    "verdicts": {
        **dict.fromkeys(("match", "call", "first", "second"), "words"),
        "shown": "list",
        **dict.fromkeys(("choice", "judge"), "words"),
        "order": "list",
        "probability": "number",
        "scores": "json",
        **dict.fromkeys(("rationale", "prompt_hash", "error"), "words"),
        "cached": "flag",
        **_USAGE,
    },
    "turns": {
        **dict.fromkeys(("match", "call"), "words"),
        "number": "count",
        **dict.fromkeys(("speaker", "stage", "content"), "words"),
        **dict.fromkeys(("claims", "rebuttals", "evidence"), "list"),
        **dict.fromkeys(("advocate", "prompt_hash"), "words"),
        **_USAGE,
    },
    "changes": {
        **dict.fromkeys(("item", "match"), "words"),
        **dict.fromkeys(("old", "new", "k", "expected", "score", "clamped"), "number"),
        "track": "words",
    },
}
"""Columns of each export, with their kinds."""


def export(reader: LedgerReader, pool: str, what: What, format: Format) -> Iterator[bytes]:
    """A file in pieces. Errors are raised at once, not in the middle of the file.

    Raises:
        NotFound: If there is no such pool.
        MissingExtra: If it is Parquet and pyarrow is not installed.
    """
    reader.version(pool)  # refuses a pool that is not there
    if format == "parquet":
        _pyarrow()
        return _parquet(what, _records(reader, pool, what))
    records = _records(reader, pool, what)
    if format == "csv":
        return _csv(what, _pieces(map(_on_one_line, records) if what == "board" else records))
    return (as_jsonl(piece).encode() for piece in _pieces(records))


def _records(reader: LedgerReader, pool: str, what: What) -> Iterator[Record]:
    ledger = reader.ledger
    if what == "board":
        yield from _board(reader, pool)
    elif what == "items":
        yield from _items(reader, pool)
    elif what == "changes":
        yield from map(asdict, ledger.ratings.each_change(pool))
    elif what == "turns":
        yield from _turns(reader, pool)
    else:
        for recorded in ledger.matches.each(pool):
            if what == "matches":
                yield match_record(recorded.match, rolled_back=recorded.rolled_back)
            else:
                yield from (verdict_record(recorded.match, answer) for answer in recorded.match.answers)


def _board(reader: LedgerReader, pool: str) -> Iterator[Record]:
    """The board by strength; by the running Elo if the pool is no tournament or too large for a fit."""
    if reader.is_small(pool):
        yield from map(_in_order, map(asdict, reader.board(pool).items))
        return
    last: Rating | None = None
    position = rank = 0
    while page := reader.ledger.ratings.leaderboard(pool, count=PIECE, below=last):
        texts = reader.ledger.items.by_id(pool, [rating.item for rating in page])
        for rating in page:
            position += 1
            rank = rank if last is not None and rating.elo == last.elo else position
            last = rating
            yield {
                **dict.fromkeys(COLUMNS["board"]),
                "id": rating.item,
                "text": texts[rating.item].text if rating.item in texts else "",
                "rank": rank,
                **{name: getattr(rating, name) for name in _RATING},
            }


def _in_order(row: Record) -> Record:
    return {name: row[name] for name in COLUMNS["board"]}


def _on_one_line(row: Record) -> Record:
    return {**row, "text": visible(row["text"])}


def _items(reader: LedgerReader, pool: str) -> Iterator[Record]:
    last = 0
    while page := reader.ledger.items.after(pool, last, PIECE):
        yield from ({"id": item.id, "text": item.text, "kind": item.kind.value} for _, item in page)
        last = page[-1][0]


def _turns(reader: LedgerReader, pool: str) -> Iterator[Record]:
    """The turns with the ids of their matches."""
    of: dict[str, str] | None = None
    for turn in reader.ledger.tournaments.each_turn(pool):
        of = _matches_of_calls(reader, pool) if of is None else of
        yield {**turn_record(None, turn), "match": of.get(turn.call, "")}


def _matches_of_calls(reader: LedgerReader, pool: str) -> dict[str, str]:
    return {
        answer.call: recorded.match.id
        for recorded in reader.ledger.matches.each(pool)
        for answer in recorded.match.answers
    }


def _pieces(records: Iterator[Record]) -> Iterator[Sequence[Record]]:
    while piece := list(islice(records, PIECE)):
        yield piece


def _csv(what: What, pieces: Iterable[Sequence[Record]]) -> Iterator[bytes]:
    names = list(COLUMNS[what])
    yield as_csv([], names).encode()
    for piece in pieces:
        _, _, rows = as_csv(piece, names).partition("\n")  # the header is there already
        yield whole(rows).encode()


class _Sink:
    """A file in memory that returns and forgets what was written to it."""

    closed = False

    def __init__(self) -> None:
        self._written: list[bytes] = []
        self._length = 0

    def write(self, data: bytes) -> int:
        self._written.append(bytes(data))
        self._length += len(data)
        return len(data)

    def tell(self) -> int:
        return self._length

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""

    def drain(self) -> bytes:
        """What was written since the last call."""
        data, self._written = b"".join(self._written), []
        return data


def _parquet(what: What, records: Iterator[Record]) -> Iterator[bytes]:
    pa, parquet = _pyarrow()
    kinds = {
        "words": pa.string(),
        "count": pa.int64(),
        "number": pa.float64(),
        "flag": pa.bool_(),
        "list": pa.list_(pa.string()),
        "json": pa.string(),
    }
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS[what].items()])
    sink = _Sink()
    with parquet.ParquetWriter(pa.PythonFile(sink, mode="w"), schema) as writer:
        for piece in _pieces(records):
            writer.write_table(pa.Table.from_pydict(_columns(what, piece), schema=schema))
            yield sink.drain()
    yield sink.drain()


def _columns(what: What, piece: Sequence[Record]) -> dict[str, list[Any]]:
    columns: defaultdict[str, list[Any]] = defaultdict(list)
    for record in piece:
        for name, kind in COLUMNS[what].items():
            columns[name].append(_stored(record[name], kind))
    return columns


def _stored(value: object, kind: str) -> object:
    if value is None:
        return None
    if kind == "json":
        return whole(json.dumps(value, ensure_ascii=False))
    if isinstance(value, (list, tuple)):
        return [whole(str(each)) for each in value]
    return whole(str(value)) if kind == "words" else value


def _pyarrow() -> tuple[Any, Any]:
    with extras.importing("to write Parquet, the server needs", "pyarrow"):
        import pyarrow as pa
        from pyarrow import parquet
    return pa, parquet
