"""What is simulated, beside whom, and what is to be reached."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from contender import Contender
from contender_paragone import GOALS, Informative, random_fitted
from peer_elo import random_elo, weights_elo
from simulated import Habits

MULTIPLES = (2, 5, 10, 20)  # judge calls an item at which the ranking is scored

JUDGES = {
    "noise 0.5": Habits(),
    "noise 1": Habits(noise=1.0),
    "noise 0.25": Habits(noise=0.25),
    "bias 1": Habits(bias=1.0),
    "sticky": Habits(sticky=True),
    "pair effects 0.7": Habits(pair_effect=0.7),
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A contender, and the package that it needs beside our own.

    Attributes:
        label: How the tables name it.
        load: Gives the contender; called when it is to run.
        package: Left out, with a line that says so, where this is not there.
    """

    label: str
    load: Callable[[], Contender]
    package: str | None = None

    @property
    def present(self) -> bool:
        return self.package is None or find_spec(self.package) is not None


def _exact(goal: str) -> Callable[[], Contender]:
    return lambda: Informative(goal=GOALS[goal], exact=True)


def _peer(module: str, name: str) -> Callable[[], Contender]:
    return lambda: getattr(importlib.import_module(module), name)


CONTENDERS = {
    "order": Entry(label="whole order", load=lambda: Informative(goal=GOALS["order"])),
    "balanced": Entry(label="balanced (default)", load=lambda: Informative(goal=GOALS["balanced"])),
    "top": Entry(label="top 10", load=lambda: Informative(goal=GOALS["top"])),
    "winner": Entry(label="winner", load=lambda: Informative(goal=GOALS["winner"])),
    "random": Entry(label="random pairs, our fit", load=lambda: random_fitted),
    "random-elo": Entry(label="random pairs, running Elo", load=lambda: random_elo),
    "weights": Entry(label="T's weights, running Elo", load=lambda: weights_elo),
    "swiss": Entry(label="llm-qualitative-sort", load=_peer("peer_swiss", "swiss"), package="llm_qualitative_sort"),
    "swiss-fitted": Entry(
        label="its comparisons, our fit", load=_peer("peer_swiss", "swiss_fitted"), package="llm_qualitative_sort"
    ),
    "trueskill": Entry(
        label="TrueSkill, best quality", load=_peer("peer_trueskill", "trueskill_quality"), package="trueskill"
    ),
    "asap": Entry(label="ASAP-style", load=_peer("peer_asap", "asap")),
    "balanced-exact": Entry(label="balanced, exact draws", load=_exact("balanced")),
    "top-exact": Entry(label="top 10, exact draws", load=_exact("top")),
    "winner-exact": Entry(label="winner, exact draws", load=_exact("winner")),
}
OURS = ("order", "balanced", "top", "winner")
EXACT = ("balanced-exact", "top-exact", "winner-exact")
PEERS = tuple(name for name in CONTENDERS if name not in {*OURS, *EXACT})


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One contender, with one judge, over so many items."""

    contender: str
    items: int
    judge: str = "noise 0.5"

    @property
    def key(self) -> str:
        return f"{self.contender}, {self.items} items, {self.judge}"


def _cells() -> tuple[Cell, ...]:
    """All of them, the most telling first."""
    alike = [Cell(contender=name, items=items) for items in (150, 30) for name in (*OURS, *PEERS)]
    others = [judge for judge in JUDGES if judge != "noise 0.5"]
    unlike = [Cell(contender=name, items=150, judge=judge) for judge in others for name in ("order", *PEERS)]
    large = [Cell(contender=name, items=1000) for name in (*OURS, *PEERS)]
    exact = [Cell(contender=name, items=items) for items in (30, 150) for name in EXACT]  # these take longest
    return (*alike, *unlike, *large, *exact)


CELLS = _cells()

Row = tuple[float | None, ...]  # by MULTIPLES
_NONE: Row = (None,) * len(MULTIPLES)

BARS: dict[tuple[str, int, str, str], Row] = {
    ("noise 0.5", 30, "order", "tau"): (0.61, 0.77, 0.84, 0.885),
    ("noise 0.5", 30, "balanced", "tau"): (None, 0.76, 0.835, None),
    ("noise 0.5", 30, "balanced", "recall"): (None, 0.835, 0.885, 0.92),
    ("noise 0.5", 150, "order", "tau"): (0.59, 0.765, 0.845, 0.895),
    ("noise 0.5", 150, "balanced", "tau"): (None, 0.735, 0.83, None),
    ("noise 0.5", 150, "balanced", "recall"): (None, 0.75, 0.84, 0.90),
    ("noise 0.5", 150, "top", "recall"): (0.64, 0.82, 0.86, 0.92),
    ("noise 0.5", 150, "winner", "winner"): (None, 0.65, 0.80, None),
    ("noise 0.5", 1000, "order", "tau"): (0.585, 0.76, 0.84, 0.89),
    ("noise 0.5", 1000, "balanced", "tau"): (None, 0.75, 0.84, None),
    ("noise 0.5", 1000, "balanced", "recall"): (None, 0.63, 0.75, 0.83),
    ("noise 0.5", 1000, "top", "recall"): (0.45, 0.74, 0.82, 0.87),
    ("noise 0.5", 1000, "winner", "winner"): (None, 0.55, 0.85, None),
    ("noise 1", 150, "order", "tau"): (None, 0.61, 0.715, 0.80),
    ("noise 0.25", 150, "order", "tau"): (None, 0.86, 0.915, 0.94),
    ("pair effects 0.7", 150, "order", "tau"): (None, 0.745, None, None),
}
"""What is to be reached at least, by judge, items, contender and figure."""

STRETCH: dict[tuple[str, int, str, str], Row] = {("noise 0.5", 150, "order", "tau"): (None, 0.78, None, 0.905)}
"""What is hoped for beyond."""

POSITION_BARS: Row = (None, 0.10, None, 0.08)
"""How far from the truth the position term may be on average, at 150 items with the plain judge."""

MOST_LOST = {"bias 1": 0.02, "sticky": 0.01}
"""How much tau a judge's fault may cost at 5 calls an item."""


def bars(cell: Cell, figure: str) -> Row:
    return BARS.get((cell.judge, cell.items, cell.contender, figure), _NONE)


def position_bars(cell: Cell) -> Row:
    return POSITION_BARS if (cell.judge, cell.items) == ("noise 0.5", 150) else _NONE


def stretch(cell: Cell, figure: str) -> Row:
    return STRETCH.get((cell.judge, cell.items, cell.contender, figure), _NONE)
