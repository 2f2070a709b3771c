"""The index of memory: how long a first run takes, one without a change, after ten files changed; and its memory.

    .venv/bin/python benchmarks/memory_index.py [--files N] [--quick] [--json]

The repository is synthetic and always the same: Python, TypeScript, Go, Rust, Java, Markdown and JSON in folders of
fifty, with .gitignore files, about 3 kB a file. Each run is a process of its own, as ``paragone memory index`` is, so
that loading Python, the tokenizer and the embedder counts. Beside it, on the same files: Python that walks the folder
and hashes every file with SHA-256, the least that a run has to do that trusts no times; and git, which hashes them all.
"""

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from rating_table import Cell, Table, as_json, as_text

FILES, QUICK = 10_000, 500
CHANGED = 10
BAR = 0.05
"""What a run without a change may take of a first one."""

WORDS = """
account answer batch budget buffer cache chunk client count cursor debate draft edge entry error event field file
filter frame graph group hash header index item judge key label layer ledger limit line match memory merge model name
node order page pair path plan point pool query queue rank rate reader record result review round row sample score
search section session shape signal source stage state step store stream table task text time token trace tree turn
type unit value vector verdict view vote weight window word worker
""".split()  # noqa: SIM905 - a list would be a page long

INDEX = """
import json, resource, sys, time
from pathlib import Path
from paragone.memory.index import Index
from paragone.memory.store import Store
with Store.open(Path(sys.argv[1])) as store:
    index = Index(store)
    run = index.update(vectors=sys.argv[2] == "vectors")
    index.close()
print(json.dumps({"files": run.files, "chunks": run.chunks, "symbols": run.symbols}))
"""

FLOOR = """
import hashlib, os, sys
for folder, folders, names in os.walk(sys.argv[1]):
    folders[:] = [name for name in folders if name not in {".git", ".paragone"}]
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            hashlib.sha256(file.read()).hexdigest()
"""


def phrase(rng, most):
    return " ".join(rng.choices(WORDS, k=rng.randint(3, most)))


def python(rng):
    parts = [f'"""{phrase(rng, 9).capitalize()}."""\n\nimport os\n']
    for _ in range(rng.randint(2, 4)):
        name = "".join(word.capitalize() for word in rng.sample(WORDS, 2))
        parts.append(f'\n\nclass {name}:\n    """{phrase(rng, 8)}."""\n')
        for _ in range(rng.randint(2, 4)):
            first, second = rng.sample(WORDS, 2)
            body = "".join(f"        {rng.choice(WORDS)} = self.{rng.choice(WORDS)}({second}, {rng.randint(0, 99)})\n"
                           for _ in range(rng.randint(4, 12)))  # fmt: skip
            parts.append(
                f'\n    def {first}_{second}(self, {second}: str) -> int:\n        """{phrase(rng, 8)}."""\n{body}'
            )
    return "".join(parts)


def braces(head, member):
    def text(rng):
        parts = []
        for _ in range(rng.randint(3, 6)):
            name = "".join(word.capitalize() for word in rng.sample(WORDS, 2))
            parts.append(f"// {phrase(rng, 9)}\n{head.format(name=name)} {{\n")
            for _ in range(rng.randint(2, 4)):
                first, second = rng.sample(WORDS, 2)
                body = "".join(
                    f"    {rng.choice(WORDS)}({second}, {rng.randint(0, 99)});\n" for _ in range(rng.randint(3, 9))
                )
                parts.append(f"  {member.format(name=first + second.capitalize())} {{\n{body}  }}\n")
            parts.append("}\n\n")
        return "".join(parts)

    return text


def markdown(rng):
    parts = [f"# {phrase(rng, 5).capitalize()}\n\n"]
    for _ in range(rng.randint(3, 8)):
        prose = textwrap.fill(". ".join(phrase(rng, 12) for _ in range(rng.randint(3, 10))), 100)
        parts.append(f"## {phrase(rng, 5).capitalize()}\n\n{prose}.\n\n")
    return "".join(parts)


def data(rng):
    return json.dumps({phrase(rng, 3): [rng.randint(0, 999) for _ in range(20)] for _ in range(20)}, indent=1)


