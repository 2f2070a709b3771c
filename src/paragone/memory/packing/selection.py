"""Chooses what a pack shows of each file, from what signatures and bodies cost and how likely each is needed.

First every file gets its path and its best signature, then more signatures follow, in up to a third of the budget: they
tell an agent what there is, and what to expand. The rest buys bodies, those first of which a token buys the most
probability. What is left over then buys signatures.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

OUTLINES = 0.32
"""The share of the budget for paths and signatures. Measured: ``benchmarks/memory_pack.py``."""
MATCH = 6.0
"""A unit that answers the query best is worth ``exp`` of this as much."""
NOTHING, SIGNATURE, BODY = 0, 1, 2
_DECIMALS = 9
"""Of the logarithms by which units are ordered: processors differ in their last bits."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Choices:
    """The files that may be packed and their units.

    Attributes:
        chance: How likely each file is needed, shape (files).
        path: Tokens of its line in the outlines, shape (files).
        section: Tokens of the frame around its bodies, shape (files).
        pinned: Whether all of it is wanted first, shape (files).
        closed: Whether its bodies stay out, shape (files).
        absent: Whether all of it stays out, shape (files).
        file: The file of each unit, rising, shape (units).
        signature: Tokens of its signature; 0 where it has none, shape (units).
        body: Tokens of its text, shape (units).
        share: Its share of the file's chance, shape (units).
        match: How well it answers the query, in [0, 1], shape (units).
    """

    chance: Floats
    path: Ints
    section: Ints
    pinned: npt.NDArray[np.bool_]
    closed: npt.NDArray[np.bool_]
    absent: npt.NDArray[np.bool_]
    file: Ints
    signature: Ints
    body: Ints
    share: Floats
    match: Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PackSelection:
    """What was chosen.

    Attributes:
        listed: Whether each file is in the pack, shape (files).
        forms: ``NOTHING``, ``SIGNATURE`` or ``BODY`` of each unit, shape (units).
        gains: The logarithm of each unit's worth per token of its body and its frame, shape (units).
        least: The smallest gain that is in the pack; infinite where none is.
    """

    listed: npt.NDArray[np.bool_]
    forms: Ints
    gains: Floats
    least: float


def minimum(choices: Choices) -> int:
    """Tokens that the pinned files take at least: their paths."""
    return int(choices.path[choices.pinned].sum())


def select(choices: Choices, budget: float) -> PackSelection:
    """What fits a budget.

    Args:
        choices: What there is to choose from.
        budget: Tokens, at least ``minimum(choices)``; infinite for all of it.
    """
    budget = min(budget, _all(choices) / OUTLINES)
    purse = _Purse(choices, budget)
    worth = _logs(choices.chance[choices.file]) + _logs(choices.share)
    value = worth + MATCH * choices.match
    gains = np.round(value - _logs(_framed(choices)), _DECIMALS)
    purse.pin()
    files = _by(np.round(_logs(choices.chance) - _logs(choices.path + _best(choices)[1]), _DECIMALS))
    signatures = _by(np.round(value - _logs(choices.signature), _DECIMALS))
    purse.outline(files, OUTLINES * budget)
    purse.sign(signatures, OUTLINES * budget)
    purse.embody(_by(gains))
    purse.sign(signatures, budget)
    purse.outline(files, budget)
    return PackSelection(listed=purse.listed, forms=purse.forms, gains=gains, least=purse.least(gains))


def _framed(choices: Choices) -> Floats:
    """Tokens of each body with its part of the frame around those of its file, shape (units).

    Without the frame, a file of a word would be the best that a token buys.
    """
    bodies = np.bincount(choices.file, weights=choices.body, minlength=len(choices.chance))
    framed: Floats = choices.body * (1.0 + choices.section / np.maximum(bodies, 1.0))[choices.file]
    return framed


def _all(choices: Choices) -> float:
    """Tokens of all that may be chosen."""
    return float(sum(costs.sum() for costs in (choices.path, choices.section, choices.signature, choices.body)))


