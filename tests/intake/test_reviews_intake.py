"""Reviews as files and values bring them."""

import json

import pytest

from paragone.domain import Review
from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake.item_values import as_reviews, read_reviews


def test_a_table_with_criteria_in_columns(tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_text("id,score,reviewer,novelty,testability,year\na,0.8,ann,0.9,,2024\n7,0.3,,0.2,0.5,2025\n")
    assert read_reviews(file) == (
        Review(item="a", reviewer="ann", score=0.8, scores=(("novelty", 0.9),)),
        Review(item="7", reviewer="reviewer", score=0.3, scores=(("novelty", 0.2), ("testability", 0.5))),
    )


def test_lines_with_criteria_in_a_mapping(tmp_path):
    file = tmp_path / "reviews.jsonl"
    lines = [{"item": "a", "score": 1, "scores": {"impact": 0.5}, "text": "Bold."}, {"item": "b", "score": 0.25}]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert read_reviews(file) == (
        Review(item="a", reviewer="reviewer", score=1.0, scores=(("impact", 0.5),), text="Bold."),
        Review(item="b", reviewer="reviewer", score=0.25),
    )


@pytest.mark.parametrize(
    ("line", "error", "said"),
    [
        ("a,7", InvalidItems, r"line 2: the score is '7'; it must be a number from 0 to 1"),
        ("a,", InvalidItems, r"line 2: the score is missing"),
        ("a,nan", InvalidItems, r"line 2: the score is"),
        (",0.5", InvalidItems, r"line 2: the item's id is missing"),
        ("z,0.5", InvalidItems, r"line 2: 'z' is not among the items"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, line, error, said):
    file = tmp_path / "reviews.csv"
    file.write_text(f"id,score\n{line}\n")
    with pytest.raises(error, match=said):
        read_reviews(file, item_ids={"a"})


def test_a_table_without_scores_is_refused(tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_text("id,verdict\na,good\n")
    with pytest.raises(UnknownColumn, match="no column 'score'"):
        read_reviews(file)
    with pytest.raises(UnreadableFile, match="no such file"):
        read_reviews(tmp_path / "none.csv")


def test_values_of_python():
    review = Review(item="a", reviewer="x", score=0.5)
    assert as_reviews([review], item_ids={"a"}) == (review,)
    assert as_reviews([{"item": "a", "score": 0.5, "reviewer": "x"}]) == (review,)
    with pytest.raises(InvalidItems, match="entry 1: 'a' is not among the items"):
        as_reviews([review], item_ids={"b"})
    with pytest.raises(InvalidItems, match="entry 1: the scores by criterion"):
        as_reviews([{"item": "a", "score": 0.5, "scores": [0.1]}])
