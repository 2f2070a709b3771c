"""A store: its folder, its configuration, and its logs, from which everything else follows."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.store.config import MemoryConfig
    from paragone.memory.store.lines import (
        AccessLine,
        IndexLine,
        LogLine,
        ResultRow,
        SearchLine,
        SessionLine,
        TruthLine,
        UpdateLine,
    )
    from paragone.memory.store.log_files import LogProblem
    from paragone.memory.store.log_import import LogImport
    from paragone.memory.store.logs import Logs
    from paragone.memory.store.store import Store
else:
    __getattr__ = names(
        __name__,
        {
            ".config": "MemoryConfig",
            ".lines": ("AccessLine IndexLine LogLine ResultRow SearchLine SessionLine TruthLine UpdateLine"),
            ".log_files": "LogProblem",
            ".log_import": "LogImport",
            ".logs": "Logs",
            ".store": "Store",
        },
    )

__all__ = [
    "AccessLine",
    "IndexLine",
    "LogImport",
    "LogLine",
    "LogProblem",
    "Logs",
    "MemoryConfig",
    "ResultRow",
    "SearchLine",
    "SessionLine",
    "Store",
    "TruthLine",
    "UpdateLine",
]
