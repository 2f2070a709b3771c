"""Recorded votes of people and of language models on 59 models: agreement with reference scores, position bias.

    .venv/bin/python benchmarks/real_votes.py [--json]

The votes and the reference scores are LLMFAO's (CC BY 4.0) and evalica's golden file, under PARAGONE_DATA. Agreement is
Kendall's tau-b over the models that both rank.
"""

import argparse
import csv
import json
import os
import sys
import time
from pathlib import Path

import paragone

VOTES = Path(os.environ.get("PARAGONE_DATA", "../shared/data")) / "llmfao"
REFERENCES = ("bradley_terry", "newman", "elo", "average_win_rate")


def references() -> dict[str, dict[str, float]]:
    """Scores by algorithm and model."""
    with (VOTES / "evalica-llmfao-golden.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    return {name: found[name] for name in REFERENCES}


def tau(left: dict[str, float], right: dict[str, float]) -> float:
    """Kendall's tau-b over what both score."""
    from scipy.stats import kendalltau

    shared = sorted(left.keys() & right.keys())
    return float(kendalltau([left[key] for key in shared], [right[key] for key in shared]).statistic)


def measure() -> dict:
    """Fit the three files and compare."""
    boards, seconds = {}, {}
    for voters in ("crowd", "gpt4", "gpt3"):
        start = time.process_time()
        boards[voters] = paragone.fit(VOTES / f"{voters}-comparisons.csv", position=True)
        seconds[voters] = time.process_time() - start
    strengths = {name: {row.id: row.rating for row in board.items} for name, board in boards.items()}
    return {
        "crowd against evalica": {name: tau(strengths["crowd"], scores) for name, scores in references().items()},
        "judge against crowd": {name: tau(strengths[name], strengths["crowd"]) for name in ("gpt4", "gpt3")},
        "towards the left, nats": {name: board.position_bias for name, board in boards.items()},
        "CPU s, reading included": seconds,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the same; it takes seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not VOTES.exists():
        sys.exit(f"{VOTES} is not there: set PARAGONE_DATA to the folder that has llmfao")
    result = measure()
    if options.json:
        print(json.dumps(result))
        return
    for title, numbers in result.items():
        print(title)
        for name, value in numbers.items():
            print(f"  {name:<18}{value:.3f}")


if __name__ == "__main__":
    main()
