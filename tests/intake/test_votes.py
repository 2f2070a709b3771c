"""Recorded comparisons: columns found or named, winners in every language, errors that name the line."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paragone
from paragone.agents import import_debates
from paragone.errors import InvalidConfig, InvalidVotes, UnknownColumn, UnreadableFile
from paragone.intake import Vote, VoteOptions, Votes, read_votes
from paragone.intake.votes import VoteFile
from paragone.intake.winner_cells import MORE_SIDES, SIDES

CROWD = """id,prompt,model_x,model_y,worker,winner,left,right
0,8,97,98,58,tie,Airoboros L2 70B,Weaver 12k
0,8,97,98,14,right,Airoboros L2 70B,Weaver 12k
1,8,29,98,105,left,Alpaca (7B),Weaver 12k
"""


def csv(folder, text):
    path = folder / "votes.csv"
    path.write_text(text)
    return path


def scores(folder, text, **columns):
    return [vote.score for vote in read_votes(csv(folder, text), **columns)]


def test_published_crowd_votes_need_no_options(tmp_path):
    assert read_votes(csv(tmp_path, CROWD)) == (
        Vote(a="Airoboros L2 70B", b="Weaver 12k", score=0.5, tie=True),
        Vote(a="Airoboros L2 70B", b="Weaver 12k", score=0.0),
        Vote(a="Alpaca (7B)", b="Weaver 12k", score=1.0),
    )


def test_columns_can_be_named(tmp_path):
    votes = read_votes(csv(tmp_path, CROWD), a="model_x", b="model_y", judge="worker", weight="prompt")
    assert votes[1] == Vote(a="97", b="98", score=0.0, weight=8.0, judge="14")


@pytest.mark.parametrize(("first", "second"), [*SIDES, *MORE_SIDES])
def test_every_pair_of_columns_is_found_and_is_a_label(tmp_path, first, second):
    text = f"{first.upper()},{second},Winner\nx,y,{first}\nx,y,{second.upper()}\nx,y,draw\n"
    assert scores(tmp_path, text) == [1.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("winner", "score"),
    [
        ("a", 1), ("B", 0), ("left", 1), ("right", 0), ("first", 1), ("second", 0), ("model_a", 1), ("model_b", 0),
        ("tie", 0.5), ("Draw", 0.5), ("equal", 0.5), ("tie (bothbad)", 0.5), ("x", 1), ("y", 0), (" x ", 1),
        ("1", 1), ("0", 0), ("0.5", 0.5), ("1.0", 1), ("0.75", 0.75),
    ],
)  # fmt: skip
def test_the_winner_may_be_said_in_many_ways(tmp_path, winner, score):
    assert scores(tmp_path, f"a,b,winner\nx,y,{winner}\n") == [score]


def test_a_tie_and_an_even_probability_are_two_things(tmp_path):
    votes = read_votes(csv(tmp_path, "a,b,winner,probability\nx,y,tie,\nx,y,tie,0.5\nx,y,0.5,\nx,y,a,0.8\nx,y,a,\n"))
    assert [(vote.score, vote.tie, vote.probability) for vote in votes] == [
        (0.5, True, None),
        (0.5, False, 0.5),
        (0.5, True, None),
        (0.8, False, 0.8),
        (1.0, False, None),
    ]


def test_nobody_named_is_an_abstention_skipped_and_counted(tmp_path):
    votes = read_votes(csv(tmp_path, "a,b,winner\nx,y,\nx,y,a\nx,y,abstain\nx,y,None\nx,y,NaN\n"))
    assert len(votes) == 1
    assert votes.abstentions == 4
    assert read_votes([{"a": "x", "b": "y", "winner": None}, {"a": "x", "b": "y", "winner": "b"}]).abstentions == 1


@pytest.mark.parametrize("label", ["tie (bothbad)", "Tie (Bothbad)", "tie(bothbad)", "bothbad", "both_bad", "both bad",
                                   "Both are bad", "Neither", "Same", "About the same", "No preference"])  # fmt: skip
def test_a_tie_may_be_written_as_arenas_and_annotators_do(tmp_path, label):
    (vote,) = read_votes(csv(tmp_path, f"model_a,model_b,winner\nx,y,{label}\n"))
    assert vote.tie


def test_an_item_that_is_called_like_a_tie_wins_all_the_same(tmp_path):
    votes = read_votes(csv(tmp_path, "a,b,winner\nsame,y,same\ny,same,same\nz,y,z\n"))
    assert [(vote.score, vote.tie) for vote in votes] == [(1.0, False), (0.0, False), (1.0, False)]


def test_several_files_are_for_another_function(tmp_path):
    file = csv(tmp_path, "a,b,winner\nx,y,x\n")
    for files in ([file, tmp_path / "more.csv"], [str(file)]):
        with pytest.raises(InvalidVotes, match=r"votes.csv is a file or a text; votes in several files .* fit_shards"):
            read_votes(files)


def test_a_record_where_an_id_should_be_is_named():
    with pytest.raises(InvalidVotes, match=r"""entry 1: "\{'name': 'x'\}" in 'a' is no item's id"""):
        read_votes([{"a": {"name": "x"}, "b": "y", "winner": "a"}])


