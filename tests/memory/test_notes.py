"""Notes that agents write: merged when alike, replaced, contradicted, valid in time, packed and rated like files."""

import pytest

from paragone.domain.content import TruthSource
from paragone.errors import InvalidConfig, InvalidRecord, NotFound, UsageError
from paragone.memory import Memory
from paragone.memory.notes.note import Note, parse, slug, written
from paragone.memory.store import MemoryConfig
from paragone.memory.store.config import NotesConfig

DAY = 86_400.0
OLD, NEW = "The cache holds 500 entries of each kind.", "The cache holds 900 entries of each kind."


class Clock:
    now = 1_790_000_000.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    (tmp_path / "cache.py").write_text("LIMIT = 900\n")
    with Memory.create(tmp_path, agent_id="reviewer", clock=clock) as opened:
        opened.index(vectors=False)
        yield opened


def test_a_note_is_a_file_that_is_searched_and_rated_like_any(memory):
    added = memory.notes.add(OLD, source="cache.py", tags=["limits", "#cache"])
    note = added.note
    assert (added.merged, note.author, note.tags, note.sources) == (
        False,
        "reviewer",
        ("limits", "cache"),
        ("cache.py",),
    )
    assert note.path.startswith("notes/the-cache-holds-500-entries-of-")
    assert memory.search("cache entries", what="file").results[0].path == note.path
    memory.used(f"note:{note.id}")
    assert memory.rating(note.path).uses == 1
    assert OLD in memory.pack(tokens=2000).text


def test_what_says_the_same_is_merged_and_another_number_is_a_question(memory):
    first = memory.notes.add(OLD, source="cache.py")
    again = memory.notes.add("Of each kind, the cache holds 500 entries.", source="ann", tags=["limits"])
    assert (again.merged, again.note.id, again.note.sources) == (True, first.note.id, ("cache.py", "ann"))
    other = memory.notes.add(NEW)
    assert (other.merged, [note.id for note in other.questions]) == (False, [first.note.id])
    assert len(memory.notes.all()) == 2


def test_a_replaced_note_is_packed_no_more_and_its_r_is_low(memory):
    old = memory.notes.add(OLD).note
    new = memory.notes.add(NEW, replaces=old.id).note
    assert [note.id for note in memory.notes.live()] == [new.id]
    assert memory.notes.find(f"note:{old.id}").replaced_by == new.id
    rating = memory.rating(old.path)
    assert (rating.is_high, rating.r_source) == (False, TruthSource.HISTORY)
    pack = memory.pack(tokens=2000)
    assert NEW in pack.text
    assert OLD not in pack.text
    [row] = [row for row in pack.manifest if row.path == old.path]
    assert row.reason == f"a note, replaced by note:{new.id}"


def test_a_contradicted_note_no_longer_holds_and_falls(memory):
    note = memory.notes.add(OLD).note
    before = memory.rating(note.path).stored
    memory.notes.contradict(note.id, "it holds 900")
    assert memory.notes.live() == []
    assert memory.rating(note.path).stored < before
    assert OLD not in memory.pack(tokens=2000).text
    assert memory.notes.export() == "# Notes\n"
    assert f"({OLD[:-1]}" not in memory.notes.export(with_past=True)
    assert "(contradicted: it holds 900)" in memory.notes.export(with_past=True)


def test_a_note_holds_from_and_until_a_time(memory, clock):
    now = clock.now
    memory.notes.add("The freeze lasts over the holidays.", valid_from=now + DAY, valid_until=now + 3 * DAY)
    assert memory.notes.live() == []
    assert len(memory.notes.live(at=now + 2 * DAY)) == 1
    assert memory.notes.live(at=now + 3 * DAY) == []
    with pytest.raises(UsageError, match="ends after it begins"):
        memory.notes.add("It never holds at all.", valid_from=now, valid_until=now)


