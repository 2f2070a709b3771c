"""Lines by pattern over real folders."""

import random
import re

import pytest

from paragone.errors import NotFound, UsageError
from paragone.memory.search import Grep
from paragone.memory.search.grep import WIDTH

FILES = {
    "b.py": "import os\n\n\ndef rate(item):\n    return os.stat(item)\n",
    "a/z.txt": "one rate\nno\nrate twice rate\n",
    "a.md": "# Rates\n",
    "crlf.txt": "rate one\r\nrate two\r\n",
    "bom.txt": "\ufeffrate first\n",
    "broken.txt": b"caf\xe9 rate\nnext\n",
}


@pytest.fixture
def greps(folder):
    folder.write(FILES)
    folder.update()
    return Grep(folder.store, folder.index)


def found(grepped):
    return [(one.path, one.line, one.text) for one in grepped.matches]


def test_lines_come_by_path_and_number(greps):
    assert found(greps.grep(r"\brate\b")) == [
        ("a/z.txt", 1, "one rate"),
        ("a/z.txt", 3, "rate twice rate"),
        ("b.py", 4, "def rate(item):"),
        ("bom.txt", 1, "rate first"),
        ("broken.txt", 1, "café rate"),
        ("crlf.txt", 1, "rate one"),
        ("crlf.txt", 2, "rate two"),
    ]


@pytest.mark.parametrize(
    ("pattern", "given", "paths"),
    [
        ("rate", {"ignore_case": True, "glob": "*.md"}, ["a.md"]),
        ("rate", {"glob": "a/"}, ["a/z.txt", "a/z.txt"]),
        ("rate one$", {}, ["crlf.txt"]),
        ("^rate first", {}, ["bom.txt"]),
        ("^$", {"glob": "*.py"}, ["b.py", "b.py"]),
        ("caf. rate", {}, ["broken.txt"]),
        ("os\n", {}, []),
        (r"os\s+def", {}, []),
        ("nowhere", {}, []),
    ],
)
def test_what_matches(greps, pattern, given, paths):
    assert [one.path for one in greps.grep(pattern, **given).matches] == paths


def test_pages_together_are_the_whole(greps):
    whole, pages, offset = greps.grep("a|e"), [], 0
    while offset is not None:
        page = greps.grep("a|e", limit=3, offset=offset)
        pages, offset = [*pages, *page.matches], page.next_offset
    assert tuple(pages) == whole.matches
    assert (whole.next_offset, whole.timed_out, whole.files_searched, whole.files) == (None, False, 6, 6)
    assert greps.grep("a", offset=1000).matches == ()


def test_it_is_what_the_standard_library_finds_line_by_line(folder):
    rng = random.Random(3)
    texts = {f"{n}.txt": "".join(rng.choices("ab \n", k=rng.randrange(400))) for n in range(12)}
    folder.write({name: text for name, text in texts.items() if text})
    folder.update()
    grep = Grep(folder.store, folder.index)
    for pattern in ("a+b", "^a", "b$", "^$", "a*", "(a|b){3}", "[^a]b", r"\ba\b", "  "):
        plain = [
            (name, number, line)
            for name, text in sorted(texts.items())
            for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1)
            if re.search(pattern, line)
        ]
        assert found(grep.grep(pattern, limit=1000)) == plain[:1000], pattern


def test_a_large_file_is_searched_in_windows_that_change_nothing(folder):
    lines = [f"line {n} {'x' * (n % 300)}" for n in range(3000)]
    folder.write({"large.txt": "\n".join(lines)})
    folder.update()
    found_lines = Grep(folder.store, folder.index).grep("7 x*$", limit=1000).matches
    plain = [number for number, line in enumerate(lines, 1) if re.search("7 x*$", line)]
    assert [one.line for one in found_lines] == plain


def test_of_a_long_line_the_part_around_the_match_is_shown(folder):
    folder.write({"min.js": "a" * 20_000 + "needle" + "b" * 20_000 + "\nnext needle\n"})
    folder.update()
    first, second = Grep(folder.store, folder.index).grep("needle").matches
    assert len(first.text) == WIDTH + 2
    assert first.text.startswith("…a")
    assert "needleb" in first.text
    assert (second.line, second.text) == (2, "next needle")


