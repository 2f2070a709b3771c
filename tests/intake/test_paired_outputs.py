"""Outputs of two systems, matched by id or by row."""

import json

import pandas as pd
import pytest

from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake.paired_outputs import OutputColumns, PairedOutput, paired_outputs


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def pairs(*rows):
    return tuple(PairedOutput(id=id, new=new, old=old, prompt=prompt) for id, new, old, prompt in rows)


def test_tables_go_by_id_in_the_order_of_the_new_one(tmp_path):
    new = lines(
        tmp_path / "new.jsonl", {"id": 2, "output": "b", "prompt": "B?"}, {"id": 1, "output": "a", "prompt": "A?"}
    )
    (tmp_path / "old.csv").write_text("question_id,response\n1,x\n2,y\n")
    outputs, notes = paired_outputs(new, tmp_path / "old.csv")
    assert outputs == pairs(("2", "b", "y", "B?"), ("1", "a", "x", "A?"))
    assert notes == ()


def test_without_ids_rows_go_by_their_order(tmp_path):
    new = lines(tmp_path / "new.jsonl", {"output": "a"}, {"output": "b"})
    outputs, _ = paired_outputs(new, ["x", "y"], ["A?", "B?"])
    assert outputs == pairs(("1", "a", "x", "A?"), ("2", "b", "y", "B?"))
    (tmp_path / "old.txt").write_text("x\ny\n")
    assert paired_outputs(new, tmp_path / "old.txt")[0][1].old == "y"


def test_folders_go_by_the_names_of_their_files(tmp_path):
    for side, ending in (("new", "md"), ("old", "txt")):
        (tmp_path / side / "part").mkdir(parents=True)
        (tmp_path / side / "part" / f"q1.{ending}").write_text(f"{side} one\n")
        (tmp_path / side / f"q2.{ending}").write_text(f"{side} two\n")
    outputs, _ = paired_outputs(tmp_path / "new", tmp_path / "old")
    assert outputs == pairs(("part/q1", "new one", "old one", ""), ("q2", "new two", "old two", ""))


def test_frames_and_mappings():
    frame = pd.DataFrame({"id": ["a", "b"], "answer": ["1", "2"]})
    outputs, _ = paired_outputs(frame, {"b": "y", "a": "x"}, {"a": "A?", "b": "B?"})
    assert outputs == pairs(("a", "1", "x", "A?"), ("b", "2", "y", "B?"))


def test_columns_may_be_named(tmp_path):
    rows = [{"nr": "q", "gist": "a", "ask": "A?"}]
    new, old = lines(tmp_path / "n.jsonl", *rows), lines(tmp_path / "o.jsonl", *rows)
    outputs, _ = paired_outputs(new, old, columns=OutputColumns(id="nr", output="gist", prompt="ask"))
    assert outputs == pairs(("q", "a", "a", "A?"))
    with pytest.raises(UnknownColumn, match=r"no column for the output .*--output-column"):
        paired_outputs(new, old)


def test_what_only_one_side_has_is_refused_or_left_out():
    new, old = {"a": "1", "b": "2"}, {"a": "x", "c": "z"}
    with pytest.raises(InvalidItems, match=r"the old outputs lacks 'b', which the new outputs has; .*--skip-missing"):
        paired_outputs(new, old)
    outputs, notes = paired_outputs(new, old, skip_missing=True)
    assert outputs == pairs(("a", "1", "x", ""))
    assert [note.partition(", which")[0] for note in notes] == [
        "left out: the old outputs lacks 'b'",
        "left out: the new outputs lacks 'c'",
    ]


def test_an_empty_output_is_refused_or_left_out():
    with pytest.raises(InvalidItems, match=r"the output of 'b' is empty; .*\(no answer\)"):
        paired_outputs({"a": "1", "b": " "}, {"a": "x", "b": "y"})
    outputs, notes = paired_outputs({"a": "1", "b": None}, {"a": "x", "b": "y"}, skip_missing=True)
    assert [output.id for output in outputs] == ["a"]
    assert notes == ("left out: the new outputs has an empty output for 'b'",)


@pytest.mark.parametrize(
    ("new", "old", "message"),
    [
        ([{"id": "a", "text": "1"}, {"id": "a", "text": "2"}], {"a": "x"}, "entry 2: the id 'a' is that of .* entry 1"),
        (["1", "2"], ["x"], "2 rows and the old outputs 1: without ids"),
        (["1"], {"a": "x"}, "has ids and the new outputs has none"),
        ({"a": "1"}, {"b": "x"}, "no question in common"),
        ({"a": ""}, {"a": "x"}, "is empty"),
        ([{"id": "a", "text": ["not text"]}], {"a": "x"}, "expected text, not list"),
        ([{"id": None, "text": "1"}], {"a": "x"}, "the id is missing"),
    ],
)
def test_what_does_not_go_together_is_refused(new, old, message):
    with pytest.raises(InvalidItems, match=message):
        paired_outputs(new, old)


def test_prompts_that_do_not_cover_the_questions_are_refused():
    with pytest.raises(InvalidItems, match="the prompts lack 'b'"):
        paired_outputs({"a": "1", "b": "2"}, {"a": "x", "b": "y"}, {"a": "A?"})
    with pytest.raises(InvalidItems, match="do not go together"):
        paired_outputs({"a": "1"}, {"a": "x"}, ["A?"])


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableFile, match="no text file"):
        paired_outputs(tmp_path / "empty", {"a": "x"})
    with pytest.raises(UnreadableFile, match=r"nowhere\.jsonl: no such file"):
        paired_outputs(tmp_path / "nowhere.jsonl", {"a": "x"})
