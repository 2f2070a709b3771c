"""The small repository that is searched and read: what its memory learns is what the example says."""

import contextlib
import importlib.util
import io
import json
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def example():
    """The example, by its path: its name is that of others, too."""
    path = Path(__file__).parents[2] / "examples" / "memory.py"
    spec = importlib.util.spec_from_file_location("example_of_memory", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def ran(example, tmp_path_factory) -> tuple[Path, list[str]]:
    """Where it ran, and the lines that it printed."""
    folder, said = tmp_path_factory.mktemp("example") / "there", io.StringIO()
    with contextlib.redirect_stdout(said):
        example.main(folder)
    return folder, said.getvalue().splitlines()


def test_the_old_draft_sounds_like_an_answer_until_it_is_said_not_to_be_true(example, ran) -> None:
    first, second, third, last = ran[1][:4]
    assert first.startswith(example.SESSIONS[0][0])
    assert "docs/old-cache.md" in first
    assert "docs/old-cache.md" in second
    assert "? src/retry.py" in third
    assert last.startswith("by use and truth: src/cache.py")
    assert "docs/old-cache.md" not in last


def test_what_was_used_stands_above_what_was_not(example, ran) -> None:
    board = [line.split()[-1] for line in ran[1][4 : 4 + len(example.FILES)]]
    assert board == [
        "src/cache.py",
        "src/retry.py",
        "docs/decisions/ADR-001-cache.md",
        "AGENTS.md",  # nobody used it, but rules begin high
        "docs/decisions/ADR-002-retry.md",
        "docs/old-cache.md",
    ]
    assert sum("file_used" in line for line in ran[1]) == 2


def test_the_pack_fits_and_begins_with_the_rules(ran) -> None:
    head, *files = ran[1][-7:]
    packed, whole = (int(head.split()[number]) for number in (0, 2))
    assert packed <= whole // 2
    assert files[0].split() == ["full", "AGENTS.md"]
    assert {line.split()[0] for line in files} <= {"full", "partial", "signatures", "pointer", "excluded"}


def test_every_session_is_in_its_logs(example, ran) -> None:
    lines = (ran[0] / ".paragone" / "logs" / "session_audit.jsonl").read_text("utf-8").splitlines()
    audits = [json.loads(line) for line in lines]
    assert [audit["files_accessed"] for audit in audits[:3]] == [list(answers) for _, answers in example.SESSIONS]
    assert {audit["outcome"] for audit in audits[:3]} == {"success"}
