"""Cells of a column as numbers: which scale, what is left out, what is refused."""

import math

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from paragone.analysis.traits import TRAITS
from paragone.errors import InvalidItems, InvalidVotes, UnknownColumn
from paragone.intake.side_columns import encoded, row_ids
from paragone.intake.table import InputTable
from paragone.intake.vote import VoteOptions
from paragone.intake.vote_extras import adjustment, knows, slices
from paragone.intake.votes import read_votes

OPTIONS = VoteOptions()


def only(cells, name="n"):
    (column,) = encoded(name, cells, "items.csv").columns
    return column


def test_numbers_stay_as_they_are():
    name, values = only([3, "4", 5.5, "6,5"])
    assert name == "n"
    assert values.tolist() == [3, 4, 5.5, 6.5]


def test_skewed_positive_numbers_are_taken_by_their_logarithm():
    name, values = only([1, 2, 5, 9, 1000])
    assert name == "log n"
    assert values == pytest.approx(np.log([1, 2, 5, 9, 1000]))
    name, values = only([0, 1, 3, 8, 1000])
    assert values == pytest.approx(np.log1p([0, 1, 3, 8, 1000]))
    assert only([-1, 1, 3, 8, 1000])[0] == "n"  # there is no logarithm of -1
    assert only([1, 2, 2, 3, 3])[0] == "n"


def test_words_for_yes_and_no_are_one_and_zero():
    assert only(["yes", "no", "Yes"])[1].tolist() == [1, 0, 1]
    assert only([True, False, None])[1].tolist()[:2] == [1, 0]
    assert only([0, 1, 1])[1].tolist() == [0, 1, 1]


def test_kinds_are_columns_each():
    columns = encoded("language", ["py", "go", "rs", "py", "go", "rs"], "items.csv").columns
    assert [name for name, _ in columns] == ["language = go", "language = py", "language = rs"]
    assert columns[1][1].tolist() == [1, 0, 0, 1, 0, 0]
    assert [name for name, _ in encoded("a", ["x", "y", "x", "y"], "t").columns] == ["a = y"]


def test_gaps_are_counted_and_constants_left_out():
    column = encoded("n", [1, None, 2, float("nan"), " "], "t")
    assert column.notes == ("3 of 5 cells of 'n' are empty and count as average",)
    assert np.isnan(column.columns[0][1]).tolist() == [False, True, False, True, True]
    assert encoded("n", [7, 7, None], "t").columns == ()
    assert encoded("n", [None, None], "t").notes == ("'n' is left out: it is the same everywhere",)


def test_too_many_words_are_refused():
    with pytest.raises(InvalidItems, match="'name' holds 5 different words"):
        encoded("name", ["a", "b", "c", "d", "e"], "items.csv")


def table(columns, *rows):
    return InputTable(name="items.csv", columns=columns, rows=rows, unit="row", numbers=range(1, len(rows) + 1))


def test_rows_are_named_as_items_are():
    assert row_ids(table(("stars", "name"), (1, "x"), (2, "y"))) == ["x", "y"]
    assert row_ids(table(("model", "tokens"), ("m1", 3))) == ["m1"]
    assert row_ids(table(("text", "stars"), ("a short text", 1))) == ["a short text"]
    assert row_ids(table(("key2", "stars"), ("k", 1)), id_column="key2") == ["k"]
    with pytest.raises(UnknownColumn, match="no column for the ids"):
        row_ids(table(("stars",), (1,)))


def test_traits_of_a_text():
    text = "# Title\n\n* one **bold** word\n* 12 `code`?"
    assert TRAITS["length"](text) == pytest.approx(math.log(1 + len(text)))
    assert TRAITS["markdown"](text) == pytest.approx(math.log(1 + 5))
    assert TRAITS["digits"](text) == pytest.approx(2 / len(text))
    assert TRAITS["questions"](text) == pytest.approx(1 / len(text))
    assert TRAITS["variety"]("one two one two") == 0.5
    assert TRAITS["word length"]("one three") == 4
    assert all(math.isfinite(trait("")) for trait in TRAITS.values())


