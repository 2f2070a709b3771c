"""Search over real folders; the embedder counts letters, so that every cosine can be worked out."""

import json
import math
import os
import subprocess
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest

import warm_start
from paragone.domain.content import Action, Content, ContentKind, TruthSource
from paragone.errors import NotFound, UsageError
from paragone.memory.scores import Scores
from paragone.memory.search import Searcher
from paragone.memory.search.candidates import MAX_RESULTS
from paragone.memory.store.lines import AccessLine, SessionLine, TruthLine
from paragone.memory.words import counts, query_terms

FILES = {
    "src/rating.py": '"""Ratings."""\n\n\ndef expected_score(a, b):\n    """What is expected."""\n    return a - b\n',
    "src/packing.py": '"""Packs."""\n\n\nclass Packer:\n    def pack(self, budget):\n        return budget\n',
    "docs/decisions/ADR-007-ratings.md": "# ADR-007: Rate by use\n\nContent that is used gains a rating.\n",
    "notes.txt": "bananas and cabbages, a bag of beads\n",
}


@pytest.fixture
def searching(folder):
    folder.write(FILES)
    folder.update()
    with Scores(folder.store) as scores:
        yield Searcher(folder.store, folder.index, lambda: scores, embedder=folder.embedder)


def use(folder, path, times=1):
    now = folder.now
    acts = [
        AccessLine(id=f"{path}-{n}", timestamp=now, session_id=f"s{n}", action=Action.READ,
                   entity_type=ContentKind.FILE, entity_id=path, file_path=path)
        for n in range(times)
    ]  # fmt: skip
    folder.store.logs.append(acts)


def believe(folder, path, r):
    line = TruthLine(entity_type=ContentKind.FILE, entity_id=path, file_path=path, source=TruthSource.SUPPLIED, r=r)
    folder.store.logs.append([line])


def test_a_chunk_comes_with_its_lines_its_symbol_and_a_snippet(searching):
    first = searching.search("expected score", how="keyword").results[0]
    assert (first.rank, first.path, first.symbol) == (1, "src/rating.py", "@src/rating.py::expected_score")
    assert "def expected_score" in first.snippet
    assert first.start <= 4 <= first.end
    assert first.title == "expected_score"


def test_a_chunk_of_a_decision_record_names_it(searching):
    first = searching.search("gains by use", how="keyword").results[0]
    assert (first.adr, first.title) == ("ADR-007", "ADR-007: Rate by use")


def plain(folder, query):
    """Both likenesses of every chunk, as they are defined."""
    chunks = {chunk.hash: chunk for chunk in folder.index.chunks()}
    hashes, matrix = folder.index.vectors()
    vector = folder.embedder.embed([query])[0]
    cosine = {
        hash: max(float(row @ vector / np.linalg.norm(vector)), 0.0) for hash, row in zip(hashes, matrix, strict=True)
    }
    words = {hash: counts((chunk.text, chunk.path)) for hash, chunk in chunks.items()}
    mean, wanted = np.mean([one.total() for one in words.values()]), Counter(query_terms(query))
    idf = {}
    for word in wanted:
        having = sum(word in one for one in words.values())
        idf[word] = math.log1p((len(words) - having + 0.5) / (having + 0.5))
    most = sum(idf[word] * times for word, times in wanted.items())
    keyword = {}
    for hash, one in words.items():
        penalty = 1.5 * (0.25 + 0.75 * one.total() / mean)
        keyword[hash] = sum(times * idf[w] * one[w] / (one[w] + penalty) for w, times in wanted.items()) / most
    return chunks, cosine, keyword


