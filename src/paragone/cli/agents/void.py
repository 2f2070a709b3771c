"""``paragone agents void``: take back any evidence by its id."""

from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.agents.evidence import OfKind
from paragone.cli.json_out import print_json


def register(app: typer.Typer) -> None:
    """Add the command, by the name that it had when it took back debates alone too."""
    app.command()(void)
    app.command("rollback", hidden=True)(void)


def void(
    id: Annotated[
        str, typer.Argument(metavar="ID", help="Its id or reference, as `paragone agents evidence` lists it.")
    ],
    reason: Annotated[str, typer.Option(help="Why; kept in the ledger.")] = "disputed",
    kind: OfKind = None,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Void any evidence: ratings and counts become what they would be without it, and the ledger keeps both."""
    from paragone.agents.debates import by_agent
    from paragone.cli.show import out, plain, print_table

    with opening.reading(db, pool) as agents:
        voided = agents.system.void(id, reason, kind=None if kind is None else kind.value)
        changes = by_agent(voided.changes)
        ratings = agents.system.get_ratings_batch(list(changes))
    recorded = voided.evidence
    name = recorded.id
    if as_json:
        said = {"id": name, "reference": recorded.reference, "kind": recorded.kind.value, "reason": recorded.void}
        print_json({**said, "new": voided.new, "changes": changes})
        return
    if changes:
        lines = [(name, f"{change:+.2f}", f"{ratings[name].elo:.1f}") for name, change in changes.items()]
        print_table(("agent", "change", "Elo"), lines, right=frozenset({"change", "Elo"}))
    then = "; this is what that moved then" if changes else ""
    out().print(plain(f"{name} is void" if voided.new else f"{name} was void already, and nothing changed{then}"))
