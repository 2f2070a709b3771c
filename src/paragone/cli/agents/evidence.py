"""``paragone agents evidence``: all that was recorded, with its ids."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json


class Kind(StrEnum):
    """Kinds of evidence, as ``paragone.domain.EvidenceKind`` has them."""

    DEBATE = "debate"
    PREDICTION = "prediction"
    RESOLUTION = "resolution"
    DOMAIN_PREDICTION = "domain-prediction"
    CRITIQUE = "critique"
    RELATION = "relation"
    RED_TEAM = "redteam"
    VERIFICATION = "verification"
    REGISTRATION = "registration"


OfKind = Annotated[Kind | None, typer.Option("--kind", help="Evidence of this kind.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evidence)


def evidence(
    agent: Annotated[str | None, typer.Argument(metavar="AGENT", help="About this agent; about all without.")] = None,
    kind: OfKind = None,
    limit: opening.Limit = 20,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """List what was recorded, newest first, with the ids by which `paragone agents void` takes it back."""
    from paragone.cli.show import out, plain, print_table

    with opening.reading(db, pool) as agents:
        if agent is not None:
            agents.require(agent)
        listed = agents.system.evidence(agent, kind=None if kind is None else kind.value, limit=limit)
    if as_json:
        print_json(listed)
        return
    if not listed:
        out().print("nothing was recorded yet")
        return
    print_table(
        ("id", "kind", "when", "agents", "what", "void"), [_line(each) for each in listed], right=frozenset({"id"})
    )
    out().print(plain("take one back with: paragone agents void ID --reason WHY"))


def _line(each: dict[str, Any]) -> tuple[str, ...]:
    when = str(each["created_at"])[:16].replace("T", " ")
    return each["id"], each["kind"], when, ", ".join(each["agents"]), _what(each["content"]), each["void"] or ""


def _what(content: dict[str, Any]) -> str:
    """The content of evidence in a few words, without what is empty; scores are in the order of the agents."""
    shown = []
    for name, value in content.items():
        if isinstance(value, dict):
            shown.append(" : ".join(f"{number:g}" for number in value.values()))
        elif isinstance(value, bool):
            shown.append(name if value else f"not {name}")
        elif isinstance(value, float):
            shown.append(f"{name} {value:.3g}")
        elif value != "":
            shown.append(f"{name} {value}")
    return ", ".join(shown)
