"""Search of memory: how long it takes, and how often what is looked for is among the first ten.

Speed: a store of text files whose words are drawn by Zipf's law, identifiers among them; vectors are random, since what
they say costs no time, and the query's own is made by the embedder. Beside it SQLite's FTS5 and bm25s over the same
chunks, a full sort of all cosines by numpy, and ``grep -rE`` over the same files.

Quality, of two kinds, both on a checkout of Python code (``--repository``, this one by default):

- docstrings: all are cut out of a copy; the first line of a function's is the query, the lines of its body what is to
  be found. Nobody has used anything yet, so only ways of searching differ.
- commits: the subject of each of the last 60 commits along the first parents is a query for files, and what it changed
  is to be found, but for generated files. Every query sees the tree at the commit's parent and the history before it,
  as ``paragone memory index`` and ``learn-git`` read them, and nothing later. ``--repository`` may be given several
  times; beside it BM25 of contents, in the same run, and what each part of the score adds.

Run ``python benchmarks/memory_search.py --help``.
"""

import argparse
import ast
import json
import os
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from paragone import Memory
from paragone.memory.index import Index
from paragone.memory.scores import Scores
from paragone.memory.search import Grep, Searcher
from paragone.memory.store import Store
from paragone.memory.words import query_terms, words
from paragone.similarity import open_embedder

HERE = Path(__file__).parents[1]
QUERIES = 100
WORDS = 30_000
LINES = 10
DEEP = 10
"""Results that are looked at: what comes after them counts as not found."""


class RandomEmbedder:
    """Vectors without meaning, the same for the same text."""

    name = "random/256"

    def embed(self, texts):
        seeds = [int.from_bytes(sha256(text.encode()).digest()[:8]) for text in texts]
        return np.stack([np.random.default_rng(seed).standard_normal(256, np.float32) for seed in seeds])


def vocabulary(rng):
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    plain = ["".join(rng.choice(letters, size)) for size in rng.integers(3, 9, WORDS)]
    return [f"{word}_{plain[-at - 1]}" if at % 7 == 0 else word for at, word in enumerate(plain)]


