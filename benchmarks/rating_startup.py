"""What it costs to begin: CPU seconds of fresh processes, user and system, for ``benchmarks/rating.py``."""

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from rating_table import Table, absent, peer

PARAGONE = str(Path(sys.executable).with_name("paragone"))
FIT = "import paragone; print(paragone.fit({!r}).items[0])"
EVALICA = """
import csv, evalica
rows = list(csv.reader(open({!r})))[1:]
won = [evalica.Winner.X if w == a else evalica.Winner.Y for a, b, w in rows]
print(evalica.bradley_terry([a for a, _, _ in rows], [b for _, b, _ in rows], won).scores.index[0])
"""
COMPILED = """
import numpy as np
from paragone.domain import RatingConfig
from paragone.ratings import replay_arrays
print(replay_arrays([0, 1], [1, 2], [1.0, 0.5], None, 3, RatingConfig(), compiled=True)[0])
"""


def spent(command: list[str], environment: dict[str, str], repeat: int) -> float:
    """Least CPU seconds of a command and its children; once before, so that bytecode and kernels are on disk."""
    seconds = []
    for _ in range(repeat + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds[1:])


def votes(path: Path, items: int = 50, count: int = 500) -> None:
    """Simulated votes: item n beats item m with odds of 2 to the power of (m - n) / 8."""
    draw = random.Random(50)
    rows = ["a,b,winner"]
    for _ in range(count):
        a, b = draw.sample(range(items), 2)
        rows.append(f"i{a},i{b},i{a if draw.random() < 1 / (1 + 2 ** ((a - b) / 8)) else b}")
    path.write_text("\n".join(rows) + "\n")


def startup(quick: bool) -> list[Table]:
    """Imports, help, and a fit of 50 items from a cold start."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "votes.csv"
        votes(file)
        environment = os.environ | {"PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode"), "OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        python = [sys.executable, "-c"]
        commands = [
            ("python -c pass", [*python, "pass"], None),
            ("import paragone", [*python, "import paragone"], 0.1),
            ("paragone --help", [PARAGONE, "--help"], 0.3),
            ("paragone fit: 500 votes on 50 items", [PARAGONE, "fit", str(file)], 0.5),
            ("paragone.fit of the same in Python", [*python, FIT.format(str(file))], 0.5),
            ("a first compiled loop, from disk", [*python, COMPILED], None),
            *(
                [
                    ("import evalica", [*python, "import evalica"], None),
                    ("evalica.bradley_terry of the same", [*python, EVALICA.format(str(file))], None),
                ]
                if peer("evalica")
                else []
            ),
        ]
        rows = [(name, spent(command, environment, 3 if quick else 7), bar) for name, command, bar in commands]
    notes = ["User and system seconds of a fresh process, the least of several; bytecode on disk, one thread of BLAS."]
    return [
        Table(
            title="Start-up",
            columns=("what", "CPU seconds", "bar"),
            rows=rows,
            notes=notes if peer("evalica") else [*notes, absent("evalica")],
        )
    ]
