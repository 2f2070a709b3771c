"""What a command takes from its first instruction to its last, as a whole process: CPU seconds, user and system.

    .venv/bin/python benchmarks/startup.py [--before CHECKOUT] [--only ROW ...] [--repeat N] [--files N] [--data DIR]
                                           [--json]

Each row is a command, run in a process of its own: once so that bytecode and machine code are on disk, then
``--repeat`` times, in turn with the same command of another checkout where ``--before`` names one, and with a peer
where there is one. ``--data`` keeps what the commands read, which takes minutes to make, for the next run. A row with
*first use* in its name has no machine code on disk.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rating_table import Table, as_json, as_text

HERE = Path(__file__).resolve().parents[1]
ABSENT = "qzx[a-f]+_absent"
"""A pattern without a match."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A command and what is asked of it.

    Attributes:
        name: What it does.
        bar: CPU seconds at most.
        command: Its words; the first is ``paragone`` or ``python``.
        first_use: Whether there is no machine code on disk.
        peer: Another program's command for the same, where there is one.
    """

    name: str
    bar: float | None
    command: Sequence[str]
    first_use: bool = False
    peer: Sequence[str] = ()


def votes(path: Path, items: int, count: int) -> None:
    """Simulated votes as CSV or Parquet: the odds of item n over item m are exp(s(n) - s(m)), s standard normal."""
    draw = np.random.default_rng(7)
    skill = draw.normal(size=items)
    a = draw.integers(items, size=count)
    b = (a + draw.integers(1, items, size=count)) % items
    won = draw.random(count) < 1 / (1 + np.exp(skill[b] - skill[a]))
    columns = {"a": a, "b": b, "winner": np.where(won, a, b)}
    if path.suffix == ".csv":
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        path.write_text("a,b,winner\n" + "".join(f"i{x},i{y},i{z}\n" for x, y, z in rows))
        return
    import pyarrow as pa
    from pyarrow import parquet

    names = [f"i{number}" for number in range(items)]
    table = {name: np.array(names)[column] for name, column in columns.items()}
    parquet.write_table(pa.table(table), path)


def vocabulary(draw: np.random.Generator, words: int = 30_000) -> list[str]:
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    plain = ["".join(draw.choice(letters, size)) for size in draw.integers(3, 9, words)]
    return [f"{word}_{plain[-at - 1]}" if at % 7 == 0 else word for at, word in enumerate(plain)]


def written(folder: Path, files: int) -> None:
    """Files of text and of Python by turns, thirty lines each, whose words are drawn by Zipf's law."""
    draw = np.random.default_rng(0)
    words = vocabulary(draw)
    share = 1 / np.arange(1, len(words) + 1)
    share /= share.sum()
    for number in range(files):
        python = number % 2 == 0
        path = folder / f"part{number % 97}" / f"file_{number}.{'py' if python else 'md'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [[words[word] for word in row] for row in draw.choice(len(words), (30, 7), p=share)]
        path.write_text("\n".join(_code(lines) if python else map(" ".join, lines)) + "\n")


