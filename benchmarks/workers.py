"""One tournament judged by 1, 2 and 4 workers beside their ideal, and one whose processes are killed.

    .venv/bin/python benchmarks/workers.py [--matches 640] [--workers 1 2 4] [--in-flight 32] [--kills 20] [--seed 1]

The judge is a function that sleeps for a second. The ideal is what the workers would do without any work of their own:
their calls in flight a second. Matches are counted from the first call to the last. With ``--kills``, workers, the
planner, which has a standby, and the database server are killed at random (SIGKILL; the server SIGQUIT, at which it
drops everything) and started again until there were so many kills. Counted are calls made again, matches that are
missing, the seconds until a standby plans and until calls go on, and whether the result is that of one process.
The servers do not wait for the disk.
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
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg

from paragone.ledger import Ledger
from paragone.tournaments.tournament import Tournament

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

    def run(self, *words: object, **environment: object) -> subprocess.Popen[bytes]:
        own = {
            "PARAGONE_DB": self.url,
            "CALLS": self.folder / "calls",
            "SECONDS": self.seconds,
            "PYTHONPATH": self.folder,
        }
        values = {name: str(value) for name, value in (own | environment).items()}
        with self.words_path(len(self.running)).open("wb") as log:
            process = subprocess.Popen(
                [COMMAND, *map(str, words)], cwd=self.folder, env=os.environ | values, stdout=log, stderr=log
            )
        self.running.append(process)
        return process

    def words_path(self, number: int) -> Path:
        return self.folder / f"words-{number}"

    def words(self, process: subprocess.Popen[bytes]) -> str:
        return self.words_path(self.running.index(process)).read_text()

    def worker(self) -> subprocess.Popen[bytes]:
        return self.run("worker", "--judges", "judges.toml", "--concurrency", self.in_flight)

    def ready(self, count: int) -> None:
        with Ledger.open(self.url) as ledger:
            while sum(worker.silence < 3 for worker in ledger.remote_judging.workers()) < count:
                time.sleep(0.1)

    def rank(
        self, matches: int, name: str, judge: Sequence[object] = ("noted", "--workers"), **environment: object
    ) -> subprocess.Popen[bytes]:
        words = ("--judge", *judge, "--seed", 1, "--pairing", "round-robin", "--quiet", "--name", name)
        return self.run("rank", "items.txt", "-c", "size", "-n", matches, *words, **environment)

    def calls(self) -> list[Any]:
        path = self.folder / "calls"
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith(b"\n")]

    def ends(self, process: subprocess.Popen[bytes]) -> None:
        if process.wait() != 0:
            raise SystemExit(f"a process failed:\n{self.words(process)[-3000:]}")

    def close(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.running:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def throughput(site: Site, workers: int, matches: int) -> tuple[float, float]:
    """Matches a second, and that as a share of the workers' ideal."""
    for _ in range(workers):
        site.worker()
    site.ready(workers)
    site.ends(site.rank(matches, f"w{workers}"))
    times = [start for start, *_ in site.calls()]
    rate = len(times) / (max(times) + site.seconds - min(times))
    return rate, rate * site.seconds / (workers * site.in_flight)


PARTS = {"worker": 0.6, "planner": 0.25, "server": 0.15}
"""How often each is killed."""


