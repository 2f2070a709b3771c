"""``paragone agents redteam`` and ``verify``: tests that move a rating without an opponent."""

import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.domain import RatingConfig, RedTeamResult

Agent = Annotated[str, typer.Argument(metavar="AGENT", help="Who was tested.")]
Known = Annotated[str | None, typer.Option("--id", metavar="ID", help="Names it; the same again changes nothing.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(redteam)
    app.command()(verify)


def redteam(
    agent: Agent,
    robustness: Annotated[
        float, typer.Option("--robustness", metavar="P", help="From 0, everything got through, to 1.")
    ],
    successful: Annotated[int, typer.Option("--successful", min=0, metavar="N", help="Attacks that succeeded.")],
    total: Annotated[int, typer.Option("--total", min=0, metavar="N", help="Attacks that were made.")],
    critical: Annotated[int, typer.Option("--critical", min=0, metavar="N", help="Critical vulnerabilities.")] = 0,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Names the session; the same again changes nothing.")
    ] = None,
    domain: opening.Domain = None,
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Record what attacks on an agent came to, and print what it moved and how near the next step of the formula is."""
    from paragone.agents import checks
    from paragone.agents.strength_tests import red_team_id
    from paragone.domain import RedTeamResult

    with checks.refused():  # before a ledger is made
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
    with opening.writing(db, pool, strict=strict, new_id=lambda: minted) as system:
        change = system.record_redteam_result(agent, robustness, successful, total, critical, session, domain=domain)
    with opening.reading(db, pool) as agents:
        elo, config = agents.system.get_rating(agent).elo, agents.ledger.pools.config(pool)
    step = _step(result, config)
    known = red_team_id(session, agent) if session else f"redteam:{minted}"
    if as_json:
        print_json({"id": known, "agent_name": agent, "elo_change": change, "elo": elo, **step})
        return
    _say(f"{agent}: {change:+.2f}, Elo {elo:.1f}; recorded as {known}")
    _say(_next_step(result, step))


def _step(result: "RedTeamResult", config: "RatingConfig") -> dict[str, float]:
    """The nearest step of the formula: where it is, how far, and what this result would come to on its other side."""
    from dataclasses import replace

    from paragone.ratings.strength_tests import ROBUST, VULNERABLE, gain

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
    domain: Annotated[str, typer.Option("--domain", "-d", metavar="NAME", help="What the claims were about.")],
    verified: Annotated[int, typer.Option("--verified", min=0, metavar="N", help="Claims that were proven.")] = 0,
    disproven: Annotated[int, typer.Option("--disproven", min=0, metavar="N", help="Claims that were disproven.")] = 0,
    k: Annotated[float, typer.Option("--k", min=0.0, metavar="POINTS", help="Elo points for two claims.")] = 16.0,
    id: Known = None,
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Record what the formal verification of an agent's claims came to, and print what it moved."""
    from paragone.agents import checks
    from paragone.agents.strength_tests import verification_id
    from paragone.errors import InvalidEvidence

    if not verified and not disproven:
        raise InvalidEvidence("nothing was verified and nothing disproven; give --verified N or --disproven N")
    for value, option in ((verified, "--verified"), (disproven, "--disproven")):
        checks.count(value, option)
    checks.number(k, "--k")
    name, about = checks.agent(agent), checks.domain(domain)
    known = checks.optional_identifier(id, "--id") or uuid.uuid4().hex[:12]
    with opening.writing(db, pool, strict=strict) as system:
        change = system.update_from_verification(name, about, verified, disproven, k, verification_id=known)
        rating = system.get_rating(agent)
    local = rating.domain_elos[domain]
    if as_json:
        print_json(
            {
                "id": verification_id(known),
                "agent_name": agent,
                "domain": domain,
                "elo_change": change,
                "elo": rating.elo,
                "domain_elo": local,
            }
        )
        return
    _say(f"{agent}: {change:+.2f}, Elo {rating.elo:.1f}, in {domain} {local:.1f}; recorded as {verification_id(known)}")


def _say(words: str) -> None:
    from paragone.cli.show import out, plain

    out().print(plain(words))
