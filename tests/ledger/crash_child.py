"""Plays a small tournament in forked processes and kills each with SIGKILL at another statement.

A point is the moment before a statement, before the end of a transaction, or after it; the making of the tables in an
empty file counts too. Usage:

    crash_child.py FOLDER             plays FOLDER/whole.db to the end and prints what each point was
    crash_child.py FOLDER N N ...     plays FOLDER/<n>.db and dies at point n, for each n

What the ledger acknowledged before it died is in FOLDER/<n>.ack, one line a call.
"""

import os
import signal
import sys
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

from paragone.domain import Choice, Comparison, Item, Match, Order, Pairing, RatingConfig, Usage, Verdict
from paragone.ledger import Ledger

PAIRINGS = (("a", "b"), ("b", "c"), ("c", "a"))


def play(ledger, acknowledge):
    """The whole tournament, from wherever the ledger stands; every call may be made again."""
    if not ledger.tournaments.all():
        items = [Item(id=id, text=id) for id in "abc"]
        ledger.tournaments.create("t", settings={}, items=items, config=RatingConfig())
    acknowledge("tournament")
    ledger.tournaments.plan_round("t-1", 1, [Pairing(a=a, b=b) for a, b in PAIRINGS])
    acknowledge("plan")
    for number, (a, b) in enumerate(PAIRINGS):
        verdict = ledger.tournaments.verdict("t-1", f"c{number}")
        if verdict is None:
            verdict = Verdict(choice=Choice.FIRST, judge="j", usage=Usage(calls=1), rationale=str(os.getpid()))
            comparison = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
            ledger.tournaments.record_verdict("t-1", comparison, key=f"k{number}")
            acknowledge(f"verdict {number} {verdict.rationale}")
        comparison = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
        ledger.matches.record("t-1", Match.of(f"m{number}", Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,)))
        acknowledge(f"match {number}")
    ledger.matches.rollback("t-1", "m1", "disputed")
    acknowledge("rollback")


def watch(at_point):
    """Calls ``at_point`` with its name at every point of every engine of this process."""
    from statements import watch_statements  # found beside this script, where it runs as one

    watch_statements(lambda _: at_point("before"))
    event.listen(Engine, "commit", lambda *_: at_point("end"))
    event.listen(Pool, "checkin", lambda *_: at_point("ended"))


def run(path, dies_at, acknowledge):
    path.touch()  # which has them made there, statement by statement
    passed = []

    def at_point(name):
        if len(passed) == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        passed.append(name)

    watch(at_point)
    with Ledger.open(path, durable=False) as ledger:
        play(ledger, acknowledge)
    return passed


def main():
    folder, numbers = Path(sys.argv[1]), sys.argv[2:]
    with Ledger.open("sqlite://") as ledger:
        play(ledger, lambda _: None)  # prepares the statements
    if not numbers:
        print(*run(folder / "whole.db", -1, lambda _: None))
    for number in numbers:
        child = os.fork()
        if not child:
            file = os.open(folder / f"{number}.ack", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
            run(folder / f"{number}.db", int(number), lambda line, file=file: os.write(file, f"{line}\n".encode()))
            os._exit(0)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
