"""Acts upon content: each is done, logged in the session that does it, and only then shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paragone.domain.content import Action, Content, ContentKind
from paragone.errors import NotFound, UsageError
from paragone.memory.components import Parts
from paragone.memory.session import Session
from paragone.memory.store.lines import ResultRow

if TYPE_CHECKING:
    from paragone.memory.index import Decision
    from paragone.memory.search import Expansion, Found, Grepped, Page


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionPage:
    """A decision record, and lines of it.

    Attributes:
        decision: Which record.
        page: The lines.
    """

    decision: "Decision"
    page: "Page"


def search(parts: Parts, session: Session, query: str, **options: Any) -> "Found":  # noqa: ANN401 - as Searcher has them
    """Search, and log what is shown. The options are those of ``Searcher.search``."""
    found = parts.searcher.search(query, **options)
    rows = [
        ResultRow(
            hash=row.hash, file_path=row.path, rank=row.rank, similarity=row.similarity, symbol=row.symbol, adr=row.adr
        )
        for row in found.results
    ]
    session.show(found.tool, found.query, rows, mode=found.mode)
    return found


def grep(parts: Parts, session: Session, pattern: str, **options: Any) -> "Grepped":  # noqa: ANN401 - as Grep has them
    """Search by pattern, and log which files are shown, in their order. The options are those of ``Grep.grep``."""
    found = parts.grep.grep(pattern, **options)
    paths = dict.fromkeys(match.path for match in found.matches)
    session.show("grep_search", pattern, [ResultRow(file_path=path, rank=n) for n, path in enumerate(paths, 1)])
    return found


def read(parts: Parts, session: Session, path: str, *, start: int = 1, lines: int = 200) -> "Page":
    """Read lines of a file. Its first page counts as a use, of the decision record that it is, too."""
    from paragone.memory.lookup import instead
    from paragone.memory.search import read as page_of

    try:
        page = page_of(parts.reader, path, start=start, lines=lines)
    except NotFound as error:
        raise NotFound(f"{error}{instead(parts.index, path)}") from error
    entry = parts.index.file(page.path)
    contents = [_file(page.path)]
    if entry is not None and entry.adr:
        contents.append(Content(kind=ContentKind.ADR, id=entry.adr, path=page.path))
    _log_page(session, Action.READ, contents, page, tool="read")
    return page


def expand(parts: Parts, session: Session, name: str) -> "Expansion":
    """Show a definition in full. It counts for the symbol, and for its file."""
    from paragone.memory.search import expand as expansion_of

    found = expansion_of(parts.reader, parts.index, name)
    symbol = Content(kind=ContentKind.SYMBOL, id=found.symbol.id, path=found.symbol.path)
    tokens = _tokens(found.page.text)
    session.act(Action.EXPANDED, [symbol, _file(symbol.path)], tool="expand", tokens=tokens)
    return found


def decision(parts: Parts, session: Session, id: str, *, start: int = 1, lines: int = 200) -> DecisionPage:
    """Read a decision record. It counts for the record, and for its file."""
    from paragone.memory.search import read as page_of

    record = parts.index.decision(id)
    if record is None:
        raise NotFound(f"there is no decision record {id!r} in the index; paragone memory board --kind adr lists them")
    page = page_of(parts.reader, record.path, start=start, lines=lines)
    own = Content(kind=ContentKind.ADR, id=record.id, path=record.path)
    _log_page(session, Action.READ, [own, _file(record.path)], page, tool="decision")
    return DecisionPage(decision=record, page=page)


def mark(parts: Parts, session: Session, action: Action, names: Sequence[str | Content]) -> list[Content]:
    """Log what became of content, by whatever it is called; none is logged unless all are known.

    Raises:
        NotFound: If something is not known.
    """
    from paragone.memory.lookup import named

    if not names:
        raise UsageError(f"name at least one path, symbol or decision record that was {action}")
    found = [one if isinstance(one, Content) else named(parts.index, one) for one in names]
    for one in found:
        around = [] if one.kind is ContentKind.FILE or not one.path else [_file(one.path)]
        session.act(action, [one, *around], tool=str(action))
    return found


def _log_page(session: Session, action: Action, contents: Sequence[Content], page: "Page", *, tool: str) -> None:
    part = session.page(page.path, page.start)
    session.act(action, contents, tool=tool, part=part, tokens=_tokens(page.text))


def _tokens(text: str) -> int:
    from paragone.memory.index import count_tokens

    return count_tokens(text)


def _file(path: str) -> Content:
    return Content(kind=ContentKind.FILE, id=path, path=path)
