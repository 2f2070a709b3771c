"""``paragone agents register``: an agent, and the model that it is."""

from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("register")(register_agent)


def register_agent(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Its name.")],
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model that it is.")] = None,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Register an agent before anything is recorded of it; --strict accepts only agents that are registered."""
    from paragone.agents import checks
    from paragone.cli.show import out, plain

    name, about = checks.agent(agent), checks.words(model, "--model")
    with opening.writing(db, pool) as system:
        rating = system.register_agent(name, about)
        recorded = system.evidence(name, kind="registration", limit=1) if about else []
    reference = recorded[0]["reference"] if recorded else None
    if as_json:
        print_json({"id": reference, "agent_name": name, "model": rating.model, "elo": rating.elo})
        return
    known = f"; recorded as {reference}" if reference else ""
    out().print(plain(f"{name}{f' ({rating.model})' if rating.model else ''}: Elo {rating.elo:.1f}{known}"))
