"""What an agent was shown and read in its sessions before: where each step is a session, as with commands."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from paragone.domain.content import Action
from paragone.memory.store.lines import AccessLine, ResultRow, SearchLine
from paragone.memory.store.store import Store

LINES = 4_096
"""How many of the last lines of evidence are looked through: whoever reads what a search showed does so soon."""
_DAY = 86_400.0

Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlierSessions:
    """What the sessions of an agent left off with.

    Attributes:
        shown: By kind and id of what was shown, the ``seq`` and the id of the last search that did.
        pages: By path, the search that led to the last page that was read of it, and which page that was.
    """

    shown: dict[Key, tuple[int, str]] = field(default_factory=dict)
    pages: dict[str, tuple[str, int]] = field(default_factory=dict)


def earlier_sessions(store: Store, agent_id: str) -> EarlierSessions:
    """What an agent did in the last ``search_days``, as far as it is among the last ``LINES`` of the logs."""
    found = EarlierSessions()
    since = store.clock() - store.config.ratings.search_days * _DAY
    for line in store.logs.after(max(store.logs.last_seq - LINES, 0), kinds={SearchLine, AccessLine}):
        if line.timestamp < since:
            continue
        if isinstance(line, SearchLine) and line.agent_id == agent_id:
            for row in line.results:
                found.shown.update(dict.fromkeys(keys_of(row), (line.seq, line.id)))
        elif isinstance(line, AccessLine) and line.agent_id == agent_id and line.action is Action.READ:
            found.pages[line.file_path or line.entity_id] = (line.search_id, line.part)
    return found


def keys_of(row: ResultRow) -> Iterator[Key]:
    """By what content of a result may be read."""
    yield from (("file", row.file_path), ("symbol", row.symbol), ("adr", row.adr), ("vector", row.hash))
