"""The façade of the package: ``Memory``."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from paragone.domain.content import Action, Content, ContentKind, ContentTier, UsageMove
from paragone.memory import content_board
from paragone.memory.components import Components
from paragone.memory.content_board import ContentBoard
from paragone.memory.session import USER, Session
from paragone.memory.store import MemoryConfig, Store, TruthLine
from paragone.memory.store.lines import Outcome, SessionLine
from paragone.memory.store.store import fresh_id

if TYPE_CHECKING:
    from paragone.memory.dashboard import Dashboard
    from paragone.memory.doctor import Diagnosis
    from paragone.memory.evaluation import Evaluation
    from paragone.memory.git_learning import GitLearning
    from paragone.memory.index import IndexProgress, IndexRun
    from paragone.memory.metrics import Period
    from paragone.memory.notes import Notes
    from paragone.memory.packing import Pack
    from paragone.memory.prune import Pruner
    from paragone.memory.scores import ContentRating
    from paragone.memory.search import DecisionPage, Expansion, FilePage, Found, GrepPage
    from paragone.memory.search_evaluation import SearchEvaluation
    from paragone.memory.store import LogImport
    from paragone.memory.truth import Supported, Truth, TruthEvidence
    from paragone.similarity import Embedder
    from paragone.wire.content import ContentOrder
    from paragone.wire.memory import Measures
    from paragone.wire.pack import PackLayout, PackMode
    from paragone.wire.prune import Rebuild
    from paragone.wire.search import SearchMethod, SearchMode, SearchTarget


class Memory:
    r"""Content rated by use, gated by truth, packed for a context window.

    ``Memory.create`` starts a store for a folder, ``Memory.open`` opens an existing one. One ``Memory`` is one session
    of one agent; ``session`` opens further sessions that share the loaded index and scores. Searches and reads are
    logged before their results are returned, and ratings follow from the logs alone.

    Every method may raise ``Busy`` when another process holds the store for too long, and ``Unwritable`` when the disk
    is full or read-only, besides the errors it documents itself.

    Example:
        >>> import tempfile, pathlib
        >>> root = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (root / "notes.md").write_text("# Notes\n")
        >>> with Memory.create(root) as memory:
        ...     _ = memory.read("notes.md")
        ...     round(memory.rating("notes.md").stored, 2)
        1208.0
    """

    def __init__(self, components: Components, session: Session, *, owner: bool = True) -> None:
        self._components, self._session, self._owner = components, session, owner

    @classmethod
    def create(
        cls,
        root: str | os.PathLike[str],
        *,
        store: str | os.PathLike[str] | None = None,
        config: MemoryConfig | None = None,
        agent_id: str = USER,
        embedder: "Embedder | None" = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = fresh_id,
    ) -> Self:
        """Create a store for a folder, write its configuration to ``memory.toml``, and open it as ``open`` does.

        Raises:
            NotFound: If there is no such folder.
            UsageError: If there is a store already.
            Unwritable: If it cannot be written.
        """
        created = Store.create(root, store=store, config=config, clock=clock, new_id=new_id)
        return cls(Components(created, embedder=embedder), Session(created, agent_id))

    @classmethod
    def open(
        cls,
        root: str | os.PathLike[str] = ".",
        *,
        store: str | os.PathLike[str] | None = None,
        agent_id: str = USER,
        resume: bool = False,
        embedder: "Embedder | None" = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = fresh_id,
    ) -> Self:
        """Open the store of a folder, or of its closest parent that has one.

        Args:
            root: The folder.
            store: Where the store is; ``.paragone`` in the folder by default.
            agent_id: The agent whose session this is.
            resume: Whether what this agent searched and read within the last ``search_days`` counts as part of this
                session. For programs that open a memory for each step, as the commands do.
            embedder: Embeds chunks and queries; the local model if None.
            clock: Returns the time in seconds since 1970.
            new_id: Returns a fresh id.

        Raises:
            NotFound: If there is no store.
            NewerSchema: If a newer paragone wrote it.
            InvalidConfig: If its configuration is invalid.
        """
        opened = Store.open(root, store=store, clock=clock, new_id=new_id)
        return cls(Components(opened, embedder=embedder), Session(opened, agent_id, resume=resume))

    def session(self, agent_id: str = USER) -> Self:
        """Open another session on the same store with the same components; closing it leaves them open."""
        return self.__class__(self._components, Session(self.store, agent_id), owner=False)

    def close(self) -> None:
        """End the session if it has not ended, and release all files."""
        try:
            self._session.end()
        finally:
            if self._owner:
                self._components.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def components(self) -> Components:
        """The index, scores, searcher and so on of this store."""
        return self._components

    @property
    def store(self) -> Store:
        """The store: its folder, configuration and logs."""
        return self._components.store

    @property
    def root(self) -> Path:
        """The folder whose files are remembered."""
        return self._components.store.root

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return self._session.id

    @property
    def agent_id(self) -> str:
        """The agent whose session this is."""
        return self._session.agent_id

    def index(
        self,
        *,
        progress: "Callable[[IndexProgress], None]" = lambda progress: None,  # noqa: ARG005
        vectors: bool = True,
        on: str | None = None,
    ) -> "IndexRun":
        """Bring the index up to date with the files, and log new citations between decision records.

        Args:
            progress: Called as the run proceeds.
            vectors: Whether to embed chunks; those left without vectors get them in the next run that embeds.
            on: ``local`` embeds in processes of this machine, the address of a Dask scheduler
                (``tcp://10.0.0.5:8786``) by its workers; None here.

        Raises:
            Busy: If another process is indexing.
            InvalidConfig: If chunks are to be embedded elsewhere by an embedder other than the local one.
            ServerFailed: If the scheduler does not answer, or processes die again and again.
            MissingExtra: If a required package is not installed.
        """
        run = self._components.index.update(progress=progress, vectors=vectors, on=on)
        if run.files:
            self._components.searcher.prepare()  # so that the next search need not
        return run

    def search(
        self,
        query: str,
        *,
        how: "SearchMethod" = "hybrid",
        what: "SearchTarget" = "chunk",
        mode: "SearchMode | None" = None,
        limit: int = 10,
        offset: int = 0,
        glob: str | None = None,
        as_of: float | None = None,
    ) -> "Found":
        """Search the index; every result returned is logged.

        Args:
            query: What to search for.
            how: ``semantic``, ``keyword`` or ``hybrid``.
            what: ``chunk``, ``file``, ``symbol`` or ``decision``.
            mode: ``learned`` or ``document``; as configured if None.
            limit: Maximum number of results.
            offset: Number of results to skip.
            glob: Only files that match this pattern.
            as_of: Rate content at this time, in seconds since 1970; now if None.

        Raises:
            UsageError: If an argument has an invalid value.
            NotFound: If nothing is indexed yet.
        """
        page = self._components.searcher.search(
            query, how=how, what=what, mode=mode, limit=limit, offset=offset, glob=glob, as_of=as_of
        )
        self._session.log_search(page)
        return page

    def grep(
        self,
        pattern: str,
        *,
        glob: str | None = None,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
        seconds: float = 5.0,
    ) -> "GrepPage":
        """Find lines that match a pattern; the files returned are logged.

        Args:
            pattern: A regular expression (RE2), matched line by line.
            glob: Only files that match this pattern.
            ignore_case: Whether to ignore upper and lower case.
            limit: Maximum number of matches.
            offset: Number of matches to skip.
            seconds: Stop after this time with the matches found so far.

        Raises:
            UsageError: If the pattern or a number is invalid.
            NotFound: If nothing is indexed yet.
        """
        page = self._components.grep.grep(
            pattern, glob=glob, ignore_case=ignore_case, limit=limit, offset=offset, seconds=seconds
        )
        self._session.log_grep(page)
        return page

    def read(self, path: str, *, start: int = 1, lines: int = 200) -> "FilePage":
        """Read lines of a file. The first page counts as a use of the file, and of the decision record that it is.

        Later pages of the same read are logged but do not count.

        Args:
            path: Path below the root, with slashes.
            start: First line, from 1.
            lines: Maximum number of lines.

        Raises:
            NotFound: If there is no such file.
            UsageError: If it may not be read, or has no such line.
        """
        from paragone.memory.search import read

        page = read(self._components.reader, path, start=start, lines=lines, index=self._components.index)
        entry = self._components.index.file(page.path)
        self._session.log_read(page, adr="" if entry is None else entry.adr)
        return page

    def expand(self, symbol: str) -> "Expansion":
        """Read the full source of a definition. It counts as a use of the symbol and of its file.

        Args:
            symbol: Its id, ``@name``, or the end of its qualified name.

        Raises:
            NotFound: If there is no such symbol.
            UsageError: If the name is ambiguous.
        """
        from paragone.memory.search import expand

        expansion = expand(self._components.reader, self._components.index, symbol)
        self._session.log_expansion(expansion)
        return expansion

    def decision(self, id: str, *, start: int = 1, lines: int = 200) -> "DecisionPage":
        """Read a decision record by its id. It counts as a use of the record and of its file.

        Raises:
            NotFound: If there is no such record.
        """
        from paragone.memory.search import read_decision

        record = read_decision(self._components.reader, self._components.index, id, start=start, lines=lines)
        self._session.log_decision(record)
        return record

    def cite(self, *contents: str | Content) -> list[Content]:
        """Record that an answer cites content. It weighs 1.5 reads.

        Content is named by a path, ``@path::Name`` or ``@Name``, a decision record's id, or a chunk's hash; so it is
        in ``used`` and ``contradicted``. If any name is unknown, nothing is logged.

        Raises:
            NotFound: If the index does not know a name.
        """
        return self._session.mark(self._components.index, Action.CITED, contents)

    def used(self, *contents: str | Content) -> list[Content]:
        """Record that content was used in work that succeeded. It weighs 2 reads."""
        return self._session.mark(self._components.index, Action.USED, contents)

    def contradicted(self, *contents: str | Content) -> list[Content]:
        """Record that content turned out to be wrong: its rating falls, and the session's success does not raise it."""
        return self._session.mark(self._components.index, Action.CONTRADICTED, contents)

    def end_session(self, outcome: Outcome = "unknown") -> SessionLine | None:
        """Log the session's audit line. After a success, everything it read counts as used. None if it did nothing.

        Anything done afterwards belongs to a new session with another id.
        """
        return self._session.end(outcome)

    def rating(self, content: str | Content, *, as_of: float | None = None) -> "ContentRating":
        """The rating of one piece of content.

        Args:
            content: A name, as in ``cite``.
            as_of: The time, in seconds since 1970; now if None.

        Raises:
            NotFound: If neither the index nor the logs know it.
        """
        return content_board.rating(self._components, content, as_of=as_of)

    def board(
        self,
        kind: ContentKind | str | None = None,
        *,
        by: "ContentOrder" = "rating",
        tier: ContentTier | str | None = None,
        limit: int = 20,
        offset: int = 0,
        as_of: float | None = None,
    ) -> ContentBoard:
        """Content ordered by rating, highest first, including content that was never used.

        Args:
            kind: ``file``, ``symbol``, ``adr`` or ``vector``; all if None.
            by: ``rating`` as configured, ``elo``, ``need``, ``usefulness``, ``r``, ``uses``, ``last_use`` or ``id``.
            tier: Only this tier: ``high``, ``medium``, ``low`` or ``very low``.
            limit: Maximum number of rows.
            offset: Number of rows to skip.
            as_of: The time, in seconds since 1970; now if None.

        Raises:
            UsageError: If an argument has an invalid value.
        """
        return content_board.board(self._components, kind, by=by, tier=tier, limit=limit, offset=offset, as_of=as_of)

    def history(self, content: str | Content, *, limit: int = 50) -> list[UsageMove]:
        """The last changes of a rating with their reasons, newest last.

        Raises:
            NotFound: If neither the index nor the logs know the content.
        """
        return self._components.scores.moves(content_board.resolve(self._components, content), limit=limit)

    def import_log(self, path: str | os.PathLike[str], *, kind: str | None = None) -> "LogImport":
        """Import a search log or session audit written elsewhere; lines that are already known change nothing.

        Args:
            path: A JSONL file with the memory specification's fields.
            kind: Which log it is; detected from its lines if None.

        Raises:
            UnreadableFile: If it cannot be read.
        """
        return self.store.logs.import_file(Path(path), kind=kind)

    def rebuild(self) -> "Rebuild":
        """Rebuild all scores from the logs. They equal, to the last bit, those counted line by line."""
        return self._components.scores.rebuild()

    @property
    def truth(self) -> "Truth":
        """R of content from all sources: agents' claims, calibration, the board of R."""
        return self._components.truth

    def supply_truth(self, content: str | Content, r: float | None, *, note: str = "") -> TruthLine:
        """Record a known R; None withdraws the one supplied before.

        Raises:
            NotFound: If neither the index nor the logs know the content.
            InvalidEvidence: If R is not a finite number.
        """
        resolved = content_board.resolve(self._components, content)
        return self._components.truth.supply(resolved, r, session=self._session.id, note=note)

    def find_truth(self, content: str | Content, evidence: "Sequence[TruthEvidence]") -> "Supported":
        """Estimate R from how well independent evidence agrees with itself and with the content.

        With fewer than three independent pieces R stays unknown. Raises ``NotFound`` as ``supply_truth`` does.
        """
        resolved = content_board.resolve(self._components, content)
        return self._components.truth.from_evidence(resolved, evidence, session=self._session.id)

    def pack(
        self,
        *,
        tokens: int | None = None,
        mode: "PackMode | None" = None,
        form: "PackLayout" = "markdown",
        query: str | None = None,
        generated: bool | None = None,
        as_of: float | None = None,
    ) -> "Pack":
        """Pack the most useful content: signatures of all files, and the bodies most likely needed.

        Args:
            tokens: The token budget; as configured if None.
            mode: ``budget`` or ``tiers``; as configured if None.
            form: ``markdown`` or ``xml``.
            query: What the pack is for: definitions that answer it are worth more.
            generated: Whether generated files, such as lock files, are packed too; as configured if None.
            as_of: Rate content at this time, in seconds since 1970; now if None.

        Raises:
            InvalidConfig: If the budget cannot hold the pinned files, or an argument has an invalid value.
        """
        return self._components.packer.pack(
            tokens=tokens, mode=mode, form=form, query=query, generated=generated, as_of=as_of
        )

    @property
    def notes(self) -> "Notes":
        """Short claims in Markdown files, which are searched, rated and packed as all files are."""
        return self._components.notes(self._session)

    @property
    def pruner(self) -> "Pruner":
        """Archives stale files of low rating and low R (``plan``, ``prune``), and restores them."""
        return self._components.pruner

    def learn_git(
        self,
        *,
        since: float | None = None,
        limit: int | None = None,
        progress: "Callable[[GitLearning], None] | None" = None,
    ) -> "GitLearning":
        """Import commits as sessions, once each; R of documents that quote lines which they replaced becomes low.

        Args:
            since: Only commits from this time on, in seconds since 1970.
            limit: Maximum number of commits, oldest first.
            progress: Called now and then.

        Raises:
            NotFound: If git, the repository or a commit is missing.
        """
        from paragone.memory.git_learning import learn_git

        learned = learn_git(self.store, since=since, limit=limit, progress=progress)
        if self._components.index.updated() is not None:
            self.truth.from_history()
        return learned

    def evaluate(self) -> "Evaluation":
        """Measure which model of need best predicts what sessions use."""
        from paragone.memory.evaluation import evaluate

        return evaluate(self.store)

    def evaluate_search(self) -> "SearchEvaluation":
        """Ask past queries again, each with what was known before it: what each part of search adds on this store."""
        from paragone.memory.search_evaluation import evaluate_search

        return evaluate_search(self.store, self._components.index)

    def metrics(self, *, as_of: float | None = None, by: "Period" = "week") -> "Measures":
        """The specified measures of success, computed from the logs; a point of a series is a week or a session."""
        from paragone.memory.metrics import measure

        return measure(self.store, self._components.index, self._components.scores, as_of=as_of, by=by)

    def doctor(self) -> "Diagnosis":
        """Problems of the store, and what to do about them."""
        from paragone.memory.doctor import diagnose

        return diagnose(self.store, self._components.index, self._components.scores)

    def dashboard(self) -> "Dashboard":
        """What a dashboard shows: R against Elo, echo chambers, metrics; ``presenting.memory_dashboard`` writes it."""
        from paragone.memory.dashboard import gather

        return gather(self.store, self._components.index, self._components.scores)
