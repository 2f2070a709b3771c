"""Decision records: which files are some, what they are called, and which others they cite."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from paragone.errors import InvalidConfig, MissingExtra
from paragone.memory.index.entries import Decision
from paragone.memory.index.file_reader import gitignore
from paragone.memory.index.headings import markdown_headings
from paragone.memory.store.config import IndexConfig

_PARTS = re.compile(r"^(.*?)[-_ ]*(\d+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Record:
    """A decision record as one file shows it: whom it cites, not yet whether there is any such record."""

    id: str
    title: str
    names: tuple[str, ...]


class DecisionFinder:
    """Finds decision records by a configuration's patterns."""

    def __init__(self, config: IndexConfig) -> None:
        """Make the patterns ready.

        Raises:
            InvalidConfig: If the expression for ids is none.
            MissingExtra: If google-re2 is not installed.
        """
        self._files = gitignore(config.decisions)
        self._id = _expression(config.decision_id)

    def record(self, path: str, text: str) -> Record | None:
        """The record that a file is; None where it is none, or nothing names it."""
        if not self._files.match_file(path):
            return None
        title = next((heading.title for heading in markdown_headings(text)), PurePosixPath(path).stem)
        match = self._id.search(PurePosixPath(path).name) or self._id.search(title)
        if match is None:
            return None
        bare = _group(match).isdigit()
        numbered = _expression(r"(?i)\b(ADR[-_ ]?\d+)\b") if bare else self._id
        names = dict.fromkeys(record_id(_group(other)) for other in numbered.finditer(text))
        own = record_id(_group(match))
        return Record(own, title, tuple(name for name in names if name != own))


def decisions_of(rows: Iterable[tuple[str, Record]]) -> list[Decision]:
    """Decision records, by path; what they cite are those of them that there are."""
    rows = list(rows)
    ids_by_key = {_key(record.id): record.id for _, record in reversed(rows)}
    return [
        Decision(id=record.id, path=path, title=record.title, cites=_known(record, ids_by_key)) for path, record in rows
    ]


def record_id(text: str) -> str:
    """The id that a text such as ``adr27``, ``ADR 27`` or ``27`` writes: ``ADR-27``. Zeros stay."""
    parts = _PARTS.match(text.strip())
    return f"{(parts[1] or 'ADR').upper()}-{parts[2]}" if parts else text.strip().upper()


def is_same_id(first: str, other: str) -> bool:
    """Whether two texts write one id: ``ADR-007``, ``adr7`` and ``7`` do."""
    return _key(record_id(first)) == _key(record_id(other))


def _known(record: Record, ids_by_key: Mapping[tuple[str, int], str]) -> tuple[str, ...]:
    ids = dict.fromkeys(ids_by_key[key] for name in record.names if (key := _key(name)) in ids_by_key)
    return tuple(id for id in ids if id != record.id)


def _key(id: str) -> tuple[str, int]:
    """What two spellings of one id have in common: ``ADR-7`` is ``ADR-007``."""
    word, _, number = id.rpartition("-")
    return (word, int(number)) if number.isdigit() else (id, -1)


def _group(match: Any) -> str:  # noqa: ANN401 - re2 has no types
    return str(next((group for group in match.groups() if group), match.group()))


def _expression(text: str) -> Any:  # noqa: ANN401 - re2 has no types
    try:
        import re2
    except ImportError as error:
        raise MissingExtra(
            "memory needs the package google-re2; install it with: pip install 'paragone[memory]'"
        ) from error
    try:
        return re2.compile(text)
    except re2.error as error:
        raise InvalidConfig(f"index.decision_id {text!r} is no expression: {error}", key="index.decision_id") from error
