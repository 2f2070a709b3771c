"""Which debates to hold next: those that tell most about the board, until it is settled."""

from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.agents.strengths import StrengthDraws, draws_in_pool
from paragone.domain import Goal
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    import numpy as np

    from paragone.wire.debate_plan import DebatePlan, ProposedDebate


class Proposals(PoolMethods):
    """Which debates to hold next."""

    def propose_matches(self, count: int = 5, domain: str | None = None, goal: Goal | None = None) -> "DebatePlan":
        """The debates between two that tell most about the board, and how far it is from settled.

        Each is what its result is expected to take from the risk of a wrong order and of a wrong top, those before it
        being held; so all may be held at once. Agents may meet again. Registered agents without debates are among them.

        Args:
            count: How many debates; there may be fewer, since no agent is in more than three (nine where the winner
                alone is asked for).
            domain: The domain that they would be held in, and whose board is to be settled; None for all.
            goal: What is to be settled, and how certainly; ``Goal()`` by default.

        Raises:
            InvalidEvidence: If there are fewer than two agents.
        """
        where = checks.optional_domain(domain)
        return _plan(self._pool, checks.limit(count), where, Goal() if goal is None else goal)


def _plan(pool: AgentPool, count: int, domain: str, goal: Goal) -> "DebatePlan":
    import numpy as np

    from paragone.pairing import forecast, gain
    from paragone.pairing.presentation import PairHistory
    from paragone.wire.debate_plan import DebatePlan

    strengths = draws_in_pool(pool, domain)
    names, draws = _candidates(pool, strengths)
    mean, debates = draws.mean(axis=0), _held(pool, domain)
    expected = forecast.forecast(mean, draws, goal)
    settled = debates > 0 and forecast.reached(expected, goal)
    pairs = gain.next_batch(
        mean,
        np.cov(draws.T),
        PairHistory(len(names)),  # a debate is on another topic each time, so a pair may meet again
        goal,
        rng=np.random.default_rng(debates),
        size=count,
        audit_share=0.0,
        far=0,
        focus=round(count * gain.FOCUS_SHARE[goal.aim]),
    )
    return DebatePlan(
        domain=domain,
        agents=len(names),
        held=debates,
        aim=goal.aim.value,
        confidence=goal.confidence,
        tau=expected.tau,
        recall=expected.recall,
        top=expected.top,
        p_best=expected.p_best,
        settled=settled,
        more=0 if settled else forecast.calls_until(mean, draws, goal, calls_made=debates) if debates else None,
        debates=tuple(_proposed(strengths, draws, names, pair) for pair in pairs),
    )


def _candidates(pool: AgentPool, strengths: StrengthDraws) -> "tuple[list[str], np.ndarray[Any, Any]]":
    """Names of the agents that may debate, and draws of their strengths, shape (draws, agents).

    Raises:
        InvalidEvidence: If there are fewer than two.
    """
    import numpy as np

    from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
    from paragone.pairing.gain import MOST_ITEMS

    names = [row[0] for row in pool.ledger.agents.rows(pool.id).standings]
    if len(names) < 2:
        raise InvalidEvidence(f"a debate takes two agents, and {len(names)} are registered; register them first")
    # What is not known of one newcomer has nothing to do with what is not known of another.
    rng = np.random.default_rng(len(names))
    draws = np.stack(
        [strengths.draws[name] if name in strengths.draws else rng.permutation(strengths.newcomer) for name in names],
        axis=1,
    )
    if len(names) > MOST_ITEMS:
        first = np.argsort(-rounded(draws.mean(axis=0), STRENGTH_DECIMALS), kind="stable")[:MOST_ITEMS]
        names, draws = [names[at] for at in first.tolist()], draws[:, first]
    return names, draws


def _held(pool: AgentPool, domain: str) -> int:
    """Debates that the board rests on."""
    columns = pool.ledger.agents.score_columns(pool.id)
    if not domain:
        return int(columns.domain.size)
    return int((columns.domain == columns.domains.index(domain)).sum()) if domain in columns.domains else 0


def _proposed(
    strengths: StrengthDraws, draws: "np.ndarray[Any, Any]", names: list[str], pair: tuple[int, int]
) -> "ProposedDebate":
    from paragone.agents.agent_forecasts import points
    from paragone.wire.debate_plan import ProposedDebate

    first, second = pair
    expected, low, high = points(draws[:, first], draws[:, second], strengths.ends)
    return ProposedDebate(
        agent=names[first],
        opponent=names[second],
        expected=expected,
        low=low,
        high=high,
        debates=strengths.debates.get(names[first], 0),
        opponent_debates=strengths.debates.get(names[second], 0),
    )
