"""Writes votes.csv: 240 invented votes on eight teas, by three invented people who favour what is shown first.

The strengths below are the truth that a fit should find again. The seed is fixed, so the file is always the same.
"""

import csv
import math
import random
from pathlib import Path

STRENGTHS = {
    "darjeeling": 1.5,
    "sencha": 1.0,
    "assam": 0.6,
    "oolong": 0.3,
    "earl grey": -0.1,
    "rooibos": -0.6,
    "mint": -1.0,
    "hibiscus": -1.7,
}
"""In nats: the odds of a over b are exp(a - b)."""

FIRST_SHOWN = {"ada": 0.2, "ben": 0.5, "cleo": 0.8}
"""What being shown first is worth to each voter, in nats."""

TIE = -1.2
"""Log weight of a tie between equals, against a win of either."""

VOTES = 240


def vote(rng: random.Random) -> dict[str, str]:
    """One vote: a random pair, shown in random order to a random person."""
    voter = rng.choice(sorted(FIRST_SHOWN))
    a, b = rng.sample(sorted(STRENGTHS), 2)
    lead = STRENGTHS[a] - STRENGTHS[b] + FIRST_SHOWN[voter]
    weights = {"a": math.exp(lead / 2), "tie": math.exp(TIE), "b": math.exp(-lead / 2)}
    winner = rng.choices(list(weights), list(weights.values()))[0]
    return {"voter": voter, "a": a, "b": b, "winner": winner}


def votes() -> list[dict[str, str]]:
    """All votes, the same ones every time."""
    rng = random.Random(1729)
    return [vote(rng) for _ in range(VOTES)]


def main() -> None:
    """Write the file beside this one."""
    with Path(__file__).with_name("votes.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["voter", "a", "b", "winner"], lineterminator="\n")
        table.writeheader()
        table.writerows(votes())


if __name__ == "__main__":
    main()