def _code(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Functions of five lines."""
    for at, (name, *rest) in enumerate(lines):
        if at % 5 == 0:
            yield f"def f{at}_{name}({rest[0]}_x, {rest[1]}_y):"
        else:
            yield f"    {name}_v = {' + '.join(f'{word}_v' for word in rest)}"


def environment(tree: Path, machine_code: Path | None = None) -> dict[str, str]:
    """Where a checkout's code runs: its own sources, bytecode on disk, one thread."""
    own = os.environ | {"PYTHONPATH": str(tree / "src"), "OPENBLAS_NUM_THREADS": "1", "PARAGONE_DB": ""}
    for name in ("PYTHONDONTWRITEBYTECODE", "PARAGONE_DB"):
        own.pop(name, None)
    return own | ({} if machine_code is None else {"NUMBA_CACHE_DIR": str(machine_code)})


def words(command: Sequence[str]) -> list[str]:
    """A command with its program's path."""
    program = {"python": [sys.executable], "paragone": [sys.executable, "-m", "paragone"]}
    return [*program.get(command[0], [command[0]]), *command[1:]]


def seconds(command: Sequence[str], folder: Path, environ: Mapping[str, str], allowed: Sequence[int] = (0,)) -> float:
    """CPU seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, env=environ, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(command)} failed in {folder}:\n{done.stderr.decode()[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(data: Path) -> list[Row]:
    """All rows. Paths below ``store`` and the ledger are each checkout's own: commands run in its folder."""
    rg = shutil.which("rg")
    pack = ["paragone", "memory", "pack", "--out", "pack.md", "-C", "store"]
    grep = ["paragone", "memory", "grep", ABSENT, "-C", "store", "--json"]
    return [
        Row(name="from paragone import rank", bar=0.4, command=["python", "-c", "from paragone import rank"]),
        Row(name="board of 150 items, 1,000 matches", bar=0.8, command=["paragone", "board", "--db", "board.db"]),
        Row(name="fit of 240 votes", bar=0.5, command=["paragone", "fit", str(HERE / "examples" / "votes.csv")]),
        Row(name="memory search", bar=0.8, command=["paragone", "memory", "search", "river_x of them", "-C", "store"]),
        Row(
            name="memory grep without a match",
            bar=None,
            command=grep,
            peer=[rg, "-n", ABSENT, "store"] if rg else [],
        ),
        Row(name="memory pack, first", bar=2.0, command=pack),
        Row(
            name="fit of 1M votes of 1,000 items from Parquet, first use",
            bar=5.0,
            command=["paragone", "fit", str(data / "million.parquet"), "--rows", "10"],
            first_use=True,
        ),
        Row(
            name="fit of 20,000 votes of 10,000 items",
            bar=2.0,
            command=["paragone", "fit", str(data / "wide.csv"), "--rows", "10"],
        ),
    ]


def prepared(data: Path, files: int) -> None:
    """Make what all checkouts read."""
    if not (data / "wide.csv").exists():
        votes(data / "million.parquet", 1000, 1_000_000)
        strengths = np.random.default_rng(7).normal(size=150)
        (data / "strengths.csv").write_text("id,score\n" + "".join(f"i{n},{s:.3f}\n" for n, s in enumerate(strengths)))
        (data / "items.csv").write_text("id,text\n" + "".join(f"i{n},the text of idea {n}\n" for n in range(150)))
        votes(data / "wide.csv", 10_000, 20_000)
    if not (data / "files").exists():
        written(data / "files.new", files)
        (data / "files.new").rename(data / "files")


def settled(folder: Path, data: Path, tree: Path) -> Path:
    """Make what a checkout reads of its own, in a folder: a ledger, and the store of all files."""
    folder.mkdir(exist_ok=True)
    if not (folder / "done").exists():
        shutil.rmtree(folder)
        folder.mkdir()
        shutil.copytree(data / "files", folder / "store")
        judge = f"simulated:{data / 'strengths.csv'}"
        rank = ["rank", str(data / "items.csv"), "-c", "better", "-j", judge, "--pairing", "round-robin", "-n", "1000"]
        quiet = subprocess.DEVNULL
        for command in (
            [*rank, "--seed", "1", "--db", "board.db", "-q"],
            ["memory", "init", "-C", "store"],
            ["memory", "index", "-C", "store", "-q"],
        ):
            subprocess.run(words(["paragone", *command]), check=True, cwd=folder, env=environment(tree), stdout=quiet)
        (folder / "done").touch()
    return folder


def measured(row: Row, folder: Path, tree: Path) -> float:
    """One run of a row in a checkout."""
    with tempfile.TemporaryDirectory() as machine_code:
        environ = environment(tree, Path(machine_code) if row.first_use else None)
        return seconds(words(row.command), folder, environ)


def compared(row: Row, trees: Mapping[str, tuple[Path, Path]], repeat: int) -> list[str | float | None]:
    """A row of the table: least and median of each checkout in turn, and of the peer."""
    taken: dict[str, list[float]] = {name: [] for name in (*trees, "peer")}
    for turn in range(repeat + 1):
        for name, (tree, folder) in trees.items():
            taken[name].append(measured(row, folder, tree))
        if row.peer:
            folder = next(reversed(trees.values()))[1]
            taken["peer"].append(seconds(row.peer, folder, os.environ, allowed=(0, 1)))
        if turn == 0:
            taken = {name: [] for name in taken}
    figures: list[str | float | None] = [row.name]
    for name in ("before", "now"):
        one = taken.get(name)
        figures += [min(one), statistics.median(one)] if one else [None, None]
    return [*figures, min(taken["peer"]) if row.peer else None, row.bar]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="another checkout, measured in turn")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="rows whose name holds one of these")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--data", type=Path, metavar="DIR", help="keeps what is read, for the next run")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (given.data or Path(temporary)).resolve()
        data.mkdir(exist_ok=True)
        prepared(data, given.files)
        checkouts = {"before": given.before, "now": HERE} if given.before else {"now": HERE}
        trees = {name: (tree.resolve(), settled(data / name, data, tree.resolve())) for name, tree in checkouts.items()}
        chosen = [row for row in rows(data) if not given.only or any(word in row.name for word in given.only)]
        table = Table(
            title=f"Whole processes; a store of {given.files:,} files",
            columns=("CPU seconds", "before", "median", "now", "median", "peer", "bar"),
            rows=[compared(row, trees, given.repeat) for row in chosen],
            notes=["Least and median of the runs, in turn. The peer is ripgrep."],
        )
    print(json.dumps(as_json(table), indent=2) if given.json else as_text(table))


if __name__ == "__main__":
    main()
