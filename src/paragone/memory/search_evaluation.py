"""What each part of search adds on a store: past queries are asked again, with what was known before each of them.

A query is the subject of a commit, with the files that it changed, or a search of an agent, with the files that were
reported as used. Texts are those of the index now, so texts alone are seen too favourably: what the past and use add is
a lower bound. Searches are by words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from paragone.analysis.content.prequential import ModelScore, SessionScore, compare, ranked
from paragone.domain.content import Action, ContentKind
from paragone.memory.scores.learned import PlainLearning
from paragone.memory.scores.learning import learn, remembered_words
from paragone.memory.search.blend import (
    ADVANTAGE_SPREADS,
    CHUNK_SHARE,
    FILE_SHARE,
    Floats,
    experience,
    likeness,
    spread,
    texts,
)
from paragone.memory.search.bm25 import idf
from paragone.memory.search.candidates import SearchSnapshot
from paragone.memory.store.lines import AccessLine, LogLine, SearchLine, SessionLine
from paragone.ratings.usefulness import about, advantage, trust

if TYPE_CHECKING:
    from paragone.memory.index import Index
    from paragone.memory.store import Store

TEXTS, PAST, USE, ALL = "texts alone", "texts and past queries", "texts and use", "all: the default"
MAX_QUERIES = 200
"""The last queries that are asked again."""
Source = Literal["all", "git", "agents"]


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchEvaluation:
    """How well each part of search found what answered the last queries.

    Attributes:
        parts: The best first; ``mrr`` is the mean of 1 / rank of the first file that answered, ``lead`` that over texts
            alone.
        queries: Number of queries.
        files: Number of files searched.
        seed: Of the intervals.
    """

    parts: tuple[ModelScore, ...] = ()
    queries: int = 0
    files: int = 0
    seed: int = 0


def evaluate_search(
    store: "Store",
    index: "Index",
    *,
    source: Source = "all",
    seed: int = 0,
) -> SearchEvaluation:
    """Ask the last ``MAX_QUERIES`` queries of a store again, each before learning from it.

    Args:
        store: Whose logs.
        index: Its index.
        source: Ask all queries, those of git's history, or those of agents; all are learned from.
        seed: Seed of the intervals.
    """
    paths = SearchSnapshot(store, index).catalogue("chunk").files
    lines = list(store.logs.after())
    queries = list(_queries(lines, set(paths), source))[-MAX_QUERIES:]
    if not queries:
        return SearchEvaluation(files=len(paths), seed=seed)
    scores = _asked_again(SearchSnapshot(store, index), lines, {query.line: query for query in queries})
    return SearchEvaluation(
        parts=compare(scores, against=TEXTS, rng=np.random.default_rng(seed)),
        queries=len(queries),
        files=len(paths),
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Query:
    """A query: the ``seq`` of its line, its words, and the files that answered it."""

    line: int
    words: tuple[str, ...]
    answers: frozenset[str]


def _queries(lines: Sequence[LogLine], paths: set[str], source: Source) -> Iterator[_Query]:
    used = _used(lines)
    for line in lines:
        query, answers = "", set[str]()
        if isinstance(line, SessionLine) and line.source == "git" and source != "agents":
            query, answers = line.query, set(line.files_accessed)
        elif isinstance(line, SearchLine) and line.tool != "grep_search" and source != "git":
            query, answers = line.query, used.get(line.id, set())
        words, targets = remembered_words(query), frozenset(answers & paths)
        if words and targets:
            yield _Query(line=line.seq, words=words, answers=targets)


def _used(lines: Iterable[LogLine]) -> dict[str, set[str]]:
    """The files reported as used, by the search that showed them."""
    used: dict[str, set[str]] = {}
    for line in lines:
        if isinstance(line, AccessLine) and line.action in {Action.USED, Action.CITED} and line.search_id:
            used.setdefault(line.search_id, set()).add(line.file_path or line.entity_id)
    return used


def _asked_again(
    snapshot: SearchSnapshot, lines: Iterable[LogLine], queries: dict[int, _Query]
) -> dict[str, list[SessionScore]]:
    scores: dict[str, list[SessionScore]] = {TEXTS: [], PAST: [], USE: [], ALL: []}
    numbers = {path: number for number, path in enumerate(snapshot.catalogue("chunk").files)}
    learning = PlainLearning()
    for line in lines:
        query = queries.get(line.seq)
        if query is not None:
            answers = np.asarray(sorted(numbers[path] for path in query.answers), np.intp)
            for part, points in _scores(snapshot, learning, query.words).items():
                score = ranked(np.round(points, 9), answers)
                scores[part].append(replace(score, used=1, reciprocal=score.first))
        learn(line, learning)
    return scores


def _scores(snapshot: SearchSnapshot, learning: PlainLearning, words: Sequence[str]) -> dict[str, Floats]:
    """The score of every file by each part; shapes (files)."""
    entries = snapshot.catalogue("chunk")
    by_words = texts(entries, snapshot.path_words, words)
    rows, files = entries.pairs()
    best = np.zeros(len(entries.files))
    np.maximum.at(best, files, by_words.chunks[rows])
    text = FILE_SHARE * by_words.files + CHUNK_SHARE * best
    learned = experience(learning.answers(words), entries.files, words).only(snapshot.by_hand)
    weights = {word: idf(len(entries.words.of(word)[0]), len(entries.ids)) for word in words}
    share, gain = np.ones(len(text)), np.zeros(len(text))
    keys = ((number, (str(ContentKind.FILE), path)) for number, path in enumerate(entries.files))
    evidence = {
        number: about(learning.feedbacks[key], likeness(weights, learning.queries.get(key, ())))
        for number, key in keys
        if key in learning.feedbacks
    }
    trials = max((of.shown for of in evidence.values()), default=0.0)
    for number, of in evidence.items():
        share[number], gain[number] = trust(of), advantage(of, trials=trials)
    score = text + share * (learned.past + learned.use) + ADVANTAGE_SPREADS * spread(text) * gain
    return {TEXTS: text, PAST: text + learned.past, USE: text + learned.use, ALL: score}
