"""A console block passes when the commands do what it shows, and only then.

``conftest.py`` at the top runs the blocks of the pages.
"""

import os
import shlex
import sys
from pathlib import Path

import pytest

import commands_here
import page_blocks
from page_blocks import Mismatch

PYTHON = shlex.quote(sys.executable)


def run(block: str, folder: Path) -> None:
    page_blocks.run_block(block, folder)


def test_what_is_shown_is_printed(tmp_path: Path) -> None:
    run("$ printf 'rank   item\\n1  tea\\n2  milk\\n'\nrank item\n1 tea\n2 milk\n", tmp_path)


def test_lines_may_be_left_out_and_dots_stand_for_anything(tmp_path: Path) -> None:
    run("$ printf 'rank\\n1  tea  1234.5\\n2  milk\\n'\n1 tea ...\n", tmp_path)
    run("$ printf 'rank\\n1  tea  1234.5\\n2  milk\\n'\nrank\n...\n2 milk\n", tmp_path)


@pytest.mark.parametrize(
    "shown",
    ["2 milk\n1 tea\n", "1 tea\n1 tea\n", "3 water\n", "1\n", "tea\n"],
    ids=["wrong order", "once, not twice", "not there", "part of a line", "end of a line"],
)
def test_what_is_not_printed_is_a_mismatch(shown: str, tmp_path: Path) -> None:
    with pytest.raises(Mismatch, match="did not print"):
        run(f"$ printf '1  tea\\n2  milk\\n'\n{shown}", tmp_path)


def test_the_exit_code_must_be_zero_or_the_one_that_is_named(tmp_path: Path) -> None:
    run("$ exit 3  # exit 3\n", tmp_path)
    with pytest.raises(Mismatch, match="exit code 3, not 0"):
        run("$ exit 3\n", tmp_path)
    with pytest.raises(Mismatch, match="exit code 0, not 3"):
        run("$ true  # exit 3\n", tmp_path)


def test_standard_error_is_shown_too(tmp_path: Path) -> None:
    run("$ echo beware >&2\nbeware\n", tmp_path)


def test_commands_share_their_folder_and_have_no_input(tmp_path: Path) -> None:
    run("$ echo kept > file\n$ cat file\nkept\n$ cat\n", tmp_path)


def test_a_backslash_joins_a_line_to_the_next(tmp_path: Path) -> None:
    run("$ echo one \\\n    two\none two\n", tmp_path)


def test_a_block_begins_with_a_command(tmp_path: Path) -> None:
    with pytest.raises(Mismatch, match="begins with a command"):
        run("just text\n", tmp_path)


def test_keys_and_settings_stay_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-pages")
    monkeypatch.setenv("PARAGONE_DB", "not-for-pages.db")
    code = "import os; print(*(name in os.environ for name in ('OPENAI_API_KEY', 'PARAGONE_DB')))"
    run(f'$ {PYTHON} -c "{code}"\nFalse False\n', tmp_path)


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("paragone board", [["paragone", "board"]]),
        (".venv/bin/paragone audit --db a.db", [[".venv/bin/paragone", "audit", "--db", "a.db"]]),
        ("cd tea && paragone memory rate a=b", [["cd", "tea"], ["paragone", "memory", "rate", "a=b"]]),
        ("paragone search 'a | b > $c' \"it's; so\"", [["paragone", "search", "a | b > $c", "it's; so"]]),
        ("python -c pass", []),
        ("cd tea && mv a b && paragone board", []),
        ("PARAGONE_DB=a.db paragone board", []),
        ("paragone board > board.txt", []),
        ("paragone board | head", []),
        ("paragone rollback $(cat id)", []),
        ('paragone search "$HOME"', []),
        ("paragone fit *.csv", []),
        ("paragone serve & paragone board", []),
        ("paragone board; paragone audit", []),
        ("paragone search don\\'t", []),
    ],
)
def test_a_shell_reads_what_is_more_than_commands_of_ours(line: str, steps: list[list[str]]) -> None:
    assert commands_here.steps(line) == steps


def test_a_command_of_ours_runs_here_as_by_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAGONE_CONFIG", "nowhere.toml")
    before = Path.cwd(), dict(os.environ), list(sys.path), sys.argv, sys.stdin, sys.stdout, sys.stderr
    for folder, wins in ((tmp_path / "first", "tea"), (tmp_path / "second", "milk")):  # each has a judge of that name
        folder.mkdir()
        (folder / "taste.py").write_text(
            f"def best(first, second, criteria):\n    return 'first' if {wins!r} in first.text else 'second'\n"
        )
        (folder / "two.txt").write_text("tea\nmilk\n")
        rank = "paragone rank two.txt -c taste --judge python:taste:best --rows 1 --seed 1"
        shown = f"2 items, ...\n1 ... {wins}\n"
        run(f"$ {rank}\n{shown}$ {rank} --db again.db >&2\n{shown}", folder)
    run("$ cd first && paragone board nothing && paragone audit  # exit 2\npara...\n", tmp_path)
    run("$ cd first && paragone rank two.txt -c taste --judge command:false --attempts 1  # exit 1\n", tmp_path)
    assert (Path.cwd(), dict(os.environ), list(sys.path), sys.argv, sys.stdin, sys.stdout, sys.stderr) == before
    assert "taste" not in sys.modules
