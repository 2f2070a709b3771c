"""A run over real hypotheses is killed with SIGKILL half-way and resumed: the same board, no call made twice.

    .venv/bin/python benchmarks/resume.py [--budget 60] [--judge local] [--json]

The hypotheses are the largest run of coscientist_logs (LLNL open-ai-co-scientist, MIT) under PARAGONE_DATA. Prints what
was compared; exit code 1 where the boards differ.
"""

import argparse
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

PARAGONE = Path(sys.executable).with_name("paragone")
LOGS = Path(os.environ.get("PARAGONE_DATA", "../shared/data")) / "coscientist_logs" / "hypotheses.jsonl"
SEED = "11"


def hypotheses(folder: Path) -> Path:
    """Write the items of the largest run, each text once."""
    rows = [json.loads(line) for line in LOGS.read_text("utf-8").splitlines()]
    largest = Counter(row["run"] for row in rows).most_common(1)[0][0]
    texts = {
        row["id"]: f"{row['title']}\n{row['text']}" for row in rows if row["run"] == largest and row["text"].strip()
    }
    path = folder / "real.jsonl"
    path.write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items()))
    return path


def rank(items: Path, db: Path, judge: str, budget: int) -> list[str]:
    """The command of a run."""
    parts = ["rank", items, "--criteria", "novel and feasible", "--judge", judge, "--seed", SEED, "--budget", budget]
    return [str(part) for part in (PARAGONE, *parts, "--db", db, "--name", "real", "--quiet", "--json")]


def board(command: list[str]) -> dict:
    """The board that a command prints."""
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def verdicts(db: Path, query: str = "SELECT count(*) FROM comparison") -> int:
    """A number from a ledger; 0 while it cannot be read."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as raw:
        return raw.execute(query).fetchone()[0]
    return 0


def kill_at(command: list[str], db: Path, count: int) -> int:
    """Start a run and kill it once so many verdicts are kept; returns how many there were."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while verdicts(db) < count and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return verdicts(db)


def measure(judge: str, budget: int) -> dict:
    """Kill, audit, resume, audit, and compare with an uninterrupted run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items, half, whole = hypotheses(folder), folder / "half.db", folder / "whole.db"
        kept = kill_at(rank(items, half, judge, budget), half, budget // 2)
        audits = [subprocess.run([PARAGONE, "audit", "--db", half], stdout=subprocess.DEVNULL, check=False).returncode]
        resumed = board([str(PARAGONE), "resume", "--db", str(half), "--quiet", "--json"])
        audits.append(
            subprocess.run([PARAGONE, "audit", "--db", half], stdout=subprocess.DEVNULL, check=False).returncode
        )
        expected = board(rank(items, whole, judge, budget))
        twice = "SELECT count(*) FROM (SELECT 1 FROM comparison GROUP BY call HAVING count(*) > 1)"
        return {
            "items": len(expected["items"]),
            "judge": expected["judges"][0]["judge"],
            "verdicts kept when killed": kept,
            "calls after resuming": resumed["calls"],
            "calls without a kill": expected["calls"],
            "calls made twice": verdicts(half, twice),
            "audits clean": audits == [0, 0],
            "same board": resumed["items"] == expected["items"],
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judge", default="local")
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--quick", action="store_true", help="24 comparisons")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not LOGS.exists():
        sys.exit(f"{LOGS} is not there: set PARAGONE_DATA to the folder that has coscientist_logs")
    result = measure(options.judge, 24 if options.quick else options.budget)
    lines = (f"{name:<28}{value}" for name, value in result.items())
    print(json.dumps(result) if options.json else "\n".join(lines))
    sys.exit(0 if result["same board"] and result["audits clean"] and not result["calls made twice"] else 1)


if __name__ == "__main__":
    main()
