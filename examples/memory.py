"""A small repository whose reader is invented: what its memory learns from what is read, and what it packs by it.

Three sessions search, read what answers, and pass over an old draft that only sounds like it. Then somebody says that
the draft is not true, and it sinks; the board shows what was used, and a pack holds that first. Run it with a folder to
keep it: ``python examples/memory.py there``, then ``paragone memory board --root there``.
"""

import sys
import tempfile
from pathlib import Path

from paragone.memory import Memory
from paragone.memory.search import Found

FILES = {
    "AGENTS.md": "# Rules\n\nSearch before you write. Cite what you rely on.\n",
    "src/cache.py": '''"""Answers that are kept."""


class Cache:
    """A store of answers that forgets the oldest."""

    def __init__(self, limit: int) -> None:
        self.limit, self.rows = limit, {}

    def keep(self, question: str, answer: str) -> None:
        """Keep an answer; beyond the limit the oldest goes."""
        self.rows[question] = answer
        while len(self.rows) > self.limit:
            del self.rows[next(iter(self.rows))]
''',
    "src/retry.py": '''"""Calls that are tried again."""


def backoff(attempt: int) -> float:
    """Seconds to wait before the next try: twice as long each time, a minute at the most."""
    return min(2.0**attempt, 60.0)
''',
    "docs/decisions/ADR-001-cache.md": "# ADR-001: Answers are kept\n\nAsking twice costs twice. The oldest goes.\n",
    "docs/decisions/ADR-002-retry.md": "# ADR-002: Calls are tried again\n\nWith growing pauses, so that a server can "
    "recover; see ADR-001.\n",
    "docs/old-cache.md": "# Cache, first draft\n\nThe cache of answers could forget the newest answer instead.\n",
}
"""What the repository holds. The old draft speaks of caches, too, and nobody needs it."""

SESSIONS = (
    ("Which answer does the cache forget?", ("src/cache.py",)),
    ("How does the cache of answers forget?", ("src/cache.py", "docs/decisions/ADR-001-cache.md")),
    ("How long to wait before a call is tried again?", ("src/retry.py",)),
)
"""What each session asks, and what turns out to answer it."""


def write(root: Path) -> None:
    """Make the repository."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def work(memory: Memory) -> None:
    """Hold the sessions: search, read what answers, say what the work rests on."""
    for question, answers in SESSIONS:
        print(f"{question} {listed(memory.search(question, limit=3))}")
        for path in answers:
            memory.read(path)
        memory.cite(answers[0])
        memory.end_session("success")


def listed(found: Found) -> str:
    """The files that a search found, the best first."""
    return ", ".join(row.path for row in found.results)


def show(memory: Memory) -> None:
    """Print the board, why src/cache.py stands where it does, and what half of the tokens are best spent on."""
    for row in memory.board("file").rows:
        print(f"{row.rating:6.0f}  {row.tier:6}  used {row.uses} times  {row.content.id}")
    for move in memory.history("src/cache.py"):
        print(f"{move.delta:+6.1f}  {move.reason}")
    whole = memory.pack(tokens=100_000)
    half = memory.pack(tokens=whole.tokens // 2)
    print(f"{half.tokens} of {whole.tokens} tokens:")
    for one in half.manifest:
        print(f"  {one.form:10}  {one.path}")


def main(root: Path) -> None:
    """Make the repository there, remember it, use it, and show what came of it."""
    write(root)
    with Memory.create(root) as memory:
        memory.index()
        work(memory)
        memory.supply_truth("docs/old-cache.md", 0.5, note="a draft that was never built")
        print(f"by use and truth: {listed(memory.search(SESSIONS[0][0], mode='document', limit=3))}")
        show(memory)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder))
