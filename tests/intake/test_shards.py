"""Files that are counted lead to the fit of all their votes, wherever they are counted."""

import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paragone
from paragone.errors import InvalidConfig, InvalidVotes, ServerFailed, UnreadableFile
from paragone.intake import read_votes
from paragone.intake.parallel import LOCAL
from paragone.intake.vote import Vote, VoteOptions, Votes
from paragone.intake.vote_arrays import VoteArrays
from paragone.intake.vote_counts import VoteCounts, count_shards

OPTIONS = VoteOptions()
VOTES = st.builds(
    Vote,
    a=st.sampled_from("abc"),
    b=st.sampled_from("def"),
    score=st.sampled_from([0.0, 0.5, 1.0, 0.1, 1 / 3]),
    weight=st.sampled_from([1.0, 0.25, 3.0]),
    judge=st.sampled_from([None, "j", "k"]),
)


def shown(counts: VoteCounts) -> dict[tuple[object, ...], tuple[int, float]]:
    """How often each different vote was cast, and its weights, by names."""
    arrays = counts.arrays
    rows = zip(arrays.a, arrays.b, arrays.judge, arrays.score, arrays.tie, counts.votes, arrays.weight, strict=True)
    return {
        (arrays.names[a], arrays.names[b], arrays.judges[judge], float(score), bool(tie)): (int(votes), float(weight))
        for a, b, judge, score, tie, votes, weight in rows
    }


def expected(votes: list[Vote]) -> dict[tuple[object, ...], tuple[int, float]]:
    keys = [(vote.a, vote.b, vote.judge, vote.score, vote.tie) for vote in votes]
    counts, weights = Counter(keys), Counter[tuple[object, ...]]()
    for key, vote in zip(keys, votes, strict=True):
        weights[key] += vote.weight  # type: ignore[assignment]  # weights are binary fractions: sums are exact
    return {key: (count, weights[key]) for key, count in counts.items()}


def counted(votes: list[Vote]) -> VoteCounts:
    return VoteCounts.of(VoteArrays.of(Votes(votes)))


@given(parts=st.lists(st.lists(VOTES, max_size=12), min_size=1, max_size=4))
def test_counts_are_those_of_all_votes_however_they_are_split(parts):
    whole = [vote for part in parts for vote in part]
    assert shown(VoteCounts.merged([counted(part) for part in parts])) == expected(whole)


@settings(max_examples=settings().max_examples // 4)
@given(votes=st.lists(VOTES, min_size=1, max_size=30), names=st.integers(1, 400))
def test_a_table_of_all_combinations_counts_as_sorting_does(votes, names):
    """With many names there are more combinations than rows, and rows are sorted."""
    arrays = VoteArrays.of(Votes(votes))
    more = tuple(f"n{number}" for number in range(names))
    assert shown(VoteCounts.of(replace(arrays, names=(*arrays.names, *more)))) == expected(votes)


def write(folder: Path, number: int, rows: int, suffix: str = ".csv", seed: int = 0) -> Path:
    """A file of votes on five items of known strength."""
    rng = np.random.default_rng([seed, number])
    strength = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    a = rng.integers(0, 5, rows)
    b = (a + rng.integers(1, 5, rows)) % 5
    wins = rng.random(rows) < 1 / (1 + np.exp(strength[b] - strength[a]))
    said = np.where(rng.random(rows) < 0.1, "tie", np.where(wins, "a", "b"))
    path = folder / f"votes-{number}{suffix}"
    columns = {"a": [f"m{i}" for i in a], "b": [f"m{i}" for i in b], "winner": said.tolist()}
    if suffix == ".parquet":
        from pyarrow import parquet, table

        parquet.write_table(table(columns), path)
    else:
        lines = ["a,b,winner", *(",".join(row) for row in zip(*columns.values(), strict=True))]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def files(tmp_path) -> list[Path]:
    return [write(tmp_path, number, 400, ".parquet" if number % 2 else ".csv") for number in range(4)]


@pytest.fixture
def one_file(files, tmp_path) -> Path:
    """The votes of all files in one."""
    import pandas as pd

    frames = [pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file) for file in files]
    pd.concat(frames).to_csv(tmp_path / "all.csv", index=False)
    return tmp_path / "all.csv"


def test_the_board_is_that_of_one_file_with_all_votes(files, one_file):
    board, whole = paragone.fit_shards(files), paragone.fit(one_file, repeats=False)
    assert [row.id for row in board.items] == [row.id for row in whole.items] == ["m4", "m3", "m2", "m1", "m0"]
    for row, other in zip(board.items, whole.items, strict=True):
        assert row.rating == pytest.approx(other.rating, abs=0.02)
        assert (row.wins, row.losses, row.ties, row.matches) == (other.wins, other.losses, other.ties, other.matches)
        assert (row.rank_low, row.rank_high) == (other.rank_low, other.rank_high)
    assert board.spending.decisions == 1600
    assert not board.is_elo_telling


def test_a_plain_fit_of_counts_is_the_plain_fit_of_the_votes(files, one_file):
    counts, whole = paragone.fit_shards(files, plain=True), paragone.fit(one_file, plain=True)
    assert [row.rating for row in counts.items] == pytest.approx([row.rating for row in whole.items], abs=1e-3)


