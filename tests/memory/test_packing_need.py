"""Need for packs: ages in sessions, three half-lives, renames followed, and which definitions were changed."""

import math

import pytest

from paragone.domain.content import Action, ContentKind
from paragone.memory.packing.need import HALF_LIVES, Uses, chance, expected, is_doubted, leaf, need, useful, uses_of
from paragone.memory.store.lines import AccessLine, IndexLine, SessionLine
from paragone.ratings.usefulness import NOTHING, reported_used, reported_wrong


def commit(number, *paths, **more):
    return SessionLine(id=f"git:{number}", start_time=0.0, end_time=0.0, files_accessed=paths, source="git", **more)


def test_a_use_fades_with_three_half_lives():
    now = sum(weight * math.log(2.0) / half_life for half_life, weight in HALF_LIVES)
    assert need([0]) == pytest.approx(now)
    assert need([15]) == pytest.approx(
        math.log(2.0) * (0.25 * 0.5 / 15 + 0.5 * 2 ** (-15 / 100) / 100 + 0.25 * 2 ** (-15 / 600) / 600)
    )
    assert need([0, 15]) == pytest.approx(need([0]) + need([15]))


def test_the_chance_is_that_of_any_of_five_sessions():
    assert chance(0.0) == pytest.approx(0.0005, rel=1e-3)
    assert chance(0.2 - 1e-4) == pytest.approx(1.0 - math.exp(-1.0))
    assert (expected(1200.0), expected(1600.0)) == (pytest.approx(0.5), pytest.approx(10.0 / 11.0))


def test_a_file_counts_once_a_session_and_pages_and_contradictions_do_not():
    read = {"action": Action.READ, "entity_type": ContentKind.FILE}
    uses = uses_of(
        [
            AccessLine(id="1", session_id="s", entity_id="a.py", **read),
            AccessLine(id="2", session_id="s", entity_id="a.py", **read),
            AccessLine(id="3", session_id="s", entity_id="b.py", part=1, **read),
            AccessLine(
                id="4", session_id="s", entity_id="c.py", action=Action.CONTRADICTED, entity_type=ContentKind.FILE
            ),
            commit(1, "d.py"),
        ]
    )
    assert uses.needs() == {"a.py": pytest.approx(need([1])), "d.py": pytest.approx(need([0]))}


def test_renames_are_followed_whoever_tells_of_them():
    lines = [
        commit(1, "a.py", changed=(("a.py", "run"),)),
        IndexLine(id="i", renamed=(("a.py", "b.py"),)),
        commit(2, "b.py"),
    ]
    uses = uses_of([*lines, commit(3, renamed=(("b.py", "c.py"),))])
    assert set(uses.needs()) == {"c.py"}
    assert set(uses.hits()) == {"c.py"}
    assert uses.hits()["c.py"]["run"] == pytest.approx(2 ** (-2 / 60), rel=0.02)


def test_definitions_that_were_changed_or_expanded_are_hits_and_old_ones_are_forgotten():
    symbol = AccessLine(
        id="x", session_id="s", action=Action.EXPANDED, entity_type=ContentKind.SYMBOL, entity_id="@a.py::Pool.run#2",
        also=((ContentKind.FILE, "a.py"),),
    )  # fmt: skip
    uses = uses_of([symbol])
    assert uses.hits() == {"a.py": {"": 1.0, "run": 1.0}}
    later = Uses()
    later.change("0", "a.py", "run")
    for number in range(1, 151):
        later.session(str(number), ["b.py"])
    assert "a.py" not in later.hits()


def test_the_last_part_of_a_name():
    assert [leaf(name) for name in ("Pool.run#2", "run", "")] == ["run", "run", ""]


def test_reports_of_errors_lower_the_chance_and_two_close_a_file():
    wrong = reported_wrong(NOTHING)
    assert useful(0.5, wrong) == pytest.approx(0.2)
    assert useful(0.5, reported_used(NOTHING)) == pytest.approx(2.0 / 3.0)
    assert useful(1.0, wrong) == pytest.approx(1.0)
    assert not is_doubted(wrong)
    assert is_doubted(reported_wrong(wrong))
    assert not is_doubted(reported_used(reported_used(reported_wrong(wrong))))
