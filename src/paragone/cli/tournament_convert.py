"""``paragone tournament convert``: runs of other co-scientists as files that paragone reads."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option


def convert(
    run: Annotated[
        Path, argument("The run: a JSON file with hypotheses, and reviews and matches where there are any.")
    ],
    output: options.Output,
    out: Annotated[Path, option("The folder to write into.", "-o", metavar="DIR")] = Path(),
) -> None:
    """Convert a run of an open co-scientist to items.jsonl, reviews.jsonl and votes.jsonl.

    It reads what Kaimen-Inc/Co-Scientist, guy915/Co-Scientist, jataware/open-coscientist and
    conradry/open-coscientist-agents have. Rows that cannot be used are left out, and counted.
    """
    from paragone.intake.coscientist import read_run
    from paragone.presenting.files import as_jsonl, save

    read = read_run(run)
    items = [{"id": item.id, "text": item.text} for item in read.items]
    reviews = [asdict(review) for review in read.reviews]
    votes = [
        {"a": match.a, "b": match.b, "winner": match.winner, "judge": match.judge or "imported", "reason": match.reason}
        for match in read.matches
    ]
    out.mkdir(parents=True, exist_ok=True)
    written: dict[str, Sequence[Mapping[str, Any]]] = {"items": items, "reviews": reviews, "votes": votes}
    for name, rows in written.items():
        if rows:
            save(as_jsonl(rows), out / f"{name}.jsonl")
    counts = {name: len(rows) for name, rows in written.items()}
    summary = {"goal": read.goal, **counts, "left_out": dict(read.left_out), "folder": str(out)}
    output.show(summary, lambda _: _sentences(counts, read.left_out, out))


def _sentences(counts: Mapping[str, int], left_out: Mapping[str, int], out: Path) -> list[str]:
    numbers = f"{counts['items']} hypotheses, {counts['reviews']} reviews and {counts['votes']} matches"
    lines = [f"wrote {numbers} to {out}", *(f"left out: {count} {reason}" for reason, count in left_out.items())]
    reviews = f" --reviews {out / 'reviews.jsonl'}" if counts["reviews"] else ""
    lines.append(f"rank them with: paragone tournament new {out / 'items.jsonl'}{reviews}")
    if counts["votes"]:
        lines.append(f"rate the past matches with: paragone fit {out / 'votes.jsonl'}")
    return lines
