"""Do clicks that are fed back harm queries on other subjects? The Cranfield collection, through the public API.

    .venv/bin/python benchmarks/memory_clicks.py --cranfield FOLDER [--orders N] [--clicks NAME] [--fed used|read]

1,400 abstracts are files; 225 queries come in random orders, each once. After each query a reader looks at rank k of
ten with probability 1/(1 + 0.7 (k - 1)) and clicks; what is clicked is opened and, under ``used``, reported as used.
Clean clicks are on relevant abstracts alone; noisy ones on relevant with 0.8 and on others with 0.2; random ones on
all with 0.3. Told is nDCG@10 (gain 1 for each relevant abstract) with clicks fed back less that of a store that
learns nothing, the mean over orders of each query, with a 95 % bootstrap interval over queries. Past queries hardly
help here, since each subject comes once: the question is what they cost.

FOLDER has the files ``cran.all.1400``, ``cran.qry`` and ``cranqrel`` of the collection; they are not part of paragone.
"""

import argparse
import json
import math
import re
import tempfile
import time
from itertools import count
from pathlib import Path

import numpy as np
from rating_table import Table, as_json, as_text

from paragone import Memory

CLICKS = {"clean": (0.8, 0.0), "noisy": (0.8, 0.2), "random": (0.3, 0.3)}
SHOWN = 10
MAX_QUERY = 1000


def parts(text: str) -> list[dict[str, str]]:
    """The records of a file of the collection: its fields by their letter."""
    records = re.split(r"(?m)^\.I \d+\s*\n", text)[1:]
    return [dict(re.findall(r"(?ms)^\.([A-Z])\s*\n(.*?)(?=^\.[A-Z]\s*\n|\Z)", record)) for record in records]


def read(folder: Path) -> tuple[list[str], list[str], list[set[int]]]:
    """Texts of the abstracts, queries, and the numbers of the relevant abstracts of each query."""
    texts = [
        record.get("T", "") + "\n" + record.get("W", "") for record in parts((folder / "cran.all.1400").read_text())
    ]
    queries = [" ".join(record["W"].split()) for record in parts((folder / "cran.qry").read_text())]
    relevant: list[set[int]] = [set() for _ in queries]
    for line in (folder / "cranqrel").read_text().splitlines():
        query, document, grade = map(int, line.split()[:3])
        if grade > 0:
            relevant[query - 1].add(document - 1)
    return texts, queries, relevant


def ndcg(found: list[int], relevant: set[int]) -> float:
    gain = sum(1.0 / math.log2(rank + 1) for rank, document in enumerate(found, 1) if document in relevant)
    ideal = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(len(relevant), SHOWN) + 1))
    return gain / ideal if ideal else 0.0


def life(texts, queries, relevant, order, clicks, fed, how, seed=7):
    """nDCG@10 of each query; ``clicks`` None feeds nothing back."""
    rng, clock, ids = np.random.default_rng(seed), count(1_700_000_000, 600), count()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        for number, text in enumerate(texts):
            (folder / f"{number:04}.txt").write_text(text)
        scores = np.zeros(len(queries))
        with Memory.create(folder, clock=lambda: float(next(clock)), new_id=lambda: f"{next(ids)}") as memory:
            memory.index(vectors=how != "keyword")
            for query in order:
                session = memory.session("reader")
                page = session.search(queries[query][:MAX_QUERY], what="file", how=how, limit=SHOWN)
                found = [int(result.path[:4]) for result in page.results]
                scores[query] = ndcg(found, relevant[query])
                for rank, document in enumerate(found if clicks else ()):
                    luck = rng.random(2)
                    share = CLICKS[clicks][0 if document in relevant[query] else 1]
                    if luck[0] < 1.0 / (1.0 + 0.7 * rank) and luck[1] < share:
                        session.read(f"{document:04}.txt")
                        if fed == "used":
                            session.used(f"{document:04}.txt")
                session.end_session()
    return scores


def interval(changes: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    means = rng.choice(changes, (2000, len(changes))).mean(axis=1)
    return tuple(np.quantile(means, [0.025, 0.975]).tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cranfield", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--orders", type=int, default=4, help="of the queries, each with clicks of its own; the mean counts"
    )
    parser.add_argument("--clicks", choices=CLICKS, action="append", default=[])
    parser.add_argument("--fed", choices=["used", "read"], action="append", default=[])
    parser.add_argument("--how", choices=["keyword", "hybrid"], default="keyword")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    began = time.process_time()
    texts, queries, relevant = read(given.cranfield)
    plain = life(texts, queries, relevant, range(len(queries)), None, "", given.how)
    rows = []
    for fed in given.fed or ["used", "read"]:
        for clicks in given.clicks or CLICKS:
            orders = [np.random.default_rng(100 + n).permutation(len(queries)) for n in range(given.orders)]
            lives = [
                life(texts, queries, relevant, order.tolist(), clicks, fed, given.how, 7 + number)
                for number, order in enumerate(orders)
            ]
            changes = np.mean(lives, axis=0) - plain
            low, high = interval(changes)
            met = changes.mean() >= -0.002 and low >= -0.006
            rows.append(
                [clicks, fed, f"{changes.mean():+.4f}", f"{low:+.4f} to {high:+.4f}", "met" if met else "MISSED"]
            )
    note = f"{len(queries)} queries, {given.orders} orders, {given.how}; nDCG@10 without feedback {plain.mean():.4f}"
    told = Table(title="Clicks fed back, Cranfield", columns=["clicks", "fed as", "change", "95 %", "bar"], rows=rows,
                 notes=[note, f"{time.process_time() - began:.0f} CPU seconds"])  # fmt: skip
    print(json.dumps(as_json(told), indent=2) if given.json else as_text(told))


if __name__ == "__main__":
    main()
