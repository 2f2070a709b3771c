"""What a process prints of many fits, draws, plans, orders and searches; ``test_processors`` compares processors by it.

python processor_program.py FOLDER prints one JSON object, by case.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import sys
from pathlib import Path

import numpy as np

import paragone
from paragone.cli import main
from paragone.domain import Aim, Goal, Item
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.pairing.informative import PairHistory, next_batch
from paragone.ratings import Evidence, FitOptions, draws, fit, rank_intervals, ranks, rating_intervals
from paragone.similarity import SimilarityGraph

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EFFORT = {"gradient_norm", "iterations", "seconds"}
"""How a result was reached, and not the result."""
WORDS = ("light", "lamp", "night", "bird", "song", "dawn", "street", "cell", "anode", "lithium", "coat", "oxide", "nap")
TEXTS = {f"t{at}": " ".join(WORDS[(at * step) % len(WORDS)] for step in range(1, 9)) for at in range(20)}
JUDGE = """
import hashlib, math
def judge(first, second, criteria):
    share = int(hashlib.sha256((first.id + second.id).encode()).hexdigest(), 16) % 1000 / 1000
    return "first" if share < 1 / (1 + math.exp((len(second.text) - len(first.text)) / 60)) else "second"
"""


def printed(*arguments):
    """What a command prints, which ends with the object that it made."""
    output = io.StringIO()
    sys.argv = ["paragone", *arguments]
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        main()
    return json.loads(output.getvalue())


def votes():
    return printed("fit", str(EXAMPLES / "votes.csv"), "--position", "--json")


def tournament():
    Path("longer_by_chance.py").write_text(JUDGE)
    options = (
        "--judge",
        "python:longer_by_chance:judge",
        "--budget",
        "40",
        "--seed",
        "7",
        "--db",
        "sqlite:///ranked.db",
    )
    made = printed("rank", str(EXAMPLES / "hypotheses.jsonl"), "--criteria", "longest", *options, "--json")
    return {name: value for name, value in made.items() if name not in {"tournament", "db"}}


def verdicts(items, count, *, judges=1, reach=None):
    """Verdicts on items whose strengths are whole numbers; many items are equal in all that was said of them."""
    rng = np.random.default_rng([items, count])
    first = rng.integers(items, size=count)
    second = (first + rng.integers(1, reach or items, size=count)) % items
    luck = rng.integers(-3, 4, size=count) + first % 7 - second % 7
    score = np.where(luck == 0, 0.5, luck > 0)
    return Evidence.from_arrays(
        items, first, second, score, tie=luck == 0, judge=rng.integers(judges, size=count), judges=tuple("xyz"[:judges])
    )


def standing(evidence, count=300, **options):
    """Strengths, ranks, intervals and the next batch, as they are shown."""
    found = fit(evidence, FitOptions(repeats=True, **options))
    sample = draws(found, count, np.random.default_rng(5))
    low, high = rating_intervals(found, 0.95, sample)
    places = ranks(found.strength)
    batches = {
        aim.value: next_batch(found.strength, sample, PairHistory.of(evidence.item_count, [(0, 1)]), goal, rng=rng)
        for aim, goal, rng in ((a, Goal(aim=a), np.random.default_rng(3)) for a in (Aim.BALANCED, Aim.ORDER))
    }
    return {
        "elo": paragone.ratings.to_elo(np.stack([found.strength, low, high])).round(2).tolist(),
        "judges": np.stack([found.position, found.tie, found.slope]).round(4).tolist(),
        "spread": round(found.prior_spread, 4),
        "ranks": [places.tolist(), *(end.tolist() for end in rank_intervals(sample, 0.95, places))],
        "batches": batches,
    }


def orders():
    judge = SimulatedJudge({id: at / 6 for at, id in enumerate(TEXTS)}, seed=1)
    items = [Item(id=id, text=text) for id, text in TEXTS.items()]
    board = paragone.rank(items, "any", judge=judge, group_size=4, budget=10, seed=2)
    return [
        [row.id, row.rank, row.rank_low, row.rank_high, round(row.low, 1), round(row.high, 1)] for row in board.items
    ]


def weighted():
    judge = SimulatedJudge({id: at / 6 for at, id in enumerate(TEXTS)}, seed=1)
    items = [Item(id=id, text=text) for id, text in TEXTS.items()]
    board = paragone.rank(items, "any", judge=judge, pairing="weighted", similarity="local", budget=30, seed=2)
    # The running Elo tells who met whom, and when.
    return [[row.id, row.rank, row.matches, round(row.elo, 3)] for row in board.items]


def agents():
    names, domains = [f"a{at}" for at in range(12)], ("law", "ethics", "maths")
    debates = []
    for number in range(150):
        digest = hashlib.sha256(str(number).encode()).digest()
        one, other = names[digest[0] % 12], names[(digest[0] + 1 + digest[1] % 11) % 12]
        wins = digest[2] % 12 < 6 + (names.index(other) - names.index(one)) // 2
        scores = {one: 8.0 if wins else 6.0, other: 6.0 if wins else 8.0}
        debates.append(
            {"debate_id": f"d{number}", "participants": [one, other], "scores": scores, "domain": domains[number % 3]}
        )
    with paragone.EloSystem("sqlite:///agents.db") as system:
        system.record_matches(debates)
        return [repr(system.get_strengths()), repr(system.get_strengths(domain="law"))]


def likeness():
    items = [Item(id=id, text=text) for id, text in TEXTS.items()]
    graph = SimilarityGraph.of(items)
    return {
        "nearest": {id: graph.neighbours(id)[:5] for id in graph.ids},
        "clusters": [[*one.members, round(one.cohesion, 5)] for one in graph.clusters],
        "recommended": graph.recommended(12),
    }


def memory():
    root = Path("remembered")
    root.mkdir()
    for id, text in TEXTS.items():
        (root / f"{id}.md").write_text(f"# {id}\n\n{text}\n")
    with paragone.Memory.create(root) as kept:
        kept.index()
        return [
            [[result.path, round(result.similarity, 5)] for result in kept.search("lamp at night", how=how).results]
            for how in ("semantic", "hybrid")
        ]


CASES = {
    "votes": votes,
    "tournament": tournament,
    "board": lambda: standing(verdicts(24, 90)),
    "judges": lambda: standing(verdicts(16, 200, judges=3)),
    "alone": lambda: standing(verdicts(9, 6)),
    "pairs": lambda: standing(verdicts(100, 750), dense_limit=0),
    "line": lambda: standing(verdicts(200, 1500, reach=3), dense_limit=0),
    "rows": lambda: standing(verdicts(60, 360, judges=2), dense_limit=0),
    "factored": lambda: standing(verdicts(520, 2600), count=100),
    "orders": orders,
    "weighted": weighted,
    "agents": agents,
    "likeness": likeness,
    "memory": memory,
}


def without_effort(value):
    if isinstance(value, dict):
        return {name: without_effort(held) for name, held in value.items() if name not in EFFORT}
    return [without_effort(held) for held in value] if isinstance(value, list | tuple) else value


def everything():
    """What all cases make, by name; folders and files go where the process is."""
    made = {name: without_effort(case()) for name, case in CASES.items()}
    return re.sub(r'"[0-9a-f-]{36}"', '"id"', json.dumps(made))


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    sys.path.insert(0, sys.argv[1])
    print(everything())
