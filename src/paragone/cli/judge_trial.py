"""``paragone judges test``: try judges and templates on pairs whose better item is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.cli.parameters import OnlyWith
from paragone.cli.terminal import interruptible, note, progress_bar
from paragone.domain.text import counted, visible
from paragone.errors import InvalidConfig, UsageError
from paragone.judges.call_options import ATTEMPTS, CONCURRENCY
from paragone.presenting.table import Column, Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.analysis.quality.judge_trial import LabelledPair
    from paragone.wire.judge_trial import JudgeTrial, ShareEstimate


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledPairFile:
    """Pairs whose better text is known."""

    labelled: Annotated[
        Path, option("Labelled pairs: a file of comparisons, as `fit` reads it, of texts or of ids of --items.")
    ]
    items: Annotated[Path | None, option("The texts of the ids, as `rank` reads them.")] = None
    pairs: Annotated[int | None, option("Ask about the first N pairs only.", "-n", min=1)] = None

    def read(self, *, quiet: bool) -> "Sequence[LabelledPair]":
        """The pairs; notes say what was left out.

        Raises:
            UsageError: If they cannot be read.
        """
        from paragone.intake import read_votes
        from paragone.intake.items import read_items
        from paragone.intake.standard_input import readable
        from paragone.tournaments.judge_trial import labelled_pairs

        votes = read_votes(readable(self.labelled))
        texts = None if self.items is None else {item.id: item.text for item in read_items(self.items)}
        pairs, unlabelled = labelled_pairs(votes, texts)
        if not quiet:
            note(*votes.notes)
            if unlabelled:
                note(f"left out: {counted(unlabelled, 'pair')} without a label")
        return pairs[: self.pairs]


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialOptions:
    """How judges are asked."""

    protocols: Annotated[
        bool, option("Also try panel debates and debates in turns, where a judge can: what their tokens are worth.")
    ] = False
    advocate: Annotated[options.AdvocateSpec, OnlyWith("--protocols")] = None
    turns: Annotated[int, option("Turns per side of a debate.", min=1), OnlyWith("--protocols")] = 3
    again: Annotated[int, option("Pairs asked a second time, to see whether answers repeat.", min=0)] = 10
    concurrency: Annotated[int, option("Calls in flight at the most.", min=1)] = CONCURRENCY
    attempts: Annotated[int, option("Tries for a question before it counts as failed.", min=1)] = ATTEMPTS
    price: options.Price = None

    async def tried(
        self,
        name: str,
        spec: str,
        pairs: "Sequence[LabelledPair]",
        **question: Any,  # noqa: ANN401 - as for ``tried``
    ) -> "list[JudgeTrial]":
        """The trials of a judge: of its direct verdicts, and of each protocol if that is asked for."""
        from paragone.judges.debates.advocate_spec import advocate_like, open_advocate
        from paragone.judges.spec import open_judge
        from paragone.llm import Price
        from paragone.tournaments.judge_trial import protocols_of, tried

        price = self.price and Price(input_per_million=self.price[0], output_per_million=self.price[1])
        opened = open_judge(spec, price=price)
        speaker = None
        if self.protocols and self.advocate != "none" and opened.card.debates is not None:
            speaker = advocate_like(opened) if self.advocate is None else open_advocate(self.advocate)
        names = protocols_of(opened.card, debates=speaker is not None) if self.protocols else ("direct",)
        how = {name: getattr(self, name) for name in ("turns", "again", "concurrency", "attempts")}
        try:
            return await tried(name, opened, pairs, names, advocate=speaker, **how, **question)
        finally:
            await opened.close()


@interruptible("answers so far are in the file of --answers, if one was named; the same command goes on from there")
def trial(
    judges: Annotated[
        list[str],
        argument("Specs of judges, or templates for the model of --judge.", metavar="SPEC|TEMPLATE"),
    ],
    output: options.Output,
    labelled: LabelledPairFile,
    asking: TrialOptions,
    criteria: Annotated[str, option("What makes one text better than another.", "-c", metavar="TEXT")] = "quality",
    goal: Annotated[str | None, option("The research goal.", metavar="TEXT")] = None,
    rubric: options.Rubric = None,
    dossier: Annotated[Path | None, option("A dossier, as for `tournament new`.")] = None,
    judge: options.JudgeSpec = None,
    answers: Annotated[Path | None, option("Keep answers in this file (.jsonl), and take them from there.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Measure judges, templates and protocols on labelled pairs: agreement, bias, ties, repeatability, cost.

    Each pair is shown in both orders. Several judges, and the protocols of each, stand side by side.
    """
    import asyncio

    from paragone.intake.dossiers import as_dossier
    from paragone.tournaments.judge_trial import AnswerFile

    specs = {name: _spec(name, judge) for name in judges}
    if judge is not None and all(name == spec for name, spec in specs.items()):
        raise UsageError("--judge is the model of templates, and none is named: leave it out, or name it as a SPEC")
    pairs = labelled.read(quiet=quiet)
    background = as_dossier(dossier, {"goal": goal, "rubric": rubric})
    answer_file = AnswerFile(answers)
    with progress_bar("asking", quiet=quiet) as bar:
        trials = []
        for name, spec in specs.items():
            work = asking.tried(
                name,
                spec,
                pairs,
                answers=answer_file,
                criteria=criteria,
                dossier=background,
                on_answer=lambda done, total, name=name: bar(done, total, name),
            )
            trials += asyncio.run(work)
    output.show(trials, _trials)


