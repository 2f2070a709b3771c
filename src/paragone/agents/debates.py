"""Debates of agents: checked, recorded, and looked for."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.agents.predictions import CalibrationTracker, multipliers
from paragone.domain import GLOBAL, Match, RatingChange, Scorecard
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.ledger import Ledger, ScoredMatch


LEAST_CONFIDENCE = 0.1
"""The least weight of a debate."""

_LONGEST_SCOPE = 64
_NO_ID = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchCall:
    """The arguments of ``record_match`` as given; see there."""

    debate_id: str | None = None
    participants: Sequence[str] | str | None = None
    scores: Mapping[str, float] | bool | None = None
    domain: str | None = None
    confidence_weight: float = 1.0
    calibration_tracker: CalibrationTracker | None = None
    winner: str | None = None
    loser: str | None = None
    draw: bool | None = None
    task: str | None = None


_ARGUMENTS = frozenset(field.name for field in fields(MatchCall))


class Debates(PoolMethods):
    """Debates: recorded, listed, rolled back."""

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
        """Record a debate and update ratings, atomically; recording it again changes nothing.

        Either ``participants`` and ``scores`` are given, or ``winner`` and ``loser``. The old positional form,
        ``record_match("winner", "loser")``, works too; True as its third argument is a draw.

        Args:
            debate_id: Its id; without one a new id is made, so each call counts as another debate.
            participants: The participants; those with scores by default.
            scores: The score of each, 0 or more. A single highest score wins and all others lose; else it is a draw
                for all.
            domain: Its domain, whose ratings change too.
            confidence_weight: Multiplies K; clamped to [0.1, 1].
            calibration_tracker: Multiplies K of each participant by 2 minus its quality.
            winner: The winner of a debate of two.
            loser: Its loser.
            draw: Whether it was a draw.
            task: Its topic, in words.

        Returns:
            The change of each participant's global rating as applied, within floor and ceiling; for a debate that is
            on record already, the change it made then. Empty for fewer than two participants: nothing is stored.

        Raises:
            InvalidEvidence: If a name, a score or the weight is invalid, a participant has no score or is named twice,
                or winner and scores contradict each other.
            Conflict: If the debate is on record with other content.
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
        return _record(self._pool, call)

    def record_matches(self, matches: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
        """Record many debates in one transaction; the result is the same as with ``record_match`` one by one.

        Args:
            matches: The arguments of ``record_match`` for each, by name.

        Returns:
            What ``record_match`` returns, for each.
        """
        return _record_many(self._pool, matches)

    def recorded_debates(self, debate_ids: Iterable[str]) -> set[str]:
        """Those of the debates that are on record already."""
        ids = checks.identifiers(debate_ids, "the id of a debate")
        return set(self._pool.ledger.agents.existing_ids(self._pool.id, "match", ids))

    def get_recent_matches(self, limit: int = 10, use_cache: bool = True) -> list[dict[str, Any]]:
        """The newest debates, newest first.

        Args:
            limit: How many at most.
            use_cache: Whether an answer of the last minute may be returned, if this system has written nothing since.

        Returns:
            ``debate_id``, ``winner`` (None for a draw), ``participants``, ``domain``, ``scores``, ``elo_changes``,
            ``created_at`` and ``rolled_back`` of each.
        """
        count, cache, agents = checks.limit(limit), self._pool.caches.debates, self._pool.ledger.agents
        debates = cache.get(count, lambda: agents.matches(self._pool.id, count=count), use=use_cache)
        return list(map(debate_values, debates))

    def get_cached_recent_matches(self, limit: int = 10) -> list[dict[str, Any]]:
        """The same from the snapshot, without a query; from the database if there is no valid snapshot."""
        rows = self._pool.snapshot.rows("recent_matches", checks.limit(limit))
        return self.get_recent_matches(limit) if rows is None else rows

    def get_head_to_head(self, agent_a: str, agent_b: str) -> dict[str, Any]:
        """How often each of two agents outscored the other, in the debates of both that are not void.

        Returns:
            ``matches``, ``agent_a``, ``agent_b``, ``a_wins``, ``b_wins``, ``draws``, and the wins by name:
            ``"{agent_a}_wins"`` and ``"{agent_b}_wins"``.
        """
        a, b = checks.pair(agent_a, agent_b)
        pool, agents = self._pool, self._pool.ledger.agents
        return pool.known(
            lambda: _head_to_head(a, b, agents.matches(pool.id, agent=a, opponent=b)), "head to head", a, b
        ).copy()

    def roll_back(self, debate_id: str, reason: str) -> dict[str, float]:
        """Void a debate: ratings become what they would be without it; it stays on record.

        Returns:
            The change of each agent's global rating.

        Raises:
            NotFound: If there is no such debate.
        """
        id, why = checks.identifier(debate_id, "the id of a debate"), checks.words(reason, "a reason")
        with self._pool.writing() as ledger:
            return by_agent(ledger.matches.rollback(self._pool.id, id, why))


def _record(pool: AgentPool, call: MatchCall) -> dict[str, float]:
    """Record one debate.

    Returns:
        The change of each participant's global rating as applied; empty for fewer than two participants.
    """
    match = match_of(call, pool)
    if match is None:
        return {}
    card = _card(match)
    pool.formula_warnings.before_match(card)
    with pool.writing(match.items) as ledger:
        (changes,) = ledger.agents.record_matches(pool.id, [match])
    done = by_agent(changes)
    pool.formula_warnings.after_match(card, done)
    return done


def _record_many(pool: AgentPool, calls: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Record many debates in one transaction, in their order.

    Returns:
        For each the changes, as ``_record`` returns them.
    """
    matches = checks.each("debate", calls, lambda call: match_of(_call(call), pool))
    recorded = [match for match in matches if match is not None]
    for match in recorded:
        pool.formula_warnings.before_match(_card(match))
    with pool.writing([agent for match in recorded for agent in match.items]) as ledger:
        changes = iter(ledger.agents.record_matches(pool.id, recorded) if recorded else ())
    done = [{} if match is None else by_agent(next(changes)) for match in matches]
    for match, change in zip(recorded, filter(None, done), strict=True):
        pool.formula_warnings.after_match(_card(match), change)
    return done


def match_of(call: MatchCall, pool: AgentPool) -> Match | None:
    """The match of a call; None for fewer than two participants.

    Raises:
        InvalidEvidence: If the call is invalid.
    """
    entrants, scores = _entrants(call)
    if len(entrants) < 2:
        return None
    names, domain = checks.agents(entrants), checks.optional_domain(call.domain)
    with checks.refused():
        card = Scorecard(
            participants=tuple(names),
            scores=_scores(names, scores),
            multipliers=multipliers(call.calibration_tracker, names),
            domain=domain,
            task=checks.words(call.task, "the task"),
            counting=pool.counting,
            normalization=pool.normalization,
        )
    _require_agreement(call, card)
    confidence = checks.clamped(call.confidence_weight, LEAST_CONFIDENCE, 1.0, "the confidence weight")
    return Match.scored(_id(call, domain, pool.new_id), card, confidence=confidence)


def by_agent(changes: Sequence[RatingChange]) -> dict[str, float]:
    """The changes of global ratings by agent."""
    return {change.item: change.change for change in changes if change.track == GLOBAL}


def _card(match: Match) -> Scorecard:
    if match.scorecard is None:
        raise ValueError(f"match {match.id!r} has no scorecard")
    return match.scorecard


def _call(arguments: Mapping[str, Any]) -> MatchCall:
    unknown = sorted(set(arguments) - _ARGUMENTS)
    if unknown:
        raise InvalidEvidence(f"{unknown[0]!r} is unknown; there are {', '.join(sorted(_ARGUMENTS))}")
    return MatchCall(**arguments)


def _entrants(call: MatchCall) -> tuple[list[str], Mapping[str, float]]:
    """The participants and their scores, from any form of the call."""
    if isinstance(call.participants, str):
        return _positional(call, call.participants)
    names = None if call.participants is None else _listed(call.participants)
    if call.scores is not None:
        if not isinstance(call.scores, Mapping):
            raise InvalidEvidence(f"scores are a mapping from participant to score, not {call.scores!r}")
        return (list(call.scores) if names is None else names), call.scores
    if call.winner is not None and call.loser is not None:
        return _of_two(call.winner, call.loser, bool(call.draw), names)
    if names and call.draw:
        return names, dict.fromkeys(names, 0.5)
    return names or [], {}


def _positional(call: MatchCall, other: str) -> tuple[list[str], Mapping[str, float]]:
    """The old form ``record_match("winner", "loser")``; True as its third argument is a draw."""
    winner, loser = call.winner or call.debate_id, call.loser or other
    if not winner:
        raise InvalidEvidence('one participant was named; write record_match(winner="...", loser="...")')
    if isinstance(call.scores, Mapping):
        return [winner, loser], call.scores
    return _of_two(winner, loser, bool(call.scores) if call.draw is None else call.draw, None)


def _listed(participants: object) -> list[str]:
    if not isinstance(participants, Iterable):
        raise InvalidEvidence(f"participants are a list of names, not {participants!r}")
    names = checks.agents(participants)
    # The order of a set differs between processes, and with it the last bit of sums.
    return sorted(names) if isinstance(participants, set | frozenset) else names


def _of_two(
    winner: str, loser: str, draw: bool, participants: list[str] | None
) -> tuple[list[str], Mapping[str, float]]:
    winner, loser = checks.agents((winner, loser))
    if winner == loser:
        raise InvalidEvidence(f"an agent does not meet itself: {winner!r}")
    if participants is not None and set(participants) != {winner, loser}:
        raise InvalidEvidence(
            f"{participants} took part, and {winner!r} is said to have met {loser!r}; give scores instead"
        )
    return [winner, loser], {winner: 0.5, loser: 0.5} if draw else {winner: 1.0, loser: 0.0}


def _scores(names: Sequence[str], scores: Mapping[str, float]) -> tuple[float, ...]:
    missing = [name for name in names if name not in scores]
    if missing:
        raise InvalidEvidence(f"participant {missing[0]!r} has no score")
    strangers = [name for name in scores if name not in names]
    if strangers:
        raise InvalidEvidence(f"{strangers[0]!r} has a score and took no part")
    return tuple(checks.number(scores[name], f"the score of {name!r}") for name in names)


def _require_agreement(call: MatchCall, card: Scorecard) -> None:
    """Refuse a winner or a draw that the scores contradict."""
    if call.draw and card.winner is not None:
        raise InvalidEvidence(f"it is said to be a draw, and {card.winner!r} has the highest score alone")
    if call.winner is not None and not call.draw and card.winner != call.winner:
        raise InvalidEvidence(f"{call.winner!r} is named as the winner, but does not have the highest score alone")


def _id(call: MatchCall, domain: str, new_id: Callable[[], str]) -> str:
    """The debate's id; made of its task or domain if none is given, or if the winner stands in its place."""
    is_winner = isinstance(call.participants, str) and not call.winner
    if call.debate_id is not None and not is_winner:
        return checks.identifier(call.debate_id, "the id of a debate")
    return made_id(call.task or "", domain, new_id())


def made_id(task: str, domain: str, distinct: str) -> str:
    """The id of a debate without one: its task, else its domain, and a part that makes it unique."""
    scope = _NO_ID.sub("-", task or domain or "debate")[:_LONGEST_SCOPE].strip("-")
    return f"{scope or 'debate'}-{distinct}"


def recent_rows(ledger: "Ledger", pool: str, most: int) -> tuple[list[dict[str, Any]], bool]:
    """The newest debates as plain values, and whether these are all debates."""
    debates = ledger.agents.matches(pool, count=most + 1)
    return [debate_values(debate) for debate in debates[:most]], len(debates) <= most


def debate_values(debate: "ScoredMatch") -> dict[str, Any]:
    """A debate as plain values, under the names that Aragora's specification gives them."""
    card = debate.match.scorecard
    if card is None:
        raise ValueError(f"match {debate.match.id!r} has no scorecard")
    return {
        "debate_id": debate.match.id,
        "winner": card.winner,
        "participants": list(card.participants),
        "domain": card.domain or None,
        "scores": dict(zip(card.participants, card.scores, strict=True)),
        "elo_changes": by_agent(debate.changes),
        "created_at": debate.at.isoformat(),
        "rolled_back": debate.rolled_back,
    }


def _head_to_head(a: str, b: str, debates: "Iterable[ScoredMatch]") -> dict[str, Any]:
    """How often each of two agents outscored the other in the debates of both that are not void."""
    scores = [_pair_scores(debate, a, b) for debate in debates if not debate.rolled_back]
    a_wins = sum(of_a > of_b for of_a, of_b in scores)
    b_wins = sum(of_b > of_a for of_a, of_b in scores)
    return {
        "agent_a": a,
        "agent_b": b,
        "matches": len(scores),
        "a_wins": a_wins,
        "b_wins": b_wins,
        "draws": len(scores) - a_wins - b_wins,
        f"{a}_wins": a_wins,  # last, so that they win over the fixed names: an agent may be called "b"
        f"{b}_wins": b_wins,
    }


def _pair_scores(debate: "ScoredMatch", a: str, b: str) -> tuple[float, float]:
    of = debate_values(debate)["scores"]
    return of[a], of[b]
