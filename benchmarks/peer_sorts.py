"""Merge sort and quick sort with the judge as their comparison; a tie goes to the coin.

A sort that is not finished when a budget is spent ranks by what it knows: merge sort by the place in one's own run,
quick sort by the place of one's part. One that is finished begins again from another random order, and the finished
orders are averaged.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence

import numpy as np
from contender import Answers, Floats, Report

Asking = Generator[tuple[int, int], bool, None]  # gives a pair, takes whether its first item is the better


class MergeSort:
    """From below, the two oldest runs at a time."""

    def __init__(self, items: list[int]) -> None:
        self.runs = deque([item] for item in items)

    def sort(self) -> Asking:
        while len(self.runs) > 1:
            left, right, merged = self.runs[0], self.runs[1], []
            at = [0, 0]
            while at[0] < len(left) and at[1] < len(right):
                side = 0 if (yield left[at[0]], right[at[1]]) else 1
                merged.append((left, right)[side][at[side]])
                at[side] += 1
            self.runs.popleft()
            self.runs.popleft()
            self.runs.append(merged + left[at[0] :] + right[at[1] :])

    def strength(self, items: int) -> Floats:
        strength = np.zeros(items)
        for run in self.runs:
            strength[run] = 1 - (np.arange(len(run)) + 0.5) / len(run)
        return strength


class QuickSort:
    """The largest part at a time, by a pivot in random order."""

    def __init__(self, items: list[int]) -> None:
        self.parts = [items]

    def sort(self) -> Asking:
        while max(map(len, self.parts)) > 1:
            at = int(np.argmax([len(part) for part in self.parts]))
            pivot, *rest = self.parts[at]
            sides: tuple[list[int], list[int]] = ([], [])
            for item in rest:
                sides[0 if (yield item, pivot) else 1].append(item)
            self.parts[at : at + 1] = [part for part in (sides[0], [pivot], sides[1]) if part]

    def strength(self, items: int) -> Floats:
        strength = np.zeros(items)
        for place, part in enumerate(self.parts):
            strength[part] = -place
        return strength


def _sorting(
    kind: Callable[[list[int]], MergeSort | QuickSort],
) -> Callable[[Answers, Sequence[int], np.random.Generator], Iterator[Report]]:
    def contender(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
        items, calls = judge.strength.size, 0
        finished = np.zeros(items)
        rounds = 0
        while True:
            sort = kind(rng.permutation(items).tolist())
            asking = sort.sort()
            pair = next(asking)
            while True:
                if calls in budgets:
                    yield Report(strength=finished / rounds if rounds else sort.strength(items), calls=calls)
                    if calls == max(budgets):
                        return
                turned = bool(rng.random() < 0.5)
                shown = pair[::-1] if turned else pair
                score = float(judge.answer(np.array(shown[:1]), np.array(shown[1:]))[0])
                calls += 1
                better = rng.random() < 0.5 if score == 0.5 else (score == 1.0) is not turned
                try:
                    pair = asking.send(bool(better))
                except StopIteration:
                    break
            finished += np.argsort(np.argsort(sort.strength(items)))
            rounds += 1

    return contender


merge_sort, quick_sort = _sorting(MergeSort), _sorting(QuickSort)
