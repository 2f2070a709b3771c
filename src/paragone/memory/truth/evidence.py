"""Evidence and labelled pairs, and reading both from JSON lines."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.errors import InvalidRecord, UnreadableFile

Row = Mapping[str, object]


def objects(path: Path) -> Iterator[tuple[str, Row]]:
    """Each object of a file with where it stands, as ``FILE:LINE``; empty lines are passed over.

    Raises:
        UnreadableFile: If the file is absent or no UTF-8.
        InvalidRecord: If a line is no JSON object.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not written in UTF-8 ({error.reason} at byte {error.start})") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", _object(line, f"{path}:{number}")


def text_in(row: Row, name: str, where: str, *, default: str | None = None) -> str:
    """A text of an object.

    Raises:
        InvalidRecord: If it is not there and has no default, or is none.
    """
    value = row.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise InvalidRecord(f'{where}: "{name}" must be a text')
    return value


def _object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidRecord(f"{where} is no JSON: {error}") from error
    except RecursionError as error:
        raise InvalidRecord(f"{where} is nested too deeply") from error
    if not isinstance(row, dict):
        raise InvalidRecord(f"{where} is no JSON object")
    return row


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One text that says something about content.

    Attributes:
        text: What it says.
        source: Where it comes from, such as an agent, a document or an address; what has the same source counts once.
            Empty where that is unknown.
    """

    text: str
    source: str = ""


def read_evidence(path: Path) -> Mapping[str, Sequence[Evidence]]:
    """Evidence by the name of the content that it is about, from JSON lines ``{"content", "text", "source"}``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidRecord: If a line is no evidence, naming it.
    """
    by_subject: dict[str, list[Evidence]] = {}
    for where, row in objects(path):
        about = text_in(row, "content", where)
        by_subject.setdefault(about, []).append(evidence_of(row, where))
    return by_subject


def evidence_of(row: Mapping[str, object], where: str) -> Evidence:
    """A JSON object as evidence.

    Raises:
        InvalidRecord: If its text or source is none.
    """
    return Evidence(text=text_in(row, "text", where), source=text_in(row, "source", where, default=""))


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """R and whether what has it is true. ``r`` is None where it is unknown; such a pair says nothing.

    Attributes:
        r: R.
        true: The label.
    """

    r: float | None
    true: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """A line of a file of pairs: R itself, or the evidence that it follows from.

    Attributes:
        true: Whether it is true.
        r: R; None where it is to be worked out.
        text: What the evidence is about; empty for none.
        evidence: For R by agreement.
    """

    true: bool
    r: float | None = None
    text: str = ""
    evidence: tuple[Evidence, ...] = ()


def read_pairs(path: Path) -> tuple[Labelled, ...]:
    """Labelled content, from JSON lines ``{"r", "true"}`` or ``{"text", "evidence": [{"text", "source"}], "true"}``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidRecord: If a line is no pair, naming it.
    """
    return tuple(_labelled(row, where) for where, row in objects(path))


def _labelled(row: Row, where: str) -> Labelled:
    true, r, evidence = row.get("true"), row.get("r"), row.get("evidence")
    if not isinstance(true, bool):
        raise InvalidRecord(f'{where}: "true" must be true or false')
    if evidence is None:
        if isinstance(r, bool) or not isinstance(r, int | float) or not math.isfinite(r):
            raise InvalidRecord(f'{where}: give "r", a finite number, or "evidence", a list')
        return Labelled(true=true, r=float(r))
    if not isinstance(evidence, list) or not all(isinstance(entry, dict) for entry in evidence):
        raise InvalidRecord(f'{where}: "evidence" must be a list of objects with "text" and "source"')
    pieces = tuple(evidence_of(entry, where) for entry in evidence)
    return Labelled(true=true, text=text_in(row, "text", where, default=""), evidence=pieces)


def pairs(labelled: Sequence[Labelled], r_of: Callable[[Labelled], float | None]) -> tuple[Pair, ...]:
    """The pairs, R worked out where only evidence is given."""
    return tuple(
        Pair(r=example.r if example.r is not None else r_of(example), true=example.true) for example in labelled
    )