KAGGLE = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"


@pytest.mark.parametrize(("yes", "no"), [(1, 0), (True, False), (1.0, 0.0), (1, "")])
def test_three_columns_of_which_one_is_1_name_the_winner(tmp_path, yes, no):
    polars = pytest.importorskip("polars")
    rows = [("x", "y", yes, no, no), ("y", "x", no, yes, no), ("x", "z", no, no, yes), ("y", "z", "", "", "")]
    lines = [f'1,{a},{b},"[""why?""]","[""so, so""]",,{",".join(map(str, flags))}\n' for a, b, *flags in rows]
    votes = read_votes(csv(tmp_path, KAGGLE + "".join(lines)))
    assert [(vote.a, vote.b, vote.score, vote.tie) for vote in votes] == [
        ("x", "y", 1.0, False),
        ("y", "x", 0.0, False),
        ("x", "z", 0.5, True),
    ]
    assert (votes.abstentions, votes.has_order) == (1, True)
    columns = ["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"]
    frame = polars.DataFrame(
        [row if no != "" else [cell or None for cell in row] for row in rows[:3]], columns, orient="row"
    )
    frame.write_ndjson(tmp_path / "v.jsonl")
    frame.write_parquet(tmp_path / "v.parquet")
    assert [list(read_votes(tmp_path / name)) for name in ("v.jsonl", "v.parquet")] == [list(votes)] * 2


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("0,0,0", "'0' for the first side, '0' for the second and '0' for a tie; one of these must be 1"),
        ("1,0,1", "'1' for the first side, '0' for the second and '1' for a tie"),
        ("0.5,0.2,0.3", "'0.5' for the first side"),
    ],
)
def test_three_columns_that_name_no_winner_or_two_are_odd_rows(tmp_path, flags, said):
    odd = f"9,x,y,,,,{flags}\n"
    with pytest.raises(InvalidVotes, match=re.escape(said)):
        read_votes(csv(tmp_path, KAGGLE + odd))
    votes = read_votes(csv(tmp_path, KAGGLE + "1,x,y,,,,1,0,0\n" * 19 + odd))
    assert (len(votes), votes.skipped) == (19, 1)
    assert said in votes.notes[-1]


def test_a_column_of_winners_counts_before_three_of_flags(tmp_path):
    rows = csv(tmp_path, "model_a,model_b,winner,winner_model_a,winner_model_b,winner_tie\nx,y,x,0,1,0\n")
    assert read_votes(rows)[0].score == 1.0


WORDS = {"1": 1.0, "2": 0.0, "1.5": 0.5, "tie": 0.5, "": None}
SIGNS = {"1": 1.0, "0": 0.5, "-1": 0.0}
SCORED = {"0": 0.0, "0.5": 0.5, "1": 1.0}


