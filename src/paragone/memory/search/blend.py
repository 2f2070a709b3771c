"""The parts of a search's score: what texts say, what answered like queries before, what is used, of all files at once.

    text  = 0.5 BM25(file, its path's words three times) + 0.5 best chunk's BM25 + 5 best chunk's cosine
    past  = BM25 over one document a file: the words of all queries and commit subjects that it answered
    use   = ln(1 + uses, each halved every 100 sessions)
    gamma = n/(n + 2),  n = mean uses of a file, each halved every 600 sessions
    score = text + gamma trust (1.5 past + 2 use) + 3 spread advantage

``trust`` and ``advantage`` are of ``paragone.ratings.usefulness``: 1 and 0 for content without feedback. ``spread`` is
that of the texts' scores of the query, so that feedback weighs the same whatever the query's words are worth. Sums are
not normalised: a long query leans on texts by itself. A store without history has gamma 0: texts alone order.
``scoring.score`` adds them up for each result.

The weights are fixed. They were chosen on the histories of five repositories (docs/design/0040).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paragone.memory.scores.learned import PastQueries, Queries
from paragone.memory.search.bm25 import B, Postings, idf
from paragone.memory.search.catalogue import Catalogue

Floats = npt.NDArray[np.float64]

K1 = 1.2
FILE_SHARE = 0.5
CHUNK_SHARE = 0.5
PATH_TIMES = 3.0
MEANING_WEIGHT = 5.0
PAST_WEIGHT = 1.5
USE_WEIGHT = 2.0
DAMPING = 2.0
ADVANTAGE_SPREADS = 3.0
_SPREAD_OF = 50
"""The best texts, whose spread is that of a query."""
_LEAST_SPREAD = 0.1
"""Of the best text: the spread of texts that are alike."""
_MIDDLE, _FAR = 1, 2
"""Places of the half-lives of 100 and 600 sessions in ``Past.sums``."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class TextScores:
    """Scores of texts.

    Attributes:
        files: Of each file as a whole, shape (files).
        chunks: Of each chunk, shape (rows).
    """

    files: Floats
    chunks: Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Experience:
    """What the past adds to files, weighted and damped; both shapes (files).

    Attributes:
        past: By queries that they answered.
        use: By how often they were used.
    """

    past: Floats
    use: Floats

    def only(self, counts: npt.NDArray[np.bool_]) -> "Experience":
        """That of some files; the others have none. ``counts`` has shape (files)."""
        return Experience(past=self.past * counts, use=self.use * counts)


def texts(chunks: Catalogue, paths: Postings, words: Sequence[str]) -> TextScores:
    """BM25 of files and of chunks.

    Args:
        chunks: The chunks; their words include those of their path once.
        paths: The words of the paths, a document for each of the catalogue's files.
        words: Distinct words of the query.
    """
    first_file = chunks.places[chunks.starts[:-1]] if len(chunks.ids) else chunks.places
    rows, in_files = chunks.pairs()

    def of_file(of_row: Floats, of_path: Floats) -> Floats:
        """A sum over the chunks of each file, with its path's words three times instead of once a chunk."""
        own = (of_row - of_path[first_file])[rows]
        return np.bincount(in_files, own, len(chunks.files)) + PATH_TIMES * of_path

    lengths = chunks.words.lengths.astype(np.float64)
    file_lengths = of_file(lengths, paths.lengths.astype(np.float64))
    in_rows = [_dense(chunks.words, word) for word in words]
    of_files = [of_file(row, _dense(paths, word)) for row, word in zip(in_rows, words, strict=True)]
    return TextScores(files=bm25(of_files, file_lengths), chunks=bm25(in_rows, lengths))


def _dense(index: Postings, word: str) -> Floats:
    documents, times = index.of(word)
    counts = np.zeros(len(index.lengths))
    counts[documents] = times
    return counts


def bm25(counts: Sequence[Floats], lengths: Floats) -> Floats:
    """The sum over words of ``idf tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length))``, as a column.

    Args:
        counts: Of each word, shape (documents).
        lengths: Words of each document, shape (documents).
    """
    scores = np.zeros(len(lengths))
    if len(lengths):
        penalty = K1 * (1.0 - B + B * lengths / max(float(lengths.mean()), 1e-9))
        for times in counts:
            weight = idf(int(np.count_nonzero(times)), len(lengths))
            scores += weight * (K1 + 1.0) * times / (times + penalty)
    return scores


