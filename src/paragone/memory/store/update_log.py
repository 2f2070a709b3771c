"""The log of moves of ratings: it follows from the others, and is never the truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.errors import InvalidRecord
from paragone.memory.store.lines import UpdateLine
from paragone.memory.store.log_reading import Part, last_seq, parts, raw_after, raw_lines
from paragone.memory.store.log_writing import writing
from paragone.memory.store.wire import UPDATES, from_json

Made = tuple[UpdateLine, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class _End:
    """Where the log ends: its last event, by which constants, and the moves of that event that are there."""

    seq: int = 0
    basis: str = ""
    ids: frozenset[str] = frozenset()


class UpdateLog:
    """Moves in order of their events, those of other constants in other files."""

    def __init__(self, folder: Path, rotate_bytes: int) -> None:
        self._folder, self._rotate_bytes = folder, rotate_bytes
        self._firsts: dict[int, int] = {}
        self._last: tuple[Part, _End] | None = None

    def append(self, made: Sequence[Made]) -> None:
        """Write moves by one set of constants, by whoever holds the lock; those that are there are left out."""
        basis, end = made[0][0].basis, self._end()
        is_anew = bool(end.seq) and end.basis != basis
        end = _End() if is_anew else end
        fresh = [one for one in made if one[0].seq > end.seq or (one[0].seq == end.seq and one[0].id not in end.ids)]
        if not fresh:
            return
        with writing(self._folder, self._rotate_bytes) as out:
            if is_anew:
                out.begin_anew(UPDATES)
            out.write(UPDATES, [raw for _, raw in fresh])
            self._last = (out.state(UPDATES), _end_of([line for line, _ in fresh], end))

    def after(self, seq: int) -> Iterator[UpdateLine]:
        """Moves by the constants that were used last, of events beyond a ``seq``."""
        return self._lines(self._newest(), seq)

    def _lines(self, files: Sequence[Part], seq: int) -> Iterator[UpdateLine]:
        for raw in raw_after(files, seq, self._firsts):
            line = _line(raw)
            if line is not None and line.seq > seq:
                yield line

    def _end(self) -> _End:
        files = parts(self._folder, (UPDATES,)).get(UPDATES, [])
        if not files:
            return _End()
        if self._last is None or self._last[0] != files[-1]:
            with writing(self._folder, self._rotate_bytes) as out:
                out.state(UPDATES)  # a line that somebody left without its newline may be whole, and so be there
            files = parts(self._folder, (UPDATES,))[UPDATES]
            last = last_seq(files)
            self._last = (files[-1], _end_of(list(self._lines(self._newest(), last - 1)), _End()))
        return self._last[1]

    def _newest(self) -> list[Part]:
        """The files of the constants that were used last."""
        found: list[Part] = []
        basis = None
        for part in reversed(parts(self._folder, (UPDATES,)).get(UPDATES, [])):
            first = next(filter(None, map(_line, raw_lines(part))), None)
            if first is not None and basis not in (None, first.basis):
                break
            basis = basis if first is None else first.basis
            found.insert(0, part)
        return found


def _line(raw: bytes) -> UpdateLine | None:
    try:
        return from_json(UpdateLine, raw)
    except InvalidRecord:
        return None


def _end_of(lines: Sequence[UpdateLine], before: _End) -> _End:
    """The end after some more lines."""
    if not lines:
        return before
    last = lines[-1]
    ids = {line.id for line in lines if line.seq == last.seq}
    return _End(seq=last.seq, basis=last.basis, ids=frozenset(ids | before.ids if before.seq == last.seq else ids))
