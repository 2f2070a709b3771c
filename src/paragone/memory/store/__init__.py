"""A store: its folder, its configuration, and its logs, from which everything else follows."""

from paragone.memory.store.config import MemoryConfig
from paragone.memory.store.lines import (
    AccessLine,
    IndexLine,
    Line,
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

__all__ = [
    "AccessLine",
    "IndexLine",
    "Line",
    "LogImport",
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
