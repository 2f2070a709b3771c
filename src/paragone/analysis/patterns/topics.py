"""What items are about: topics and their names."""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone.analysis.patterns.features import word_table
from paragone.domain.rounding import COSINE_DECIMALS, SHARE_DECIMALS, rounded

LEAST_ITEMS = 3
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
    found = word_table(list(texts.values()))
    if found is None:
        return {}
    words, table = found
    given = None if clusters is None else np.array([clusters.get(id, -1) for id in texts], dtype=np.int64)
    labels = _factors(table) if given is None else given
    sizes = {int(label): int((labels == label).sum()) for label in np.unique(labels) if label >= 0}
    kept = sorted((label for label in sizes if sizes[label] >= LEAST_ITEMS), key=lambda label: -sizes[label])
    names = dict(zip(kept, _distinct(_name(words, table, labels == label) for label in kept), strict=True))
    chosen = {label: names[label] for label in kept[:MOST_TOPICS]}
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
        taken = {part for word in chosen for part in word.split()}
        if inside[at] <= outside[at] or len(chosen) == _NAMES:
            break
        if taken.isdisjoint(words[at].split()):
            chosen.append(words[at])
    return ", ".join(chosen) or "other"


def _distinct(names: Iterator[str]) -> Iterator[str]:
    """The same names, those that come again with a number."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"