def test_notes_are_found_by_words_and_tags(memory):
    memory.notes.add("Deployments need two reviewers.", tags=["process"])
    memory.notes.add(OLD, tags=["limits"])
    assert [note.text for note in memory.notes.live(tag="#process")] == ["Deployments need two reviewers."]
    assert [note.text for note in memory.notes.live(query="how many entries")] == [OLD]
    assert memory.notes.live(query="nothing alike") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  ", "empty"),
        ("word " * 500, "2,000 is the most"),
        ("The key is AKIA" + "ABCDEFGHIJKLMNOP", "key or a token"),
        ("---\nid: evil", "front matter"),
    ],
)
def test_what_is_no_note_is_refused(memory, text, message):
    with pytest.raises(UsageError, match=message):
        memory.notes.add(text)
    assert memory.notes.all() == []
    with pytest.raises(NotFound, match="no note 'absent'"):
        memory.notes.add(OLD, replaces="absent")


def test_a_text_cannot_write_front_matter_or_leave_the_folder(memory):
    note = memory.notes.add("Harmless.\n---\nid: other", source="a\nreplaced_by: x", tags=["../../up", "a b"]).note
    read = memory.notes.find(note.id)
    assert (read.replaced_by, read.tags, read.sources) == ("", ("../../up", "a-b"), ("a replaced_by: x",))
    assert read.path.startswith("notes/")
    assert "/" not in read.path.removeprefix("notes/")


@pytest.mark.parametrize("folder", ["../outside", "/etc", ".git", ".paragone"])
def test_the_folder_lies_below_the_root(tmp_path, folder):
    with (
        Memory.create(tmp_path, config=MemoryConfig(notes=NotesConfig(folder=folder))) as memory,
        pytest.raises(InvalidConfig, match="cannot hold notes"),
    ):
        memory.notes.add(OLD)


def test_a_folder_of_markdown_notes_is_a_store(tmp_path):
    vault = {
        "Cache.md": (
            "---\ntags:\n  - limits\n  - design\naliases: [store]\ncreated: 2026-01-02\n---\n"
            "# Cache\n\nSee [[Retry|it]] and [[Ideas/Pool#Size]]. #Open\n"
        ),
        "Ideas/Pool.md": "A pool of three. `#nota` [[Cache]]\n\n```\n#nor [[this]]\n```\n",
        ".obsidian/workspace.md": "not a note\n",
    }
    for name, text in vault.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with Memory.create(tmp_path, config=MemoryConfig(notes=NotesConfig(folder="."))) as memory:
        memory.index(vectors=False)
        notes = {note.id: note for note in memory.notes.all()}
        assert sorted(notes) == ["Cache", "Pool"]
        assert notes["Cache"].links == ("Retry", "Ideas/Pool")
        assert notes["Cache"].tags == ("limits", "design", "Open")
        assert notes["Pool"].links == ("Cache",)
        assert notes["Cache"].claim == "Cache"
        assert memory.search("pool of three", what="file").results[0].path == "Ideas/Pool.md"
        memory.notes.contradict("Cache", "no longer so")
        text = (tmp_path / "Cache.md").read_text()
        assert "\naliases: [store]\n" in text, "what means nothing here is kept"
        assert "See [[Retry|it]]" in text
        assert memory.notes.find("Cache").contradicted == "no longer so"


def test_a_note_is_read_as_it_was_written():
    note = Note(
        id="7f3a", path="notes/a-7f3a.md", text='Says "this":\n\n- one', created=1_790_000_000.0, author="ann",
        sources=("a.py", "b, c"), tags=("x",), valid_until=1_800_000_000.0, replaces=("1", "2"), replaced_by="9",
        contradicted="it: is [not]", others=("aliases:", "  deep: {a: 1}"),
    )  # fmt: skip
    again = parse(note.path, written(note))
    assert written(again) == written(note)
    assert (again.sources, again.contradicted, again.valid_until) == (note.sources, note.contradicted, note.valid_until)
    assert parse("a.md", "---\nnever closed\n").text == "---\nnever closed"
    with pytest.raises(InvalidRecord, match=r"a\.md: created"):
        parse("a.md", "---\ncreated: yesterday\n---\n")
    assert slug("Ärger & «Chaos»!") == "rger-chaos"