KINDS = (
    (60, "py", python),
    (10, "ts", braces("export class {name}", "{name}(value: number): number")),
    (5, "java", braces("public class {name}", "int {name}(int value)")),
    (5, "rs", braces("impl {name}", "fn {name}(value: i32) -> i32")),
    (5, "go", braces("func {name}(value int) int", "if {name}(value)")),
    (10, "md", markdown),
    (5, "json", data),
)


def repository(root, files):
    """Write the repository; the same for the same number of files."""
    rng = random.Random(7)
    weights = [weight for weight, _, _ in KINDS]
    size = 0
    for number in range(files):
        _, ending, make = rng.choices(KINDS, weights)[0]
        folder = root / f"room{number // 1000:02}" / f"part{number // 50:03}"
        folder.mkdir(parents=True, exist_ok=True)
        text = make(rng)
        size += len(text)
        (folder / f"file{number:05}.{ending}").write_text(text)
        if number % 500 == 0:
            (folder / ".gitignore").write_text("*.log\nbuild/\n")
    (root / ".gitignore").write_text("*.pyc\n__pycache__/\n/dist/\n.venv/\n")
    return size


def measured(command, **more):
    """CPU seconds, wall seconds and the most memory in MB of a process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = os.times().elapsed
    watched = [sys.executable, "-c", WATCH, *map(str, command)]
    done = subprocess.run(watched, check=True, capture_output=True, text=True, **more)
    wall = os.times().elapsed - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    most = int(done.stderr.strip().rpartition("\n")[2])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, most / 1024, done.stdout


WATCH = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=sys.stdin)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


def change(root, number):
    """Write something into ten files, spread over the whole."""
    paths = sorted(root.rglob("file*.py"))
    for path in paths[:: max(1, len(paths) // CHANGED)][:CHANGED]:
        path.write_text(path.read_text() + f"\n\ndef added_{number}(value):\n    return value + {number}\n")


def runs(root, mode):
    index = [sys.executable, "-c", INDEX, root, mode]
    named = "" if mode == "vectors" else ", without vectors"
    found = [(f"first run{named}", *measured(index)), (f"nothing changed{named}", *measured(index))]
    change(root, len(mode))
    return [*found, (f"{CHANGED} files changed{named}", *measured(index))]


def peers(root):
    found = [("Python: walk, SHA-256 of every file", *measured([sys.executable, "-c", FLOOR, root]))]
    if shutil.which("git") is None:
        return found, ["git is not installed: its row is left out"]
    listed = "\n".join(str(path) for path in root.rglob("*") if path.is_file() and ".paragone" not in path.parts)
    given = root.parent / "paths"
    given.write_text(listed + "\n")
    with given.open() as paths:
        found.append(("git hash-object of every file", *measured(["git", "hash-object", "--stdin-paths"], stdin=paths)))
    return found, []


def table(files):
    from paragone.memory.store import Store

    with tempfile.TemporaryDirectory() as folder:
        rows, notes = [], []
        for mode in ("vectors", "none"):
            root = Path(folder) / mode / "root"
            root.mkdir(parents=True)
            size = repository(root, files)
            Store.create(root).close()
            rows += runs(root, mode)
        others, left_out = peers(root)
        store = sum(
            path.stat().st_size
            for path in (Path(folder) / "vectors" / "root" / ".paragone").rglob("*")
            if path.is_file()
        )
        held = json.loads(rows[0][4])
    share = rows[1][1] / rows[0][1]
    said = "met" if share <= BAR else "not met"
    sizes = f"{held['files']:,} files, {size / 1e6:.1f} MB, {held['chunks']:,} chunks, {held['symbols']:,} symbols"
    notes = [
        f"{sizes}; the store has {store / 1e6:.0f} MB",
        f"nothing changed: {100 * share:.1f} % of a first run; {100 * BAR:.0f} % at most was asked for: {said}",
        *left_out,
    ]
    cells: list[list[Cell]] = [
        [name, cpu, wall, 1000 * cpu / held["files"], most] for name, cpu, wall, most, _ in rows + others
    ]
    columns = ("run", "CPU s", "wall s", "CPU ms a file", "most memory MB")
    return Table(title=f"Index of {files:,} files", columns=columns, rows=cells, notes=notes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=None, help=f"how many files ({FILES:,})")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    made = table(given.files or (QUICK if given.quick else FILES))
    print(json.dumps(as_json(made), indent=2) if given.json else as_text(made))


if __name__ == "__main__":
    main()
