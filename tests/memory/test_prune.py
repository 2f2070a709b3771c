"""Pruning: what is low, of low R and stale goes, with a reason; all else is kept, and nothing is lost."""

import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import Action, Content, ContentKind, ContentTier, TruthSource
from paragone.errors import NotFound
from paragone.memory.index import Index
from paragone.memory.prune import Pruner, verdict
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.store import AccessLine, MemoryConfig, Store, TruthLine
from paragone.memory.store.config import PruneConfig, TierConfig

NOW = 1_790_000_000.0
DAY = 86_400.0
CONFIG = PruneConfig(scope=("scratch/",))


def rating(elo=850.0, r=0.1, is_high=False, pinned=False, last_use=None):
    return ContentRating(
        content=Content(kind=ContentKind.FILE, id="a.md", path="a.md"),
        rating=elo,
        elo=elo,
        stored=elo,
        need=elo,
        tier=ContentTier.LOW,
        initial=1200.0,
        updates=1,
        uses=1,
        last_use=last_use,
        r=r,
        r_source=None if r is None else TruthSource.SUPPLIED,
        is_high=is_high,
        gate=1.0,
        pinned=pinned,
    )


@pytest.mark.parametrize(
    ("standing", "days", "action", "reason"),
    [
        (rating(), 91, "archive", "Elo 850, R 0.10 is low, untouched for 91 days"),
        (rating(elo=700.0), 91, "archive", "Elo 700, R 0.10 is low, untouched for 91 days"),
        (rating(), 90, "keep", "used, first seen or written 90 days ago"),
        (rating(elo=1200.0), 91, "keep", "Elo 1200 is not below 1200"),
        (rating(elo=1199.9), 91, "keep", "Elo 1200 is not below 1200"),
        (rating(r=2.5, is_high=True), 91, "keep", "R is high: 2.50"),
        (rating(r=None, is_high=None), 91, "keep", "R is unknown: untried"),
        (rating(pinned=True), 91, "keep", "pinned by tiers.high"),
    ],
)
def test_the_verdict_and_its_reason(standing, days, action, reason):
    assert verdict(standing, NOW - days * DAY, NOW, CONFIG, "untried") == (action, reason)


@given(
    st.floats(100.0, 4000.0),
    st.floats(0.0, 10_000.0),
    st.sampled_from([True, None, False]),
    st.booleans(),
    st.floats(100.0, 4000.0),
    st.floats(0.0, 1000.0),
)
def test_high_or_unknown_r_and_what_is_pinned_is_never_pruned(elo, days, is_high, pinned, below, stale_days):
    standing = rating(elo=elo, r=None if is_high is None else 1.0, is_high=is_high, pinned=pinned)
    config = PruneConfig(below=below, stale_days=stale_days)
    action, reason = verdict(standing, NOW - days * DAY, NOW, config, "untried")
    assert reason
    if is_high is not False or pinned or round(elo) >= below or days < stale_days:
        assert action == "keep"
    elif not math.isclose(days, stale_days, abs_tol=1e-9):
        assert action == "archive"


class Place:
    """A store whose clock stands, some files that were written, used and judged long ago, and a pruner."""

    def __init__(self, root, **config):
        self.now = NOW - 200 * DAY
        for name in ("scratch/old.md", "scratch/true.md", "scratch/unknown.md", "scratch/pinned.md", "src/main.py"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"# {name}\n")
        tiers = TierConfig(high=("scratch/pinned.md",))
        self.store = Store.create(root, config=MemoryConfig(tiers=tiers, **config), clock=lambda: self.now)
        self.index, self.scores = Index(self.store), Scores(self.store)
        self.index.update(vectors=False)
        self.pruner = Pruner(self.store, self.index, self.scores)
        rs = {"scratch/old.md": 0.1, "scratch/true.md": 3.0, "scratch/pinned.md": 0.1, "src/main.py": 0.1}
        for path, r in rs.items():
            named = {"entity_type": ContentKind.FILE, "entity_id": path}
            used = AccessLine(action=Action.READ, timestamp=self.now, **named)
            self.store.logs.append([used, TruthLine(source=TruthSource.SUPPLIED, r=r, **named)])

        for path in root.rglob("*.*"):
            if path.is_file():
                os.utime(path, (self.now, self.now))
        self.index.update(vectors=False)
        self.now = NOW

    def close(self):
        self.index.close()
        self.scores.close()
        self.store.close()


@pytest.fixture
def place(tmp_path):
    (tmp_path / "root").mkdir()
    made = Place(tmp_path / "root", prune=CONFIG)
    yield made
    made.close()


