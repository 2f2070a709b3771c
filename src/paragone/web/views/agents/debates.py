"""Debates of agents as values: lists of them, the newest first, and one."""

from paragone.domain import GLOBAL, Match, Scorecard
from paragone.errors import NotFound
from paragone.ledger import ScoredMatch
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import require_agents
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.debate import Debate, DebateEntry, DebatePage


def debates(
    reader: LedgerReader, pool: str, agent: str | None = None, *, limit: int = 50, after: str | None = None
) -> DebatePage:
    """The debates of a pool, or of one agent, the newest first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    listing = ("debates", pool) if agent is None else ("debates", pool, agent)
    last = place_of(after, listing)
    before = None if last is None else int(last[0] or 0)
    matches = reader.ledger.agents.matches(pool, agent=agent, count=limit + 1, before=before)
    page = [_of(match) for match in matches[:limit]]
    return DebatePage(debates=page, next=cursor(listing, [page[-1].sequence]) if len(matches) > limit else None)


def debate(reader: LedgerReader, pool: str, id: str) -> Debate:
    """One debate.

    Raises:
        NotFound: If there is no such pool, or no such debate in it.
    """
    require_agents(reader, pool)
    recorded = reader.ledger.matches.get(pool, id)
    did, _ = reader.ledger.matches.effects(pool, id)
    return _of(
        ScoredMatch(
            match=recorded.match,
            at=recorded.at,
            sequence=recorded.sequence,
            rolled_back=recorded.rolled_back,
            changes=did,
        )
    )


def _of(scored: ScoredMatch) -> Debate:
    card = _card(scored.match)
    changes = {(change.item, change.track): change.change for change in scored.changes}
    return Debate(
        id=scored.match.id,
        sequence=scored.sequence,
        at=scored.at,
        domain=card.domain,
        task=card.task,
        entries=[
            DebateEntry(
                agent=name,
                score=score,
                change=changes.get((name, GLOBAL), 0.0),
                domain_change=changes.get((name, card.domain)) if card.domain else None,
            )
            for name, score in zip(card.participants, card.scores, strict=True)
        ],
        winner=card.winner,
        confidence=scored.match.confidence,
        outcome=card.counting.value,
        normalize=card.normalization.value,
        rolled_back=scored.rolled_back,
    )


def _card(match: Match) -> Scorecard:
    if match.scorecard is None:
        raise NotFound(f"match {match.id!r} is no debate with scores")
    return match.scorecard
