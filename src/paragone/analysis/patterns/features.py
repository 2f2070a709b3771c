"""Features of texts: words, pairs of words, topics, and traits that a reader can check.

Traits are a text's length, its numbers, its hedges and the like.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, log1p, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone.domain.rounding import COSINE_DECIMALS, SHARE_DECIMALS, rounded


@dataclass(frozen=True, kw_only=True, slots=True)
class Trait:
    """One readable trait.

    Attributes:
        name: What there is more of, such as ``numbers with units``.
        advice: How to have more of it.
        restraint: How to have less of it.
        measure: How much of it a text has, given the text and the number of its words.
    """

    name: str
    advice: str
    restraint: str
    measure: Callable[[str, int], float]


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)")
_PER = 100.0


def words(text: str) -> int:
    """Words in a text, numbers left out."""
    return sum(1 for _ in _WORD.finditer(text))


def _rate(pattern: str) -> Callable[[str, int], float]:
    """Occurrences a hundred words, on a logarithmic scale: the second one counts less than the first."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text, count: log1p(_PER * sum(1 for _ in compiled.finditer(text)) / max(count, 1))


def _any_of(*terms: str) -> str:
    return rf"\b(?:{'|'.join(terms)})\b"


_NUMBER = r"(?<![\w.])\d+(?:[.,]\d+)*"
_UNIT = (
    r"\s?(?:%|percent|fold|[munpµ]?[gmlMs]\b|k[gm]\b|mg/\w+|[mµn]M\b|°C|Hz\b|kDa\b|days?\b|weeks?\b|months?\b|years?\b"
    r"|hours?\b|minutes?\b|seconds?\b|patients?\b|samples?\b|mice\b)"
)
_CITATION = r"\[\d+(?:\s?[,;–-]\s?\d+)*\]|\bet al\b|\(\w[^()]{0,60}\b(?:19|20)\d\d[a-z]?\)|\bdoi\b|https?://"
_HEDGE = _any_of(
    "may", "might", "could", "possibly", "perhaps", "potentially", "presumably", "seems?", "appears?", "suggests?",
    "likely", "somewhat", "arguably", "conceivably", "speculate[ds]?",
)  # fmt: skip
_BOAST = _any_of(
    "groundbreaking", "revolutionary", "revolutioni[sz]e", "unprecedented", "transformative", "paradigm",
    "cutting-edge", "state-of-the-art", "clearly", "obviously", "undoubtedly", "dramatically",
)  # fmt: skip
_METHOD = _any_of(
    "protocols?", "experiments?", "assays?", "trials?", "controls?", "randomi[sz]ed", "blinded", "cohorts?",
    "baselines?", "benchmarks?", "measure[ds]?", "measurements?", "quantif(?:y|ied|ies)", "samples?", "datasets?",
    "replicat(?:e|es|ed|ion)", "in vitro", "in vivo", "procedure", "metrics?",
)  # fmt: skip
_CAUSE = _any_of(
    "because", "therefore", "thus", "hence", "leads? to", "causes?", "due to", "mechanisms?", "mediate[ds]?",
    "inhibit(?:s|ed|ion)?", "activat(?:e|es|ed|ion)", "consequently",
)  # fmt: skip
_COMPARISON = _any_of("than", "compared", "versus", "vs", "relative to", "outperforms?", "unlike", "whereas")
_FAILURE = _any_of(
    "falsif(?:y|ied|iable)", "refute[ds]?", "disprove[ds]?", "rule[ds]? out", "limitations?", "risks?", "caveats?",
    "confound(?:s|ed|er|ers|ing)?", "alternative explanations?", "null hypothesis",
)  # fmt: skip
_LIST = r"(?m)^\s*(?:[-*•]|\d+[.)])\s+|^\s*#+\s"

WRITING_TRAITS: tuple[Trait, ...] = (
    Trait(
        name="long texts",
        advice="write longer texts",
        restraint="write shorter texts",
        measure=lambda _, count: log(max(count, 1)),
    ),
    Trait(
        name="long sentences",
        advice="let sentences run longer",
        restraint="write shorter sentences",
        measure=lambda text, count: count / max(sum(1 for _ in _SENTENCE.finditer(text)), 1),
    ),
    Trait(name="numbers", advice="give numbers", restraint="use fewer numbers", measure=_rate(_NUMBER)),
    Trait(
        name="numbers with units",
        advice="give quantities with their units",
        restraint="use fewer quantities with units",
        measure=_rate(_NUMBER + _UNIT),
    ),
    Trait(name="citations", advice="cite evidence", restraint="lean less on citations", measure=_rate(_CITATION)),
    Trait(
        name="hedging words",
        advice="say where things are uncertain",
        restraint="hedge less (may, might, could)",
        measure=_rate(_HEDGE),
    ),
    Trait(
        name="boasting words",
        advice="say plainly what is new",
        restraint="avoid boasts (groundbreaking, unprecedented)",
        measure=_rate(_BOAST),
    ),
    Trait(
        name="words about methods and protocols",
        advice="spell out methods, controls and measurements",
        restraint="spend fewer words on methods",
        measure=_rate(_METHOD),
    ),
    Trait(
        name="words about causes and mechanisms",
        advice="name causes and mechanisms",
        restraint="spend fewer words on mechanisms",
        measure=_rate(_CAUSE),
    ),
    Trait(
        name="comparisons",
        advice="compare with alternatives",
        restraint="compare less with alternatives",
        measure=_rate(_COMPARISON),
    ),
    Trait(
        name="limits and ways to be refuted",
        advice="say what would refute it and where its limits are",
        restraint="spend fewer words on limits",
        measure=_rate(_FAILURE),
    ),
    Trait(name="question marks", advice="ask questions", restraint="ask fewer questions", measure=_rate(r"\?")),
    Trait(
        name="lists and headings", advice="use lists and headings", restraint="use fewer lists", measure=_rate(_LIST)
    ),
)
"""All traits, in the order in which they are looked at."""


