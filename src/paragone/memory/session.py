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
    from paragone.memory.search import DecisionPage, Expansion, Found, GrepPage, Page

LINES = 4_096
"""How many of the last lines of evidence are looked through: whoever reads what a search showed does so soon."""
_DAY = 86_400.0

Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionHistory:
    """What the sessions of an agent left off with.

    Attributes:
        shown: By kind and id of what was shown, the ``seq`` and the id of the last search that did.
        pages: By path, the search that led to the last page that was read of it, and which page that was.
    """

    shown: dict[Key, tuple[int, str]] = field(default_factory=dict)
    pages: dict[str, tuple[str, int]] = field(default_factory=dict)


def session_history(store: Store, agent_id: str) -> SessionHistory:
    """What an agent did in the last ``search_days``, as far as it is among the last ``LINES`` of the logs."""
    earlier = SessionHistory()
    since = store.clock() - store.config.ratings.search_days * _DAY
    for line in store.logs.after(max(store.logs.last_seq - LINES, 0), kinds={SearchLine, AccessLine}):
        if line.timestamp < since:
            continue
        if isinstance(line, SearchLine) and line.agent_id == agent_id:
            for row in line.results:
                earlier.shown.update(dict.fromkeys(keys_of(row), (line.seq, line.id)))
        elif isinstance(line, AccessLine) and line.agent_id == agent_id and line.action is Action.READ:
            earlier.pages[line.file_path or line.entity_id] = (line.search_id, line.part)
    return earlier


def keys_of(row: ResultRow) -> Iterator[Key]:
    """By what content of a result may be read."""
    yield from (("file", row.file_path), ("symbol", row.symbol), ("adr", row.adr), ("vector", row.hash))


USER = "user"
"""Who acts where nobody says."""

_SEMANTIC = {"semantic_search", "hybrid_search"}


class Session:
    """Writes each act to the logs, linked to the last search that showed what it is about; at the end, the audit.

    It begins with its first act. What is done after its end belongs to a new one, with an id of its own.

    Args:
        store: Where it is logged.
        agent_id: Whose it is.
        resume: Whether what this agent was shown and read in sessions before counts as if it had been in this one.
    """

    def __init__(self, store: Store, agent_id: str = USER, *, resume: bool = False) -> None:
        self._store, self.agent_id, self._resume = store, agent_id, resume
        self._has_ended = False
        self._begin()

    @property
    def id(self) -> str:
        """Its id; after its end still that of the one that ended, until the next act."""
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

    def log_read(self, page: "Page", *, adr: str = "") -> None:
        """Log a page of a file that was read; ``adr`` is the id of the decision record that the file is."""
        contents = [Content.file(page.path)]
        if adr:
            contents.append(Content(kind=ContentKind.ADR, id=adr, path=page.path))
        self._log_page(contents, page, tool="read")

    def log_decision(self, record: "DecisionPage") -> None:
        """Log a page of a decision record that was read."""
        id, path = record.decision.id, record.decision.path
        contents = [Content(kind=ContentKind.ADR, id=id, path=path), Content.file(path)]
        self._log_page(contents, record.page, tool="decision")

    def log_expansion(self, expansion: "Expansion") -> None:
        """Log a definition that was read in full."""
        id, path = expansion.symbol.id, expansion.symbol.path
        contents = [Content(kind=ContentKind.SYMBOL, id=id, path=path), Content.file(path)]
        self.act(Action.EXPANDED, contents, tool="expand", tokens=_tokens(expansion.page.text))

    def mark(self, index: "Index", action: Action, names: Sequence[str | Content]) -> list[Content]:
        """Log how content served, each piece with the file that it lies in; returns what the names stand for.

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
        """Log a search with the results that it is about to show."""
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
        """Log an act upon content.

        Args:
            action: What was done.
            contents: To what; the first is what was meant, the others lie around it.
            tool: By which tool.
            part: 0, or which page after the first of the same read.
            tokens: How many tokens it took.
        """
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
        """Which page of a read some lines are: 0 begins one, and so does line 1; what follows it is a later page."""
        self._recall()
        search = self._search_of([Content.file(path)])
        last_page = self._pages.get(path)
        number = 0 if start == 1 or last_page is None or last_page[0] != search else last_page[1] + 1
        self._pages[path] = (search, number)
        return number

    def end(self, outcome: Outcome = "unknown") -> SessionLine | None:
        """Write the audit. None where nothing was done."""
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

    def _log_page(self, contents: Sequence[Content], page: "Page", *, tool: str) -> None:
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
        """Take over what sessions before left off with, once it is first needed: a search has no use for it."""
        if self._is_to_recall:
            self._is_to_recall = False
            before = session_history(self._store, self.agent_id)
            self._shown, self._pages = before.shown | self._shown, before.pages | self._pages

    def _go_on(self) -> None:
        if self._has_ended:
            self._begin()

    def _search_of(self, contents: Iterable[Content]) -> str:
        """The last search that showed any of it; empty where none did."""
        searches = (self._shown.get((str(content.kind), content.id), (0, "")) for content in contents)
        return max(searches, default=(0, ""))[1]

    def _ids(self, kind: ContentKind) -> tuple[str, ...]:
        return tuple(content.id for content in self._accessed if content.kind is kind)


def _tokens(text: str) -> int:
    from paragone.memory.index import count_tokens  # loads the tokenizer

    return count_tokens(text)
