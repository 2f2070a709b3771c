"""``paragone agents relate`` and ``critique``: what happened between agents, and what became of what they said."""

from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json

Known = Annotated[str | None, typer.Option("--id", metavar="ID", help="Names it; the same again changes nothing.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(relate)
    app.command()(critique)


def relate(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="From whom it is seen.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="With whom.")],
    debates: Annotated[int, typer.Option(min=0, metavar="N", help="Debates in which both took part.")] = 0,
    agreements: Annotated[int, typer.Option(min=0, metavar="N", help="Debates in which they agreed.")] = 0,
    wins: Annotated[int, typer.Option(min=0, metavar="N", help="Debates that AGENT won.")] = 0,
    losses: Annotated[int, typer.Option(min=0, metavar="N", help="Debates that OTHER won.")] = 0,
    made: Annotated[int, typer.Option("--critiques", min=0, metavar="N", help="Critiques that AGENT made.")] = 0,
    accepted: Annotated[int, typer.Option(min=0, metavar="N", help="Those of them that OTHER accepted.")] = 0,
    received: Annotated[int, typer.Option(min=0, metavar="N", help="Critiques that OTHER made.")] = 0,
    granted: Annotated[int, typer.Option(min=0, metavar="N", help="Those of them that AGENT accepted.")] = 0,
    yielded: Annotated[int, typer.Option(min=0, metavar="N", help="Times AGENT changed its position.")] = 0,
    moved: Annotated[int, typer.Option(min=0, metavar="N", help="Times OTHER changed its position.")] = 0,
    id: Known = None,
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Add to what happened between two agents, and print what they are to each other now."""
    from paragone.agents import checks
    from paragone.errors import InvalidEvidence

    counts = {
        "debate_increment": debates,
        "agreement_increment": agreements,
        "a_win": wins,
        "b_win": losses,
        "critique_a_to_b": made,
        "critique_accepted_a_to_b": accepted,
        "critique_b_to_a": received,
        "critique_accepted_b_to_a": granted,
        "position_change_a_after_b": yielded,
        "position_change_b_after_a": moved,
    }
    if not any(counts.values()):
        raise InvalidEvidence("nothing to add; say what happened, such as --debates 1 --agreements 1")
    a, b = checks.agent(agent), checks.agent(other)
    known = checks.optional_identifier(id, "--id") or opening.made_id("relation")
    if a == b:
        raise InvalidEvidence(f"an agent has no relation with itself: {a!r}")
    with opening.writing(db, pool, strict=strict) as system:
        system.update_relationship(a, b, **counts, update_id=known)
        metrics = system.compute_relationship_metrics(a, b)
    if as_json:
        print_json({"id": known, **metrics})
        return
    _say(
        f"{a} and {b}: {str(metrics['relationship']).replace('_', ' ')}; rivalry {metrics['rivalry_score']:.2f}, "
        f"alliance {metrics['alliance_score']:.2f}; recorded as {known}"
    )


def critique(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Who made it.")],
    accepted: Annotated[bool, typer.Option("--accepted/--rejected", help="What became of it.")],
    id: Known = None,
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Record whether a critique that an agent made was accepted."""
    from paragone.agents import checks

    name, known = checks.agent(agent), checks.optional_identifier(id, "--id") or opening.made_id("critique")
    with opening.writing(db, pool, strict=strict) as system:
        system.record_critique(name, accepted, critique_id=known)
        rating = system.get_rating(name)
    if as_json:
        print_json(
            {
                "id": known,
                "agent_name": name,
                "critiques_accepted": rating.critiques_accepted,
                "critiques_total": rating.critiques_total,
            }
        )
        return
    _say(f"{name}: {rating.critiques_accepted} of {rating.critiques_total} critiques accepted; recorded as {known}")


def _say(words: str) -> None:
    from paragone.cli.show import out, plain

    out().print(plain(words))