def written(folder, chunks, rng):
    """Files of some ten chunks each."""
    words = vocabulary(rng)
    share = 1 / np.arange(1, WORDS + 1)
    share /= share.sum()
    for number in range(max(chunks // 10, 1)):
        path = folder / f"part{number % 97}" / f"text_{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        picked = rng.choice(WORDS, (10 * LINES, 6), p=share)
        path.write_text("\n".join(" ".join(words[word] for word in row) for row in picked))
    return [" ".join(words[word] for word in rng.choice(WORDS, 6, p=share)) for _ in range(QUERIES)]


def resident():
    """Resident memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def timed(act, queries):
    """CPU milliseconds, the median and the 95th percentile."""
    taken = []
    for query in queries:
        began = time.process_time()
        act(query)
        taken.append((time.process_time() - began) * 1000)
    return {"p50": statistics.median(taken), "p95": float(np.percentile(taken, 95))}


def once(act):
    began, before = time.process_time(), resident()
    result = act()
    return result, {"seconds": time.process_time() - began, "mb": resident() - before}


def speed(chunks, folder):
    rng = np.random.default_rng(0)
    queries = written(folder, chunks, rng)
    store = Store.create(folder)
    with closing(Index(store, embedder=RandomEmbedder())) as index, Scores(store) as scores:
        _, made = once(index.update)
        rows = {"index (random vectors)": made}
        local = open_embedder()
        _, rows["load the embedder"] = once(lambda: local.embed(["one"]))
        embedded = timed(lambda query: local.embed([query]), queries)
        searcher = Searcher(store, index, lambda: scores, embedder=RandomEmbedder())
        _, rows["first search: words are counted"] = once(lambda: searcher.search("one"))
        searcher = Searcher(store, index, lambda: scores, embedder=RandomEmbedder())
        _, rows["first search of another process: loaded"] = once(lambda: searcher.search("one"))
        (folder / "part0" / "new.txt").write_text("something new and different")
        index.update()
        _, rows["first search after a change of one file"] = once(lambda: searcher.search("one"))
        found = {"embed a query (local)": embedded}
        for how in ("semantic", "keyword", "hybrid"):
            found[f"{how}"] = timed(lambda query, how=how: searcher.search(query, how=how), queries)
        for mode in ("document",):
            found[f"hybrid, {mode}"] = timed(lambda query, mode=mode: searcher.search(query, mode=mode), queries)
        found["hybrid, --glob part1*/"] = timed(lambda query: searcher.search(query, glob="part1*/"), queries)
        found["hybrid, files"] = timed(lambda query: searcher.search(query, what="file"), queries)
        found |= peers(index, queries)
        lines = grepped(store, index, folder)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {"chunks": sum(1 for _ in index.chunks()), "files": len(index.files()), "once": rows,
                "queries": found, "grep": lines, "peak_mb": peak}  # fmt: skip


def peers(index, queries):
    texts = {chunk.hash: chunk.text for chunk in index.chunks()}
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE chunk USING fts5(text)")
    database.executemany("INSERT INTO chunk VALUES (?)", ((text,) for text in texts.values()))
    ask = "SELECT rowid FROM chunk WHERE chunk MATCH ? ORDER BY bm25(chunk) LIMIT 10"
    found = {"SQLite FTS5, any word": timed(lambda query: database.execute(ask, (any_of(query),)).fetchall(), queries)}
    _, matrix = index.vectors()
    vector = matrix[0]
    found["numpy argsort of all cosines"] = timed(lambda _: np.argsort(-(matrix @ vector))[:10], queries)
    if find_spec("bm25s") is None:
        print("bm25s is not installed: its row is left out", file=sys.stderr)
        return found
    import bm25s

    documents = [query_terms(text) for text in texts.values()]
    table, made = once(lambda: bm25s.BM25(method="lucene"))
    _, made = once(lambda: table.index(documents, show_progress=False))
    found[f"bm25s (words given; indexed in {made['seconds']:.1f} s)"] = timed(
        lambda query: table.retrieve([query_terms(query)], k=10, show_progress=False, n_threads=0), queries
    )
    return found


def any_of(query):
    return " OR ".join(f'"{word}"' for word in query.split())


def grepped(store, index, folder):
    """Seconds of a whole search, CPU of this process and of its children."""
    patterns = ("qzx[a-f]+_", "e.*f.*g.*h.*i", "zzzz")
    grep, rows = Grep(store, index), {}
    program = shutil.which("grep")
    if program is None:
        print("there is no grep on this machine: its rows are left out", file=sys.stderr)
    for pattern in patterns:
        found, own = once(lambda pattern=pattern: grep.grep(pattern, limit=1000, seconds=60.0))
        rows[pattern] = {"paragone": own["seconds"], "lines": len(found.matches), "files": found.files_searched}
        if program is not None:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [program, "-rnE", "--include=*.txt", "-m", "1000", pattern, "."]
            subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            rows[pattern]["grep -rnE"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return rows


def without_docstrings(source):
    """Code without docstrings, and for each function its docstring's first line and the lines of its body then."""
    tree, lines = ast.parse(source), source.split("\n")
    gone, wanted = set(), []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            continue
        if ast.get_docstring(node) is None:
            continue
        said = node.body[0]
        gone |= set(range(said.lineno, said.end_lineno + 1))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) > 1:
            wanted.append((ast.get_docstring(node).split("\n")[0], node.lineno, node.end_lineno))
    left = np.cumsum([number not in gone for number in range(1, len(lines) + 1)])
    text = "\n".join(line for number, line in enumerate(lines, 1) if number not in gone)
    return text, [(query, int(left[start - 1]), int(left[end - 1])) for query, start, end in wanted]


def docstrings(repository, folder, most):
    """Queries with where their answers lie; the code is written without them."""
    cases = []
    for path in tracked(repository, ".py"):
        name = path.relative_to(repository).as_posix()
        try:
            text, wanted = without_docstrings(path.read_text("utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        cases += [(query, name, start, end) for query, start, end in wanted if len(query) > 15]
    return random.Random(0).sample(sorted(cases), min(most, len(cases)))


def tracked(repository, ending=""):
    said = subprocess.run(["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True).stdout
    return [repository / name for name in said.split("\0") if name.endswith(ending) and (repository / name).is_file()]


def by_docstring(repository, folder, most):
    cases = docstrings(repository, folder, most)
    store = Store.create(folder)
    with closing(Index(store)) as index, Scores(store) as scores:
        index.update()
        searcher = Searcher(store, index, lambda: scores, embedder=open_embedder())
        pages = {
            how: [ranks_of(searcher.search(query, how=how, limit=DEEP), case) for query, *case in cases]
            for how in ("semantic", "keyword", "hybrid")
        }
        pages["reciprocal rank fusion (k 60)"] = [rank_fused(searcher, query, case) for query, *case in cases]
        pages["SQLite FTS5, any word"] = fts_ranks(index, cases)
        return {"queries": len(cases), "chunks": sum(1 for _ in index.chunks()),
                "rows": {name: quality(ranks) for name, ranks in pages.items()}}  # fmt: skip


def hit(row, case):
    path, start, end = case
    return row.path == path and row.start <= end and start <= row.end


def ranks_of(found, case):
    return [row.rank for row in found.results if hit(row, case)][:1]


def rank_fused(searcher, query, case, k=60):
    scores, rows = {}, {}
    for how in ("semantic", "keyword"):
        for row in searcher.search(query, how=how, limit=3 * DEEP).results:
            rows[row.hash] = row
            scores[row.hash] = scores.get(row.hash, 0.0) + 1 / (k + row.rank)
    order = sorted(scores, key=lambda one: -scores[one])
    return [rank for rank, one in enumerate(order[:DEEP], 1) if hit(rows[one], case)][:1]


def fts_ranks(index, cases):
    chunks = list(index.chunks())
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE chunk USING fts5(text, tokenize = porter)")
    database.executemany("INSERT INTO chunk(rowid, text) VALUES (?, ?)", ((n, c.text) for n, c in enumerate(chunks)))
    ask = "SELECT rowid FROM chunk WHERE chunk MATCH ? ORDER BY bm25(chunk) LIMIT 10"
    ranks = []
    for query, *case in cases:
        words = " OR ".join(f'"{word}"' for word in query_terms(query))
        found = [chunks[row] for (row,) in database.execute(ask, (words,))]
        ranks.append([rank for rank, one in enumerate(found, 1) if hit(one, case)][:1])
    return ranks


def quality(ranks):
    first = [rank[0] if rank else None for rank in ranks]
    recall = {f"recall@{k}": statistics.fmean(rank is not None and rank <= k for rank in first) for k in (1, 5, 10)}
    gains = [1 / rank if rank is not None else 0.0 for rank in first]
    error = statistics.stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
    return {"mrr": statistics.fmean(gains), "error": error} | recall


def git(repository, *arguments):
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout


PARTS = {
    "texts": lambda one: one.text,
    "texts and past queries": lambda one: one.text + one.past,
    "texts and use": lambda one: one.text + one.use,
    "learned, the default": lambda one: one.text + one.past + one.use + one.feedback,
}
CONTENT = "BM25 of contents"


def by_commit(repository, folder, last, how="hybrid"):
    """The files that a commit changes, by its subject; the store knows the tree and the history before it."""
    clone, store = folder / "clone", folder / "store"
    git(folder, "clone", "--quiet", "--no-local", str(repository), str(clone))
    commits = git(clone, "log", "--first-parent", "--reverse", "--format=%H", f"-{last}").split()
    git(clone, "checkout", "-q", f"{commits[0]}^1")
    told, known = {name: [] for name in (CONTENT, *PARTS)}, {}
    with Memory.create(clone, store=store) as memory:
        for commit in commits:
            git(clone, "checkout", "-q", f"{commit}^1")
            memory.index(vectors=how != "keyword")
            memory.learn_git()
            index = memory.components.index
            there = set(index.paths()) - index.generated()
            names = git(clone, "diff", "--name-only", "--no-renames", "-z", f"{commit}^1", commit).split("\0")
            changed = there.intersection(names)
            subject = git(clone, "log", "-1", "--format=%s", commit).strip()
            if changed and subject:
                rows = memory.search(subject[:1000], how=how, what="file", limit=100).results
                for name, score in PARTS.items():
                    found = [row.path for row in sorted(rows, key=lambda row: -score(row.breakdown))]
                    told[name].append(gains(found, changed))
                told[CONTENT].append(gains(plain_bm25(index, subject, known), changed))
    return {"queries": len(told[CONTENT]), "rows": {name: np.asarray(values) for name, values in told.items()}}


def gains(found, changed):
    """The reciprocal rank of the first file that changed, and the share of those that changed in the first five."""
    ranks = [found.index(path) + 1 for path in changed if path in found]
    return 1 / min(ranks) if ranks else 0.0, sum(rank <= 5 for rank in ranks) / len(changed)


def plain_bm25(index, query, known):
    """Paths by BM25 of whole files with their paths (bm25s, k1 1.2, b 0.75); equal ones by path."""
    import bm25s

    paths = index.paths()
    documents = {path: words(path) for path in paths}
    for chunk in index.chunks():
        if chunk.hash not in known:
            known[chunk.hash] = words(chunk.text)
        documents[chunk.path] += known[chunk.hash]
    table = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    table.index([documents[path] for path in paths], show_progress=False)
    scores = np.round(table.get_scores(sorted(set(query_terms(query)))), 6)
    return [paths[row] for row in np.lexsort((np.arange(len(paths)), -scores))]


def interval(values, draws=2000):
    means = np.random.default_rng(0).choice(values, (draws, len(values))).mean(axis=1)
    return np.quantile(means, [0.025, 0.975])


def show(results):
    if "speed" in results:
        speed = results["speed"]
        print(f"{speed['chunks']:,} chunks in {speed['files']:,} files; peak {speed['peak_mb']:.0f} MB resident")
        for name, row in speed["once"].items():
            print(f"  {name:48s} {row['seconds']:8.2f} s CPU  {row['mb']:+7.0f} MB")
        for name, row in speed["queries"].items():
            print(f"  {name:48s} {row['p50']:8.1f} ms CPU (p95 {row['p95']:.1f})")
        for pattern, row in speed["grep"].items():
            beside = f", grep -rnE {row['grep -rnE']:.2f} s" if "grep -rnE" in row else ""
            print(f"  grep {pattern:43s} {row['paragone']:8.2f} s CPU{beside}; {row['lines']} lines")
    if "docstrings" in results:
        one = dict(results["docstrings"])
        rows = one.pop("rows")
        print("docstrings: " + ", ".join(f"{value:,} {what}" for what, value in one.items()))
        print(f"  {'':32s} {'MRR@10':>14s} {'R@1':>6s} {'R@5':>6s} {'R@10':>6s}")
        for what, row in rows.items():
            recall = " ".join(f"{row[f'recall@{k}']:6.3f}" for k in (1, 5, 10))
            print(f"  {what:32s} {row['mrr']:.3f} +- {row['error']:.3f} {recall}")
    if "commits" in results:
        show_commits(results["commits"])


def show_commits(repositories):
    """Mean reciprocal rank and recall@5 of each repository, and over all queries the gain over BM25 of contents."""
    names = list(repositories)
    print("commits, MRR / recall@5: " + ", ".join(f"{name} {one['queries']}" for name, one in repositories.items()))
    for row in (CONTENT, *PARTS):
        means = [repositories[name]["rows"][row].mean(axis=0) for name in names]
        cells = " ".join(f"{mrr:.3f}/{recall:.3f}" for mrr, recall in [*means, np.mean(means, axis=0)])
        all_of = [np.concatenate([repositories[name]["rows"][of][:, 0] for name in names]) for of in (row, CONTENT)]
        low, high = interval(all_of[0] - all_of[1])
        print(f"  {row:26s} {cells}  gain {np.mean(all_of[0] - all_of[1]):+.3f} [{low:+.3f}, {high:+.3f}]")
    default = "learned, the default"
    for name in names:
        low, high = interval(repositories[name]["rows"][default][:, 0])
        print(f"  {name}: 95 % [{low:.3f}, {high:.3f}]")
    means = np.asarray([repositories[name]["rows"][default].mean(axis=0) for name in names])
    gained = np.concatenate(
        [np.subtract(*(repositories[name]["rows"][of][:, 0] for of in (default, CONTENT))) for name in names]
    )
    show_bars(means, gained)


def show_bars(means, gained):
    """The default beside its bars; ``means`` are MRR and recall@5 of each repository, ``gained`` that of each query."""
    bars = {
        "mean MRR": (means[:, 0].mean(), 0.70),
        "lowest MRR": (means[:, 0].min(), 0.63),
        "mean recall@5": (means[:, 1].mean(), 0.63),
        "paired gain over BM25": (gained.mean(), 0.20),
        "its lower bound": (interval(gained)[0], 0.15),
    }
    for name, (value, bar) in bars.items():
        print(f"  {name:26s} {value:.3f}, bar {bar:.2f}: {'met' if value >= bar else 'MISSED'}")


def made(folder):
    folder.mkdir()
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=400, help="labelled queries at most, of each kind")
    parser.add_argument("--repository", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--last", type=int, default=60, help="commits that are queries")
    parser.add_argument("--how", choices=["keyword", "hybrid"], default="hybrid", help="of the searches for commits")
    parser.add_argument("--only", choices=["speed", "docstrings", "commits"])
    parser.add_argument("--quick", action="store_true", help="2,000 chunks, 30 queries")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    chunks, queries = (2000, 30) if given.quick else (given.chunks, given.queries)
    repositories = [path.resolve() for path in given.repository or [HERE]]
    results = {}
    with tempfile.TemporaryDirectory() as name:
        if given.only in {None, "speed"}:
            results["speed"] = speed(chunks, made(Path(name) / "speed"))
        if given.only in {None, "docstrings"}:
            results["docstrings"] = by_docstring(repositories[0], made(Path(name) / "docstrings"), queries)
        if given.only in {None, "commits"}:
            last = 5 if given.quick else given.last
            results["commits"] = {
                path.name: by_commit(path, made(Path(name) / path.name), last, given.how) for path in repositories
            }
    if given.json:
        json.dump(results, sys.stdout, indent=2, default=lambda array: array.tolist())
    else:
        show(results)


if __name__ == "__main__":
    main()
