"""Flat records as files."""

import csv
import io
import json

import pytest

from paragone.errors import InvalidConfig
from paragone.presenting.files import as_csv, as_jsonl, write_records

FORMULAS = ["=1+2", "+1", "-1 degree", "@SUM(A1)", "\t=1", "\n=1", " =1", " \t  @SUM(A1)", "\u00a0=1", "\u3000+1"]
FORMULAS += ["\uff1d1", "\uff0b1", "\uff0d1", "\uff20SUM(A1)", " \uff1d1", "\ufe661", "\u22121"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_spreadsheet_is_given_no_formula(text, tmp_path):
    write_records([{"id": text, "cost": -0.5, "note": "a=b"}], tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == [{"id": f"'{text}", "cost": "-0.5", "note": "a=b"}]
    write_records([{"id": text}], tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"id": text}


@pytest.mark.parametrize("text", ["", " ", "a = b", "1-2", "'=1", "(=1)", " a", "\u30fb1"])
def test_other_texts_stay_as_they_are(text):
    assert next(csv.DictReader(io.StringIO(as_csv([{"a": text, "b": 1}]))))["a"] == text


def test_what_a_carriage_return_or_an_unseen_character_precedes_is_a_formula_too():
    for before in ("\r", "\u200b", "\ufeff", "\x00"):
        (row,) = csv.DictReader(io.StringIO(as_csv([{"a": f"{before}=1", "b": 1}])))
        assert row["a"].startswith("'"), before


def test_a_carriage_return_does_not_end_a_row(tmp_path):
    write_records([{"id": "a", "note": "one\rtwo\r\nthree"}], tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == [{"id": "a", "note": "one\ntwo\nthree"}]


HOSTILE = "a\x1b[31mred\x01 \x9b2J\u202eb\x1a\u2028c"


def test_a_csv_file_holds_no_control_characters_and_its_own_lines(tmp_path):
    write_records([{"id": "a", "note": f"{HOSTILE}\nline", "list": [HOSTILE]}], tmp_path / "out.csv")
    shown = (tmp_path / "out.csv").read_text()
    assert not set(shown) & set("\x1b\x01\x9b\u202e\x1a\u2028")
    assert "[31mred" in shown
    with (tmp_path / "out.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["note"] == "a [31mred   2J b \nc\nline"


def test_some_columns_only():
    assert as_csv([{"a": 1, "b": 2}, {"a": 3, "b": 4}], ["b"]) == "b\n2\n4\n"
    assert as_csv([], ["a", "b"]) == "a,b\n"


def test_records_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match="c"):
        as_csv([{"a": 1}, {"a": 2, "c": 3}])


def test_records_go_to_jsonl_and_csv(tmp_path):
    records = [{"id": "1.1", "scores": [1, 2]}, {"id": "1.2", "scores": []}]
    assert [json.loads(line) for line in as_jsonl(records).splitlines()] == records
    write_records(records, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'id,scores\n1.1,"[1, 2]"\n1.2,[]\n'
    with pytest.raises(InvalidConfig, match="jsonl"):
        write_records(records, tmp_path / "out.txt")
