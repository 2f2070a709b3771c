"""Past debates and predictions: one meaning whatever the file, and a message with file and line where there is none."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paragone.domain.names import LONGEST_NAME, domain_problem, name_problem
from paragone.errors import InvalidEvidence, ParagoneError, UnknownColumn, UnreadableFile
from paragone.intake.debates import DebateFile

SCORES = [
    {"debate_id": "d1", "scores": {"claude": 0.8, "gpt4": 0.6, "gemini": 0.4}, "domain": "law", "task": None,
     "confidence_weight": 0.9},
    {"debate_id": "d2", "participants": ["gpt4", "claude"], "scores": {"claude": 1, "gpt4": 2}, "task": "a review"},
]  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(content, name="d.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(source, size=100):
    return [debate for chunk in DebateFile(source=source).chunks(size) for debate in chunk.debates]


def told(source, size=100):
    """What the file says, without where it says it."""
    return [(d.id, dict(zip(d.participants, d.scores, strict=True)), d.domain, d.task, d.confidence)
            for d in read(source, size)]  # fmt: skip


def predictions(source):
    return [found for chunk in DebateFile(source=source).chunks(100) for found in chunk.predictions]


# What is understood


def test_scores_with_everything_else(write):
    one, two = read(write(lines(SCORES), "d.jsonl"))
    assert (one.id, one.participants, one.scores) == ("d1", ("claude", "gpt4", "gemini"), (0.8, 0.6, 0.4))
    assert (one.domain, one.task, one.confidence) == ("law", "", 0.9)
    assert (two.participants, two.scores) == (("gpt4", "claude"), (2.0, 1.0))  # in the order of the participants
    assert (two.task, two.confidence) == ("a review", 1.0)
    assert one.as_record() == {
        "debate_id": "d1",
        "participants": ["claude", "gpt4", "gemini"],
        "scores": {"claude": 0.8, "gpt4": 0.6, "gemini": 0.4},
        "domain": "law",
        "task": None,
        "confidence_weight": 0.9,
    }


def test_one_meaning_in_every_kind_of_file(write, tmp_path):
    from pyarrow import Table, parquet

    expected = told(SCORES)
    assert told(write(lines(SCORES), "d.jsonl")) == expected
    assert told(write(json.dumps(SCORES), "d.json")) == expected
    listed = [{**row, "scores": list(row["scores"].items())} for row in SCORES]  # as Parquet has maps
    assert told(listed) == expected
    named = [{**row, "participants": row.get("participants", list(row["scores"]))} for row in SCORES]
    parquet.write_table(Table.from_pylist(named), tmp_path / "d.parquet")  # null for those who took no part
    assert told(tmp_path / "d.parquet") == expected
    cells = [json.dumps(row["scores"]).replace('"', '""') for row in SCORES]
    text = "debate_id,scores,participants,domain,task,confidence\n"
    text += f'd1,"{cells[0]}",,law,,0.9\nd2,"{cells[1]}","[""gpt4"",""claude""]",,a review,\n'
    assert told(write(text)) == expected


def test_winner_loser_and_draw(write):
    text = "debate_id,winner,loser,draw,domain,task,confidence\n"
    text += "d1,claude,gpt4,,law,a review,0.5\nd2,gpt4,claude,true,,,\nd3,gemini,gpt4,no,,,\n"
    expected = [
        ("d1", {"claude": 1.0, "gpt4": 0.0}, "law", "a review", 0.5),
        ("d2", {"gpt4": 0.5, "claude": 0.5}, "", "", 1.0),
        ("d3", {"gemini": 1.0, "gpt4": 0.0}, "", "", 1.0),
    ]
    assert told(write(text)) == expected
    assert told(write(text.replace(",", "\t"), "d.tsv")) == expected
    assert told([{"id": "d1", "participants": ["a", "b"], "winner": "b"}])[0][1] == {"a": 0.0, "b": 1.0}
    assert told([{"id": "d1", "participants": ["a", "b"], "draw": True, "winner": None}])[0][1] == {"a": 0.5, "b": 0.5}


def test_a_column_for_each_side_and_for_its_score(write):
    text = (
        "id,agent_a,agent_b,score_a,score_b,domain,confidence\nd1,claude,gpt4,0.8,0.6,law,0.5\nd2,gpt4,gemini,2,2,,\n"
    )
    assert told(write(text)) == [
        ("d1", {"claude": 0.8, "gpt4": 0.6}, "law", "", 0.5),
        ("d2", {"gpt4": 2.0, "gemini": 2.0}, "", "", 1.0),
    ]
    assert told(write("Agent 1;Agent 2;Score 1;Score 2\r\nx;y;0,5;1\r\n;;;\r\n")) == [
        ("d.csv:2", {"x": 0.5, "y": 1.0}, "", "", 1.0)
    ]


@pytest.mark.parametrize(
    ("winner", "scores"),
    [("x", (1, 0)), ("y", (0, 1)), ("agent_b", (0, 1)), ("A", (1, 0)), ("second", (0, 1)), ("tie", (0.5, 0.5))],
)
def test_a_column_for_each_side_and_the_winner(write, winner, scores):
    (debate,) = read(write(f"agent_a,agent_b,winner\nx,y,{winner}\n"))
    assert (debate.participants, debate.scores) == (("x", "y"), scores)
    # Scores count where there are any, and the winner must agree with them.
    both = read(write(f"agent_a,agent_b,score_a,score_b,winner\nx,y,,,{winner}\nx,y,3,1,x\n"))
    assert [debate.scores for debate in both] == [scores, (3, 1)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("x,y,1,", "'y' took part and has no score"),
        ("x,y,,", "neither side has a score, and no winner is named"),
        ("x,y,NaN,nan", "neither side has a score, and no winner is named"),
        ("x,,1,2", "no participant is named in 'agent_b'"),
        ("x,x,1,2", "'x' takes part twice"),
        ("x,y,much,2", "score_a is 'much'; expected a number"),
        ("x,y,NaN,2", "'x' took part and has no score"),
        ("x,y,-1,2", "must be finite, 0 or more"),
        ("x,y,1,2,agent_a", "'x' is the winner, but the scores say 'y' ahead"),
        ("x,y,,,1", "the winner '1' is neither 'x' nor 'y', nor a side or a tie"),
    ],
)
def test_a_row_of_two_sides_that_cannot_be_understood_is_named(write, row, message):
    with pytest.raises(InvalidEvidence) as raised:
        read(write(f"agent_a,agent_b,score_a,score_b,winner\n{row}{',' * (4 - row.count(','))}\n"))
    assert "d.csv, line 2: " in str(raised.value)
    assert message in str(raised.value)


def test_a_row_a_participant_wherever_it_stands(write):
    text = (
        "debate_id,agent,score,domain\nd1,claude,0.8,law\nd2,gpt4,1,\nd1,gpt4,0.6,\nd2,claude,1,\nd1,gemini,0.4,law\n"
    )
    expected = [
        ("d1", {"claude": 0.8, "gpt4": 0.6, "gemini": 0.4}, "law", "", 1.0),
        ("d2", {"gpt4": 1.0, "claude": 1.0}, "", "", 1.0),
    ]
    for size in (1, 2, 100):
        assert told(write(text), size) == expected
    assert [chunk.rows for chunk in DebateFile(source=write(text)).chunks(1)] == [3, 2]


def test_without_an_id_the_file_and_the_row_name_a_debate(write):
    text = "winner,loser\n\na,b\na,b\n"
    assert [debate.id for debate in read(write(text, "march.csv"))] == ["march.csv:3", "march.csv:4"]
    assert [debate.id for debate in read([{"winner": "a", "loser": "b"}])] == ["debates:1"]
    hostile = read(write(text, "\x1b[31m" + "x" * 150 + ".csv"))[0].id
    assert hostile.isprintable()
    assert len(hostile) < 120


def test_predictions(write):
    text = "Agent,domain,confidence,correct,prediction_id\nclaude,law,0.8,true,p1\ngpt4,law,0.3,0,\n"
    found = predictions(write(text))
    assert [(p.id, p.agent, p.domain, p.confidence, p.correct) for p in found] == [
        ("p1", "claude", "law", 0.8, True),
        ("d.csv:3", "gpt4", "law", 0.3, False),
    ]
    assert found[0].as_record() == {
        "prediction_id": "p1", "agent_name": "claude", "domain": "law", "confidence": 0.8, "correct": True,
    }  # fmt: skip


def test_numbers_are_names_too():
    assert read([{"debate_id": 7, "winner": 1.0, "loser": 2}])[0].participants == ("1", "2")


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from("abcd"), st.integers(0, 3)),
            min_size=2,
            max_size=4,
            unique_by=lambda pair: pair[0],
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 4),
    st.randoms(),
)
def test_every_form_and_every_chunk_tells_the_same(debates, size, rng):  # fmt: skip
    objects = [{"debate_id": f"d{n}", "scores": dict(pairs)} for n, pairs in enumerate(debates)]
    rows = [{"debate_id": one["debate_id"], "agent": agent, "score": score}
            for one in objects for agent, score in one["scores"].items()]  # fmt: skip
    rng.shuffle(rows)
    assert told(objects, size) == told(objects, 100)
    by_id = {id: scores for id, scores, *_ in told(objects)}
    assert {id: scores for id, scores, *_ in told(rows, size)} == by_id


# What is not


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"scores": {"a": 1}}, "only 'a' took part"),
        ({"scores": {}}, "nobody took part"),
        ({"scores": {"a": 1, "b": -0.1}}, "the score of 'b' is -0.1"),
        ({"scores": {"a": 1, "b": float("inf")}}, "the score of 'b' is inf"),
        ({"scores": {"a": 1, "b": float("nan")}}, "'b' took part and has no score"),
        ({"scores": {"a": 1, "b": None}}, "'b' took part and has no score"),
        ({"scores": {"a": 1, "b": "high"}}, "scores is 'high'; expected a number"),
        ({"scores": {"a": 1, "b": True}}, "scores is True; expected a number"),
        ({"scores": [0.1, 0.2]}, "scores are [0.1, 0.2]; expected an object"),
        ({"scores": "{a: 1}"}, "expected JSON"),
        ({"scores": {"a": 1, "b": 0}, "participants": ["a", "b", "c"]}, "'c' took part and has no score"),
        ({"scores": {"a": 1, "b": 0, "c": 1}, "participants": ["a", "b"]}, "'c' has a score and is not among"),
        ({"scores": {"a": 1, "b": 0}, "participants": ["a", "a", "b"]}, "'a' takes part twice"),
        ({"scores": {"a": 1, "b": 0}, "participants": "a"}, "expected JSON"),
        ({"scores": {"a": 1, "b": 0}, "participants": {"a": 1}}, "expected a list of names"),
        ({"scores": {"a": 1, "b": 0}, "winner": "b"}, "'b' is the winner, but the scores say 'a' ahead"),
        ({"scores": {"a": 1, "b": 1}, "winner": "b"}, "'b' is the winner, but the scores say a draw"),
        ({"scores": {"a": 1, " ": 0}}, "the name of an agent is blank"),
        ({"scores": {"a": 1, "b\x1b[2J": 0}}, "holds a control character"),
        ({"scores": {"a": 1, "\ud800": 0}}, "lone surrogate"),
        ({"scores": {"a": 1, "x" * 129: 0}}, "has at most 128 characters"),
        ({"scores": {"a": 1, "b": 0}, "domain": "global"}, "cannot be called 'global'"),
        ({"scores": {"a": 1, "b": 0}, "domain": ["law"]}, "domain is ['law']; expected a text"),
        ({"scores": {"a": 1, "b": 0}, "confidence": 75}, "confidence is 75, and lies from 0 to 1"),
        ({"scores": {"a": 1, "b": 0}, "confidence": "sure"}, "confidence is 'sure'; expected a number"),
        ({"scores": {"a": 1, "b": 0}, "debate_id": "x\n"}, None),
        ({"scores": {"a": 1, "b": 0}, "debate_id": "x\ny"}, "the id of a debate holds a control character"),
        ({"scores": {"a": 1, "b": 0}, "debate_id": "x" * 513}, "at most 512 characters"),
        ({"winner": "a", "loser": ""}, "'a' is named and the loser is not"),
        ({"winner": "", "loser": "b"}, "'b' is named and the winner is not"),
        ({"winner": "", "loser": ""}, "no participant is named; give scores, or winner and loser"),
        ({"winner": "a", "loser": "a"}, "'a' takes part twice"),
        ({"winner": "a", "loser": "b", "draw": "maybe"}, "draw is 'maybe'; expected true or false"),
        ({"winner": "a", "participants": ["a", "b", "c"]}, "a winner alone is not enough: give scores"),
        ({"winner": "c", "participants": ["a", "b"]}, "'c' won"),
        ({"winner": "", "participants": ["a", "b"]}, "no winner is named; for a draw, write true"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_understood_is_named(row, message):
    rows = [{"winner": "x", "loser": "y", "scores": None}, row]
    if message is None:
        assert len(read(rows)) == 2
        return
    with pytest.raises(InvalidEvidence) as refused:
        read(rows)
    assert str(refused.value).startswith("debates, entry 2: ")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("debate_id,agent,score\nd,a,1\nd,a,2\n", "line 3: 'a' takes part twice in 'd', which begins at"),
        ("debate_id,agent,score\n,a,1\n", "line 2: debate_id is missing"),
        ("debate_id,agent,score\nd,,1\n", "line 2: no agent is named"),
        ("debate_id,agent,score\nd,a,\n", "line 2: 'a' took part and has no score"),
        ("debate_id,agent,score\nd,a,1\n", "line 2: only 'a' took part in 'd'"),
        ("debate_id,agent,score,domain\nd,a,1,law\nd,b,1,art\n", "line 3: domain is 'art', and 'law' at"),
        ("debate_id,agent,score,confidence\nd,a,1,.5\nd,b,1,.6\n", "line 3: confidence is 0.6, and 0.5 at"),
        ("agent,domain,confidence,correct\na,law,,1\n", "line 2: confidence is missing"),
        ("agent,domain,confidence,correct\na,law,.5,\n", "line 2: correct is missing"),
        ("agent,domain,confidence,correct\na,law,1.5,1\n", "line 2: confidence is 1.5"),
        ("agent,domain,confidence,correct\na,,.5,1\n", "line 2: the name of a domain is blank"),
        ("agent,domain,confidence,correct\n,law,.5,1\n", "line 2: the name of an agent is blank"),
        ("winner,loser\n", "d.csv has no rows"),
    ],
)
def test_a_line_that_cannot_be_understood_is_named(write, text, message):
    with pytest.raises(InvalidEvidence) as refused:
        list(DebateFile(source=write(text)).chunks(100))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("content", "name", "kind", "message"),
    [
        ("colour,size\nred,1\n", "d.csv", UnknownColumn, "holds neither debates nor predictions"),
        ("winner,date\na,monday\n", "d.csv", UnknownColumn, "names winners but not their opponents"),
        (
            "a,b,left,right,winner\np,q,r,s,p\n",
            "d.csv",
            UnknownColumn,
            "several pairs of columns could be the two sides",
        ),
        ("winner,loser,correct\na,b,1\n", "d.csv", UnknownColumn, "both debates and predictions"),
        ("agent,participant,debate_id,score\na,b,d,1\n", "d.csv", None, ""),
        ("participant,name,debate_id,score\na,b,d,1\n", "d.csv", UnknownColumn, "could each be the agent"),
        ("", "d.csv", UnreadableFile, "is empty"),
        ('{"winner": "a", "lo', "d.jsonl", UnreadableFile, "line 1"),
        (b"winner,loser\na,\xff\n", "d.csv", UnreadableFile, "line 2: byte 0xff is not UTF-8"),
        ("a,b\n1\n", "d.csv", UnreadableFile, "line 2"),
        ("x", "d.xyz", UnreadableFile, ".xyz"),
    ],
)
def test_a_file_that_cannot_be_understood(write, content, name, kind, message):
    with pytest.raises(kind or InvalidEvidence) as refused:
        read(write(content, name))
    assert message in str(refused.value)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "debate_id",
                "scores",
                "participants",
                "winner",
                "loser",
                "draw",
                "domain",
                "confidence",
                "agent",
                "score",
                "correct",
            ]
        ),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=4),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=4,
        ),
    )
)
@example(row={"winner": "claude", "scores": []})
def test_whatever_comes_is_understood_or_refused_in_words(row):  # fmt: skip
    with suppress(ParagoneError):  # and no other error
        found = list(DebateFile(source=[row]).chunks(10))
        assert sum(chunk.rows for chunk in found) == 1


def test_names():
    assert name_problem("Ада / 'x'; --") is None
    assert name_problem("x" * LONGEST_NAME) is None
    for bad in ("", " \t", "x" * (LONGEST_NAME + 1), "a\nb", "a\x7f", "\ud800", "a\u2028b"):
        assert name_problem(bad)
        assert domain_problem(bad)
    assert "'global'" in domain_problem("global")


DEBATES = [{"winner": f"a{n % 3}", "loser": f"b{n % 4}"} for n in range(40)]
WRONG = {"winner": "a", "loser": "a"}


def test_a_few_rows_that_cannot_be_evidence_are_skipped_and_named():
    chunks = list(DebateFile(source=[WRONG, *DEBATES, {"winner": "", "loser": "x"}]).chunks(10))
    assert sum(len(chunk.debates) for chunk in chunks) == 40
    assert [problem for chunk in chunks for problem in chunk.problems] == [
        "debates, entry 1: 'a' takes part twice in 'debates:1'; name everybody once",
        "debates, entry 42: 'x' is named and the winner is not",
    ]
    predictions = [{"agent": "a", "domain": "law", "confidence": 0.5, "correct": "yes"}] * 20
    chunks = list(DebateFile(source=[*predictions, {**predictions[0], "correct": "maybe"}]).chunks(7))
    assert [len(chunk.predictions) for chunk in chunks] == [7, 7, 6]
    assert "entry 21: correct is 'maybe'" in chunks[-1].problems[0]


def test_more_than_one_in_twenty_or_any_with_strict_refuses_the_debates():
    with pytest.raises(InvalidEvidence, match=r"entry 41: .*1 of 41 rows .* --strict"):
        list(DebateFile(source=[*DEBATES, WRONG], strict=True).chunks(10))
    with pytest.raises(InvalidEvidence, match=r"entry 19: .*1 of 19 rows .* more than one in twenty"):
        list(DebateFile(source=[*DEBATES[:18], WRONG]).chunks(10))


def test_debates_in_another_encoding(tmp_path):
    text = "winner,loser\nzoë,chloé\n"
    path = tmp_path / "debates.csv"
    for encoding, named in (("utf-16", None), ("cp1252", "cp1252")):
        path.write_bytes(text.encode(encoding))
        (chunk,) = DebateFile(source=path, encoding=named).chunks(10)
        assert chunk.debates[0].participants == ("zoë", "chloé")
