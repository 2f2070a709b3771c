"""Debates: recording them, and looking at them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paragone.agents import debates, evidence
from paragone.agents.calibration_tracker import CalibrationTracker
from paragone.agents.debates import MatchCall
from paragone.agents.system.opened import OpenSystem

if TYPE_CHECKING:
    from paragone.ledger import AuditReport, Voided


class Debates(OpenSystem):
    """The part of a system's methods that is about debates."""

    def record_match(
        self,
        debate_id: str | None = None,
        participants: Sequence[str] | str | None = None,
        scores: Mapping[str, float] | bool | None = None,
        domain: str | None = None,
        confidence_weight: float = 1.0,
        calibration_tracker: CalibrationTracker | None = None,
        *,
        winner: str | None = None,
        loser: str | None = None,
        draw: bool | None = None,
        task: str | None = None,
    ) -> dict[str, float]:
        """Record a debate with the ratings that it moves, all or nothing; the same again changes nothing.

        Either ``participants`` and ``scores`` are given, or ``winner`` and ``loser``. The old positional form,
        ``record_match("winner", "loser")``, works too; True as its third argument is a draw.

        Args:
            debate_id: Its id; one is made where none is given, and then it counts as another debate each time.
            participants: Who took part; where left out, those who have scores.
            scores: What each of them scored, 0 or more. The highest alone wins, all others lose; else it is a draw for
                all.
            domain: Moves their ratings in this domain too.
            confidence_weight: What K is multiplied by; brought into [0.1, 1].
            calibration_tracker: Raises K of those that are poorly calibrated: times 2 less their quality.
            winner: In a debate of two, who won.
            loser: In a debate of two, who lost.
            draw: Whether it was a draw.
            task: What it was about, in words.

        Returns:
            The change of the global rating of each participant as it was applied, within floor and ceiling; for a
            debate that is there already, what it did then. Nothing where fewer than two took part, and nothing is
            stored then.

        Raises:
            InvalidEvidence: If a name, a score or the weight cannot be, a participant has no score or is named twice,
                or winner and scores contradict each other.
            Conflict: If the debate is there with other content.
        """
        call = MatchCall(
            debate_id=debate_id,
            participants=participants,
            scores=scores,
            domain=domain,
            confidence_weight=confidence_weight,
            calibration_tracker=calibration_tracker,
            winner=winner,
            loser=loser,
            draw=draw,
            task=task,
        )
        return debates.record(self._pool, call)

    def record_matches(self, matches: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
        """Record many debates in one transaction, all or none; in the end as if by ``record_match`` one by one.

        Args:
            matches: The arguments of ``record_match`` for each, by name.

        Returns:
            What ``record_match`` returns, for each.
        """
        return debates.record_many(self._pool, matches)

    def recorded_debates(self, debate_ids: Iterable[str]) -> set[str]:
        """Those of some debates that are recorded already."""
        return debates.recorded_debates(self._pool, debate_ids)

    def get_recent_matches(self, limit: int = 10, use_cache: bool = True) -> list[dict[str, Any]]:
        """The last debates, newest first.

        Args:
            limit: How many at most.
            use_cache: Whether an answer of the last minute will do, as long as this system has written nothing.

        Returns:
            ``debate_id``, ``winner`` (None for a draw), ``participants``, ``domain``, ``scores``, ``elo_changes``,
            ``created_at`` and ``rolled_back`` of each.
        """
        return debates.recent(self._pool, limit, use_cache=use_cache)

    def get_cached_recent_matches(self, limit: int = 10) -> list[dict[str, Any]]:
        """The same from the snapshot, without touching the database; from there where there is none to go by."""
        return debates.recent_from_snapshot(self._pool, limit)

    def get_head_to_head(self, agent_a: str, agent_b: str) -> dict[str, Any]:
        """How often each of two agents scored more than the other, in the debates of both that stand.

        Returns:
            ``matches``, ``agent_a``, ``agent_b``, ``a_wins``, ``b_wins``, ``draws``, and the wins by name:
            ``"{agent_a}_wins"`` and ``"{agent_b}_wins"``.
        """
        return debates.head_to_head(self._pool, agent_a, agent_b)

    def roll_back(self, debate_id: str, reason: str) -> dict[str, float]:
        """Void a debate and move every rating to where it would be without it; it stays on record.

        Returns:
            What each agent's global rating moved by.

        Raises:
            NotFound: If there is no such debate.
        """
        return debates.roll_back(self._pool, debate_id, reason)

    def evidence(
        self, agent_name: str | None = None, *, kind: str | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """All that was recorded, the void too, newest first: here is the id of each piece of evidence.

        Args:
            agent_name: About this agent; about all where None.
            kind: ``debate``, ``prediction``, ``resolution``, ``domain-prediction``, ``critique``, ``relation``,
                ``redteam``, ``verification`` or ``registration``; all where None.
            limit: How many at most.

        Returns:
            ``id`` (the one it was recorded under, of a resolution its tournament, else its reference), ``reference``
            (such as ``critique#17``), ``kind``, ``agents``, ``content``, ``created_at`` and ``void``: why it was
            voided, None while it counts.
        """
        return evidence.newest(self._pool, agent_name, kind, limit)

    def void(self, id: str, reason: str, *, kind: str | None = None) -> "Voided":
        """Void any evidence: counts and ratings become what the rest says, and it stays on record.

        What is void cannot be made to count again: record it anew under another id. A tournament whose resolution is
        void can be predicted and resolved again. Agents that the evidence added stay.

        Args:
            id: The id or the reference of the evidence, as ``evidence`` lists them; of a resolution its tournament.
            reason: Why.
            kind: Its kind, as in ``evidence``; any where None.

        Returns:
            The evidence, how ratings moved, and ``new``: False where it was void already, and nothing changed.

        Raises:
            NotFound: If there is no such evidence; it names the nearest ids.
            Conflict: If the id means several pieces of evidence; it names the reference of each.
        """
        return evidence.void(self._pool, id, reason, kind)

    def audit(self, *, expect: Collection[str] = ()) -> "AuditReport":
        """Recompute the hash chain and every rating of the pool from the evidence, and compare."""
        return self._pool.ledger.audit(self._pool.id, expect=expect)
