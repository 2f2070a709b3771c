"""Sixteen threads of a forked process write, until it is killed with SIGKILL at a random moment; again and again.

group_child.py URL ACKNOWLEDGED KILLS     the file gets a line with the id of each match whose call has returned
"""

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from paragone.domain import Choice, Comparison, Match, Order, Pairing, Verdict
from paragone.ledger import Ledger

WRITERS = 16


def match(id, number):
    a, b = f"i{number % 4}", f"i{(number + 1) % 4}"
    call = Comparison(call=f"{id}.AB", first=a, second=b, verdict=Verdict(choice=Choice.FIRST, judge="j"))
    return Match.of(id, Pairing(a=a, b=b, orders=(Order.AB,)), (call,))


def write(url, file, kill):
    """Half of the writers wait for each match, the others submit some at a time."""

    def acknowledge(id):
        os.write(file, f"{id}\n".encode())

    def wait_for_each(writer):
        for number in range(100_000):
            entry = match(f"{kill}.{writer}.{number}", number)
            ledger.tournaments.record_verdict("p", entry.comparisons[0], key=entry.id)
            ledger.matches.record("p", entry)
            acknowledge(entry.id)

    def submit(writer):
        for number in range(0, 100_000, 5):
            entries = [match(f"{kill}.{writer}.{number + n}", number + n) for n in range(5)]
            futures = [ledger.submit(ledger.matches.record, "p", entry) for entry in entries]
            for entry, future in zip(entries, futures, strict=True):
                future.result()
                acknowledge(entry.id)

    ledger = Ledger.open(url)
    for writer in range(WRITERS):
        threading.Thread(target=wait_for_each if writer % 2 else submit, args=(writer,)).start()


def main():
    url, path, kills = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    draw = random.Random(7)
    Ledger.open(url).close()  # loads the driver for all that are forked
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for kill in range(kills):
        before = path.stat().st_size
        child = os.fork()
        if not child:
            write(url, file, kill)
            signal.pause()
        while path.stat().st_size == before:
            time.sleep(0.001)
        time.sleep(draw.uniform(0.0, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
