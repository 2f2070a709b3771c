"""All commands by name, the application that loads a command's module when it is called, and how it exits.

Every error becomes one message and an exit code.
"""

import atexit
import codecs
import gc
import io
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from paragone import allocator
from paragone.cli.parameters import flattened, without_pydantic
from paragone.errors import ParagoneError


@dataclass(frozen=True, slots=True)
class Group:
    """A group of commands.

    Attributes:
        help: Its help text.
        commands: Its commands by name: ``module:function`` below ``paragone.cli``, or a group.
        default: The function that runs when no command is named; None prints the help.
        otherwise: The command that runs if the first argument names none: the argument is its own then.
    """

    help: str
    commands: Mapping[str, "str | Group"]
    default: str | None = None
    otherwise: str | None = None


TOURNAMENT = Group(
    "Run tournaments of hypotheses. They have debates, tiers, a budget for each round, and tasks for a Ranking Agent.",
    {
        "new": "tournament:new",
        "run": "tournament:run",
        "status": "tournament_state:status",
        "history": "tournament_state:history",
        "config": "tournament_state:config",
        "anomalies": "tournament_state:anomalies",
        "review": "tournament_directives:review",
        "direct": "tournament_directives:direct",
        "inform": "tournament_directives:inform",
        "convert": "tournament_convert:convert",
        "submit": "tournament_tasks:submit",
        "tasks": "tournament_tasks:tasks",
        "cancel": "tournament_tasks:cancel",
        "prioritize": "tournament_tasks:prioritize",
        "pause": "tournament_tasks:pause",
        "resume": "tournament_tasks:resume",
        "amend": "tournament_tasks:amend",
        "retire": "tournament_tasks:retire",
        "readmit": "tournament_tasks:readmit",
        "report": "tournament_state:report",
        "list": "tournament_lifecycle:list_tournaments",
        "rename": "tournament_lifecycle:rename",
        "archive": "tournament_lifecycle:archive",
        "unarchive": "tournament_lifecycle:unarchive",
        "delete": "tournament_lifecycle:delete",
        "texts": "tournament_texts:texts",
        "images": "tournament_texts:images",
    },
)
AGENTS = Group(
    "Rate agents that debate. The evidence is debates, predictions, relationships and tests.",
    {
        "record": "agents.debates:record",
        "register": "agents.debates:register",
        "board": "agents.ratings:board",
        "show": "agents.agent:show",
        "evidence": "agents.evidence:evidence",
        "predict": "agents.predictions:predict",
        "resolve": "agents.predictions:resolve",
        "calibration": "agents.predictions:calibration",
        "recalibrate": "agents.forecasts:recalibrate",
        "forecast": "agents.forecasts:forecast",
        "expect": "agents.forecasts:expect",
        "propose": "agents.forecasts:propose",
        "revise": "agents.seasons:revise",
        "season": "agents.seasons:season",
        "relate": "agents.relationships:relate",
        "critique": "agents.relationships:critique",
        "relations": "agents.relationships:relations",
        "redteam": "agents.strength_tests:redteam",
        "verify": "agents.strength_tests:verify",
        "import": "agents.debates:import_file",
        "void": "agents.evidence:void",
        "report": "agents.ratings:report",
    },
)
MEMORY = Group(
    "Index, search, rate and pack what agents read. Ratings follow use, and packs fit a context window.",
    {
        "init": "memory.index:init",
        "index": "memory.index:index",
        "search": "memory.search:search",
        "grep": "memory.search:grep",
        "read": "memory.search:read",
        "mark": "memory.search:mark",
        "rate": "memory.ratings:rate",
        "board": "memory.ratings:board",
        "show": "memory.ratings:show",
        "pack": "memory.pack:pack",
        "prune": "memory.archive:prune",
        "restore": "memory.archive:restore",
        "learn-git": "memory.learning:learn_git",
        "evaluate": "memory.learning:evaluate",
        "metrics": "memory.health:metrics",
        "doctor": "memory.health:doctor",
        "truth": Group(
            "Show, supply, find or calibrate the truth of content (R).",
            {
                "show": "memory.truth:truth",
                "tests": "memory.truth_sources:tests",
                "history": "memory.truth_sources:history",
                "judge": "memory.truth_sources:judge",
            },
            otherwise="show",
        ),
        "note": Group(
            "Note short claims, and list, replace, contradict and export them.",
            {
                "add": "memory.notes:add",
                "list": "memory.notes:list_notes",
                "replace": "memory.notes:replace",
                "contradict": "memory.notes:contradict",
                "export": "memory.notes:export",
            },
        ),
        "dashboard": "memory.health:dashboard",
    },
)
COMMANDS = Group(
    "Rank what cannot be measured but can be compared.",
    {
        "rank": "rank:rank",
        "resume": "rank:resume",
        "compare": "compare:compare",
        "fit": "votes:fit",
        "import": "votes:import_file",
        "board": "board:board",
        "show": "board:show",
        "why": "why:why",
        "search": "why:search",
        "matches": "board:matches",
        "export": "board:export",
        "consistency": "consistency:consistency",
        "audit": "ledger:audit",
        "whatif": "ledger:whatif",
        "rollback": "ledger:rollback",
        "publish": "board:publish",
        "patterns": "patterns:patterns",
        "similar": "similar:similar",
        "judges": Group(
            "List the judges and what each needs.",
            {"install": "judges:install", "test": "judge_trial:trial"},
            default="judges:judges",
        ),
        "plugins": "plugins:plugins",
        "settings": "settings:settings",
        "tournament": TOURNAMENT,
        "agents": AGENTS,
        "memory": MEMORY,
        "mcp": "servers:mcp",
        "serve": "servers:serve",
        "worker": "servers:worker",
        "workers": "servers:workers",
        "people": Group(
            "List who may get in over HTTP, invite people by links, shut them out, and limit their answers.",
            {
                "list": "people:list_people",
                "invite": "people:invite",
                "take-back": "people:take_back",
                "revoke": "people:revoke",
                "quota": "people:quota",
                "rules": "people:rules",
                "agreement": "people:agreement",
            },
            otherwise="list",
        ),
        "token": Group(
            "Manage the tokens of a server. They say who may read, vote, judge and administer over HTTP.",
            {"add": "servers:add", "list": "servers:list_tokens", "revoke": "servers:revoke"},
        ),
    },
)


