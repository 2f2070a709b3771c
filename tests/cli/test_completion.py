"""What a shell is offered when somebody presses the tab key."""

import shlex
import shutil
import subprocess
import sys

import pytest

from paragone.agents import EloSystem


@pytest.fixture
def offered(home, paragone, monkeypatch):
    """What bash is offered for the last word of a line."""

    def complete(line):
        with monkeypatch.context() as shell:
            shell.setenv("COMP_WORDS", line)
            shell.setenv("COMP_CWORD", str(line.count(" ")))
            shell.setenv("_PARAGONE_COMPLETE", "complete_bash")
            seen = paragone()
        assert (seen.code, seen.err) == (0, "")
        return seen.out.split()

    return complete


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("paragone ra", {"rank"}),
        ("paragone tournament st", {"status"}),
        ("paragone rank --confi", {"--confidence"}),
        ("paragone rank x --pairing s", {"swiss"}),
        ("paragone export --what ma", {"matches"}),
        ("paragone rank x --judge s", {"simulated:"}),
        ("paragone rank x -j lo", {"local"}),
        ("paragone tournament new x --advocate s", {"scripted"}),
        ("paragone rank x -j nobody", set()),
        ("paragone rank item", set()),  # the shell completes files itself
    ],
)
def test_commands_options_and_values(offered, line, names):
    assert set(offered(line)) == names


def test_files_of_a_spec(offered, home):
    (home / "votes").mkdir()
    (home / "votes" / "of-may.csv").write_text("a,b,winner\n")
    (home / "votes.csv").write_text("a,b,winner\n")
    assert offered("paragone rank x --judge recorded:vo") == ["recorded:votes/", "recorded:votes.csv"]
    assert offered("paragone rank x --judge recorded:votes/o") == ["recorded:votes/of-may.csv"]
    assert offered("paragone rank x --judge recorded:nowhere/x") == []


def test_tournaments_and_pools_of_the_ledger_that_is_named(offered, paragone, home):
    assert offered("paragone board t") == []
    assert not (home / "paragone.db").exists(), "asking makes no ledger"
    votes = home / "tea.csv"
    votes.write_text("a,b,winner\nx,y,x\n")
    for name in ("teas", "tins", "mugs"):
        assert paragone("import", votes, "--into", name, "--db", "shop.db").code == 0
    with EloSystem("shop.db", pool="team") as agents:
        agents.record_match("d1", ["x", "y"], {"x": 1.0, "y": 0.0})
    assert offered("paragone board --db shop.db t") == ["tins-1", "teas-1"]
    assert offered("paragone export --db shop.db --tournament m") == ["mugs-1"]
    assert offered("paragone agents board --db shop.db --pool t") == ["team"]
    (home / "broken.db").write_text("no ledger")
    assert offered("paragone board --db broken.db t") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")
def test_the_script_is_that_of_the_shell_that_asks(home):
    line = f"{shlex.quote(sys.executable)} -m paragone --show-completion; echo done"
    seen = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True, cwd=home)
    assert "complete -o default -F _paragone_completion paragone" in seen.stdout, seen.stderr


def test_python_m_is_the_command(home):
    command = [sys.executable, "-m", "paragone", "rnk"]
    seen = subprocess.run(command, check=False, capture_output=True, text=True, cwd=home)
    assert seen.returncode == 2
    assert seen.stderr.splitlines()[0] == "paragone: `paragone` has no command 'rnk'; did you mean rank?"
