"""From a machine with nothing but Python to the first decision: installed, served, begun in a browser, decided.

    .venv/bin/python benchmarks/first_decision.py [--local] [--runs N] [--json]

Everything is as documented for a newcomer: an environment of its own, the package of this checkout with its extra
``web``, ``paragone serve`` in an empty folder, a list pasted at *Begin*, and a vote by the keyboard; with ``--local``
also the judge that runs on this machine, its weights included. Chromium or Chrome is on ``PATH``. Where packages come
from, and what of them is kept, is as pip is configured. Seconds by the clock, and processor seconds of all processes.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright
from rating_table import Table, as_json, as_text

HERE = Path(__file__).resolve().parents[1]
ABOUT = ("tea", "rain", "maps", "bees", "glue", "moss", "jazz", "ink")
IDEAS = "\n".join(f"An idea about {what}, told in a line." for what in ABOUT)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST = 600.0
"""Seconds that one leg may take."""


class Legs:
    """What each leg of the way took."""

    def __init__(self) -> None:
        self.each: dict[str, tuple[float, float]] = {}
        self.begin()

    def begin(self) -> None:
        """A leg begins here."""
        self._mark = time.monotonic(), _spent()

    def done(self, name: str) -> None:
        """It ends here, and the next one begins."""
        before = self._mark
        self.begin()
        self.each[name] = (self._mark[0] - before[0], self._mark[1] - before[1])


def _spent() -> float:
    """Processor seconds of processes that ended, and of those of ours that run."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(map(_cpu, _descendants(os.getpid())))


def _descendants(pid: int) -> Iterator[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, children):
        yield child
        yield from _descendants(child)


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def run(*command: object) -> None:
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")


@contextmanager
def served(command: Path, folder: Path, *options: str) -> Iterator[str]:
    """``paragone serve`` in a folder; its address."""
    process = subprocess.Popen(
        [command, "serve", "--port", "0", *options], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    try:
        line = next((line for line in process.stderr if line.startswith("http://")), None)
        if line is None:
            raise SystemExit("the server does not begin")
        yield line.partition("/ shows")[0]
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def begun(page: Any, url: str, judge: str) -> None:
    """From the overview to a tournament of pasted items that is on record."""
    page.goto(url)
    page.click("text=Begin a tournament")
    page.fill("#pasted", IDEAS)
    page.click("text=See what was understood")
    page.fill("#name", "First")
    page.fill("#criteria", "the more useful idea")
    page.check(f"input[name=judge][value='{judge}']")
    page.click("text=See what it will take")


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST
    while not true():
        if time.monotonic() > end:
            raise SystemExit("there is no decision")
        time.sleep(0.02)


def matches(url: str, pool: str) -> int:
    with urllib.request.urlopen(f"{url}/api/v1/pools/{pool}") as answer:
        return int(json.load(answer)["matches"])


def voted(page: Any, url: str, legs: Legs) -> None:
    begun(page, url, ":people")
    page.wait_for_url("**/pools/first-1/vote")
    page.fill("#voter", "ann")
    page.press("#voter", "Enter")
    page.wait_for_selector("#pair:not([hidden])")
    legs.done("from the first page to a pair on the ballot, in the browser")
    page.wait_for_selector("#pair:not([data-fresh])")
    page.keyboard.press("ArrowLeft")
    until(lambda: matches(url, "first-1") > 0)
    legs.done("the first vote, on record")


def judged(page: Any, url: str, legs: Legs) -> None:
    begun(page, url, "here")
    page.click("text=Start it")
    page.wait_for_url("**/live")
    legs.done("from the first page to a tournament that runs, in the browser")
    until(lambda: matches(url, "first-2") > 0)
    legs.done("the first verdict of the local model, on record")


def walk(*, local: bool) -> dict[str, tuple[float, float]]:
    """The way, from an empty folder."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"there is no browser: none of {', '.join(BROWSERS)} is on PATH")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        page = started.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"]).new_page()
        page.set_default_timeout(1000 * LONGEST)
        folder, legs = Path(name), Legs()
        run(sys.executable, "-m", "venv", folder / "venv")
        legs.done("an empty environment")
        run(folder / "venv/bin/pip", "install", "--quiet", f"{HERE}[web]")
        legs.done("pip install 'paragone[web]'")
        command, home = folder / "venv/bin/paragone", folder / "home"
        home.mkdir()
        with served(command, home) as url:
            legs.done("paragone serve, to its address")
            voted(page, url, legs)
        if local:
            legs.begin()
            run(folder / "venv/bin/pip", "install", "--quiet", f"{HERE}[web,local]")
            run(command, "judges", "install", "local", "--yes")
            legs.done("pip install 'paragone[local]' and paragone judges install local")
            with served(command, home, "--judge", "here=local") as url:
                legs.done("paragone serve, once more")
                judged(page, url, legs)
        page.context.browser.close()
    return legs.each


def table(*, local: bool, runs: int) -> Table:
    walks = [walk(local=local) for _ in range(runs)]
    rows = [(leg, *np.median([each[leg] for each in walks], axis=0)) for leg in walks[0]]
    vote = [name for name, *_ in rows].index("the first vote, on record") + 1
    total = [float(sum(row[column] for row in rows[:vote])) for column in (1, 2)]
    return Table(
        title=f"From nothing to the first decision, {runs} times",
        columns=("leg", "seconds", "CPU s"),
        rows=[*rows[:vote], ("all, to the first vote", *total), *rows[vote:]],
        notes=[f"Medians. Python {sys.version.split()[0]}, on a machine whose load was {os.getloadavg()[0]:.1f}."],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--local", action="store_true", help="also the judge that runs on this machine")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    shown = table(local=options.local, runs=options.runs)
    print(json.dumps(as_json(shown)) if options.json else as_text(shown))


if __name__ == "__main__":
    main()
