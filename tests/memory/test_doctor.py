"""What the doctor finds: each finding from a store that has it, and none from one that has not."""

import pytest

from paragone.domain.content import Action, ContentKind, TruthSource, UsageConfig
from paragone.memory.doctor import diagnose
from paragone.memory.index import Index
from paragone.memory.scores import Scores
from paragone.memory.store import AccessLine, MemoryConfig, Store, TruthLine
from paragone.memory.store.config import SearchRankingConfig

NOW = 1_800_000_000.0
DAY = 86_400.0


class Patient:
    """A store with three files, and what the doctor says of it."""

    def __init__(self, root, **config):
        for name in ("a.py", "b.py", "c.py"):
            (root / name).write_text(f"{name[0]} = 1\n")
        self.root = root
        self.store = Store.create(root, config=MemoryConfig(**config), clock=lambda: NOW)
        self.index, self.scores = Index(self.store), Scores(self.store)

    def read(self, path, time=NOW - DAY, times=1):
        number = self.store.logs.last_seq
        self.store.logs.append(
            AccessLine(
                id=f"{number + one}",
                timestamp=time,
                session_id=f"s{number + one}",
                action=Action.READ,
                entity_type=ContentKind.FILE,
                entity_id=path,
            )
            for one in range(times)
        )

    def finding(self, subject):
        (found,) = (one for one in self.diagnosis().findings if one.subject == subject)
        return found

    def diagnosis(self):
        return diagnose(self.store, self.index, self.scores)


@pytest.fixture
def patient(tmp_path):
    return Patient(tmp_path)


def test_a_sound_store_has_nothing_broken(patient):
    patient.index.update(vectors=False)
    patient.read("a.py")

    found = patient.diagnosis()

    assert not found.is_broken
    assert {one.severity for one in found.findings} <= {"fine", "advice"}
    assert len(found.steady) == 24


def test_without_evidence_and_index_it_says_how_to_get_them(patient):
    assert (patient.finding("evidence").severity, patient.finding("index").severity) == ("advice", "warning")
    assert patient.finding("evidence").advice.endswith("paragone memory learn-git")
    assert patient.finding("index").advice == "paragone memory index"


def test_files_that_changed_since_are_named(patient):
    patient.index.update(vectors=False)
    (patient.root / "b.py").write_text("b = 22222\n")
    (patient.root / "c.py").unlink()

    found = patient.finding("index")

    assert found.severity == "advice"
    assert "2 files of 3" in found.says
    assert "b.py, c.py" in found.says


def test_an_index_that_cannot_be_read_is_broken_and_the_rest_is_said_all_the_same(patient):
    patient.index.update(vectors=False)
    patient.index.close()
    for path in patient.store.path.glob("index.db*"):
        path.write_bytes(b"no database at all" * 100)
    patient.index = Index(patient.store)

    found = patient.diagnosis()

    assert found.is_broken
    assert (found.findings[0].subject, found.findings[0].advice) == ("index", "paragone memory index")
    assert "20.8 days" in patient.finding("forgetting").says


def test_a_line_that_is_wrong_is_broken_and_one_that_a_kill_cut_is_not(patient):
    patient.read("a.py", times=2)
    log = patient.store.path / "logs" / "access_log.jsonl"
    log.write_bytes(log.read_bytes() + b'{"id": "half')
    assert patient.finding("logs").severity == "warning"
    assert not patient.diagnosis().is_broken

    log.write_bytes(log.read_bytes().replace(b'"read"', b'"lick"', 1))
    found = patient.finding("logs")
    assert found.severity == "broken"
    assert "access_log.jsonl: 2 damaged lines" in found.says
    assert patient.diagnosis().is_broken


def test_times_ahead_and_times_that_go_back_are_told_apart(patient):
    patient.read("a.py", NOW + 3600.0)
    assert "1 line dated after now" in patient.finding("clock").says
    assert patient.finding("clock").severity == "warning"


def test_acts_dated_long_before_those_logged_earlier_are_counted(patient):
    patient.read("a.py", NOW - DAY)
    patient.read("b.py", NOW - 3 * DAY)
    patient.read("c.py", NOW - 1.5 * DAY)  # late by half a day: that happens

    assert patient.finding("clock").says.startswith("1 act dated over a day before")


def test_how_much_has_no_truth_is_told_and_an_echo_chamber_named(patient):
    patient.index.update(vectors=False)
    patient.read("a.py", NOW, times=150)
    patient.read("b.py", NOW)
    assert "100% of 2 files" in patient.finding("truth").says

    patient.store.logs.append(
        [TruthLine(entity_type=ContentKind.FILE, entity_id="a.py", source=TruthSource.SUPPLIED, r=0.1)]
    )
    assert "50% of 2 files" in patient.finding("truth").says
    assert "a.py" in patient.finding("echo chambers").says


@pytest.mark.parametrize(
    ("zero_sum", "rank_by", "severity", "cure"),
    [
        (True, "elo", "warning", 'rank_by = "need"'),
        (True, "need", "fine", ""),  # as `learn-git` leaves every store: the order does not rest on the running Elo
        (False, "need", "warning", "zero_sum = true"),
    ],
)
def test_unpaid_reads_inflate_a_pool_which_matters_where_elo_orders_or_grows_for_ever(
    tmp_path, zero_sum, rank_by, severity, cure
):
    patient = Patient(tmp_path, ratings=UsageConfig(zero_sum=zero_sum), ranking=SearchRankingConfig(rank_by=rank_by))
    patient.index.update(vectors=False)
    patient.read("a.py", times=60)

    found = patient.finding("inflation")

    assert (found.severity, bool(found.advice)) == (severity, bool(cure))
    assert cure in found.advice


def test_a_tier_that_nothing_can_reach_is_advice(tmp_path):
    patient = Patient(tmp_path, ratings=UsageConfig(fold_decay=True))
    patient.index.update(vectors=False)
    patient.read("a.py")

    found = patient.finding("tiers")

    assert found.severity == "advice"
    assert "every 1 days stands at" in found.says


def test_the_true_half_life_is_said(patient):
    says = patient.finding("forgetting").says

    assert "20.8 days" in says
    assert "1600 shows as 1094 after 30" in says
