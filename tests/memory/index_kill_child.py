"""Indexes folders in child processes, each killed at another of its writes to ``index.db``.

    python index_kill_child.py FOLDER WRITES [FOLDER WRITES ...]

Prints a line for each: how it ended, as the signal that ended it, or 0.
"""

import os
import signal
import sqlite3
import sys
from pathlib import Path

import numpy as np

from paragone.memory.index import Index, count_tokens, indexing
from paragone.memory.index.symbols import symbols_of
from paragone.memory.store import Store


class Letters:
    name = "letters"

    def embed(self, texts):
        return np.array([[1.0, *(text.count(letter) for letter in "abcdefgh")] for text in texts], np.float32)


class Mortal(sqlite3.Connection):
    left = 0

    def execute(self, statement, *given):
        self._die(statement)
        return super().execute(statement, *given)

    def executemany(self, statement, *given):
        self._die(statement)
        return super().executemany(statement, *given)

    def _die(self, statement):
        if statement.split(None, 1)[0] not in {"SELECT", "PRAGMA"}:
            Mortal.left -= 1
            if Mortal.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def index(root):
    with Store.open(root) as store:
        Index(store, embedder=Letters()).update()


indexing._FILES = 3
count_tokens("loads what each child would load")
symbols_of("a.py", "")
connect = sqlite3.connect
sqlite3.connect = lambda *given, **more: connect(*given, **more, factory=Mortal)
for root, writes in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
    child = os.fork()
    if child == 0:
        Mortal.left = int(writes)
        index(Path(root))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
