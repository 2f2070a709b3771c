"""Matches: listed, read, recorded and rolled back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from paragone.client.connection import Namespace
from paragone.wire.address import item_url, match_url, pool_url
from paragone.wire.match import Match, MatchPage, MatchRow
from paragone.wire.text_search import MatchOutcome, SearchKind, SearchPage


class Matches(Namespace):
    """The matches of a pool."""

    def list(self, pool: str, item: str | None = None) -> Iterator[MatchRow]:
        """Matches, the newest first: all, or those that moved an item's rating."""
        path = pool_url(pool, "matches") if item is None else f"{item_url(pool, item)}/matches"
        return self._connection.every(MatchPage, path, "matches")

    def find(
        self,
        pool: str,
        *,
        item: str | None = None,
        judge: str | None = None,
        outcome: str | None = None,
        words: str | None = None,
    ) -> Iterator[MatchRow]:
        """Matches that meet a filter, the newest first.

        Args:
            pool: The pool.
            item: An item that takes part.
            judge: Part of the identity of a judge who answered.
            outcome: ``won``, ``tie``, ``void`` or ``rolled back``.
            words: Part of a rationale.
        """
        match_filter = {"item": item, "judge": judge, "outcome": outcome, "words": words}
        return self._connection.every(MatchPage, pool_url(pool, "matches"), "matches", **match_filter)

    def search(
        self,
        pool: str,
        text: str,
        kind: SearchKind = "match",
        *,
        judge: str | None = None,
        outcome: MatchOutcome | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> SearchPage:
        """A page of the matches, or items, that have every word of a text, the newest first."""
        return self._connection.get(
            SearchPage,
            pool_url(pool, "search"),
            text=text,
            kind=kind,
            judge=judge,
            outcome=outcome,
            limit=limit,
            cursor=cursor,
        )

    def get(self, pool: str, match: str) -> Match:
        """One match: verdicts in both orders, transcripts, cost and rating changes."""
        return self._connection.get(Match, match_url(pool, match))

    def record(
        self,
        pool: str,
        id: str,
        a: str,
        b: str,
        *,
        outcome: Literal["a", "b", "draw"] | None = None,
        answers: Sequence[Mapping[str, Any]] = (),
        confidence: float = 1.0,
    ) -> Match:
        """Record a match that was played elsewhere; the same again changes nothing.

        Args:
            pool: The pool.
            id: Names it within its pool.
            a: Id of one item.
            b: Id of the other.
            outcome: The outcome, if no verdicts are known.
            answers: What judges said, each with ``first``, ``choice`` and any other field of the API's ``NewVerdict``.
            confidence: Weight in the running Elo.
        """
        body = {"id": id, "a": a, "b": b, "outcome": outcome, "answers": [*answers], "confidence": confidence}
        return self._connection.post(Match, pool_url(pool, "matches"), body)

    def roll_back(self, pool: str, match: str, reason: str) -> Match:
        """Void a match: ratings become what they would be without it. The ledger keeps both."""
        return self._connection.post(Match, f"{match_url(pool, match)}/rollback", {"reason": reason})
