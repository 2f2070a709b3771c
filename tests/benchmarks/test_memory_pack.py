"""The measure of packs: which definitions a commit changes, what a pack says of them, and a small run of it all."""

import subprocess

import pytest

CODE = "import os\n\n\nclass Pool:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n"


def test_lines_belong_to_the_innermost_definition(script):
    known, owners = script.definitions("a.py", CODE)
    assert owners == ["", "", "", "Pool", *["Pool.one"] * 2, "Pool", *["Pool.two"] * 2, ""]
    assert known["Pool.one"].lines == ("    def one(self):", "        return 1")
    assert known[""].lines == ("import os",)


@pytest.mark.parametrize(
    ("start", "count", "names"),
    [
        (6, 1, {"Pool.one"}),
        (5, 4, {"Pool.one", "Pool", "Pool.two"}),
        (5, 0, {"Pool.one"}),
        (7, 0, {"Pool"}),
        (1, 0, {""}),
    ],
)
def test_a_hunk_touches_what_its_lines_belong_to(script, start, count, names):
    assert script._changed(script.definitions("a.py", CODE)[1], start, count) == names


def test_a_pack_is_asked_by_its_text(script):
    known = script.definitions("a.py", CODE)[0]
    text = script.PackText(
        "<pack><notice/><outlines><![CDATA[\nb.py\nc.py\n  def run()\n]]></outlines>"
        '<folded path="a.py"><![CDATA[\nclass Pool ...\n    def one(self):\n        return 1\n]]></folded></pack>'
    )
    assert text.signed == {"a.py", "c.py"}
    assert [text.names("a.py", known[name]) for name in ("Pool", "Pool.one", "Pool.two", "")] == [
        True,
        True,
        False,
        True,
    ]
    assert [text.holds("a.py", known[name]) for name in ("Pool.one", "Pool.two", "Pool")] == [True, False, False]
    commit = script.Commit(subject="", touched={"a.py": frozenset({"Pool.one", "Pool.two"}), "b.py": frozenset({""})})
    rest = script.Definition(name="", lines=("x",))
    assert script.score(text, commit, {"a.py": known, "b.py": {"": rest}}) == (0.5, 2 / 3, 1 / 3)


def test_the_whole_of_it_on_a_small_repository(script, tmp_path, capsys):
    def git(*arguments):
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
            check=True, capture_output=True,
        )  # fmt: skip

    git("init", "-q", "-b", "main")
    for number in range(24):
        for name in "abcdef":
            shown = number if name == "a" else 0
            body = "".join(f"        total = {line} + self.size + {shown}\n" for line in range(30))
            (tmp_path / f"{name}.py").write_text(
                f"class Pool:\n    def cold(self):\n{body}\n    def hot(self):\n        return {shown}\n"
            )
        git("add", "-A")
        git("commit", "-q", "-m", f"change {number}")
    assert script.main(["--repositories", str(tmp_path), "--windows", "1", "--share", "0.3"]) == 0
    out = capsys.readouterr().out
    assert "no query | 20 | 1 | 0 | 1 | 0 |" in out
    assert "subject as query | 20 | 1 | 0 | 1 | 0 |" in out
