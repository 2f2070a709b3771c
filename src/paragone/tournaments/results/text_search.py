"""Full-text search with excerpts, for the command line and the server."""

import re
from collections.abc import Sequence

from paragone.domain.text import ELLIPSIS
from paragone.ledger import Ledger
from paragone.ledger.namespaces.text_search import Said, words_of
from paragone.ledger.records import MatchFilter
from paragone.wire.text_search import MatchOutcome, SearchHit, SearchKind, SearchPage

AROUND = 120
"""Characters on either side of the first word of an excerpt."""
_PIECE = re.compile(r"\w+")


def search(
    ledger: Ledger,
    pool: str,
    query: str,
    kind: SearchKind,
    *,
    judge: str | None = None,
    outcome: MatchOutcome | None = None,
    count: int = 50,
    offset: int = 0,
    seconds: float = 600.0,
) -> SearchPage:
    """Matches or items that have each word of a query, or a longer word that begins with it; the newest first.

    Args:
        ledger: The ledger.
        pool: The pool.
        query: The words; punctuation is ignored.
        kind: What is searched.
        judge: Only matches with this judge.
        outcome: Only matches with this outcome: ``won``, ``tie``, ``void`` or ``rolled back``.
        count: The largest number of results.
        offset: How many to pass over.
        seconds: How long the index may be brought up to date first.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the query has no word, or too many.
    """
    match_filter = MatchFilter(judge=judge, outcome=outcome)
    hits = ledger.texts.search(
        pool, query, kind, match_filter=match_filter, count=count, offset=offset, seconds=seconds
    )
    words = words_of(query)
    return SearchPage(
        hits=[_hit(id, hits.said[id], words) for id in hits.ids], total=hits.total, complete=hits.complete
    )


def _hit(id: str, texts: Sequence[Said], words: Sequence[str]) -> SearchHit:
    for each in texts:
        at = _first(each.text, words)
        if at is not None:
            return SearchHit(id=id, by=each.by, excerpt=_around(each.text, at))
    return SearchHit(id=id, by="", excerpt="")


def _first(text: str, words: Sequence[str]) -> int | None:
    """Where the first of some words begins in a text."""
    pieces = (piece for piece in _PIECE.finditer(text) for word in words_of(piece[0]) if word.startswith(tuple(words)))
    first = next(pieces, None)
    return None if first is None else first.start()


def _around(text: str, at: int) -> str:
    begin, end = max(0, at - AROUND), at + AROUND
    return ELLIPSIS * (begin > 0) + " ".join(text[begin:end].split()) + ELLIPSIS * (end < len(text))
