"""The loops of a large fit, for the compiled seam: one pass over pairs each, nothing allocated.

Pairs are sorted by the item shown first, so that what belongs to it is summed up in registers. Strengths enter as
``exp(strength / 2)``, once an item, so that a pair costs a division and no exponential.
"""

import math

import numpy as np
from numpy.typing import NDArray

from paragone.ratings.evidence import Bools, Floats, Ints
from paragone.ratings.loops.compiled import loop, prefetch

Index = NDArray[np.int32]
Votes = tuple[Ints, Ints, Ints, Floats]

_AHEAD = 16
"""How many pairs before its turn a pair's second item is fetched."""


@loop
def tally(votes: Votes, score: Floats, tie: Bools, starts: Ints, to: tuple[Floats, Floats, Floats]) -> None:
    """Where the votes of each judge and first item start in their order, and what the scores add up to.

    Args:
        votes: First, second, judge and weight of each.
        score: Of the first.
        tie: Whether it was one.
        starts: Zeros, shape (judges * items + 1,).
        to: Zeros to add to: the first's score less one half by item and by judge, and the ties by judge.
    """
    first, second, judge, weight = votes
    items, leads, ties = to
    for row in range(first.size):
        if weight[row] <= 0.0:
            continue
        starts[judge[row] * items.size + first[row] + 1] += 1
        amount = weight[row] * (score[row] - 0.5)
        items[first[row]] += amount
        items[second[row]] -= amount
        leads[judge[row]] += amount
        if tie[row]:
            ties[judge[row]] += weight[row]
    for key in range(1, starts.size):
        starts[key] += starts[key - 1]


@loop
def tabulate(votes: Votes, score: Floats, tie: Bools, table: Floats, to: tuple[Floats, Floats, Floats]) -> None:
    """The same for few items: weights go to ``table`` at once, shape (judges * items * items,)."""
    first, second, judge, weight = votes
    items, leads, ties = to
    for row in range(first.size):
        i, j, judge_index = first[row], second[row], judge[row]
        table[(judge_index * items.size + i) * items.size + j] += weight[row]
        amount = weight[row] * (score[row] - 0.5)
        items[i] += amount
        items[j] -= amount
        leads[judge_index] += amount
        if tie[row]:
            ties[judge_index] += weight[row]


@loop
def distribute(votes: Votes, items: int, starts: Ints, second: Index, weight: Floats) -> None:
    """Write second items and weights to where votes of their judge and first item go; ``starts`` moves on by one."""
    for row in range(votes[0].size):
        if votes[3][row] > 0.0:
            key = votes[2][row] * items + votes[0][row]
            at = starts[key]
            second[at], weight[at] = votes[1][row], votes[3][row]
            starts[key] = at + 1


@loop
def unify(starts: Ints, second: Index, weight: Floats, last: Ints) -> None:
    """Add up the votes of one judge on one pair in one order, in place.

    Args:
        starts: Where each key's votes end; afterwards where its pairs start, and behind them their number.
        second: Second item of each.
        weight: Its weight.
        last: -1 for each item.
    """
    size = begin = 0
    for key in range(starts.size - 1):
        end, own = starts[key], size
        starts[key] = own
        for at in range(begin, end):
            j = second[at]
            if last[j] >= own:
                weight[last[j]] += weight[at]
            else:
                last[j] = size
                second[size], weight[size] = j, weight[at]
                size += 1
        begin = end
    starts[starts.size - 1] = size


