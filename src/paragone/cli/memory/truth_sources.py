"""``paragone memory truth tests``, ``history`` and ``judge``: where R comes from by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.text import counted
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.memory.store import TruthLine
    from paragone.memory.truth import HistoryUpdate, JudgedUpdate, TestsUpdate


def tests(
    report: Annotated[Path, argument("A JUnit XML report, or JSON: a list of {file, test, passed}.", metavar="FILE")],
    store: options.MemoryStore,
    output: options.Output,
) -> None:
    """Take R of files from a report of the tests about them: high where they pass, low where they fail.

    A test is about the file that its property "about" names, or that its own file is called after: tests/test_pool.py
    is about pool.py, KettleTest.java about Kettle.java. Its own file is that of the report, or that of its class,
    module or Go package. The last report about a file replaces the ones before.
    """
    from paragone.memory.truth import read_results

    results = read_results(report)
    with store.opened() as memory:
        output.show(memory.truth.from_tests(results), _tests, values=lambda each: _values(each.lines) | _lost(each))


def _lost(update: "TestsUpdate") -> dict[str, object]:
    return {"results": update.results, "about_no_file": update.lost}


def _tests(update: "TestsUpdate") -> Iterator[str | Table[Any]]:
    lost = f", {update.lost:,} of them about no indexed file" if update.lost else ""
    yield f"{counted(update.results, 'result')}{lost}: R of {counted(len(update.lines), 'file')}"
    yield from _lines(update.lines)
    if update.lost:
        yield (
            "a test counts if the report names its file or class, and that is called after what it is about; "
            'jest-junit names files with addFileAttribute="true"'
        )


def history(store: options.MemoryStore, output: options.Output) -> None:
    """Lower R of documents that quote lines which git shows as replaced since, until the quotations are mended.

    `paragone memory learn-git` does the same by itself.
    """
    with store.opened() as memory:
        output.show(memory.truth.from_history(), _history, values=lambda each: _values(each.lines))


def _history(update: "HistoryUpdate") -> Iterator[str | Table[Any]]:
    read = f"{counted(update.documents, 'document')}, {counted(update.replaced, 'replaced line')}"
    yield f"{read}: R of {len(update.lines):,} has changed"
    yield from _lines(update.lines)


def judge(
    store: options.MemoryStore,
    output: options.Output,
    judge: options.JudgeSpec = None,
    limit: Annotated[int, option("Ask at most N questions, the most alike first.", min=1, max=1000)] = 20,
    dry_run: Annotated[bool, option("List what would be asked, and ask nothing.")] = False,
    seed: options.Seed = None,
) -> None:
    """Ask a judge about documents that may contradict each other; R of what is wrong by its verdict becomes low.

    The questions are sentences that are alike but for a number or a negation. Most of them do not contradict each
    other, so the rule alone changes nothing. Each takes two calls, and two more if the judge says
    that they do contradict each other.
    """
    from paragone.cli.terminal_run import judge_spec
    from paragone.judges.spec import open_judge

    with store.opened() as memory:
        if dry_run:
            alarms = memory.truth.alarms()
            output.show(alarms[:limit], lambda rows: [_count(len(alarms)), *_alarms(rows)])
            return
        opened = open_judge(judge_spec(judge), seed=seed or 0)
        output.show(memory.truth.judged(opened, limit=limit), _judged, values=_judged_values)


def _count(alarms: int) -> str:
    return f"{counted(alarms, 'pair of sentences')} to ask about".replace("pair of sentencess", "pairs of sentences")


def _alarms(rows: "list[Any]") -> Iterator[Table[Any]]:
    if rows:
        yield table(
            rows,
            text("differs", lambda row: row.kind),
            text("here", lambda row: f"{row.first.path}:{row.first.line} {row.first.text}"),
            text("there", lambda row: f"{row.second.path}:{row.second.line} {row.second.text}"),
        )


def _judged(update: "JudgedUpdate") -> Iterator[str | Table[Any]]:
    contradict = sum(outcome.contradict is True for outcome in update.outcomes)
    unsettled = sum(outcome.contradict is None for outcome in update.outcomes)
    counts = f"asked about {len(update.outcomes):,} of {update.alarms:,}"
    changed = f"R of {len(update.lines):,} has changed"
    yield f"{counts}: {contradict:,} contradict each other, {unsettled:,} unsettled; {changed}"
    rows = [outcome for outcome in update.outcomes if outcome.contradict]
    if rows:
        yield table(
            rows,
            text("wrong", lambda row: f"{row.wrong.path}:{row.wrong.line}" if row.wrong else "unsettled"),
            text("here", lambda row: f"{row.alarm.first.path}:{row.alarm.first.line} {row.alarm.first.text}"),
            text("there", lambda row: f"{row.alarm.second.path}:{row.alarm.second.line} {row.alarm.second.text}"),
        )


def _judged_values(update: "JudgedUpdate") -> dict[str, object]:
    questions = [
        {
            "first": f"{row.alarm.first.path}:{row.alarm.first.line}",
            "second": f"{row.alarm.second.path}:{row.alarm.second.line}",
            "rule": row.alarm.kind,
            "contradict": row.contradict,
            "wrong": row.wrong and row.wrong.path,
        }
        for row in update.outcomes
    ]
    return _values(update.lines) | {"alarms": update.alarms, "asked": questions}


def _lines(lines: "tuple[TruthLine, ...]") -> Iterator[Table[Any]]:
    if lines:
        yield table(
            lines,
            number("R", lambda line: line.r, ".2f", absent="unknown"),
            text("content", lambda line: line.entity_id),
            text("because", _because),
        )


def _because(line: "TruthLine") -> str:
    detail = line.detail
    if detail.get("reason"):
        return str(detail["reason"])
    if "failed" in detail:
        failing = ", ".join(map(str, detail.get("failing", ())))
        return f"{detail['passed']} passed, {detail['failed']} failed{f': {failing}' if failing else ''}"
    stale = detail.get("stale") or ()
    return "; ".join(f"quotes {row['line']!r} of {row['path']}, replaced in {row['commit'][:8]}" for row in stale)


def _values(lines: "tuple[TruthLine, ...]") -> dict[str, object]:
    return {
        "changed": [
            {"entity_id": line.entity_id, "r": line.r, "source": line.source, "detail": dict(line.detail)}
            for line in lines
        ]
    }
