"""The notes of a store: files below the root, so that they are searched, rated and packed as all files are."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.domain.content import Action, Content
from paragone.domain.text import visible
from paragone.errors import Busy, InvalidConfig, NotFound, ParagoneError, Unwritable, UsageError
from paragone.files import swap_in
from paragone.memory.contradictions import Sentence, alarm, likeness, rarity
from paragone.memory.index import FileReader, Index
from paragone.memory.index.secret_patterns import holds_secret
from paragone.memory.notes.note import MAX_TEXT, Note, parse, slug, written
from paragone.memory.store import Store
from paragone.memory.store.lines import as_iso

if TYPE_CHECKING:
    from paragone.memory.session import Session

ALIKE = 0.8
"""Weighted share of words in common from which on two notes say the same, if no number or negation differs."""
_ENDINGS = (".md", ".markdown")
_MOST = 50_000
_ID_LENGTH = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """The result of adding a note.

    Attributes:
        note: The note, or the one that says the same and has the new source now.
        merged: Whether it was merged into one that was there.
        questions: Notes that say the same but for a number or a negation: one of the two may be wrong, or out of date.
    """

    note: Note
    merged: bool
    questions: tuple[Note, ...] = ()


class Notes:
    """Reads and writes the notes of a store.

    Args:
        store: Its configuration names the folder.
        index: Brought up to date after a note was written.
        session: In which notes are written and contradicted; None to read them only.
        on_replaced: Called with the file of a note, that of the note which replaces it, and the session.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        session: "Session | None" = None,
        on_replaced: Callable[[Content, Content, str], object] = lambda old, new, session: None,  # noqa: ARG005
    ) -> None:
        self._store, self._index, self._session, self._on_replaced = store, index, session, on_replaced
        self._reader = FileReader(store)

    @property
    def folder(self) -> str:
        """The folder below the root, with slashes; empty for the root.

        Raises:
            InvalidConfig: If it does not lie below the root, or may not be read.
        """
        folder = self._store.config.notes.folder.strip().rstrip("/").removeprefix("./")
        if folder in {"", "."} and self._store.config.notes.folder.strip() in {"", ".", "./"}:
            return ""
        if why := self._reader.refused_name(folder):
            raise InvalidConfig(f"notes.folder {folder!r} cannot hold notes: {why}", key="notes.folder")
        return folder

    def all(self) -> list[Note]:
        """All notes, by path; files that cannot be read, or are no notes, are left out."""
        return list(self._read())

    def live(self, *, at: float | None = None, tag: str = "", query: str = "") -> list[Note]:
        """The notes that hold at a time, newest first; with a query those that answer it, best first.

        Args:
            at: In seconds since 1970; now if None.
            tag: Only notes with this tag.
            query: Words; notes that share none are left out.
        """
        now = self._store.moment(at)
        notes = [note for note in self._read() if not note.doubt(now) and (not tag or tag.lstrip("#") in note.tags)]
        notes.sort(key=lambda note: (-(note.created or 0.0), note.path))
        return _answering(notes, query) if query.strip() else notes

    def doubts(self, at: float) -> dict[str, str]:
        """Why notes do not hold at a time, by path; of those that do, nothing."""
        return {note.path: why for note in self._read() if (why := note.doubt(at))}

    def find(self, id: str) -> Note:
        """The note with an id, with or without ``note:``, or at a path.

        Raises:
            NotFound: If there is none.
        """
        name = id.strip().removeprefix("note:")
        for note in self._read():
            if name in {note.id, note.path}:
                return note
        raise NotFound(f"there is no note {visible(name)!r}; paragone memory note list shows them")

    def add(
        self,
        text: str,
        *,
        source: str = "",
        tags: Sequence[str] = (),
        valid_from: float | None = None,
        valid_until: float | None = None,
        replaces: str = "",
    ) -> Added:
        """Write a note, unless a note that holds says the same: then that one gets the source and the tags.

        Args:
            text: A short claim.
            source: Where it comes from.
            tags: Words to find it by.
            valid_from: It does not hold before.
            valid_until: The day from which it no longer holds.
            replaces: Id of a note that it replaces, which no longer holds then.

        Raises:
            UsageError: If it is empty, too long, or holds a secret.
            NotFound: If there is no note to replace.
            Unwritable: If it cannot be written.
        """
        text = checked(text)
        if valid_from is not None and valid_until is not None and valid_until <= valid_from:
            raise UsageError("a note ends after it begins: --until is later than --from")
        with self._store.locked("notes"):
            now, notes = self._store.moment(None), self.all()
            old = self.find(replaces) if replaces else None
            holding = [note for note in notes if not note.doubt(now) and note != old]
            same, questions = _compared(text, holding)
            sources, clean_tags = tuple(filter(None, [visible(source)])), _clean(tags)
            is_merged = same is not None and old is None
            if same is not None and old is None:
                note = replace(same, sources=_union(same.sources, sources), tags=_union(same.tags, clean_tags))
            else:
                replaced = () if old is None else (old.id,)
                note = self._new(text, sources, clean_tags, now)
                note = replace(note, valid_from=valid_from, valid_until=valid_until, replaces=replaced)
            self._write(note)
            if old is not None:
                self._write(replace(old, replaced_by=note.id, valid_until=old.valid_until or now))
            added = Added(note=note, merged=is_merged, questions=questions)
        self._index_anew()
        if old is not None:
            session = "" if self._session is None else self._session.id
            self._on_replaced(Content.file(old.path), Content.file(added.note.path), session)
        return added

    def contradict(self, id: str, why: str) -> Note:
        """Mark a note as wrong: it no longer holds, and its file counts as contradicted.

        Raises:
            NotFound: If there is no such note.
            UsageError: If no reason is given.
        """
        reason = visible(why)
        if not reason:
            raise UsageError("say why the note is wrong")
        with self._store.locked("notes"):
            note = replace(self.find(id), contradicted=reason[:MAX_TEXT])
            self._write(note)
        self._index_anew()
        if self._session is not None:
            self._session.mark(self._index, Action.CONTRADICTED, [Content.file(note.path)])
        return note

    def export(self, *, with_past: bool = False) -> str:
        """All notes that hold as one Markdown document, by tag; with the past ones at the end, if asked for."""
        now, notes = self._store.moment(None), self.all()
        holding = [note for note in notes if not note.doubt(now)]
        groups = sorted({note.tags[0] if note.tags else "" for note in holding})
        parts = ["# Notes\n"]
        for group in groups:
            parts.append(f"\n## {group or 'Untagged'}\n\n")
            parts.extend(_bullet(note) for note in holding if (note.tags[0] if note.tags else "") == group)
        past = [note for note in notes if note.doubt(now)] if with_past else []
        if past:
            parts.append("\n## No longer held\n\n")
            parts.extend(f"{_bullet(note).rstrip()} ({note.doubt(now)})\n" for note in past)
        return "".join(parts)

    def _read(self) -> Iterator[Note]:
        folder = self._store.root / self.folder if self.folder else self._store.root
        paths = sorted(_markdown_below(folder, self._reader, self._store.root))
        for path in paths[:_MOST]:
            with suppress(ParagoneError):
                yield parse(path, self._reader.read(path).text)

    def _new(self, text: str, sources: tuple[str, ...], tags: tuple[str, ...], now: float) -> Note:
        id = self._store.new_id().replace("-", "")[-_ID_LENGTH:]
        base = f"{self.folder}/" if self.folder else ""
        path = f"{base}{slug(text)}-{id}.md"
        return Note(
            id=id,
            path=path,
            text=text,
            created=now,
            author="" if self._session is None else visible(self._session.agent_id),
            sources=sources,
            tags=tags,
        )

    def _write(self, note: Note) -> None:
        target = self._store.root / note.path
        root = Path(os.path.realpath(self._store.root))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not Path(os.path.realpath(target.parent)).is_relative_to(root) or target.is_symlink():
                raise Unwritable(f"{note.path} is not written: it leads out of {root}")
            swap_in(written(note), target, durable=True)
        except OSError as error:
            raise Unwritable(f"{target} cannot be written: {error.strerror or error}") from error

    def _index_anew(self) -> None:
        with suppress(Busy):  # whoever indexes now, or the next one, sees it
            self._index.update(vectors=False)


