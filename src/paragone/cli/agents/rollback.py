"""``paragone agents rollback``: void a debate."""

from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rollback)


def rollback(
    debate: Annotated[str, typer.Argument(metavar="DEBATE", help="Its id, as `paragone agents show` lists it.")],
    reason: Annotated[str, typer.Option(help="Why; kept in the ledger.")] = "disputed",
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Void a debate: the ratings become what they would be without it, and the ledger keeps both."""
    from paragone.cli.show import out, plain, print_table

    with opening.reading(db, pool) as agents:
        already = agents.ledger.match(pool, debate).rolled_back
        changes = agents.system.roll_back(debate, reason)
        ratings = agents.system.get_ratings_batch(list(changes))
    if as_json:
        print_json({"debate_id": debate, "new": not already, "changes": changes})
        return
    if changes:
        lines = [(name, f"{change:+.2f}", f"{ratings[name].elo:.1f}") for name, change in changes.items()]
        print_table(("agent", "change", "Elo"), lines, right=frozenset({"change", "Elo"}))
    out().print(plain(f"{debate} was void already; this is what that moved then" if already else f"{debate} is void"))
