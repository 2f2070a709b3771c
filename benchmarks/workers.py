"""One tournament judged by 1, 2 and 4 workers beside their ideal, and by workers that are killed.

    .venv/bin/python benchmarks/workers.py [--matches 640] [--workers 1 2 4] [--in-flight 32] [--kills 20] [--db URL]

The judge is a function that sleeps for a second. The ideal is what the workers would do without any work of their own:
their calls in flight a second. Matches are counted from the first call to the last. With ``--kills``, workers and the
planner, which has a standby, are killed at random (SIGKILL) and started again; counted are calls that were made twice,
and matches that are missing at the end. Without ``--db`` the server does not wait for the disk.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from paragone.ledger import Ledger

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
import local_postgres

COMMAND = Path(sys.executable).with_name("paragone")
JUDGE = """
import json, os, time

def judge(first, second, criteria):
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps([time.time(), os.getpid(), first.text, second.text]) + chr(10))
    time.sleep(float(os.environ["SECONDS"]))
    return "first" if int(first.text.split()[-1]) > int(second.text.split()[-1]) else "second"
"""


class Site:
    def __init__(self, folder: Path, url: str, in_flight: int, seconds: float) -> None:
        self.folder, self.url, self.in_flight, self.seconds = folder, url, in_flight, seconds
        self.running: list[subprocess.Popen[bytes]] = []
        (folder / "noted.py").write_text(JUDGE)
        (folder / "judges.toml").write_text('noted = "python:noted:judge"\n')
        (folder / "items.txt").write_text("".join(f"text {number}\n" for number in range(150)))

    def run(self, *words: object) -> subprocess.Popen[bytes]:
        environment = {
            "PARAGONE_DB": self.url,
            "CALLS": str(self.folder / "calls"),
            "SECONDS": str(self.seconds),
            "PYTHONPATH": str(self.folder),
        }
        with (self.folder / "words").open("ab") as log:
            process = subprocess.Popen(
                [COMMAND, *map(str, words)], cwd=self.folder, env=os.environ | environment, stdout=log, stderr=log
            )
        self.running.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.run("worker", "--judges", "judges.toml", "--concurrency", self.in_flight)

    def ready(self, count: int) -> None:
        with Ledger.open(self.url) as ledger:
            while sum(worker.silence < 3 for worker in ledger.judging.workers()) < count:
                time.sleep(0.1)

    def rank(self, matches: int, name: str) -> subprocess.Popen[bytes]:
        words = ("--judge", "noted", "--workers", "--seed", 1, "--pairing", "round-robin", "--quiet", "--name", name)
        return self.run("rank", "items.txt", "-c", "size", "-n", matches, *words)

    def calls(self) -> list[Any]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def close(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.running:
            process.wait(60)


def throughput(site: Site, workers: int, matches: int) -> tuple[float, float]:
    """Matches a second, and that as a share of the workers' ideal."""
    for _ in range(workers):
        site.worker()
    site.ready(workers)
    if site.rank(matches, f"w{workers}").wait() != 0:
        raise SystemExit((site.folder / "words").read_text()[-2000:])
    times = [start for start, *_ in site.calls()]
    rate = len(times) / (max(times) + site.seconds - min(times))
    return rate, rate * site.seconds / (workers * site.in_flight)


def killed(site: Site, kills: int, matches: int) -> tuple[int, int, int]:
    """Calls made, those made more than once, and answers that are missing, after kills."""
    rng = random.Random(1)
    workers = [site.worker() for _ in range(3)]
    site.ready(3)
    planners = [site.rank(matches, "kills")]
    while len(site.calls()) < 2 * site.in_flight:
        time.sleep(0.1)
    planners.append(site.run("resume", "kills-1", "--workers", "--quiet"))
    for _ in range(kills):
        time.sleep(rng.uniform(0.5, 2.5))
        if planners[0].poll() is not None and planners[0].returncode == 0:
            break
        if rng.random() < 0.3:
            planners.pop(0).kill()
            planners.append(site.run("resume", "kills-1", "--workers", "--quiet"))
        else:
            workers.pop(rng.randrange(3)).kill()
            workers.append(site.worker())
    for planner in planners:
        planner.wait()
    made = Counter((first, second) for _, _, first, second in site.calls())
    with Ledger.open(site.url) as ledger:
        played = ledger.matches.all("kills-1")
        assert ledger.audit().ok
    return sum(made.values()), sum(count - 1 for count in made.values()), matches - len(played)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=640)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--db", help="administrator's URL of a server; a server of its own if left out")
    options = parser.parse_args()
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = options.db or stack.enter_context(local_postgres.shared(base))

        def site(name: str) -> Site:
            import psycopg

            folder = base / name
            folder.mkdir()
            with psycopg.connect(url, autocommit=True) as admin:
                admin.execute(f"CREATE SCHEMA {name}")
            own = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"
            opened = Site(folder, own, options.in_flight, options.seconds)
            stack.callback(opened.close)
            return opened

        for count in options.workers:
            rate, share = throughput(place := site(f"workers_{count}"), count, options.matches * count)
            place.close()
            print(f"{count} workers: {rate:.1f} matches/s, {share:.2f} of the ideal of {count}", flush=True)
        if options.kills:
            made, twice, missing = killed(site("kills"), options.kills, options.matches)
            print(f"{options.kills} kills: {made} calls, {twice} made again, {missing} matches missing")


if __name__ == "__main__":
    main()