@pytest.mark.parametrize("how", ["semantic", "keyword", "hybrid"])
def test_the_order_and_the_figures_are_those_of_the_definition(searching, folder, how):
    query = "a rating that is expected of content"
    _, cosine, keyword = plain(folder, query)
    share = {"semantic": 1.0, "keyword": 0.0, "hybrid": 0.3}[how]
    scores = {hash: share * cosine[hash] + (1 - share) * keyword[hash] for hash in cosine}
    found = searching.search(query, how=how, mode="document").results  # nothing was used: all ratings are equal
    assert [one.hash for one in found] == [h for h in sorted(scores, key=lambda h: -scores[h]) if scores[h] > 0]
    for one in found:
        assert one.similarity == pytest.approx(scores[one.hash], abs=1e-5)
        assert one.score == pytest.approx(0.7 * one.similarity + 0.3 * one.breakdown.elo_norm)
        assert one.breakdown.semantic == (None if how == "keyword" else pytest.approx(cosine[one.hash], abs=1e-5))
        assert one.breakdown.keyword == (None if how == "semantic" else pytest.approx(keyword[one.hash], abs=1e-5))


def test_meaning_needs_no_word_in_common(searching):
    assert searching.search("abab", how="semantic").results[0].path == "notes.txt"
    assert searching.search("abab", how="keyword").results == ()


ALIKE = {f"{name}.txt": f"the similarity of words, {name}\n" for name in ("one", "two", "three")}


def test_being_read_alone_changes_no_order(searching, folder):
    folder.write(ALIKE)
    folder.update()
    before = [one.path for one in searching.search("similarity of words").results]
    use(folder, before[2], times=30)
    after = searching.search("similarity of words")
    assert [one.path for one in after.results] == before
    assert after.results[2].breakdown.rating > 1250.0 > after.results[1].breakdown.rating


def test_a_rating_decides_between_what_is_about_alike_under_the_documents_formula(searching, folder):
    folder.write(ALIKE)
    folder.update()
    use(folder, "two.txt", times=30)
    first, second = searching.search("similarity of words", how="keyword", mode="document").results[:2]
    assert first.path == "two.txt"
    assert first.breakdown.elo_norm > second.breakdown.elo_norm == pytest.approx(1 / 3, abs=1e-3)


def test_each_score_follows_from_its_breakdown(searching, folder):
    use(folder, "notes.txt", times=10)
    believe(folder, "src/rating.py", 1.0)  # at or below sqrt(3): low
    believe(folder, "src/packing.py", 2.0)
    gates = {}
    with Scores(folder.store) as scores:
        contents = [Content.file(path) for path in folder.index.paths()]
        folder_ratings = scores.ratings(contents, as_of=folder.store.clock(), since=folder.index.first_seen())
    for mode in ("learned", "document"):
        for one in searching.search("a rating of a bag", mode=mode).results:
            parts = one.breakdown
            norm, gate = parts.elo_norm, parts.r_gate
            rating = folder_ratings[Content.file(one.path)]
            assert norm == pytest.approx(min(max((rating.elo - 800) / 1200, 0), 1))
            assert parts.rating == pytest.approx(rating.elo if mode == "document" else rating.need)
            wanted = {
                "learned": parts.text + parts.past + parts.use + parts.feedback,
                "document": parts.demotion * gate * (0.7 * parts.similarity + 0.3 * norm),
            }
            assert one.score == pytest.approx(wanted[mode])
            gates[one.path] = (parts.r, parts.r_source, gate, parts.flags)
    assert gates["src/rating.py"] == (1.0, "supplied", 0.25, ("usefulness unknown", "R low"))
    assert gates["src/packing.py"] == (2.0, "supplied", 1.0, ("usefulness unknown",))
    assert gates["notes.txt"] == (None, "", 1.0, ("usefulness unknown", "R unknown"))


def test_a_low_r_puts_last_what_would_be_first_under_the_documents_formula(searching, folder):
    folder.write(ALIKE)
    folder.update()
    use(folder, "two.txt", times=30)
    believe(folder, "two.txt", 0.1)
    paths = [one.path for one in searching.search("similarity of words", how="keyword", mode="document").results]
    assert paths[-1] == "two.txt"


