"""``paragone memory learn-git`` and ``evaluate``: learn from history, and measure which model predicts use best."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from paragone.cli import options
from paragone.cli.options import option
from paragone.cli.terminal import interruptible, iso, seconds_of, waiting
from paragone.domain.text import counted
from paragone.presenting.table import Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.memory.evaluation import Evaluation
    from paragone.memory.git_learning import GitLearning
    from paragone.memory.search_evaluation import SearchEvaluation
    from paragone.wire.calibration import Measure


def learn_git(
    store: options.MemoryStore,
    output: options.Output,
    since: Annotated[str | None, option("Only commits since this date, such as 2026-01-31.", metavar="DATE")] = None,
    limit: Annotated[int | None, option("Read at most N commits, oldest first.", min=1)] = None,
    max_files: Annotated[int, option("Ignore commits that change more than N files.", min=1)] = 50,
    seconds: Annotated[float, option("Time limit for git.", min=1.0, metavar="SECONDS")] = 600.0,
    quiet: options.Quiet = False,
) -> None:
    """Learn ratings of files from git's history. Each commit counts as a session. Repeat the command to continue."""
    from paragone.memory.git_learning import learn_git as learn

    start = seconds_of("--since", since)
    interruption = interruptible("what was read so far is kept, and the next run continues from there")
    with store.opened() as memory, interruption, waiting("reading git's history", quiet=quiet) as update:

        def observe(learned: "GitLearning") -> None:
            update(f"{learned.commits:,} of {learned.total:,} commits")

        learned = learn(
            memory.components.store, since=start, limit=limit, largest=max_files, seconds=seconds, progress=observe
        )
        replaced = memory.truth.from_history().lines if memory.components.index.updated() is not None else ()
    low = [line.entity_id for line in replaced if line.r is not None]
    output.show(learned, lambda each: [*_sentences(each, max_files), *_stale(low)])


def _stale(low: list[str]) -> Iterator[str]:
    if low:
        verb = "quotes" if len(low) == 1 else "quote"
        quote = f"{counted(len(low), 'document')} {verb} lines that were replaced since"
        yield f"note: {quote}, so R of them is low: {', '.join(low[:3])}; paragone memory truth history shows the lines"


def _sentences(learned: "GitLearning", max_files: int) -> Iterator[str]:
    """What was learned, and what was not and why."""
    yield (
        f"{counted(learned.commits, 'commit')} read: {counted(learned.sessions, 'new session')}, "
        f"{counted(learned.files, 'use')} of files, {counted(learned.renames, 'rename')}"
    )
    notes = {
        f"{counted(learned.known, 'commit')} learned earlier": learned.known,
        f"{counted(learned.large, 'commit')} of over {max_files} files: their files do not count": learned.large,
        f"{counted(learned.merges, 'merge')} among them, each one session of all its changes": learned.merges,
        f"{counted(learned.future, 'commit')} dated in the future: counted as made now": learned.future,
        f"{counted(learned.unnamed, 'file')} left out whose name is not UTF-8": learned.unnamed,
        "the clone is shallow and its history incomplete: git fetch --unshallow, then learn again": learned.shallow,
    }
    yield from (f"note: {note}" for note, applies in notes.items() if applies)


def evaluate(
    store: options.MemoryStore,
    output: options.Output,
    source: Annotated[Literal["all", "git", "agents"], option("Which sessions count.")] = "all",
    first: Annotated[int, option("Learn from N sessions before measuring.", min=0)] = 0,
    max_files: Annotated[int | None, option("Do not measure sessions that used more than N files.", min=1)] = None,
    seed: Annotated[int, option("Seeds the resampling for the intervals.", min=0)] = 0,
    choose: Annotated[bool, option("Write the best rating into memory.toml, if it is clearly best.")] = False,
) -> None:
    """Measure which rating predicts use best, and what each part of search adds.

    Every model predicts each session, and answers each past query, before it learns from it.
    """
    from paragone.memory.evaluation import choose as write
    from paragone.memory.evaluation import evaluate as measure
    from paragone.memory.search_evaluation import evaluate_search

    with store.opened() as memory:
        files = memory.components.store
        with waiting("predicting each session"):
            evaluation = measure(files, source=source, first=first, largest=max_files, seed=seed)
            search = evaluate_search(files, memory.components.index, source=source, seed=seed)
        changed = choose and evaluation.choose is not None and evaluation.choose != evaluation.rank_by
        if changed and evaluation.choose is not None:
            write(files, evaluation.choose)
    output.show(
        evaluation,
        lambda each: (*_result(each, choose=choose, changed=changed), *_search(search)),
        values=lambda each: _values(each, changed=changed) | {"search": asdict(search)},
    )