def coded(folder, name, cells, often=1, **options):
    """What each of these cells of a column of winners says, read whole; in chunks it is the same."""
    rows = "".join(f"x,y,{cell}\n" for cell in cells) * often
    path = csv(folder, f"model_a,model_b,{name}\n{rows}")
    chunks = list(VoteFile(source=path, options=VoteOptions(**options)).chunks(2))
    assert [vote for chunk in chunks for vote in chunk.votes()] == list(read_votes(path, **options))
    return dict(zip(cells, [score for chunk in chunks for score in chunk.score], strict=False))


@pytest.mark.parametrize(
    ("names", "meanings"),
    [
        ("winner result outcome choice preference label preferred", WORDS),
        ("winner preference", {**WORDS, "0": 0.5}),
        ("winner result outcome score", SIGNS),
        ("winner result outcome score choice preference label score_a", {**SCORED, "0.75": 0.75}),
        ("winner result outcome score score_a", {"1": 1.0, "0": 0.0}),
        (
            "label verdict",
            {
                "A>B": 1.0,
                "B>A": 0.0,
                "A = B": 0.5,
                "A > B": 1.0,
                "A>>B": 1.0,
                "[[B>>A]]": 0.0,
                "[[A]]": 1.0,
                "[[C]]": 0.5,
            },
        ),
        ("result", {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}),
    ],
)
def test_numbers_that_can_mean_one_thing_are_sides(tmp_path, names, meanings):
    for name in names.split():
        assert coded(tmp_path, name, list(meanings)) == meanings, name


@pytest.mark.parametrize(
    ("name", "cells", "often", "said"),
    [
        ("choice", "0 1", 1, "--codes 1,0 if 1 is a win of 'model_a', or --codes 0,1 if 0 is a win of 'model_a'"),
        ("label", "1", 1, "do not tell which side won. Write first, second and tie in their place; `fit` and"),
        ("label", "0 1 2", 1, "--codes 1,2,0 if 1 is a win of 'model_a', or --codes 0,1,2 if 0 is"),
        ("result", "0 1 2", 1, "the numbers in 'result' (0, 1, 2)"),
        ("preference", "-1 0 1", 1, "--codes 1,-1,0 if 1 is a win of 'model_a', or --codes -1,1,0 if -1 is"),
        ("winner", f"2 {'0 1 ' * 10}", 1, "the numbers in 'winner' (0, 1, 2)"),
        ("winner", f"-1 {'0 1 ' * 10}", 1, "the numbers in 'winner' (-1, 0, 1)"),
    ],
)
def test_numbers_that_may_mean_another_thing_are_asked_about(tmp_path, name, cells, often, said):
    for read in (read_votes, lambda path: next(VoteFile(source=path).chunks(2))):
        with pytest.raises(InvalidVotes) as raised:
            read(csv(tmp_path, f"model_a,model_b,{name}\n" + "".join(f"x,y,{cell}\n" for cell in cells.split())))
        assert said in str(raised.value)


def test_codes_say_what_stands_for_the_sides_and_a_tie(tmp_path):
    assert coded(tmp_path, "choice", ["0", "1"], codes="0,1") == {"0": 1.0, "1": 0.0}
    assert coded(tmp_path, "label", ["0", "1", "2", "b"], codes="0, 1, 2") == {"0": 1.0, "1": 0.0, "2": 0.5, "b": 0.0}
    assert coded(tmp_path, "preference", ["-1", "1.0", "0"], codes="-1,1,0") == {"-1": 1.0, "1.0": 0.0, "0": 0.5}
    assert coded(tmp_path, "winner", ["oui", "Non"], codes="oui,non") == {"oui": 1.0, "Non": 0.0}
    with pytest.raises(InvalidVotes, match=r"line 3: the winner '0.75' is neither"):
        read_votes(csv(tmp_path, "a,b,winner\nx,y,0\nx,y,0.75\n"), codes="0,1")
    flags = [{"a": "x", "b": "y", "winner": flag} for flag in (True, False, None)]
    assert [vote.score for vote in read_votes(flags, codes="true,false")] == [1.0, 0.0]
    for wrong in ("0", "0,0", "0,1,2,3", "0,"):
        with pytest.raises(InvalidConfig, match="codes are two or three different ones"):
            VoteOptions(codes=wrong)


