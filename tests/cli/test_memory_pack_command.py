"""``paragone memory pack``, ``prune`` and ``restore``, as a person types them."""

import hashlib
import json

import pytest

from paragone.domain.content import ContentKind, TruthSource
from paragone.memory import Memory
from paragone.memory.index import count_tokens
from paragone.memory.store import MemoryConfig, Store, TruthLine
from paragone.memory.store.config import PruneConfig

FILES = {
    "AGENTS.md": "# Rules\n\nBe kind.\n",
    "src/rating.py": "def expected_score(\n    a,\n    b,\n):\n" + "    a = a - b\n" * 60 + "    return a\n",
    "scratch/old.md": "# Old\n\x1b[2J\n",
    "scratch/new.md": "# New\n",
}


@pytest.fixture
def remembered(home, prepared):
    """A folder that is remembered, with short-term memory of which one file is known to be noise."""

    def index():
        for name, text in FILES.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        prune = PruneConfig(scope=("scratch/",), below=2000.0, stale_days=0.0)
        with Memory.create(home, config=MemoryConfig(prune=prune)) as memory:
            memory.index(vectors=False)
        supplied = {"entity_type": ContentKind.FILE, "entity_id": "scratch/old.md", "source": TruthSource.SUPPLIED}
        with Store.open(home) as store:
            store.logs.append([TruthLine(**supplied, r=0.1)])

    return prepared(index)


def test_a_pack_is_printed_within_its_budget_and_says_what_it_took(paragone, remembered):
    shown = paragone("memory", "pack", "--tokens", "300")
    assert (shown.code, count_tokens(shown.out) <= 300) == (0, True)
    assert "src/rating.py\n  def expected_score(a, b)\n" in shown.out
    assert f"{count_tokens(shown.out)} tokens of 300, " in shown.err


def test_it_is_written_with_its_manifest(paragone, remembered):
    done = paragone("memory", "pack", "--form", "xml", "-o", "pack.xml", "--manifest", "manifest.json")
    assert (done.code, done.out) == (0, "")
    text = (remembered / "pack.xml").read_text()
    values = json.loads((remembered / "manifest.json").read_text())
    assert text.startswith("<pack>\n")
    assert values["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert {row["path"] for row in values["files"]} >= set(FILES)


def test_explain_has_a_reason_for_each(paragone, remembered):
    shown = paragone("memory", "pack", "--explain", "--mode", "tiers")
    assert shown.out.split()[:5] == ["form", "tokens", "tier", "path", "reason"]
    assert "pinned by tiers.high" in shown.out
    assert "R is low: one form down" in shown.out


def test_json_is_the_manifest_and_the_text(paragone, remembered):
    values = paragone("memory", "pack", "--json", "--tokens", "300").json
    assert count_tokens(values["text"]) == values["tokens"] <= 300
    assert "text" not in paragone("memory", "pack", "--json", "-o", "pack.md").json


def test_a_query_without_vectors_goes_by_words(paragone, remembered):
    values = paragone("memory", "pack", "--query", "expected score", "--json").json
    [row] = [row for row in values["files"] if row["path"] == "src/rating.py"]
    assert "answers the query at 1.00" in row["units"][0]["reason"]


def test_generated_files_are_asked_for(paragone, remembered):
    (remembered / "uv.lock").write_text("version = 1\n")
    paragone("memory", "index", "--no-vectors")
    assert "a lock file, left out unless asked for" in paragone("memory", "pack", "--explain").out
    assert "version = 1" in paragone("memory", "pack", "--generated").out


def test_what_cannot_be_is_refused(paragone, remembered):
    refused = paragone("memory", "pack", "--tokens", "10")
    assert refused.code == 2
    assert "has no room for its heading" in refused.err
    assert paragone("memory", "pack", "--tokens", "0").code == 2
    assert paragone("memory", "restore", "never.md").code == 2


def test_prune_says_first_and_does_it_when_told_and_restore_brings_back(paragone, remembered):
    dry = paragone("memory", "prune")
    assert "1 file to be archived, nothing done yet: --archive does it" in dry.out
    assert "R 0.10 is low" in dry.out
    assert "R is unknown" in dry.out
    assert (remembered / "scratch/old.md").exists()
    done = paragone("memory", "prune", "--archive")
    assert "1 file archived; paragone memory restore brings them back" in done.out
    assert not (remembered / "scratch/old.md").exists()
    listed = paragone("memory", "restore")
    assert "scratch/old.md" in listed.out
    assert paragone("memory", "restore", "--json").json[0]["r"] == 0.1
    (remembered / "scratch/old.md").write_text("another\n")
    refused = paragone("memory", "restore", "scratch/old.md")
    assert (refused.code, "with --force" in refused.err) == (2, True)
    assert paragone("memory", "restore", "scratch/old.md", "--force").out == "restored scratch/old.md\n"
    assert (remembered / "scratch/old.md").read_text() == FILES["scratch/old.md"]


def test_prune_as_json_and_with_another_scope(paragone, remembered):
    values = paragone("memory", "prune", "--json", "--scope", "src/", "--yes").json
    assert (values["scope"], values["done"], values["archive"]) == (["src/"], True, 0)
    assert [(row["path"], row["action"], row["reason"]) for row in values["files"]] == [
        ("src/rating.py", "keep", "R is unknown: no test, evidence or judge has spoken about it")
    ]
    assert paragone("memory", "prune", "--scope", "nothing/").out == "nothing to archive\n"
