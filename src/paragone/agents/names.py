"""Names of agents that a pool does not have: refused, or reported with the nearest name that it has."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from paragone.domain.near_names import instead, near
from paragone.errors import NotFound

if TYPE_CHECKING:
    from paragone.ledger import Ledger

SHOWN = 5
"""New agents that are named one by one."""


def require(ledger: "Ledger", pool: str, agents: Iterable[str]) -> None:
    """Refuse agents that a pool does not have.

    Raises:
        NotFound: Naming the first, and what it was probably meant to be.
    """
    unknown = missing(ledger, pool, agents)
    if unknown:
        known = [standing[0] for standing in ledger.agents.rows(pool).standings]
        more = f" (nor are {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        raise NotFound(
            f"agent {unknown[0]!r} is not registered in pool {pool!r}{more}, and strict names were asked for; "
            f"{instead(unknown[0], known)}"
        )


def missing(ledger: "Ledger", pool: str, agents: Iterable[str]) -> list[str]:
    """Those of some agents that a pool does not have, in their order."""
    wanted = list(dict.fromkeys(agents))
    there = {standing[0] for standing in ledger.agents.rows(pool, wanted).standings} if wanted else set()
    return [name for name in wanted if name not in there]


def notes(new: Iterable[str], known: Iterable[str]) -> list[str]:
    """What to say of agents that a call has added: which they are, and which may be misspelt.

    Args:
        new: The agents that were added.
        known: Those that were there before.
    """
    added, there = list(new)[: 20 * SHOWN], list(known)
    nearest = {name: near(name, there, 1) for name in added}
    lines = [f"{name!r} is a new agent; did you mean {meant[0]!r}?" for name, meant in nearest.items() if meant]
    others = [name for name, meant in nearest.items() if not meant]
    if others:
        more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        verb = "is a new agent" if len(others) == 1 else "are new agents"
        lines.append(f"{', '.join(map(repr, others[:SHOWN]))}{more} {verb}")
    return lines[: 2 * SHOWN]
