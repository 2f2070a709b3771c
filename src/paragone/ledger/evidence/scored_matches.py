"""Matches with scorecards: recorded, listed, and read as columns."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, func, select

from paragone.domain import Match, RatingChange, Scorecard
from paragone.errors import Conflict, Corrupted, LedgerError
from paragone.ledger import schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import AT_ONCE, of_few
from paragone.ledger.evidence import matches, pools, rating_changes, roster
from paragone.ledger.evidence.agent_evidence import difference_text
from paragone.ledger.evidence.agent_timeline import AgentTimeline, timeline_of
from paragone.ledger.evidence.roster import StartingRatings
from paragone.ledger.records import ScoredMatch
from paragone.ledger.statements import Statement
from paragone.ratings.running_elo import advance
from paragone.ratings.score_pairs import NO_DOMAIN, ScoreColumns

_match, _card, _rollback = schema.match, schema.scorecard, schema.rollback
_WITH_MATCH = (_match.c.pool == _card.c.pool) & (_match.c.match == _card.c.match)
_VOIDED = select(_rollback.c.seq).where(_rollback.c.pool == _card.c.pool, _rollback.c.match == _card.c.match).exists()


def newest(
    connection: Connection,
    pool: str,
    *,
    count: int | None = None,
    agent: str | None = None,
    opponent: str | None = None,
    domain: str | None = None,
    before: int | None = None,
    offset: int = 0,
) -> tuple[ScoredMatch, ...]:
    """The matches with scorecards, rolled back ones too, newest first.

    Args:
        connection: A transaction.
        pool: The pool.
        count: The largest number of matches; None for all.
        agent: Only matches of this agent.
        opponent: Only matches that this agent took part in as well.
        domain: Only matches of this domain; the empty text means those without one.
        before: Only matches before this sequence number.
        offset: How many of them to pass over.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    conditions = {"of_agent": agent, "of_opponent": opponent, "of_domain": domain, "before": before}
    statement = _newest(frozenset(name for name, value in conditions.items() if value is not None))
    most = rating_changes.ALL if count is None else count
    rows = statement.rows(connection, {"of_pool": pool, **conditions, "most": most, "beyond": offset})
    return _loaded(connection, pool, [match for (match,) in rows])


@cache
def _newest(conditions: frozenset[str]) -> Statement:
    """The ids of the newest matches with scorecards that meet some conditions."""
    query = select(_card.c.match).where(_card.c.pool == bindparam("of_pool"))
    participants = sorted(conditions & {"of_agent", "of_opponent"})
    for name in participants:
        moved = rating_changes.matches_of(bindparam("of_pool"), bindparam(name))
        query = query.where(_card.c.match.in_(moved))
    if "of_domain" in conditions:
        query = query.where(_card.c.domain == bindparam("of_domain"))
    if "before" in conditions:
        query = query.where(_card.c.seq < bindparam("before"))
    order = of_few(_card.c.seq) if participants else _card.c.seq
    return Statement(query.order_by(order.desc()).limit(bindparam("most")).offset(bindparam("beyond")))


def count(connection: Connection, pool: str, agent: str | None = None) -> int:
    """The number of matches with scorecards, rolled back ones too: all, or those of an agent."""
    query = select(func.count()).select_from(_card).where(_card.c.pool == pool)
    if agent is not None:
        query = query.where(_card.c.match.in_(rating_changes.matches_of(pool, agent)))
    return connection.scalar(query) or 0


