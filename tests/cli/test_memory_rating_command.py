"""``paragone memory init``, ``rate``, ``board`` and ``show``, as a person types them."""

import json
import re

import pytest

from paragone.memory import Memory

AUDIT = {
    "session_id": "s1",
    "agent_id": "antigravity",
    "start_time": "2026-01-02T03:00:00Z",
    "end_time": "2026-01-02T04:00:00Z",
    "files_accessed": ["bridge.md", "gone.md"],
    "symbols_expanded": ["@bridge.md::Bridge"],
    "adrs_read": ["ADR-027"],
    "search_queries": 4,
    "semantic_searches": 3,
    "keyword_searches": 1,
}


@pytest.fixture
def remembered(home, prepared):
    """A folder that is remembered."""

    def index():
        (home / "bridge.md").write_text("# Bridge\n\nForty tons.\n")
        (home / "AGENTS.md").write_text("# Agents\n")
        with Memory.create(home) as memory:
            memory.index(vectors=False)

    return prepared(index)


@pytest.fixture
def log(home):
    path = home / "theirs.jsonl"
    path.write_text(json.dumps(AUDIT) + "\n" + '{"session_id": "s2"}\n')
    return path


def test_init_makes_a_store_and_says_what_comes_next(paragone, home):
    made = paragone("memory", "init")
    assert made.code == 0
    assert f"created {home / '.paragone'}" in made.out
    assert "paragone memory index" in made.out
    again = paragone("memory", "init")
    assert (again.code, "is a store already" in again.err) == (2, True)
    elsewhere = paragone("memory", "init", "--store", home / "elsewhere", "--json").json
    assert elsewhere["config"] == str(home / "elsewhere" / "memory.toml")


def test_without_a_store_it_says_how_to_begin(paragone, home):
    found = paragone("memory", "board")
    assert (found.code, "paragone memory init" in found.err) == (2, True)


def test_a_log_is_taken_in_once_and_what_moved_is_shown(paragone, remembered, log):
    first = paragone("memory", "rate", log)
    assert first.code == 0
    assert f"{log}: 2 lines, 1 new, 0 known, 1 refused" in first.out
    assert "line 2:" in first.err
    assert "1200.00" in first.out
    assert "+8.00  ADR-027" in first.out
    again = paragone("memory", "rate", log, "--json").json
    assert (again["taken_in"][0]["known"], again["lines"], again["moved"]) == (1, 0, 0)


def test_made_anew_it_is_the_same_to_the_last_bit(paragone, remembered, log):
    paragone("memory", "rate", log)
    assert "the same to the last bit" in paragone("memory", "rate", "--rebuild").out
    assert paragone("memory", "rate", "--rebuild", "--json").json["rebuilt_the_same"] is True


def test_what_was_logged_moves_and_is_listed_by_how_far(paragone, remembered, log):
    paragone("memory", "read", "bridge.md")
    done = paragone("memory", "rate", log, "--json").json
    moved = {row["entity_id"]: row["delta"] for row in done["largest"]}
    assert set(moved) == {"bridge.md", "gone.md", "@bridge.md::Bridge", "ADR-027"}
    assert list(map(abs, moved.values())) == sorted(map(abs, moved.values()), reverse=True)
    assert done["moves"] == 5


def test_the_board_has_what_nobody_touched(paragone, remembered):
    rows = paragone("memory", "board", "--kind", "file", "--json").json
    assert [row["id"] for row in rows["rows"]][:2] == ["AGENTS.md", "bridge.md"]
    assert [row["tier"] for row in rows["rows"]][:2] == ["high", "medium"]
    assert rows["total"] == len(rows["rows"])
    assert rows["rows"][0]["pinned"]
    shown = paragone("memory", "board", "--limit", "1").out
    assert "AGENTS.md" in shown
    assert "unknown" in shown
    assert "more; see --limit" in shown
    assert paragone("memory", "board", "--tier", "high", "--kind", "file", "--json").json["total"] == 1


def test_an_empty_board_says_what_to_do(paragone, home):
    paragone("memory", "init")
    assert "paragone memory index reads the files" in paragone("memory", "board").out


def test_the_board_is_of_one_pool_unless_told(paragone, remembered):
    def kinds(*options):
        found = paragone("memory", "board", "--limit", "100", *options, "--json").json
        return found["kind"], {row["kind"] for row in found["rows"]}

    assert kinds() == ("file", {"file"})
    assert kinds("--kind", "symbol") == ("symbol", {"symbol"})
    assert kinds("--kind", "all") == (None, {"file", "symbol", "vector"})
    assert "  bridge.md" in paragone("memory", "board", "--kind", "vector").out


def test_a_narrow_board_keeps_a_line_a_row(paragone, remembered, monkeypatch):
    monkeypatch.setattr("paragone.cli.tables.WIDTH_WHEN_PIPED", 60)
    monkeypatch.setenv("COLUMNS", "60")
    rows = paragone("memory", "board").out.splitlines()
    assert rows[0].split() == ["rating", "R", "uses", "content"]
    assert rows[1].split() == ["1600", "unknown", "0", "AGENTS.md"]


def test_show_says_where_content_stands_and_why(paragone, remembered, log):
    paragone("memory", "rate", log)
    shown = paragone("memory", "show", "bridge.md").out
    assert "halves in 20.8 days" in shown
    assert "R          unknown: the gate is open" in shown
    assert "file_read" in shown
    paragone("memory", "truth", "bridge.md", "--r", "0.5")
    assert "passes 0.25 of each change" in paragone("memory", "show", "bridge.md").out
    values = paragone("memory", "show", "ADR-027", "--json").json
    assert (values["kind"], values["uses"], values["stored"]) == ("adr", 1, 1208.0)
    assert values["elo"] == pytest.approx(800.0, abs=1.0), "a year ago"
    assert [move["reason"] for move in values["moves"]] == ["adr_read"]
    unknown = paragone("memory", "show", "nothing.md")
    assert (unknown.code, "nothing.md" in unknown.err) == (2, True)


def test_another_configuration_is_counted_anew_and_that_is_said(paragone, remembered, log):
    paragone("memory", "rate", log)
    config = remembered / ".paragone" / "memory.toml"
    config.write_text(re.sub(r"(?m)^# *k_new *=.*$", "k_new = 32.0", config.read_text()))
    board = paragone("memory", "show", "ADR-027", "--json")
    assert board.json["stored"] == 1216.0
    assert "recomputed, since the configuration of ratings or tiers has changed" in board.err
    assert paragone("memory", "show", "ADR-027").err == ""
