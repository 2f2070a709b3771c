"""Sequential Elo beside other packages, for ``benchmarks/rating.py``: matches of two, of many, and growth.

Opponents are drawn at random, the worst case for the processor's caches; one match in ten is a draw.
"""

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rating_table import Cell, Table, absent, cpu, cpu_each, peer

from paragone.domain import RatingConfig
from paragone.ratings import replay_arrays, replay_many, replay_rows
from paragone.ratings.loops.compiled import available

# Without floor and ceiling: evalica has none.
CONFIG = RatingConfig(initial=1200.0, k=32.0, floor=-1e9, ceiling=1e9)
BLOCK = 100_000
NO_NUMBA = "numba is not installed: paragone runs in plain Python, pip install 'paragone[fast]'"
Ratings = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Season:
    """Matches as columns, for us and for evalica."""

    items: int
    a: NDArray
    b: NDArray
    score: NDArray

    @classmethod
    def of(cls, count: int, items: int, *, small: bool = False) -> "Season":
        """Random opponents; ``small`` columns take 12 bytes a match, others 24."""
        rng = np.random.default_rng(count)
        index, number = (np.int32, np.float32) if small else (np.int64, np.float64)
        a = rng.integers(items, size=count, dtype=index)
        b = rng.integers(1, items, size=count, dtype=index)
        b += a
        b %= items
        result = rng.integers(20, size=count, dtype=np.uint8)
        score = np.array([0.0] * 9 + [0.5] * 2 + [1.0] * 9, dtype=number)[result]
        return cls(items=items, a=a, b=b, score=score)

    def ours(self, compiled: bool | None = None) -> Ratings:
        """The ratings after all matches."""
        return replay_arrays(self.a, self.b, self.score, None, self.items, CONFIG, compiled=compiled)

    def plain(self) -> Ratings:
        """The same in plain Python."""
        return self.ours(compiled=False)

    def ours_with_rows(self, block: int) -> Ratings:
        """The same, with old and new ratings of both and the expected score of each match, a block at a time."""
        rows = None
        for low in range(0, len(self.a), block):
            part, start = slice(low, low + block), None if rows is None else rows.ratings
            columns = (self.a[part], self.b[part], self.score[part], None, self.items, CONFIG)
            rows = replay_rows(*columns, start=start, into=rows)
        return rows.ratings

    def evalica(self) -> tuple[Callable[[], Ratings], Callable[[], Ratings]]:
        """Calls of evalica: its public function with arrays and a prebuilt index, and its private typed-array entry.

        Its base 10 and scale 400 are our log-odds of ln 10 / 400 a point, its win and tie weights our scores.
        """
        import evalica
        import pandas as pd

        a, b = self.a.astype(np.uint64), self.b.astype(np.uint64)
        won = np.select([self.score == 1, self.score == 0], [1, 2], 0).astype(np.uint8)
        winners, weights, index = [evalica.Winner(w) for w in won.tolist()], np.ones(len(a)), pd.RangeIndex(self.items)
        rule = {"initial": CONFIG.initial, "base": 10.0, "scale": 400.0, "k": CONFIG.k}

        def public() -> Ratings:
            found = evalica.elo(self.a, self.b, winners, index=index, **rule).scores
            return found.sort_index().to_numpy()

        def private() -> Ratings:
            return evalica._brzo.elo(a, b, won, weights, self.items, *rule.values(), 1.0, 0.5)

        return public, private


def elo(quick: bool) -> list[Table]:
    """Matches of two beside evalica."""
    sizes = (
        [(10_000, 100), (300_000, 3_000)] if quick else [(100_000, 1_000), (1_000_000, 10_000), (10_000_000, 100_000)]
    )
    found = [_elo_at(count, items, plain=count <= 1_000_000) for count, items in sizes]
    names = list(dict.fromkeys(name for seconds, _ in found for name in seconds))
    last = found[-1][0]
    rows = [
        (
            name,
            *(None if name not in each else each[name] * 1e3 for each, _ in found),
            _share(name, last, sizes[-1][0]),
            None if name not in last else last[name] / last["paragone"],
            max(apart.get(name, 0.0) for _, apart in found),
        )
        for name in names
    ]
    notes = [*([] if available() else [NO_NUMBA]), *([] if peer("evalica") else [absent("evalica")])]
    sized = [f"{count:,} of {items:,}, ms" for count, items in sizes]
    columns = ("contender", *sized, "ns a match", "x paragone", "largest difference, Elo")
    return [Table(title="Sequential Elo", columns=columns, rows=rows, notes=notes)]


def _share(name: str, seconds: dict[str, float], count: int) -> Cell:
    return None if name not in seconds else seconds[name] / count * 1e9


