"""The pool of agents that a command works with, and options that the commands share."""

import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from paragone.cli import completion, options
from paragone.cli.options import option
from paragone.cli.terminal import note
from paragone.domain import GLOBAL
from paragone.presenting.table import Column, number, table, text

if TYPE_CHECKING:
    from paragone.agents import AgentRating, EloSystem
    from paragone.domain import RatingChange, Scorecard
    from paragone.ledger import Ledger, ScoredMatch
    from paragone.wire.agent import AgentRow

DEFAULT_POOL = "agents"
BEGIN = "begin with: paragone agents record NAME=SCORE NAME=SCORE, or paragone agents import FILE"
_OPTION_NAMES = (
    ('EloSystem(outcome="win")', "--outcome win"),
    ('EloSystem(normalize="n-1")', "--normalize n-1"),
    ("get_strengths() rests", "the strength on the board rests"),
)

Domain = Annotated[str | None, option("Only this domain.", "-d")]
EvidenceId = Annotated[str | None, option("Id of the record; recording it again changes nothing.", metavar="ID")]


@dataclass(frozen=True, slots=True)
class OpenPool:
    """An open pool of agents: the system, and its ledger for what the system does not list."""

    system: "EloSystem"
    ledger: "Ledger"
    pool: str

    def require(self, *names: str) -> None:
        """Refuse unknown agents.

        Raises:
            NotFound: Suggesting near names.
        """
        from paragone.domain.suggestions import instead
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
        from paragone.domain.suggestions import instead
        from paragone.errors import NotFound

        rated = {track.track for record in self.ledger.agents.records(self.pool) for track in record.tracks}
        if domain is None or domain in rated or self.ledger.agents.domain_predictions(self.pool, domain=domain):
            return
        predicted = {each.prediction.domain for each in self.ledger.agents.domain_predictions(self.pool)}
        hint = instead(domain, sorted(rated | predicted))
        raise NotFound(f"nothing was recorded in the domain {domain!r}; {hint}")

    def rows(
        self, domain: str | None = None, predictions: "Mapping[str, tuple[int, int, float]] | None" = None
    ) -> "list[AgentRow]":
        """The agents as rows without strengths and form.

        Args:
            domain: The domain whose running Elo counts; the global one by default.
            predictions: For each agent its predictions, those that came true, and the sum of their Brier scores; the
                ledger's counts by default.
        """
        from paragone.agents.standings import AgentStanding, agent_row, rating_in

        rows = []
        for record in self.ledger.agents.records(self.pool):
            name, tally = record.rating.item, record.tally
            counts = (tally.calibration_total, tally.calibration_correct, tally.calibration_brier_sum)
            row = AgentStanding(record=record, rating=rating_in(record, domain or ""), strength=None, form="")
            rows.append(agent_row(row, *(counts if predictions is None else predictions.get(name, (0, 0, 0.0)))))
        return rows


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolOptions:
    """A pool of agents in a ledger."""

    db: options.Database = None
    pool: Annotated[
        str,
        option("The pool of agents, if a ledger has several.", metavar="NAME", autocompletion=completion.agent_pools),
    ] = DEFAULT_POOL

    @contextmanager
    def reading(self) -> Iterator[OpenPool]:
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
                yield OpenPool(system, ledger, self.pool)


@dataclass(frozen=True, kw_only=True, slots=True)
class WritablePool(PoolOptions):
    """A pool of agents to record something in."""

    strict: Annotated[bool, option("Refuse agents that are not registered.")] = False

    @contextmanager
    def writing(
        self, *, outcome: str = "ratio", normalize: str = "sum", new_id: Callable[[], str] | None = None
    ) -> "Iterator[EloSystem]":
        """The system to record with; the ledger and the pool are created if missing.

        Notes on standard error say where a literal formula misleads, and which agents were added.
        """
        from paragone.agents import EloSystem, LiteralFormulaWarning
        from paragone.agents.elo_system import random_id

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
    for name, flag in _OPTION_NAMES:
        text = text.replace(name, flag)
    return text


def print_changes(
    changes: "Mapping[str, float]", ratings: "Mapping[str, AgentRating]", domain: str | None = None
) -> None:
    """Print by how much ratings changed and where they are now, also in a domain."""
    from paragone.cli.tables import show

    columns: list[Column[str]] = [
        text("agent", lambda name: name),
        number("change", lambda name: changes[name], "+.2f"),
        number("Elo", lambda name: ratings[name].elo, ".1f"),
    ]
    if domain:
        columns.append(number(f"Elo in {domain}", lambda name: ratings[name].domain_elos[domain], ".1f"))
    show(table(list(changes), *columns))


def elo_change(changes: "Sequence[RatingChange]", agent: str) -> float:
    """Elo points by which changes moved the global rating of an agent."""
    return sum(change.change for change in changes if change.item == agent and change.track == GLOBAL)


def result_letter(match: "ScoredMatch", agent: str) -> str:
    """The result of a debate for an agent: W, L or D; a dot if it was rolled back."""
    if match.rolled_back:
        return "."
    winner = scorecard(match).winner
    return "D" if winner is None else "W" if winner == agent else "L"


def scorecard(match: "ScoredMatch") -> "Scorecard":
    """The scores of a debate.

    Raises:
        ValueError: If the match has none.
    """
    card = match.match.scorecard
    if card is None:
        raise ValueError(f"the match {match.match.id!r} has no scorecard")
    return card