def test_nothing_that_is_shown_steers_a_terminal(folder):
    folder.write({"a.txt": "\x1b[2Jneedle\u202e\x07 \u2028x\r\n"})
    folder.update()
    assert found(Grep(folder.store, folder.index).grep("needle")) == [("a.txt", 1, " [2Jneedle    x")]


def test_files_are_searched_as_they_are_now(greps, folder):
    (folder.root / "a.md").write_text("needle\n")
    (folder.root / "b.py").unlink()
    assert found(greps.grep("needle|import")) == [("a.md", 1, "needle")]


def test_what_holds_a_secret_since_is_not_shown(greps, folder, tmp_path):
    (folder.root / "a.md").write_text("needle\n-----BEGIN " + "PRIVATE KEY-----\nneedle\n")
    (tmp_path / "outside.txt").write_text("needle\n")
    (folder.root / "b.py").unlink()
    (folder.root / "b.py").symlink_to(tmp_path / "outside.txt")
    assert greps.grep("needle").matches == ()


def test_when_time_is_up_it_stops_with_what_it_has(folder):
    folder.write({f"{n}.txt": "needle\n" for n in range(9)})
    folder.update()
    ticks = iter(range(1000))
    some = Grep(folder.store, folder.index, timer=lambda: float(next(ticks))).grep("needle", seconds=10.0)
    assert some.timed_out
    assert 0 < len(some.matches) < 9
    assert some.files_searched < some.files == 9


def test_a_catastrophic_pattern_ends_in_time(folder):
    folder.write({"a.txt": "a" * 100_000 + "!\n"})
    folder.update()
    assert not Grep(folder.store, folder.index).grep("(a+)+$|(a|aa)+b", seconds=20.0).timed_out


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": 1001}, {"offset": -1}, {"seconds": 0.0}, {"seconds": 61.0}])
def test_a_number_that_cannot_be_is_refused(greps, given):
    with pytest.raises(UsageError, match="limit lies between 1 and 1000"):
        greps.grep("x", **given)


def test_bad_patterns_and_globs_are_refused(greps):
    with pytest.raises(UsageError, match=r"missing .* at position 1"):
        greps.grep("(x")
    with pytest.raises(UsageError, match="names no file"):
        greps.grep("x", glob="")


def test_where_nothing_is_indexed_it_says_how_to_begin(folder):
    with pytest.raises(NotFound, match="the index holds nothing; paragone memory index fills it"):
        Grep(folder.store, folder.index).grep("x")


PATTERNS = (
    "needle", "^needle$", r"\Aneedle", r"needle\z", "(?-m:^)needle", "(?i)NEEDLE", "(?i:NEEDLE)", "^$", "x*",
    "e.*e", r"\bneedle\b", r"needle\s*hay", "(?P<n>nee)dle", "absent", "é", "(?s)e.n", r"[^a]needle", r"\C\Cdle",
)  # fmt: skip


def test_files_searched_together_are_found_as_one_by_one(folder, monkeypatch):
    draw = random.Random(7)
    pieces = ["needle", "hay", "\n", "\r\n", " ", "é", "xNeedle", "\n\n", "needle\n", "a" * 300]
    folder.write({f"{n % 5}/{n}.txt": "".join(draw.choices(pieces, k=draw.randint(0, 30))) for n in range(80)})
    folder.write({"long.txt": "hay\n" * 9000 + "needle", "empty.txt": "", "broken.txt": b"n\xe9edle needle\n"})
    folder.update()
    together = {p: Grep(folder.store, folder.index).grep(p, limit=1000, ignore_case=False) for p in PATTERNS}
    monkeypatch.setattr("paragone.memory.search.grep.is_of_lines", lambda _: False)
    for pattern in PATTERNS:
        one_by_one = Grep(folder.store, folder.index).grep(pattern, limit=1000)
        assert together[pattern] == one_by_one, pattern
        assert together[pattern].files == 83


def test_a_folder_that_became_a_link_leads_nowhere(folder, tmp_path):
    folder.write({"in/a.txt": "needle\n", "in/deep/b.txt": "needle\n", "z.txt": "needle\n"})
    folder.update()
    root = folder.store.root
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.txt").write_text("needle outside\n")
    (root / "in" / "deep" / "b.txt").unlink()
    (root / "in" / "deep").rmdir()
    (root / "in" / "deep").symlink_to(tmp_path / "outside")
    assert [one.path for one in Grep(folder.store, folder.index).grep("needle").matches] == ["in/a.txt", "z.txt"]