def test_a_chunk_goes_by_its_file_until_it_has_a_rating_of_its_own(searching, folder):
    first = searching.search("bananas").results[0]
    assert first.breakdown.rated is ContentKind.FILE
    line = AccessLine(action=Action.CITED, entity_type=ContentKind.VECTOR, entity_id=first.hash, file_path=first.path)
    folder.store.logs.append([line])
    again = searching.search("bananas", mode="document").results[0].breakdown
    assert again.rated is ContentKind.VECTOR
    assert again.rating == pytest.approx(1212.0, abs=0.1)  # 16 x 1.5 x (1 - 0.5) above the pool's mean


@pytest.mark.parametrize("mode", ["learned", "document"])
def test_pages_together_are_the_whole(searching, folder, mode):
    folder.write({f"many/{n}.txt": f"word number {n} " * (n % 7 + 1) + "\n" for n in range(30)})
    folder.update()
    use(folder, "many/11.txt", times=5)
    whole = searching.search("word number", how="keyword", mode=mode, limit=100)
    pages, offset = [], 0
    while offset is not None:
        page = searching.search("word number", how="keyword", mode=mode, limit=7, offset=offset)
        pages, offset = [*pages, *page.results], page.next_offset
    assert tuple(pages) == whole.results
    assert [one.rank for one in pages] == list(range(1, whole.total + 1))
    assert searching.search("word number", offset=10_000).results == ()


def test_what_comes_after_the_likeliest_is_no_result(searching, folder):
    folder.write({f"many/{n}.txt": f"word {n}\n" for n in range(MAX_RESULTS + 40)})
    folder.update()
    found = searching.search("word", how="keyword", limit=100, offset=MAX_RESULTS - 3)
    assert (found.total, len(found.results), found.next_offset) == (MAX_RESULTS, 3, None)


@pytest.mark.parametrize(
    ("query", "said"),
    [("", "empty"), (" \t\n", "empty"), ("\x00\x1b\u202e", "empty"), ("x" * 4001, "4,001 characters")],
)
def test_a_query_that_is_none_is_refused(searching, query, said):
    with pytest.raises(UsageError, match=said):
        searching.search(query)


HOSTILE = (
    *("the of and", "'; DROP TABLE file; --", '" OR 1=1', "NEAR(a b, 3)", "a AND NOT b*", "%_%", "**/*", "(((", "\\"),
    *(
        "検索",
        "\U0001f600",
        "a\u0301",
        "a\ud800b",
        "x" * 4000,
        "\x1b[31mred",
        "-" * 500,
        "0",
        "@",
        "@::",
        "ADR-",
        "None",
    ),
)


@pytest.mark.parametrize("what", ["chunk", "file", "symbol", "decision"])
def test_whatever_is_asked_has_an_answer(searching, what):
    for query, how in product(HOSTILE, ("semantic", "keyword", "hybrid")):
        found = searching.search(query, how=how, what=what)
        assert all(0.0 < one.similarity <= 1.0 for one in found.results), query
        assert "\x1b" not in found.query


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": 0}, "limit lies between 1 and 100"),
        ({"limit": 101}, "limit lies between 1 and 100"),
        ({"offset": -1}, "offset is 0 or more"),
        ({"how": "magic"}, "how is semantic, keyword, hybrid; not 'magic'"),
        ({"mode": "x"}, "mode is learned, document"),
        ({"what": "x"}, "what is chunk, file, symbol, decision"),
        ({"glob": ""}, "names no file"),
        ({"glob": "# comment"}, "names no file"),
        ({"glob": "!*.py"}, "names no file"),
        ({"glob": "\\"}, "is not a valid glob"),
        ({"glob": "[z-a]"}, "is not a valid glob"),
        ({"glob": "a" * 501}, "501 characters"),
    ],
)
def test_an_option_that_cannot_be_is_refused(searching, given, said):
    with pytest.raises(UsageError, match=said):
        searching.search("rating", **given)


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("*.md", {"docs/decisions/ADR-007-ratings.md"}),
        ("src/", {"src/rating.py"}),
        ("*.rs", set()),
        ("*a*a*a*a*a*a*a*a*a*a*b", set()),
        ("a\x00b", set()),
    ],
)
def test_a_glob_leaves_only_what_it_names(searching, glob, paths):
    found = searching.search("rating", how="keyword", glob=glob)
    assert {one.path for one in found.results} == paths
    assert found.total == len(found.results)


