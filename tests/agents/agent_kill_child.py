"""Runs in a process of its own: forks writers, kills them in the midst, and says what it finds."""

import json
import os
import random
import signal
import sys
import time

import paragone.ledger  # noqa: F401 - once for all writers
from paragone.agents import EloSystem

PARTICIPANTS = ["a", "b", "c"]


def write(url, generation, acknowledged):
    """Record debates until killed, and say of each that it is recorded."""
    with EloSystem(url, durable=False) as elo:
        for number in range(100_000):
            id = f"{generation}.{number}"
            scores = {name: float((number + place) % 3) for place, name in enumerate(PARTICIPANTS)}
            elo.record_match(id, PARTICIPANTS, scores, "law", 0.7)
            os.write(acknowledged, f"{id}\n".encode())


def kill_one(url, generation, chance):
    """The ids that a writer had acknowledged when it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        write(url, generation, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as said:
        ids = [said.readline().strip() for _ in range(3)]
        time.sleep(chance.random() * 0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return ids + said.read().split()


def main():
    url, chance, acknowledged = sys.argv[1], random.Random(7), []
    for generation in range(4):
        acknowledged += kill_one(url, generation, chance)
        with EloSystem(url, durable=False) as elo:
            found = elo.get_recent_matches(100_000)
            ratings = elo.get_ratings_batch(PARTICIPANTS)
            report = {
                "lost": sorted(set(acknowledged) - {debate["debate_id"] for debate in found}),
                "unasked": len(found) - len(acknowledged),
                "whole": all(list(debate["elo_changes"]) == PARTICIPANTS for debate in found),
                "counted": {rating.debates_count for rating in ratings.values()} == {len(found)},
                "sum": sum(rating.elo for rating in ratings.values()),
                "domain": sum(rating.domain_elos["law"] for rating in ratings.values()),
                "board": [row["elo"] for row in elo.get_snapshot_leaderboard()],
                "audit": elo.audit().ok,
            }
        print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
