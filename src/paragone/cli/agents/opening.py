"""What the commands for agents share: their options, and the way to a pool of agents."""

import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import completion

if TYPE_CHECKING:
    from paragone.agents import EloSystem
    from paragone.ledger import Ledger

POOL = "agents"
"""The pool of who does not name one."""

Pool = Annotated[
    str,
    typer.Option(
        "--pool",
        metavar="NAME",
        help="Which agents, where a ledger keeps several lots.",
        autocompletion=completion.agent_pools,
    ),
]
Domain = Annotated[str | None, typer.Option("--domain", "-d", metavar="NAME", help="In this domain.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Refuse agents that are not registered, instead of adding them.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show so many at the most.")]


@dataclass(frozen=True, slots=True)
class Agents:
    """A pool of agents that is there: the system, and its evidence for what the system does not list."""

    system: "EloSystem"
    ledger: "Ledger"
    pool: str

    def require(self, *names: str) -> None:
        """Refuse agents that are not there.

        Raises:
            NotFound: Naming those that are called nearly so.
        """
        from paragone.domain.near_names import instead
        from paragone.errors import NotFound

        known = self.system.list_agents()
        for name in names:
            if name not in known:
                raise NotFound(f"there is no agent {name!r}; {instead(name, known)}")

    def require_domain(self, domain: str | None) -> None:
        """Refuse a domain that nothing was recorded in.

        Raises:
            NotFound: Naming those there are.
        """
        from paragone.domain.near_names import instead
        from paragone.errors import NotFound

        rated = {track.track for record in self.ledger.agents.records(self.pool) for track in record.tracks}
        if domain is None or domain in rated or self.ledger.agents.domain_predictions(self.pool, domain=domain):
            return
        foretold = {found.prediction.domain for found in self.ledger.agents.domain_predictions(self.pool)}
        known = instead(domain, sorted(rated | foretold))
        raise NotFound(f"nothing was recorded in the domain {domain!r}; {known}")


@contextmanager
def reading(db: str | None, pool: str) -> Iterator[Agents]:
    """Agents to look at; nothing is made where there are none.

    Raises:
        NotFound: Saying how to begin.
    """
    from paragone.agents import EloSystem
    from paragone.errors import NotFound
    from paragone.settings import settings

    url = db or settings().db
    with _found(url) as ledger:
        pools = [found.id for found in ledger.pools.all()]
        if pool not in pools:
            raise NotFound(f"this ledger has no agents{'' if pool == POOL else f' called {pool!r}'}; {BEGIN}")
        with EloSystem(url, pool=pool, snapshot=False) as system:
            yield Agents(system, ledger, pool)


BEGIN = "begin with: paragone agents record NAME=SCORE NAME=SCORE, or paragone agents import FILE"


@contextmanager
def _found(url: str) -> "Iterator[Ledger]":
    from paragone.errors import NotFound
    from paragone.ledger import Ledger, without_password

    try:
        ledger = Ledger.open(url, create=False)
    except NotFound:
        raise NotFound(f"there is no ledger in {without_password(url)}; name another with --db, or {BEGIN}") from None
    with ledger:
        yield ledger


@contextmanager
def writing(
    db: str | None,
    pool: str,
    *,
    outcome: str = "ratio",
    normalize: str = "sum",
    strict: bool = False,
    new_id: Callable[[], str] | None = None,
) -> "Iterator[EloSystem]":
    """Agents to record something of; the ledger and the pool are made where they are not there.

    Where a literal formula misleads, or agents were added, that is said on standard error.
    """
    from paragone.agents import EloSystem, LiteralFormulaWarning
    from paragone.agents.opening import random_id
    from paragone.settings import settings

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", LiteralFormulaWarning)
        system = EloSystem(
            db or settings().db,
            pool=pool,
            outcome=outcome,
            normalize=normalize,
            strict=strict,
            new_id=random_id if new_id is None else new_id,
        )
        with system, noting_new_agents(system):
            yield system
    for one in said:
        typer.echo(f"note: {_as_options(str(one.message))}", err=True)


@contextmanager
def noting_new_agents(system: "EloSystem") -> Iterator[None]:
    """Says on standard error which agents were added meanwhile, and which of them may be misspelt.

    Nothing of the first agents of a pool, whom somebody adds on purpose.
    """
    from paragone.agents import agent_pool

    before = system.list_agents()
    yield
    known = set(before)
    if not known:
        return
    for note in agent_pool.new_agent_notes([name for name in system.list_agents() if name not in known], before):
        typer.echo(f"note: {note}", err=True)


def made_id(kind: str) -> str:
    """An id for evidence that was given none, so that it can be voided."""
    return f"{kind}-{uuid.uuid4().hex[:12]}"


def _as_options(words: str) -> str:
    """A warning in the words of the command line."""
    for ours, option in _OPTIONS:
        words = words.replace(ours, option)
    return words


_OPTIONS = (
    ('EloSystem(outcome="win")', "--outcome win"),
    ('EloSystem(normalize="n-1")', "--normalize n-1"),
    ("get_strengths() rests", "the strength on the board rests"),
)
