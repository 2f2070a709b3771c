"""Evidence about agents, page by page: everything with its ids, debates, tests, rating histories; and voiding it."""

from paragone.agents.agent_pool import AgentPool
from paragone.agents.evidence import Evidence as AgentEvidence
from paragone.agents.report import change, tested
from paragone.domain import GLOBAL, EvidenceKind, Match, RedTeamResult, Scorecard
from paragone.errors import NotFound
from paragone.ledger import RatingPoint, RecordedTest, ScoredMatch
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import require_agents, roster_with
from paragone.web.views.cursors import After, cursor, number_of, page_of_newest
from paragone.wire.agent import AgentHistory, AgentMove
from paragone.wire.agent_evidence import Evidence, EvidencePage, VoidedEvidence
from paragone.wire.debate import Debate, DebateEntry, DebatePage
from paragone.wire.strength_test import AgentTests, AgentTestSummary, RedTeam, Verification
from paragone.wire.value import shallow


def listed(
    reader: LedgerReader,
    pool: str,
    *,
    agent: str = "",
    kind: EvidenceKind | None = None,
    limit: int = 50,
    after: str | None = None,
) -> EvidencePage:
    """The evidence of a pool, or about one agent, of all kinds or of one, the newest first.

    Raises:
        NotFound: If there is no such pool of agents, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    if agent:
        roster_with(reader, pool, agent)
    listing = ("agent evidence", pool, agent, "" if kind is None else kind.value)
    before = number_of(after, listing)
    records = reader.ledger.agents.evidence(pool, kind=kind, agent=agent or None, count=limit + 1, before=before)
    page = records[:limit]
    following = cursor(listing, [page[-1].sequence]) if len(records) > limit else None
    return EvidencePage(evidence=[Evidence.like(recorded) for recorded in page], next=following)


def void(pool: AgentPool, id: str, reason: str, kind: EvidenceKind | None) -> VoidedEvidence:
    """Void a piece of evidence.

    Raises:
        NotFound: If there is none of that id; it names the nearest.
        Conflict: If the id means several; it names the reference of each.
    """
    return AgentEvidence(pool).void(id, reason, kind=None if kind is None else kind.value)


def history(
    reader: LedgerReader, pool: str, agent: str, *, track: str = GLOBAL, limit: int = 50, after: str | None = None
) -> AgentHistory:
    """The moves of a rating of an agent, the newest first.

    Raises:
        NotFound: If there is no such pool, no such agent in it, or it has no rating in that domain.
        InvalidConfig: If the cursor belongs to another listing.
    """
    record = roster_with(reader, pool, agent).records[agent]
    domains = {rating.track for rating in record.tracks}
    if track != GLOBAL and track not in domains:
        raise NotFound(f"{agent!r} has no rating in the domain {track!r}")
    listing = ("agent history", pool, agent, track)
    progress = reader.ledger.agents.rating_history(pool, agent, track=track)[::-1]
    numbers, following = page_of_newest(range(len(progress)), listing, limit, after)
    initial = reader.ledger.pools.config(pool).initial if track == GLOBAL else None
    return AgentHistory(
        agent=agent,
        track=track,
        moves=[_move(progress, number, initial) for number in numbers],
        total=len(progress),
        next=following,
    )


def _move(progress: tuple[RatingPoint, ...], number: int, initial: float | None) -> AgentMove:
    move = progress[number]
    before = progress[number - 1].elo if number else initial
    return AgentMove.like(move, number=number + 1, change=None if before is None else move.elo - before)


def results_of(reader: LedgerReader, pool: str, agent: str, *, limit: int = 50) -> AgentTests:
    """The tests of an agent in numbers, with the last of each kind.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
    """
    roster_with(reader, pool, agent)
    tests = reader.ledger.agents.tests(pool, agent)
    summary = next(iter(tested(tests)), AgentTestSummary(agent=agent))
    results = [result_of(recorded) for recorded in tests[::-1]]
    red_teams = [result for result in results if isinstance(result, RedTeam)]
    proofs = [result for result in results if isinstance(result, Verification)]
    return AgentTests(**shallow(summary), red_teams=red_teams[:limit], proofs=proofs[:limit])


def result_of(recorded: RecordedTest) -> RedTeam | Verification:
    """The result of a recorded test."""
    kind = RedTeam if isinstance(recorded.test, RedTeamResult) else Verification
    return kind.like(recorded.test, at=recorded.at, change=change(recorded), elo=recorded.changes[0].new)


def debates(
    reader: LedgerReader, pool: str, agent: str | None = None, *, limit: int = 50, after: After = None
) -> DebatePage:
    """The debates of a pool, or of one agent, the newest first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    listing = ("debates", pool) if agent is None else ("debates", pool, agent)
    before, passed = (None, after) if isinstance(after, int) else (number_of(after, listing), 0)
    matches = reader.ledger.agents.matches(pool, agent=agent, count=limit + 1, before=before, offset=passed)
    page = [_debate(match) for match in matches[:limit]]
    return DebatePage(
        debates=page,
        next=cursor(listing, [page[-1].sequence]) if len(matches) > limit else None,
        total=reader.ledger.agents.count_matches(pool, agent),
    )


def debate(reader: LedgerReader, pool: str, id: str) -> Debate:
    """One debate.

    Raises:
        NotFound: If there is no such pool, or no such debate in it.
    """
    require_agents(reader, pool)
    recorded = reader.ledger.matches.get(pool, id)
    changes, _ = reader.ledger.matches.effects(pool, id)
    return _debate(
        ScoredMatch(
            match=recorded.match,
            at=recorded.at,
            sequence=recorded.sequence,
            rolled_back=recorded.rolled_back,
            changes=changes,
        )
    )


def _debate(scored: ScoredMatch) -> Debate:
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
        raise NotFound(f"match {match.id!r} is not a debate with scores")
    return match.scorecard