def experience(answers: PastQueries, paths: Sequence[str], words: Sequence[str]) -> Experience:
    """What past queries and uses add to each of some files."""
    pasts = [answers.pasts.get(path) for path in paths]
    if not any(pasts):
        return Experience(past=np.zeros(len(paths)), use=np.zeros(len(paths)))
    none = (0.0, 0.0, 0.0)
    sums = np.asarray([none if past is None else past.at(answers.sessions) for past in pasts])
    lengths = np.asarray([0.0 if past is None else float(past.words) for past in pasts])
    density = float(sums[:, _FAR].mean())
    gamma = density / (density + DAMPING)
    of_words = [answers.words.get(word, {}) for word in words]
    counts = [np.asarray([float(times.get(path, 0)) for path in paths]) for times in of_words if times]
    return Experience(
        past=gamma * PAST_WEIGHT * bm25(counts, lengths), use=gamma * USE_WEIGHT * np.log1p(sums[:, _MIDDLE])
    )


_QUESTIONS = frozenset({"how", "where", "what", "which", "why", "when", "who"})
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")
_ABOUT_PROSE = frozenset({"doc", "document", "documentation", "readme", "changelog", "guide", "page"})
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec"})
_TEST_NAME = re.compile(r"test_|.*(?:[._](?:test|spec)\.|[a-z0-9]Tests?\.(?:java|kt|scala|groovy|cs|php|swift)$)")
_SECOND_HAND = 0.6
"""What a text is worth that is about a thing, or was made from it, where the thing itself is looked for."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SecondHand:
    """Which files are about the work that the others are, or made from it; each of shape (files)."""

    prose: npt.NDArray[np.bool_]
    tests: npt.NDArray[np.bool_]
    generated: npt.NDArray[np.bool_]


def second_hand(paths: Sequence[str], lengths: Floats, by_hand: npt.NDArray[np.bool_]) -> SecondHand:
    """The parts that files play. Where most of what people wrote is prose, it is the work itself.

    Args:
        paths: Of the files.
        lengths: Words of each.
        by_hand: Which of them no program wrote.
    """
    prose = np.asarray([path.endswith(_PROSE) for path in paths], np.bool_)
    is_about = 2.0 * lengths[prose & by_hand].sum() <= lengths[by_hand].sum()
    tests = np.asarray([_is_test(path) for path in paths], np.bool_)
    return SecondHand(prose=prose & is_about, tests=tests, generated=~by_hand)


def first_hand(
    query: str, words: Sequence[str], files: SecondHand, defines: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """What each file's text is worth to a query, shape (files): the work itself comes before the rest.

    Prose and tests are worth less to names, and to questions (how, where, what ...) that do not ask for documents or
    tests.

    Args:
        query: The query.
        words: Its distinct words.
        files: The parts that they play.
        defines: Which files define what the query names, shape (files); None if it is no name.
    """
    less = files.generated.copy()
    opening = query.split(maxsplit=1)[0].casefold() if query.strip() else ""
    if defines is not None or opening in _QUESTIONS:
        if _ABOUT_PROSE.isdisjoint(words):
            less |= files.prose
        if "test" not in words:
            less |= files.tests
    if defines is not None:
        less |= ~defines
    return np.where(less, _SECOND_HAND, 1.0)


def _is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return _TEST_NAME.match(name) is not None or not _TEST_FOLDERS.isdisjoint(folders)


def spread(text: Floats) -> float:
    """The standard deviation of the best texts' scores; some of the best score where they are alike."""
    matching = text[text > 0.0]
    if not len(matching):
        return 1.0
    best = np.sort(matching)[::-1][:_SPREAD_OF]
    return max(float(best.std()), _LEAST_SPREAD * float(best[0]))


_BY_CHANCE = 0.1
"""How alike queries on different subjects are."""
_UNASKED = 0.2
"""How alike a query is to evidence without one, such as a use that no search led to."""


def likeness(query: Mapping[str, float], queries: Queries) -> float:
    """How much of the evidence about content comes from queries like this one, from 0 to 1.

    Two queries are as alike as the square of the cosine of their words' weights: queries on one subject share their
    rare words, and any two share common ones.

    Args:
        query: The weight of each of its words.
        queries: Those for which there was evidence, and how much.
    """
    total = sum(amount for _, amount in queries)
    if total <= 0.0:
        return 0.0
    return sum(amount * _alike(query, words) for words, amount in queries) / total


def _alike(query: Mapping[str, float], words: Sequence[str]) -> float:
    if not words:
        return _UNASKED
    both = sum(query[word] ** 2 for word in words if word in query)
    own = sum(weight**2 for weight in query.values())
    # A word of the other query that this one lacks has the mean weight of this one's words: its own is not at hand.
    other = both + sum(word not in query for word in words) * own / max(len(query), 1)
    alike = both**2 / (own * other) if own > 0.0 and other > 0.0 else 0.0
    return max(alike - _BY_CHANCE, 0.0) / (1.0 - _BY_CHANCE)
