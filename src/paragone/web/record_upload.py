"""Comparisons or debates of a file that a browser sends: looked at first, then recorded as the command line does.

Both are done by a process of its own with limits on memory and time, whatever the file holds.
"""

import json
import re
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Literal

from paragone.errors import ParagoneError
from paragone.intake.uploads import answer_apart, as_of_a_form, limit_this_process

RecordKind = Literal["votes", "debates"]
"""What a file holds: comparisons of items, or debates of agents with their predictions and starting ratings."""

SHOWN = 6
"""Rows that are shown of those that were understood."""
_LARGEST = 2_000_000_000
"""Bytes of the ledger that a preview may write."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadSummary:
    """What was understood of a file, or recorded from it.

    Attributes:
        pool: The pool that has it.
        rows: Rows of the file that are evidence.
        added: Rows that were added.
        skipped: Rows that are no evidence.
        participants: Items or agents in the pool.
        notes: How it was read, in sentences.
        first: The first matches: both sides, and who won; empty for a tie.
    """

    pool: str
    rows: int
    added: int
    skipped: int
    participants: int
    notes: tuple[str, ...]
    first: tuple[tuple[str, str, str], ...]


def recorded(kind: RecordKind, name: str, content: bytes, *, db: str | None = None, into: str = "") -> UploadSummary:
    """Look at a file, or record it.

    Args:
        kind: What it holds.
        name: Its name, by which a tournament knows it.
        content: Its bytes.
        db: The ledger; None to look only: a ledger is made for that and thrown away.
        into: The tournament, or the pool of agents; empty for the usual one.

    Raises:
        UnreadableFile: If it cannot be read, holds too much, or is refused.
    """
    head = json.dumps({"kind": kind, "name": _clean(name), "db": db, "into": into}).encode()
    answer = answer_apart(__spec__.name, (), head + b"\n" + content, name)
    first = tuple((str(a), str(b), str(winner)) for a, b, winner in answer.pop("first"))
    return UploadSummary(**{**answer, "notes": tuple(answer["notes"]), "first": first})


def _clean(name: str) -> str:
    """The name of a file that is no path and no hidden file."""
    own = re.sub(r"[^\w. -]", "_", PurePosixPath(name.replace("\\", "/")).name).lstrip(". ")[-100:]
    return own or "votes.csv"


def _understood(kind: RecordKind, file: Path, db: str, into: str) -> UploadSummary:
    from paragone.ledger import Ledger

    if kind == "votes":
        from paragone.tournaments.vote_import import import_votes

        votes = import_votes(file, db=db, into=into or None)
        pool, counts, notes = votes.tournament, (votes.rows, votes.added, votes.skipped), votes.notes
    else:
        from paragone.agents.imports import import_debates

        debates = import_debates(file, db=db, pool=into or "agents")
        added = debates.rows - debates.skipped
        pool, counts, notes = into or "agents", (debates.rows, added, debates.skipped), tuple(debates.problems)
    with Ledger.open(db, create=False) as ledger:
        matches = [each.match for each in islice(ledger.matches.each(pool), SHOWN)]
        participants = ledger.items.count(pool)
    winners = [{"a": match.a, "b": match.b}.get(match.outcome.value, "") for match in matches]
    return UploadSummary(
        pool=pool,
        rows=counts[0],
        added=counts[1],
        skipped=counts[2],
        participants=participants,
        notes=notes,
        first=tuple((match.a, match.b, winner) for match, winner in zip(matches, winners, strict=True)),
    )


def main() -> None:
    """Read the file on standard input, after a line that says what it is, and print the result."""
    from dataclasses import asdict

    head = json.loads(sys.stdin.buffer.readline())
    limit_this_process(_LARGEST)
    with TemporaryDirectory(prefix="paragone-") as folder:
        file = Path(folder, head["name"])
        file.write_bytes(sys.stdin.buffer.read())
        db = head["db"] or str(Path(folder, "preview.db"))
        try:
            values: dict[str, Any] = asdict(_understood(head["kind"], file, db, head["into"]))
        except ParagoneError as error:
            values = {"problem": as_of_a_form(str(error).replace(str(file), head["name"]))}
        except MemoryError:
            values = {"problem": ""}
    sys.stdout.write(json.dumps(values))


if __name__ == "__main__":
    main()
