"""The demo: rank 24 research hypotheses with a small language model that runs here, and say how well that went.

No key, no network, under two minutes. The order that the author of the hypotheses had in mind is in
hypotheses_order.csv; what the ranking has in common with it is stated at the end, whatever it is.
"""

import csv
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
TOP = HERE.parent
PARAGONE = Path(sys.executable).with_name("paragone")
CRITERIA = "the better scientific hypothesis: specific, plausible, testable, and worth knowing"
OUT = Path("out")
LEDGER = OUT / "demo.db"
RANK = ["rank", "examples/hypotheses.jsonl", "--criteria", CRITERIA, "--judge", "local", "--seed", "7",
        "--budget", "84", "--db", str(LEDGER), "--out", str(OUT / "demo.html")]  # fmt: skip
BOARD = ["board", "--db", str(LEDGER), "--json"]


def shown(arguments: Sequence[str]) -> str:
    """The command as one would type it."""
    return " ".join(["$ paragone", *(f'"{part}"' if " " in part else part for part in arguments)])


def intended() -> dict[str, int]:
    """The tier of every hypothesis, 1 being the best."""
    with (HERE / "hypotheses_order.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: int(row["tier"]) for row in csv.DictReader(file)}


def agreement(order: Sequence[str], tiers: Mapping[str, int]) -> tuple[float, float, int]:
    """How an order agrees with tiers, over the pairs that the tiers tell apart.

    Returns:
        The share of pairs in the intended order; Kendall's tau, which is that share on a scale from -1 to 1 (0 for
        a random order); and the number of pairs.
    """
    pairs = [(above, below) for above, below in itertools.combinations(order, 2) if tiers[above] != tiers[below]]
    share = sum(tiers[above] < tiers[below] for above, below in pairs) / len(pairs)
    return share, 2 * share - 1, len(pairs)


def main() -> None:
    """Run the two commands and compare."""
    (TOP / OUT).mkdir(exist_ok=True)
    for old in (TOP / OUT).glob("demo.db*"):
        old.unlink()
    print(shown(RANK), flush=True)
    start = time.monotonic()
    ran = subprocess.run([PARAGONE, *RANK], cwd=TOP, check=False)
    if ran.returncode != 0:
        sys.exit(ran.returncode)
    seconds = time.monotonic() - start

    board = json.loads(subprocess.run([PARAGONE, *BOARD], cwd=TOP, check=True, capture_output=True, text=True).stdout)
    share, tau, pairs = agreement([row["id"] for row in board["items"]], intended())
    print(f"""
Agreement with the order that the author intended: {share:.0%} of the {pairs} pairs which that order tells apart,
Kendall tau {tau:+.2f}. The judge is SmolLM2 with 135 million parameters, a very small model: it is here because it runs
anywhere, not because its taste in science is good. A random order would get 50%; try a larger model with --judge.

{board["spending"]["decisions"]} decisions in {seconds:.0f} s
board: {OUT / "demo.html"}, ledger: {LEDGER}""")


if __name__ == "__main__":
    main()
