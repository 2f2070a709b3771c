"""Comparisons of pairs as columns: the evidence of a fit, and counts of answers by judge."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Choice
from paragone.ledger import CHOICES, MatchColumns
from paragone.ratings.evidence import Evidence
from paragone.tournaments.state.matches import Matches

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SCORES = np.array([{Choice.FIRST: 1.0, Choice.TIE: 0.5}.get(choice, 0.0) for choice in CHOICES])
_EVIDENCE = np.array([choice.is_evidence for choice in CHOICES])


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ComparisonTable:
    """Comparisons in the order of record; all arrays have shape (comparisons,).

    Attributes:
        items: How many items there are.
        match: Index of the match of a comparison.
        first: Item shown first, by its number.
        second: Item shown second.
        choice: The answer, an index into ``paragone.ledger.CHOICES``.
        probability: The judge's own probability that the first is better; NaN where it gave none.
        judge: Index into ``judges``.
        judges: Identities of the judges.
        weight: How much it counts: the confidence in its match.
    """

    items: int
    match: Ints
    first: Ints
    second: Ints
    choice: NDArray[Any]
    probability: NDArray[np.float64]
    judge: NDArray[Any]
    judges: tuple[str, ...]
    weight: NDArray[np.float64]

    @classmethod
    def of_played(cls, played: MatchColumns) -> Self:
        """The comparisons that the ledger returned as columns."""
        return cls(
            items=len(played.items),
            match=played.match.astype(np.int64),
            first=played.first.astype(np.int64),
            second=played.second.astype(np.int64),
            choice=played.choice,
            probability=played.probability,
            judge=played.judge,
            judges=played.judges,
            weight=played.confidence[played.match],
        )

    @classmethod
    def of(cls, matches: Matches, ids: Sequence[str], without: Collection[str] = ()) -> Self:
        """The comparisons of matches between two items.

        Args:
            matches: The matches.
            ids: Ids of all items; an item's number is its index here, or -1 if it is not among them.
            without: Ids of matches that do not count.
        """
        begins = matches.played.column("start")
        match = np.repeat(np.arange(len(matches)), np.diff(np.append(begins, len(matches.comparisons))))
        counted = counted_matches(matches, without)[match]
        number_of = item_numbers(matches, ids)
        return cls(
            items=len(ids),
            match=match[counted],
            first=number_of[matches.comparisons.column("first")[counted]],
            second=number_of[matches.comparisons.column("second")[counted]],
            choice=matches.comparisons.column("choice")[counted],
            probability=matches.comparisons.column("probability")[counted],
            judge=matches.comparisons.column("judge")[counted],
            judges=tuple(matches.judges.texts),
            weight=matches.played.column("confidence")[match[counted]],
        )

    def __len__(self) -> int:
        return self.first.size

    @property
    def is_evidence(self) -> Flags:
        """Which of them are evidence about the items."""
        flags: Flags = _EVIDENCE[self.choice]
        return flags

    @property
    def abstentions(self) -> int:
        """Number of abstentions."""
        return int(np.count_nonzero(self.choice == CHOICES.index(Choice.ABSTAIN)))

    def evidence(self) -> Evidence:
        """The evidence, judges ordered by name; equal to ``Evidence.of`` the same comparisons.

        Raises:
            InvalidVotes: If a comparison is of an unknown item.
        """
        informative = self.is_evidence
        choice, probability, judge = self.choice[informative], self.probability[informative], self.judge[informative]
        soft = ~np.isnan(probability)
        names = sorted({self.judges[number] for number in np.unique(judge).tolist()})
        judge_numbers = np.array([names.index(name) if name in names else 0 for name in self.judges], dtype=np.int64)
        return Evidence.from_arrays(
            self.items,
            self.first[informative],
            self.second[informative],
            np.where(soft, probability, _SCORES[choice]),
            tie=(choice == CHOICES.index(Choice.TIE)) & ~soft,
            soft=soft,
            weight=self.weight[informative],
            judge=judge_numbers[judge] if judge_numbers.size else judge,
            judges=names,
        )

    def counts(self) -> dict[str, Counter[Choice]]:
        """How often each judge gave each answer that is evidence."""
        counts: defaultdict[str, Counter[Choice]] = defaultdict(Counter)
        pairs = self.judge.astype(np.int64) * len(CHOICES) + self.choice
        for pair, times in zip(*(part.tolist() for part in np.unique(pairs, return_counts=True)), strict=True):
            judge, choice = divmod(pair, len(CHOICES))
            if CHOICES[choice].is_evidence:
                counts[self.judges[judge]][CHOICES[choice]] = times
        return counts


def counted_matches(matches: Matches, without: Collection[str] = ()) -> Flags:
    """Which matches count, shape (matches,)."""
    flags = np.ones(len(matches), dtype=np.bool_)
    if without:
        flags[:] = [id not in without for id in matches.ids()]
    return flags


def item_numbers(matches: Matches, ids: Sequence[str]) -> Ints:
    """The index among some ids of each item of the matches, by its number there, shape (items of the matches,)."""
    position_of = {id: at for at, id in enumerate(ids)}
    return np.array([position_of.get(id, -1) for id in matches.items.texts], dtype=np.int64)
