"""Decision records: which files are some, what they are called, which they cite."""

import pytest

from paragone.errors import InvalidConfig
from paragone.memory.index import Decision
from paragone.memory.index.file_parser import DecisionFinder, record_id
from paragone.memory.store.config import IndexConfig


def test_records_are_named_by_their_files_or_their_titles_and_cite_each_other(folder):
    folder.write(
        {
            "docs/adr/ADR-007-first.md": "# Use Elo\n\nSee nothing.\n",
            "docs/adr/second.md": "# ADR-027: Gate by R\n\nSee ADR-7, adr-007 and ADR-099; not ADR-027.\n",
            "LAW/CONTEXT/decisions/adr-028.md": "No heading; it follows ADR-027 and ADR7.\n",
            "docs/adr/README.md": "# Records\n\nADR-027 is good.\n",
            "src/adr-030.txt": "ADR-030\n",
        }
    )
    run = folder.update()
    assert run.decisions == 3
    assert folder.index.decisions() == [
        Decision(id="ADR-028", path="LAW/CONTEXT/decisions/adr-028.md", title="adr-028", cites=("ADR-027", "ADR-007")),
        Decision(id="ADR-007", path="docs/adr/ADR-007-first.md", title="Use Elo"),
        Decision(id="ADR-027", path="docs/adr/second.md", title="ADR-027: Gate by R", cites=("ADR-007",)),
    ]
    assert folder.index.decision("ADR-027").path == "docs/adr/second.md"
    assert folder.index.decision("ADR-1") is None
    assert folder.index.file("docs/adr/second.md").adr == "ADR-027"
    assert folder.index.file("docs/adr/README.md").adr == ""


def test_a_citation_counts_once_the_record_is_there(folder):
    folder.write({"adr/ADR-2.md": "# Two\n\nAs ADR-1 says.\n"})
    folder.update()
    assert folder.index.decision("ADR-2").cites == ()
    folder.write({"adr/ADR-1.md": "# One\n"})
    folder.update()
    assert folder.index.decision("ADR-2").cites == ("ADR-1",)


def test_of_two_records_with_one_id_the_first_path_has_it(folder):
    folder.write({"adr/ADR-1-b.md": "# B\n", "adr/ADR-1-a.md": "# A\n"})
    folder.update()
    assert folder.index.decision("ADR-1").title == "A"
    assert [one.id for one in folder.index.decisions()] == ["ADR-1", "ADR-1"]


@pytest.mark.parametrize(
    ("found", "id"),
    [("ADR-027", "ADR-027"), ("adr027", "ADR-027"), ("ADR 27", "ADR-27"), ("0027", "ADR-0027"), ("rfc_12", "RFC-12")],
)
def test_an_id_has_one_spelling(found, id):
    assert record_id(found) == id


def test_patterns_and_ids_are_configuration():
    finder = DecisionFinder(IndexConfig(decisions=("rfcs/*.md",), decision_id=r"^(\d{4})-"))
    record = finder.record("rfcs/0012-x.md", "# Title\n\nAfter ADR-7.\n")
    assert (record.id, record.title, record.names) == ("ADR-0012", "Title", ("ADR-7",))
    assert finder.record("rfcs/readme.md", "# 0013- in a title is no name\n") is not None
    assert finder.record("rfcs/readme.md", "# Readme\n") is None
    assert finder.record("docs/adr/ADR-1.md", "# One\n") is None


def test_an_expression_that_is_none_is_refused():
    with pytest.raises(InvalidConfig, match="decision_id") as refused:
        DecisionFinder(IndexConfig(decision_id="(ADR"))
    assert refused.value.key == "index.decision_id"