@loop
def derive(
    pairs: tuple[Index, Floats],
    starts: Ints,
    position_root: float,
    tie_odds: float,
    curvatures: Floats,
    field: Floats,
    own: Floats,
) -> tuple[float, float, float]:
    """Expected outcomes of one judge and their curvature.

    Args:
        pairs: Second item and weight of each pair.
        starts: Where the pairs of each first item start.
        position_root: exp(position / 2).
        tie_odds: exp(tie).
        curvatures: Filled in with the curvature of each pair, shape (pairs,).
        field: Four numbers an item, side by side, so that a pair touches one line of the cache: exp(strength / 2); and
            to be added to, over the pairs in which it is second, expected lead, curvature, curvature with the tie.
        own: The last three, over those in which it is first, shape (items, 3).

    Returns:
        The sum of weight times the logarithm of the first's chance to win times the second's; the expected weight of
        ties; the curvature of the log tie parameter.
    """
    second, weight = pairs
    logs, product, ties, unsure = 0.0, 1.0, 0.0, 0.0
    for i in range(starts.size - 1):
        own_root = field[4 * i] * position_root
        lead = degree = with_tie = 0.0
        for at in range(starts[i], starts[i + 1]):
            prefetch(field, 4 * second[min(at + _AHEAD, second.size - 1)])
            j, amount = 4 * second[at], weight[at]
            other = field[j]
            won, tied, lost = own_root * own_root, tie_odds * own_root * other, other * other
            share = 1.0 / (won + tied + lost)
            won, tied, lost = won * share, tied * share, lost * share
            margin = amount * (won - lost) / 2
            curvature = amount * (won * lost + (won + lost) * tied / 4)
            tie_part = -margin * tied
            if amount == 1.0:
                # log(a) + log(b) = log(a b): one logarithm for as many pairs of weight 1 as fit above underflow.
                product *= won * lost
                if product < 1e-100:
                    logs += math.log(product)
                    product = 1.0
            else:
                logs += amount * math.log(won * lost)
            curvatures[at] = curvature
            field[j + 1] += margin
            field[j + 2] += curvature
            field[j + 3] += tie_part
            lead += margin
            degree += curvature
            with_tie += tie_part
            ties += amount * tied
            unsure += amount * tied * (1.0 - tied)
        own[i, 0], own[i, 1], own[i, 2] = lead, degree, with_tie
    return logs + math.log(product), ties, unsure


@loop
def apply(starts: Ints, second: Index, curvatures: Floats, vector: Floats, result: Floats) -> None:
    """Add the pairs' part of the curvature times a vector to ``result``."""
    items = vector.size
    for key in range(starts.size - 1):
        i = key % items
        own, total = vector[i], 0.0
        for at in range(starts[key], starts[key + 1]):
            j = second[at]
            # The pairs' matrix is a graph Laplacian: (L x)_i = sum of c_ij (x_i - x_j), and what i gains j loses.
            flow = curvatures[at] * (own - vector[j])
            total += flow
            result[j] -= flow
        result[i] += total


@loop
def apply_block(starts: Ints, second: Index, curvatures: Floats, block: Floats, result: Floats) -> None:
    """The same for several vectors in columns."""
    items, columns = block.shape
    for key in range(starts.size - 1):
        i = key % items
        for at in range(starts[key], starts[key + 1]):
            j, curvature = second[at], curvatures[at]
            for column in range(columns):
                flow = curvature * (block[i, column] - block[j, column])
                result[i, column] += flow
                result[j, column] -= flow


@loop
def invert_band(factor: Floats, inverse: Floats) -> None:
    """The elements of a band matrix's inverse within the band, from its Cholesky factor.

    Both have shape (items, width + 1): row i holds the elements (i, i), (i + 1, i), ... of the lower triangle.

    Source: K. Takahashi, J. Fagan, M.-S. Chin (1973), "Formation of a sparse bus impedance matrix".
    """
    items, width = factor.shape[0], factor.shape[1] - 1
    for row in range(items - 1, -1, -1):
        reach = min(width, items - 1 - row)
        # From L^T Z = L^-1, which is lower triangular: Z_ij = -sum over k > i of L_ki Z_kj / L_ii for j > i, and 1 /
        # L_ii^2 more on the diagonal. All Z_kj needed lie within the band and further down.
        pivot = 1.0 / factor[row, 0]
        for step in range(reach, 0, -1):
            total = 0.0
            for other in range(1, reach + 1):
                low = min(step, other)
                total -= factor[row, other] * inverse[row + low, abs(step - other)]
            inverse[row, step] = total * pivot
        total = pivot
        for other in range(1, reach + 1):
            total -= factor[row, other] * inverse[row, other]
        inverse[row, 0] = total * pivot
