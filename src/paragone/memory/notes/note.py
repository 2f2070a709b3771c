"""A note: a short claim in a Markdown file, with where it comes from and how long it holds in the front matter.

The form is that of Obsidian and its like: YAML between two lines of dashes, ``[[links]]`` and ``#tags`` in the text. Of
YAML only texts, and lists of texts, are read; entries that mean nothing here are kept to the letter.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from paragone.domain.text import visible
from paragone.errors import InvalidRecord
from paragone.memory.store.lines import as_iso, from_iso

MAX_TEXT = 2_000
"""Characters of a note: a claim, and no document."""
_SLUG_WORDS = 6
_RULE = "---"
_ENTRY = re.compile(r"(?P<key>[A-Za-z_][\w-]*):\s*(?P<value>.*)$")
_ITEM = re.compile(r"\s*-\s+(?P<value>.+)$")
_LINK = re.compile(r"\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]")
_TAG = re.compile(r"(?<![\w#/])#([A-Za-z][\w/-]*)")
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"^\s*(?:#{1,6}|[-*+>])\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A claim.

    Attributes:
        id: Short and unique; of a file that nobody gave one, its name without ending.
        path: Of its file, below the root.
        text: What it says, in Markdown.
        created: When it was made, in seconds since 1970; None if unknown.
        author: The agent that made it.
        sources: Where it comes from: paths, addresses, people. Each of several that say the same is here.
        tags: From the front matter and the text.
        valid_from: It does not hold before this time; None without a limit.
        valid_until: It does not hold from this time on; None without a limit.
        replaces: Ids of the notes that it replaces.
        replaced_by: Id of the note that replaces it.
        contradicted: Why it is wrong; empty if nobody says so.
        links: What it links to, each once.
        others: The lines of the front matter that mean nothing here.
    """

    id: str
    path: str
    text: str
    created: float | None = None
    author: str = ""
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    valid_from: float | None = None
    valid_until: float | None = None
    replaces: tuple[str, ...] = ()
    replaced_by: str = ""
    contradicted: str = ""
    links: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def claim(self) -> str:
        """Its first line that says something, on one line."""
        lines = (_MARKS.sub("", line).strip() for line in self.text.split("\n"))
        return visible(next((line for line in lines if line), ""))

    def doubt(self, at: float) -> str:
        """Why it does not hold at a time; empty if it does."""
        if self.replaced_by:
            return f"replaced by note:{self.replaced_by}"
        if self.contradicted:
            return f"contradicted: {self.contradicted}"
        if self.valid_until is not None and at >= self.valid_until:
            return f"valid until {as_iso(self.valid_until)[:10]}"
        if self.valid_from is not None and at < self.valid_from:
            return f"valid from {as_iso(self.valid_from)[:10]}"
        return ""


def slug(text: str) -> str:
    """The first words of a text as a part of a file's name: ASCII letters and digits with hyphens."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(words[:_SLUG_WORDS])[:60].strip("-") or "note"


def parse(path: str, text: str) -> Note:
    """The note in a file.

    Args:
        path: Below the root.
        text: Of the file.

    Raises:
        InvalidRecord: If a time in its front matter is none.
    """
    entries, fields, body = _front_matter(text)
    own = PurePosixPath(path).stem
    plain = _FENCE.sub("", body)
    tags = dict.fromkeys([*(tag.lstrip("#") for tag in entries.pop("tags", ())), *_TAG.findall(plain)])
    return Note(
        id=_one(entries, "id") or own,
        path=path,
        text=body.strip("\n"),
        created=_time(entries, "created", path),
        author=_one(entries, "author"),
        sources=tuple(entries.pop("sources", ()) or entries.pop("source", ())),
        tags=tuple(tags),
        valid_from=_time(entries, "valid_from", path),
        valid_until=_time(entries, "valid_until", path),
        replaces=tuple(entries.pop("replaces", ())),
        replaced_by=_one(entries, "replaced_by"),
        contradicted=_one(entries, "contradicted"),
        links=tuple(dict.fromkeys(link.strip() for link in _LINK.findall(plain))),
        others=fields,
    )


def written(note: Note) -> str:
    """A note as the text of its file."""
    times = {
        name: (as_iso(value),) if value is not None else ()
        for name, value in (
            ("created", note.created), ("valid_from", note.valid_from), ("valid_until", note.valid_until)
        )
    }  # fmt: skip
    entries: dict[str, Sequence[str]] = {
        "id": (note.id,),
        "created": times["created"],
        "author": (note.author,) if note.author else (),
        "sources": note.sources,
        "tags": note.tags,
        "valid_from": times["valid_from"],
        "valid_until": times["valid_until"],
        "replaces": note.replaces,
        "replaced_by": (note.replaced_by,) if note.replaced_by else (),
        "contradicted": (note.contradicted,) if note.contradicted else (),
    }
    lists = {"sources", "tags", "replaces"}
    rows = [f"{key}: {_value(values, is_list=key in lists)}" for key, values in entries.items() if values]
    return "\n".join([_RULE, *rows, *note.others, _RULE, "", note.text, ""])


def _value(values: Sequence[str], *, is_list: bool) -> str:
    quoted = [json.dumps(visible(value), ensure_ascii=False) for value in values]
    return f"[{', '.join(quoted)}]" if is_list or len(quoted) > 1 else quoted[0]


_KNOWN = frozenset(
    {"id", "created", "author", "source", "sources", "tags", "valid_from", "valid_until"}
    | {"replaces", "replaced_by", "contradicted"}
)


def _front_matter(text: str) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...], str]:
    """The known entries of the front matter, each as its texts; its other lines; and the text below it."""
    lines = text.split("\n")
    if lines[0].rstrip() != _RULE or _RULE not in (line.rstrip() for line in lines[1:]):
        return {}, (), text
    end = next(number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _RULE)
    entries: dict[str, tuple[str, ...]] = {}
    fields: list[str] = []
    key = ""
    for line in lines[1:end]:
        if entry := _ENTRY.match(line):
            key = entry["key"]
        if key not in _KNOWN:
            fields.append(line)
        elif entry is not None:
            entries[key] = tuple(_values(entry["value"]))
        elif item := _ITEM.match(line):
            entries[key] = (*entries[key], *_values(item["value"]))
    return entries, tuple(fields), "\n".join(lines[end + 1 :])


def _values(text: str) -> list[str]:
    """The texts of a value: one, or those of a list in brackets."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        try:
            values = json.loads(text)
        except ValueError:
            values = text[1:-1].split(",")
        return [str(value).strip().strip("\"'") for value in values if str(value).strip()]
    if text.startswith('"'):
        try:
            return [str(json.loads(text))]
        except ValueError:
            pass
    return [bare] if (bare := text.strip("\"'")) else []


def _one(entries: dict[str, tuple[str, ...]], key: str) -> str:
    return next(iter(entries.pop(key, ())), "")


def _time(entries: dict[str, tuple[str, ...]], key: str, path: str) -> float | None:
    text = _one(entries, key)
    try:
        return from_iso(text) if text else None
    except ValueError as error:
        raise InvalidRecord(f"{path}: {key}: {error}") from error
