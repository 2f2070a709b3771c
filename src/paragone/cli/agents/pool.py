"""The pool of agents that a command works with, and options that the commands share."""

import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import completion, options
from paragone.cli.terminal import note

if TYPE_CHECKING:
    from paragone.agents import EloSystem
    from paragone.ledger import Ledger

DEFAULT_POOL = "agents"
BEGIN = "begin with: paragone agents record NAME=SCORE NAME=SCORE, or paragone agents import FILE"
_OPTION_NAMES = (
    ('EloSystem(outcome="win")', "--outcome win"),
    ('EloSystem(normalize="n-1")', "--normalize n-1"),
    ("get_strengths() rests", "the strength on the board rests"),
)

Domain = Annotated[str | None, typer.Option("--domain", "-d", metavar="NAME", help="Only this domain.")]
EvidenceId = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Id of the record; recording it again changes nothing.")
]


@dataclass(frozen=True, slots=True)
class Agents:
    """An open pool of agents: the system, and its ledger for what the system does not list."""

    system: "EloSystem"
    ledger: "Ledger"
    pool: str

    def require(self, *names: str) -> None:
        """Refuse unknown agents.

        Raises:
            NotFound: Suggesting near names.
        """
        from paragone.domain.near_names import instead
        from paragone.errors import NotFound

        agents = self.system.list_agents()
        for name in names:
            if name not in agents:
                raise NotFound(f"there is no agent {name!r}; {instead(name, agents)}")

    def require_domain(self, domain: str | None) -> None:
        """Refuse a domain without records.

        Raises:
            NotFound: Suggesting near names.
        """
        from paragone.domain.near_names import instead
        from paragone.errors import NotFound

        rated = {track.track for record in self.ledger.agents.records(self.pool) for track in record.tracks}
        if domain is None or domain in rated or self.ledger.agents.domain_predictions(self.pool, domain=domain):
            return
        predicted = {each.prediction.domain for each in self.ledger.agents.domain_predictions(self.pool)}
        hint = instead(domain, sorted(rated | predicted))
        raise NotFound(f"nothing was recorded in the domain {domain!r}; {hint}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """A pool of agents in a ledger."""

    db: options.Database = None
    pool: Annotated[
        str,
        typer.Option(
            "--pool",
            metavar="NAME",
            help="The pool of agents, if a ledger has several.",
            autocompletion=completion.agent_pools,
        ),
    ] = DEFAULT_POOL

    @contextmanager
    def reading(self) -> Iterator[Agents]:
        """Agents to look at; nothing is created.

        Raises:
            NotFound: If there is no such pool, saying how to begin.
        """
        from paragone.agents import EloSystem
        from paragone.errors import NotFound

        url = options.db_url(self.db)
        with _existing(url) as ledger:
            if self.pool not in [pool.id for pool in ledger.pools.all()]:
                called = "" if self.pool == DEFAULT_POOL else f" called {self.pool!r}"
                raise NotFound(f"this ledger has no agents{called}; {BEGIN}")
            with EloSystem(url, pool=self.pool, snapshot=False) as system:
                yield Agents(system, ledger, self.pool)


@dataclass(frozen=True, kw_only=True, slots=True)
class WritablePool(Pool):
    """A pool of agents to record something in."""

    strict: Annotated[bool, typer.Option("--strict", help="Refuse agents that are not registered.")] = False

    @contextmanager
    def writing(
        self, *, outcome: str = "ratio", normalize: str = "sum", new_id: Callable[[], str] | None = None
    ) -> "Iterator[EloSystem]":
        """The system to record with; the ledger and the pool are created if missing.

        Notes on standard error say where a literal formula misleads, and which agents were added.
        """
        from paragone.agents import EloSystem, LiteralFormulaWarning
        from paragone.agents.opening import random_id

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LiteralFormulaWarning)
            system = EloSystem(
                options.db_url(self.db),
                pool=self.pool,
                outcome=outcome,
                normalize=normalize,
                strict=self.strict,
                new_id=random_id if new_id is None else new_id,
            )
            with system, noting_new_agents(system):
                yield system
        for warning in caught:
            note(_in_option_names(str(warning.message)))


@contextmanager
def _existing(url: str) -> "Iterator[Ledger]":
    from paragone.errors import NotFound
    from paragone.ledger import Ledger, without_password

    try:
        ledger = Ledger.open(url, create=False)
    except NotFound:
        raise NotFound(f"there is no ledger in {without_password(url)}; name another with --db, or {BEGIN}") from None
    with ledger:
        yield ledger


@contextmanager
def noting_new_agents(system: "EloSystem") -> Iterator[None]:
    """Note on standard error which agents were added, and which may be misspelt; not for a pool's first agents."""
    from paragone.agents import agent_pool

    before = system.list_agents()
    yield
    if before:
        earlier = set(before)
        note(*agent_pool.new_agent_notes([name for name in system.list_agents() if name not in earlier], before))


def new_id(kind: str) -> str:
    """An id for evidence without one, so that it can be voided."""
    return f"{kind}-{uuid.uuid4().hex[:12]}"


def _in_option_names(text: str) -> str:
    """A warning in the words of the command line."""
    for name, option in _OPTION_NAMES:
        text = text.replace(name, option)
    return text
