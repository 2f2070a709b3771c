"""Matches with scorecards: recorded whole, with the ratings they move, globally and in their domain."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from paragone.domain import Match, RatingChange, Scorecard
from paragone.errors import Conflict, LedgerError
from paragone.ledger import chain, match_changes, matches, schema, scorecards
from paragone.ledger.agents import before
from paragone.ledger.agents.before import Before
from paragone.ledger.agents.differing import told
from paragone.ledger.chain import Page
from paragone.ledger.columns import AT_ONCE
from paragone.ratings.replay import advance

Changes = tuple[RatingChange, ...]


def record(connection: Connection, pool: str, wanted: Sequence[Match], at: datetime) -> tuple[Changes, ...]:
    """Record matches, all or none, with the agents that their pool lacks; one that is there already changes nothing.

    Returns:
        The changes of each: the global ones in the order of its participants, then those of its domain. For a match
        that is there already, those that it made then.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If a match is there with other content, or an id is that of another match.
        InvalidItems: If the pool holds something else than agents, and lacks a participant.
    """
    cards = [_scorecard_of(match) for match in wanted]
    with chain.appending(connection, pool, at) as page:
        if not wanted:
            return ()
        found = _find(connection, pool, wanted, cards)
        there = _there(connection, pool, found)
        found.enrol(page, [item for match in wanted if match.id not in there for item in match.items])
        for match in wanted:
            if match.id in there:
                _require_equal(pool, there[match.id][0], match)
            else:
                there[match.id] = (match, _play(page, found, match))
        found.put(page)
        return tuple([there[match.id][1] for match in wanted])


def _there(connection: Connection, pool: str, found: Before) -> dict[str, tuple[Match, Changes]]:
    """The matches that are there already, with what they did."""
    if not found.known:
        return {}
    recorded = matches.with_changes(connection, pool, found.known)
    return {id: (entry.match, changes) for id, (entry, changes) in recorded.items()}


def _play(page: Page, found: Before, match: Match) -> Changes:
    """Put a match on the page, with what it moves."""
    made = advance(found.ratings, found.tracks, match, found.config)
    page.add(schema.match, **matches.values_of(match))
    page.add(schema.scorecard, match=match.id, **scorecards.values_of(_scorecard_of(match)))
    match_changes.add(page, made, compensates=False)
    return made


def _scorecard_of(match: Match) -> Scorecard:
    """The scorecard of a match.

    Raises:
        LedgerError: If it has none, or does not say what it says.
    """
    if match.scorecard is None:
        raise LedgerError(f"match {match.id!r} has no scorecard")
    due = Match.scored(match.id, match.scorecard, confidence=match.confidence, round=match.round)
    if match != due:
        raise LedgerError(f"match {match.id!r} does not say what its scorecard says")
    return match.scorecard


def _require_equal(pool: str, there: Match, match: Match) -> None:
    """Refuse a match that says something else than the one of its id that is there."""
    old = there.scorecard
    if old is not None and old.same_evidence(_scorecard_of(match)):
        due = Match.scored(match.id, old, confidence=match.confidence, round=match.round)
        if there == due:
            return
    other = "by a judge's verdict" if old is None else f"with {told(_said(there), _said(match))}"
    raise Conflict(
        f"match {match.id!r} of pool {pool!r} is recorded already, {other}; to correct it, roll it back and record the "
        "new one under another id"
    )


def _said(match: Match) -> dict[str, object]:
    """What a match says, multipliers aside."""
    card = _scorecard_of(match)
    same = {name: getattr(card, name) for name in ("domain", "task")}
    options = {"counting": card.counting.value, "normalization": card.normalization.value}
    scores = dict(zip(card.participants, card.scores, strict=True))
    return {"scores": scores, **same, "confidence": match.confidence, "round": match.round, **options}


def _find(connection: Connection, pool: str, wanted: Sequence[Match], cards: Sequence[Scorecard]) -> Before:
    if len(wanted) == 1 and len(cards[0].participants) <= AT_ONCE:
        return before.of_one(connection, pool, cards[0].participants, domain=cards[0].domain, match=wanted[0].id)
    agents = [participant for card in cards for participant in card.participants]
    ids = list(dict.fromkeys(match.id for match in wanted))
    return before.of_many(connection, pool, agents, domains=[card.domain for card in cards], matches=ids)
