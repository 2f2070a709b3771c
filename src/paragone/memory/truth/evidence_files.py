"""Evidence about content, and content labelled as true or false, as files have them."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.errors import InvalidRecord
from paragone.intake.text_file import read_text

Row = Mapping[str, object]


def objects(path: Path) -> Iterator[tuple[str, Row]]:
    """Each JSON object of a file with its position, as ``FILE:LINE``; empty lines are skipped.

    Raises:
        UnreadableFile: If the file is missing or not UTF-8.
        InvalidRecord: If a line is not a JSON object.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", _object(line, f"{path}:{number}")


def text_in(row: Row, name: str, where: str, *, default: str | None = None) -> str:
    """A text of an object.

    Raises:
        InvalidRecord: If it is missing without a default, or not a text.
    """
    value = row.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise InvalidRecord(f'{where}: "{name}" must be a text')
    return value


def _object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidRecord(f"{where} is not valid JSON: {error}") from error
    except RecursionError as error:
        raise InvalidRecord(f"{where} is nested too deeply") from error
    if not isinstance(row, dict):
        raise InvalidRecord(f"{where} is not a JSON object")
    return row


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthEvidence:
    """A text about content.

    Attributes:
        text: The text.
        source: Where it comes from, such as an agent, a document or an address; texts of one source count once. Empty
            if unknown.
        supports: Whether it supports the content or denies it; None if nobody says. Then a text that is alike but for a
            number or a negation counts as neither.
    """

    text: str
    source: str = ""
    supports: bool | None = None


def read_evidence(path: Path) -> Mapping[str, Sequence[TruthEvidence]]:
    """Evidence by the name of its content, from JSON lines ``{"content", "text", "source", "supports"}``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidRecord: If a line is not evidence, naming it.
    """
    by_subject: dict[str, list[TruthEvidence]] = {}
    for where, row in objects(path):
        about = text_in(row, "content", where)
        by_subject.setdefault(about, []).append(evidence_of(row, where))
    return by_subject


def evidence_of(row: Mapping[str, object], where: str) -> TruthEvidence:
    """A JSON object as evidence.

    Raises:
        InvalidRecord: If its text or source is not a text, or ``supports`` neither true nor false.
    """
    supports = row.get("supports")
    if supports is not None and not isinstance(supports, bool):
        raise InvalidRecord(f'{where}: "supports" must be true, false or left out')
    text, source = text_in(row, "text", where), text_in(row, "source", where, default="")
    return TruthEvidence(text=text, source=source, supports=supports)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledContent:
    """Content known to be true or false, with its R or the evidence to find it.

    Attributes:
        true: The label.
        r: R; None if it must be found.
        text: The text that the evidence is about; may be empty.
        evidence: For R by agreement.
    """

    true: bool
    r: float | None = None
    text: str = ""
    evidence: tuple[TruthEvidence, ...] = ()


def read_pairs(path: Path) -> tuple[LabelledContent, ...]:
    """Labelled content, from JSON lines ``{"r", "true"}`` or ``{"text", "evidence": [{"text", "source"}], "true"}``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidRecord: If a line is invalid, naming it.
    """
    return tuple(_labelled(row, where) for where, row in objects(path))


def _labelled(row: Row, where: str) -> LabelledContent:
    true, r, evidence = row.get("true"), row.get("r"), row.get("evidence")
    if not isinstance(true, bool):
        raise InvalidRecord(f'{where}: "true" must be true or false')
    if evidence is None:
        if isinstance(r, bool) or not isinstance(r, int | float) or not math.isfinite(r):
            raise InvalidRecord(f'{where}: give "r", a finite number, or "evidence", a list')
        return LabelledContent(true=true, r=float(r))
    if not isinstance(evidence, list) or not all(isinstance(entry, dict) for entry in evidence):
        raise InvalidRecord(f'{where}: "evidence" must be a list of objects with "text" and "source"')
    pieces = tuple(evidence_of(entry, where) for entry in evidence)
    return LabelledContent(true=true, text=text_in(row, "text", where, default=""), evidence=pieces)