def test_progress_tells_how_many_files_are_counted(files):
    seen: list[tuple[int, int]] = []
    paragone.fit_shards(files, on_counted=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_what_is_wrong_with_a_file_is_said_from_wherever_it_is_read(files, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b,winner\nx,y,perhaps\n", "utf-8")
    for those, on in (([*files, wrong], None), ([wrong], LOCAL)):
        with pytest.raises(InvalidVotes, match=r"wrong.csv.*perhaps"):
            count_shards(those, OPTIONS, on=on)
    with pytest.raises(UnreadableFile, match=r"absent.csv: no such file"):  # from elsewhere: see the cluster below
        count_shards([*files, tmp_path / "absent.csv"], OPTIONS)


def test_files_whose_numbers_of_winners_differ_are_asked_about(tmp_path):
    cells = {"scores": "01", "ones": "1", "numbered": "12", "tied": "012", "words": "ab"}
    path = {name: tmp_path / f"{name}.csv" for name in cells}
    for name, winners in cells.items():
        path[name].write_text("a,b,winner\n" + "".join(f"x,y,{winner}\n" for winner in winners))
    for alike in (["scores", "ones", "words"], ["ones", "tied", "words", "numbered"]):
        assert count_shards([path[name] for name in alike], OPTIONS).votes.sum() == sum(
            len(cells[name]) for name in alike
        )
    with pytest.raises(InvalidVotes, match="a 0 is a tie in some and a loss in others: say with --codes"):
        count_shards([path["tied"], path["scores"]], OPTIONS)
    counts = count_shards([path["tied"], path["scores"]], VoteOptions(codes="1,2,0"))
    assert shown(counts) == expected(read_votes(path["tied"]) + read_votes(path["tied"])[:2])


def test_counts_cannot_allow_for_repeats(files):
    with pytest.raises(InvalidConfig, match="do not say which repeat"):
        paragone.fit_shards(files, repeats=True)
    with pytest.raises(UnreadableFile, match="at least one"):
        paragone.fit_shards([])


def test_a_file_that_is_named_twice_is_refused(files, tmp_path):
    again = tmp_path / ".." / tmp_path.name / "again.csv"
    again.write_text("a,b,winner\nx,y,x\n", "utf-8")
    for of_files in (paragone.fit_shards, paragone.fit):
        with pytest.raises(InvalidConfig, match=r"again.csv is named twice: its votes would count twice"):
            of_files([tmp_path / "again.csv", *files, again])


def test_a_file_whose_process_is_killed_is_counted_by_another_to_the_same_bits(files, tmp_path):
    victims: list[int] = []
    copies = [Path(copy(file, tmp_path / f"{number}-{file.name}")) for number in range(2) for file in files]

    def kill_one(done: int, total: int) -> None:
        if not victims:
            victims.extend(children(os.getpid()))
            os.kill(victims[0], signal.SIGKILL)

    board = paragone.fit_shards([*files, *copies], on=LOCAL, on_counted=kill_one)
    assert victims
    assert board.spending.decisions == 3 * 1600
    assert board == paragone.fit_shards([*files, *copies])


def children(process: int) -> list[int]:
    """Processes that count, started by another one."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[1]) == process and b"spawn_main" in line:
                found.append(int(folder.name))
    return found


@pytest.fixture(scope="module")
def cluster():
    """A real Dask cluster on this machine, of two worker processes, which are forked from one that has loaded Dask."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made,
    ):
        yield made


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_counts_the_same_and_survives_the_kill_of_a_worker(cluster, tmp_path):
    files = [write(tmp_path, number, 5_000, ".parquet") for number in range(6)]
    here = paragone.fit_shards(files)
    assert paragone.fit_shards(files, on=cluster.scheduler_address) == here
    processes = [worker.pid for worker in cluster.workers.values()]

    def kill_one(done: int, total: int) -> None:
        if done == 2:
            os.kill(processes[0], signal.SIGKILL)
            time.sleep(0.1)

    assert paragone.fit_shards(files, on=cluster.scheduler_address, on_counted=kill_one) == here
    with pytest.raises(UnreadableFile, match="no such file"):
        paragone.fit_shards([tmp_path / "absent.parquet", *files], on=cluster.scheduler_address)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_replicates_are_the_same_on_a_cluster_that_loses_a_worker(cluster, files):
    here = paragone.fit_shards(files, bootstrap=100)
    processes = [worker.pid for worker in cluster.workers.values()]

    def kill_one(done: int, total: int) -> None:
        if done == total // 2:
            os.kill(processes[0], signal.SIGKILL)
            time.sleep(0.1)

    there = paragone.fit_shards(files, on=cluster.scheduler_address, bootstrap=100, on_replicate=kill_one)
    assert there == here
    assert here.bootstrap is not None
    assert here.bootstrap.replicates == 100


@pytest.mark.filterwarnings("ignore")
def test_no_scheduler_at_the_address_is_an_error_that_says_how_to_start_one(files, monkeypatch):
    monkeypatch.setattr("paragone.intake.parallel._PATIENCE", 0.05)
    with pytest.raises(ServerFailed, match="dask scheduler"):
        paragone.fit_shards(files, on="tcp://127.0.0.1:9")
