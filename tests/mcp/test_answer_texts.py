"""Answers as text: what files say stands between marks, one row a line, and how to go on is said."""

import re

from paragone.domain.content import ContentKind
from paragone.mcp.answer_texts import text_of
from paragone.mcp.answers import (
    BoardAnswer,
    BoardRow,
    EndAnswer,
    GrepAnswer,
    PackAnswer,
    SearchAnswer,
    SymbolAnswer,
)
from paragone.wire.search import Breakdown, GrepMatch, SearchResult

PARTS = Breakdown(
    mode="learned",
    similarity=0.5,
    semantic=0.5,
    keyword=None,
    text=0.2,
    past=0.06,
    use=0.0,
    feedback=-0.01,
    usefulness=0.5,
    is_known=False,
    demotion=1.0,
    rated=ContentKind.FILE,
    rating=1200.0,
    elo_norm=0.3,
    r=None,
    r_source="",
    r_gate=1.0,
    flags=("R unknown",),
)


def without_marks(text: str) -> str:
    """The text with a mark that is the same each time."""
    return re.sub(r"(?<=<<<data )[0-9a-f]{8}|(?<=data>>> )[0-9a-f]{8}", "mark", text)


def test_results_of_a_search() -> None:
    row = SearchResult(
        rank=2, path="a\nb.py", start=3, end=9, symbol="@a::f", snippet="x = 1\r\n\x1b[31my = 2", similarity=0.5,
        score=0.25, breakdown=PARTS,
    )  # fmt: skip
    answer = SearchAnswer(
        session="s", tool="hybrid_search", mode="learned", results=[row], total=7, index="index of 12:00", next=2
    )
    assert without_marks(text_of(answer)).splitlines() == [
        "1 of 7 results, hybrid_search, learned; index of 12:00",
        "<<<data mark",
        "2. a b.py:3-9  @a::f  similarity 0.500  score 0.250 (text 0.2, past queries +0.1)",
        "    x = 1",
        "     [31my = 2",
        "data>>> mark",
        "more: the same again with offset=2",
    ]


def test_no_result_has_no_marks() -> None:
    answer = SearchAnswer(session="s", tool="keyword_search", mode="document", results=[], total=0, index="no index")
    assert text_of(answer) == "0 of 0 results, keyword_search, document; no index"


def test_lines_that_match_and_time_that_was_up() -> None:
    rows = [GrepMatch(path="a.py", line=7, text="    return 1")]
    answer = GrepAnswer(session="s", matches=rows, files=2, timed_out=True, next=None)
    assert without_marks(text_of(answer)).splitlines() == [
        "1 line in 2 files searched; time was up, so there may be more: make the pattern or the glob narrower",
        "<<<data mark",
        "a.py:7:     return 1",
        "data>>> mark",
    ]


def test_a_definition_that_was_cut_says_where_it_goes_on() -> None:
    answer = SymbolAnswer(
        session="s", path="a.py", start=5, end=6, total_lines=90, text="def f():\n    ...", symbol="@a.py::f",
        kind="function", next=7,
    )  # fmt: skip
    assert without_marks(text_of(answer)).splitlines() == [
        "function",
        "<<<data mark",
        "a.py:5-6",
        "def f():",
        "    ...",
        "data>>> mark",
        "cut: read that file from line 7",
    ]


def test_a_part_of_a_pack() -> None:
    answer = PackAnswer(
        session="s", text="# a", offset=0, tokens=400, full_tokens=9000, files={"full": 1, "pointer": 2}, as_of=12.5,
        next=3,
    )  # fmt: skip
    first, *_, last = text_of(answer).splitlines()
    assert first == "400 tokens instead of 9000: 1 full, 2 pointer"
    assert last == "more: the same again with as_of=12.5 and offset=3"


def test_a_board() -> None:
    row = BoardRow(rank=1, kind="file", id="a\nb", rating=1600.4, elo=1600.4, tier="high", r=None, uses=1)
    answer = BoardAnswer(session="s", rows=[row], total=4, next=None)
    assert without_marks(text_of(answer)).splitlines()[2] == "1. 1600 high, R unknown, 1 use: file a b"


def test_what_has_no_form_of_its_own_is_json_without_the_notice() -> None:
    assert text_of(EndAnswer(session="s", outcome="success")) == "session ended: success"
