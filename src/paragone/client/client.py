"""The client: a method for each thing that a server does."""

from typing import Self

from paragone.client.connection import Connection
from paragone.client.methods.agent_evidence import AgentEvidenceMethods
from paragone.client.methods.agents import AgentMethods
from paragone.client.methods.files import FileMethods
from paragone.client.methods.looks import LookMethods
from paragone.client.methods.matches import MatchMethods
from paragone.client.methods.memory import MemoryMethods
from paragone.client.methods.pools import PoolMethods
from paragone.client.methods.tournaments import TournamentMethods
from paragone.client.methods.voting import VotingMethods


class Client(
    PoolMethods,
    MatchMethods,
    VotingMethods,
    TournamentMethods,
    LookMethods,
    FileMethods,
    MemoryMethods,
    AgentMethods,
    AgentEvidenceMethods,
):
    """A server of paragone. Threads may share one.

    What only reads and what has a key of its own (pools, matches, votes, verdicts, rollbacks, tasks) is sent again
    where the server was not reached or is busy. Every method may raise ``NotFound``, ``Refused`` (the token may not),
    ``InvalidConfig`` (the server does not take what was given), ``Conflict``, ``Busy`` or ``ServerFailed``.

    Args:
        url: Where the server is.
        token: A token of it; that of PARAGONE_TOKEN where None. A server on loopback without tokens takes none.
        timeout: Seconds to wait for an answer.
        attempts: How often something that may be sent twice is tried.

    Example:
        >>> with Client("http://127.0.0.1:8321") as client:
        ...     for row in client.rows("ideas-1"):
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
        self._at = Connection(url, token, timeout=timeout, attempts=attempts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the connections."""
        self._at.close()
