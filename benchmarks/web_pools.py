"""The pools of benchmarks/web.py: one of a million items, one that people vote on, one that a judge has ranked."""

import time
from pathlib import Path

import numpy as np

import paragone
from paragone.domain import Choice, Item, RatingConfig
from paragone.ledger import Ledger
from paragone.ledger.evidence.bulk_matches import Batch
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for

_WORDS = """
    river stone paper engine garden signal winter coffee mirror copper violin harbor candle forest method market
    planet silver thread window bridge circle dragon empire fabric galaxy hammer island jacket kernel ladder magnet
    needle orange pepper quartz rocket saddle tunnel umpire velvet walnut yellow zephyr anchor basket cactus desert
    """
WORDS = _WORDS.split()
CHUNK = 50_000


def large_pool(db: str, items: int, matches: int) -> float:
    """A pool of so many items with texts of about 70 characters, and matches between them; seconds that it took."""
    began, draw = time.perf_counter(), np.random.default_rng(5)
    words = draw.integers(len(WORDS), size=(items, 9))
    pool = tuple(
        Item(id=f"i{number:07}", text=f"Idea {number}: " + " ".join(WORDS[word] for word in line))
        for number, line in enumerate(words.tolist())
    )
    with Ledger.open(db, durable=False) as ledger:
        brief = settings_for(items, criteria="the better idea", judge="people", seed=1)
        id = TournamentState.begin(ledger, "large", brief, pool, RatingConfig()).id
        skill, bulk = draw.normal(size=items), ledger.matches.bulk(id)
        for start in range(0, matches, CHUNK):
            bulk.record(
                _batch(draw, skill, start, min(CHUNK, matches - start)), event="benchmark", detail={"at": start}
            )
        bulk.settle()
    return time.perf_counter() - began


def _batch(draw: np.random.Generator, skill: np.ndarray, start: int, count: int) -> Batch:
    a = draw.integers(len(skill), size=count)
    b = (a + draw.integers(1, len(skill), size=count)) % len(skill)
    won = draw.random(count) < 1 / (1 + np.exp(skill[b] - skill[a]))
    said = np.where(draw.random(count) < 0.1, Choice.TIE, np.where(won, Choice.FIRST, Choice.SECOND))
    return Batch(
        id=[f"m{start + number}" for number in range(count)],
        a=[f"i{number:07}" for number in a.tolist()],
        b=[f"i{number:07}" for number in b.tolist()],
        choice=[Choice(choice) for choice in said.tolist()],
        probability=[None] * count,
        judge=["crowd"] * count,
        confidence=[1.0] * count,
    )


def people_pool(db: str, items: int) -> str:
    """A pool of so many items to vote on."""
    pool = tuple(Item(id=f"i{number}", text=f"the text of idea {number}") for number in range(items))
    brief = settings_for(items, criteria="the better idea", judge="people", seed=1)
    with Ledger.open(db) as ledger:
        return TournamentState.begin(ledger, "ideas", brief, pool, RatingConfig()).id


def ranked_pool(db: str, folder: Path, items: int, budget: int) -> str:
    """A tournament of so many items that a simulated judge has ranked with so many calls."""
    draw = np.random.default_rng(7)
    lines = [f"idea {number},{value:.3f}\n" for number, value in enumerate(draw.normal(size=items))]
    (folder / "strengths.csv").write_text("id,score\n" + "".join(lines))
    texts = {f"idea {number}": " ".join(draw.choice(WORDS, 30).tolist()) for number in range(items)}
    paragone.rank(
        texts, judge=f"simulated:{folder / 'strengths.csv'}", criteria="the better idea", db=db, seed=1, budget=budget
    )
    with Ledger.open(db) as ledger:
        return ledger.tournaments.get().id