def vote(**more):
    return {"a": "x", "b": "y", "winner": "a", **more}


def test_differences_between_sides():
    """Less skewed as they are: (30 - 10, 10 - 30, 0) by their root mean square, 20 sqrt(2/3)."""
    rows = [vote(length_a=30, length_b=10), vote(length_a=10, length_b=30), vote(length_a=20, length_b=20)]
    (found,) = adjustment(rows, "length", OPTIONS).differences
    assert found.name == "length"
    assert found.values == pytest.approx(np.array([1, -1, 0]) / math.sqrt(2 / 3), abs=1e-9)
    gap = adjustment([*rows, vote(length_a=None, length_b=5)], "length", OPTIONS)
    assert gap.differences[0].values[-1] == 0.0
    assert gap.notes == ("1 of 8 cells of 'length' are empty and count as average",)


def test_differences_from_the_metadata_of_an_arena():
    def counts(tokens_a, tokens_b, marks_a, marks_b):
        return {
            "sum_assistant_a_tokens": tokens_a,
            "sum_assistant_b_tokens": tokens_b,
            "header_count_a": {"h1": marks_a, "h2": 0},
            "header_count_b": {"h1": 0, "h2": marks_b},
            "list_count_a": {"ordered": 1},
            "list_count_b": {"ordered": 0},
            "bold_count_a": {"**": 0},
            "bold_count_b": {"**": 0},
        }

    rows = [vote(conv_metadata=counts(20, 10, 2, 0)), vote(conv_metadata=counts(10, 20, 0, 3))]
    assert adjustment(rows, "length", OPTIONS).differences[0].values == pytest.approx([1, -1])
    # Marks: 3 to 0 and 1 to 3.
    assert adjustment(rows, "markdown", OPTIONS).differences[0].values == pytest.approx(
        np.array([3, -2]) / math.sqrt(6.5), abs=1e-9
    )


def test_metadata_of_a_parquet_file_is_that_of_its_rows(tmp_path):
    def counts(a, b):
        return {"sum_assistant_a_tokens": a, "sum_assistant_b_tokens": b}

    rows = [vote(conv_metadata=counts(20, 10)), vote(conv_metadata=None), vote(conv_metadata=counts(10, 20))]
    file = tmp_path / "arena.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), file)
    (found,) = adjustment(file, "length", OPTIONS).differences
    assert found.values == pytest.approx(np.array([1, 0, -1]) * math.sqrt(1.5), abs=1e-9)


def test_differences_from_the_answers_themselves():
    talk = [{"role": "user", "content": "a long question"}, {"role": "assistant", "content": "yes"}]
    rows = [
        vote(conversation_a=talk, conversation_b="maybe not"),
        vote(conversation_a="longer text", conversation_b="x"),
    ]
    expected = np.array([math.log(4 / 10), math.log(12 / 2)])
    assert adjustment(rows, "length", OPTIONS).differences[0].values == pytest.approx(
        expected / math.sqrt(float((expected**2).mean())), abs=1e-9
    )


@pytest.mark.parametrize(
    ("rows", "name", "error", "message"),
    [
        ([vote(length_a=1, length_b=2)], "lenght", UnknownColumn, "did you mean length"),
        ([vote()], "winner", UnknownColumn, "no columns of 'winner' for both sides"),
        ([vote(length_a="x", length_b=2)], "length", InvalidVotes, "'x' is no number"),
        ([vote(length_a=2, length_b=2)], "length", InvalidVotes, "the same everywhere"),
        ([vote(length_a=2, length_b=2), vote(length_a=3, length_b=3)], "length", InvalidVotes, "never differs"),
    ],
)
def test_differences_that_are_none(rows, name, error, message):
    with pytest.raises(error, match=message):
        adjustment(rows, name, OPTIONS)


