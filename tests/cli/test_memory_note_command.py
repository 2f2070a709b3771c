"""``paragone memory note``, as a person types it."""

import pytest

from paragone.memory import Memory


@pytest.fixture
def remembered(home):
    (home / "cache.py").write_text("LIMIT = 900\n")
    with Memory.create(home) as memory:
        memory.index(vectors=False)
    return home


def test_notes_are_added_replaced_contradicted_listed_and_exported(paragone, remembered):
    added = paragone(
        "memory", "note", "add", "The cache holds 500 entries.", "--source", "cache.py", "--tag", "limits", "--json"
    ).json
    assert (added["merged"], added["sources"], added["tags"]) == (False, ["cache.py"], ["limits"])
    again = paragone("memory", "note", "add", "The cache holds 500 entries!", "--source", "ann")
    assert again.out.startswith(f"note:{added['id']} says the same, and has this source now: notes/")
    beware = paragone("memory", "note", "add", "The cache holds 900 entries.")
    assert f"beware: note:{added['id']} says otherwise: The cache holds 500 entries." in beware.out
    new = paragone("memory", "note", "list", "--query", "900 entries", "--json").json
    replaced = paragone(
        "memory", "note", "replace", added["id"], "The cache holds 900 entries of each kind.", "--json"
    ).json
    assert replaced["replaces"] == [added["id"]]
    assert len(new) == 2
    done = paragone("memory", "note", "contradict", new[0]["id"], "--why", "of each kind")
    assert done.out == f"note:{new[0]['id']} is contradicted: of each kind\n"
    assert [row["id"] for row in paragone("memory", "note", "list", "--json").json] == [replaced["id"]]
    assert "replaced by" in paragone("memory", "note", "list", "--all").out
    document = paragone("memory", "note", "export").out
    assert document == f"# Notes\n\n## Untagged\n\n- The cache holds 900 entries of each kind. ^{replaced['id']}\n"
    paragone("memory", "note", "export", "-o", "all.md", "--all")
    assert "## No longer held" in (remembered / "all.md").read_text()


def test_what_is_wrong_is_one_message(paragone, remembered):
    for arguments, message in (
        (("add", " "), "the note is empty"),
        (("add", "It holds.", "--until", "soon"), "--until: 'soon' is not a time"),
        (("replace", "absent", "It holds."), "there is no note 'absent'; paragone memory note list shows them"),
        (("contradict", "absent", "--why", "x"), "there is no note 'absent'"),
    ):
        refused = paragone("memory", "note", *arguments)
        assert (refused.code, message in refused.err) == (2, True), refused.err
    assert paragone("memory", "note", "list").out == "no notes\n"
