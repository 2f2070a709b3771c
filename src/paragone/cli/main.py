"""The application and how it exits: every error becomes one message and an exit code."""

import os
import re
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

from paragone.cli.commands import COMMANDS, LazyGroup, application
from paragone.errors import ParagoneError

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for wrong usage; it does not export the class."""

_NO_MEMORY = re.compile("can't start new thread|failed to map segment|[Cc]annot allocate memory")
"""What Python, the loader of libraries and the system say when memory has run out."""


class Commands(LazyGroup):
    """All commands; interrupts are handled here, since typer would exit silently or with other codes."""

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 - a class that typer keeps to itself
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("paragone: interrupted", err=True)
            raise typer.Exit(130) from None
        except BrokenPipeError:
            _discard_output()
            raise typer.Exit(141) from None


def _version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"paragone {version('paragone')}")
        raise typer.Exit


app = application(
    COMMANDS,
    Commands,
    name="paragone",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Rank what cannot be measured but can be compared."""


@cache
def _group() -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    """The group of commands. Calling ``app`` would build it each time."""
    return get_command(app)


def main() -> None:
    """Run the command line: exit code 0, 1 for a failure (no memory, too), 2 for wrong usage, 130 when interrupted."""
    # Before numpy is loaded: on matrices of a few hundred rows its threads cost more than they gain.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            code = _group().main(prog_name="paragone", standalone_mode=False)
        finally:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except UsageError as error:
        from paragone.cli.usage import message

        _exit(message(error), 2)
    except typer.Abort:  # the input ended where an answer was expected
        _exit("paragone: interrupted", 1)
    except ParagoneError as error:
        from paragone.domain.text import harmless

        _exit(f"paragone: {harmless(str(error))}", error.exit_code)
    except KeyboardInterrupt:
        _exit("paragone: interrupted", 130)
    except BrokenPipeError:  # of the last line written
        _discard_output()
        sys.exit(141)
    except (MemoryError, RuntimeError, ImportError, OSError) as error:
        message_ = _system_message(error)
        if not message_:
            raise
        typer.echo(f"paragone: {message_}", err=True)
        _discard_output()
        sys.exit(1)


def _exit(text: str, code: int) -> None:
    from paragone.cli.terminal import notice

    notice(text)
    sys.exit(code)


def _system_message(error: Exception) -> str:
    """What the system refused, in words; empty for a mistake of ours, whose traceback is needed."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    if any(isinstance(each, MemoryError) or _NO_MEMORY.search(str(each)) for each in causes):
        return "out of memory; recorded answers are safe. Allow more (ulimit -v, the container's limit), or rank fewer"
    if not isinstance(error, OSError):
        return ""
    if error.filename is None:
        return f"the output cannot be written: {error.strerror}"
    return f"{os.fsdecode(error.filename)}: {error.strerror}"


def _discard_output() -> None:
    """Drop what is still buffered: its reader has gone, and Python would complain again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
