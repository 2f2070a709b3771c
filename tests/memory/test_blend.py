"""The blend of search against its definition, written down plainly over the files themselves."""

import math

import numpy as np
import pytest

from paragone.memory.scores import Scores
from paragone.memory.scores.learned import Past, PastQueries
from paragone.memory.search import Searcher
from paragone.memory.search.blend import bm25, experience, first_hand, likeness, second_hand, spread
from paragone.memory.store.lines import AccessLine, ResultRow, SearchLine, SessionLine
from paragone.memory.words import counts, query_terms
from paragone.ratings.usefulness import Feedback, advantage, probability

FILES = {
    "src/kettle.py": "def boil(water):\n    # the kettle boils water\n    return water\n",
    "src/leaves.py": "".join(f"def steep{n}(leaves, minutes):\n    return leaves * {n}\n" for n in range(60)),
    "docs/kettle.md": "# Kettle\n\nA kettle is for water. The kettle and the water.\n" + "Other words.\n" * 200,
    "notes.txt": "nothing about it\n",
}


def plain_bm25(documents, words):
    mean = sum(map(sum, (one.values() for one in documents))) / len(documents)
    scores = []
    for one in documents:
        penalty = 1.2 * (0.25 + 0.75 * sum(one.values()) / mean)
        total = 0.0
        for word in words:
            having = sum(other[word] > 0 for other in documents)
            weight = math.log1p((len(documents) - having + 0.5) / (having + 0.5))
            total += weight * 2.2 * one[word] / (one[word] + penalty)
        scores.append(total)
    return scores


@pytest.fixture
def searching(folder):
    folder.write(FILES)
    folder.update()
    with Scores(folder.store) as scores:
        yield Searcher(folder.store, folder.index, lambda: scores, embedder=folder.embedder)


def plain_scores(folder, query, past=(), sessions=0):
    """The score of each file by the definition, without meaning; ``past`` are queries with the file that answered."""
    words = sorted(set(query_terms(query)))
    chunks, paths = list(folder.index.chunks()), sorted(FILES)
    whole = [counts([chunk.text for chunk in chunks if chunk.path == path] + [path] * 3) for path in paths]
    rows = [counts([chunk.text, chunk.path]) for chunk in chunks]
    of_files, of_chunks = plain_bm25(whole, words), plain_bm25(rows, words)
    best = {path: max(of_chunks[n] for n, chunk in enumerate(chunks) if chunk.path == path) for path in paths}
    text = {path: 0.5 * of_files[n] + 0.5 * best[path] for n, path in enumerate(paths)}
    if not past:
        return text
    asked = [counts([" ".join(sorted(set(query_terms(q)))) for q, file in past if file == path]) for path in paths]
    ages = {path: [len(past) - n for n, (_, file) in enumerate(past, 1) if file == path] for path in paths}
    density = sum(0.5 ** (age / 600) for path in paths for age in ages[path]) / len(paths)
    gamma = density / (density + 2)
    hist = plain_bm25(asked, words)
    return {
        path: text[path] + gamma * (1.5 * hist[n] + 2 * math.log1p(sum(0.5 ** (age / 100) for age in ages[path])))
        for n, path in enumerate(paths)
    }


def commit(folder, *past):
    lines = [
        SessionLine(session_id=f"g{n}", start_time=1.0, end_time=1.0, source="git", query=query, files_accessed=(path,))
        for n, (query, path) in enumerate(past)
    ]
    folder.store.logs.append(lines)


PAST = (("Warm the pot", "src/leaves.py"), ("Boil kettle water", "src/leaves.py"), ("Warm the cup", "notes.txt"))


@pytest.mark.parametrize("past", [(), PAST])
def test_scores_are_those_of_the_definition(searching, folder, past):
    commit(folder, *past)
    expected = plain_scores(folder, "kettle water warm", past)
    found = searching.search("kettle water warm", how="keyword", what="file").results
    assert {one.path for one in found} == {path for path, score in expected.items() if score > 0}
    for one in found:
        assert one.score == pytest.approx(expected[one.path], abs=1e-6)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_chunks_come_in_the_order_of_their_files_and_a_second_chunk_has_its_own_words_alone(searching, folder):
    commit(folder, *PAST)
    files = [one.path for one in searching.search("kettle leaves minutes", how="keyword", what="file").results]
    chunks = searching.search("kettle leaves minutes", how="keyword", limit=100).results
    assert list(dict.fromkeys(one.path for one in chunks)) == files
    seen = set()
    for one in chunks:
        if one.path in seen:
            assert (one.breakdown.past, one.breakdown.use) == (0.0, 0.0)
        seen.add(one.path)
    assert len(chunks) > len(files)


