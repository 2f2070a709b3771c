"""Matches that were played, stored as columns and read as a list, and their comparisons: the evidence of a fit.

A hundred thousand matches take a few megabytes this way, and hundreds as objects. Rationales are left in the ledger.
"""

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Choice, Comparison, Match, MatchProtocol, Outcome, Ranking, Usage, Verdict
from paragone.ledger import CHOICES, MatchColumns
from paragone.ratings.evidence import Evidence
from paragone.tournaments.state.packed_columns import Names, PackedTable, is_count


def without_words(match: Match) -> Match:
    """The match without rationales and criterion scores, which the ledger has. Ids and equal verdicts are shared."""
    ranking = None if match.ranking is None else _ranking(match.ranking)
    return replace(match, a=sys.intern(match.a), b=sys.intern(match.b), ranking=ranking)


def _ranking(ranking: Ranking) -> Ranking:
    shown_ids = tuple(map(sys.intern, ranking.shown))
    return Ranking(call=ranking.call, shown=shown_ids, verdict=_shared(_without_words(ranking.verdict)))


def _without_words(verdict: Verdict) -> Verdict:
    return replace(verdict, rationale="", scores=(), error="")


@lru_cache(maxsize=1024)
def _shared(verdict: Verdict) -> Verdict:
    """The first verdict that was equal to this one; without words, few differ."""
    return verdict


OUTCOMES, PROTOCOLS = tuple(Outcome), tuple(MatchProtocol)
_OUTCOME = {outcome: number for number, outcome in enumerate(OUTCOMES)}
_PROTOCOL = {protocol: number for number, protocol in enumerate(PROTOCOLS)}
_CHOICE = {choice: number for number, choice in enumerate(CHOICES)}

MATCH_COLUMNS = {
    "round": "i",
    "name": "i",
    "a": "i",
    "b": "i",
    "outcome": "b",
    "protocol": "b",
    "confidence": "d",
    "start": "i",
}
"""Columns of the matches. ``start`` is where the comparisons begin."""

COMPARISON_COLUMNS = {
    "first": "i",
    "second": "i",
    "call": "i",
    "choice": "b",
    "probability": "d",
    "judge": "i",
    "prompt": "i",
    "cached": "b",
    "requests": "i",
    "sent": "q",
    "received": "q",
    "cost": "d",
    "seconds": "d",
}
"""Columns of the comparisons. Unknown values are NaN, and -1 where there is no prompt."""


class Contest(NamedTuple):
    """A match without its comparisons."""

    id: str
    round: int
    a: str
    b: str
    outcome: Outcome
    confidence: float


