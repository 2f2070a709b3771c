"""The code blocks of README and docs as tests: where they run, and what a console block says.

A ``console`` block is a session: each line that starts with ``$ `` is a command and the lines below it are what it
prints. The command runs for real: what is nothing but calls of ``paragone`` within this process, all else by a shell,
where ``paragone`` and ``python`` are those of ``warm_start``, which begin at once. Its exit code must be 0, or N
where the command ends in ``# exit N``. Each line that is shown must occur in what was printed, in that order; runs of
blanks are alike, ``...`` stands for anything within a line, and lines that are not shown may come between.
CONTRIBUTING.md has an example.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import commands_here
import warm_start

TOP = Path(__file__).resolve().parent.parent
KEY = re.compile(r"_API_KEY$|^PARAGONE_|^(OPENAI|ANTHROPIC|GOOGLE|MISTRAL|GROQ)_")
EXIT = re.compile(r"\s+# exit (\d+)$")


class Mismatch(AssertionError):
    """A console block that does not do what it shows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One command of a console block, with what it shows."""

    line: str
    exit_code: int
    shown: tuple[str, ...]


def commands(block: str) -> Iterator[Command]:
    """The commands of a console block. A backslash at its end joins a line to the next.

    Raises:
        Mismatch: If the block does not begin with a command.
    """
    block = re.sub(r"\\\n\s*", "", block)
    before, *rest = re.split(r"^\$ ", block, flags=re.MULTILINE)
    if before.strip() or not rest:
        raise Mismatch("a console block begins with a command: a line that starts with '$ '")
    for part in rest:
        line, *shown = part.splitlines()
        code = EXIT.search(line)
        kept = tuple(text for text in shown if text.strip() not in ("", "..."))
        yield Command(line=EXIT.sub("", line), exit_code=int(code[1]) if code else 0, shown=kept)


def run(command: Command, folder: Path) -> None:
    """Run a command in a folder and compare.

    Raises:
        Mismatch: If the exit code is another one, or a line that is shown was not printed.
    """
    steps = commands_here.steps(command.line)
    code, printed = (
        commands_here.run(steps, folder, environment(folder)) if steps else _run_by_a_shell(command.line, folder)
    )
    if code != command.exit_code:
        raise Mismatch(f"$ {command.line}\nexit code {code}, not {command.exit_code}:\n{printed}")
    missing = first_missing(command.shown, printed)
    if missing is not None:
        raise Mismatch(f"$ {command.line}\ndid not print, or not in that order: {missing}\nbut:\n{printed}")


def _run_by_a_shell(line: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout


def first_missing(shown: tuple[str, ...], printed: str) -> str | None:
    """The first line that is shown and was not printed, or None."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for expected in shown:
        pattern = re.compile(".*".join(re.escape(part) for part in " ".join(expected.split()).split("...")))
        if not any(pattern.fullmatch(line) for line in lines):
            return expected
    return None


def environment(folder: Path) -> dict[str, str]:
    """The environment of a newcomer: our commands on PATH, no keys, no settings, a plain wide terminal."""
    kept = {name: value for name, value in os.environ.items() if not KEY.search(name)}
    programs = (warm_start.command().parent, Path(sys.executable).parent, kept.get("PATH", os.defpath))
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    plain["PYTHONUNBUFFERED"] = "1"  # what a command prints is in the order in which it printed it, whatever the stream
    return {**kept, **plain, "PATH": os.pathsep.join(map(str, programs)), "HOME": str(folder)}


def enter(namespace: dict[str, Any]) -> None:
    """Give a page a folder of its own, with the examples and the environment of a checkout, and go there."""
    folder = Path(tempfile.mkdtemp(prefix="page."))
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(warm_start.command().parent)
    shutil.copytree(TOP / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    namespace["__page__"] = (folder, Path.cwd())
    os.chdir(folder)
    sys.path.insert(0, str(folder))


def leave(namespace: Mapping[str, Any]) -> None:
    """Go back to where the tests were, and clear up."""
    folder, before = namespace["__page__"]
    os.chdir(before)
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == "examples"]:
        del sys.modules[name]
    shutil.rmtree(folder)


def run_block(block: str, folder: Path) -> None:
    """Run every command of a console block."""
    for command in commands(block):
        run(command, folder)