def test_a_store_without_history_goes_by_texts_alone(searching):
    for one in searching.search("kettle water", how="keyword").results:
        assert one.score == one.breakdown.text
        assert "usefulness unknown" in one.breakdown.flags


def report(folder, action, path, query="kettle water", times=1):
    for _ in range(times):
        (search,) = folder.store.logs.append([SearchLine(tool="keyword_search", query=query, session_id="")])
        access = AccessLine(action=action, entity_type="file", entity_id=path, file_path=path, search_id=search.id)
        folder.store.logs.append([access])


def test_what_is_reported_wrong_sinks_for_every_query_and_what_helped_rises_for_queries_like_it(searching, folder):
    def order(query):
        return [one.path for one in searching.search(query, how="keyword", what="file").results]

    assert order("kettle water")[0] == "src/kettle.py"
    report(folder, "used", "docs/kettle.md", times=3)
    assert order("kettle water")[0] == "docs/kettle.md"
    report(folder, "contradicted", "docs/kettle.md", times=20)
    assert order("kettle water")[-1] == "docs/kettle.md"
    assert order("kettle")[-1] == "docs/kettle.md"
    for mode in ("learned", "document"):
        last = searching.search("kettle water", how="keyword", what="file", mode=mode).results[-1]
        assert (last.path, last.breakdown.flags[0]) == ("docs/kettle.md", "reported wrong")


def test_feedback_is_worth_three_spreads_of_the_texts(searching, folder):
    report(folder, "used", "src/kettle.py", times=2)
    found = searching.search("kettle water", how="keyword", what="file").results
    text = np.asarray([one.breakdown.text for one in found])
    first = next(one for one in found if one.path == "src/kettle.py")
    assert first.breakdown.usefulness == probability(Feedback(used=2.0)) == 0.75
    assert first.breakdown.feedback == pytest.approx(3 * spread(text) * advantage(Feedback(used=2.0)))


def test_a_file_that_was_idle_gains_with_the_searches_in_which_others_were_shown(searching, folder):
    def search_and_read(session, *paths):
        rows = tuple(ResultRow(rank=rank, file_path=path) for rank, path in enumerate(paths, 1))
        line = SearchLine(tool="keyword_search", query="kettle water", session_id=session, results=rows)
        (line,) = folder.store.logs.append([line])
        read = {"action": "read", "entity_type": "file", "search_id": line.id, "session_id": session}
        folder.store.logs.append([AccessLine(entity_id=path, **read) for path in paths])
        end = SessionLine(session_id=session, start_time=1.0, end_time=1.0, accesses_logged=True)
        folder.store.logs.append([end])

    def feedback(path):
        found = searching.search("kettle water", how="keyword", what="file").results
        return next(one.breakdown.feedback for one in found if one.path == path)

    search_and_read("one", "docs/kettle.md", "src/kettle.py")
    before = feedback("docs/kettle.md")
    for number in range(20):
        search_and_read(f"later {number}", "src/kettle.py")
    assert before < feedback("docs/kettle.md") < 0.0


def test_likeness_of_queries():
    weights = {"kettle": 2.0, "water": 1.0}
    assert likeness(weights, ((("kettle", "water"), 1.0),)) == pytest.approx(1.0)
    assert likeness(weights, ((("leaves",), 1.0),)) == 0.0
    assert likeness(weights, ()) == 0.0
    # One of two words: cosine squared is 4^2 / (5 x 4) = .8; what is alike by chance, .1, is taken off: .7 / .9.
    assert likeness(weights, ((("kettle",), 1.0),)) == pytest.approx(0.7 / 0.9)
    assert likeness(weights, ((("kettle", "water"), 1.0), (("leaves",), 3.0))) == pytest.approx(0.25)


def test_dense_use_weighs_and_sparse_use_hardly():
    few = {"a": Past(session=1, sums=(1.0, 1.0, 1.0))}
    many = {"a": Past(session=1, sums=(50.0, 50.0, 400.0))}
    paths = ["a", *map(str, range(99))]
    sparse, dense = (experience(PastQueries(sessions=1, pasts=pasts), paths, []).use[0] for pasts in (few, many))
    assert sparse == pytest.approx(0.01 / 2.01 * 2 * math.log(2))
    assert dense == pytest.approx(4 / 6 * 2 * math.log(51))


