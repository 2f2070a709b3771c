"""``paragone judges``: the judges, and what is missing on this machine."""

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.presenting.table import Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.judges.spec import KindReport
    from paragone.wire.protocol_value import ProtocolValue


def judges(context: typer.Context, output: options.Output) -> None:
    """List the judges and whether each is ready on this machine."""
    if context.invoked_subcommand is not None:
        return
    from paragone.judges.spec import describe
    from paragone.settings import environment

    output.show(describe(environment()), _kinds)


def _kinds(kinds: "tuple[KindReport, ...]") -> Iterator[str | Table[Any]]:
    yield table(
        kinds,
        text("spec", lambda kind: kind.form),
        text("what", lambda kind: kind.help),
        text("ready", lambda kind: kind.missing or "yes"),
    )
    for kind in kinds:
        if kind.options:
            example = f"{kind.name}:...?{kind.options[0].form}&{kind.options[1].form}"
            yield from ("", f"options of {kind.name}:, as {example}")
            yield table(kind.options, text("option", lambda each: each.form), text("what", lambda each: each.help))


def install(
    what: Annotated[Literal["local"], argument("The judge.")],
    yes: Annotated[bool, option("Do not ask first.", "-y")] = False,
) -> None:
    """Download the weights of the local judge. It asks first, unless --yes is given."""
    from paragone.judges.local_judge import MEGABYTES, install_command, install_weights

    typer.echo(f"The judge '{what}' needs its weights, about {MEGABYTES} MB: {shlex.join(install_command())}", err=True)
    if not yes:
        typer.confirm("Download them?", abort=True, err=True)
    typer.echo(f"installed: {install_weights()}")


def protocols(
    items: options.ItemFile,
    labelled: Annotated[Path, option("Votes on pairs of the items: columns a, b, winner.", metavar="FILE")],
    criteria: Annotated[str, option("What makes one item better than another.", "-c", metavar="TEXT")],
    columns: options.Columns,
    output: options.Output,
    judge: options.JudgeSpec = None,
    advocate: options.AdvocateSpec = None,
    turns: Annotated[int, option("Turns a side of a debate.", min=1)] = 3,
    concurrency: Annotated[int | None, options.setting("concurrency")] = None,
    seed: options.Seed = None,
) -> None:
    """Measure a judge's protocols on labelled pairs: what their tokens are worth."""
    from paragone.cli.session import judge_spec
    from paragone.judges.debates.advocate_spec import advocate_like, open_advocate
    from paragone.judges.protocol_value import labelled_pairs, measured
    from paragone.judges.spec import open_judge
    from paragone.settings import settings

    pairs = labelled_pairs(columns.read(items), labelled)
    opened = open_judge(judge_spec(judge), seed=seed or 0)
    speaker = None
    if advocate != "none" and opened.card.debates is not None:
        speaker = advocate_like(opened) if advocate is None else open_advocate(advocate, seed=seed or 0)
    at_once = concurrency or settings().concurrency
    values = asyncio.run(measured(opened, pairs, criteria=criteria, advocate=speaker, turns=turns, concurrency=at_once))
    output.show(values, _values)


def _values(values: "tuple[ProtocolValue, ...]") -> Iterator[str | Table[Any]]:
    yield table(
        values,
        text("protocol", lambda value: value.protocol),
        number("pairs", lambda value: value.answered),
        number("right", lambda value: value.accuracy, ".3f"),
        numbers("95 %", lambda value: f"{value.low:.3f} to {value.high:.3f}"),
        number("requests", lambda value: value.requests, ".1f"),
        number("tokens", lambda value: value.tokens),
        number("sharpness", lambda value: value.sharpness, ".2f"),
        number("bits per 1,000 tokens", lambda value: value.information, ".3f"),
    )
    known = {value.protocol: value.sharpness for value in values if value.sharpness}
    if known:
        yield ""
        yield "in the configuration: " + ", ".join(
            f"policy.{name}_sharpness = {ratio:.2f}" for name, ratio in known.items()
        )
