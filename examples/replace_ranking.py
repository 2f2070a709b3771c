"""paragone in place of the ranking step of the open co-scientists, on the same recorded verdicts.

    python examples/replace_ranking.py

Two published ranking steps, written again here in a few lines each, and paragone rank the 24 example hypotheses. All
of them get the same verdict on the same pair: for 160 pairs the recorded one of a language model, for the other 116 a
scripted one, drawn once with logistic noise. What each order is worth is its Kendall tau to the order that the author
of the hypotheses had in mind before any model saw them.

- *random pairs*: ``ranking_node`` of jataware/open-coscientist and guy915/Co-Scientist: as many random pairs an
  iteration as there are hypotheses, Elo with K = 24, cut to whole points, one after the other.
- *round robin*: ``run_round_robin_stage`` of conradry/open-coscientist-agents: every pair once, in order, Elo with
  K = 32.
- *paragone*: ``ranking_node`` below, which takes and returns the state of the first two.
"""

import csv
import itertools
import json
import math
import random
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import kendalltau

import paragone

HERE = Path(__file__).parent
HYPOTHESES = {row["id"]: row["text"] for row in map(json.loads, (HERE / "hypotheses.jsonl").open(encoding="utf-8"))}
RECORDED = [json.loads(line) for line in (HERE / "hypotheses_verdicts.jsonl").open(encoding="utf-8")]
GOAL = "scientific merit: novelty, correctness, testability, impact, clarity"


def intended() -> dict[str, int]:
    """The tier of each hypothesis, 1 the best."""
    with (HERE / "hypotheses_order.csv").open(encoding="utf-8") as file:
        return {row["id"]: int(row["tier"]) for row in csv.DictReader(file)}


INTENDED = intended()


def answers() -> dict[frozenset[str], str]:
    """The winner of every pair: of several verdicts about one the first, and without any a scripted one."""
    winners: dict[frozenset[str], str] = {}
    for row in RECORDED:
        winners.setdefault(frozenset((row["a"], row["b"])), row["a"] if row["winner"] == "a" else row["b"])
    for a, b in itertools.combinations(sorted(HYPOTHESES), 2):
        chance = 1 / (1 + math.exp(0.8 * (INTENDED[a] - INTENDED[b])))
        winners.setdefault(frozenset((a, b)), a if random.Random(f"{a} {b}").random() < chance else b)
    return winners


WINNERS = answers()
ID_OF = {text: id for id, text in HYPOTHESES.items()}


def judge(first: paragone.Item, second: paragone.Item, criteria: str) -> str:
    """The judge of all three: the verdict on this pair, in whatever order it is shown."""
    winner = WINNERS[frozenset((ID_OF[first.text], ID_OF[second.text]))]
    return "first" if winner == ID_OF[first.text] else "second"


def elo(winner: float, loser: float, k: float) -> tuple[float, float]:
    """One step of Elo."""
    gain = k * (1 - 1 / (1 + 10 ** ((loser - winner) / 400)))
    return winner + gain, loser - gain


def random_pairs(iterations: int, seed: int) -> dict[str, float]:
    """Random pairs, Elo with K = 24 in whole points."""
    draw, rating = random.Random(seed), dict.fromkeys(HYPOTHESES, 1200.0)
    for _ in range(iterations * len(HYPOTHESES)):
        pair = draw.sample(sorted(HYPOTHESES), 2)
        winner = WINNERS[frozenset(pair)]
        loser = pair[pair[0] == winner]
        rating[winner], rating[loser] = map(int, elo(rating[winner], rating[loser], 24))
    return rating


def round_robin() -> dict[str, float]:
    """Every pair once, in order, Elo with K = 32."""
    rating = dict.fromkeys(HYPOTHESES, 1200.0)
    for pair in itertools.combinations(HYPOTHESES, 2):
        winner = WINNERS[frozenset(pair)]
        loser = pair[pair[0] == winner]
        rating[winner], rating[loser] = elo(rating[winner], rating[loser], 32)
    return rating


def ranking_node(state: Mapping[str, Any], *, verdicts: int, seed: int = 0) -> dict[str, Any]:
    """paragone as their ranking node: hypotheses in, the same hypotheses out, the best first, with their new ratings.

    Args:
        state: Their state: ``hypotheses`` with ``text``, and ``research_goal``.
        verdicts: Verdicts that it may ask for.
        seed: Makes the run repeatable.
    """
    hypotheses = {str(number): hypothesis for number, hypothesis in enumerate(state["hypotheses"])}
    texts = {id: hypothesis["text"] for id, hypothesis in hypotheses.items()}
    board = paragone.rank(
        texts, judge=judge, criteria=state["research_goal"], budget=verdicts, confidence=0.999, seed=seed
    )
    return {
        "hypotheses": [
            {**hypotheses[row.id], "elo_rating": row.rating, "win_count": row.wins, "loss_count": row.losses}
            for row in board.items
        ]
    }


def by_paragone(verdicts: int, seed: int) -> dict[str, float]:
    """The ratings that the node gives."""
    state = {"research_goal": GOAL, "hypotheses": [{"text": text} for text in HYPOTHESES.values()]}
    ranked = ranking_node(state, verdicts=verdicts, seed=seed)["hypotheses"]
    return {ID_OF[hypothesis["text"]]: hypothesis["elo_rating"] for hypothesis in ranked}


def tau(rating: Mapping[str, float]) -> float:
    """Kendall's tau-b of ratings and the intended order."""
    return float(kendalltau([-INTENDED[id] for id in HYPOTHESES], [rating[id] for id in HYPOTHESES]).statistic)


def compare(iterations: Sequence[int] = (1, 2, 4, 8), seeds: int = 5) -> list[tuple[int, float, float]]:
    """Verdicts, mean tau of random pairs, mean tau of paragone, for some numbers of verdicts."""
    rows = []
    for count in iterations:
        verdicts = count * len(HYPOTHESES)
        theirs = statistics.mean(tau(random_pairs(count, seed)) for seed in range(seeds))
        ours = statistics.mean(tau(by_paragone(verdicts, seed)) for seed in range(seeds))
        rows.append((verdicts, theirs, ours))
    return rows


def main() -> None:
    """Print the table."""
    print("mean tau of five runs\nverdicts  random pairs  paragone")
    for verdicts, theirs, ours in compare():
        print(f"{verdicts:8d}  {theirs:12.2f}  {ours:8.2f}")
    every = len(HYPOTHESES) * (len(HYPOTHESES) - 1) // 2
    print(
        f"every pair, {every} verdicts: round robin {tau(round_robin()):.2f}, paragone {tau(by_paragone(every, 0)):.2f}"
    )


if __name__ == "__main__":
    main()
