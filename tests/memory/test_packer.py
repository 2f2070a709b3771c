"""Packs of real files: the budget holds to the last token, what is packed is what is there now, and says so."""

import hashlib
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paragone.domain.content import Action, ContentKind, TruthSource
from paragone.errors import InvalidConfig, NotFound
from paragone.memory import Memory
from paragone.memory.index import Index, count_tokens
from paragone.memory.packing import Packer, manifest, manifest_text
from paragone.memory.prune import Pruner
from paragone.memory.scores import Scores
from paragone.memory.store import AccessLine, MemoryConfig, Store, TruthLine
from paragone.memory.store.config import PackConfig
from paragone.memory.store.lines import SessionLine
from paragone.wire.pack import PackForm

NOW = 1_790_000_000.0
DAY = 86_400.0
ROOM = 6500
"""Tokens for one of the modules and the signatures of the others."""
FULL, PARTIAL, SIGNATURES, POINTER, EXCLUDED = PackForm


def module(name, functions=30):
    """A module whose signatures are a tenth of it."""
    body = "".join(f'    total = {number} + len("{name} says {number}, at length")\n' for number in range(8))
    return "".join(f"def {name}_{number}(\n    first: int,\n) -> int:\n{body}\n\n" for number in range(functions))


FILES = {
    "AGENTS.md": "# Rules\n\nBe kind.\n",
    "src/hot.py": module("hot"),
    "src/warm.py": module("warm"),
    "src/cold.py": module("cold"),
    "notes/fence.md": "# Fences\n\n````\n```\n]]></file>\n````\n",
    "notes/long.txt": "nothing to outline here, and a long line of it\n" * 100,
    "private/plan.md": "# Plan\n",
}


USES = (("src/hot.py", 0.1), ("src/hot.py", 0.2), ("src/hot.py", 0.5), ("src/warm.py", 9.0))
"""Which file, and how many days ago."""


class Words:
    """Texts as counts of their words, hashed: near where they share words."""

    name = "words"

    def embed(self, texts):
        made = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                made[row, int(hashlib.sha256(word.encode()).hexdigest(), 16) % 64] += 1.0
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)


class Place:
    """A store of these files, indexed, with uses of two of them."""

    def __init__(self, folder, files=FILES, uses=USES, **config):
        root = folder / "root"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        self.store = Store.create(root, config=MemoryConfig(**config), clock=lambda: NOW)
        self.index = Index(self.store, embedder=Words())
        self.index.update(vectors=False)
        self.scores = Scores(self.store)
        self.packer = Packer(self.store, self.index, self.scores)
        for path, ago in uses:
            self.use(path, ago)

    def use(self, path, days_ago, action=Action.READ):
        line = AccessLine(action=action, entity_type=ContentKind.FILE, entity_id=path, timestamp=NOW - days_ago * DAY)
        self.store.logs.append([line])

    def truth(self, path, r):
        line = TruthLine(entity_type=ContentKind.FILE, entity_id=path, source=TruthSource.SUPPLIED, r=r)
        self.store.logs.append([line])

    def pack(self, **named):
        return self.packer.pack(as_of=NOW, **named)

    def close(self):
        self.index.close()
        self.scores.close()
        self.store.close()


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("shared"))
    yield made
    made.close()


def forms(pack):
    return {one.path: one.form for one in pack.manifest}


def test_the_most_needed_are_whole_and_the_budget_holds(shared):
    pack = shared.pack(tokens=ROOM)
    assert forms(pack)["src/hot.py"] is FULL
    assert (forms(pack)["src/warm.py"], forms(pack)["src/cold.py"]) == (PARTIAL, SIGNATURES)
    assert pack.tokens == count_tokens(pack.text) <= ROOM
    whole = sum(count_tokens(text) for text in FILES.values())
    assert pack.full_tokens == whole
    assert pack.saving == pytest.approx(1.0 - pack.tokens / whole)
    assert module("hot") in pack.text
    assert "\n  def cold_29(first: int) -> int\n" in pack.text
    assert "cold says" not in pack.text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(150, 12_000), st.sampled_from(["budget", "tiers"]), st.sampled_from(["markdown", "xml"]))
def test_no_pack_exceeds_its_budget_and_what_is_pinned_is_in_each(shared, tokens, mode, form):
    pack = shared.pack(tokens=tokens, mode=mode, form=form)
    assert pack.tokens == count_tokens(pack.text) <= tokens
    assert forms(pack)["AGENTS.md"] is not EXCLUDED
    assert set(forms(pack)) == set(FILES)


def test_the_same_input_gives_the_same_bytes(shared):
    first = shared.pack(tokens=ROOM)
    other = Packer(shared.store, Index(shared.store), Scores(shared.store)).pack(as_of=NOW, tokens=ROOM)
    assert (first.text, manifest_text(first)) == (other.text, manifest_text(other))


