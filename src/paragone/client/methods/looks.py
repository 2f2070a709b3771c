"""A closer look: judges, head to head, checks, what wins, what if, audits."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from paragone.client.addresses import API, pool_path
from paragone.client.methods.asking import Asking, there
from paragone.client.values import Audit, Board, Compare, Consistency, Judges, Patterns


class LookMethods(Asking):
    """What is found out about a tournament."""

    def judges(self, pool: str) -> Judges:
        """The judges of a tournament: agreement, bias with interval, ties, cost."""
        return self._at.get(Judges, pool_path(pool, "judges"))

    def compare(self, pool: str, count: int = 16) -> Compare:
        """The first items of the board against each other, and circles among all."""
        return self._at.get(Compare, pool_path(pool, "compare"), count=count)

    def consistency(self, pool: str) -> Consistency:
        """Whether results hang together: circles, surprising results, sudden swings, both orders, judges."""
        return self._at.get(Consistency, pool_path(pool, "consistency"))

    def patterns(self, pool: str) -> Patterns:
        """What wins and what loses, and how topics fare."""
        return self._at.get(Patterns, pool_path(pool, "patterns"))

    def parameters(self, pool: str) -> dict[str, Any]:
        """The parameters of a tournament, by the names of its documents."""
        return self._at.get(dict[str, Any], pool_path(pool, "parameters"))

    def whatif(
        self,
        pool: str,
        *,
        k: float | None = None,
        initial: float | None = None,
        without_match: Sequence[str] = (),
        without_judge: Sequence[str] = (),
        position: bool = True,
        limit: int = 50,
    ) -> Board:
        """The first rows of the board as it would stand had something been otherwise; nothing is changed.

        Args:
            pool: The tournament.
            k: Another K factor for the running Elo.
            initial: Another initial rating.
            without_match: Matches that never were.
            without_judge: Judges who never were.
            position: Fit each judge's position bias, or take it at its word.
            limit: Rows.
        """
        left_out = {"without_match": list(without_match), "without_judge": list(without_judge)}
        path = pool_path(pool, "whatif")
        return self._at.get(Board, path, k=k, initial=initial, position=position, limit=limit, **left_out)

    def audit(self, pool: str | None = None, *, expect: Sequence[str] = ()) -> Audit:
        """Recompute the hash chain and every rating, of a pool or of all, and compare with what is stored.

        It is not asked again where no answer comes in time: the first may still be under way.

        Args:
            pool: The pool; all where None.
            expect: Hashes from the ``heads`` of earlier audits that must still be there.
        """
        path = f"{API}/audit" if pool is None else pool_path(pool, "audit")
        asked = f"?{urlencode({'expect': list(expect)}, doseq=True)}" if expect else ""
        return there(self._at.post(Audit, path + asked, {}, again=False))
