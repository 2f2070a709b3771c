"""Pairs that a threshold is calibrated on: R of content and whether it is true."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.errors import InvalidRecord
from paragone.memory.truth.evidence import Evidence, evidence_of
from paragone.memory.truth.json_rows import Row, objects, text_in


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
    if not isinstance(evidence, list) or not all(isinstance(one, dict) for one in evidence):
        raise InvalidRecord(f'{where}: "evidence" must be a list of objects with "text" and "source"')
    said = tuple(evidence_of(one, where) for one in evidence)
    return Labelled(true=true, text=text_in(row, "text", where, default=""), evidence=said)


def pairs(labelled: Sequence[Labelled], r_of: Callable[[Labelled], float | None]) -> tuple[Pair, ...]:
    """The pairs, R worked out where only evidence is given."""
    return tuple(Pair(r=one.r if one.r is not None else r_of(one), true=one.true) for one in labelled)
