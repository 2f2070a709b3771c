"""Reading debates: the recent ones, and those of two agents."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from paragone.agents import given
from paragone.agents.match_calls import by_agent

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool
    from paragone.ledger import Ledger, ScoredMatch


def recent(pool: "AgentPool", limit: int, *, use_cache: bool = True) -> list[dict[str, Any]]:
    """The last debates, newest first, as plain values."""
    count = given.limit(limit)
    found = pool.caches.debates.get(count, lambda: pool.ledger.agents.matches(pool.id, count=count), use=use_cache)
    return [told(debate) for debate in found]


def recent_from_snapshot(pool: "AgentPool", limit: int) -> list[dict[str, Any]]:
    """The same from the snapshot; from the database where there is none to go by."""
    found = pool.snapshot.rows("recent_matches", given.limit(limit))
    return recent(pool, limit) if found is None else found


def known(pool: "AgentPool", ids: Iterable[str]) -> set[str]:
    """Those of some debates that are recorded."""
    return set(
        pool.ledger.agents.existing_ids(pool.id, "match", [given.identifier(id, "the id of a debate") for id in ids])
    )


def roll_back(pool: "AgentPool", id: str, reason: str) -> dict[str, float]:
    """Void a debate; what each global rating moved by."""
    with pool.writing() as ledger:
        return by_agent(
            ledger.matches.rollback(
                pool.id, given.identifier(id, "the id of a debate"), given.words(reason, "a reason")
            )
        )


def rows(ledger: "Ledger", pool: str, most: int) -> tuple[list[dict[str, Any]], bool]:
    """The last debates as plain values, and whether these are all."""
    found = ledger.agents.matches(pool, count=most + 1)
    return [told(debate) for debate in found[:most]], len(found) <= most


def told(debate: "ScoredMatch") -> dict[str, Any]:
    """A debate as plain values, under the names that document A's users know."""
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


def head_to_head(pool: "AgentPool", agent_a: str, agent_b: str) -> dict[str, Any]:
    """How often each of two agents scored more than the other in the debates of both that stand."""
    a, b = given.pair(agent_a, agent_b)
    met = pool.ledger.agents.matches(pool.id, agent=a, opponent=b)
    scores = [_scores(debate, a, b) for debate in met if not debate.rolled_back]
    a_wins = sum(of_a > of_b for of_a, of_b in scores)
    b_wins = sum(of_b > of_a for of_a, of_b in scores)
    return {
        "agent_a": a,
        "agent_b": b,
        "matches": len(scores),
        "a_wins": a_wins,
        "b_wins": b_wins,
        "draws": len(scores) - a_wins - b_wins,
        f"{a}_wins": a_wins,  # last, since it is these that document A's users read: one may be called "b"
        f"{b}_wins": b_wins,
    }


def _scores(debate: "ScoredMatch", a: str, b: str) -> tuple[float, float]:
    of = told(debate)["scores"]
    return of[a], of[b]
