"""Outlines for packs: values of several lines are left out, definitions stay whole."""

from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.packing.by_tier import condensed

OUTLINE = '''\
CASES = (
    ("a", 1),
    ("b", 2),
)
SHORT = 3
NAMES: dict[str, int] = {
    "a": 1,
}
text = """
as it is
"""
@pytest.fixture(autouse=True)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, ")"),
    ],
)
def test_it(
    a: int,
    b: str = (
        "b"
    ),
) -> None:
class Some(
    Base,
):
    LIMITS = [
        1,
    ]
    @property
    @cached(
        seconds=3,
    )
    def one(
        self,
    ) -> int:
'''
BRIEF = '''\
CASES = ...
SHORT = 3
NAMES: dict[str, int] = ...
text = """
as it is
"""
@pytest.fixture(autouse=True)
@pytest.mark.parametrize(...)
def test_it(
    a: int,
    b: str = (
        "b"
    ),
) -> None:
class Some(
    Base,
):
    LIMITS = ...
    @property
    @cached(...)
    def one(
        self,
    ) -> int:
'''


def test_values_of_several_lines_are_left_out_and_definitions_are_not():
    assert condensed(OUTLINE) == BRIEF
    assert condensed(BRIEF) == BRIEF


def test_what_has_no_clear_end_stays():
    for outline in ("X = [\n    1,\n", "X = [\n1,\n]\n", "@a(\n    1)\ndef f():\n", "# Title\n## Part\n", ""):
        assert condensed(outline) == outline


@given(
    st.lists(
        st.sampled_from(["X = [", "    1,", "]", ")", "@a(", "def f(", "    x,", "):", "", "    @b("]), max_size=12
    )
)
def test_no_definition_is_lost_and_nothing_is_added(lines):
    outline = "".join(f"{line}\n" for line in lines)
    brief = condensed(outline)
    assert len(brief) <= len(outline) + 4 * len(lines)
    assert [line for line in brief.splitlines() if line.startswith("def ")] == [
        line for line in lines if line.startswith("def ")
    ]