class Killing:
    """Kills of the processes of one tournament, and what they cost."""

    def __init__(self, site: Site, server: local_postgres.Server, matches: int, seed: int) -> None:
        self.site, self.rng = site, random.Random(seed)
        self.count: Counter[str] = Counter()
        self.takeovers: list[float] = []
        self.pauses: dict[str, list[float]] = {part: [] for part in PARTS}
        self.failed: list[str] = []
        self._server = server
        self.workers = [site.worker() for _ in range(3)]
        site.ready(3)
        self.planners = [site.rank(matches, "kills")]
        self.until(lambda: len(site.calls()) >= 2 * site.in_flight)
        self.planners.append(self.standby())

    def standby(self) -> subprocess.Popen[bytes]:
        process = self.site.run("resume", "kills-1", "--workers", "--quiet")
        self.until(lambda: "standing by" in self.site.words(process) or process.poll() is not None)
        return process

    def until(self, condition: Callable[[], object], seconds: float = 60.0) -> float:
        began = time.monotonic()
        while not condition():
            if time.monotonic() > began + seconds:
                raise SystemExit("it did not happen:\n" + "\n".join(map(self.site.words, self.site.running))[-5000:])
            time.sleep(0.02)
        return time.monotonic() - began

    @property
    def is_over(self) -> bool:
        return any(planner.poll() == 0 for planner in self.planners)

    def kill(self) -> None:
        """Kill one part, and wait until a call begins."""
        part = self.rng.choices(list(PARTS), weights=list(PARTS.values()))[0]
        self.count[part] += 1
        before = time.time() + 0.05  # what was on its way to the log is none after it
        getattr(self, f"_kill_{part}")()
        self.until(lambda: self.mend() or self.is_over or self.site.calls()[-1][0] > before)
        following = sorted(start for start, *_ in self.site.calls() if start > before)
        self.pauses[part] += [following[0] - before] if following else []

    def _kill_worker(self) -> None:
        self.workers.pop(self.rng.randrange(3)).kill()
        self.workers.append(self.site.worker())

    def _kill_planner(self) -> None:
        """Kill it, and wait until another one has its questions asked."""
        before = self.leader()
        killed = [planner for planner in self.planners if f"process {planner.pid} on" in before]
        for planner in killed or self.planners[:1]:
            planner.kill()
            planner.wait()
            self.planners.remove(planner)
        waited = self.until(lambda: self.mend() or self.is_over or self.leader() != before)
        self.takeovers += [] if self.is_over else [waited]
        self.planners.append(self.standby())

    def leader(self) -> str:
        """Who plans, as far as is known."""
        with Ledger.open(self.site.url) as ledger:
            return ledger.remote_judging.waiting().get("kills-1", (0, ""))[1]

    def _kill_server(self) -> None:
        self._server.crash()
        time.sleep(self.rng.uniform(0.0, 2.0))
        self._server.start()

    def mend(self) -> None:
        """Start planners and workers again that ended with an error, as a supervisor would."""
        for processes, start in ((self.planners, self.standby), (self.workers, self.site.worker)):
            for place, process in enumerate(processes):
                if process.poll() not in (None, 0):
                    self.failed.append(self.site.words(process)[-600:])
                    processes[place] = start()


def killed(site: Site, server: local_postgres.Server, kills: int, matches: int, seed: int) -> None:
    """Print what so many kills cost."""
    run = Killing(site, server, matches, seed)
    for _ in range(kills):
        time.sleep(run.rng.uniform(0.5, 2.0))
        run.mend()
        if run.is_over:
            break
        run.kill()
    while not run.is_over:
        time.sleep(0.2)
        run.mend()
    made = Counter((first, second) for _, _, first, second in site.calls())
    here, others = site.folder / "here.db", site.folder / "others"
    alone = ("python:noted:judge", "--db", here)
    site.ends(site.rank(matches, "kills", alone, CALLS=others, SECONDS=0))
    results = []
    for url in (site.url, str(here)):
        with Tournament.open(url, "kills-1") as opened:
            results.append((list(opened.state.played), [(row.id, row.rating, row.elo) for row in opened.board().items]))
            if not opened.ledger.audit().ok:
                raise SystemExit(f"{url} was altered")
    (played, board), (_, board_here) = results
    again = sum(count - 1 for count in made.values())
    most = run.count["worker"] * site.in_flight
    print(f"{sum(run.count.values())} kills: {', '.join(f'{n} of a {part}' for part, n in run.count.items())}")
    print(f"{sum(made.values())} calls for {matches} matches; {again} again, at most {most} were in flight")
    same = "that" if board == board_here else "NOT that"
    print(f"{matches - len(played)} matches missing; the result is {same} of one process")
    print(f"a standby plans after {', '.join(f'{each:.2f}' for each in run.takeovers)} s")
    for part, pauses in run.pauses.items():
        print(f"a call begins after the kill of a {part}: {', '.join(f'{each:.1f}' for each in pauses)} s")
    for words in run.failed:
        print(f"ended with an error:\n{words}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=640, help="a worker; with kills in all")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1, help="of the kills")
    options = parser.parse_args()
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = local_postgres.Server()
        stack.callback(server.remove)

        def site(name: str) -> Site:
            folder = base / name
            folder.mkdir()
            with psycopg.connect(server.url(), autocommit=True) as admin:
                admin.execute(f"CREATE DATABASE {name}")
            opened = Site(folder, server.url(name), options.in_flight, options.seconds)
            stack.callback(opened.close)
            return opened

        for count in options.workers:
            rate, share = throughput(place := site(f"workers_{count}"), count, options.matches * count)
            place.close()
            print(f"{count} workers: {rate:.1f} matches/s, {share:.3f} of the ideal of {count}", flush=True)
        if options.kills:
            killed(site("kills"), server, options.kills, options.matches, options.seed)


if __name__ == "__main__":
    main()
