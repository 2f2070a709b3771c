"""What the similarity graph of many texts takes: CPU seconds and memory a step, and how many neighbours it misses.

Texts are made of a thousand topics, each a few dozen words of its own over common ones, so that neighbours exist. The
neighbours found are compared, for a sample, with those that looking at every pair finds; scikit-learn's exhaustive
search finds the same sample's in the same run.

Run ``python benchmarks/similarity.py --help``.
"""

import argparse
import json
import os
import resource
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from paragone.domain import Item
from paragone.similarity import SimilarityGraph, embed, open_embedder
from paragone.similarity.graph import cluster, nearest

SAMPLE = 1000
NEIGHBOURS = 10


def texts(count: int, seed: int = 0) -> list[Item]:
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, size)) for size in rng.integers(3, 9, size=20_000)]
    topics = rng.integers(len(words), size=(1000, 30))
    made = []
    for number in range(count):
        own = rng.choice(topics[number % 1000], 16)
        common = rng.integers(len(words), size=8)
        made.append(Item(id=f"t{number}", text=" ".join(words[word] for word in (*own, *common))))
    return made


def peak() -> float:
    """Peak resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int) -> dict[str, object]:
    items = texts(count)
    clock, before = time.process_time, peak()
    steps: list[dict[str, object]] = []

    def step(name, act):
        began = clock()
        result = act()
        steps.append({"step": name, "cpu_seconds": round(clock() - began, 2), "peak_mb": round(peak())})
        return result

    vectors = step("embed", lambda: embed(items, open_embedder()))
    near = step("neighbours", lambda: nearest(vectors, NEIGHBOURS))
    labels = step("clusters", lambda: cluster(vectors, near))
    graph = SimilarityGraph(ids=tuple(item.id for item in items), vectors=vectors, nearest=near, labels=labels)
    pairs = step("recommend 1,000 matches", lambda: graph.recommended(1000))
    rows = np.random.default_rng(1).choice(count, min(SAMPLE, count), replace=False)
    exact = step("exact, a sample", lambda: sampled(vectors, rows))
    step("scikit-learn, the same sample", lambda: sampled_by_peer(vectors, rows))
    found = [len(set(a) & set(b)) for a, b in zip(near.index[rows].tolist(), exact.tolist(), strict=True)]
    return {
        "items": count,
        "sample": len(rows),
        "megabytes_before": round(before),
        "recall": float(np.mean(found)) / NEIGHBOURS,
        "clusters": int(labels.max()) + 1,
        "same_topic": float(np.mean([int(a[1:]) % 1000 == int(b[1:]) % 1000 for a, b in pairs])),
        "steps": steps,
    }


def sampled(vectors, rows):
    cosine = vectors[rows] @ vectors.T
    cosine[np.arange(len(rows)), rows] = -np.inf
    return np.argpartition(-cosine, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]


def sampled_by_peer(vectors, rows):
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=NEIGHBOURS + 1, algorithm="brute", metric="cosine", n_jobs=1).fit(vectors)
    return search.kneighbors(vectors[rows], return_distance=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--quick", action="store_true", help="2,000 items only")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = [measure(count) for count in ([2000] if given.quick else given.items)]
    if given.json:
        json.dump(results, sys.stdout, indent=2)
        return
    for result in results:
        print(
            f"{result['items']:,} texts: {result['recall']:.1%} of the nearest {NEIGHBOURS} found, "
            f"{result['clusters']} clusters, {result['same_topic']:.1%} of the recommended matches within a topic; "
            f"{result['megabytes_before']} MB before"
        )
        for step in result["steps"]:
            print(f"  {step['step']:32s} {step['cpu_seconds']:8.2f} s CPU   peak {step['peak_mb']:6d} MB")


if __name__ == "__main__":
    main()
