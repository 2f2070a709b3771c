"""``paragone mcp``: what it refuses before it serves anybody, each with its reason and exit code."""

import subprocess
import sys

import pytest

from paragone.cli import main


@pytest.fixture
def refused(capsys, monkeypatch):
    """What a command says when it refuses."""
    monkeypatch.delenv("PARAGONE_MCP_TOKEN", raising=False)

    def run(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["paragone", "mcp", *options])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        assert (end.value.code, said.out) == (2, "")
        return said.err

    return run


def test_a_folder_without_a_store_is_told_how_to_begin(refused, tmp_path) -> None:
    assert "paragone memory init" in refused("--root", str(tmp_path))


def test_other_machines_need_a_token(refused, tmp_path) -> None:
    assert "PARAGONE_MCP_TOKEN" in refused("--root", str(tmp_path), "--http", "--host", "0.0.0.0")


def test_a_short_token_is_refused_unseen(refused, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PARAGONE_MCP_TOKEN", "hunter2")
    said = refused("--root", str(tmp_path), "--http")
    assert "16 characters" in said
    assert "hunter2" not in said


def test_without_its_package_it_says_what_to_install(tmp_path) -> None:
    without = "import sys; sys.modules['mcp'] = None; from paragone.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", without, "mcp", "--root", tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'paragone[mcp,memory]'" in done.stderr