def _spec(name: str, judge: str | None) -> str:
    """The judge's spec; of a template, the spec of the model with it."""
    from paragone.cli.terminal_run import judge_spec

    path = Path(name)
    if ":" in name or not (path.is_file() or path.suffix in (".jinja", ".j2", ".txt", ".md")):
        return name
    base = judge_spec(judge)
    if not base.startswith("llm:"):
        raise InvalidConfig(f"{name} is a template: name the model that it is for, as in --judge llm:MODEL, not {base}")
    model, at, address = base.partition("@http")
    joint = "&" if "?" in model else "?"
    return f"{model}{joint}template={name}{at}{address}"


def _trials(trials: "Sequence[JudgeTrial]") -> Iterator[str | Table[Any]]:
    if all(each.protocol == "direct" for each in trials):
        yield table(trials, text("judge", lambda each: each.spec), *_QUALITY, *_REPEATING, *_COSTS)
        yield ""
        yield f"{counted(trials[0].pairs, 'pair')} in both orders; {_MEANINGS}"
        yield from _failures(trials)
        return
    judge_columns: tuple[Column[JudgeTrial], ...] = (
        (text("judge", lambda each: each.spec),) if len({each.spec for each in trials}) > 1 else ()
    )
    yield table(trials, *judge_columns, text("protocol", lambda each: each.protocol), *_QUALITY, *_COSTS, *_WORTH)
    yield ""
    yield (
        f"{counted(trials[0].pairs, 'pair')} in both orders; {_MEANINGS}; sharpness: how many times that of direct "
        "verdicts; bits: what 1,000 tokens say"
    )
    for spec in dict.fromkeys(each.spec for each in trials if each.sharpness is not None):
        measured = [each for each in trials if each.spec == spec and each.sharpness is not None]
        figures = ", ".join(f"policy.{each.protocol}_sharpness = {each.sharpness:.2f}" for each in measured)
        yield f"in the configuration, for {spec}: {figures}"
    yield from _failures(trials)


def _failures(trials: "Sequence[JudgeTrial]") -> Iterator[str]:
    """Why questions failed, for each judge and protocol, the most frequent reasons first."""
    for trial in trials:
        if trial.reasons:
            reasons = "; ".join(f"{visible(reason)} ({count})" for reason, count in [*trial.reasons.items()][:_REASONS])
            more = "; ..." if len(trial.reasons) > _REASONS else ""
            yield f"{trial.spec}, {trial.protocol}, failed {counted(trial.failed, 'time')}: {reasons}{more}"


def _agreement(trial: "JudgeTrial") -> str:
    estimate = trial.agreement
    return "" if estimate.share is None else f"{estimate.share:.1%} ({estimate.low:.0%}-{estimate.high:.0%})"


def _share(estimate: "ShareEstimate") -> str:
    return "" if estimate.share is None else f"{estimate.share:.0%}"


def _longer(trial: "JudgeTrial") -> str:
    label = "" if trial.longer_labels is None else f" ({trial.longer_labels:.0%})"
    return f"{_share(trial.longer)}{label}"


def _dollars(trial: "JudgeTrial") -> str:
    if not trial.spending.requests:
        return "none"
    return "not known" if trial.dollars_per_decision is None else f"${trial.dollars_per_decision:.5f}"


_REASONS = 3
"""Reasons of failures that are shown."""
_QUALITY: "tuple[Column[JudgeTrial], ...]" = (
    numbers("agreement", _agreement),
    numbers("first", lambda each: _share(each.first)),
    numbers("longer", _longer),
    numbers("ties", lambda each: _share(each.ties)),
)
_REPEATING: "tuple[Column[JudgeTrial], ...]" = (
    numbers("orders", lambda each: _share(each.orders)),
    numbers("repeats", lambda each: _share(each.repeats)),
)
_COSTS: "tuple[Column[JudgeTrial], ...]" = (
    numbers("failed", lambda each: str(each.failed)),
    number("tokens", lambda each: each.tokens_per_decision, ".0f"),
    numbers("dollars", _dollars),
)
_WORTH: "tuple[Column[JudgeTrial], ...]" = (
    number("sharpness", lambda each: each.sharpness, ".2f"),
    number("bits", lambda each: each.information, ".3f"),
)
_MEANINGS = (
    "agreement: with the labels, and its 95% interval; first: decisions for the text shown first (50% without bias); "
    "longer: for the longer text (in brackets: how often it is the better one); orders, repeats: the same answer in "
    "both orders, and when asked again; tokens, dollars: of a decision"
)
