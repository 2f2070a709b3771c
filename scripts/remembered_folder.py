"""A folder that is remembered, with something of everything: for tests of what shows a memory."""

import os
import time
from pathlib import Path

from paragone.memory import Memory

DAY = 86_400.0
HOSTILE = "docs/<script>alert(1)<&script>.md"
"""A file whose name would be code."""
FILES = {
    "AGENTS.md": "# Rules\n\nMeasure twice.\n",
    "docs/loud.md": "# tower\n\nAll about the tower, loud.\n",
    "docs/true.md": "# tower\n\nAll about the tower, true.\n",
    "docs/quiet.md": "# river\n\nAll about the river, quiet.\n",
    "docs/new.md": "# river\n\nAll about the river, new.\n",
    "docs/adr/ADR-001-cents.md": "# ADR-001: Prices are whole cents\n\nSums of floats drift.\n",
    HOSTILE: "# Nothing\n\n<img src=x onerror=alert(1)>\n",
    "scratch/old.md": "# Ideas\n\nPerhaps a second valve.\n",
    "span.py": 'def span(width):\n    """How wide."""\n    return width\n',
    ".env": "key\n",
}


class Clock:
    """Tells a time that somebody sets."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def remember(root: Path) -> Path:
    """Make the folder: everything lay there half a year ago, and was used for eight days up to yesterday.

    ``docs/loud.md`` is an echo chamber, ``docs/true.md`` best content, ``scratch/old.md`` may be pruned.
    """
    clock = Clock(time.time() - 200 * DAY)
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (clock.now, clock.now))
    with Memory.create(root, clock=clock) as memory:
        memory.index(vectors=False)
        for name, r in (("docs/loud.md", 0.5), ("docs/true.md", 3.0), ("docs/quiet.md", 0.6), ("scratch/old.md", 0.2)):
            memory.supply_truth(name, r)
        clock.now = time.time() - 9 * DAY
        for day in range(8):
            clock.now += DAY
            _work(memory.session("ann" if day else "bob"), day)
        memory.components.scores.catch_up()
    return root


def _work(session: Memory, day: int) -> None:
    session.search("tower" if day % 2 else "all about the tower", how="keyword")
    session.read("docs/loud.md")
    if day == 7:
        session.read("docs/true.md")
        session.read(HOSTILE)
        session.expand("@span")
    session.end_session("success")
