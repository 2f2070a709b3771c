"""An inverted index of words, and BM25 scores over it.

Counts are stored, not scores: so a document that comes or goes leaves the others as they are, although it changes every
score, and an index is updated by exchanging some columns. Scores are computed for the words of a query.

Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the variant is
Lucene's, whose weights are never negative.
"""

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

K1 = 1.5
"""How slowly repeated words lose weight."""
B = 0.75
"""How much a long document is penalised for its length; from 0 to 1."""
_MAX_COUNT = np.iinfo(np.uint16).max


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Postings:
    """An inverted index. Documents are numbers from 0.

    Attributes:
        terms: The words, sorted.
        starts: Start of each word's postings, shape (terms + 1).
        documents: Documents, rising within a word, shape (postings).
        counts: Occurrences in the document, same shape.
        lengths: Words of each document, shape (documents).
    """

    terms: list[str]
    starts: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint16]
    lengths: npt.NDArray[np.int32]

    def similarity(self, query: Sequence[str]) -> npt.NDArray[np.float32]:
        """How well each document answers, in [0, 1): BM25 as a share of its upper bound.

        Words of the query that no document contains count in the bound.

        Returns:
            Shape (documents).
        """
        # score(d) = sum over words of idf * tf / (tf + k1 * (1 - b + b * length(d) / mean length)). BM25 multiplies it
        # by k1 + 1, the same for all documents. Without it each fraction is below 1, so the sum of the weights bounds
        # the score, and a share of that bound compares across queries.
        scores = np.zeros(len(self.lengths), np.float32)
        bound = 0.0
        penalty = self._penalty()
        for word, times in Counter(query).items():
            documents, counts = self.of(word)
            weight = times * idf(len(documents), len(self.lengths))
            bound += weight
            scores[documents] += np.float32(weight) * counts / (counts + penalty[documents])
        return scores / np.float32(bound) if bound > 0.0 else scores

    def occurrences(self, word: str) -> int:
        """Number of documents that contain a word."""
        return len(self.of(word)[0])

    def _penalty(self) -> npt.NDArray[np.float32]:
        mean = float(self.lengths.mean()) if len(self.lengths) else 1.0
        return (K1 * (1.0 - B + B / max(mean, 1e-9) * self.lengths)).astype(np.float32)

    def of(self, word: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """The documents with a word, and how often each has it; both shapes (documents with it)."""
        at = bisect_left(self.terms, word)
        is_indexed = at < len(self.terms) and self.terms[at] == word
        some = slice(int(self.starts[at]), int(self.starts[at + 1])) if is_indexed else slice(0)
        return self.documents[some], self.counts[some].astype(np.float32)


def idf(documents: int, of: int) -> float:
    """The weight of a word that occurs in ``documents`` of ``of`` documents: ``ln(1 + (N - n + 1/2) / (n + 1/2))``.

    The 1 in the logarithm is Lucene's: without it a word in more than half of the documents would count against them.
    """
    return math.log1p((of - documents + 0.5) / (documents + 0.5))


class PostingsBuilder:
    """The words of new documents, in columns: as mappings, those of 100,000 documents would fill the memory.

    Args:
        terms: The words of an older index, in its order.
    """

    def __init__(self, terms: Sequence[str] = ()) -> None:
        self.vocabulary = {term: number for number, term in enumerate(terms)}
        self.lengths: dict[int, int] = {}
        self.terms, self.documents, self.counts = array("i"), array("i"), array("H")

    def add(self, document: int, words: Mapping[str, int]) -> None:
        """Add a document with its words and their counts."""
        numbers = self.vocabulary
        self.terms.extend([numbers.setdefault(word, len(numbers)) for word in words])
        self.documents.extend([document] * len(words))
        self.counts.extend([min(number, _MAX_COUNT) for number in words.values()])
        self.lengths[document] = sum(words.values())


def postings(size: int, fresh: PostingsBuilder, *, old: Postings, to: npt.NDArray[np.int64]) -> Postings:
    """The inverted index after a change.

    Args:
        size: Number of documents.
        fresh: The new documents; it was created with the old index's words.
        old: The index before, possibly empty.
        to: The new number of each of its documents, -1 for those that are gone, shape (old documents).
    """
    lengths = np.zeros(size, np.int32)
    lengths[to[to >= 0]] = old.lengths[to >= 0]
    lengths[list(fresh.lengths)] = list(fresh.lengths.values())
    renumbered = to[old.documents]
    stays = renumbered >= 0
    old_terms = np.repeat(np.arange(len(old.terms), dtype=np.int32), np.diff(old.starts))[stays]
    return _sorted(
        list(fresh.vocabulary),
        np.concatenate([old_terms, np.asarray(fresh.terms, np.int32)]),
        np.concatenate([renumbered[stays].astype(np.int32), np.asarray(fresh.documents, np.int32)]),
        np.concatenate([old.counts[stays], np.asarray(fresh.counts, np.uint16)]),
        lengths,
    )


def _sorted(
    vocabulary: list[str],
    terms: npt.NDArray[np.int32],
    documents: npt.NDArray[np.int32],
    counts: npt.NDArray[np.uint16],
    lengths: npt.NDArray[np.int32],
) -> Postings:
    """In the order of words, then of documents, without unused words: the same for any history."""
    used = np.flatnonzero(np.bincount(terms, minlength=len(vocabulary)))
    names = sorted((vocabulary[number], number) for number in used.tolist())
    rank_of = np.zeros(len(vocabulary), np.int64)
    rank_of[[number for _, number in names]] = np.arange(len(names))
    keys = rank_of[terms] * max(len(lengths), 1) + documents
    order = np.argsort(keys, kind="stable")
    starts = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.bincount(rank_of[terms], minlength=len(names)), out=starts[1:])
    return Postings(
        terms=[name for name, _ in names],
        starts=starts,
        documents=documents[order],
        counts=counts[order],
        lengths=lengths,
    )


def nothing() -> Postings:
    """The index of no documents."""
    return Postings(
        terms=[],
        starts=np.zeros(1, np.int64),
        documents=np.zeros(0, np.int32),
        counts=np.zeros(0, np.uint16),
        lengths=np.zeros(0, np.int32),
    )
