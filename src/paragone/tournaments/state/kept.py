"""What a run keeps of a match in memory: what pairing and fit need, and nothing of what was said."""

import sys
from dataclasses import replace
from functools import lru_cache

from paragone.domain import Comparison, Match, Ranking, Verdict


def slim(match: Match) -> Match:
    """The match without rationales and criterion scores; the ledger has them. Ids and equal verdicts are shared."""
    comparisons = tuple(_comparison(comparison) for comparison in match.comparisons)
    ranking = None if match.ranking is None else _ranking(match.ranking)
    return replace(match, a=sys.intern(match.a), b=sys.intern(match.b), comparisons=comparisons, ranking=ranking)


def _comparison(told: Comparison) -> Comparison:
    first, second = sys.intern(told.first), sys.intern(told.second)
    return Comparison(call=told.call, first=first, second=second, verdict=_shared(_without_words(told.verdict)))


def _ranking(told: Ranking) -> Ranking:
    shown = tuple(map(sys.intern, told.shown))
    return Ranking(call=told.call, shown=shown, verdict=_shared(_without_words(told.verdict)))


def _without_words(verdict: Verdict) -> Verdict:
    return replace(verdict, rationale="", scores=(), error="")


@lru_cache(maxsize=1024)
def _shared(verdict: Verdict) -> Verdict:
    """The first verdict that was equal to this one: where nothing but the choice differs, there are few."""
    return verdict