def test_the_same_text_in_two_files_is_one_result_in_the_first_that_is_asked_for(searching, folder):
    folder.write({"a/copy.txt": "quick zebras\n", "b/copy.txt": "quick zebras\n"})
    folder.update()
    assert [one.path for one in searching.search("zebras", how="keyword").results] == ["a/copy.txt"]
    assert [one.path for one in searching.search("zebras", how="keyword", glob="b/").results] == ["b/copy.txt"]


def test_files_come_once_each_at_their_best_chunk(searching, folder):
    folder.write({"long.txt": "".join(f"zebra line {n} of many words to fill a chunk\n" for n in range(200))})
    folder.update()
    assert searching.search("zebra line", how="keyword").total > 2
    found = searching.search("zebra line", how="keyword", what="file")
    best = searching.search("zebra line", how="keyword").results[0]
    assert [(one.path, one.hash, one.similarity) for one in found.results] == [("long.txt", best.hash, best.similarity)]
    assert found.results[0].breakdown.rated is ContentKind.FILE


def test_symbols_are_found_by_name_whole_or_in_parts(searching):
    for query in ("expected_score", "@src/rating.py::expected_score"):
        exact = searching.search(query, what="symbol").results[0]
        assert (exact.symbol, exact.similarity, exact.start) == ("@src/rating.py::expected_score", 1.0, 4)
    assert searching.search("score", what="symbol").results[0].symbol == "@src/rating.py::expected_score"
    found = searching.search("Packer.pack", what="symbol")
    assert (found.tool, found.how, found.results[0].title) == ("cortex_query", "keyword", "Packer.pack")
    assert found.results[0].snippet.startswith("def pack")


def test_decision_records_are_found_by_id_and_by_title(searching):
    by_id = searching.search("ADR-007", what="decision").results[0]
    by_title = searching.search("how to rate", what="decision").results[0]
    assert (by_id.adr, by_id.similarity, by_id.title) == ("ADR-007", 1.0, "ADR-007: Rate by use")
    assert (by_title.adr, by_title.path, by_title.end) == ("ADR-007", "docs/decisions/ADR-007-ratings.md", 3)


def test_a_file_that_is_gone_says_so(searching, folder):
    (folder.root / "notes.txt").unlink()
    first = searching.search("bananas", how="keyword").results[0]
    assert first.snippet == "(the file is gone since it was indexed)"
    assert "file gone" in first.breakdown.flags


def test_what_may_not_be_read_any_more_is_not_shown(searching, folder, tmp_path):
    (tmp_path / "outside.txt").write_text("bananas")
    (folder.root / "notes.txt").unlink()
    (folder.root / "notes.txt").symlink_to(tmp_path / "outside.txt")
    assert searching.search("bananas", how="keyword").results == ()


def test_a_change_of_the_index_is_seen_by_the_next_search(searching, folder):
    assert searching.search("zebras", how="keyword").results == ()
    folder.write({"new.txt": "zebras\n"})
    folder.update()
    assert [one.path for one in searching.search("zebras", how="keyword").results] == ["new.txt"]
    (folder.root / "new.txt").unlink()
    folder.update()
    assert searching.search("zebras", how="keyword").results == ()


def test_without_vectors_words_alone_are_searched(remembering):
    folder = remembering("bare")
    folder.write(FILES)
    folder.update(vectors=False)
    with Scores(folder.store) as scores:
        searching = Searcher(folder.store, folder.index, lambda: scores, embedder=folder.embedder)
        found = searching.search("bananas")
        assert (found.how, found.tool, found.results[0].path) == ("keyword", "keyword_search", "notes.txt")
        with pytest.raises(UsageError, match="no vectors to search by meaning"):
            searching.search("bananas", how="semantic")
        folder.update()
        assert searching.search("bananas").how == "hybrid"


