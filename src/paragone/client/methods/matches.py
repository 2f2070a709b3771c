"""Matches: listed, looked at, recorded, taken back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from paragone.client.addresses import pool_path, segment
from paragone.client.methods.asking import Asking, there
from paragone.client.values import Match, MatchLine, MatchPage


class MatchMethods(Asking):
    """Matches."""

    def matches(self, pool: str, item: str | None = None) -> Iterator[MatchLine]:
        """Matches, the newest first: all, or those that moved an item's rating."""
        path = pool_path(pool, "matches") if item is None else pool_path(pool, "items", segment(item), "matches")
        return self._every(MatchPage, path, "matches")

    def match(self, pool: str, match: str) -> Match:
        """One match: both orders, verdicts, transcripts, what it took and what it moved."""
        return self._at.get(Match, pool_path(pool, "matches", segment(match)))

    def record_match(
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
            outcome: What it came to, where nothing is known of answers.
            answers: What judges said, each with ``first``, ``choice`` and what else the API's ``NewVerdict`` has.
            confidence: Weight in the running Elo.
        """
        body = {"id": id, "a": a, "b": b, "outcome": outcome, "answers": list(answers), "confidence": confidence}
        return there(self._at.post(Match, pool_path(pool, "matches"), body))

    def rollback(self, pool: str, match: str, reason: str) -> Match:
        """Void a match: ratings become what they would be without it. The ledger keeps both."""
        path = pool_path(pool, "matches", segment(match), "rollback")
        return there(self._at.post(Match, path, {"reason": reason}))
