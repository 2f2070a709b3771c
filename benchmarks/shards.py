"""Twenty million votes in eight Parquet shards to a board of a thousand items: time, memory, and DuckDB beside it.

    .venv/bin/python benchmarks/shards.py [--votes 20_000_000] [--shards 8] [--items 1_000]

DuckDB only counts pairs (`make peers` installs it); the others read, count, fit and print a board. Memory is that of
all processes together, shared pages counted once.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from pyarrow import parquet

COUNT = """
import sys, duckdb
duckdb.sql(f"SELECT model_a, model_b, winner, count(*) FROM read_parquet({sys.argv[1:]}) GROUP BY ALL").fetchnumpy()
"""


def write_shards(folder: Path, votes: int, shards: int, items: int) -> list[Path]:
    """Votes between random pairs of items of normal strengths, one in ten a tie."""
    rng = np.random.default_rng(0)
    strength, names = rng.normal(size=items), pa.array([f"model-{number:04d}" for number in range(items)])
    paths = []
    for shard in range(shards):
        size = votes // shards
        a = rng.integers(0, items, size)
        b = (a + rng.integers(1, items, size)) % items
        won = rng.random(size) < 1 / (1 + np.exp(strength[b] - strength[a]))
        said = np.where(rng.random(size) < 0.1, 2, np.where(won, 0, 1))
        columns = {"model_a": (a, names), "model_b": (b, names), "winner": (said, pa.array(["a", "b", "tie"]))}
        table = pa.table(
            {
                name: pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), texts).cast(pa.string())
                for name, (codes, texts) in columns.items()
            }
        )
        paths.append(folder / f"part-{shard}.parquet")
        parquet.write_table(table, paths[-1])
    return paths


def measured(command: Sequence[str]) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and the highest memory in MiB of a command with all its processes."""
    before, start, peak = os.times(), time.monotonic(), 0
    with psutil.Popen([*command], stdout=-3, stderr=-3) as process:
        while process.poll() is None:
            peak = max(peak, memory(process))
            time.sleep(0.02)
        if process.returncode:
            sys.exit(f"{' '.join(command[:3])} ended with {process.returncode}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - start, cpu, peak / 2**20


def memory(process: psutil.Process) -> int:
    try:
        return sum(each.memory_full_info().pss for each in (process, *process.children(recursive=True)))
    except psutil.Error:  # it has just ended
        return 0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--votes", type=int, default=20_000_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--items", type=int, default=1_000)
    given = parser.parse_args()
    paragone = str(Path(sys.executable).with_name("paragone"))
    with tempfile.TemporaryDirectory() as folder:
        paths = list(map(str, write_shards(Path(folder), given.votes, given.shards, given.items)))
        contenders = {
            "paragone fit": [paragone, "fit", *paths, "--json"],
            "paragone fit --on local": [paragone, "fit", *paths, "--on", "local", "--json"],
            "DuckDB, pair counts alone": [sys.executable, "-c", COUNT, *paths],
        }
        print(f"{given.votes:,} votes of {given.items:,} items in {given.shards} shards, {os.cpu_count()} processors\n")
        print("| contender | s | CPU s | MiB |\n|---|--:|--:|--:|")
        for name, command in contenders.items():
            wall, cpu, peak = measured(command)
            print(f"| {name} | {wall:.1f} | {cpu:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
