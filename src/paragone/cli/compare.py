"""``paragone compare``: is the new system better than the old one, with how many calls?"""

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.cli.rank import NOTHING_WRITTEN
from paragone.cli.terminal import gap, interruptible, note, notice
from paragone.domain import PairedDesign
from paragone.errors import InvalidConfig

if TYPE_CHECKING:
    from paragone.domain import PairedResult
    from paragone.judges.call_options import CallOptions
    from paragone.tournaments.running.control import Observer
    from paragone.tournaments.tournament import Tournament

_DESIGN = PairedDesign()


class Claim(StrEnum):
    """What a result may be held to."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    SETTLED = "settled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs:
    """How the two sides are read."""

    prompts: Annotated[Path | None, option("The questions: a file or folder like the outputs.")] = None
    id_column: Annotated[str | None, option("Column of the questions' ids.")] = None
    output_column: Annotated[str | None, option("Column of the outputs.")] = None
    prompt_column: Annotated[str | None, option("Column of the questions.")] = None
    question_column: Annotated[str | None, option("Column of the questions in recorded votes.")] = None
    skip_missing: Annotated[
        bool, option("Leave out questions that one side lacks or whose output is empty, instead of refusing.")
    ] = False
    encoding: options.Encoding = None

    @property
    def values(self) -> "dict[str, Any]":
        """The options as ``begin`` takes them."""
        names = ("prompts", "id_column", "output_column", "prompt_column", "skip_missing", "encoding")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """The sequential test."""

    alpha: Annotated[float, option("Highest probability of finding a difference where there is none.", metavar="P")] = (
        _DESIGN.alpha
    )
    power: Annotated[float, option("Probability of not missing a difference of the margin.", metavar="P")] = (
        _DESIGN.power
    )
    margin: Annotated[
        float, option("The smallest difference that matters, beyond a half: 0.1 is 60 to 40.", metavar="P")
    ] = _DESIGN.margin

    def of(self, new: str, old: str) -> PairedDesign:
        """The test of two systems."""
        from paragone.tournaments.paired_comparison import names_of

        first, second = names_of(new, old)
        return PairedDesign(new=first, old=second, alpha=self.alpha, power=self.power, margin=self.margin)


@interruptible(NOTHING_WRITTEN)
def compare(
    new: Annotated[str, argument("Outputs of the new system: a file or a folder; or its name in recorded votes.")],
    old: Annotated[str, argument("Outputs of the old system for the same questions; or its name.")],
    outputs: Outputs,
    design: Design,
    output: options.Output,
    limits: options.Limits,
    judging: options.Judging,
    judge: options.JudgeSpec = None,
    criteria: Annotated[str | None, option("What makes one output better than another.", "-c", metavar="TEXT")] = None,
    rubric: options.Rubric = None,
    claim: Annotated[
        Claim | None, option("Exit with 1 unless this is borne out; not-worse is better or no difference.", "--assert")
    ] = None,
    seed: Annotated[int, option("Decides in which order questions are drawn.", min=0)] = 0,
    db: options.Database = None,
    quiet: options.Quiet = False,
) -> None:
    """Say whether NEW is better than OLD, by a sequential test that stops as soon as it is settled.

    NEW and OLD hold outputs for the same questions. A judge compares them in both orders, question by question, and
    the same command goes on where it was interrupted. The exit code is 0, or 1 if --assert is not borne out.
    """
    from paragone.cli.terminal_run import chosen_judge, judge_spec
    from paragone.presenting.paired_comparison import report
    from paragone.tournaments.paired_comparison import CRITERIA, RECORDED, begin, compare_votes, is_recorded

    spec = judge_spec(judge)
    test = design.of(new, old)
    if is_recorded(new, old, spec):
        _refuse_calls(limits, judging, criteria=criteria, rubric=rubric)
        result = compare_votes(spec.removeprefix(RECORDED), test, question=outputs.question_column)
    else:
        tournament, notes = begin(
            Path(new), Path(old), test,
            judge=chosen_judge(spec, options.db_url(db), judging), db=options.db_url(db),
            criteria=criteria or CRITERIA, concurrency=judging.pace().concurrency,
            rubric=rubric, seed=seed, **limits.values, **outputs.values,
        )  # fmt: skip
        result = replace(_played(tournament, judging, quiet=quiet), notes=notes)
    if not quiet:
        note(*result.notes)
        gap()
    output.show(result, report, values=lambda value: value.as_dict())
    _require(result, claim)


def _refuse_calls(limits: options.Limits, judging: options.Judging, **more: str | None) -> None:
    """Refuse options of calls where none are made.

    Raises:
        InvalidConfig: If one is given.
    """
    values = {**asdict(limits), **asdict(judging), **more}
    surplus = [f"--{name.replace('_', '-')}" for name, value in values.items() if value not in (None, False)]
    if surplus:
        raise InvalidConfig(f"nothing is asked where votes are recorded, so leave out {', '.join(surplus)}")


def _played(tournament: "Tournament", judging: options.Judging, *, quiet: bool) -> "PairedResult":
    """The result of asking the judge; exits where the run failed or was interrupted."""
    from paragone.cli.terminal_run import do, exit_with, plan_for_workers
    from paragone.tournaments.paired_comparison import result_of

    with tournament:
        if tournament.state.played and not quiet:
            notice(f"continuing {tournament.state.id}, which is on record")
        do(tournament, plan_for_workers if judging.workers else _work, judging.pace(), quiet=quiet)
        exit_with(tournament)
        return result_of(tournament)


def _work(tournament: "Tournament", observer: "Observer", pace: "CallOptions") -> None:
    from paragone.tournaments.blocking import synchronously
    from paragone.tournaments.paired_comparison import play_on

    synchronously(play_on(tournament, observer, pace))


def _require(result: "PairedResult", claim: Claim | None) -> None:
    """Exit with 1 unless the result bears the claim out."""
    from paragone.presenting.paired_comparison import CLAIMS

    if claim is not None and result.verdict not in CLAIMS[claim.value]:
        notice(f"paragone: asserted {claim.value}, but {result.in_words}")
        raise typer.Exit(1)
