"""A command that begins at once is the command that is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

import page_blocks

VOTES = "a,b,winner\ntea,milk,tea\nmilk,water,milk\n"


def ended(command: str, folder: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=page_blocks.environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("fit votes.csv --json", 0),
        ("fit nowhere.csv", 2),
        ("fit --no-such-option", 2),
        ("board --db none.db", 2),
        ("fit votes.csv | cat", 0),
    ],
)
def test_it_prints_and_ends_as_the_one_that_is_installed(tmp_path, asked, code):
    (tmp_path / "votes.csv").write_text(VOTES)
    warm, installed = (
        ended(f"{name} {asked}", tmp_path) for name in ("paragone", Path(sys.executable).with_name("paragone"))
    )
    assert warm == installed
    assert warm[0] == code
    assert warm[1] or warm[2]


def test_it_has_the_folder_and_the_environment_of_its_caller(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "votes.csv").write_text(VOTES)
    assert ended("cd below && paragone fit votes.csv --json", tmp_path)[0] == 0
    assert "elsewhere.db" in ended("PARAGONE_DB=elsewhere.db paragone board", tmp_path)[2]