def test_what_is_pinned_comes_first(shared):
    assert shared.pack(tokens=ROOM).manifest[0].path == "AGENTS.md"
    text = shared.pack(tokens=ROOM).text
    assert text.index("AGENTS.md") < text.index("src/hot.py")


def test_where_nothing_is_pinned_only_the_heading_is_told(tmp_path):
    (tmp_path / "a.py").write_text("a = 1\n")
    with Memory.create(tmp_path) as memory:
        memory.index(vectors=False)
        with pytest.raises(InvalidConfig, match=r"no room for its heading, which takes about \d+: .*pack\.tokens\)$"):
            memory.pack(tokens=5)


def test_a_budget_without_room_for_what_is_pinned_is_refused_with_what_it_takes(shared):
    with pytest.raises(
        InvalidConfig, match=r"no room for its heading and 1 pinned file as pointers, which take about \d+"
    ):
        shared.pack(tokens=20)
    for named in ({"mode": "tier"}, {"form": "html"}):
        with pytest.raises(InvalidConfig, match=r"is .* or .*, not"):
            shared.pack(**named)


def test_the_manifest_names_every_file_with_hash_tier_form_and_reason(shared):
    pack = shared.pack(tokens=2000)
    values = manifest(pack)
    assert json.loads(manifest_text(pack)) == values
    assert values["sha256"] == hashlib.sha256(pack.text.encode()).hexdigest()
    assert {row["path"]: row["sha256"] for row in values["files"]} == {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in FILES.items()
    }
    assert sum(row["tokens"] for row in values["files"]) <= pack.tokens
    assert all(row["reason"] and row["tier"] in {"high", "medium", "low", "very low"} for row in values["files"])
    assert sum(values["counts"].values()) == len(FILES)


def test_tiers_are_the_documents_thresholds_of_the_decayed_rating(tmp_path):
    place = Place(tmp_path)
    place.use("src/hot.py", 0.0)
    place.use("private/plan.md", 0.0)
    pack = place.pack(mode="tiers")
    made = {one.path: (str(one.tier), one.form) for one in pack.manifest}
    assert made["AGENTS.md"] == ("high", FULL)
    assert made["src/hot.py"] == ("medium", SIGNATURES)
    assert made["src/warm.py"] == ("low", POINTER)
    assert pack.budget is None
    [plan] = [one for one in pack.manifest if one.path == "private/plan.md"]
    assert (plan.form, plan.reason.rpartition(" ")[0]) == (SIGNATURES, "medium tier at")
    place.close()


def test_low_r_is_one_form_down_and_unknown_r_is_not(place):
    place.use("src/hot.py", 0.0)
    place.truth("src/hot.py", 0.2)
    tiers = {one.path: one for one in place.pack(mode="tiers").manifest}
    assert (tiers["src/hot.py"].form, tiers["src/hot.py"].reason.split("; ")[1]) == (
        POINTER,
        "R is low: one form down",
    )
    budget = {one.path: one for one in place.pack(tokens=100_000).manifest}
    assert budget["src/hot.py"].form is SIGNATURES
    assert "R is low: signatures at most" in budget["src/hot.py"].reason
    assert budget["src/cold.py"].form is FULL
    place.truth("src/hot.py", 5.0)
    assert forms(place.pack(tokens=100_000))["src/hot.py"] is FULL


def test_what_is_packed_is_what_is_there_now(place):
    changed = module("renewed")
    (place.store.root / "src/hot.py").write_text(changed)
    (place.store.root / "src/warm.py").unlink()
    (place.store.root / "src/cold.py").write_text('key = "AKIA' + "ABCDEFGHIJKLMNOP" + '"\n')
    pack = place.pack(tokens=ROOM)
    rows = {one.path: one for one in pack.manifest}
    assert rows["src/hot.py"].sha256 == hashlib.sha256(changed.encode()).hexdigest()
    assert rows["src/hot.py"].form is FULL
    assert changed in pack.text
    assert "changed since it was indexed" in rows["src/hot.py"].reason
    assert (rows["src/warm.py"].form, "there is no file" in rows["src/warm.py"].reason) == (EXCLUDED, True)
    assert (rows["src/cold.py"].form, "secret" in rows["src/cold.py"].reason) == (EXCLUDED, True)
    assert "src/warm.py" not in pack.text
    assert "AKIA" not in pack.text
    small = place.pack(tokens=700)
    assert "renewed_3" in small.text, "signatures are those of the file as it is"


@pytest.mark.parametrize("mode", ["budget", "tiers"])
def test_excluded_paths_and_secrets_are_never_packed(tmp_path, mode):
    place = Place(tmp_path, pack=PackConfig(exclude=("private/", "AGENTS.md")))
    (place.store.root / ".env").write_text("TOKEN=1\n")
    place.index.update(vectors=False)
    pack = place.pack(mode=mode, tokens=100_000)
    rows = {one.path: one for one in pack.manifest}
    for path in ("private/plan.md", "AGENTS.md"):
        assert (rows[path].form, rows[path].reason) == (EXCLUDED, "excluded by pack.exclude")
        assert path not in pack.text
    assert "TOKEN" not in pack.text
    assert ".env" not in rows
    place.close()


