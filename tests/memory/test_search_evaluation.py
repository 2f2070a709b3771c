"""What each part of search adds: past queries, asked again with what was known before them."""

import pytest

from paragone.memory.scores.learned import PlainLearning
from paragone.memory.scores.learning import learn
from paragone.memory.search_evaluation import ALL, PAST, TEXTS, USE, evaluate_search
from paragone.memory.store.lines import SessionLine

FILES = {
    "boiler.py": "def heat(water):\n    return water + 10\n",
    "brew.py": "def steep(leaves):\n    return leaves * 3\n",
    "notes.md": "# Notes on tea and kettle, kettle, kettle\n",
}


def commits(folder, *subjects):
    lines = [
        SessionLine(id=f"git:{n}", session_id=f"git:{n}", start_time=folder.now, end_time=folder.now, source="git",
                    query=query, files_accessed=(path,))
        for n, (query, path) in enumerate(subjects)
    ]  # fmt: skip
    folder.store.logs.append(lines)


@pytest.fixture
def indexed(folder):
    folder.write(FILES)
    folder.update()
    return folder


def test_what_answered_before_is_found_again_by_words_that_it_does_not_have(indexed):
    commits(indexed, *[("Fix the kettle", "boiler.py")] * 8)
    found = evaluate_search(indexed.store, indexed.index)
    by_name = {part.model: part for part in found.parts}
    assert found.queries == 8
    assert set(by_name) == {TEXTS, PAST, USE, ALL}
    # Texts: the notes first, then two files of no such word, tied: 1/rank is (1/2 + 1/3)/2 each time.
    assert by_name[TEXTS].mrr.value == pytest.approx(5 / 12)
    assert by_name[TEXTS].lead.value == 0.0
    assert by_name[ALL].mrr.value > by_name[TEXTS].mrr.value
    assert by_name[ALL].lead.low > 0.0


def test_nothing_later_is_known_to_a_query(indexed):
    commits(indexed, ("Fix the kettle", "boiler.py"))
    (first,) = {part.mrr.value for part in evaluate_search(indexed.store, indexed.index).parts}
    assert first == pytest.approx(5 / 12)  # nothing was learned before it: all parts are texts alone


def test_a_store_without_queries_has_nothing_to_measure(indexed):
    assert evaluate_search(indexed.store, indexed.index).parts == ()
    learning = PlainLearning()
    for line in indexed.store.logs.after():
        learn(line, learning)
    assert learning.pasts == {}
