"""``paragone agents evidence`` and ``void``: what was recorded, and how to take it back."""

from collections.abc import Iterator
from typing import Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import PoolOptions, print_changes
from paragone.cli.options import argument, option
from paragone.domain import EvidenceKind
from paragone.presenting.table import Table, numbers, table, text

OfKind = Annotated[EvidenceKind | None, option("Only evidence of this kind.")]


def evidence(
    pool: PoolOptions,
    output: options.Output,
    agent: Annotated[str | None, argument("Only evidence about this agent.  [default: all]")] = None,
    kind: OfKind = None,
    limit: options.Limit = 20,
) -> None:
    """List evidence, newest first. `paragone agents void` takes the ids."""
    with pool.reading() as agents:
        if agent is not None:
            agents.require(agent)
        records = agents.system.evidence(agent, kind=None if kind is None else kind.value, limit=limit)
    output.show(records, _evidence)


def _evidence(records: list[dict[str, Any]]) -> Iterator[str | Table[Any]]:
    if not records:
        yield "nothing was recorded yet"
        return
    yield table(
        records,
        numbers("id", lambda record: record["id"]),
        text("kind", lambda record: record["kind"]),
        text("when", lambda record: str(record["created_at"])[:16].replace("T", " ")),
        text("agents", lambda record: ", ".join(record["agents"])),
        text("what", lambda record: _content(record["content"])),
        text("void", lambda record: record["void"]),
    )
    yield "take one back with: paragone agents void ID --reason WHY"


def _content(content: dict[str, Any]) -> str:
    """The content of evidence in a few words; scores are in the order of the agents."""
    parts = []
    for name, value in content.items():
        if isinstance(value, dict):
            parts.append(" : ".join(f"{number:g}" for number in value.values()))
        elif isinstance(value, bool):
            parts.append(name if value else f"not {name}")
        elif isinstance(value, float):
            parts.append(f"{name} {value:.3g}")
        elif value != "":
            parts.append(f"{name} {value}")
    return ", ".join(parts)


def void(
    id: Annotated[str, argument("Id or reference of the evidence; `paragone agents evidence` lists it.")],
    pool: PoolOptions,
    output: options.Output,
    reason: options.Reason = "disputed",
    kind: OfKind = None,
) -> None:
    """Void evidence. Ratings and counts become what they would be without it, and the ledger keeps both."""
    with pool.reading() as agents:
        voided = agents.system.void(id, reason, kind=None if kind is None else kind.value)
        changes = voided.changes
        ratings = agents.system.get_ratings_batch(list(changes))
    record = voided.evidence
    if changes and not output.as_json:
        print_changes(changes, ratings)
    earlier = "; this is how ratings changed then" if changes else ""
    output.say(
        {
            "id": record.id,
            "reference": record.reference,
            "kind": record.kind.value,
            "reason": record.void,
            "new": voided.new,
            "changes": changes,
        },
        f"{record.id} is void" if voided.new else f"{record.id} was void already, and nothing changed{earlier}",
    )
