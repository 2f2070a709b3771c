"""Chunks that processes of this machine or a Dask cluster embed: the same bits, whatever dies."""

import os
import signal

import numpy as np
import pytest

from paragone.errors import InvalidConfig, ServerFailed
from paragone.intake.parallel import LOCAL
from paragone.memory import Memory

WORDS = ["tea", "milk", "water", "cup", "leaf", "pot", "kettle", "sugar", "lemon", "spoon", "honey", "ginger"]


@pytest.fixture
def garden(tmp_path, monkeypatch):
    """A folder of thirty files, and batches small enough to make eight of them."""
    monkeypatch.setattr("paragone.memory.index.vector_file._BATCH", 4)
    folder = tmp_path / "garden"
    folder.mkdir()
    for number in range(30):
        text = " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 3 + number % 9))
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\n{text}\n")
    return folder


def indexed(folder, store, **options):
    """The run, and the vectors by hash, of a new store."""
    with Memory.create(folder, store=folder.parent / store) as memory:
        run = memory.index(**options)
        hashes, matrix = memory._components.index._read_vectors()
        return run, {hash: np.array(row) for hash, row in zip(hashes, matrix, strict=True)}


def assert_same(folder, there):
    (here_run, here), (run, vectors) = indexed(folder, ".here"), there
    assert (run.files, run.chunks, run.embedded) == (here_run.files, here_run.chunks, here_run.embedded)
    assert run.embedded == len(vectors) == 30
    assert vectors.keys() == here.keys()
    assert all(np.array_equal(vectors[hash], here[hash]) for hash in here)


def test_processes_of_this_machine_embed_the_same_bits_and_what_is_left_is_embedded_later(garden):
    there = indexed(garden, ".there", on=LOCAL)
    assert_same(garden, there)
    (garden / "note-31.md").write_text("# Another\n\nmilk and tea\n")
    with Memory.open(garden, store=garden.parent / ".there") as memory:
        assert memory.index(vectors=False).embedded == 0
        run = memory.index()
        assert (run.embedded, run.added) == (1, ())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_embeds_the_same_bits(garden, deep):
    """With --deep: parts of an index go to a cluster as files of votes do, whose tests have a real one in each run."""
    if not deep:
        pytest.skip("embedded with --deep")
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killed = []

        def kill_one(progress):
            if progress.embedded and not killed:
                killed.append(victim)
                os.kill(victim, signal.SIGKILL)

        assert_same(garden, indexed(garden, ".there", on=cluster.scheduler_address, progress=kill_one))
        assert killed


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_asked_for_is_said_and_files_stay_indexed(garden, monkeypatch):
    monkeypatch.setattr("paragone.intake.parallel._PATIENCE", 0.05)
    with Memory.create(garden, store=garden.parent / ".there") as memory:
        with pytest.raises(ServerFailed, match="dask scheduler"):
            memory.index(on="tcp://127.0.0.1:9")
        assert memory.index().embedded == 30

    class Own:
        name = "own"

        def embed(self, texts):
            return np.ones((len(texts), 3), np.float32)

    from paragone.memory.index import Index

    index = Index(memory.store, embedder=Own())
    with pytest.raises(InvalidConfig, match="only the local embedder"):
        index.update(on=LOCAL)