def checked(text: str) -> str:
    """The text of a new note.

    Raises:
        UsageError: If it is empty, too long, or holds a secret.
    """
    clean = "\n".join(visible(line) if line.strip() else "" for line in text.strip().split("\n"))
    if not clean.strip():
        raise UsageError("the note is empty: give it a short claim")
    if len(clean) > MAX_TEXT:
        raise UsageError(f"the note has {len(clean):,} characters; {MAX_TEXT:,} is the most: write a file for more")
    if holds_secret(clean.encode()):
        raise UsageError("the note holds a key or a token, which no note may")
    if clean.startswith("---"):
        raise UsageError("the note begins with ---, which would be its front matter")
    return clean


def _clean(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they are written: without a number sign or blanks, each once."""
    return tuple(dict.fromkeys(filter(None, (visible(tag).lstrip("#").replace(" ", "-") for tag in tags))))


def _union(before: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))


def _compared(text: str, notes: Sequence[Note]) -> tuple[Note | None, tuple[Note, ...]]:
    """The note that says the same as a text, and those that do but for a number or a negation."""
    own = Sentence(path="", line=1, text=text)
    claims = [Sentence(path=note.path, line=1, text=note.text) for note in notes]
    weights = rarity([own, *claims])
    alike = [(likeness(own, other, weights), note, other) for note, other in zip(notes, claims, strict=True)]
    questions = tuple(note for _, note, other in alike if alarm(own, other, weights) is not None)
    same = [
        (near, note)
        for near, note, other in alike
        if near >= ALIKE and own.numbers == other.numbers and own.is_negative is other.is_negative
    ]
    best = max(same, key=lambda pair: (pair[0], pair[1].path), default=None)
    return (None if best is None else best[1]), questions


def _answering(notes: Sequence[Note], query: str) -> list[Note]:
    query_words = Sentence(path="", line=1, text=query).words
    statements = [Sentence(path=note.path, line=1, text=f"{note.text} {' '.join(note.tags)}") for note in notes]
    weights = rarity(statements)
    scored = [
        (sum(weights.get(word, 0.0) for word in query_words & statement.words), number)
        for number, statement in enumerate(statements)
    ]
    return [notes[number] for score, number in sorted(scored, key=lambda row: (-row[0], row[1])) if score > 0.0]


def _bullet(note: Note) -> str:
    about = [", ".join(note.sources)] if note.sources else []
    if note.valid_from is not None:
        about.append(f"from {as_iso(note.valid_from)[:10]}")
    if note.valid_until is not None:
        about.append(f"until {as_iso(note.valid_until)[:10]}")
    text, brackets = " ".join(note.text.split()), f" ({'; '.join(about)})" if about else ""
    return f"- {text}{brackets} ^{note.id}\n"


def _markdown_below(folder: Path, reader: FileReader, root: Path) -> Iterator[str]:
    """The paths of the Markdown files below a folder that may be read; links are not followed."""
    for directory, folders, names in os.walk(folder):
        below = Path(directory).relative_to(root).as_posix()
        prefix = "" if below == "." else f"{below}/"
        folders[:] = sorted(
            name for name in folders if not reader.is_hidden(f"{prefix}{name}") and not name.startswith(".")
        )
        for name in names:
            if name.lower().endswith(_ENDINGS) and reader.refused_name(f"{prefix}{name}") is None:
                yield f"{prefix}{name}"
