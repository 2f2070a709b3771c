"""``paragone agents revise`` and ``season``: agents that become others, and ratings that begin anew."""

from typing import Annotated

from paragone.cli import options
from paragone.cli.agents.pool import PoolOptions, WritablePool
from paragone.cli.options import argument, option
from paragone.errors import InvalidEvidence
from paragone.presenting.table import number, table, text

_MOST = 1_000  # adjustments of one agent


def revise(
    agent: Annotated[str, argument("The agent that has changed.")],
    pool: PoolOptions,
    output: options.Output,
    version: Annotated[
        str | None, option("Name of the new version; noting it again changes nothing.  [default: the next number]")
    ] = None,
) -> None:
    """Note that an agent has changed: its model, its prompt or its tools.

    Debates from before are no longer averaged with those to come: they count as far as the evidence says that the
    versions are alike. To take it back, void it by its id.
    """
    from paragone.agents.seasons import revision_id

    with pool.reading() as agents:
        agents.require(agent)
        earlier = agents.system.evidence(agent, kind="adjustment", limit=_MOST)
        name = version or str(2 + sum(each["content"]["cause"] == "revision" for each in earlier))
    with WritablePool(db=pool.db, pool=pool.pool).writing() as system:
        is_new = system.revise_agent(agent, name)
    id = revision_id(agent, name)
    output.say(
        {"id": id, "agent": agent, "version": name, "new": is_new},
        f"{agent} is version {name} from now on; recorded as {id}"
        if is_new
        else f"version {name} of {agent} is on record already, and nothing changed",
    )


def season(
    name: Annotated[str, argument("Name of the season; beginning it again changes nothing.")],
    pool: PoolOptions,
    output: options.Output,
    share: Annotated[
        float | None, option("How far ratings go back to the initial one, from 0 to 1.  [default: 0.5]", metavar="P")
    ] = None,
    anew: Annotated[bool, option("All the way: everybody starts over.")] = False,
) -> None:
    """Begin a season: every running Elo goes part of the way back to the pool's initial rating.

    Strengths do not change. What it did is on record as adjustments.
    """
    if anew and share is not None:
        raise InvalidEvidence("give --share or --anew, not both")
    with pool.reading() as agents:
        reset_before = set(agents.system.season_agents(name))
    with WritablePool(db=pool.db, pool=pool.pool).writing() as system:
        changes = system.begin_season(name, 1.0 if anew else 0.5 if share is None else share)
        elos = {agent: rating.elo for agent, rating in system.get_ratings_batch(list(changes)).items()}
    is_new = bool(set(changes) - reset_before)
    if not output.as_json:
        _print(changes, elos)
    output.say(
        {"season": name, "new": is_new, "changes": changes, "ratings": elos},
        f"season {name} begins" if is_new else f"season {name} had begun already; this is how ratings changed then",
    )


def _print(changes: dict[str, float], elos: dict[str, float]) -> None:
    from paragone.cli.tables import show

    show(
        table(
            sorted(changes, key=lambda name: (-elos[name], name)),
            text("agent", lambda name: name),
            number("change", lambda name: changes[name], "+.2f"),
            number("Elo", lambda name: elos[name], ".1f"),
        )
    )
