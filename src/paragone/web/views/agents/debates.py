"""Debates of agents as values: lists of them, the newest first, and one."""

from datetime import datetime

from paragone.domain import GLOBAL, Match, Scorecard
from paragone.errors import NotFound
from paragone.ledger import ScoredMatch
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.agents.roster import require_agents
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.values import View, Words


class Entry(View):
    """How a debate went for one who took part.

    Attributes:
        agent: Who.
        score: What it scored.
        change: Elo points by which the debate moved its global rating.
        domain_change: Elo points by which it moved that of the domain; None where the debate was of none.
    """

    agent: Words
    score: float
    change: float
    domain_change: float | None = None


class Debate(View):
    """A debate.

    Attributes:
        id: Its id.
        sequence: Its place among all rows of the pool.
        at: When it was recorded.
        domain: What it was about; empty for no domain.
        task: The same in words; empty where nobody said.
        entries: Those who took part, in the order in which they were named.
        winner: Who had the highest score alone; None for a draw.
        confidence: What K was multiplied by.
        outcome: How scores became points: ``ratio``, ``win`` or ``margin``.
        normalize: How points against several opponents added up: ``sum`` or ``n-1``.
        rolled_back: Whether it was voided.
    """

    id: Words
    sequence: int
    at: datetime
    domain: Words
    task: Words
    entries: list[Entry]
    winner: Words | None
    confidence: float
    outcome: str
    normalize: str
    rolled_back: bool


class DebatePage(View):
    """Debates, the newest first.

    Attributes:
        debates: The debates.
        next: Cursor of the next page; None on the last.
    """

    debates: list[Debate]
    next: str | None = None


def debates(
    library: Library, pool: str, agent: str | None = None, *, limit: int = 50, after: str | None = None
) -> DebatePage:
    """The debates of a pool, or of one agent, the newest first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(library, pool)
    listing = ("debates", pool) if agent is None else ("debates", pool, agent)
    last = place_of(after, listing)
    before = None if last is None else int(last[0] or 0)
    found = library.ledger.agents.matches(pool, agent=agent, count=limit + 1, before=before)
    shown = [_of(one) for one in found[:limit]]
    return DebatePage(debates=shown, next=cursor(listing, [shown[-1].sequence]) if len(found) > limit else None)


def debate(library: Library, pool: str, id: str) -> Debate:
    """One debate.

    Raises:
        NotFound: If there is no such pool, or no such debate in it.
    """
    require_agents(library, pool)
    found = library.ledger.matches.get(pool, id)
    did, _ = library.ledger.matches.effects(pool, id)
    return _of(
        ScoredMatch(match=found.match, at=found.at, sequence=found.sequence, rolled_back=found.rolled_back, changes=did)
    )


def _of(found: ScoredMatch) -> Debate:
    card = _card(found.match)
    moved = {(change.item, change.track): change.change for change in found.changes}
    return Debate(
        id=found.match.id,
        sequence=found.sequence,
        at=found.at,
        domain=card.domain,
        task=card.task,
        entries=[
            Entry(
                agent=name,
                score=score,
                change=moved.get((name, GLOBAL), 0.0),
                domain_change=moved.get((name, card.domain)) if card.domain else None,
            )
            for name, score in zip(card.participants, card.scores, strict=True)
        ],
        winner=card.winner,
        confidence=found.match.confidence,
        outcome=card.counting.value,
        normalize=card.normalization.value,
        rolled_back=found.rolled_back,
    )


def _card(match: Match) -> Scorecard:
    if match.scorecard is None:
        raise NotFound(f"match {match.id!r} is no debate with scores")
    return match.scorecard