def traits_of(text: str) -> list[float]:
    """How much a text has of each trait."""
    count = words(text)
    return [trait.measure(text, count) for trait in WRITING_TRAITS]


BY_NAME: Mapping[str, Trait] = {trait.name: trait for trait in WRITING_TRAITS}


FloatArray = npt.NDArray[np.float64]

MOST_WORDS = 500
"""Words and pairs of words that are looked at: those that part the texts most evenly."""

LEAST_ITEMS = 4
LEAST_SHARE = 0.04
MOST_SHARE = 0.9


class FeatureKind(StrEnum):
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
    kinds: tuple[FeatureKind, ...]
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
    trait_names = tuple(trait.name for trait, keep in zip(WRITING_TRAITS, varied, strict=True) if keep)
    return Features(
        names=(*trait_names, *names),
        kinds=(
            *(FeatureKind.TRAIT for _ in trait_names),
            *(FeatureKind.PAIR if " " in name else FeatureKind.WORD for name in names),
        ),
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
    selected = np.sort(np.argsort(-share * (1 - share), kind="stable")[:MOST_WORDS])
    dense: FloatArray = table[:, selected].toarray()
    return tuple(names[at] for at in selected.tolist()), dense, (dense > 0).astype(np.float64)


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


LEAST_TOPIC_ITEMS = 3
MOST_TOPICS = 8
_NAMES = 3
_ITERATIONS = 400


def topics_of(texts: Mapping[str, str], clusters: Mapping[str, int] | None = None) -> dict[str, str]:
    """The topic of each item, by id; items of clusters with fewer than three are left out.

    Args:
        texts: By id.
        clusters: The items' clusters, where somebody knows which are alike; topics are made from their words otherwise.

    Raises:
        ImportError: If scikit-learn is not installed.
    """
    word_counts = word_table(list(texts.values()))
    if word_counts is None:
        return {}
    words, table = word_counts
    assigned = None if clusters is None else np.array([clusters.get(id, -1) for id in texts], dtype=np.int64)
    labels = _factors(table) if assigned is None else assigned
    sizes = {int(label): int((labels == label).sum()) for label in np.unique(labels) if label >= 0}
    large = sorted((label for label in sizes if sizes[label] >= LEAST_TOPIC_ITEMS), key=lambda label: -sizes[label])
    names = dict(zip(large, _distinct(_name(words, table, labels == label) for label in large), strict=True))
    chosen = {label: names[label] for label in large[:MOST_TOPICS]}
    return {id: chosen[label] for id, label in zip(texts, labels.tolist(), strict=True) if label in chosen}


def _factors(table: Any) -> npt.NDArray[np.int64]:  # noqa: ANN401 - a sparse table
    """The strongest of a few factors of the table, for each text; -1 where it has none."""
    import warnings

    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    count = int(np.clip(round(sqrt(table.shape[0] / 4)), 2, min(MOST_TOPICS, *table.shape)))
    model = NMF(n_components=count, init="nndsvda", random_state=0, max_iter=_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # topics need no more digits
        shares = rounded(model.fit_transform(table), COSINE_DECIMALS)
    labels: npt.NDArray[np.int64] = np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), -1).astype(np.int64)
    return labels


def _name(words: Sequence[str], table: Any, own: npt.NDArray[np.bool_]) -> str:  # noqa: ANN401 - a sparse table
    """The words that are more typical of the topic's texts than of the others; none is part of another."""
    inside = np.asarray(table[own].mean(axis=0)).ravel()
    outside = np.asarray(table[~own].mean(axis=0)).ravel() if not own.all() else np.zeros_like(inside)
    chosen: list[str] = []
    for at in np.argsort(rounded(outside - inside, SHARE_DECIMALS), kind="stable").tolist():
        used = {part for word in chosen for part in word.split()}
        if inside[at] <= outside[at] or len(chosen) == _NAMES:
            break
        if used.isdisjoint(words[at].split()):
            chosen.append(words[at])
    return ", ".join(chosen) or "other"


def _distinct(names: Iterator[str]) -> Iterator[str]:
    """The same names, those that come again with a number."""
    count_of: dict[str, int] = {}
    for name in names:
        count_of[name] = count_of.get(name, 0) + 1
        yield name if count_of[name] == 1 else f"{name} ({count_of[name]})"
