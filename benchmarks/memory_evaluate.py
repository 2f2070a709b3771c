"""Which model best predicts what a change needs: histories as logs of uses, scored before they are learned from.

    .venv/bin/python benchmarks/memory_evaluate.py [--repository DIR ...] [--quick] [--json]

The protocol is that of the reference figures that lie beside the data: a query is a commit, relevant are the files
known before that it changed, renamed or deleted, candidates are all files there were before it; commits of over 20
files are learned from and not scored, and so is the first half. ``first`` is the mean over commits of 1 / rank of the
best ranked file, the references' MRR; ``MRR`` the mean over files. Ties count as all their orders do on average. The
references' decay was tuned, and their Elo has a rule of its own; their counts are ours.

Each folder that --repository names is a git checkout, measured in the same way. This checkout is one unless --quick.
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rating_table import Table, as_json, as_text
from real_data import Absent, folder

from paragone.analysis.content.prequential import ModelScore, compare
from paragone.domain.content import Action, Content, Renamed, UsageConfig, Use
from paragone.errors import ParagoneError
from paragone.memory.git_history import CommitRange, GitHistory
from paragone.memory.git_learning import MAX_FILES
from paragone.memory.log_replay import Gone, Present, SessionStart, TraceEvent
from paragone.memory.session_forecast import LITERAL, LITERAL_KEPT, NEED, forecast

HERE = Path(__file__).parents[1]
DATA = ("sqlite-utils", "pip-tools")
REFERENCES = {"frequency": "usage_count", "decayed frequency": "usage_decayed", LITERAL_KEPT: "elo_usage"}
SCORED = 20
LIMITS = (5, 10, 20, 50, 100, None)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One commit: what it read (added or changed), renamed and deleted."""

    id: str
    time: float
    read: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]


def recorded(name: str) -> list[Change]:
    """A history of the data; it does not tell how alike a renamed file stayed, and so a rename is a read."""
    with gzip.open(folder("git_usage") / f"{name}.jsonl.gz", "rt") as lines:
        return [_recorded(json.loads(line)) for line in lines]


def _recorded(row: dict[str, Any]) -> Change:
    renamed = tuple((old, new) for status, new, *rest in row["files"] if status[0] == "R" for old in rest)
    return Change(
        id=row["sha"],
        time=float(row["t"]),
        read=tuple(path for status, path, *_ in row["files"] if status[0] != "D"),
        renamed=renamed,
        removed=tuple(path for status, path, *_ in row["files"] if status[0] == "D"),
    )


def cloned(root: Path) -> list[Change]:
    """The history of a checkout."""
    history = GitHistory(root)
    return [
        Change(id=one.sha, time=one.time, read=one.read, renamed=one.renamed, removed=one.removed)
        for one in history.commits(CommitRange(head=history.head()))
    ]


def steps(changes: Iterable[Change], largest: int | None) -> Iterator[TraceEvent]:
    """A history as a trace; changes of more files than ``largest`` say only what there is."""
    for one in changes:
        yield from (Renamed(id=one.id, time=one.time, old=old, new=new) for old, new in one.renamed)
        names = {*one.read, *one.removed, *(new for _, new in one.renamed)}
        yield SessionStart(id=one.id, time=one.time, used=frozenset(names))
        yield Present(time=one.time, paths=(*one.read, *(new for _, new in one.renamed)))
        if one.read and (largest is None or len(one.read) <= largest):
            yield Use(id=one.id, time=one.time, action=Action.READ, contents=tuple(map(Content.file, one.read)))
        yield Gone(paths=one.removed)


