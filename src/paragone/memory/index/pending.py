"""What a run has done and the logs do not tell yet: kept with it in one transaction, so that no kill loses it."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from paragone.domain.content import ContentKind, PoolSize
from paragone.memory.index.database import note, set_note
from paragone.memory.store.lines import IndexLine

_NAME = "pending"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pending:
    """The line of the index log that is to be written, but for the pools. Its id is given out once."""

    id: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.removed or self.renamed)

    def plus(
        self, *, added: int = 0, changed: int = 0, removed: int = 0, renamed: tuple[tuple[str, str], ...] = ()
    ) -> "Pending":
        """With more that was done."""
        return replace(
            self,
            added=self.added + added,
            changed=self.changed + changed,
            removed=self.removed + removed,
            renamed=self.renamed + renamed,
        )

    def line(self, pools: dict[ContentKind, PoolSize]) -> IndexLine:
        """The line for the log."""
        return IndexLine(
            id=self.id,
            pools=pools,
            renamed=self.renamed,
            added=self.added,
            changed=self.changed,
            removed=self.removed,
        )


def read_pending(connection: sqlite3.Connection, new_id: Callable[[], str]) -> Pending:
    """What is pending; with a new id where nothing is."""
    text = note(connection, _NAME)
    if not text:
        return Pending(id=new_id())
    kept = json.loads(text)
    return Pending(**kept | {"renamed": tuple((old, new) for old, new in kept["renamed"])})


def keep_pending(connection: sqlite3.Connection, pending: Pending) -> None:
    """Within a transaction: keep it."""
    set_note(connection, _NAME, json.dumps(asdict(pending)))


def forget_pending(connection: sqlite3.Connection) -> None:
    """Within a transaction: the logs tell of it now."""
    set_note(connection, _NAME, "")
