"""Seasons and new versions of agents, and the ratings that agents begin from."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.agents.debates import by_agent
from paragone.domain import Adjustment, AdjustmentKind
from paragone.errors import Conflict, InvalidEvidence

if TYPE_CHECKING:
    from paragone.ledger import RecordedAdjustment


class Seasons(PoolMethods):
    """Starting ratings, seasons and new versions of agents."""

    def start_ratings(self, ratings: Mapping[str, float], source: str = "") -> dict[str, float]:
        """Set the ratings that agents begin from: their first Elo, and what is expected of their strength.

        How much of it counts beside debates comes from the evidence. Agents that are missing are added. Repeating the
        call changes nothing.

        Args:
            ratings: Starting rating by agent, in Elo points on the pool's scale.
            source: Where they come from, in words; it is on record.

        Returns:
            The change of each agent's Elo.

        Raises:
            InvalidEvidence: If a rating is not a number, or an agent has debated or been tested before.
            Conflict: If another starting rating of an agent is on record.
        """
        return _started(self._pool, ratings, checks.words(source, "the source"))

    def started(self, agents: Iterable[str]) -> tuple[set[str], set[str]]:
        """Those of some agents that have a starting rating, and those that have no room for any: they have debated."""
        return _known_and_late(self._pool, checks.agents(agents))

    def begin_season(self, season: str, share: float = 0.5) -> dict[str, float]:
        """Begin a season: the running Elo of every agent goes a share of the way back to the pool's initial rating.

        Strengths do not change, and the Elo of domains stays. Beginning the same season again changes nothing.

        Args:
            season: Its name.
            share: From 0, nothing, to 1, which begins anew.

        Returns:
            The change of each agent's Elo.

        Raises:
            InvalidEvidence: If the share lies outside of [0, 1].
            Conflict: If the season is on record with another share.
        """
        return _season(self._pool, checks.identifier(season, "the name of a season"), checks.number(share, "the share"))

    def season_agents(self, season: str) -> list[str]:
        """The agents whose ratings a season changed; none if it has not begun."""
        return _in_season(self._pool, checks.identifier(season, "the name of a season"))

    def revise_agent(self, agent_name: str, version: str) -> bool:
        """Note that an agent has changed: its model, its prompt or its tools.

        Its strength is then that of the new version: the debates before count as far as the evidence says that versions
        are alike. The running Elo goes on. Void it like other evidence, by its id, if it was no other agent after all.

        Args:
            agent_name: Its name; it is added if missing.
            version: Name of the new version; noting the same version again changes nothing.

        Returns:
            Whether it is new.
        """
        return _revised(self._pool, checks.agent(agent_name), checks.identifier(version, "the name of a version"))


def start_id(agent: str) -> str:
    """The id of an agent's starting rating."""
    return f"start:{quote(agent)}"


def revision_id(agent: str, version: str) -> str:
    """The id of a new version of an agent."""
    return f"revision:{quote(agent)}:{quote(version)}"


def versions_of(evidence: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The versions of an agent that count, newest first: ``version`` and ``since``.

    Args:
        evidence: Adjustments of one agent, as ``EloSystem.evidence`` lists them.
    """
    return [
        {"version": unquote(each["id"].rpartition(":")[2]), "since": each["created_at"]}
        for each in evidence
        if each["content"]["cause"] == AdjustmentKind.REVISION.value and each["void"] is None
    ]


def _started(pool: AgentPool, ratings: Mapping[str, float], source: str) -> dict[str, float]:
    adjustments = [
        Adjustment(
            id=start_id(checks.agent(agent)),
            item=agent,
            kind=AdjustmentKind.SEED,
            target=checks.number(rating, f"the starting rating of {agent!r}"),
            reason=source,
        )
        for agent, rating in ratings.items()
    ]
    on_record = {each.adjustment.id: each for each in pool.ledger.ratings.adjustments(pool.id)}
    fresh = [each for each in adjustments if each.id not in on_record]
    _require_same((on_record.get(each.id), each) for each in adjustments)
    played = moved_before(pool, [each.item for each in fresh])
    if played:
        raise InvalidEvidence(
            f"{played[0]!r} has a rating by its debates or tests already; "
            "a starting rating is for agents that have none"
        )
    with pool.writing(ratings) as ledger:
        changes = by_agent(ledger.agents.adjust(pool.id, fresh))
    return {
        each.item: changes[each.item] if each.id not in on_record else on_record[each.id].change.change
        for each in adjustments
    }


def _require_same(pairs: "Iterable[tuple[RecordedAdjustment | None, Adjustment]]") -> None:
    for recorded, rating in pairs:
        if recorded is not None and recorded.adjustment.target != rating.target:
            raise Conflict(
                f"the starting rating of {rating.item!r} is {recorded.adjustment.target:g} on record, and cannot "
                f"become {rating.target:g}: others began from it"
            )


def _known_and_late(pool: AgentPool, agents: list[str]) -> tuple[set[str], set[str]]:
    ids = {start_id(agent): agent for agent in agents}
    on_record = {ids[id] for id in pool.ledger.agents.existing_ids(pool.id, "adjustment", list(ids))}
    return on_record, set(moved_before(pool, [agent for agent in agents if agent not in on_record]))


def moved_before(pool: AgentPool, agents: Iterable[str]) -> list[str]:
    """Those of some agents whose running Elo has moved."""
    return [agent for agent in agents if pool.ledger.agents.rating_history(pool.id, agent, count=1)]


def _in_season(pool: AgentPool, season: str) -> list[str]:
    done = [each.adjustment for each in pool.ledger.ratings.adjustments(pool.id)]
    return [each.item for each in done if each.kind is AdjustmentKind.SEASON and each.reason == _reason(season)]


def _reason(season: str) -> str:
    return f"season {season}"


def _season(pool: AgentPool, season: str, share: float) -> dict[str, float]:
    if not 0.0 <= share <= 1.0:
        raise InvalidEvidence(f"a season takes ratings a share of the way back from 0 to 1, not {share:g}")
    season_agents = _in_season(pool, season)  # beginning it again is not for agents that came after
    adjustments = [
        Adjustment(
            id=f"season:{quote(season)}:{quote(agent)}",
            item=agent,
            kind=AdjustmentKind.SEASON,
            target=pool.config.initial,
            share=share,
            reason=_reason(season),
        )
        for agent in season_agents or [row[0] for row in pool.ledger.agents.rows(pool.id).standings]
    ]
    with pool.writing() as ledger:
        return by_agent(ledger.agents.adjust(pool.id, adjustments))


def _revised(pool: AgentPool, agent: str, version: str) -> bool:
    id = revision_id(agent, version)
    is_new = not pool.ledger.agents.existing_ids(pool.id, "adjustment", [id])
    revision = Adjustment(
        id=id,
        item=agent,
        kind=AdjustmentKind.REVISION,
        target=pool.config.initial,
        share=0.0,
        reason=f"version {version}",
    )
    with pool.writing([agent]) as ledger:
        ledger.agents.adjust(pool.id, [revision])
    return is_new