def columns(connection: Connection, pool: str, *, domain: str | None = None) -> ScoreColumns:
    """The matches with scorecards that count, of all domains or one, as columns, oldest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    timeline = timeline_of(connection, pool)
    statement, of_domain = (_COUNTING, {}) if domain is None else (_IN_DOMAIN, {"of_domain": domain})
    return _columns(statement.stream(connection, {"of_pool": pool, **of_domain}), timeline)


_COUNTED = (
    select(_card.c.seq, _card.c.match, _card.c.entries, _card.c.domain, _match.c.confidence)
    .join(_match, _WITH_MATCH)
    .where(_card.c.pool == bindparam("of_pool"), ~_VOIDED)
    .order_by(_card.c.seq)
)
_COUNTING, _IN_DOMAIN = Statement(_COUNTED), Statement(_COUNTED.where(_card.c.domain == bindparam("of_domain")))


def _loaded(connection: Connection, pool: str, ids: Sequence[str]) -> tuple[ScoredMatch, ...]:
    by_id = matches.with_changes(connection, pool, ids)
    return tuple(
        ScoredMatch(
            match=entry.match, at=entry.at, sequence=entry.sequence, rolled_back=entry.rolled_back, changes=changes
        )
        for entry, changes in (by_id[id] for id in ids)
    )


def _columns(cards: Iterable[Any], timeline: AgentTimeline) -> ScoreColumns:
    agents: dict[str, int] = {}
    domains: dict[str, int] = {}
    match, agent, score, domain, confidence, version = (list[Any]() for _ in range(6))
    for row in cards:
        for name, points in _entries(row):
            match.append(len(domain))
            agent.append(agents.setdefault(name, len(agents)))
            score.append(points)
            version.append(timeline.version(name, row.seq))
        domain.append(domains.setdefault(row.domain, len(domains)) if row.domain else NO_DOMAIN)
        confidence.append(row.confidence)
    for name in timeline.start:
        agents.setdefault(name, len(agents))
    return ScoreColumns(
        agents=tuple(agents),
        domains=tuple(domains),
        match=np.array(match, dtype=np.int64),
        agent=np.array(agent, dtype=np.int64),
        score=np.array(score, dtype=np.float64),
        domain=np.array(domain, dtype=np.int64),
        confidence=np.array(confidence, dtype=np.float64),
        history=timeline.history(tuple(agents), version),
    )


def _entries(row: Row[Any]) -> list[tuple[str, float]]:
    try:
        return [(str(name), float(points)) for name, points, _ in row.entries]
    except (TypeError, ValueError) as error:  # no version of paragone wrote such a row
        raise Corrupted(f"the scorecard of match {row.match!r} cannot be read ({error}); an audit says more") from error


Changes = tuple[RatingChange, ...]


def record(connection: Connection, page: LedgerPage, matches_: Sequence[Match]) -> tuple[Changes, ...]:
    """Record matches with scorecards, and the rating changes they cause, all or none.

    Matches count in the order in which they are recorded, whatever dates they have: each moves the ratings of now.

    Returns:
        The changes of each match, in the given order: the global ones in the order of its participants, then those
        of its domain. For a match that is already recorded, those of then.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If a match is recorded with other content; multipliers of K are not compared.
        InvalidItems: If the pool does not hold agents, and lacks a participant.
        LedgerError: If a match has no scorecard, or contradicts it.
    """
    pool, cards = page.head.pool, [_scorecard_of(match) for match in matches_]
    if not matches_:
        return ()
    ratings = _starting_ratings(connection, pool, matches_, cards)
    recorded = _recorded(connection, pool, ratings)
    ratings.enrol(page, [item for match in matches_ if match.id not in recorded for item in match.items])
    for match in matches_:
        if match.id in recorded:
            _require_equal(pool, recorded[match.id][0], match)
        else:
            recorded[match.id] = (match, _play(page, ratings, match))
    ratings.put(page)
    return tuple([recorded[match.id][1] for match in matches_])


def _recorded(connection: Connection, pool: str, ratings: StartingRatings) -> dict[str, tuple[Match, Changes]]:
    """The matches that are already recorded, with their changes."""
    if not ratings.recorded:
        return {}
    recorded = matches.with_changes(connection, pool, ratings.recorded)
    return {id: (entry.match, changes) for id, (entry, changes) in recorded.items()}


def _play(page: LedgerPage, ratings: StartingRatings, match: Match) -> Changes:
    """Put a match on the page with its rating changes, which are returned."""
    changes = advance(ratings.ratings, ratings.tracks, match, ratings.config)
    page.add(schema.match, **matches.values_of(match))
    page.add(schema.scorecard, match=match.id, **matches.scorecard_values(_scorecard_of(match)))
    rating_changes.add(page, changes, compensates=False)
    return changes


def _scorecard_of(match: Match) -> Scorecard:
    """The scorecard of a match.

    Raises:
        LedgerError: If it has none, or contradicts it.
    """
    if match.scorecard is None:
        raise LedgerError(f"match {match.id!r} has no scorecard")
    expected = Match.scored(match.id, match.scorecard, confidence=match.confidence, round=match.round)
    if match != expected:
        raise LedgerError(f"match {match.id!r} does not say what its scorecard says")
    return match.scorecard


def _require_equal(pool: str, recorded: Match, match: Match) -> None:
    """Refuse a match that differs from the recorded one of that id."""
    old = recorded.scorecard
    if old is not None and old.same_evidence(_scorecard_of(match)):
        expected = Match.scored(match.id, old, confidence=match.confidence, round=match.round)
        if recorded == expected:
            return
    other = "by a judge's verdict" if old is None else f"with {difference_text(_content(recorded), _content(match))}"
    raise Conflict(
        f"match {match.id!r} of pool {pool!r} is recorded already, {other}; to correct it, void it and record the new "
        "one under another id"
    )


def _content(match: Match) -> dict[str, object]:
    """The content of a match except its multipliers."""
    card = _scorecard_of(match)
    same = {name: getattr(card, name) for name in ("domain", "task")}
    options = {"counting": card.counting.value, "normalization": card.normalization.value}
    scores = dict(zip(card.participants, card.scores, strict=True))
    return {"scores": scores, **same, "confidence": match.confidence, "round": match.round, **options}


def _starting_ratings(
    connection: Connection, pool: str, matches_: Sequence[Match], cards: Sequence[Scorecard]
) -> StartingRatings:
    if len(matches_) == 1 and len(cards[0].participants) <= AT_ONCE:
        return roster.of_one(connection, pool, cards[0].participants, domain=cards[0].domain, match=matches_[0].id)
    agents = [participant for card in cards for participant in card.participants]
    ids = list(dict.fromkeys(match.id for match in matches_))
    return roster.of_many(connection, pool, agents, domains=[card.domain for card in cards], matches=ids)
