"""Commands of paragone run within this process, as a process of their own would run them.

They have the folder, the environment and the streams that they are given, an empty input, and load afresh whatever
modules are in their folder. To start a process, even one that has everything loaded, takes longer than most commands.
"""

import importlib
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from itertools import groupby
from pathlib import Path

from paragone.cli import main
from paragone.settings import settings

PROGRAMS = ("paragone", ".venv/bin/paragone")
_QUOTED = re.compile(r"""'[^']*'|"[^"$`\\]*\"""")
_FOR_A_SHELL = re.compile(r"[^\w\s.,:/@%+=!^&-]|(?<!&)&(?!&)|&&&")
"""What stands outside of quotes in a line that a shell has to read."""


def steps(line: str) -> list[list[str]]:
    """The commands of a line that is nothing but ``paragone`` and ``cd``, joined by ``&&``; none of any other line."""
    if _FOR_A_SHELL.search(_QUOTED.sub("", line)):
        return []
    commands = [list(words) for joins, words in groupby(shlex.split(line), "&&".__eq__) if not joins]
    return commands if all(words[0] in PROGRAMS or words[0] == "cd" for words in commands) else []


def run(commands: list[list[str]], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run commands one after another until one fails.

    Returns:
        The exit code of the last one, and what all of them wrote to both streams.
    """
    with tempfile.TemporaryFile() as written:
        code = 0
        with _a_process(folder, environment, written.fileno()):
            for program, *arguments in commands:
                if program == "cd":
                    os.chdir(arguments[0])
                else:
                    code = _exit_code(program, arguments, folder)
                if code:
                    break
        written.seek(0)
        return code, written.read().decode("utf-8")


def _exit_code(program: str, arguments: list[str], folder: Path) -> int:
    """Run a command; an error that it does not handle is raised."""
    settings.cache_clear()
    importlib.invalidate_caches()
    modules, path, sys.argv = set(sys.modules), list(sys.path), [program, *arguments]
    own = f"{folder.resolve()}{os.sep}"
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(own):
                del sys.modules[name]  # another command, or page, has another of that name
    return 0


@contextmanager
def _a_process(folder: Path, environment: Mapping[str, str], output: int) -> Iterator[None]:
    """Have another folder and environment, write both streams to a file, and be as before at the end."""
    variables, argv = dict(os.environ), sys.argv
    with ExitStack() as stack:
        stack.enter_context(chdir(folder))
        for number in (1, 2):
            stack.enter_context(_written_to(output, number))
        stream = stack.enter_context(os.fdopen(os.dup(output), "w", 1, encoding="utf-8", errors="backslashreplace"))
        stack.enter_context(redirect_stdout(stream))
        stack.enter_context(redirect_stderr(stream))
        sys.stdin, stdin = stack.enter_context(Path(os.devnull).open(encoding="utf-8")), sys.stdin
        os.environ.clear()
        os.environ.update(environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(variables)
            sys.stdin, sys.argv = stdin, argv
            settings.cache_clear()


@contextmanager
def _written_to(output: int, number: int) -> Iterator[None]:
    """Have what is written to a file descriptor, by this process and those that it starts, go elsewhere."""
    before = os.dup(number)
    os.dup2(output, number)
    try:
        yield
    finally:
        os.dup2(before, number)
        os.close(before)
