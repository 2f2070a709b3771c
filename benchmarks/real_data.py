"""Where the real data lie, and LLMFAO's votes as arrays."""

import csv
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from paragone.ratings import Evidence

JUDGES = {"crowd": "crowd", "gpt4": "gpt4-crowd", "gpt3": "gpt3-crowd"}
"""Judges by name, and the beginnings of their files; the models' are those on the pairs that the crowd saw."""


class Absent(Exception):
    """The data of a section are not there."""


def folder(name: str) -> Path:
    """The folder of one data set.

    Raises:
        Absent: If it is not there.
    """
    found = Path(os.environ.get("PARAGONE_DATA", "../shared/data")) / name
    if not found.is_dir():
        raise Absent(f"{found} is not there: set PARAGONE_DATA to the folder that has {name}")
    return found


@dataclass(frozen=True, kw_only=True)
class Ballots:
    """Votes on pairs, as arrays of one length.

    Attributes:
        items: How many items there are.
        left: Index of the item on the left, shape (votes,).
        right: Index of the other.
        score: 1 if the left won, 0 if the right did, 0.5 for a tie.
        judge: Index into ``judges``.
        judges: Who voted.
    """

    items: int
    left: np.ndarray
    right: np.ndarray
    score: np.ndarray
    judge: np.ndarray
    judges: tuple[str, ...]

    def __len__(self) -> int:
        return self.left.size

    def at(self, which: np.ndarray) -> Self:
        """Some of the votes: a mask, or indices."""
        columns = {name: getattr(self, name)[which] for name in ("left", "right", "score", "judge")}
        return type(self)(items=self.items, judges=self.judges, **columns)

    def evidence(self) -> Evidence:
        """The votes as evidence for a fit."""
        return Evidence.from_arrays(self.items, self.left, self.right, self.score, judge=self.judge, judges=self.judges)


def ballot_file(judge: str) -> Path:
    """The votes of one judge."""
    return folder("llmfao") / f"{JUDGES[judge]}-comparisons.csv"


def llmfao() -> tuple[Ballots, np.ndarray, tuple[str, ...]]:
    """The votes of crowd, GPT-4 and GPT-3.5 in one; who of the crowd cast each (-1 for a model); names of the items."""
    rows = []
    for judge, name in enumerate(JUDGES):
        with ballot_file(name).open(newline="") as file:
            rows += [(row, judge) for row in csv.DictReader(file)]
    names = tuple(sorted({row[side] for row, _ in rows for side in ("left", "right")}))
    index = {name: number for number, name in enumerate(names)}
    votes = Ballots(
        items=len(names),
        left=np.array([index[row["left"]] for row, _ in rows]),
        right=np.array([index[row["right"]] for row, _ in rows]),
        score=np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[row["winner"]] for row, _ in rows]),
        judge=np.array([judge for _, judge in rows]),
        judges=tuple(JUDGES),
    )
    return votes, np.array([int(row.get("worker", -1)) for row, _ in rows]), names
