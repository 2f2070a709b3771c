"""Lines of logs that are not counted, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paragone.errors import InvalidRecord
from paragone.memory.store.lines import Line
from paragone.memory.store.log_reading import MOST, Part, parts, raw_lines
from paragone.memory.store.wire import LOGS, UPDATES, from_json


@dataclass(frozen=True, kw_only=True, slots=True)
class LogProblem:
    """A line of a log that is not counted.

    Attributes:
        file: In which file.
        line: Which line, from 1.
        what: What is wrong with it.
    """

    file: Path
    line: int
    what: str


def found_problems(folder: Path) -> Iterator[LogProblem]:
    """All of them, while nobody writes."""
    found = parts(folder, LOGS)
    for log in found:
        last = 0
        for part in found[log]:
            for number, problem, seq in _judged(part, LOGS[log]):
                what = problem or _out_of_order(log, seq, last)
                if what:
                    yield LogProblem(file=part.path, line=number, what=what)
                last = max(last, seq)


def _out_of_order(log: str, seq: int, last: int) -> str:
    is_wrong = seq <= last if log != UPDATES else seq < last
    return f"its seq is {seq}, and {last} was there before it" if is_wrong else ""


def _judged(part: Part, kind: type[Line]) -> Iterator[tuple[int, str, int]]:
    """The number of each line, what is wrong with it in itself, and its ``seq``."""
    number, read = 0, 0
    for number, raw in enumerate(raw_lines(part), 1):
        read += len(raw) + 1
        try:
            seq = from_json(kind, raw).seq
            yield (number, "", seq) if seq <= MOST else (number, f"its seq {seq} is beyond all bounds", 0)
        except InvalidRecord as error:
            yield number, _words(raw, error), 0
    if read < part.size:
        yield number + 1, "cut in half at the end of the file; whoever writes next closes it", 0


def _words(raw: bytes, error: InvalidRecord) -> str:
    if not raw.strip():
        return "empty"
    is_half = str(error).startswith("Invalid JSON")
    return f"no whole JSON, as after a kill in the middle of a write: {error}" if is_half else str(error)
