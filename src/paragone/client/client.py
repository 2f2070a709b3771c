"""The client of a server, with a namespace for each thing that a server has."""

from collections.abc import Iterator, Sequence
from typing import Self
from urllib.parse import urlencode

from paragone.client.agents import Agents, Debates, Predictions, Relations
from paragone.client.connection import Connection
from paragone.client.events import listen
from paragone.client.matches import Matches
from paragone.client.memory import Memory
from paragone.client.people import People
from paragone.client.pools import Pools
from paragone.client.tournaments import Tasks, Tournaments
from paragone.client.votes import Leases, Votes
from paragone.wire.address import pool_url
from paragone.wire.audit import Audit
from paragone.wire.event import Event
from paragone.wire.text_search import SavedViews
from paragone.wire.workers import WorkersOverview


class Client:
    """A server of paragone. Threads may share one.

    Requests that only read, and those that have a key of their own (pools, matches, votes, verdicts, rollbacks,
    tasks), are repeated where the server was not reached or is busy. Every method may raise ``NotFound``, ``Refused``
    (the token does not allow it), ``InvalidConfig`` (the server does not accept an argument), ``Conflict``, ``Busy``
    or ``ServerFailed``.

    Args:
        url: Where the server is.
        token: A token of the server; PARAGONE_TOKEN if None. A server on loopback without tokens takes none.
        timeout: Seconds to wait for an answer.
        attempts: How often a request that may be repeated is tried.

    Attributes:
        pools: Pools, their items, leaderboards and exports.
        matches: Matches.
        votes: Votes of people.
        leases: Pairs for judges elsewhere, and their verdicts.
        tournaments: How tournaments are doing, and running them.
        tasks: The queue of a tournament's Ranking Agent.
        people: Who may get in, invitations, quotas and revocations.
        agents: Agents: leaderboards, one agent, its tests, and evidence about it.
        debates: Debates of agents.
        predictions: What agents predict, and how well.
        relations: Rivals and allies.
        memory: The memory of the server.

    Example:
        >>> with Client("http://127.0.0.1:8321") as client:
        ...     for row in client.pools.rows("ideas-1"):
        ...         print(row.rank, row.id)
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8321",
        token: str | None = None,
        *,
        timeout: float = 30.0,
        attempts: int = 4,
    ) -> None:
        self._connection = connection = Connection(url, token, timeout=timeout, attempts=attempts)
        self.pools = Pools(connection)
        self.matches = Matches(connection)
        self.votes = Votes(connection)
        self.leases = Leases(connection)
        self.tournaments = Tournaments(connection)
        self.tasks = Tasks(connection)
        self.people = People(connection)
        self.agents = Agents(connection)
        self.debates = Debates(connection)
        self.predictions = Predictions(connection)
        self.relations = Relations(connection)
        self.memory = Memory(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    def audit(self, pool: str | None = None, *, expect: Sequence[str] = ()) -> Audit:
        """Recompute the hash chain and every rating, of a pool or of all, and compare with what is stored.

        The request is not repeated where no answer comes in time: the first may still be under way.

        Args:
            pool: The pool; all if None.
            expect: Hashes from the ``heads`` of earlier audits that must still be in the chain.
        """
        path = "/audit" if pool is None else pool_url(pool, "audit")
        query = f"?{urlencode({'expect': list(expect)}, doseq=True)}" if expect else ""
        return self._connection.post(Audit, path + query, {}, again=False)

    def workers(self) -> WorkersOverview:
        """The workers that judge for tournaments of the server's ledger, and what waits for them."""
        return self._connection.get(WorkersOverview, "/workers")

    def views(self) -> SavedViews:
        """The views that were saved under the name of this token."""
        return self._connection.get(SavedViews, "/views")

    def save_view(self, name: str, address: str) -> SavedViews:
        """Save a page with its filters under a name: the path of a page, such as ``/pools/ideas-1?q=tea``."""
        return self._connection.post(SavedViews, "/views", {"name": name, "address": address})

    def remove_view(self, name: str) -> SavedViews:
        """Forget a saved view."""
        return self._connection.post(SavedViews, "/views/remove", {"name": name}, again=False)

    def events(self, pool: str | None = None, *, last: int | None = None) -> Iterator[Event]:
        """Writes to a pool or to any, as they happen, without end. A lost connection is made again.

        Args:
            pool: The pool; all if None.
            last: ``id`` of the last event received before: writes since then are reported at once.
        """
        return listen(self._connection, pool, last)
