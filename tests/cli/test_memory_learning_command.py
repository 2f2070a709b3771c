"""``paragone memory``: learn-git, evaluate, metrics and doctor at the terminal."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import click_tree
from paragone.memory import doctor
from paragone.memory.store import Store

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


@pytest.fixture
def remembered(home, prepared):
    """A folder with a store and a history: each day six commits of one file."""
    return prepared(lambda: commit_days(home))


def commit_days(home):
    script = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_700_000_000 + number // 6 * 86_400 + number} +0000\n"
        f"data 1\nx\nM 644 inline f{number // 6 * 3 % 5}.py\ndata {len(str(number))}\n{number}\n"
        for number in range(240)
    )
    env = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull}
    for command in (["init", "-q", "-b", "main"], ["fast-import", "--quiet"], ["checkout", "-q", "-f", "main"]):
        subprocess.run(["git", *command], cwd=home, env=env, input=script.encode(), check=True, capture_output=True)
    Store.create(home).close()


def test_history_is_learned_once_and_said_in_words_or_as_json(paragone, remembered):
    first = paragone("memory", "learn-git", "--limit", "100")
    assert first.out.splitlines() == ["100 commits read: 100 new sessions, 100 uses of files, 0 renames"]

    rest = paragone("memory", "learn-git", "--json")
    assert (rest.json["commits"], rest.json["sessions"], rest.json["known"]) == (140, 140, 0)
    assert paragone("memory", "learn-git", "--since", "2023-11-14").out.startswith("240 commits read: 0 new")


def test_a_date_that_is_none_and_a_folder_without_history_are_refused(paragone, remembered):
    wrong = paragone("memory", "learn-git", "--since", "yesterday")
    assert wrong.code == 2
    assert "--since: 'yesterday' is not a time" in wrong.err

    shutil.rmtree(remembered / ".git")
    nowhere = paragone("memory", "learn-git")
    assert nowhere.code == 2
    assert "is not in a git repository" in nowhere.err


def test_what_is_best_is_shown_and_chosen(paragone, remembered):
    assert "begin with: paragone memory learn-git" in paragone("memory", "evaluate").out
    paragone("memory", "learn-git")
    Store.open(remembered).configure("ranking", "rank_by", "elo")

    shown = paragone("memory", "evaluate", "--json").json
    assert len(shown["models"]) == 8
    assert shown["models"][0]["mrr"]["low"] <= shown["models"][0]["mrr"]["value"]
    assert (shown["choose"], shown["changed"]) == ("need", False)

    chosen = paragone("memory", "evaluate", "--choose")
    assert "log loss" in chosen.out
    assert 'memory.toml now says rank_by = "need"' in chosen.out
    assert Store.open(remembered).config.ranking.rank_by == "need"
    assert "memory.toml is unchanged" in paragone("memory", "evaluate", "--choose").out


def test_metrics_are_a_table_a_course_or_json(paragone, remembered):
    paragone("memory", "learn-git")

    assert "nothing to measure yet" in paragone("memory", "metrics").out
    assert "2023-11-" in paragone("memory", "metrics", "--series", "--by", "session").out
    found = paragone("memory", "metrics", "--json").json
    assert found["sessions"] == 240
    assert {one["name"] for one in found["measures"]} >= {"convergence", "LITE accuracy", "token savings"}


def test_the_doctor_leaves_with_1_only_where_something_is_broken(paragone, remembered):
    paragone("memory", "learn-git")
    sound = paragone("memory", "doctor")
    assert sound.code == 0
    assert "20.8 days" in sound.out

    log = remembered / ".paragone" / "logs" / "session_audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"unknown"', b'"splendid"', 1))
    broken = paragone("memory", "doctor", "--json")
    assert broken.code == 1
    assert broken.json["broken"]
    assert broken.json["findings"][0]["severity"] == "broken"


def test_every_command_that_the_doctor_advises_exists():
    advised = re.findall(r"paragone memory ([a-z-]+)( --[a-z]+)?", Path(doctor.__file__).read_text())
    commands = click_tree.commands()

    assert {("index", ""), ("rate", " --rebuild")} <= set(advised)
    for name, option in advised:
        known = {own for one in commands[f"memory {name}"].params for own in one.opts}
        assert not option or option.strip() in known