def _best(choices: Choices) -> tuple[Ints, Ints]:
    """The unit of each file whose signature stands for it, -1 without any, and the tokens of that; shapes (files)."""
    unit = np.full(len(choices.chance), -1, np.int64)
    cost = np.zeros(len(choices.chance), np.int64)
    signed = np.flatnonzero(choices.signature > 0)
    order = signed[np.lexsort((signed, -np.round(choices.share[signed], _DECIMALS)))][::-1]
    unit[choices.file[order]] = order  # of several, the last assignment holds: the largest share
    cost[choices.file[order]] = choices.signature[order]
    return unit, cost


def _logs(values: npt.NDArray[np.float64] | Ints) -> Floats:
    return np.log(np.maximum(values.astype(np.float64), 1e-12))


def _by(keys: Floats) -> Ints:
    """Numbers by their keys, highest first; equal ones in order."""
    return np.lexsort((np.arange(len(keys)), -keys)).astype(np.int64)


class _Purse:
    """The budget, and what was bought with it."""

    def __init__(self, choices: Choices, budget: float) -> None:
        self._choices = choices
        self._left = budget
        self.listed = np.zeros(len(choices.chance), np.bool_)
        self.forms = np.zeros(len(choices.file), np.int64)
        self._opened = np.zeros(len(choices.chance), np.bool_)

    def least(self, gains: Floats) -> float:
        bought = (self.forms == BODY) & ~self._choices.pinned[self._choices.file]
        return float(gains[bought].min()) if bought.any() else math.inf

    def pin(self) -> None:
        """List the pinned files, and take as many of their bodies as fit."""
        c = self._choices
        for file in np.flatnonzero(c.pinned).tolist():
            self.listed[file] = True
            self._left -= int(c.path[file])
        self.embody(np.flatnonzero(c.pinned[c.file]))

    def outline(self, files: Ints, most: float) -> None:
        """Give each file its path and best signature, else its path, with at most so many tokens."""
        unit, cost = (values.tolist() for values in _best(self._choices))
        paths = self._choices.path.tolist()
        floor = max(self._left - most, 0.0)
        for file in files.tolist():
            if self.listed[file] or self._choices.absent[file]:
                continue
            for best, price in ((unit[file], paths[file] + cost[file]), (-1, paths[file])):
                if self._left - price >= floor:
                    self._left -= price
                    self.listed[file] = True
                    if best >= 0:
                        self.forms[best] = SIGNATURE
                    break

    def sign(self, units: Ints, most: float) -> None:
        """Give units of listed files their signatures; outlines then take at most so many tokens."""
        c = self._choices
        tokens_left = min(self._left, most - self._spent_on_outlines())
        before = tokens_left
        prices, files = c.signature.tolist(), c.file.tolist()
        for unit in units.tolist():
            if 0 < prices[unit] <= tokens_left and self.forms[unit] == NOTHING and self.listed[files[unit]]:
                self.forms[unit] = SIGNATURE
                tokens_left -= prices[unit]
        self._left -= before - tokens_left

    def embody(self, units: Ints) -> None:
        """Give units their bodies, in this order, where they fit."""
        c = self._choices
        bodies, signatures, files = c.body.tolist(), c.signature.tolist(), c.file.tolist()
        for unit in units.tolist():
            file = files[unit]
            if self.forms[unit] == BODY or not bodies[unit] or c.closed[file] or c.absent[file]:
                continue
            price = bodies[unit] - (signatures[unit] if self.forms[unit] == SIGNATURE else 0)
            if not self._opened[file]:
                price += int(c.section[file]) - (int(c.path[file]) if self.listed[file] else 0)
            if price <= self._left:
                self._left -= price
                self.forms[unit] = BODY
                self._opened[file] = self.listed[file] = True

    def _spent_on_outlines(self) -> float:
        c = self._choices
        listed = c.path[self.listed & ~self._opened].sum()
        return float(listed + c.signature[self.forms == SIGNATURE].sum())
