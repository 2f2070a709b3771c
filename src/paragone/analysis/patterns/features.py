"""Features of texts: words, pairs of words, and readable traits."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone.analysis.patterns.trait import TRAITS, traits_of

FloatArray = npt.NDArray[np.float64]

MOST_WORDS = 500
"""Words and pairs of words that are looked at: those that part the texts most evenly."""

LEAST_ITEMS = 4
LEAST_SHARE = 0.04
MOST_SHARE = 0.9


class Kind(StrEnum):
    """What a feature is."""

    TRAIT = "trait"
    WORD = "word"
    PAIR = "pair of words"


@dataclass(frozen=True, kw_only=True, eq=False)
class Features:
    """What texts are like, as numbers.

    Attributes:
        names: Of each column; a trait's name, or the words themselves.
        kinds: Of each column.
        weights: Columns in standard units, shape (texts, features): TF-IDF for words, the measure for traits. Rare
            words of a text weigh more than common ones: what a model predicts from.
        plain: Columns as a person would say them, centred: whether a word occurs (0 or 1), a trait in standard
            deviations.
        held: Whether a text has the feature: the word occurs, there is more of the trait than on average.
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    weights: FloatArray
    plain: FloatArray
    held: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.names)


def features_of(texts: Sequence[str]) -> Features:
    """The features of some texts.

    A word is looked at where at least four texts and 4 % have it, and at most 90 %.

    Raises:
        ImportError: If scikit-learn is not installed.
    """
    names, tfidf, present = _words(texts)
    traits = np.array([traits_of(text) for text in texts], dtype=np.float64)
    varied = traits.std(axis=0) > 1e-9
    traits = _standard(traits[:, varied])
    trait_names = tuple(trait.name for trait, keep in zip(TRAITS, varied, strict=True) if keep)
    return Features(
        names=(*trait_names, *names),
        kinds=(*(Kind.TRAIT for _ in trait_names), *(Kind.PAIR if " " in name else Kind.WORD for name in names)),
        weights=np.hstack([traits, _standard(tfidf)]),
        plain=np.hstack([traits, present - present.mean(axis=0)]),
        held=np.hstack([traits > 0, present > 0]),
    )


def _words(texts: Sequence[str]) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Words and pairs with their TF-IDF and their presence, dense."""
    vectors = word_table(texts)
    if vectors is None:
        empty = np.zeros((len(texts), 0))
        return (), empty, empty
    names, table = vectors
    share = np.asarray((table > 0).mean(axis=0)).ravel()
    kept = np.sort(np.argsort(-share * (1 - share), kind="stable")[:MOST_WORDS])
    dense: FloatArray = table[:, kept].toarray()
    return tuple(names[at] for at in kept.tolist()), dense, (dense > 0).astype(np.float64)


def word_table(texts: Sequence[str]) -> tuple[Sequence[str], Any] | None:
    """Words and pairs, and the sparse table of their TF-IDF, shape (texts, words); None where none is common enough.

    Raises:
        ImportError: If scikit-learn is not installed.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(
        ngram_range=(1, 2),
        sublinear_tf=True,
        stop_words="english",
        token_pattern=r"(?u)\b[^\W\d_][\w-]+\b",  # noqa: S106 - no password
        min_df=max(LEAST_ITEMS, round(LEAST_SHARE * len(texts))),
        max_df=MOST_SHARE,
    )
    try:
        table = vectoriser.fit_transform(texts)
    except ValueError:  # scikit-learn's word for an empty vocabulary
        return None
    return vectoriser.get_feature_names_out().tolist(), table.tocsr()


def _standard(columns: FloatArray) -> FloatArray:
    centred = columns - columns.mean(axis=0)
    spread = centred.std(axis=0)
    scaled: FloatArray = centred / np.where(spread > 1e-9, spread, 1.0)
    return scaled