def test_how_numbers_were_read_is_said(tmp_path):
    path = csv(tmp_path, "a,b,winner\nx,y,1\nx,y,2\n")
    said = "numbers of winners: 1 is the first side, 2 the second, 0 or 1.5 a tie"
    assert read_votes(path).notes[1:] == (said,)
    assert read_votes(path, codes="2,1").notes[1:] == ()
    assert read_votes(csv(tmp_path, "a,b,winner\nx,y,1\nx,y,0\n")).notes[1:] == ()


def test_numbers_that_name_items_are_items(tmp_path):
    assert scores(tmp_path, "a,b,winner\n1,2,2\n2,1,2\n3,2,2\n1,3,1\n") == [0, 1, 0, 1]
    assert scores(tmp_path, "id1,id2,better_id\n1,2,2\n2,0,0\n") == [0, 0]
    # Items are numbered, and the last row shows that winners are sides.
    assert scores(tmp_path, "a,b,winner\n1,2,2\n2,1,2\n7,8,2\n7,8,1\n") == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "header",
    ["a,b,score_a,score_b", "home_team,away_team,home_score,away_score", "model_a,model_b,score_0,score_1",
     "team1,team2,score1,score2", "generator_1,generator_2,score_1,score_2", "White,Black,White Score,Black-Score"],
)  # fmt: skip
def test_the_higher_score_of_two_wins(tmp_path, header):
    votes = read_votes(csv(tmp_path, f"{header}\nx,y,3,1\nx,y,0.5,0.75\ny,x,-2,-2.0\nx,y,,\nx,y,NaN,\n"))
    assert [(vote.a, vote.score, vote.tie) for vote in votes] == [("x", 1, False), ("x", 0, False), ("y", 0.5, True)]
    assert votes.abstentions == 2
    first, second = header.split(",")[2:]
    assert f"{first!r} and {second!r}" in votes.notes[0]


def test_scores_that_cannot_be_compared_are_odd_rows_and_a_winner_counts_before_them(tmp_path):
    with pytest.raises(InvalidVotes, match=r"line 3: the scores '2' and '' are not two numbers; give both, or"):
        read_votes(csv(tmp_path, "a,b,score_a,score_b\nx,y,3,1\nx,y,2,\n"))
    assert scores(tmp_path, "a,b,winner,score_a,score_b\nx,y,b,3,1\n") == [0]
    with pytest.raises(UnknownColumn, match="'score_a' and 'score_b', 'home_score' and 'away_score'; rename"):
        read_votes(csv(tmp_path, "a,b,score_a,score_b,home_score,away_score\nx,y,3,1,1,1\n"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("white,black,result\nx,y,1-0\nx,y,1/2-1/2\n", [1, 0.5]),
        ("white_id,black_id,winner\nx,y,black\nx,y,draw\n", [0, 0.5]),
        ("home_team,away_team,winner\nx,y,home\nx,y,away_team\nx,y,y\n", [1, 0, 0]),
        ("model_left,model_right,winner\nx,y,right\n", [0]),
        ("a,b,home,away,winner\nx,y,p,q,y\n", [0]),
        ("generator_1,generator_2,preference\nx,y,1.0\nx,y,1.5\nx,y,2.0\n", [1, 0.5, 0]),
    ],
)
def test_sides_of_sports_chess_and_benchmarks(tmp_path, text, expected):
    assert scores(tmp_path, text) == expected


def test_one_pair_may_come_many_times(tmp_path):
    assert scores(tmp_path, "a,b,winner\nx,y,a\nx,y,a\ny,x,a\n") == [1, 1, 1]


