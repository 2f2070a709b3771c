"""What a run keeps in memory of a match among several: what pairing and fit need, and nothing of what was said."""

import sys
from dataclasses import replace
from functools import lru_cache

from paragone.domain import Match, Ranking, Verdict


def slim(match: Match) -> Match:
    """The match without rationales and criterion scores; the ledger has them. Ids and equal verdicts are shared."""
    ranking = None if match.ranking is None else _ranking(match.ranking)
    return replace(match, a=sys.intern(match.a), b=sys.intern(match.b), ranking=ranking)


def _ranking(told: Ranking) -> Ranking:
    shown = tuple(map(sys.intern, told.shown))
    return Ranking(call=told.call, shown=shown, verdict=_shared(_without_words(told.verdict)))


def _without_words(verdict: Verdict) -> Verdict:
    return replace(verdict, rationale="", scores=(), error="")


@lru_cache(maxsize=1024)
def _shared(verdict: Verdict) -> Verdict:
    """The first verdict that was equal to this one: where nothing but the choice differs, there are few."""
    return verdict
