"""What the logs tell of files, and where each session begins."""

from paragone.domain.content import Action, ContentKind, Renamed, Showing, Use
from paragone.memory.log_replay import Gone, Present, SessionStart, trace
from paragone.memory.store import AccessLine, ResultRow, SearchLine, SessionLine


def search(id, time, session, *paths):
    rows = tuple(ResultRow(rank=rank, file_path=path, hash=f"{rank}") for rank, path in enumerate(paths, 1))
    return SearchLine(id=id, timestamp=time, session_id=session, tool="keyword_search", query="q", results=rows)


def access(id, time, session, path, action=Action.READ):
    return AccessLine(
        id=id, timestamp=time, session_id=session, action=action, entity_type=ContentKind.FILE, entity_id=path
    )


def ended(id, *files, **more):
    return SessionLine(id=id, session_id=id, timestamp=9.0, start_time=9.0, end_time=9.0, files_accessed=files, **more)


def test_a_session_is_measured_at_its_first_line_against_all_that_it_will_use():
    steps = list(
        trace(
            [
                search("s1", 1.0, "A", "a", "b"),
                access("x", 2.0, "B", "c"),
                access("y", 3.0, "A", "b"),
                access("z", 4.0, "A", "d", Action.CONTRADICTED),
            ]
        )
    )

    assert [(step.id, step.time, step.used) for step in steps if isinstance(step, SessionStart)] == [
        ("A", 1.0, {"b"}),
        ("B", 2.0, {"c"}),
    ]
    assert [type(step) for step in steps[:3]] == [SessionStart, Present, Showing]
    assert steps[1].paths == ("a", "b")


def test_only_what_is_about_files_is_left():
    line = AccessLine(
        id="x",
        timestamp=1.0,
        session_id="A",
        action=Action.EXPANDED,
        entity_type=ContentKind.SYMBOL,
        entity_id="@a::f",
        also=((ContentKind.FILE, "a"),),
    )

    visit, present, use = trace([line])

    assert (visit.used, present.paths) == ({"a"}, ("a",))
    assert [content.kind for content in use.contents] == [ContentKind.FILE]


def test_what_a_commit_renamed_has_its_new_name_when_it_is_measured_and_what_it_deleted_is_gone_after():
    line = ended("git:1", "b", source="git", renamed=(("a", "b"),), removed=("c",))

    assert [type(step) for step in trace([line])] == [Renamed, SessionStart, Present, Use, Gone]


def test_the_end_of_a_session_whose_acts_were_logged_begins_no_other():
    steps = list(trace([access("x", 1.0, "A", "a"), ended("A", "a", accesses_logged=True, outcome="success")]))

    assert sum(isinstance(step, SessionStart) for step in steps) == 1
    assert [step.action for step in steps if isinstance(step, Use)] == [Action.READ, Action.USED]


def test_a_line_without_a_session_is_one_by_itself():
    steps = trace([access("x", 1.0, "", "a"), access("y", 2.0, "", "a")])

    assert [step.id for step in steps if isinstance(step, SessionStart)] == ["x", "y"]
