"""Gold pairs and prior ratings from whatever callers have."""

import json

import pytest

from paragone.domain import GoldPair
from paragone.errors import InvalidItems, InvalidVotes, UnknownColumn, UnreadableFile
from paragone.intake.gold import read_gold
from paragone.intake.prior_ratings import read_prior
from paragone.intake.vote import Votes


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_gold_is_read_like_votes(tmp_path):
    sides = written(tmp_path, "sides.csv", "a,b,winner\nx,y,x\ny,z,b\nx,z,tie\n")
    winners = written(tmp_path, "winners.csv", "winner,loser\nx,y\nz,y\n")
    pairs = (GoldPair(better="x", worse="y"), GoldPair(better="z", worse="y"))
    assert read_gold(sides) == pairs
    assert read_gold(winners) == pairs
    assert read_gold(pairs) is pairs


def test_of_a_pair_that_is_even_nothing_is_known():
    with pytest.raises(InvalidVotes, match="no gold pair"):
        read_gold([("x", "y", "x"), ("y", "x", "y")])


def test_ratings_by_id(tmp_path):
    rated = {"x": 1200.0, "y": 1300.0}
    assert read_prior(rated) == rated
    assert read_prior(written(tmp_path, "ratings.csv", "id,rating\nx,1200\ny,1300\n")) == rated
    board = {"items": [{"id": "x", "rating": 1200, "rank": 2}, {"id": "y", "rating": 1300, "rank": 1}], "level": 0.95}
    assert read_prior(written(tmp_path, "board.json", json.dumps(board))) == rated
    for head in ("team,elo", "Model,Arena Elo", "item,strength", "id,rating,elo"):
        more = ",1500" * (head.count(",") - 1)
        assert read_prior(written(tmp_path, "other.csv", f"{head}\nx,1200{more}\ny,1300{more}\n")) == rated, head
    rows = "rank,id,rating,low,high,wins,losses,text\n1,y,1300,1,2,3,4,y\n2,x,1200,1,2,3,4,x\n"
    assert read_prior(written(tmp_path, "board.csv", rows)) == rated


def test_votes_are_votes(tmp_path):
    votes = read_prior(written(tmp_path, "votes.csv", "judge,a,b,winner\nj,x,y,x\n"))
    assert isinstance(votes, Votes)
    assert len(votes) == 1


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("none.csv", "name_of,worth\nx,1\n", UnknownColumn, "neither ratings"),
        ("words.csv", "id,rating\nx,good\n", InvalidItems, "line 2: the rating 'good' is not a number"),
        ("twice.csv", "id,rating\nx,1\nx,2\n", InvalidItems, "appears twice"),
        ("broken.json", "{", UnreadableFile, "broken.json"),
    ],
)
def test_what_is_neither_is_named(tmp_path, name, text, error, words):
    with pytest.raises(error, match=words):
        read_prior(written(tmp_path, name, text))
