"""Recorded votes on 59 models: agreement with reference scores, position bias."""

import csv
import time

from rating_table import Table
from real_data import JUDGES, ballot_file, folder

import paragone

REFERENCES = ("bradley_terry", "newman", "elo", "average_win_rate")
Scores = dict[str, float]


def agreement(quick: bool) -> list[Table]:  # noqa: ARG001 - it takes seconds
    """Kendall's tau of the crowd's fit with evalica's golden scores, and of the models' fits with the crowd's."""
    boards, seconds = {}, {}
    for voters in JUDGES:
        start = time.process_time()
        boards[voters] = paragone.fit(ballot_file(voters), position=True)
        seconds[voters] = time.process_time() - start
    strengths = {name: {row.id: row.rating for row in board.items} for name, board in boards.items()}
    golden = [[name, tau(strengths["crowd"], scores)] for name, scores in references().items()]
    judges = [
        [name, tau(strengths[name], strengths["crowd"]), board.position_bias, seconds[name]]
        for name, board in boards.items()
    ]
    return [
        Table(title="The crowd's strengths against evalica's golden scores", columns=("scores", "tau"), rows=golden),
        Table(
            title="Judges",
            columns=("judge", "tau with the crowd", "towards the left, nats", "CPU s, reading included"),
            rows=judges,
        ),
    ]


def references() -> dict[str, Scores]:
    """Scores by algorithm and model."""
    with (folder("llmfao") / "evalica-llmfao-golden.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[str, Scores] = {}
    for row in rows:
        found.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    return {name: found[name] for name in REFERENCES}


def tau(left: Scores, right: Scores) -> float:
    """Kendall's tau-b over what both score."""
    from scipy.stats import kendalltau

    shared = sorted(left.keys() & right.keys())
    return float(kendalltau([left[key] for key in shared], [right[key] for key in shared]).statistic)
