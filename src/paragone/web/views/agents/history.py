"""How the rating of an agent went, as values."""

from paragone.domain import GLOBAL
from paragone.errors import NotFound
from paragone.ledger import Progress
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.agent import AgentHistory, AgentMove


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
    last = place_of(after, listing)
    done = reader.ledger.agents.rating_history(pool, agent, track=track)[::-1]
    end = len(done) if last is None else min(len(done), int(last[0] or 0))
    start = max(0, end - limit)
    begin = reader.ledger.pools.config(pool).initial if track == GLOBAL else None
    moves = [_move(done, number, begin) for number in range(start, end)]
    return AgentHistory(
        agent=agent,
        track=track,
        moves=moves[::-1],
        total=len(done),
        next=cursor(listing, [start]) if start else None,
    )


def _move(done: tuple[Progress, ...], number: int, begin: float | None) -> AgentMove:
    move = done[number]
    before = done[number - 1].elo if number else begin
    return AgentMove(
        number=number + 1,
        at=move.at,
        elo=move.elo,
        change=None if before is None else move.elo - before,
        cause=move.cause,
    )