class PackedMatches(Sequence[Match]):
    """Matches in the order of record, without rationales and criterion scores, which the ledger has.

    Each access creates an equal match, not the same object. Matches among several items are stored as objects.

    Attributes:
        items: Ids of the items, numbered as in the columns.
        judges: Identities of the judges.
        played: A row a match, with the columns ``MATCH_COLUMNS``.
        comparisons: A row a comparison, with the columns ``COMPARISON_COLUMNS``.
        list_matches: Matches among several items, kept as objects, by row number. Their rows have no comparisons.
    """

    def __init__(self, matches: Iterable[Match] = ()) -> None:
        self.items, self.judges = Names(), Names()
        self.played, self.comparisons = PackedTable(MATCH_COLUMNS), PackedTable(COMPARISON_COLUMNS)
        self.list_matches: dict[int, Match] = {}
        self._names, self._prompts = Names(), Names()
        self.extend(matches)

    def extend(self, matches: Iterable[Match]) -> None:
        """Append some matches."""
        for match in matches:
            self.append(match)

    def append(self, match: Match) -> None:
        """Append a match."""
        among_two = match.ranking is None and match.scorecard is None
        if not among_two:
            self.list_matches[len(self)] = without_words(match)
        self.played.add(
            match.round,
            self._named(match.id, str(match.round)),
            self.items.number(match.a),
            self.items.number(match.b),
            _OUTCOME[match.outcome],
            _PROTOCOL[match.protocol],
            match.confidence,
            len(self.comparisons),
        )
        for comparison in match.comparisons if among_two else ():
            self._append_comparison(comparison, match.id)

    def copy(self) -> Self:
        """A copy to read while this one grows. They share their names."""
        other = type(self)()
        other.items, other.judges, other._names, other._prompts = self.items, self.judges, self._names, self._prompts
        other.played, other.comparisons, other.list_matches = (
            self.played.copy(),
            self.comparisons.copy(),
            dict(self.list_matches),
        )
        return other

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return self.played.nbytes + self.comparisons.nbytes

    @property
    def calls(self) -> int:
        """Judge calls behind them; a list is one call."""
        return len(self.comparisons) + sum(len(match.answers) for match in self.list_matches.values())

    @property
    def texts(self) -> int:
        """Texts shown in these calls: two for a pair, its length for a list."""
        return 2 * len(self.comparisons) + sum(
            len(answer.shown) for m in self.list_matches.values() for answer in m.answers
        )

    def ids(self) -> Iterator[str]:
        """The id of each."""
        return map(self._name, self.played.values("name"), map(str, self.played.values("round")))

    def id(self, row: int) -> str:
        """The id of one."""
        return self._name(self.played.values("name")[row], str(self.played.values("round")[row]))

    def contest(self, row: int) -> Contest:
        """A match without its comparisons."""
        number, name, a, b, outcome, _, confidence, _ = self.played.row(row)
        texts = self.items.texts
        return Contest(self._name(name, str(number)), number, texts[a], texts[b], OUTCOMES[outcome], confidence)

    def rounds_back(self) -> Iterator[range]:
        """The rows of each round's matches, the last round first; only rounds with matches."""
        numbers, stop = self.played.values("round"), len(self)
        while stop:
            start = stop - 1
            while start and numbers[start - 1] == numbers[stop - 1]:
                start -= 1
            yield range(start, stop)
            stop = start

    def __len__(self) -> int:
        return len(self.played)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...
    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        if isinstance(index, slice):
            return [self._read(row) for row in range(len(self))[index]]
        return self._read(range(len(self))[index])

    def __iter__(self) -> Iterator[Match]:
        return map(self._read, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # it changes

    def _append_comparison(self, comparison: Comparison, match: str) -> None:
        verdict, usage = comparison.verdict, comparison.verdict.usage
        self.comparisons.add(
            self.items.number(comparison.first),
            self.items.number(comparison.second),
            self._named(comparison.call, match),
            _CHOICE[verdict.choice],
            math.nan if verdict.probability is None else verdict.probability,
            self.judges.number(verdict.judge),
            -1 if verdict.prompt_hash is None else self._prompts.number(verdict.prompt_hash),
            verdict.cached,
            usage.calls,
            usage.input_tokens,
            usage.output_tokens,
            math.nan if usage.cost is None else usage.cost,
            usage.seconds,
        )

    def _read(self, index: int) -> Match:
        if index in self.list_matches:
            return self.list_matches[index]
        number, name, a, b, outcome, protocol, confidence, start = self.played.row(index)
        stop = self.played.values("start")[index + 1] if index + 1 < len(self) else len(self.comparisons)
        id = self._name(name, str(number))
        return Match(
            id=id,
            round=number,
            a=self.items.texts[a],
            b=self.items.texts[b],
            outcome=OUTCOMES[outcome],
            comparisons=tuple([self._comparison(row, id) for row in range(start, stop)]),
            protocol=PROTOCOLS[protocol],
            confidence=confidence,
        )

    def _comparison(self, row: int, match: str) -> Comparison:
        first, second, call, choice, probability, judge, prompt, cached, *used = self.comparisons.row(row)
        requests, sent, received, cost, seconds = used
        usage = Usage(
            calls=requests,
            input_tokens=sent,
            output_tokens=received,
            cost=None if math.isnan(cost) else cost,
            seconds=seconds,
        )
        verdict = Verdict(
            choice=CHOICES[choice],
            judge=self.judges.texts[judge],
            probability=None if math.isnan(probability) else probability,
            prompt_hash=None if prompt < 0 else self._prompts.texts[prompt],
            usage=usage,
            cached=bool(cached),
        )
        first, second = self.items.texts[first], self.items.texts[second]
        return Comparison(call=self._name(call, match), first=first, second=second, verdict=verdict)

    def _named(self, text: str, stem: str) -> int:
        """A text as a number: N if it is ``STEM.N``, as the ids of planned matches and their calls are."""
        head, _, tail = text.rpartition(".")
        if head == stem and is_count(tail):
            return int(tail)
        return -1 - self._names.number(text)

    def _name(self, number: int, stem: str) -> str:
        return f"{stem}.{number}" if number >= 0 else self._names.texts[-1 - number]


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
    def of(cls, matches: PackedMatches, ids: Sequence[str], without: Collection[str] = ()) -> Self:
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


def counted_matches(matches: PackedMatches, without: Collection[str] = ()) -> Flags:
    """Which matches count, shape (matches,)."""
    flags = np.ones(len(matches), dtype=np.bool_)
    if without:
        flags[:] = [id not in without for id in matches.ids()]
    return flags


def item_numbers(matches: PackedMatches, ids: Sequence[str]) -> Ints:
    """The index among some ids of each item of the matches, by its number there, shape (items of the matches,)."""
    position_of = {id: at for at, id in enumerate(ids)}
    return np.array([position_of.get(id, -1) for id in matches.items.texts], dtype=np.int64)
