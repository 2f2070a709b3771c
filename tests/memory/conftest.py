"""What tests of memory share: a git repository to make commits in, and folders that are remembered."""

import os
import subprocess

import numpy as np
import pytest

from paragone.memory.index import Index
from paragone.memory.store import Store
from paragone.memory.store.config import IndexConfig, MemoryConfig
from paragone.memory.store.lines import IndexLine


class Repository:
    """A repository to make commits in, an hour apart."""

    def __init__(self, root):
        self.root, self.clock = root, 1_700_000_000
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *arguments, **more):
        date = f"@{self.clock} +0000"
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in
               (("NAME", "Ada Example"), ("EMAIL", "ada@example.org"), ("DATE", date))}  # fmt: skip
        env = os.environ | who | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull} | more
        done = subprocess.run(["git", *arguments], cwd=self.root, env=env, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def import_(self, stream):
        """Commits at once, as ``git fast-import`` reads them."""
        subprocess.run(["git", "fast-import", "--quiet"], cwd=self.root, input=stream.encode(), check=True)

    def write(self, **files):
        for name, text in files.items():
            self.path(name).parent.mkdir(parents=True, exist_ok=True)
            self.path(name).write_text(text)

    def path(self, name):
        return self.root / name.replace("__", "/")

    def commit(self, subject="change", **files):
        self.write(**files)
        self.clock += 3600
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repository")


class Letters:
    """An embedder that counts letters, and notes what it was asked: exact, at once, and the same everywhere."""

    name = "letters"

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked.extend(texts)
        return np.array([[1.0, *(text.count(letter) for letter in "abcdefgh")] for text in texts], np.float32)


class Folder:
    """A folder that is remembered, with a clock of its own."""

    def __init__(self, root, **config):
        self.root, self.now, self.embedder = root, 1_000_000.0, Letters()
        root.mkdir(parents=True, exist_ok=True)
        if (root / ".paragone").exists():
            self.store = Store.open(root, clock=lambda: self.now)
        else:
            self.store = Store.create(root, config=MemoryConfig(index=IndexConfig(**config)), clock=lambda: self.now)
        self.index = Index(self.store, embedder=self.embedder)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def update(self, **given):
        self.now += 100.0
        return self.index.update(**given)

    def lines(self):
        """The lines of the index log."""
        return [line for line in self.store.logs.after() if isinstance(line, IndexLine)]

    def held(self):
        """All that the index holds, in one value; times and the order of vectors left out."""
        hashes, matrix = self.index.vectors()
        return {
            "files": [
                (one.path, one.sha256, one.tokens, one.lines, one.language, one.adr) for one in self.index.files()
            ],
            "chunks": list(self.index.chunks()),
            "symbols": list(self.index.symbols()),
            "decisions": self.index.decisions(),
            "vectors": {hash: matrix[row].tobytes() for row, hash in enumerate(hashes) if hash},
        }


@pytest.fixture
def remembering(tmp_path):
    """Makes folders that are remembered, by their configuration's section ``index``."""
    made = []

    def make(name="root", **config):
        made.append(Folder(tmp_path / name, **config))
        return made[-1]

    yield make
    for folder in made:
        folder.index.close()
        folder.store.close()


@pytest.fixture
def folder(remembering):
    return remembering()
