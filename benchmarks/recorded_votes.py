"""Recorded votes, however they are written down: the board, and what it says of votes that it has not seen.

    .venv/bin/python benchmarks/recorded_votes.py [--folds N] [--json]

LLMFAO's crowd votes on 59 models (CC BY 4.0) under PARAGONE_DATA (default ../shared/data) are fitted as they stand
and winner first, by the default model, by plain Bradley-Terry and by peers, where these are installed.
Accuracy is the share of decided held-out votes that go to the item ahead, a half where two are level. "Apart" is the
largest difference in rating points from the first row, fitted to all votes.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: CPU seconds of one core, ours and the peers'

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from rating_table import Table, absent, as_json, as_text, peer
from real_data import Absent, llmfao

import paragone

POINTS = 400 / np.log(10)
Vote = tuple[str, str, float]
Ratings = dict[str, float]
Model = Callable[[Sequence[Vote]], Ratings]


def crowd() -> list[Vote]:
    """The votes of the crowd: left, right, and the score of the left."""
    votes, _, _ = llmfao()
    chosen = votes.at(votes.judge == 0)
    columns = (chosen.left.tolist(), chosen.right.tolist(), chosen.score.tolist())
    return [(f"m{left}", f"m{right}", score) for left, right, score in zip(*columns, strict=True)]


def as_shown(votes: Sequence[Vote], **options: object) -> Ratings:
    """Our ratings of the votes as they stand."""
    return _ratings([{"a": a, "b": b, "winner": score} for a, b, score in votes], **options)


def winner_first(votes: Sequence[Vote], **options: object) -> Ratings:
    """Our ratings with the winner of each row in the first column."""
    turned = [(b, a, 1 - score) if score < 0.5 else (a, b, score) for a, b, score in votes]
    return as_shown(turned, **options)


def winner_and_loser(votes: Sequence[Vote]) -> Ratings:
    """Our ratings with columns for the winner, the loser and draws."""
    rows = [(b, a, score) if score < 0.5 else (a, b, score) for a, b, score in votes]
    return _ratings([{"winner": a, "loser": b, "draw": score == 0.5} for a, b, score in rows])


def _ratings(rows: list[dict[str, object]], **options: object) -> Ratings:
    return {row.id: row.rating for row in paragone.fit(rows, **options).items}


def by_choix(votes: Sequence[Vote]) -> Ratings:
    """choix, ``opt_pairwise`` with alpha 0.01; every vote counted twice, so that a tie is a win for each side."""
    import choix

    ids = sorted({id for a, b, _ in votes for id in (a, b)})
    place = {id: at for at, id in enumerate(ids)}
    wins = [pair for a, b, score in votes for pair in _wins(place[a], place[b], score)]
    strength = choix.opt_pairwise(len(ids), wins, alpha=0.02, tol=1e-12)
    return dict(zip(ids, (POINTS * (strength - strength.mean()) + 1200).tolist(), strict=True))


def _wins(a: int, b: int, score: float) -> list[tuple[int, int]]:
    return [(a, b)] * round(2 * score) + [(b, a)] * round(2 - 2 * score)


def by_evalica(votes: Sequence[Vote]) -> Ratings:
    """evalica, ``bradley_terry``, a tie half a win."""
    import evalica

    sides = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    xs, ys, scores = zip(*votes, strict=True)
    scores = evalica.bradley_terry(xs, ys, [sides[score] for score in scores], tolerance=1e-12, limit=100_000).scores
    strength = np.log(scores)
    return (POINTS * (strength - strength.mean()) + 1200).to_dict()


def models() -> tuple[dict[str, Model], list[str]]:
    """Every model by its name, and a note for each peer that is not there."""
    known: dict[str, Model] = {
        "default": as_shown,
        "default, winner first": winner_first,
        "default, columns winner and loser": winner_and_loser,
        "default, order known": lambda votes: as_shown(votes, position=True),
        "plain, no penalty": lambda votes: as_shown(votes, plain=True),
        "plain, no penalty, winner first": lambda votes: winner_first(votes, plain=True),
        "plain, l2 0.01": lambda votes: as_shown(votes, plain=True, l2=0.01),
    }
    peers = {"evalica": ("evalica bradley_terry", by_evalica), "choix": ("choix opt_pairwise, alpha 0.01", by_choix)}
    for package, (name, model) in peers.items():
        if peer(package) is not None:
            known[name] = model
    return known, [absent(package) for package in peers if peer(package) is None]


def accuracy(ratings: Ratings, votes: Sequence[Vote]) -> float:
    """Share of decided votes for the item ahead."""
    middle = sum(ratings.values()) / len(ratings)
    hits = []
    for a, b, score in votes:
        gap = ratings.get(a, middle) - ratings.get(b, middle)
        if score != 0.5:
            hits.append(0.5 if abs(gap) < 1e-6 else float((gap > 0) == (score > 0.5)))
    return float(np.mean(hits))


def table(folds: int) -> Table:
    """Every model over the same folds."""
    votes = crowd()
    order = np.random.default_rng(1).permutation(len(votes))
    parts = [set(part.tolist()) for part in np.array_split(order, folds)]
    known, notes = models()
    rows, first = [], None
    for name, model in known.items():
        whole = model(votes)
        first = whole if first is None else first
        apart = max(abs(whole[id] - first[id]) for id in first)
        start, right = time.process_time(), []
        for part in parts:
            ratings = model([vote for place, vote in enumerate(votes) if place not in part])
            right.append(accuracy(ratings, [votes[place] for place in part]))
        seconds = (time.process_time() - start) / folds
        rows.append([name, round(float(np.mean(right)), 4), round(apart, 6), round(seconds, 2)])
    return Table(
        title=f"{len(votes):,} crowd votes on {len(first or ())} models, {folds} folds",
        columns=("model", "held-out accuracy", "apart, points", "CPU s a fold"),
        rows=rows,
        notes=notes,
        digits=4,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        measured = table(options.folds)
    except Absent as missing:
        sys.exit(f"recorded votes: {missing}")
    print(json.dumps(as_json(measured)) if options.json else as_text(measured))


if __name__ == "__main__":
    main()
