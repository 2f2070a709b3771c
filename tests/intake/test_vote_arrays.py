"""Votes as arrays are the votes that are read one by one: the same values, notes and errors, whatever the source."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from paragone.errors import InvalidVotes, ParagoneError, UnreadableFile
from paragone.intake import Vote, VoteOptions, Votes, read_votes
from paragone.intake.vote_arrays import VoteArrays, read_vote_arrays

PLAIN = VoteOptions()


def as_votes(arrays: VoteArrays) -> list[Vote]:
    """The votes that arrays hold."""
    columns = (arrays.a, arrays.b, arrays.score, arrays.tie, arrays.weight, arrays.judge)
    return [
        Vote(a=arrays.names[a], b=arrays.names[b], score=score, tie=tie, weight=weight, judge=arrays.judges[judge])
        for a, b, score, tie, weight, judge in zip(*(column.tolist() for column in columns), strict=True)
    ]


def outcome(source: object, options: VoteOptions, *, by_array: bool) -> object:
    """All that a reader says of a source, or its error."""
    try:
        if by_array:
            arrays = read_vote_arrays(source, options=options)
            return as_votes(arrays), arrays.abstentions, arrays.has_order, arrays.notes
        votes = read_votes(source, options=options)
        return list(votes), votes.abstentions, votes.has_order, votes.notes
    except ParagoneError as error:
        return type(error), str(error)


def same(source: object, options: VoteOptions = PLAIN) -> None:
    assert outcome(source, options, by_array=True) == outcome(source, options, by_array=False)


ITEMS = st.sampled_from(
    ["x", "y", "z", "a", "first", "answer_a", "1", 1, 2, 2.0, 0, None, " x ", "", float("nan"), True]
)
WINNERS = st.sampled_from(
    [
        "a",
        "b",
        "x",
        "y",
        "z",
        "first",
        "tie",
        "draw",
        "",
        None,
        0,
        1,
        0.5,
        0.25,
        "0,5",
        "1",
        1.5,
        True,
        "who?",
        "Left ",
        "answer_a",
    ]
)
CELLS = {
    "weight": st.sampled_from([1, 2.5, "3", "0,5", 0, -1, None, "heavy", float("inf"), 1.0]),
    "judge": st.sampled_from(["ada", "ben", None, "", "votes", 7]),
    "probability": st.sampled_from([None, 0, 0.5, "0.75", 1, 2, "maybe", ""]),
}


@given(st.data())
def test_any_rows_are_read_alike(data: st.DataObject) -> None:
    extra = data.draw(st.sets(st.sampled_from(sorted(CELLS))))
    row = st.fixed_dictionaries({"a": ITEMS, "b": ITEMS, "winner": WINNERS} | {name: CELLS[name] for name in extra})
    few_wrong = [{"a": "x", "b": "y", "winner": "x"} | dict.fromkeys(extra)] * data.draw(st.sampled_from([0, 200]))
    few_wrong = [{**cells, **({"weight": 1} if "weight" in extra else {})} for cells in few_wrong]
    rows = [*few_wrong, *data.draw(st.lists(row, max_size=8))]
    same(rows, replace(PLAIN, strict=data.draw(st.booleans())))
    if not extra:
        same([(cells["a"], cells["b"], cells["winner"]) for cells in rows])


NUMBERS = st.sampled_from([0, 1, 2, "1", "2", 2.0, -1, "-1", 0.5, "1,5", 1.5, 3, "NaN", None, "tie", "x", "a>b", True])


@given(
    st.sampled_from(["winner", "choice", "preference", "label", "score", "result"]),
    st.lists(st.tuples(st.sampled_from("xyz12"), st.sampled_from("uvw21"), NUMBERS), max_size=8),
    st.sampled_from([("x", "y", 1), ("x", "y", 2), ("x", "y", -1), ("x", "y", "tie"), ("x", "y", 0)]),
    st.sampled_from([None, "0,1", "2,1,0", "tie,x"]),
)
def test_numbers_for_sides_are_read_alike(
    name: str, rows: list[tuple[object, ...]], often: tuple[object, ...], codes: str | None
) -> None:
    table = [dict(zip(("a", "b", name), row, strict=True)) for row in [*[often] * 30, *rows]]
    same(table, replace(PLAIN, codes=codes))


SCORES = st.sampled_from([0, 1, "2", 2.0, "1,5", None, "", "NaN", float("nan"), float("inf"), "many", True])


@given(st.lists(st.tuples(SCORES, SCORES), max_size=8))
def test_scores_of_both_sides_are_read_alike(rows: list[tuple[object, object]]) -> None:
    same([{"a": "x", "b": "y", "score_a": a, "score_b": b} for a, b in [*[(3, 1)] * 150, *rows]])


@given(st.lists(st.tuples(ITEMS, ITEMS, st.sampled_from(["yes", "no", None, 1, 0, True, "perhaps"])), max_size=6))
def test_winners_and_losers_are_read_alike(rows: list[tuple[object, object, object]]) -> None:
    sound = [{"winner": "x", "loser": "y", "draw": None}] * 150
    same([*sound, *({"winner": winner, "loser": loser, "draw": draw} for winner, loser, draw in rows)])


FLAGS = st.sampled_from([0, 1, "0", " 1 ", 1.0, 0.0, True, False, "yes", None, "", float("nan"), 0.4, 2, "model_a"])


@given(st.lists(st.tuples(FLAGS, FLAGS, FLAGS), max_size=8), st.booleans())
def test_winners_in_three_columns_are_read_alike(rows: list[tuple[object, object, object]], strict: bool) -> None:
    names = ("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie")
    cells = [*[("x", "y", 0, 1, 0), ("y", "x", 1, 0, 0)] * 80, *(("x", "y", *flags) for flags in rows)]
    same([dict(zip(names, row, strict=True)) for row in cells], replace(PLAIN, strict=strict))


COLUMNS = {
    "model_a": ["x", "y", "x", "z", None, "x"],
    "model_b": ["y", "z", "z", "x", "y", "y"],
    "winner": ["model_a", "tie", "z", None, "model_b", "model_b"],
    "judge": ["ada", "ben", None, "ada", "ada", "ben"],
}
_SOUND = {"model_a": "x", "model_b": "y", "winner": "model_a", "judge": "ada"}
LONG = {name: cells * 7 + [_SOUND[name]] * 200 for name, cells in COLUMNS.items()}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(LONG),
        pd.DataFrame(LONG).astype("category"),
        pl.DataFrame(LONG),
        pl.DataFrame(LONG).with_columns(pl.all().cast(pl.Categorical)),
        pa.table(LONG),
        pa.concat_tables([pa.table(LONG), pa.table(LONG)]),
        pa.table({name: pa.array(cells).dictionary_encode() for name, cells in LONG.items()}),
    ],
    ids=["pandas", "pandas categories", "polars", "polars categories", "arrow", "arrow chunks", "arrow dictionaries"],
)
def test_frames_are_read_alike(frame: object) -> None:
    same(frame)
    assert len(read_vote_arrays(frame, options=PLAIN)) > 200


def test_columns_that_arrow_has_no_type_for_are_read_row_by_row() -> None:
    frame = pd.DataFrame({"a": ["x", 1, "z"] * 20, "b": ["y", "y", 2] * 20, "winner": ["x", 1, 0.5] * 20})
    same(frame)
    assert set(read_vote_arrays(frame, options=PLAIN).names) == {"x", "1", "z", "y", "2"}


def test_numbers_in_frames_are_ids_and_scores() -> None:
    frame = pd.DataFrame({"a": [1, 2, 1], "b": [2.0, 3.0, 3.0], "score": [1.0, 0.5, np.nan]})
    same(frame)
    votes = read_vote_arrays(frame, options=PLAIN)
    assert (list(votes.names), votes.score.tolist(), votes.abstentions) == (["1", "2", "3"], [1.0, 0.5], 1)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_files_are_read_alike(tmp_path: Path, ending: str) -> None:
    path, frame = tmp_path / f"votes{ending}", pl.DataFrame(LONG)
    match ending:
        case ".csv" | ".tsv":
            frame.write_csv(path, separator="," if ending == ".csv" else "\t")
        case ".jsonl":
            frame.write_ndjson(path)
        case ".json":
            frame.write_json(path)
        case _:
            parquet.write_table(frame.to_arrow(), path, row_group_size=10)
    same(path)
    same(str(path), replace(PLAIN, judge=False))
    same(path, replace(PLAIN, a="model_b", b="model_a"))
    same(path, replace(PLAIN, winner="nobody"))


def test_a_file_without_rows_or_that_is_no_table_is_refused_alike(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    parquet.write_table(pa.table({name: pa.array([], pa.string()) for name in COLUMNS}), path)
    same(path)
    path.write_bytes(b"PAR1 and nothing else")
    same(path)
    same(tmp_path / "none.parquet")
    with pytest.raises(UnreadableFile):
        read_vote_arrays(path, options=PLAIN)


def test_a_column_whose_name_holds_a_point_is_that_column(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    table = pa.table({"item.a": ["x", "y"], "b": ["y", "z"], "winner": ["y", "z"], "item": [{"a": "q"}] * 2})
    parquet.write_table(table, path)
    same(path, replace(PLAIN, a="item.a", b="b"))


def test_votes_that_were_read_already_are_taken_as_they_are() -> None:
    votes = read_votes([("x", "y", "x"), ("y", "z", "tie"), ("x", "z", "")])
    arrays = read_vote_arrays(votes, options=PLAIN)
    assert as_votes(arrays) == list(votes)
    assert arrays.abstentions == 1
    assert as_votes(VoteArrays.of(Votes())) == []


def test_a_cell_that_says_two_things_is_refused_with_its_place() -> None:
    rows = [("x", "y", "x"), ("a", "b", "b"), ("b", "a", "a")]
    same([*rows, ("x", "y", "left")])
    with pytest.raises(InvalidVotes, match="entry 3: the winner 'a' may mean"):
        read_vote_arrays([*rows, ("x", "y", "left")], options=PLAIN)


def test_unhashable_cells_are_read_alike() -> None:
    with suppress(InvalidVotes):
        read_vote_arrays([{"a": ["x"], "b": {"y": 1}, "winner": []}], options=PLAIN)
    same([{"a": ["x"], "b": {"y": 1}, "winner": []}])
    same([{"a": "x", "b": "y", "winner": "x"}] * 30 + [{"a": "x", "b": "y", "winner": ["x"]}])
