"""Initial ratings by path."""

import pytest

from paragone.domain.content import Content, ContentKind
from paragone.errors import InvalidConfig
from paragone.memory.store.config import TierConfig, initial_rating, is_pinned

DEFAULTS = TierConfig()


def initial(path: str, tiers: TierConfig = DEFAULTS, kind: ContentKind = ContentKind.FILE) -> float:
    return initial_rating(Content(kind=kind, id=path, path=path), tiers)


@pytest.mark.parametrize(
    ("path", "elo"),
    [
        ("LAW/CANON/deep/in/it.md", 1600.0),
        ("AGENTS.md", 1600.0),
        ("packages/one/AGENTS.md", 1600.0),
        ("NAVIGATION/MAPS/a.md", 1600.0),
        ("CAPABILITY/SKILLS/x/run.py", 1200.0),
        ("LAW/CONTEXT/decisions/ADR-027.md", 1200.0),
        ("THOUGHT/LAB/idea.md", 800.0),
        ("MEMORY/ARCHIVE/old.log", 800.0),
        ("tests/fixtures/big.json", 800.0),
        ("src/anything.py", 1200.0),
    ],
)
def test_the_documents_tiers(path: str, elo: float) -> None:
    assert initial(path) == elo
    assert is_pinned(path, DEFAULTS) is (elo == 1600.0)


def test_the_first_section_that_matches_holds() -> None:
    tiers = TierConfig(high=("*.md", "!draft.md"), medium=("docs/**",), low=("**",), default="high")
    assert initial("docs/a.md", tiers) == 1600.0
    assert initial("docs/draft.md", tiers) == 1200.0, "left out of the first, it is in the second"
    assert initial("docs/a.txt", tiers) == 1200.0
    assert initial("src/a.txt", tiers) == 800.0


def test_all_that_lies_in_a_file_begins_where_it_does() -> None:
    assert initial_rating(Content(kind=ContentKind.SYMBOL, id="@THOUGHT/LAB/a.py::f"), DEFAULTS) == 800.0
    assert initial_rating(Content(kind=ContentKind.VECTOR, id="h", path="AGENTS.md"), DEFAULTS) == 1600.0
    assert initial_rating(Content(kind=ContentKind.ADR, id="ADR-1"), TierConfig(default="low")) == 800.0


def test_a_pattern_that_cannot_be_is_named_with_its_section() -> None:
    with pytest.raises(InvalidConfig, match=r"tiers\.low"):
        initial("a.py", TierConfig(low=("!",)))