class LazyGroup(TyperGroup):
    """A group that builds a command when it is called for: building all takes longer than most commands run."""

    declared: Group

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - a class that typer keeps to itself
        """The names of the commands, in their order."""
        return list(self.declared.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - a class that typer keeps to itself
        """Read the arguments; those that begin with no command belong to the one that the group names for them."""
        fallback = self.declared.otherwise
        if fallback and not (args and (args[0] in self.declared.commands or args[0] in {"--help", "-h"})):
            args = [fallback, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002
        """The command of a name; None if there is none."""
        command = self.commands.get(cmd_name)
        if command is None and cmd_name in self.declared.commands:
            command = self.commands[cmd_name] = _command(self.declared, cmd_name)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002
        """Write the list of commands without building them, since that would import the modules of all."""
        lines = [(name, _summary(target)) for name, target in self.declared.commands.items()]
        limit = formatter.width - 6 - max(len(name) for name, _ in lines)
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, TyperCommand(name, help=text).get_short_help_str(limit)) for name, text in lines]
            )


def application(group: Group, base: type[LazyGroup] = LazyGroup, **settings: Any) -> typer.Typer:  # noqa: ANN401 - of typer
    """The application of a group of commands, to which commands are added as they are called."""
    cls = type("Commands", (base,), {"declared": group})
    app = typer.Typer(
        cls=cls,
        help=group.help,
        no_args_is_help=group.default is None,
        invoke_without_command=group.default is not None,
        rich_markup_mode=None,  # its help pages load a Markdown renderer: three times the time to the first line
        **settings,
    )
    app.callback()(flattened(_function(group.default)) if group.default else lambda: None)
    return app


