"""Evidence for content: texts and where each comes from, as values or as JSON lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.memory.truth.json_rows import objects, text_in


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
    found: dict[str, list[Evidence]] = {}
    for where, row in objects(path):
        about = text_in(row, "content", where)
        found.setdefault(about, []).append(evidence_of(row, where))
    return found


def evidence_of(row: Mapping[str, object], where: str) -> Evidence:
    """A JSON object as evidence.

    Raises:
        InvalidRecord: If its text or source is none.
    """
    return Evidence(text=text_in(row, "text", where), source=text_in(row, "source", where, default=""))
