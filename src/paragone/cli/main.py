"""The application and its way out: every error becomes one message and an exit code."""

import os
import re
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from paragone.cli import (
    board,
    consistency,
    fit,
    importing,
    judges,
    ledger,
    mcp,
    patterns,
    rank,
    similar,
    tournament,
    web,
)
from paragone.cli.agents import group as agents
from paragone.cli.memory import group as memory
from paragone.cli.notices import notice
from paragone.cli.usage import UsageError, message
from paragone.errors import ParagoneError


class Commands(TyperGroup):
    """All commands; what ends one early is seen here, since typer would leave without a word or with other codes."""

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 - a class that typer keeps to itself
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("paragone: interrupted", err=True)
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # whoever read our output has gone; Python would complain again while it flushes at exit
            _leave_output()
            raise typer.Exit(141) from None


app = typer.Typer(
    name="paragone",
    cls=Commands,
    help="Rank what cannot be measured but can be compared.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its help pages load a Markdown renderer and more: three times the time to the first line
    context_settings={"help_option_names": ["-h", "--help"]},
)
ROOMS = (
    rank,
    fit,
    importing,
    board,
    consistency,
    ledger,
    patterns,
    similar,
    judges,
    tournament,
    agents,
    memory,
    mcp,
    web,
)
for room in ROOMS:
    room.register(app)


_NO_MEMORY = re.compile("can't start new thread|failed to map segment|[Cc]annot allocate memory")
"""What Python, the loader of libraries and the system say where there is no memory left."""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"paragone {version('paragone')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which paragone this is.")
    ] = False,
) -> None:
    """Rank what cannot be measured but can be compared."""


@cache
def _commands() -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    """The tree of commands. Calling ``app`` would make it anew each time, which costs more than many a command."""
    return get_command(app)


def main() -> None:
    """Run the command line: exit code 0, 1 for a failure (no memory, too), 2 for wrong usage, 130 when interrupted."""
    # Before numpy is loaded: on matrices of a few hundred rows its threads cost more than they bring.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            code = _commands().main(prog_name="paragone", standalone_mode=False)
        finally:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except UsageError as error:
        notice(message(error))
        sys.exit(2)
    except typer.Abort:  # the input ended where an answer was awaited
        typer.echo("paragone: interrupted", err=True)
        sys.exit(1)
    except ParagoneError as error:
        notice(f"paragone: {_words(error)}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("paragone: interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:  # what was written last
        _leave_output()
        sys.exit(141)
    except (MemoryError, RuntimeError, ImportError, OSError) as error:
        words = _of_the_system(error)
        if not words:
            raise
        typer.echo(f"paragone: {words}", err=True)
        _leave_output()
        sys.exit(1)


def _of_the_system(error: Exception) -> str:
    """What the system refused, in words; empty where it is a mistake of ours, whose traceback is wanted."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    if any(isinstance(one, MemoryError) or _NO_MEMORY.search(str(one)) for one in causes):
        return "out of memory; what was recorded is kept. Allow more (ulimit -v, the container's limit), or rank fewer"
    if not isinstance(error, OSError):
        return ""
    if error.filename is None:
        return f"the output cannot be written: {error.strerror}"
    return f"{os.fsdecode(error.filename)}: {error.strerror}"


def _words(error: ParagoneError) -> str:
    """What an error says: it may quote anything, so it is shown as texts are."""
    from paragone.domain.text import harmless

    return harmless(str(error))


def _leave_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
