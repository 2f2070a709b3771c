"""Dossiers, rubrics, and notes on items from files and Python values."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from paragone.domain import Dossier, ItemNotes, Rubric
from paragone.domain.dossier import texts_of
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig, InvalidItems, UnknownColumn
from paragone.intake.item_values import ITEM_NAMES
from paragone.intake.items import TEXT_NAMES
from paragone.intake.table import InputTable, as_text, is_missing, spelling
from paragone.intake.table_files import READERS, read_table, tabulate
from paragone.intake.text_file import read_as

EVIDENCE_NAMES = ("evidence", "citation", "citations", "source", "sources", "references", "cites")
"""Columns taken for what an item cites, the proper name first."""


class DossierParts(TypedDict, total=False):
    """Parts of a dossier.

    Attributes:
        goal: The research goal.
        preferences: What is preferred among equals: a text, or several.
        constraints: What must hold: a text, or several.
        rubric: Criteria with definitions, scales and weights: a file (.toml, .json, or a table), names of known
            criteria with commas, a list, or a ``Rubric``.
        insights: What a meta-review found: a text, or several.
        max_tokens: Length of the dossier at the most, in tokens.
    """

    goal: str | None
    preferences: str | Collection[str] | None
    constraints: str | Collection[str] | None
    rubric: object
    insights: str | Collection[str] | None
    max_tokens: int | None


def as_dossier(source: object = None, parts: DossierParts | None = None) -> Dossier | None:
    """A dossier from whatever a caller has; None if there is nothing.

    Args:
        source: A .toml or .json file, a mapping, or a ``Dossier``.
        parts: Parts that replace those of the source, unless they are None.

    Raises:
        UnreadableFile: If a file cannot be read.
        InvalidConfig: Naming the key, and the line of the file, that is wrong.
    """
    values: dict[str, Any] = {name: value for name, value in (parts or {}).items() if value is not None}
    if source is None and not values:
        return None
    base = _dossier(source)
    if "rubric" in values:
        values["rubric"] = as_rubric(values["rubric"])
    changed = Dossier.of({name: _list(value) for name, value in values.items()})
    return replace(base, **{name: getattr(changed, name) for name in values})


def _list(value: object) -> object:
    return list(value) if isinstance(value, tuple | set | frozenset) else value


def _dossier(source: object) -> Dossier:
    if source is None:
        return Dossier()
    if isinstance(source, Dossier):
        return source
    if isinstance(source, Mapping):
        return Dossier.of(source)
    if isinstance(source, str | Path):
        return read_as(Path(source), Dossier.of)
    raise InvalidConfig(f"a dossier is a file, a mapping or a Dossier, not {type(source).__name__}")


def as_rubric(source: object) -> Rubric:
    """A rubric from whatever a caller has.

    Args:
        source: A .toml or .json file, or a table with columns ``name``, ``definition``, ``scale`` and ``weight``; names
            of known criteria with commas; a list or a mapping; or a ``Rubric``.

    Raises:
        UnreadableFile: If a file cannot be read.
        InvalidConfig: Naming the criterion that is wrong.
    """
    if isinstance(source, Rubric):
        return source
    if not isinstance(source, str | Path):
        return Rubric.of(source)
    path = Path(source)
    if path.suffix.lower() in (".toml", ".json"):
        return read_as(path, Rubric.of)
    if path.suffix.lower() in READERS:
        return Rubric.of(_rows(read_table(path)))
    if isinstance(source, Path) or "/" in str(source) or path.suffix:
        raise InvalidConfig(f"{source}: a rubric is a .toml or .json file, a table, or names with commas")
    return Rubric.named(name.strip() for name in str(source).split(",") if name.strip())


def _rows(table: InputTable) -> list[dict[str, Any]]:
    """The criteria of a table; an empty cell is one that was not given."""
    rows = []
    for row in table.rows:
        cells = {
            name.strip().casefold(): cell for name, cell in zip(table.columns, row, strict=True) if not is_missing(cell)
        }
        if "weight" in cells and isinstance(cells["weight"], str):
            cells["weight"] = _number(cells["weight"])
        rows.append(cells)
    return rows


def _number(text: str) -> object:
    try:
        return float(text.strip().rstrip("%"))
    except ValueError:
        return text


def as_item_notes(attributes: object = None, evidence: object = None, *, ids: Collection[str]) -> dict[str, ItemNotes]:
    """Attributes and evidence of items.

    Args:
        attributes: A table: a column with the item's id, and one for each attribute; a column of texts is left out, and
            one called ``evidence`` holds what the item cites. Or a mapping from id to a mapping of attributes.
        evidence: A table of sources, a row each: a column with the item's id, and one for what it cites. Or a mapping
            from id to texts.
        ids: Ids of the items.

    Raises:
        UnreadableFile: If a file cannot be read.
        UnknownColumn: If a column is absent.
        InvalidItems: If an item is none of these; names the row.
    """
    notes: dict[str, ItemNotes] = {}
    for id, more, where in (*_attributes(attributes), *_evidence(evidence)):
        if id not in ids:
            hint = did_you_mean(id, ids) or "; notes need the id of one"
            raise InvalidItems(f"{where}: {quoted(id)} is not among the items{hint}")
        own = notes.get(id, ItemNotes())
        notes[id] = replace(own, attributes=own.attributes + more.attributes, evidence=(*own.evidence, *more.evidence))
    return {id: own for id, own in notes.items() if own != ItemNotes()}


_Entry = tuple[str, ItemNotes, str]


def _attributes(source: object) -> list[_Entry]:
    if source is None:
        return []
    if isinstance(source, Mapping):
        return [(str(id), _of_mapping(str(id), values), "attributes") for id, values in source.items()]
    table = read_table(source) if isinstance(source, str | Path) else tabulate(source, name="attributes")
    item = _item_column(table)
    texts, cited = _columns(table, TEXT_NAMES), _columns(table, EVIDENCE_NAMES)
    rest = [at for at in range(len(table.columns)) if at != item and at not in texts and at not in cited]
    entries = []
    for index, row in enumerate(table.rows):
        own = tuple((table.columns[at], _words(row[at])) for at in rest if not is_missing(row[at]))
        sources = tuple(text for at in cited for text in _sources(row[at]))
        entries.append((as_text(row[item]) or "", ItemNotes(attributes=own, evidence=sources), table.where(index)))
    return entries


def _of_mapping(id: str, values: object) -> ItemNotes:
    if not isinstance(values, Mapping):
        raise InvalidItems(f"attributes of {id!r} are a mapping from name to value, not {type(values).__name__}")
    own = tuple((str(name), _words(value)) for name, value in values.items() if name not in EVIDENCE_NAMES)
    cited = (text for name in values if name in EVIDENCE_NAMES for text in _sources(values[name]))
    return ItemNotes(attributes=own, evidence=tuple(cited))


def _evidence(source: object) -> list[_Entry]:
    if source is None:
        return []
    if isinstance(source, Mapping):
        return [
            (str(id), ItemNotes(evidence=texts_of("evidence", _listed(texts))), "evidence")
            for id, texts in source.items()
        ]
    table = read_table(source) if isinstance(source, str | Path) else tabulate(source, name="evidence")
    item = _item_column(table)
    cited = _columns(table, (*EVIDENCE_NAMES, *TEXT_NAMES))
    if not cited:
        raise UnknownColumn(f"{table.name} has no column {EVIDENCE_NAMES[0]!r}; it has {table.listing()}")
    return [
        (as_text(row[item]) or "", ItemNotes(evidence=tuple(_sources(row[cited[0]]))), table.where(index))
        for index, row in enumerate(table.rows)
    ]


def _listed(texts: object) -> object:
    return list(texts) if isinstance(texts, tuple) else texts


def _item_column(table: InputTable) -> int:
    names = list(map(spelling, table.columns))
    item = next((names.index(name) for name in ("id", *ITEM_NAMES) if name in names), None)
    if item is None:
        raise UnknownColumn(f"{table.name} has no column {ITEM_NAMES[0]!r}; it has {table.listing()}")
    return item


def _columns(table: InputTable, names: tuple[str, ...]) -> list[int]:
    return [at for at, name in enumerate(table.columns) if spelling(name) in names]


def _words(value: object) -> str:
    """A value of an attribute as a judge reads it: lists and tables as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else as_text(value) or str(value)


def _sources(cell: object) -> list[str]:
    """What a cell cites: a list, or a text with one source a line."""
    if is_missing(cell):
        return []
    entries = cell if isinstance(cell, list | tuple) else (as_text(cell) or "").split("\n")
    return [text.strip() for text in map(_words, entries) if text.strip()]