def worth(query, words, paths, *, generated=(), lengths=None):
    by_hand = np.asarray([path not in generated for path in paths])
    lengths = np.ones(len(paths)) if lengths is None else np.asarray(lengths, float)
    return first_hand(query, words, second_hand(paths, lengths, by_hand)).tolist()


def test_source_comes_before_prose_and_tests_where_a_question_asks_how_a_thing_works():
    paths = ["src/tea.py", "docs/tea.md", "tests/test_tea.py", "tea_test.go"]
    assert worth("How is tea made?", ["made", "tea"], paths) == [1.0, 0.6, 0.6, 0.6]
    assert worth("How do I test tea?", ["tea", "test"], paths) == [1.0, 0.6, 1.0, 1.0]
    assert worth("Where is the readme of tea?", ["readme", "tea"], paths) == [1.0, 1.0, 0.6, 0.6]
    assert worth("Make tea", ["make", "tea"], paths) == [1.0] * 4


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("web/app.spec.ts", True),
        ("web/app.test.jsx", True),
        ("web/__tests__/app.ts", True),
        ("spec/app_spec.rb", True),
        ("lib/app_spec.rb", True),
        ("src/main/KettleTest.java", True),
        ("src/KettleTests.cs", True),
        ("src/Contest.java", False),
        ("src/latest.py", False),
        ("src/inspect.ts", False),
    ],
)
def test_tests_are_recognised_by_the_names_that_each_language_gives_them(path, is_test):
    assert worth("how", [], [path]) == [0.6 if is_test else 1.0]


def test_prose_is_the_work_itself_where_it_is_most_of_what_people_wrote():
    paths, generated = ["src/ch04.md", "listings/main.rs", "listings/Cargo.lock"], ["listings/Cargo.lock"]
    assert worth("what is ownership", ["ownership"], paths, generated=generated, lengths=[51, 50, 900]) == [1, 1, 0.6]
    assert worth("what is ownership", ["ownership"], paths, generated=generated, lengths=[50, 50, 900]) == [0.6, 1, 0.6]


def test_what_a_program_wrote_comes_after_what_people_wrote_whatever_is_asked(searching, folder):
    folder.write({"ownership/Cargo.lock": 'name = "ownership"\n', "ownership/Cargo.toml": 'name = "ownership"\n'})
    folder.update()
    by_hand, generated = searching.search("ownership", how="keyword", what="file").results
    assert (by_hand.path, generated.path) == ("ownership/Cargo.toml", "ownership/Cargo.lock")
    assert generated.score == pytest.approx(0.6 * by_hand.score)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("boilWater", "src/kettle.ts"),
        ("@boilWater", "src/kettle.ts"),
        ("boilWater()", "src/kettle.ts"),
        ("Kettle.fillUp", "src/kettle.ts"),
        ("boilWater quickly", "src/kettle.spec.ts"),
        ("boil", "src/kettle.spec.ts"),
    ],
)
def test_a_name_has_its_definition_first_and_then_what_uses_it(folder, query, first):
    uses = "function boilWater() {}\nboilWater(); boil; fillUp; Kettle.fillUp(); quickly();\n" * 3
    source = "export function boilWater(cups: number) {\n  return cups\n}\nclass Kettle {\n  fillUp() {}\n}\n"
    folder.write({"src/kettle.ts": source, "src/kettle.spec.ts": uses, "other.ts": "let a = 1\n", "x.ts": "let b\n"})
    folder.update()
    with Scores(folder.store) as scores:
        searcher = Searcher(folder.store, folder.index, lambda: scores)
        assert searcher.search(query, how="keyword").results[0].path == first


def test_a_question_has_the_source_first_and_a_task_does_not(searching):
    found = {one.path: one for one in searching.search("how kettle water", how="keyword", what="file").results}
    plain = {one.path: one for one in searching.search("kettle water", how="keyword", what="file").results}
    assert found["docs/kettle.md"].score == pytest.approx(0.6 * plain["docs/kettle.md"].score)
    assert found["src/kettle.py"].score == plain["src/kettle.py"].score


def test_bm25_of_nothing_is_nothing():
    assert bm25([], np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    assert bm25([np.zeros(0)], np.zeros(0)).tolist() == []
    assert spread(np.zeros(4)) == 1.0
    assert spread(np.asarray([5.0, 5.0])) == 0.5
