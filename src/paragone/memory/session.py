"""A session: what one agent did, each action logged as it happens and linked to the search that led to it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paragone.domain.content import Action, Content, ContentKind
from paragone.errors import UsageError
from paragone.memory.store.lines import AccessLine, Outcome, ResultRow, SearchLine, SessionLine, Tool
from paragone.memory.store.store import Store

if TYPE_CHECKING:
    from paragone.memory.index import Index
    from paragone.memory.search import DecisionPage, Expansion, FilePage, Found, GrepPage

MAX_LINES = 4_096
"""Number of the last lines of evidence that are searched: results are read soon after they are shown."""
_DAY = 86_400.0

Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionHistory:
    """Where the earlier sessions of an agent stopped.

    Attributes:
        shown: ``seq`` and id of the last search that showed content, by its kind and id.
        pages: The search that led to the last page read of a file, and the number of that page, by path.
    """

    shown: dict[Key, tuple[int, str]] = field(default_factory=dict)
    pages: dict[str, tuple[str, int]] = field(default_factory=dict)


def session_history(store: Store, agent_id: str) -> SessionHistory:
    """What an agent did within the last ``search_days``, as far as it is among the last ``MAX_LINES`` of the logs."""
    earlier = SessionHistory()
    since = store.clock() - store.config.ratings.search_days * _DAY
    for line in store.logs.after(max(store.logs.last_seq - MAX_LINES, 0), kinds={SearchLine, AccessLine}):
        if line.timestamp < since:
            continue
        if isinstance(line, SearchLine) and line.agent_id == agent_id:
            for row in line.results:
                earlier.shown.update(dict.fromkeys(keys_of(row), (line.seq, line.id)))
        elif isinstance(line, AccessLine) and line.agent_id == agent_id and line.action is Action.READ:
            earlier.pages[line.file_path or line.entity_id] = (line.search_id, line.part)
    return earlier


def keys_of(row: ResultRow) -> Iterator[Key]:
    """The kind and id of each content that a result stands for."""
    yield from (("file", row.file_path), ("symbol", row.symbol), ("adr", row.adr), ("vector", row.hash))


USER = "user"
"""The agent if none is named."""

_SEMANTIC = {"semantic_search", "hybrid_search"}


class Session:
    """Logs each action, linked to the last search that showed its content, and at the end the audit.

    It begins with its first action. An action after its end belongs to a new session with another id.

    Args:
        store: Where it is logged.
        agent_id: The agent.
        resume: Whether what this agent was shown and read in earlier sessions counts as part of this one.
    """

    def __init__(self, store: Store, agent_id: str = USER, *, resume: bool = False) -> None:
        self._store, self.agent_id, self._resume = store, agent_id, resume
        self._has_ended = False
        self._begin()

    @property
    def id(self) -> str:
        """Its id; after the end, until the next action, that of the session that ended."""
        return self._id

    def log_search(self, page: "Found") -> None:
        """Log a search with the results of its page."""
        rows = [
            ResultRow(
                hash=result.hash,
                file_path=result.path,
                rank=result.rank,
                similarity=result.similarity,
                symbol=result.symbol,
                adr=result.adr,
            )
            for result in page.results
        ]
        self.show(page.tool, page.query, rows, mode=page.mode)

    def log_grep(self, page: "GrepPage") -> None:
        """Log a search by pattern with the files of its matches, in their order."""
        paths = dict.fromkeys(match.path for match in page.matches)
        self.show("grep_search", page.pattern, [ResultRow(file_path=path, rank=n) for n, path in enumerate(paths, 1)])

    def log_read(self, page: "FilePage", *, adr: str = "") -> None:
        """Log the reading of a page; ``adr`` is the id of the decision record that the file is."""
        contents = [Content.file(page.path)]
        if adr:
            contents.append(Content(kind=ContentKind.ADR, id=adr, path=page.path))
        self._log_page(contents, page, tool="read")

    def log_decision(self, record: "DecisionPage") -> None:
        """Log the reading of a page of a decision record."""
        id, path = record.decision.id, record.decision.path
        contents = [Content(kind=ContentKind.ADR, id=id, path=path), Content.file(path)]
        self._log_page(contents, record.page, tool="decision")

    def log_expansion(self, expansion: "Expansion") -> None:
        """Log the reading of a whole definition."""
        id, path = expansion.symbol.id, expansion.symbol.path
        contents = [Content(kind=ContentKind.SYMBOL, id=id, path=path), Content.file(path)]
        self.act(Action.EXPANDED, contents, tool="expand", tokens=_tokens(expansion.page.text))

    def mark(self, index: "Index", action: Action, names: Sequence[str | Content]) -> list[Content]:
        """Log what content was used for, each piece with its file; returns the content that the names mean.

        Raises:
            NotFound: If the index does not know a name; then nothing is logged.
            UsageError: If there are no names.
        """
        from paragone.memory.index.index import content_named

        if not names:
            raise UsageError(f"name at least one path, symbol or decision record that was {action}")
        contents = [name if isinstance(name, Content) else content_named(index, name) for name in names]
        for content in contents:
            file = [] if content.kind is ContentKind.FILE or not content.path else [Content.file(content.path)]
            self.act(action, [content, *file], tool=str(action))
        return contents

    def show(self, tool: Tool, query: str, rows: Sequence[ResultRow], *, mode: str = "") -> None:
        """Log a search with the results that it is about to show; not where nobody may write."""
        if self._store.is_read_only:
            return
        self._go_on()
        line = SearchLine(
            id=self._store.new_id(),
            session_id=self.id,
            tool=tool,
            query=query,
            results=tuple(rows),
            mode=mode,
            agent_id=self.agent_id,
        )
        (written,) = self._store.logs.append([line])
        self._semantic += tool in _SEMANTIC
        self._searches += 1
        for row in rows:
            self._shown.update(dict.fromkeys(keys_of(row), (written.seq, line.id)))

    def act(
        self, action: Action, contents: Sequence[Content], *, tool: str = "", part: int = 0, tokens: int | None = None
    ) -> None:
        """Log an action.

        Args:
            action: What is done.
            contents: To what; the first is what was meant, the others contain it.
            tool: By which tool.
            part: 0, or the number of a later page of the same read.
            tokens: Number of tokens read.

        Raises:
            Unwritable: If the store is read-only, and the act is more than reading.
        """
        if self._store.is_read_only and action in {Action.READ, Action.EXPANDED}:
            return
        self._go_on()
        self._recall()
        first = contents[0]
        line = AccessLine(
            id=self._store.new_id(),
            session_id=self.id,
            action=action,
            entity_type=first.kind,
            entity_id=first.id,
            file_path=first.path,
            also=tuple((content.kind, content.id) for content in contents[1:]),
            search_id=self._search_of(contents),
            tool=tool,
            part=part,
            tokens=tokens,
            agent_id=self.agent_id,
        )
        self._store.logs.append([line])
        touched = self._contradicted if action is Action.CONTRADICTED else self._accessed
        touched.update(dict.fromkeys(contents))

    def page(self, path: str, start: int) -> int:
        """The number of a page of a read: 0 if it begins one, as line 1 does; else one more than the page before."""
        self._recall()
        search = self._search_of([Content.file(path)])
        last_page = self._pages.get(path)
        number = 0 if start == 1 or last_page is None or last_page[0] != search else last_page[1] + 1
        self._pages[path] = (search, number)
        return number

    def end(self, outcome: Outcome = "unknown") -> SessionLine | None:
        """Log the audit; returns None if nothing was done."""
        if self._has_ended or not (self._accessed or self._contradicted or self._searches):
            return None
        now = self._store.clock()
        line = SessionLine(
            id=self._store.new_id(),
            timestamp=now,
            session_id=self.id,
            agent_id=self.agent_id,
            start_time=self._start,
            end_time=now,
            files_accessed=self._ids(ContentKind.FILE),
            symbols_expanded=self._ids(ContentKind.SYMBOL),
            adrs_read=self._ids(ContentKind.ADR),
            search_queries=self._searches,
            semantic_searches=self._semantic,
            keyword_searches=self._searches - self._semantic,
            outcome=outcome,
            accesses_logged=True,
            contradicted=tuple(content.id for content in self._contradicted),
        )
        self._store.logs.append([line])
        self._has_ended = True
        return line

    def _log_page(self, contents: Sequence[Content], page: "FilePage", *, tool: str) -> None:
        part = self.page(page.path, page.start)
        self.act(Action.READ, contents, tool=tool, part=part, tokens=_tokens(page.text))

    def _begin(self) -> None:
        self._id = self._store.new_id()
        self._start = self._store.clock()
        self._searches = self._semantic = 0
        self._shown: dict[Key, tuple[int, str]] = {}
        self._accessed: dict[Content, None] = {}
        self._contradicted: dict[Content, None] = {}
        self._pages: dict[str, tuple[str, int]] = {}
        self._has_ended = False
        self._is_to_recall = self._resume

    def _recall(self) -> None:
        """Take over where earlier sessions stopped, when it is first needed: a search does not need it."""
        if self._is_to_recall:
            self._is_to_recall = False
            before = session_history(self._store, self.agent_id)
            self._shown, self._pages = before.shown | self._shown, before.pages | self._pages

    def _go_on(self) -> None:
        if self._has_ended:
            self._begin()

    def _search_of(self, contents: Iterable[Content]) -> str:
        """The last search that showed any of it; empty if there is none."""
        searches = (self._shown.get((str(content.kind), content.id), (0, "")) for content in contents)
        return max(searches, default=(0, ""))[1]

    def _ids(self, kind: ContentKind) -> tuple[str, ...]:
        return tuple(content.id for content in self._accessed if content.kind is kind)


def _tokens(text: str) -> int:
    from paragone.memory.index import count_tokens  # loads the tokenizer

    return count_tokens(text)