def _elo_at(count: int, items: int, *, plain: bool) -> tuple[dict[str, float], dict[str, float]]:
    """CPU seconds of each contender, and how far each one's ratings are from ours."""
    season = Season.of(count, items)
    calls = {
        "paragone": season.ours,
        "paragone, a row a match, in blocks": lambda: season.ours_with_rows(BLOCK),
        "paragone, a row a match, at once": lambda: season.ours_with_rows(count),
    }
    if peer("evalica"):
        public, private = season.evalica()
        calls |= {"evalica, private typed-array entry": private, "evalica, arrays and prebuilt index": public}
    if plain:
        calls["paragone in plain Python"] = season.plain
    ours = season.ours(compiled=available())  # and what is compiled is ready from here on
    apart = {name: float(np.abs(call() - ours).max()) for name, call in calls.items()}
    return cpu_each(calls, 3 if count > 1_000_000 else 5), apart


def many(quick: bool) -> list[Table]:
    """Matches of several beside packages that have them."""
    rows, notes = [], [] if available() else [NO_NUMBA]
    for size in (3, 8):
        count, items = (20_000, 2_000) if quick else (1_000_000, 100_000)
        rng = np.random.default_rng(size)
        entrants = _crowds(rng, count, items, size)
        score = rng.integers(4, size=entrants.shape).astype(float)
        replay_many(entrants[:2], score[:2], None, items, CONFIG, compiled=available())
        ours = cpu(lambda: replay_many(entrants, score, None, items, CONFIG)) / count  # noqa: B023 - called at once
        rows.append((f"paragone, {size} items", count, ours * 1e6, 1.0))
        for name, play in (_openskill() | _trueskill()).items():
            few = 50 if quick else 300
            taken = cpu(lambda: play(entrants[:few].tolist(), score[:few].tolist())) / few  # noqa: B023
            rows.append((f"{name}, {size} items", few, taken * 1e6, taken / ours))
    notes += [absent(name) for name in ("openskill", "trueskill") if not peer(name)]
    columns = ("contender", "matches", "microseconds a match", "x paragone")
    return [Table(title="Matches of several", columns=columns, rows=rows, notes=notes)]


def _crowds(rng: np.random.Generator, count: int, items: int, size: int) -> NDArray[np.int64]:
    """So many different items a match: one drawn, the others at random distances that add up to less than all."""
    steps = rng.integers(1, items // size, size=(count, size))
    return (rng.integers(items, size=(count, 1)) + steps.cumsum(axis=1)) % items


def _openskill() -> dict[str, Callable]:
    if not peer("openskill"):
        return {}
    from openskill import models

    def player(model) -> Callable:
        def play(entrants, score) -> None:
            ratings = {item: model.rating() for match in entrants for item in match}
            for match, points in zip(entrants, score, strict=True):
                rated = model.rate([[ratings[item]] for item in match], scores=points)
                ratings.update((item, team[0]) for item, team in zip(match, rated, strict=True))

        return play

    names = ("PlackettLuce", "BradleyTerryPart", "BradleyTerryFull", "ThurstoneMostellerPart")
    return {f"openskill {name}": player(getattr(models, name)()) for name in names}


def _trueskill() -> dict[str, Callable]:
    if not peer("trueskill"):
        return {}
    import trueskill

    def play(entrants, score) -> None:
        world = trueskill.TrueSkill()
        ratings = {item: world.create_rating() for match in entrants for item in match}
        for match, points in zip(entrants, score, strict=True):
            rated = world.rate([(ratings[item],) for item in match], ranks=[-point for point in points])
            ratings.update((item, team[0]) for item, team in zip(match, rated, strict=True))

    return {"trueskill": play}


def growth(quick: bool) -> list[Table]:
    """From ten thousand matches on, a hundred for each item; in columns of 12 bytes a match."""
    rows = []
    for power in range(4, 7 if quick else 9):
        count = 10**power
        season = Season.of(count, count // 100, small=True)
        season.ours(compiled=available())
        seconds = cpu(season.ours, 3 if power < 8 else 2)
        plain = cpu(season.plain, 1) if power <= 6 else None
        held = season.a.nbytes + season.b.nbytes + season.score.nbytes
        rows.append((count, count // 100, seconds, seconds / count * 1e9, plain, held / 2**20, _extra(season.ours)))
    columns = ("matches", "items", "CPU seconds", "ns a match", "plain Python, seconds", "columns, MiB", "more, MiB")
    notes = ["More: what a replay takes beside the columns that it is given, at its peak."]
    return [Table(title="Growth", columns=columns, rows=rows, notes=[*notes, *([] if available() else [NO_NUMBA])])]


def _extra(call: Callable[[], object]) -> float:
    """Memory that a call takes at its peak, in MiB."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