def test_where_nothing_is_indexed_it_says_how_to_begin(folder):
    with Scores(folder.store) as scores, pytest.raises(NotFound, match="the index holds nothing"):
        Searcher(folder.store, folder.index, lambda: scores, embedder=folder.embedder).search("x")


AT_ONCE = """
import json, sys
from paragone.memory.index import Index
from paragone.memory.scores import Scores
from paragone.memory.search import Searcher
from paragone.memory.store import Store
store = Store.open(sys.argv[1])
with Scores(store) as scores:
    found = Searcher(store, Index(store), lambda: scores).search("expected score", how="keyword")
print(json.dumps([(one.path, one.score) for one in found.results]))
"""


def test_processes_that_search_at_once_find_the_same(searching, folder):
    command = [warm_start.python(), "-c", AT_ONCE, str(folder.root)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) for _ in range(3)]
    said = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    own = [[one.path, one.score] for one in searching.search("expected score", how="keyword").results]
    assert said == [own] * 3
    kept = sorted(path.name.split("-")[0] for path in (folder.store.path / "keyword").iterdir())
    assert kept == ["chunk", "path"]


def test_searches_while_the_index_changes_find_what_is_there_before_or_after(searching, folder):
    wrong = []

    def search():
        while not done.is_set():
            found = [one.path for one in searching.search("zebra", how="hybrid", what="file", limit=100).results]
            wrong.extend(path for path in found if not path.startswith(("herd/", "src/", "docs/", "notes")))

    done = threading.Event()
    searchers = [ThreadPoolExecutor(1).submit(search) for _ in range(2)]
    for round in range(6):
        folder.write({f"herd/{round}-{n}.txt": f"zebra {round} of {n}\n" for n in range(20)})
        (folder.root / f"herd/{round}-0.txt").unlink()
        folder.update()
    done.set()
    for one in searchers:
        one.result(timeout=60)
    assert wrong == []
    found = searching.search("zebra", how="keyword", limit=100, glob="herd/")
    assert (found.total, len(found.results)) == (6 * 19, 100)


def test_of_a_generated_file_only_the_head_is_searched_and_its_changes_count_for_nothing(remembering):
    locked = "# locked\n" + "".join(f"package{number} == {number}\n" for number in range(2000)) + "zebra\n"
    plain, whole = remembering("plain"), remembering("whole", generated=True)
    for folder in (plain, whole):
        folder.write({**FILES, "uv.lock": locked, "app.py": "locked = bananas\n"})
        folder.update()
        [entry] = [entry for entry in folder.index.files() if entry.path == "uv.lock"]
        assert entry.tokens > 4000, "counted whole, as before"
        commits = [
            SessionLine(id=f"c{number}", session_id=f"c{number}", timestamp=folder.now, start_time=folder.now,
                        end_time=folder.now, accesses_logged=True, source="git", query="locked bananas",
                        files_accessed=("uv.lock", "app.py"))
            for number in range(5)
        ]  # fmt: skip
        folder.store.logs.append(commits)
        with Scores(folder.store) as scores:
            searcher = Searcher(folder.store, folder.index, lambda: scores)
            hits = [row.path for row in searcher.search("zebra", how="keyword").results]
            rows = {row.path: row.breakdown for row in searcher.search("locked", how="keyword", what="file").results}
        assert hits == (["uv.lock"] if folder is whole else [])
        assert (len(list(folder.index.chunks("uv.lock"))) == 1) is (folder is plain)
        assert rows["app.py"].past > 0.0 < rows["app.py"].use
        assert (rows["uv.lock"].past, rows["uv.lock"].use) == (0.0, 0.0)


def test_a_minified_file_has_no_definitions_since_its_names_were_made_up(remembering):
    plain, whole = remembering("plain"), remembering("whole", generated=True)
    for folder in (plain, whole):
        folder.write({"app.min.js": "function a(){return 1};" * 3, "vendor/lib.js": "function pad() {}\n"})
        folder.update()
    assert [symbol.name for symbol in plain.index.symbols()] == ["pad"]
    assert [symbol.name for symbol in whole.index.symbols()] == ["a", "a", "a", "pad"]
