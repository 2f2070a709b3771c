"""``paragone memory search``, ``grep`` and ``read``, as a person types them."""

import json

import pytest

from paragone.memory import Memory
from paragone.memory.store import Store
from paragone.memory.store.lines import AccessLine, SearchLine

FILES = {
    "src/rating.py": "def expected_score(a, b):\n    # what is expected\n    return a - b\n",
    "notes.txt": "bananas and cabbages\n\x1b[2Jcontrol\n",
    "docs/adr/ADR-007-use.md": "# ADR-007: Rate by use\n\nContent that is used gains a rating.\n",
    "Makefile": "all:\n\techo\n",
}


@pytest.fixture
def remembered(home, prepared):
    """A folder that is remembered, and the folder that one works in."""

    def index():
        for name, text in FILES.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        with Memory.create(home) as memory:
            memory.index()

    return prepared(index)


def logged(folder, kind):
    with Store.open(folder) as store:
        return [line for line in store.logs.after() if isinstance(line, kind)]


def test_search_shows_where_and_why_and_logs_it(paragone, remembered):
    shown = paragone("memory", "search", "expected score", "--limit", "2")
    assert shown.code == 0, shown.err
    assert "1. src/rating.py:1-3 expected_score  score" in shown.out
    assert "def expected_score(a, b):" in shown.out
    assert "R unknown" in shown.out
    assert "by hybrid, ordered by learned" in shown.out
    (line,) = logged(remembered, SearchLine)
    assert (line.tool, line.query, line.mode) == ("hybrid_search", "expected score", "learned")
    assert line.results[0].file_path == "src/rating.py"


def test_explain_shows_what_a_score_is_made_of(paragone, remembered):
    shown = paragone("memory", "search", "bananas", "--how", "keyword", "--mode", "document", "--explain")
    first = next(line for line in shown.out.splitlines() if line.startswith("1 ") or line.strip().startswith("1 "))
    assert "1200" in first
    assert "0.33" in first
    assert "notes.txt:1-2" in first
    header = shown.out.splitlines()[0].split()
    assert header[:7] == ["rank", "score", "similarity", "semantic", "keyword", "rating", "of"]
    learned = paragone("memory", "search", "bananas", "--how", "keyword", "--explain").out.splitlines()[0].split()
    assert learned[:7] == ["rank", "score", "text", "past", "use", "feedback", "useful"]


def test_json_has_every_figure(paragone, remembered):
    shown = paragone("memory", "search", "rate by use", "--kind", "decision", "--json").json
    assert (shown["tool"], shown["total"], shown["next_offset"]) == ("cortex_query", 1, None)
    (one,) = shown["results"]
    assert (one["adr"], one["breakdown"]["rated"]) == ("ADR-007", "file")
    assert set(one["breakdown"]) == {
        *(
            "mode",
            "similarity",
            "semantic",
            "keyword",
            "text",
            "past",
            "use",
            "feedback",
            "usefulness",
            "is_known",
            "demotion",
            "rated",
            "rating",
            "elo_norm",
            "r",
            "r_source",
            "r_gate",
            "flags",
        )
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search", "  "], "the query is empty"),
        (["search", "x", "--glob", "#"], "names no file"),
        (["grep", "(x"], "missing ) at position 1"),
        (["read", "nowhere.txt"], "nowhere.txt"),
        (["read", "@nothing"], "no symbol"),
        (["read", "../x"], "outside of the root"),
        (["read", "@expected_score", "--start", "2"], "--start is for paths"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(paragone, remembered, arguments, said):
    shown = paragone("memory", *arguments)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_nothing_found_is_said(paragone, remembered):
    assert "nothing found for 'zebra'" in paragone("memory", "search", "zebra", "--how", "keyword").out
    assert "no line matches in 6 files" in paragone("memory", "grep", "zebra").out


def test_grep_shows_lines_and_logs_their_files(paragone, remembered):
    shown = paragone("memory", "grep", "CONTROL|rating", "-i", "--limit", "1")
    assert shown.out.splitlines() == [
        "docs/adr/ADR-007-use.md:3:Content that is used gains a rating.",
        "more with --offset 1",
    ]
    assert "\x1b" not in paragone("memory", "grep", "control").out
    assert paragone("memory", "grep", "expected", "--json").json["matches"][0]["line"] == 1
    first = logged(remembered, SearchLine)[0]
    assert (first.tool, [row.file_path for row in first.results]) == ("grep_search", ["docs/adr/ADR-007-use.md"])


def test_read_shows_a_page_and_logs_a_use(paragone, remembered):
    shown = paragone("memory", "read", "src/rating.py", "--lines", "2")
    assert shown.out == "def expected_score(a, b):\n    # what is expected\n"
    assert shown.err == "src/rating.py: lines 1-2 of 3; more with: paragone memory read src/rating.py --start 3\n"
    (line,) = logged(remembered, AccessLine)
    assert (line.action, line.entity_id) == ("read", "src/rating.py")


@pytest.mark.parametrize(
    ("what", "kinds", "begins"),
    [
        ("@expected_score", {"symbol", "file"}, "def expected_score"),
        ("ADR-007", {"adr", "file"}, "# ADR-007"),
        ("Makefile", {"file"}, "all:"),
    ],
)
def test_a_definition_a_record_and_a_file_are_read_alike(paragone, remembered, what, kinds, begins):
    shown = paragone("memory", "read", what, "--json").json
    assert shown["text"].startswith(begins)
    assert (shown["symbol"] is not None, shown["decision"] is not None) == ("symbol" in kinds, "adr" in kinds)
    (line,) = logged(remembered, AccessLine)
    assert {str(line.entity_type), *(json.loads(json.dumps(one))[0] for one in line.also)} == kinds


def test_without_a_store_it_says_how_to_begin(paragone, home):
    shown = paragone("memory", "search", "x")
    assert shown.code == 2
    assert "paragone memory init" in shown.err


def test_what_is_read_counts_for_the_last_search_that_showed_it(paragone, remembered):
    for query in ("expected score", "expected", "bananas"):
        paragone("memory", "search", query, "--how", "keyword")
    paragone("memory", "read", "src/rating.py")
    searches, (access,) = logged(remembered, SearchLine), logged(remembered, AccessLine)
    assert access.search_id == searches[1].id


@pytest.mark.parametrize("id", ["ADR-007", "adr-007", "adr7"])
def test_a_record_is_read_however_its_id_is_spelt(paragone, remembered, id):
    assert paragone("memory", "read", id, "--json").json["decision"]["id"] == "ADR-007"


def test_a_name_that_is_none_is_told_what_comes_near(paragone, remembered):
    found = paragone("memory", "read", "rating.py")
    assert (found.code, "did you mean 'src/rating.py'?" in found.err) == (2, True)


def test_a_result_says_what_its_score_is_made_of(paragone, remembered):
    assert ": text " in paragone("memory", "search", "expected", "--how", "keyword").out
    assert ": similarity " in paragone("memory", "search", "expected", "--how", "keyword", "--mode", "document").out


def test_where_nothing_can_be_indexed_that_is_said(paragone, home):
    (home / "pictures").mkdir()
    (home / "pictures/one.bin").write_bytes(bytes(range(256)))
    there = ("--root", home / "pictures")
    paragone("memory", "init", *there)
    assert "nothing to index: [index] of memory.toml" in paragone("memory", "index", *there).out
    for command in "search", "grep":
        assert "the index holds nothing" in paragone("memory", command, "word", *there).err