def test_hostile_content_stays_quoted_in_a_whole_pack(shared):
    root = ET.fromstring(shared.pack(tokens=100_000, form="xml").text)
    quoted = {child.get("path"): child.text for child in root if child.tag == "file"}
    assert quoted["notes/fence.md"] == "\n" + FILES["notes/fence.md"]
    assert f"~~~markdown\n{FILES['notes/fence.md']}~~~\n" in shared.pack(tokens=100_000).text


def test_a_query_brings_in_what_it_finds(tmp_path):
    place = Place(tmp_path, uses=())
    without, asked = place.pack(tokens=2000), place.pack(tokens=2000, query="what warm_27 says")
    assert (forms(without)["src/warm.py"], forms(asked)["src/warm.py"]) == (SIGNATURES, PARTIAL)
    [row] = [one for one in asked.manifest if one.path == "src/warm.py"]
    [unit] = [one for one in row.units if one.name == "warm_27"]
    body = "def warm_27" + module("warm").partition("def warm_27")[2].partition("def ")[0]
    assert (unit.form, unit.tokens) == (FULL, count_tokens(body))
    assert "answers the query at 1.00" in unit.reason
    assert "warm_27 says" not in without.text
    assert asked.tokens <= 2000
    place.close()


def test_without_an_index_there_is_nothing_to_pack_or_prune(tmp_path):
    store = Store.create(tmp_path)
    index, scores = Index(store), Scores(store)
    for call in (Packer(store, index, scores).pack, Pruner(store, index, scores).plan):
        with pytest.raises(NotFound, match="nothing is indexed yet; begin with: paragone memory index"):
            call(as_of=NOW)


def test_of_many_files_the_worthiest_are_looked_at_and_the_others_named(tmp_path):
    many = {f"a{number}.md": f"# Note {number}\n" for number in range(300)}
    place = Place(tmp_path, {**many, "src/hot.py": module("hot", 3), "src/warm.py": "pass\n"})
    pack = place.pack(tokens=400)
    assert pack.tokens <= 400
    assert len(pack.manifest) == 302
    assert forms(pack)["src/hot.py"] is not EXCLUDED
    assert {one.reason for one in pack.manifest if one.form is EXCLUDED} == {"chance 0.05%; no room"}
    place.close()


def test_a_folded_file_keeps_lines_in_place_and_names_what_is_around_a_body(tmp_path):
    body = "".join(f"        total = {number} + self.size\n" for number in range(40))
    text = f"import os\n\n\nclass Pool:\n    size = 1\n\n    def cold(self):\n{body}\n    def hot(self):\n{body}"
    place = Place(tmp_path, {"a.py": text, "b.md": "# B\n"}, uses=())
    place.store.logs.append(
        [
            SessionLine(
                id="git:1",
                start_time=NOW,
                end_time=NOW,
                files_accessed=("a.py",),
                source="git",
                changed=(("a.py", "hot"),),
            )
        ]
    )
    pack = place.pack(tokens=750)
    folded = pack.text.partition("```python\n")[2].partition("```")[0]
    assert folded.startswith("import os\nclass Pool") or "class Pool" in folded
    assert f"    def hot(self):\n{body}" in folded
    assert "    def cold(self) ...\n" in folded
    [row] = [one for one in pack.manifest if one.path == "a.py"]
    assert (row.form, {unit.name: unit.form for unit in row.units}["Pool.cold"]) == (PARTIAL, SIGNATURES)
    assert "changed lately" in {unit.name: unit.reason for unit in row.units}["Pool.hot"]
    place.close()


def test_generated_files_are_neither_packed_nor_counted_unless_asked_for(tmp_path):
    place = Place(tmp_path, {"a.py": "a = 1\n", "uv.lock": "lock = 1\n" * 50}, uses=())
    without, asked = place.pack(tokens=2000), place.pack(tokens=2000, generated=True)
    assert (forms(without)["uv.lock"], forms(asked)["uv.lock"]) == (EXCLUDED, FULL)
    assert without.full_tokens == count_tokens("a = 1\n")
    assert asked.full_tokens == count_tokens("a = 1\n") + count_tokens("lock = 1\n" * 50)
    [row] = [one for one in without.manifest if one.path == "uv.lock"]
    assert row.reason == "a lock file, left out unless asked for (--generated, pack.generated)"
    place.close()


def test_after_twenty_contradictions_a_file_is_neither_first_nor_packed_whole(place):
    for number in range(20):
        place.use("src/hot.py", number / 100, Action.CONTRADICTED)
    pack = place.pack(tokens=100_000)
    rows = {one.path: one for one in pack.manifest}
    assert (rows["src/hot.py"].form, rows["src/cold.py"].form) == (SIGNATURES, FULL)
    assert "contradicted: signatures at most" in rows["src/hot.py"].reason
    assert "hot says" not in pack.text
