"""Changing one line of a person's ``memory.toml``: nothing else changes, or nothing at all."""

import tomllib

import pytest

from paragone.errors import InvalidConfig, UnreadableFile
from paragone.memory.store.config import change

TABLE, KEY = "ratings.thresholds", "agreement"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "memory.toml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[ratings.thresholds]\nagreement = 2.5\n"),
        ("[pack]\ntokens = 5\n\n", "[pack]\ntokens = 5\n\n[ratings.thresholds]\nagreement = 2.5\n"),
        (
            "[ratings.thresholds] # mine\nsupplied = 1.0\n\n\n",
            "[ratings.thresholds] # mine\nagreement = 2.5\nsupplied = 1.0\n\n\n",
        ),
        ("[ ratings . thresholds ]\n'agreement'=9.0 # old\n", "[ ratings . thresholds ]\nagreement = 2.5\n"),
        (
            "[ratings.thresholds]\n# agreement = 1.7\n[pack]\nagreement = 1\n",
            "[ratings.thresholds]\nagreement = 2.5\n[pack]\nagreement = 1\n",
        ),
    ],
)
def test_the_line_is_put_in_its_place(file, before, after):
    file.write_text(before)
    change(file, TABLE, KEY, 2.5)
    assert file.read_text() == after


def test_a_note_stands_behind_it_on_one_line(file):
    file.write_text("")
    change(file, TABLE, KEY, 2.5, note="from ten\npairs # of mine")
    assert file.read_text() == "[ratings.thresholds]\nagreement = 2.5  # from ten pairs # of mine\n"
    assert tomllib.loads(file.read_text()) == {"ratings": {"thresholds": {"agreement": 2.5}}}


@pytest.mark.parametrize(
    "text",
    [
        "[ratings]\nthresholds = { agreement = 1.0 }\n",
        "ratings.thresholds.agreement = 1.0\n",
        'ratings = "none"\n',
        'about = """\n[ratings.thresholds]\n"""\n',
    ],
)
def test_what_one_line_cannot_change_stays_and_the_line_is_told(file, text):
    file.write_text(text)
    with pytest.raises(InvalidConfig, match=r"agreement = 2\.5 under \[ratings\.thresholds\]"):
        change(file, TABLE, KEY, 2.5)
    assert [path.name for path in file.parent.iterdir()] == ["memory.toml"]
    assert file.read_text() == text


@pytest.mark.parametrize("content", [b"[ratings", b"\xff"])
def test_what_is_no_toml_is_said(file, content):
    file.write_bytes(content)
    with pytest.raises(UnreadableFile, match="is not valid TOML"):
        change(file, TABLE, KEY, 2.5)
    assert file.read_bytes() == content