def test_by_default_nothing_is_in_the_scope(tmp_path):
    (tmp_path / "root").mkdir()
    place = Place(tmp_path / "root")
    assert place.pruner.plan(as_of=NOW).rows == ()
    assert [row.path for row in place.pruner.plan(scope=["src/"], as_of=NOW).rows] == ["src/main.py"]
    place.close()


def test_a_plan_touches_nothing_and_has_a_reason_for_each(place):
    before = {path: path.read_bytes() for path in place.store.root.rglob("*.*") if path.is_file()}
    plan = place.pruner.plan(as_of=NOW)
    assert {row.path: (row.action, row.reason) for row in plan.rows} == {
        "scratch/old.md": ("archive", "Elo 801, R 0.10 is low, untouched for 200 days"),
        "scratch/pinned.md": ("keep", "pinned by tiers.high"),
        "scratch/true.md": ("keep", "R is high: 3.00"),
        "scratch/unknown.md": ("keep", "R is unknown: no test, evidence or judge has spoken about it"),
    }
    assert [row.path for row in plan.archived] == ["scratch/old.md"]
    assert all(path.read_bytes() == data for path, data in before.items() if path.suffix == ".md")
    assert place.pruner.archived() == []


def test_what_was_written_or_first_seen_lately_is_kept_though_nobody_used_it_since(place):
    place.now = NOW - 10 * DAY
    for name, written in {"old.md": NOW - 20 * DAY, "copied.md": NOW - 300 * DAY}.items():
        path = place.store.root / "scratch" / name
        path.write_text("# Low\n")
        os.utime(path, (written, written))
        named = {"entity_type": ContentKind.FILE, "entity_id": f"scratch/{name}"}
        place.store.logs.append([TruthLine(source=TruthSource.SUPPLIED, r=0.1, **named)])
    place.index.update(vectors=False)
    reasons = {row.path: row.reason for row in place.pruner.plan(as_of=NOW).rows}
    assert reasons["scratch/old.md"] == "used, first seen or written 20 days ago"
    assert reasons["scratch/copied.md"] == "used, first seen or written 10 days ago"


def test_what_is_archived_leaves_the_index_keeps_its_ratings_and_comes_back(place):
    file = place.store.root / "scratch/old.md"
    content = Content(kind=ContentKind.FILE, id="scratch/old.md", path="scratch/old.md")
    before, moves = place.scores.ratings([content], as_of=NOW)[content], place.scores.moves(content)
    done = place.pruner.prune(place.pruner.plan(as_of=NOW))
    assert [row.path for row in done.archived] == ["scratch/old.md"]
    assert not file.exists()
    assert place.index.file("scratch/old.md") is None
    assert place.scores.ratings([content], as_of=NOW)[content] == before
    [entry] = place.pruner.archived()
    assert (entry.elo, entry.r, entry.reason) == (before.stored, 0.1, done.archived[0].reason)
    place.pruner.restore("scratch/old.md")
    assert file.read_text() == "# scratch/old.md\n"
    assert place.index.file("scratch/old.md") is not None
    place.scores.rebuild()
    assert (place.scores.ratings([content], as_of=NOW)[content], place.scores.moves(content)) == (before, moves)


def test_a_file_that_was_written_after_the_plan_is_kept(place):
    plan = place.pruner.plan(as_of=NOW)
    (place.store.root / "scratch/old.md").write_text("precious\n")
    [row] = [row for row in place.pruner.prune(plan).rows if row.path == "scratch/old.md"]
    assert (row.action, row.reason) == ("keep", "changed since it was indexed")
    assert (place.store.root / "scratch/old.md").read_text() == "precious\n"


def test_a_file_that_is_gone_or_became_a_link_is_kept_out_of_it(place):
    plan = place.pruner.plan(as_of=NOW)
    (place.store.root / "scratch/old.md").unlink()
    [row] = [row for row in place.pruner.prune(plan).rows if row.path == "scratch/old.md"]
    assert (row.action, row.reason) == ("keep", "there is no file 'scratch/old.md'")
    (place.store.root / "scratch/old.md").symlink_to("true.md")
    [row] = [row for row in place.pruner.prune(plan).rows if row.path == "scratch/old.md"]
    assert row.reason.endswith("is a link or not a regular file, and stays as it is")


def test_what_the_archive_does_not_hold_cannot_be_restored(place):
    with pytest.raises(NotFound, match=r"paragone memory restore lists what it holds"):
        place.pruner.restore("scratch/never.md")
