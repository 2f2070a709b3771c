"""``paragone agents relate``, ``critique`` and ``relations``: what happened between agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents.pool import EvidenceId, Pool, WritablePool, new_id
from paragone.domain.text import counted
from paragone.errors import InvalidEvidence

_CRITIQUES = (
    ("{a} criticised {b}", "critique_count_a_to_b", "critique_accepted_a_to_b"),
    ("{b} criticised {a}", "critique_count_b_to_a", "critique_accepted_b_to_a"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """What happened between AGENT and OTHER."""

    debates: Annotated[int, typer.Option(min=0, metavar="N", help="Debates in which both took part.")] = 0
    agreements: Annotated[int, typer.Option(min=0, metavar="N", help="Debates in which they agreed.")] = 0
    wins: Annotated[int, typer.Option(min=0, metavar="N", help="Debates that AGENT won.")] = 0
    losses: Annotated[int, typer.Option(min=0, metavar="N", help="Debates that OTHER won.")] = 0
    critiques: Annotated[int, typer.Option(min=0, metavar="N", help="Critiques by AGENT.")] = 0
    accepted: Annotated[int, typer.Option(min=0, metavar="N", help="Critiques by AGENT that OTHER accepted.")] = 0
    received: Annotated[int, typer.Option(min=0, metavar="N", help="Critiques by OTHER.")] = 0
    granted: Annotated[int, typer.Option(min=0, metavar="N", help="Critiques by OTHER that AGENT accepted.")] = 0
    yielded: Annotated[int, typer.Option(min=0, metavar="N", help="Times AGENT changed its position.")] = 0
    other_yielded: Annotated[
        int, typer.Option("--moved", min=0, metavar="N", help="Times OTHER changed its position.")
    ] = 0

    def increments(self) -> dict[str, int]:
        """The counts under the names of ``update_relationship``.

        Raises:
            InvalidEvidence: If all are zero.
        """
        increments = {
            "debate_increment": self.debates,
            "agreement_increment": self.agreements,
            "a_win": self.wins,
            "b_win": self.losses,
            "critique_a_to_b": self.critiques,
            "critique_accepted_a_to_b": self.accepted,
            "critique_b_to_a": self.received,
            "critique_accepted_b_to_a": self.granted,
            "position_change_a_after_b": self.yielded,
            "position_change_b_after_a": self.other_yielded,
        }
        if not any(increments.values()):
            raise InvalidEvidence("nothing to add; say what happened, such as --debates 1 --agreements 1")
        return increments


def relate(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The other agent.")],
    counts: Counts,
    pool: WritablePool,
    output: options.Output,
    id: EvidenceId = None,
) -> None:
    """Add to what happened between two agents, and print their relationship."""
    from paragone.agents import checks
    from paragone.cli.tables import say

    increments = counts.increments()
    a, b = checks.agent(agent), checks.agent(other)
    update = checks.optional_identifier(id, "--id") or new_id("relation")
    if a == b:
        raise InvalidEvidence(f"an agent has no relation with itself: {a!r}")
    with pool.writing() as system:
        system.update_relationship(a, b, **increments, update_id=update)
        metrics = system.compute_relationship_metrics(a, b)
    output.show({"id": update, **metrics}, lambda _: say(f"{_relationship(a, b, metrics)}; recorded as {update}"))


def critique(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent that made the critique.")],
    accepted: Annotated[bool, typer.Option("--accepted/--rejected", help="Whether it was accepted.")],
    pool: WritablePool,
    output: options.Output,
    id: EvidenceId = None,
) -> None:
    """Record whether a critique by an agent was accepted."""
    from paragone.agents import checks
    from paragone.cli.tables import say

    name, critique = checks.agent(agent), checks.optional_identifier(id, "--id") or new_id("critique")
    with pool.writing() as system:
        system.record_critique(name, accepted, critique_id=critique)
        rating = system.get_rating(name)
    total = rating.critiques_total
    output.show(
        {
            "id": critique,
            "agent_name": name,
            "critiques_accepted": rating.critiques_accepted,
            "critiques_total": total,
        },
        lambda _: say(f"{name}: {rating.critiques_accepted} of {total} critiques accepted; recorded as {critique}"),
    )


def relations(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent.")],
    pool: Pool,
    output: options.Output,
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="Only with this agent, with every count.")
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """Show an agent's relationships, or one of them: debates, agreement, critiques, wins."""
    with pool.reading() as agents:
        agents.require(*([agent] if other is None else [agent, other]))
        system = agents.system
        if other is not None:
            raw = system.get_relationship_raw(agent, other)
            metrics = system.compute_relationship_metrics(agent, other)
            record = system.get_head_to_head(agent, other)
            output.show(
                {**metrics, "counts": raw, "debates": record},
                lambda _: _print_one(agent, other, metrics, raw, record),
            )
            return
        rows = [
            system.compute_relationship_metrics(agent, _other(raw, agent))
            for raw in system.get_all_relationships_for_agent(agent, limit=limit)
        ]
    output.show(rows, lambda each: _print_all(agent, each))