def test_triples_need_no_columns():
    assert read_votes([("x", "y", "x"), ("y", "x", None), ("x", "z", 0.5)]) == (
        Vote(a="x", b="y", score=1.0),
        Vote(a="x", b="z", score=0.5, tie=True),
    )


def test_numeric_columns_hold_ids_or_scores():
    votes = read_votes([{"a": 97, "b": 98, "winner": 98}, {"a": 97, "b": 99, "winner": 97}])
    assert [vote.score for vote in votes] == [0.0, 1.0]
    assert votes[0].a == "97"
    assert read_votes([{"a": 97, "b": 98, "score": 0.25}])[0].probability == 0.25


@pytest.mark.parametrize(
    "winners", ["Response A,response b", "Answer 1,answer-2", "Assistant A,[[B]]", "option_1,OPTION_2"]
)
def test_what_judges_of_models_answer_with_is_a_side_unless_an_item_is_called_so(tmp_path, winners):
    first, second = winners.split(",")
    assert scores(tmp_path, f"a,b,preference\nx,y,{first}\nx,y,{second}\nx,y,tie\n") == [1, 0, 0.5]
    assert scores(tmp_path, "a,b,winner\nresponse_b,response_a,response_b\nresponse_b,response_a,response_a\n") == [
        1,
        0,
    ]


def test_items_named_like_sides_are_told_apart_by_the_rest_of_the_file(tmp_path):
    # The winner of the second row is the item b, which stands on side a: the first row shows that winners are items.
    assert scores(tmp_path, "a,b,winner\nc,d,d\nb,a,b\n") == [0, 1]
    # Here the first row shows that winners are sides.
    assert scores(tmp_path, "a,b,winner\nc,d,a\nb,a,b\n") == [1, 0]
    assert scores(tmp_path, "a,b,winner\n2,1,2\n2,1,1\n") == [1, 0]


def test_items_named_like_sides_that_nothing_tells_apart_are_refused(tmp_path):
    with pytest.raises(InvalidVotes, match="line 3: the winner 'b' may mean a side or score, or the item"):
        read_votes(csv(tmp_path, "a,b,winner\na,b,a\nb,a,b\n"))
    assert scores(tmp_path, "a,b,winner\na,b,a\nb,a,first\n") == [1, 1]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames(library):
    module = pytest.importorskip(library)
    data = {"left": ["x", "x"], "right": ["y", "y"], "winner": ["left", None]}
    votes = read_votes(module.table(data) if library == "pyarrow" else module.DataFrame(data))
    assert [vote.score for vote in votes] == [1.0]
    assert votes.abstentions == 1


