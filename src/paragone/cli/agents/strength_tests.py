"""``paragone agents redteam`` and ``verify``: tests that change a rating without an opponent."""

import uuid
from typing import TYPE_CHECKING, Annotated

from paragone.cli import options
from paragone.cli.agents.pool import EvidenceId, WritablePool
from paragone.cli.options import argument, option

if TYPE_CHECKING:
    from paragone.domain import RatingConfig, RedTeamResult

Agent = Annotated[str, argument("The agent that was tested.", metavar="AGENT")]


def redteam(
    agent: Agent,
    pool: WritablePool,
    output: options.Output,
    robustness: Annotated[float, option("From 0 (every attack succeeded) to 1 (none did).", metavar="P")],
    successful: Annotated[int, option("Attacks that succeeded.", min=0)],
    total: Annotated[int, option("Attacks in all.", min=0)],
    critical: Annotated[int, option("Critical vulnerabilities.", min=0)] = 0,
    session: Annotated[
        str | None, option("Id of the session; recording it again changes nothing.", metavar="ID")
    ] = None,
    domain: Annotated[str | None, option("The domain, whose rating changes too.", "-d")] = None,
) -> None:
    """Record the result of attacks on an agent. It prints the rating change, and how near the next step is."""
    from paragone.agents import checks
    from paragone.agents.strength_tests import red_team_id
    from paragone.domain import RedTeamResult

    with checks.refused():  # before a ledger is created
        result = RedTeamResult(
            id="",
            item=checks.agent(agent),
            robustness=robustness,
            successful=checks.count(successful, "--successful"),
            total=checks.count(total, "--total"),
            critical=checks.count(critical, "--critical"),
            session=checks.optional_identifier(session, "the id of a session"),
            domain=checks.optional_domain(domain),
        )
    minted = uuid.uuid4().hex[:12]
    with pool.writing(new_id=lambda: minted) as system:
        change = system.record_redteam_result(agent, robustness, successful, total, critical, session, domain=domain)
    with pool.reading() as agents:
        elo, config = agents.system.get_rating(agent).elo, agents.ledger.pools.config(pool.pool)
    step = _step(result, config)
    id = red_team_id(session, agent) if session else f"redteam:{minted}"
    output.say(
        {"id": id, "agent": agent, "elo_change": change, "elo": elo, **step},
        f"{agent}: {change:+.2f}, Elo {elo:.1f}; recorded as {id}",
        _next_step(result, step),
    )


def _step(result: "RedTeamResult", config: "RatingConfig") -> dict[str, float]:
    """The nearest step of the formula, its distance, and what this result would be worth beyond it."""
    from dataclasses import replace

    from paragone.ratings.elo_rule import ROBUST, VULNERABLE, gain

    cliff = min((VULNERABLE, ROBUST), key=lambda cliff: abs(result.robustness - cliff))
    beyond = cliff if result.robustness < cliff else cliff - 1e-12
    return {
        "cliff": cliff,
        "distance": abs(result.robustness - cliff),
        "change_beyond": gain(replace(result, robustness=beyond), config),
    }


def _next_step(result: "RedTeamResult", step: dict[str, float]) -> str:
    beyond = f"{'from' if result.robustness < step['cliff'] else 'below'} a robustness of {step['cliff']:g}"
    return (
        f"the next step of the formula is {step['distance']:.3g} away: {beyond} this would have been worth "
        f"{step['change_beyond']:+.2f}"
    )


def verify(
    agent: Agent,
    pool: WritablePool,
    output: options.Output,
    domain: Annotated[str, option("Domain of the claims.", "-d")],
    verified: Annotated[int, option("Claims that were proven.", min=0)] = 0,
    disproven: Annotated[int, option("Claims that were disproven.", min=0)] = 0,
    k: Annotated[
        float, option("K of the verification: a claim is worth half of it.", min=0.0, metavar="POINTS")
    ] = 16.0,
    id: EvidenceId = None,
) -> None:
    """Record the formal verification of an agent's claims. It prints the rating change."""
    from paragone.agents import checks
    from paragone.agents.strength_tests import verification_test_id
    from paragone.errors import InvalidEvidence

    if not verified and not disproven:
        raise InvalidEvidence("nothing was verified and nothing disproven; give --verified N or --disproven N")
    for value, flag in ((verified, "--verified"), (disproven, "--disproven")):
        checks.count(value, flag)
    checks.number(k, "--k")
    name, checked_domain = checks.agent(agent), checks.domain(domain)
    verification = checks.optional_identifier(id, "--id") or uuid.uuid4().hex[:12]
    with pool.writing() as system:
        change = system.update_from_verification(
            name, checked_domain, verified, disproven, k, verification_id=verification
        )
        rating = system.get_rating(agent)
    domain_elo, record = rating.domain_elos[domain], verification_test_id(verification)
    output.say(
        {
            "id": record,
            "agent": agent,
            "domain": domain,
            "elo_change": change,
            "elo": rating.elo,
            "domain_elo": domain_elo,
        },
        f"{agent}: {change:+.2f}, Elo {rating.elo:.1f}, in {domain} {domain_elo:.1f}; recorded as {record}",
    )