def measured(changes: list[Change], largest: int | None, draws: int) -> tuple[dict[str, ModelScore], int, float]:
    """By model how well it predicted the second half, how many changes were scored, and CPU seconds."""
    begin = time.process_time()
    trace = steps(changes, largest)
    found = forecast(trace, UsageConfig(), lambda _: 1200.0, first=len(changes) // 2, largest=SCORED)
    rows = compare(found.scores, against=LITERAL, rng=np.random.default_rng(0), draws=draws)
    return {one.model: one for one in rows}, len(found.visits), time.process_time() - begin


def compared(name: str, changes: list[Change], draws: int, references: dict[str, dict[str, float]]) -> Table:
    """All models on one history, the references beside those that they are of."""
    rows, scored, seconds = measured(changes, MAX_FILES, draws)
    met = rows[NEED].mrr.value >= max(rows[LITERAL].mrr.value, rows[LITERAL_KEPT].mrr.value)
    return Table(
        title=f"{name}: {scored:,} of {len(changes):,} commits scored",
        columns=(
            "model",
            "MRR",
            "lead over literal Elo",
            "first",
            "reference",
            "recall@5",
            "recall@10",
            "reference ",
            "log loss",
        ),
        rows=[_row(one, references.get(REFERENCES.get(one.model, ""), {})) for one in rows.values()],
        notes=[
            f"need's MRR at least literal Elo's, decayed or not: {'met' if met else 'NOT met'}",
            f"{seconds:.2f} CPU seconds for eight models and {draws:,} draws",
        ],
    )


def ahead(leads: dict[str, tuple[float, float]]) -> Table:
    """Need beside decayed frequency: their MRR on each history, and the mean lead with its interval over histories."""
    gains = np.asarray([need - decayed for need, decayed in leads.values()])
    low, high = np.quantile(np.random.default_rng(0).choice(gains, (10_000, len(gains))).mean(axis=1), [0.025, 0.975])
    note = f"mean lead {gains.mean():+.4f}, 95 % interval over histories {low:+.4f} to {high:+.4f}; "
    note += f"ahead on {int((gains > 0).sum())} of {len(gains)}"
    return Table(
        title="Need beside decayed frequency, MRR",
        columns=("history", "need", "decayed frequency", "lead"),
        rows=[[name, need, decayed, f"{need - decayed:+.4f}"] for name, (need, decayed) in leads.items()],
        notes=[note],
    )


def _row(one: ModelScore, reference: dict[str, float]) -> list[Any]:
    return [
        one.model,
        one.mrr.value,
        f"{one.lead.value:+.3f} ({one.lead.low:+.3f} to {one.lead.high:+.3f})",
        one.first_mrr.value,
        reference.get("MRR"),
        one.recall_at_5.value,
        one.recall_at_10.value,
        reference.get("recall10"),
        one.log_loss.value,
    ]


def limits(histories: dict[str, list[Change]], draws: int) -> Table:
    """What it costs to learn from large commits, or to leave them out: MRR of need and of literal Elo."""
    rows = []
    for name, changes in histories.items():
        for largest in LIMITS:
            found, *_ = measured(changes, largest, draws)
            left = sum(largest is not None and len(one.read) > largest for one in changes)
            rows.append([name, largest or "all", left, found[NEED].mrr.value, found[LITERAL].mrr.value])
    return Table(
        title="Commits of many files: left out above a number",
        columns=("history", "at most", "left out", "need's MRR", "literal Elo's"),
        rows=rows,
    )


def _histories(roots: Iterable[Path]) -> tuple[dict[str, list[Change]], list[str]]:
    found: dict[str, list[Change]] = {}
    said: list[str] = []
    sources: list[tuple[str, Callable[[], list[Change]]]] = [(name, lambda name=name: recorded(name)) for name in DATA]
    for root in (one.resolve() for one in roots):
        name = root.name if root.name not in dict(sources) else f"{root.parent.name}/{root.name}"
        sources.append((name, lambda root=root: cloned(root)))
    for name, read in sources:
        try:
            found[name] = read()
        except (Absent, ParagoneError) as error:
            said.append(f"{name} is left out: {error}")
    return found, said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="the data alone, 200 draws, no comparison of limits")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    histories, said = _histories([*([] if given.quick else [HERE]), *given.repository])
    references = {}
    if any(name in DATA for name in histories):
        references = json.loads((folder("git_usage") / "REFS.json").read_text())["repos"]
    draws = 200 if given.quick else 1000
    tables = [compared(name, changes, draws, references.get(name, {})) for name, changes in histories.items()]
    values = [{str(row[0]): float(row[1]) for row in table.rows} for table in tables]
    tables.append(
        ahead({name: (row[NEED], row["decayed frequency"]) for name, row in zip(histories, values, strict=True)})
    )
    if not given.quick:
        tables.append(limits(histories, 50))
    if given.json:
        print(json.dumps({"tables": [as_json(one) for one in tables], "notes": said}, indent=2))
    else:
        print("\n".join([*map(as_text, tables), *said]))


if __name__ == "__main__":
    main()