@pytest.mark.parametrize("suffix", ["jsonl", "json", "tsv", "parquet"])
def test_other_files(tmp_path, suffix):
    path = tmp_path / f"votes.{suffix}"
    if suffix == "parquet":
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.table({"a": ["x"], "b": ["y"], "winner": ["y"]}), path)
    else:
        row = '{"a": "x", "b": "y", "winner": "y"}'
        path.write_text({"jsonl": row, "json": f"[{row}]", "tsv": "a\tb\twinner\nx\ty\ty\n"}[suffix])
    assert read_votes(path) == (Vote(a="x", b="y", score=0.0),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,winner\nx,y,a\nx,y,maybe\n", "line 3: the winner 'maybe' is neither a side"),
        ("a,b,winner\nx,y,3\n", "line 2: the winner '3'"),
        ("a,b,winner\nx,y,-0.1\n", "line 2: the winner '-0.1'"),
        ("a,b,winner\nx,x,a\n", "line 2: 'x' is compared with itself"),
        ("a,b,winner\nx,,a\n", "line 2: an item is missing in 'b'"),
        ("a,b,winner\n,y,a\n", "line 2: an item is missing in 'a'"),
        ("a,b,winner,weight\nx,y,a,0\n", "line 2: the weight '0' is not a positive number"),
        ("a,b,winner,weight\nx,y,a,inf\n", "line 2: the weight 'inf'"),
        ("a,b,winner,weight\nx,y,a,\n", "line 2: the weight ''"),
        ("a,b,winner,probability\nx,y,a,1.5\n", "line 2: the probability '1.5'"),
        ("a,b,winner,probability\nx,y,a,much\n", "line 2: the probability 'much'"),
        ("a,b,winner\n", "has no rows"),
    ],
)
def test_rows_that_cannot_be_understood_are_named(tmp_path, text, said):
    with pytest.raises(InvalidVotes) as raised:
        read_votes(csv(tmp_path, text))
    assert "votes.csv" in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        ("x,y,winner\n1,2,1\n", {}, "no two columns of items"),
        ("a,b,left,right,winner\n1,2,1,2,1\n", {}, "several pairs of columns"),
        ("a,b\n1,2\n", {}, "no winner"),
        ("a,b,outcome,score\n1,2,1,1\n", {}, "'outcome', 'score' could each be the winner"),
        ("a,b,winner\n1,2,1\n", {"a": "a"}, "name both columns"),
        ("a,b,winner\n1,2,1\n", {"winner": "wimmer"}, "did you mean 'winner'?"),
        ("a,b,winner\n1,2,1\n", {"weight": "w"}, "no column 'w' (--weight)"),
    ],
)
def test_columns_that_cannot_be_told_are_asked_for(tmp_path, text, columns, said):
    with pytest.raises(UnknownColumn) as raised:
        read_votes(csv(tmp_path, text), **columns)
    assert said in str(raised.value)


def test_what_is_no_source_of_votes_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="not int"):
        read_votes(3)
    with pytest.raises(UnreadableFile, match="entry 2: expected a mapping, not tuple"):
        read_votes([{"a": "x", "b": "y", "winner": "a"}, ("x", "y", "a")])
    with pytest.raises(InvalidVotes, match="triples"):
        read_votes([("x", "y", "x"), ("x", "y")])


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (io.StringIO("a,b\n"), "an open file"),
        (b"a,b,winner", "bytes"),
        ("a,b,winner\n" * 1000, "a text of several lines"),
    ],
)
def test_what_a_file_holds_is_no_path(content, kind):
    for read in (read_votes, paragone.fit, lambda source: paragone.import_votes(source, db="none.db")):
        with pytest.raises(UnreadableFile, match=f"^votes: {kind} where a path should be; give the path, or rows as"):
            read(content)
    with pytest.raises(UnreadableFile, match=f"^debates: {kind} where a path should be"):
        import_debates(content, db="none.db")


def test_votes_are_a_tuple_that_reads_as_itself():
    votes = Votes([Vote(a="x", b="y", score=1.0)], abstentions=2)
    assert read_votes(votes) is votes
    assert isinstance(votes, tuple)
    assert Votes().abstentions == 0


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("uvw"), st.sampled_from([0, 0.25, 0.5, 1]))))
def test_turning_the_columns_round_turns_the_scores_round(rows):
    rows = [("p", "q", 1), *rows]
    one = read_votes([{"a": a, "b": b, "score": score} for a, b, score in rows])
    other = read_votes([{"a": b, "b": a, "score": 1 - score} for a, b, score in rows])
    assert [(vote.a, vote.b, vote.score) for vote in one] == [(vote.b, vote.a, 1 - vote.score) for vote in other]


def test_ten_thousand_rows_take_well_under_a_second(tmp_path, cpu_seconds):
    rows = "".join(f"{n},8,1,2,3,{('left', 'right', 'tie')[n % 3]},m{n % 59},n{n % 61}\n" for n in range(10_000))
    path = csv(tmp_path, "id,prompt,model_x,model_y,worker,winner,left,right\n" + rows)
    read, seconds = cpu_seconds(lambda: read_votes(path))
    assert len(read) == 10_000
    assert seconds < 0.5
