"""Finding and reading, all of it logged in the session."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from paragone.memory import acts, indexing_run
from paragone.memory.door.opened import OpenMemory

if TYPE_CHECKING:
    from paragone.memory.acts import DecisionPage
    from paragone.memory.index import IndexProgress, IndexRun
    from paragone.memory.search import Expansion, Found, Grepped, Page
    from paragone.memory.search.query import How, What
    from paragone.wire.search import SearchMode


class Looking(OpenMemory):
    """The part of a memory's methods that finds and reads."""

    def index(
        self,
        *,
        progress: "Callable[[IndexProgress], None]" = lambda progress: None,  # noqa: ARG005
        vectors: bool = True,
    ) -> "IndexRun":
        """Bring the index up to date with the files. Citations between decision records count, each once.

        Args:
            progress: Told how far it is.
            vectors: Whether to embed chunks; what is left out now is made up for by the next run that does.

        Raises:
            Busy: If somebody else is indexing.
            MissingExtra: If a package for it is not installed.
        """
        return indexing_run.update(self._parts, progress, vectors=vectors)

    def search(
        self,
        query: str,
        *,
        how: "How" = "hybrid",
        what: "What" = "chunk",
        mode: "SearchMode | None" = None,
        limit: int = 10,
        offset: int = 0,
        glob: str | None = None,
        as_of: float | None = None,
    ) -> "Found":
        """Find what answers a query best; logged with all that it shows.

        Args:
            query: What to look for.
            how: ``semantic``, ``keyword`` or ``hybrid``.
            what: ``chunk``, ``file``, ``symbol`` or ``decision``.
            mode: ``relevance``, ``bounded`` or ``document``; as configured where None.
            limit: How many results at most.
            offset: How many to pass over.
            glob: Only in files that this pattern names.
            as_of: The time whose ratings count, in seconds since 1970; now where None.

        Raises:
            UsageError: If an argument is none of its values.
            NotFound: If nothing is indexed yet.
        """
        options = {"how": how, "what": what, "mode": mode, "limit": limit, "offset": offset, "glob": glob}
        return acts.search(self._parts, self._session, query, as_of=as_of, **options)

    def grep(
        self,
        pattern: str,
        *,
        glob: str | None = None,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
        seconds: float = 5.0,
    ) -> "Grepped":
        """Find the lines that match a pattern; logged with the files that it shows.

        Args:
            pattern: A regular expression (RE2), matched line by line.
            glob: Only in files that this pattern names.
            ignore_case: Whether upper and lower case are the same.
            limit: How many matches at most.
            offset: How many to pass over.
            seconds: After so long it stops with what it has.

        Raises:
            UsageError: If the pattern is none, or a number cannot be.
            NotFound: If nothing is indexed yet.
        """
        options = {"glob": glob, "ignore_case": ignore_case, "limit": limit, "offset": offset, "seconds": seconds}
        return acts.grep(self._parts, self._session, pattern, **options)

    def read(self, path: str, *, start: int = 1, lines: int = 200) -> "Page":
        """Read lines of a file. It counts as a use; later pages of the same read are logged and do not count.

        Args:
            path: Below the root, with slashes.
            start: The first line, from 1.
            lines: How many at most.

        Raises:
            NotFound: If there is no such file.
            UsageError: If it may not be read, or has no such line.
        """
        return acts.read(self._parts, self._session, path, start=start, lines=lines)

    def expand(self, symbol: str) -> "Expansion":
        """Show a definition in full. It counts for the symbol, and for its file.

        Args:
            symbol: Its id, ``@name``, or the end of its qualified name.

        Raises:
            NotFound: If there is none.
            UsageError: If several are called that.
        """
        return acts.expand(self._parts, self._session, symbol)

    def decision(self, id: str, *, start: int = 1, lines: int = 200) -> "DecisionPage":
        """Read a decision record by its id. It counts for the record, and for its file.

        Raises:
            NotFound: If there is none.
        """
        return acts.decision(self._parts, self._session, id, start=start, lines=lines)