def test_words_of_both_sides_are_kinds_and_yes_and_no_is_one():
    rows = [vote(lab_a="x", lab_b="y"), vote(lab_a="z", lab_b="x"), vote(lab_a="y", lab_b="y")]
    found = adjustment(rows, "lab", OPTIONS).differences
    assert [each.name for each in found] == ["lab = x", "lab = y", "lab = z"]
    assert found[0].values == pytest.approx(np.array([1, -1, 0]) / math.sqrt(2 / 3), abs=1e-9)
    rows = [vote(refused_a=True, refused_b=False), vote(refused_a=False, refused_b=False)]
    (refused,) = adjustment(rows, "refused", OPTIONS).differences
    assert refused.values == pytest.approx([math.sqrt(2), 0.0], abs=1e-9)


def test_a_column_of_the_whole_vote_is_the_judge():
    found = adjustment([vote(judge_model="m"), vote(judge_model="n")], "judge_model", OPTIONS)
    assert (found.judge, found.differences) == ("judge_model", ())
    assert found.notes[0].startswith("'judge_model' is the same for both sides of a vote")
    with pytest.raises(InvalidVotes, match="only be adjusted for as the judge"):
        adjustment([vote(judge_model="m")], "judge_model", VoteOptions(judge="other"))


def test_what_a_judge_gains_by_judging_itself_is_a_difference():
    rows = [vote(by="x"), vote(by="y"), vote(by="z"), vote(by=None)]
    found = adjustment(rows, "by", OPTIONS)
    (own,) = found.differences
    assert own.values.tolist() == [1.0, -1.0, 0.0, 0.0]
    assert (own.name, own.unit) == ("by is the item", "a vote by the item itself")
    assert "in 2 votes 'by' is one of the two items" in found.notes[1]


def test_slices_are_cells_in_their_order():
    rows = [vote(part=10), vote(part=9), vote(part=None), vote(part="code"), vote(part=9)]
    found = slices(rows, "part", OPTIONS)
    assert found.names == ("9", "10", "code", "none")
    assert found.number.tolist() == [1, 0, 3, 2, 0]
    some = found.of(np.array([3, 1]))
    assert (some.names, some.number.tolist()) == (("9", "code"), [1, 0])


def test_too_many_slices_are_refused():
    with pytest.raises(InvalidVotes, match=r"101 different cells.*49% of the votes"):
        slices([vote(part=at) for at in range(101)], "part", OPTIONS)
    with pytest.raises(UnknownColumn, match="did you mean 'part'"):
        slices([vote(part=1)], "prt", OPTIONS)


def test_the_rarest_of_many_slices_are_one():
    rows = [vote(part=at) for at in range(60) for _ in range(3 if at < 49 else 1)]
    found = slices(rows, "part", OPTIONS)
    assert found.names == (*map(str, range(49)), "other")
    assert found.number.tolist()[-11:] == [49] * 11
    assert found.notes == ("of 60 slices by 'part' the rarest 11 are one, 'other', of 11 votes",)


def test_without_votes_there_is_nothing_to_adjust_for_or_to_slice_by():
    with pytest.raises(UnknownColumn, match=r"^the votes have no columns of 'length' for both sides"):
        adjustment([], "length", OPTIONS)
    with pytest.raises(InvalidVotes, match="there are no votes"):
        slices([], "length", OPTIONS)


def test_votes_that_were_read_have_kept_no_other_columns():
    votes = read_votes([{"a": "x", "b": "y", "winner": "a", "length_a": 1, "length_b": 2}])
    assert not knows(votes, "length", OPTIONS)
    with pytest.raises(UnknownColumn, match="that were read already have no column 'length'"):
        slices(votes, "length", OPTIONS)


def test_of_a_judge_that_is_adjusted_for_no_other_column_is_the_judge():
    rows = [{"a": "x", "b": "y", "winner": "a", "rater": "ann", "by": "ben"}]
    with pytest.raises(InvalidVotes, match=r"'rater' speaks of a whole vote .* leave judge"):
        adjustment(rows, "rater", VoteOptions(judge="by"))
