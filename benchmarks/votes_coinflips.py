"""A negative control: tournaments that a coin decided must not look settled.

LLNL's logs have 39 small tournaments; their judge tossed a coin wherever two labels were equal, 551 times of 738. The
running Elo spreads all the same. What is asked is whether our intervals say that little is known: two items whose
rating intervals do not overlap would be taken for different. Beside it stand LLMFAO's crowd, cut down to about as many
votes an item and whole, and the same votes with a coin in place of every decision.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rating_table import Table
from real_data import Ballots, folder, llmfao

import paragone
from paragone.domain import Board, Match, Outcome, RatingConfig
from paragone.ratings import running_elo as replay

CONFIG = RatingConfig(initial=1200.0, k=32.0)
Row = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """What boards of one kind claim.

    Attributes:
        boards: How many there are.
        items: Items in all.
        votes: Votes in all.
        overlapping: Share of the pairs of items, within a board, whose rating intervals overlap.
        width: Length of a rank interval as a share of the ranks there are, averaged over items.
        elo_range: Running Elo of the first less that of the last, averaged over boards.
        best: Claimed probability that the first is the best, averaged over boards.
    """

    boards: int
    items: int
    votes: int
    overlapping: float
    width: float
    elo_range: float
    best: float

    @classmethod
    def of(cls, boards: Iterable[Board]) -> "Sureness":
        known = list(boards)
        pairs = [min(x.high, y.high) >= max(x.low, y.low) for b in known for x, y in combinations(b.items, 2)]
        widths = [(r.rank_high - r.rank_low) / (len(b.items) - 1) for b in known for r in b.items]
        elos = [[row.elo for row in board.items] for board in known]
        return cls(
            boards=len(known),
            items=sum(len(board.items) for board in known),
            votes=sum(row.matches for board in known for row in board.items) // 2,
            overlapping=float(np.mean(pairs)),
            width=float(np.mean(widths)),
            elo_range=float(np.mean([max(elo) - min(elo) for elo in elos])),
            best=float(np.mean([board.forecast.p_best for board in known if board.forecast])),
        )


def coinflips(quick: bool) -> list[Table]:
    """The replay of the logs, and how sure each kind of board claims to be."""
    runs = logs()
    off = [abs(ours - logged) for run in runs for ours, logged in replayed(run)]
    tossed = [[row for row in run if row["score_a"] == row["score_b"]] for run in runs]
    crowd = llmfao()[0]
    crowd = crowd.at(crowd.judge == 0)
    repeats, rng = 3 if quick else 20, np.random.default_rng(1)
    few = round(crowd.items * sum(map(len, runs)) / sum(len(_items(run)) for run in runs))
    sparse = [crowd.at(rng.permutation(len(crowd))[:few]) for _ in range(repeats)]
    kinds = {
        "LLNL's logs": [_board(_rows(run)) for run in runs],
        "of those, matches that a coin decided": [_board(_rows(run)) for run in tossed if run],
        "LLMFAO's crowd, about as few votes an item": [_board(_votes(votes)) for votes in sparse],
        "the same, a coin for each vote": [_board(_votes(_tossed(votes, rng))) for votes in sparse],
        "LLMFAO's crowd, all votes": [_board(_votes(crowd))],
        "the same with a coin": [_board(_votes(_tossed(crowd, rng))) for _ in range(2 if quick else 5)],
    }
    equal, different = _by_label(runs, kinds["LLNL's logs"])
    claims = {name: Sureness.of(boards) for name, boards in kinds.items()}
    return [
        Table(
            title="Logged ratings replayed: start 1200, K 32",
            columns=("runs", "ratings", "within 0.01", "largest difference"),
            rows=[[len(runs), len(off), sum(value <= 0.01 for value in off), max(off)]],
        ),
        Table(
            title="Pairs of hypotheses of one run, by the labels that decided their matches",
            columns=("labels", "pairs", "intervals overlap", "told apart the right way", "told apart the wrong way"),
            rows=[["equal: a coin", *equal], ["different", *different]],
        ),
        Table(
            title="Who is told apart from whom, 95 % intervals",
            columns=(
                "boards of",
                "boards",
                "items a board",
                "votes an item",
                "pairs of items whose intervals overlap",
                "rank interval, share of all ranks",
                "running Elo, first less last",
                "claimed: the first is the best",
            ),
            rows=[
                [name, c.boards, c.items / c.boards, 2 * c.votes / c.items, c.overlapping, c.width, c.elo_range, c.best]
                for name, c in claims.items()
            ],
        ),
    ]


def _by_label(runs: Sequence[Sequence[Row]], boards: Sequence[Board]) -> list[list[int]]:
    """For pairs of equal and of different labels: how many, how many overlap, and how many are told apart and how."""
    counts = [[0, 0, 0, 0], [0, 0, 0, 0]]
    for run, board in zip(runs, boards, strict=True):
        label = {row[side]: int(row[f"score_{side}"]) for row in run for side in "ab"}
        for upper, lower in combinations(board.items, 2):  # the board has the better first
            lead = label[upper.id] - label[lower.id]
            tally = counts[lead != 0]
            tally[0] += 1
            tally[1 if lower.high >= upper.low else 2 if lead > 0 else 3] += 1
    return counts


def logs() -> list[list[Row]]:
    """The matches of each run, in the order of play."""
    runs: dict[str, list[Row]] = {}
    with (folder("coscientist_logs") / "matches.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            runs.setdefault(row["run"], []).append(row)
    return list(runs.values())


def replayed(run: Sequence[Row]) -> list[tuple[float, float]]:
    """Each rating after each match: ours, and the logged one."""
    matches = [
        Match(id=str(number), a=row["a"], b=row["b"], outcome=Outcome.A if row["winner"] == row["a"] else Outcome.B)
        for number, row in enumerate(run)
    ]
    found = []
    for change in replay(matches, CONFIG).changes:
        row = run[int(change.match)]
        side = "winner" if change.item == row["logged_winner"] else "loser"
        found.append((change.new, float(row[f"logged_{side}_elo"])))
    return found


def _items(run: Sequence[Row]) -> set[str]:
    return {row[side] for row in run for side in "ab"}


def _rows(run: Sequence[Row]) -> list[tuple[str, str, str]]:
    return [(row["a"], row["b"], row["winner"]) for row in run]


def _votes(votes: Ballots) -> list[tuple[str, str, float]]:
    columns = (votes.left.tolist(), votes.right.tolist(), votes.score.tolist())
    return [(f"m{left}", f"m{right}", score) for left, right, score in zip(*columns, strict=True)]


def _tossed(votes: Ballots, rng: np.random.Generator) -> Ballots:
    """The same pairs and the same ties, each decision by a coin."""
    coin = rng.integers(0, 2, len(votes)).astype(float)
    return Ballots(
        items=votes.items,
        left=votes.left,
        right=votes.right,
        score=np.where(votes.score == 0.5, 0.5, coin),
        judge=votes.judge,
        judges=votes.judges,
    )


def _board(rows: Sequence[tuple[str, str, str | float]]) -> Board:
    return paragone.fit(list(rows), config=CONFIG)
