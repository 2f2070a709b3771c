"""What differs between databases, and nothing else. Statements and tables are the same everywhere."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from paragone.errors import Failure

WRITES = "paragone_writes"
"""The execution option of a transaction that may write."""


class Dialect(ABC):
    """One database at one place.

    Attributes:
        location: What messages call it: a path, or a URL without its password.
    """

    location: str

    @abstractmethod
    def require(self, *, create: bool) -> bool:
        """Refuse a place where no ledger can be, before anything is touched.

        Returns:
            Whether nothing is there yet.

        Raises:
            NotFound: If there is no database and none is to be made.
            Unwritable: If no database can be there.
        """

    @abstractmethod
    def engine(self) -> Engine:
        """A new engine; transactions with the execution option ``WRITES`` may write, others only read."""

    @abstractmethod
    def turn(self) -> AbstractContextManager[object]:
        """Held during each transaction; for databases that take one at a time."""

    @abstractmethod
    def alone(self, connection: Connection) -> None:
        """Let no other transaction make pools or tables at the same time; called at the start of a writing one."""

    @abstractmethod
    def append_only(self, table: str) -> tuple[str, ...]:
        """Statements that make a table refuse UPDATE and DELETE."""

    @abstractmethod
    def damage(self, connection: Connection) -> str:
        """What the database itself finds wrong with its storage; empty if nothing."""

    @abstractmethod
    def claim(self, tournament: str) -> AbstractContextManager[None]:
        """Hold a tournament so that nobody else runs it; given back by the operating system if the holder is killed.

        Raises:
            Busy: If somebody holds it.
        """

    @abstractmethod
    def fault(self, error: DBAPIError) -> Failure:
        """The error to raise for one of the driver's."""

    @abstractmethod
    def discard(self) -> None:
        """Undo a creation that failed: leave nothing behind where nothing was."""
