"""``compare``: is a new system better than an old one? A sequential test over the same questions, on record."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.sequential_test import EVEN, least_questions, look
from paragone.domain import PAIRED, Item, PairedDesign, PairedLook, PairedResult, PairedVerdict
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.domain.text import counted
from paragone.errors import InvalidConfig, InvalidItems, InvalidVotes
from paragone.intake.paired_outputs import OutputColumns, PairedOutput, paired_outputs
from paragone.intake.table import InputTable, spelling
from paragone.intake.votes import VoteFile
from paragone.judges.call_options import CallOptions
from paragone.ledger import Ledger
from paragone.tournaments.blocking import synchronously
from paragone.tournaments.draft import Draft, drafted
from paragone.tournaments.planning.blocks import questions_ahead
from paragone.tournaments.planning.paired_policy import PairedScores, design_of, look_at
from paragone.tournaments.running.control import Observer, unobserved
from paragone.tournaments.running.participants import AnyJudge
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import IN_MEMORY, Tournament
from paragone.wire.live import RunLimits

CRITERIA = "which response serves the person who asked better: correct, complete, clear, and to the point"
"""What "better" means where nothing is said."""
RECORDED = "recorded:"
_LIMITS = ("budget", "max_cost", "max_tokens")
_QUESTION_NAMES = ("question_id", "question", "prompt_id", "prompt", "example_id")
_AT_ONCE = 20_000


def compare(
    new: object,
    old: object,
    *,
    judge: AnyJudge,
    observer: Observer = unobserved,
    pace: CallOptions | None = None,
    db: str | os.PathLike[str] = IN_MEMORY,
    names: tuple[str, str] | None = None,
    alpha: float = PairedDesign().alpha,
    power: float = PairedDesign().power,
    margin: float = PairedDesign().margin,
    **options: Any,  # noqa: ANN401 - those of ``begin``
) -> PairedResult:
    """Ask whether a new system is better than an old one, by their outputs for the same questions.

    Each question is judged in both orders, and both together are one observation. A sequential test looks after every
    few questions and stops as soon as it is settled; its errors hold however often it looks.

    Args:
        new: Outputs of the new system: a file, a folder, a data frame, a mapping from id to output, or a list. Or a
            name in recorded votes.
        old: Outputs of the old one, for the same questions.
        judge: A judge spec, a judge, or a function; or ``recorded:FILE`` for votes between two names.
        observer: Called as the run goes on.
        pace: How calls are made.
        db: File or URL of the ledger; in memory by default. In a file a run is on record, and the same call goes on
            with it.
        names: What to call the two; by default the names of their files.
        alpha: Probability of "better" or "worse" where neither is true, at the most.
        power: Probability of not missing a difference of the margin.
        margin: The smallest difference that matters, as a probability of winning beyond one half.
        options: As for ``begin``: prompts, criteria, seed, skip_missing, max_cost, budget, ...; for recorded votes
            ``question``, the column of the questions.

    Raises:
        UsageError: Naming what is wrong with the outputs, the judge or a parameter.
    """
    errors = {"alpha": alpha, "power": power, "margin": margin}
    return synchronously(
        acompare(new, old, judge=judge, observer=observer, pace=pace, db=db, names=names, **errors, **options)
    )


async def acompare(
    new: object,
    old: object,
    *,
    judge: AnyJudge,
    observer: Observer = unobserved,
    pace: CallOptions | None = None,
    db: str | os.PathLike[str] = IN_MEMORY,
    names: tuple[str, str] | None = None,
    alpha: float = PairedDesign().alpha,
    power: float = PairedDesign().power,
    margin: float = PairedDesign().margin,
    **options: Any,  # noqa: ANN401
) -> PairedResult:
    """``compare`` in a coroutine."""
    first, second = names or names_of(new, old)
    design = PairedDesign(new=first, old=second, alpha=alpha, power=power, margin=margin)
    if is_recorded(new, old, judge):
        surplus = sorted(options.keys() - {"question"})
        if surplus:
            raise InvalidConfig(f"nothing is asked where votes are recorded, so leave out {', '.join(surplus)}")
        return compare_votes(str(judge).removeprefix(RECORDED), design, **options)
    pace = pace or CallOptions()
    tournament, notes = begin(new, old, design, judge=judge, db=db, concurrency=pace.concurrency, **options)
    with tournament:
        await play_on(tournament, observer, pace)
        return replace(result_of(tournament), notes=notes)


def is_recorded(new: object, old: object, judge: AnyJudge) -> bool:
    """Whether the two are names in recorded votes, and not outputs to be judged."""
    if not isinstance(judge, str) or not judge.startswith(RECORDED):
        return False
    return all(isinstance(side, str) and not Path(side).exists() for side in (new, old))


def names_of(new: object, old: object) -> tuple[str, str]:
    """The names of the files, where they differ; names in votes as they are."""
    if not (isinstance(new, str | Path) and isinstance(old, str | Path)):
        return PairedDesign().new, PairedDesign().old
    first, second = _name_of(new), _name_of(old)
    return (first, second) if first != second else (str(new), str(old))


def _name_of(side: str | Path) -> str:
    path = Path(side)
    return (path.stem or path.resolve().stem) if path.exists() else str(side)


def begin(
    new: object,
    old: object,
    design: PairedDesign,
    *,
    judge: AnyJudge,
    db: str | os.PathLike[str] = IN_MEMORY,
    prompts: object = None,
    criteria: str = CRITERIA,
    id_column: str | None = None,
    output_column: str | None = None,
    prompt_column: str | None = None,
    encoding: str | None = None,
    skip_missing: bool = False,
    concurrency: int = CallOptions().concurrency,
    **options: Any,  # noqa: ANN401 - of the tournament
) -> tuple[Tournament, tuple[str, ...]]:
    """A paired comparison on record, the one of the same inputs where there is one, and what there is to know of it.

    Args:
        new: See ``compare``, and so for ``old`` and ``judge``.
        old: The outputs of the old system.
        design: The test, with the names of the two.
        judge: The judge.
        db: File or URL of the ledger.
        prompts: The questions; by default a column of prompts in one of the outputs, if there is one.
        criteria: What "better" means, in words.
        id_column: Column of the questions' ids, where its name does not tell.
        output_column: Column of the outputs.
        prompt_column: Column of the questions.
        encoding: Of text files.
        skip_missing: Leave out questions that one side lacks.
        concurrency: Calls in flight.
        options: Of the tournament that has it on record, such as ``seed``, ``budget``, ``max_cost`` and ``rubric``.
    """
    columns = OutputColumns(id=id_column, output=output_column, prompt=prompt_column, encoding=encoding)
    outputs, notes = paired_outputs(new, old, prompts, columns=columns, skip_missing=skip_missing)
    least = least_questions(design)
    if len(outputs) < 2:
        raise InvalidItems(f"one question ({quoted(outputs[0].id)}) settles nothing; at least {least} are needed")
    if len(outputs) < least:
        notes = (*notes, f"{len(outputs)} questions settle nothing, whoever wins them; at least {least} are needed")
    draft = drafted(
        _items(outputs, design),
        judge=judge,
        criteria=criteria,
        pairing=PAIRED,
        paired=replace(design, block=questions_ahead(concurrency)),
        comparison_rounds=2,
        group_size=2,
        **{"seed": 0, **options},
    )
    return _on_record(draft, db, options), notes


def _on_record(draft: Draft, db: str | os.PathLike[str], options: Mapping[str, Any]) -> Tournament:
    """The tournament of the same inputs, with the limits of now, or a new one."""
    wish, design = _wish(draft), design_of(draft.settings)
    with Ledger.open(db) as ledger:
        existing = ledger.tournaments.for_request(wish)
    judge = draft.participants.judge
    if existing is None:
        ledger = Ledger.open(db)
        return Tournament(ledger, draft.begin(ledger, f"{design.new}-vs-{design.old}", wish=wish), judge, db=str(db))
    tournament = Tournament.open(db, existing.id, judge=judge)
    before = tournament.state.settings
    limits = {name: options[name] for name in _LIMITS if options.get(name) not in (None, getattr(before, name))}
    if limits:
        tournament.extend(**cast("RunLimits", limits))
    return tournament


def _wish(draft: Draft) -> dict[str, str]:
    """What tells a comparison from others: what is judged, by whom, how, and by which test."""
    settings, design = draft.settings, design_of(draft.settings)
    parts: list[object] = [settings.criteria, settings.judge, settings.seed, design.alpha, design.power, design.margin]
    parts += [None if settings.dossier is None else settings.dossier.hash]
    parts += [[item.id, item.content_hash] for item in draft.items]
    digest = hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
    return {"key": f"compare {digest}", "of": digest}


def _items(outputs: Sequence[PairedOutput], design: PairedDesign) -> list[Item]:
    """The items of a paired comparison: both outputs for a question one after the other, with the question."""
    return [
        Item(id=f"{name}:{output.id}", text=_shown(output.prompt, text))
        for output in outputs
        for name, text in ((design.new, output.new), (design.old, output.old))
    ]


def _shown(prompt: str, text: str) -> str:
    """A text as the judge sees it: the question is data as well, so it stands within the text."""
    return f"Question:\n{prompt}\n\nResponse:\n{text}" if prompt else text


async def play_on(tournament: Tournament, observer: Observer = unobserved, pace: CallOptions | None = None) -> None:
    """Ask until the test is settled, or there is another reason to stop; ``tournament.stop`` says which."""
    async with tournament.playing(observer, pace) as runner:
        await runner.run()


def result_of(tournament: Tournament) -> PairedResult:
    """What a paired comparison came to so far."""
    state = tournament.state
    scores, design = PairedScores.of(state), design_of(state.settings)
    now = look_at(state, scores)
    identical, count = scores.identical, len(scores.questions)
    wins, losses = _record(scores.scores)
    return PairedResult(
        wins=wins,
        losses=losses,
        ties=count - wins - losses,
        design=design,
        look=now,
        questions=count,
        available=len(state.items) // 2,
        identical=identical,
        by_order=int(scores.by_order.sum()),
        unanswered=scores.unanswered,
        calls=2 * (count - identical),
        fixed_calls=_fixed_calls(now, count, identical),
        spending=tournament.ledger.tournaments.spending(state.id),
        tournament=state.id,
        judge=state.settings.judge,
        stopped=_stopped(state, tournament),
    )


def _record(scores: NDArray[np.float64]) -> tuple[int, int]:
    """Questions won and lost."""
    return int((scores > EVEN).sum()), int((scores < EVEN).sum())


def _fixed_calls(now: PairedLook, questions: int, identical: int) -> int | None:
    """Calls of the fixed-sample test, which asks nothing where both outputs are the same either."""
    if now.fixed_questions is None or not questions:
        return None
    return round(2 * now.fixed_questions * (questions - identical) / questions)


def _stopped(state: TournamentState, tournament: Tournament) -> str:
    if tournament.stop is not None:
        return tournament.stop.reason
    ends = [event for event in state.events if event.kind == "stopped"]
    return str(ends[-1].detail["reason"]) if ends else ""


def compare_votes(source: object, design: PairedDesign, *, question: str | None = None) -> PairedResult:
    """The same test on votes between two names that were recorded elsewhere; nothing is asked.

    Votes on one question are one observation, their mean, wherever a column names the question. The test looks at
    questions in the order of the file.

    Args:
        source: As for ``read_votes``.
        design: The test, with the two names.
        question: The column of the questions, where its name does not tell.

    Raises:
        UsageError: If votes cannot be read, or no vote is between the two.
    """
    groups, votes, is_named, notes = _votes_by_question(VoteFile(source=source), design, question)
    scores = np.array([sum(scores) / len(scores) for scores in groups])
    by_order = sum(min(scores) == 0.0 and max(scores) == 1.0 and sum(scores) == len(scores) / 2 for scores in groups)
    if not is_named:
        notes = (*notes, "no column names the question (--question-column), so each vote is taken as one of its own")
    now = look(scores, design)
    wins, losses = _record(scores)
    return PairedResult(
        wins=wins,
        losses=losses,
        ties=len(groups) - wins - losses,
        design=design,
        look=now,
        questions=len(groups),
        available=len(groups),
        by_order=by_order,
        calls=votes,
        fixed_calls=None if now.fixed_questions is None else round(now.fixed_questions * votes / len(groups)),
        judge=f"{RECORDED}{source}" if isinstance(source, str | Path) else RECORDED.removesuffix(":"),
        stopped=_votes_stopped(now, len(groups)),
        notes=notes,
    )


def _votes_stopped(now: PairedLook, questions: int) -> str:
    if now.verdict is PairedVerdict.OPEN:
        return f"{counted(questions, 'recorded question')} counted, and the test is not settled"
    return f"the test is settled after {now.settled_after:,} questions; all that are recorded enter the estimate"


def _votes_by_question(
    file: VoteFile, design: PairedDesign, column: str | None
) -> tuple[list[list[float]], int, bool, tuple[str, ...]]:
    """The new system's scores question by question, how many votes they are, whether questions are named, and notes."""
    new, old = design.new, design.old
    groups: dict[object, list[float]] = {}
    names: dict[str, None] = {}
    votes, at = 0, None
    chunks = list(file.chunks(_AT_ONCE))
    for chunk in chunks:
        at = _question_column(chunk.table, column)
        for row, (a, b, score) in enumerate(zip(chunk.a, chunk.b, chunk.score, strict=True)):
            names.update(dict.fromkeys((a, b)))
            if score is None or {a, b} != {new, old}:
                continue
            key = votes if at is None else str(chunk.table.rows[row][at])
            groups.setdefault(key, []).append(score if a == new else 1.0 - score)
            votes += 1
    for name in (new, old):
        if name not in names:
            raise InvalidVotes(f"{file.name} has no votes on {quoted(name)}{did_you_mean(name, names)}")
    if not groups:
        raise InvalidVotes(f"{file.name} has no vote between {quoted(new)} and {quoted(old)}")
    return list(groups.values()), votes, at is not None, file.surveyed(chunks).notes


def _question_column(table: InputTable, column: str | None) -> int | None:
    if column is not None:
        return table.named(column, "question, --question-column")
    spelt = [spelling(name) for name in table.columns]
    return next((spelt.index(name) for name in _QUESTION_NAMES if name in spelt), None)