def _values(evaluation: "Evaluation", *, changed: bool) -> dict[str, Any]:
    times = {"begins": iso(evaluation.begins), "ends": iso(evaluation.ends)}
    return asdict(evaluation) | times | {"changed": changed}


def _result(evaluation: "Evaluation", *, choose: bool, changed: bool) -> Iterator[str | Table[Any]]:
    if evaluation.models:
        yield from _models(evaluation)
    if changed:
        yield f'memory.toml now says rank_by = "{evaluation.choose}"'
        return
    yield evaluation.advice
    if choose:
        yield "memory.toml is unchanged"


def _search(evaluation: "SearchEvaluation") -> Iterator[str | Table[Any]]:
    yield ""
    if not evaluation.queries:
        yield "search: no past query has an answer among the indexed files yet; paragone memory learn-git brings some"
        return
    yield table(
        evaluation.parts,
        text("search by", lambda row: row.model),
        number("MRR", lambda row: row.mrr.value, ".3f"),
        numbers("95 %", lambda row: _interval(row.mrr)),
        number("recall@5", lambda row: row.recall_at_5.value, ".3f"),
        number("lead", lambda row: row.lead.value, "+.3f"),
        numbers("95 % of lead", lambda row: _interval(row.lead, "+")),
    )
    yield (
        f"the last {counted(evaluation.queries, 'question')} with an answer, each asked with what was known before it, "
        f"among {counted(evaluation.files, 'file')} as they are now; MRR: mean of 1/rank of the first answer"
    )


def _models(evaluation: "Evaluation") -> Iterator[str | Table[Any]]:
    yield table(
        evaluation.models,
        text("model", lambda row: row.model),
        number("MRR", lambda row: row.mrr.value, ".3f"),
        numbers("95 %", lambda row: _interval(row.mrr)),
        number("first", lambda row: row.first_mrr.value, ".3f"),
        number("recall@5", lambda row: row.recall_at_5.value, ".3f"),
        number("recall@10", lambda row: row.recall_at_10.value, ".3f"),
        number("log loss", lambda row: row.log_loss.value, ".2f"),
        number("lead", lambda row: row.lead.value, "+.3f"),
        numbers("95 % of lead", lambda row: _interval(row.lead, "+")),
    )
    yield ""
    yield (
        f"{counted(evaluation.sessions, 'session')} measured, {counted(evaluation.files, 'use')} of files, each "
        f"among {evaluation.candidates:.0f} on average; {counted(evaluation.unmeasured, 'session')} not measured"
    )
    yield "MRR: mean over files used of 1/rank; first: mean over sessions of 1/rank of the best ranked"
    yield "log loss: mean of -ln P of a file used, in nats; lead: of MRR over the running Elo as configured"
    if _elos_agree(evaluation):
        yield "no session searched: both kinds of Elo are the same"


def _elos_agree(evaluation: "Evaluation") -> bool:
    from paragone.memory.session_forecast import LITERAL, ZERO_SUM

    by_name = {row.model: row.mrr for row in evaluation.models}
    return by_name[LITERAL] == by_name[ZERO_SUM]


def _interval(estimate: "Measure", sign: str = "") -> str:
    return f"{estimate.low:{sign}.3f} to {estimate.high:{sign}.3f}"
