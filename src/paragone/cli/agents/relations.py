"""``paragone agents relations``: who is whose rival or ally."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json
from paragone.domain.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOLD = (
    ("{a} criticised {b}", "critique_count_a_to_b", "critique_accepted_a_to_b"),
    ("{b} criticised {a}", "critique_count_b_to_a", "critique_accepted_b_to_a"),
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(relations)


def relations(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="From whom it is seen.")],
    other: Annotated[str | None, typer.Argument(metavar="OTHER", help="With this one alone, in every count.")] = None,
    limit: opening.Limit = 20,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Show what an agent has with others, or with one of them: debates, agreement, critiques, wins."""
    with opening.reading(db, pool) as agents:
        agents.require(*([agent] if other is None else [agent, other]))
        if other is not None:
            _one(agents, agent, other, as_json=as_json)
            return
        found = [
            agents.system.compute_relationship_metrics(agent, _other(raw, agent))
            for raw in agents.system.get_all_relationships_for_agent(agent, limit=limit)
        ]
    if as_json:
        print_json(found)
    else:
        _print_all(agent, found)


def _other(raw: "Mapping[str, Any]", agent: str) -> str:
    return str(raw["agent_b"] if raw["agent_a"] == agent else raw["agent_a"])


def _print_all(agent: str, found: list[dict[str, Any]]) -> None:
    from paragone.cli.show import out, plain, print_table

    if not found:
        told = "paragone agents relate records it, and two names here count their debates by scores"
        out().print(plain(f"nothing was recorded between {agent} and others; {told}"))
        return
    columns = ("agent", "is", "rivalry", "alliance", "debates", "agreed", "won-lost")
    lines = [
        (
            one["agent_b"],
            str(one["relationship"]).replace("_", " "),
            f"{one['rivalry_score']:.2f}",
            f"{one['alliance_score']:.2f}",
            str(one["debate_count"]),
            f"{one['agreement_rate']:.0%}",
            one["head_to_head"],
        )
        for one in sorted(found, key=lambda one: -max(one["rivalry_score"], one["alliance_score"]))
    ]
    print_table(columns, lines, right=frozenset(columns[2:]))


def _one(agents: opening.Agents, a: str, b: str, *, as_json: bool) -> None:
    raw = agents.system.get_relationship_raw(a, b)
    metrics = agents.system.compute_relationship_metrics(a, b)
    met = agents.system.get_head_to_head(a, b)
    if as_json:
        print_json({**metrics, "counts": raw, "debates": met})
        return
    _print_one(a, b, metrics, raw, met)


def _print_one(a: str, b: str, metrics: dict[str, Any], raw: dict[str, Any] | None, met: dict[str, Any]) -> None:
    from paragone.cli.show import out, plain

    console = out()
    for line in (_heading(a, b, metrics, raw), *_counts(a, b, raw), _recorded(a, b, met)):
        console.print(plain(line))


def _heading(a: str, b: str, metrics: dict[str, Any], raw: dict[str, Any] | None) -> str:
    if raw is None:
        return f"{a} and {b}: nothing was recorded between them"
    return (
        f"{a} and {b}: {str(metrics['relationship']).replace('_', ' ')}; rivalry {metrics['rivalry_score']:.2f}, "
        f"alliance {metrics['alliance_score']:.2f}"
    )


def _counts(a: str, b: str, raw: dict[str, Any] | None) -> list[str]:
    if raw is None:
        return []
    debates = f"{counted(raw['debate_count'], 'debate')}, agreed in {raw['agreement_count']}"
    lines = [f"{debates}; {a} won {raw['a_wins_over_b']}, {b} won {raw['b_wins_over_a']}"]
    lines += [
        f"{said.format(a=a, b=b)} {counted(raw[made], 'time')}, accepted {raw[accepted]}"
        for said, made, accepted in _TOLD
        if raw[made]
    ]
    changed = ((a, b, "position_changes_a_after_b"), (b, a, "position_changes_b_after_a"))
    return lines + [
        f"{one} changed its position after {other} {counted(raw[key], 'time')}"
        for one, other, key in changed
        if raw[key]
    ]


def _recorded(a: str, b: str, met: dict[str, Any]) -> str:
    return (
        f"by scores, in {counted(met['matches'], 'recorded debate')}: {a} ahead in {met[f'{a}_wins']}, "
        f"{b} in {met[f'{b}_wins']}, level in {met['draws']}"
    )