def _other(raw: Mapping[str, Any], agent: str) -> str:
    return str(raw["agent_b"] if raw["agent_a"] == agent else raw["agent_a"])


def _print_all(agent: str, rows: list[dict[str, Any]]) -> None:
    from paragone.cli.tables import figure, figures, say, show_rows, text

    if not rows:
        hint = "paragone agents relate records it; name two agents to count their debates by scores"
        say(f"nothing was recorded between {agent} and others; {hint}")
        return
    show_rows(
        sorted(rows, key=lambda row: -max(row["rivalry_score"], row["alliance_score"])),
        (
            text("agent", lambda row: row["agent_b"]),
            text("is", _kind),
            figure("rivalry", lambda row: row["rivalry_score"], ".2f"),
            figure("alliance", lambda row: row["alliance_score"], ".2f"),
            figure("debates", lambda row: row["debate_count"], ""),
            figure("agreed", lambda row: row["agreement_rate"], ".0%"),
            figures("won-lost", lambda row: row["head_to_head"]),
        ),
    )


def _kind(metrics: Mapping[str, Any]) -> str:
    return str(metrics["relationship"]).replace("_", " ")


def _relationship(a: str, b: str, metrics: Mapping[str, Any]) -> str:
    scores = f"rivalry {metrics['rivalry_score']:.2f}, alliance {metrics['alliance_score']:.2f}"
    return f"{a} and {b}: {_kind(metrics)}; {scores}"


def _print_one(a: str, b: str, metrics: dict[str, Any], raw: dict[str, Any] | None, record: dict[str, Any]) -> None:
    from paragone.cli.tables import say

    if raw is None:
        say(f"{a} and {b}: nothing was recorded between them")
    else:
        say(_relationship(a, b, metrics), *_counts(a, b, raw))
    say(
        f"by scores, in {counted(record['matches'], 'recorded debate')}: {a} ahead in {record[f'{a}_wins']}, "
        f"{b} in {record[f'{b}_wins']}, level in {record['draws']}"
    )


def _counts(a: str, b: str, raw: dict[str, Any]) -> list[str]:
    debates = f"{counted(raw['debate_count'], 'debate')}, agreed in {raw['agreement_count']}"
    lines = [f"{debates}; {a} won {raw['a_wins_over_b']}, {b} won {raw['b_wins_over_a']}"]
    lines += [
        f"{sentence.format(a=a, b=b)} {counted(raw[total], 'time')}, accepted {raw[accepted]}"
        for sentence, total, accepted in _CRITIQUES
        if raw[total]
    ]
    changes = ((a, b, "position_changes_a_after_b"), (b, a, "position_changes_b_after_a"))
    return lines + [
        f"{agent} changed its position after {other} {counted(raw[key], 'time')}"
        for agent, other, key in changes
        if raw[key]
    ]
