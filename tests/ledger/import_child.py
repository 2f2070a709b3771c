"""Imports a file in forked processes and kills each with SIGKILL at another statement, or after some time.

    import_child.py FILE CHUNK URL WHEN [URL WHEN ...]

WHEN is a number of points, or ``after SECONDS`` (one argument) since the first chunk was acknowledged; or ``here`` for
an import without a kill by the process that forks the others, which prepares the statements for them. A point is the
moment before or after a statement, before the end of a transaction, or after it. For each URL a line is printed: the
rows that were acknowledged, and whether it was killed.
"""

import os
import signal
import sys
import threading

from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool
from statements import watch_statements

from paragone import import_votes


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def run(file, chunk, url, when, told):
    passed = []

    def at_point(*_):
        if not when.startswith("after") and len(passed) == int(when):
            die()
        passed.append(1)

    def acknowledged(state):
        os.write(told, f"{state.rows} ".encode())
        if when.startswith("after") and threading.active_count() == 1:
            threading.Timer(float(when.split()[1]), die).start()

    watch_statements(at_point)
    for name in ("after_cursor_execute", "commit"):
        event.listen(Engine, name, at_point)
    event.listen(Pool, "checkin", at_point)
    import_votes(file, db=url, chunk=chunk, observer=acknowledged)
    os._exit(0)  # and no waiting for the timer


def main():
    file, chunk, *jobs = sys.argv[1:]
    for url, when in zip(jobs[::2], jobs[1::2], strict=True):
        if when == "here":
            import_votes(file, db=url, chunk=int(chunk))
            continue
        heard, told = os.pipe()
        child = os.fork()
        if not child:
            run(file, int(chunk), url, when, told)
        os.close(told)
        with os.fdopen(heard) as acknowledged:
            rows = acknowledged.read().split()
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        print(rows[-1] if rows else 0, int(killed), flush=True)


if __name__ == "__main__":
    main()