def _command(group: Group, name: str) -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    target = group.commands[name]
    if isinstance(target, Group):
        command = get_command(application(target, add_completion=False))
    else:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name)(flattened(_function(target)))
        command = get_command(app)
    command.name = name
    return without_pydantic(command)


def _function(target: str) -> Callable[..., None]:
    module, _, function = target.partition(":")
    command: Callable[..., None] = getattr(import_module(f"paragone.cli.{module}"), function)
    return command


def _summary(target: str | Group) -> str:
    """The help text of a command: a function's docstring, from its module's code, which is not run for that."""
    if isinstance(target, Group):
        return target.help
    module, _, function = target.partition(":")
    path = f"paragone.cli.{module}"
    spec = find_spec(path)
    code = spec.loader.get_code(path) if spec and isinstance(spec.loader, SourceFileLoader) else None
    docstrings = (
        each.co_consts[0] for each in (code.co_consts if code else ()) if getattr(each, "co_name", "") == function
    )
    return next(docstrings, None) or ""


UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for wrong usage; it does not export the class."""

_NO_MEMORY = re.compile(
    "can't start new thread|failed to map segment|[Cc]annot allocate memory"
    "|error return without exception set|returned NULL without setting an exception"  # the MemoryError got lost in C
)
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
    return without_pydantic(get_command(app))


_AT_START, _LATER = 200_000, 10_000
"""New objects after which garbage is looked for: at first, which short commands do not reach, and from then on."""


@cache
def _manage_memory() -> None:
    """Never look for garbage among what was loaded and stays until the end: that took a quarter of a short command."""
    allocator.keep()
    gc.set_threshold(_AT_START)
    gc.callbacks.append(_leave_what_is_loaded)
    atexit.register(gc.freeze)  # Python itself looks through everything several times as it ends


def _leave_what_is_loaded(*_: object) -> None:
    gc.callbacks.remove(_leave_what_is_loaded)
    gc.freeze()
    gc.set_threshold(_LATER)


def main() -> None:
    """Run the command line: exit code 0, 1 for a failure (no memory, too), 2 for wrong usage, 130 when interrupted."""
    # Before numpy is loaded: on matrices of a few hundred rows its threads cost more than they gain.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _manage_memory()
    _open_what_is_closed()
    _print_any_character()
    try:
        try:
            code = _group().main(prog_name="paragone", standalone_mode=False)
        finally:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except UsageError as error:
        from paragone.cli.usage_errors import message

        _exit(message(error, _named(COMMANDS, "paragone", sys.argv[1:])), 2)
    except typer.Abort:  # the answer was no, or the input ended where one was expected
        _exit("\n" * (not sys.stdin.isatty()) + "paragone: nothing was done; with --yes it is not asked first", 1)
    except ParagoneError as error:
        from paragone.domain.text import harmless

        _exit(f"paragone: {harmless(str(error))}", error.exit_code)
    except KeyboardInterrupt:
        _exit("paragone: interrupted", 130)
    except BrokenPipeError:  # of the last line written
        _discard_output()
        sys.exit(141)
    except (MemoryError, RuntimeError, SystemError, ImportError, OSError) as error:
        message_ = _system_message(error)
        if not message_:
            raise
        typer.echo(f"paragone: {message_}", err=True)
        _discard_output()
        sys.exit(1)


def _named(group: Group, path: str, words: Sequence[str]) -> str:
    """The command that the first words of the command line name."""
    if not words or words[0] not in group.commands:
        return path
    target, path = group.commands[words[0]], f"{path} {words[0]}"
    return _named(target, path, words[1:]) if isinstance(target, Group) else path


def _open_what_is_closed() -> None:
    """Have the three streams, as whoever started this may have closed them; no file of ours takes their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - until the end


def _print_any_character() -> None:
    """Write what a terminal or a pipe that is not in UTF-8 has no character for as JSON does: JSON stays valid."""
    codecs.register_error("paragone.escaped", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="paragone.escaped")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


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
