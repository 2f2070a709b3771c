"""Logs of other tools as votes, each from a small file as the tool's documentation describes it."""

import json
import struct
import sys
import zipfile
import zlib

import pytest

from paragone import fit, import_votes
from paragone.errors import InvalidConfig, InvalidVotes, MissingExtra, UnreadableFile
from paragone.intake.tool_exports import Scored, export_format, export_options, from_scores
from paragone.intake.vote import VoteOptions
from paragone.intake.votes import read_votes


def triples(votes):
    return [(vote.a, vote.b, vote.score) for vote in votes]


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        lines = name.endswith(".jsonl")
        path.write_text("\n".join(map(json.dumps, content)) if lines else json.dumps(content), "utf-8")
        return path

    return written


@pytest.fixture
def inspect_log(tmp_path):
    """Writes a log of Inspect with the grades of its samples."""

    def written(name, model, grades, *, summaries=True, task="popularity"):
        path = tmp_path / name
        samples = [
            {"id": number, "epoch": 1, "input": "?", "scores": {"match": {"value": value, "answer": "no"}}}
            for number, value in enumerate(grades, 1)
        ]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("_journal/start.json", json.dumps({"eval": {"task": task, "model": model, "run_id": "r"}}))
            archive.writestr("_journal/summaries/1.json", json.dumps(samples))
            if summaries:
                archive.writestr("header.json", json.dumps({"eval": {"task": task, "model": model, "run_id": "r"}}))
                archive.writestr("summaries.json", json.dumps(samples))
        return path

    return written


def packed_anew(path):
    """An archive with Zstandard in place of deflate, each member in two frames, as Inspect writes large ones."""
    zstandard = pytest.importorskip("zstandard")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    pack = zstandard.ZstdCompressor().compress
    content, directory = b"", b""
    for name, raw in members.items():
        packed = pack(raw[:7]) + pack(raw[7:])
        fields = (93, 0, 0, zlib.crc32(raw), len(packed), len(raw), len(name))
        directory += struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 63, 0, 63, 0, 0, *fields, 0, 0, 0, 0, 0, len(content))
        directory += name.encode()
        content += struct.pack("<4s2B4HL2L2H", b"PK\3\4", 63, 0, 0, *fields, 0) + name.encode() + packed
    count, sizes = len(members), (len(directory), len(content))
    path.write_bytes(content + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, *sizes, 0))
    return path


ALPACA = [
    {"instruction": "?", "generator_1": "gpt4", "generator_2": "new", "annotator": "weighted", "preference": preference}
    for preference in (1.0, 1.75, 2, 1.5, 0, None)
]


def test_a_preference_of_alpaca_eval_is_a_probability(write):
    votes = read_votes(write("annotations.json", ALPACA))
    assert triples(votes) == [
        ("gpt4", "new", 1.0),
        ("gpt4", "new", 0.25),
        ("gpt4", "new", 0.0),
        ("gpt4", "new", 0.5),
        ("gpt4", "new", 0.5),
    ]
    assert (votes.abstentions, votes[0].judge) == (1, "weighted")
    assert votes.notes[0] == "annotations.json: 5 votes from annotations of AlpacaEval"


def test_one_annotation_is_read_and_a_damaged_one_refused_in_words(write):
    assert triples(read_votes(write("one.json", ALPACA[0]))) == [("gpt4", "new", 1.0)]
    for damaged, why in ({"generator_1": "m"}, "has no 'preference'"), (5, "has another form"):
        with pytest.raises(UnreadableFile, match=rf"is not annotations of AlpacaEval: a record {why}; --from table"):
            read_votes(write("two.json", [ALPACA[0], damaged]))


def test_an_export_in_another_encoding_is_recognised_by_its_mark_or_read_as_it_is_named(tmp_path):
    content = json.dumps([{**ALPACA[0], "generator_1": "modèle"}], ensure_ascii=False)
    (tmp_path / "marked.json").write_text(content, "utf-16")
    (tmp_path / "latin.json").write_text(content, "latin-1")
    expected = [("modèle", "new", 1.0)]
    assert triples(read_votes(tmp_path / "marked.json")) == expected
    assert triples(read_votes(tmp_path / "latin.json", encoding="latin-1")) == expected
    with pytest.raises(UnreadableFile, match="encoding"):
        read_votes(tmp_path / "latin.json")


def test_both_games_of_mt_bench_count_in_the_order_in_which_they_were_shown(write):
    row = {"question_id": 81, "model_1": "vicuna", "model_2": "gpt", "judge": ["gpt-4", "pair-v2"], "turn": 1}
    games = [("model_1", "model_2"), ("tie", "model_1"), ("error", "model_2")]
    votes = read_votes(
        write("gpt-4_pair.jsonl", [{**row, "g1_winner": one, "g2_winner": other} for one, other in games])
    )
    assert triples(votes) == [
        ("vicuna", "gpt", 1.0),
        ("gpt", "vicuna", 1.0),
        ("vicuna", "gpt", 0.5),
        ("gpt", "vicuna", 0.0),
        ("gpt", "vicuna", 1.0),
    ]
    assert (votes.abstentions, votes[0].judge, votes.has_order) == (1, "gpt-4", True)


def test_grades_of_mt_bench_meet_on_the_same_question_and_turn(write):
    grades = [("a", 81, 1, 9), ("b", 81, 1, 7), ("a", 81, 2, 4), ("b", 81, 2, 4), ("a", 82, 1, -1), ("b", 82, 1, 10)]
    records = [
        {"question_id": question, "model": model, "judge": ["gpt-4", "single-v1"], "score": score, "turn": turn}
        for model, question, turn, score in grades
    ]
    assert triples(read_votes(write("gpt-4_single.jsonl", records))) == [("a", "b", 1.0), ("a", "b", 0.5)]


def promptfoo(*results):
    """What promptfoo writes: a test that was not passed has its assertion's reason as an error, as in real files."""
    rows = [
        {
            "testIdx": test,
            "promptIdx": index,
            "provider": {"id": provider, "label": ""},
            "prompt": {"raw": "long", "label": prompt},
            "score": score,
            "success": score == 1,
            **({} if score == 1 else {"error": "Expected output to contain it", "failureReason": 1}),
            "gradingResult": {"pass": score == 1, "score": score},
            "testCase": {"vars": {"question": "?"}},
        }
        for index, (provider, prompt, scores) in enumerate(results)
        for test, score in enumerate(scores)
    ]
    failed = {
        "testIdx": 0, "promptIdx": 9, "error": "timeout", "failureReason": 2, "score": 0, "success": False,
        "provider": {"id": "x"}, "prompt": {"label": "y"}, "testCase": {"vars": {"question": "?"}},
    }  # fmt: skip
    return {"evalId": "e", "results": {"version": 3, "prompts": [], "results": [*rows, failed], "stats": {}}}


def test_providers_of_promptfoo_meet_on_each_test(write):
    votes = read_votes(
        write("out.json", promptfoo(("openai:a", "short", [1, 0, 0.5]), ("openai:b", "short", [0, 1, 0.5])))
    )
    assert triples(votes) == [
        ("openai:a", "openai:b", 1.0),
        ("openai:b", "openai:a", 1.0),
        ("openai:a", "openai:b", 0.5),
    ]
    assert not votes.has_order


def test_prompts_of_promptfoo_are_what_is_ranked_where_the_provider_is_one(write):
    votes = read_votes(write("out.json", promptfoo(("p", "plain", [1]), ("p", "x" * 200, [0]))))
    assert triples(votes) == [("plain", "prompt 2", 1.0)]
    both = read_votes(write("both.json", promptfoo(("p", "plain", [1]), ("q", "stern", [0]))))
    assert triples(both) == [("p, plain", "q, stern", 1.0)]


def test_a_failure_of_a_provider_in_an_older_promptfoo_is_an_error_without_a_grade(write):
    content = promptfoo(("p", "plain", [1]), ("p", "stern", [0]))
    for result in content["results"]["results"]:
        result.pop("failureReason", None)
    assert triples(read_votes(write("out.json", content))) == [("plain", "stern", 1.0)]


def test_what_promptfoo_selected_as_best_wins_though_its_score_is_zero(write):
    content = promptfoo(("p", "plain", [0]), ("p", "stern", [0]))
    for result, is_best in zip(content["results"]["results"], (False, True), strict=False):
        parts = [{"score": int(is_best), "assertion": {"type": "select-best"}}]
        result["gradingResult"] = {"pass": is_best, "score": 0, "componentResults": parts}
    assert triples(read_votes(write("out.json", content))) == [("stern", "plain", 1.0)]


def test_results_of_promptfoo_may_be_in_several_files_one_a_prompt(write):
    plain, stern = promptfoo(("p", "plain", [1, 0])), promptfoo(("p", "stern", [0, 0]))
    lines = write("plain.jsonl", plain["results"]["results"])
    with pytest.raises(InvalidVotes, match=r"no two candidates share a question; .* name the files of both together"):
        read_votes(lines)
    files = [lines, write("stern.json", stern)]
    assert triples(read_votes(files)) == [("plain", "stern", 1.0), ("plain", "stern", 0.5)]
    stern["results"]["results"][0]["testCase"]["vars"]["question"] = "another"
    assert triples(read_votes([lines, write("stern.json", stern)])) == [("plain", "stern", 0.5)]


class TestInspect:
    def test_models_meet_on_the_samples_of_all_logs_together(self, inspect_log, tmp_path):
        inspect_log("one.eval", "gpt", ["C", "I", "P"])
        inspect_log("two.eval", "llama", ["I", "I", 0.75], summaries=False)  # interrupted
        votes = read_votes(tmp_path)
        assert triples(votes) == [("gpt", "llama", 1.0), ("gpt", "llama", 0.5), ("llama", "gpt", 1.0)]
        assert votes[0].judge == "match"

    def test_logs_that_are_json_are_read_beside_archives_and_from_their_folder(self, inspect_log, tmp_path):
        inspect_log("one.eval", "gpt", ["C", "I"])
        scores = [{"id": number, "epoch": 1, "scores": {"match": {"value": "C"}}} for number in (1, 2)]
        header = {"task": "popularity", "model": "llama", "run_id": "r"}
        (tmp_path / "two.json").write_text(json.dumps({"version": 2, "eval": header, "samples": scores}))
        (tmp_path / "other.json").write_text("[]")
        assert triples(read_votes(tmp_path)) == [("gpt", "llama", 0.5), ("llama", "gpt", 1.0)]

    def test_an_archive_packed_with_zstandard_in_several_frames(self, inspect_log, tmp_path):
        inspect_log("one.eval", "gpt", ["C", "I"])
        packed_anew(inspect_log("two.eval", "llama", ["C", "C"]))
        assert triples(read_votes(tmp_path)) == [("gpt", "llama", 0.5), ("llama", "gpt", 1.0)]

    def test_without_what_reads_zstandard_a_message_names_the_extra(self, inspect_log, monkeypatch):
        path = packed_anew(inspect_log("one.eval", "gpt", ["C"]))
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(MissingExtra, match=r"Zstandard, .* pip install 'paragone\[inspect\]'"):
            read_votes(path)

    def test_logs_of_one_model_are_told_apart_by_their_names(self, inspect_log):
        paths = [inspect_log("plain.eval", "gpt", ["C"]), inspect_log("with_tools.eval", "gpt", ["I"])]
        assert [row.id for row in fit(paths).items] == ["plain", "with_tools"]

    def test_one_log_of_one_model_compares_nothing(self, inspect_log):
        with pytest.raises(InvalidVotes, match="no two candidates share a question"):
            read_votes(inspect_log("one.eval", "gpt", ["C"]))

    def test_other_tasks_are_other_questions(self, inspect_log, tmp_path):
        inspect_log("one.eval", "gpt", ["C"])
        inspect_log("two.eval", "llama", ["I"], task="trivia")
        with pytest.raises(InvalidVotes, match="no two candidates share a question"):
            read_votes(tmp_path)

    def test_json_that_is_nested_too_deeply_is_damage(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "deep.eval", "w") as archive:
            archive.writestr("header.json", "[" * 100_000)
        with pytest.raises(UnreadableFile, match=r"deep\.eval is not a complete log of Inspect"):
            read_votes(tmp_path / "deep.eval")

    def test_a_damaged_log_is_named(self, tmp_path, inspect_log):
        path = inspect_log("one.eval", "gpt", ["C"])
        path.write_bytes(path.read_bytes()[:200])
        with pytest.raises(UnreadableFile, match=r"one\.eval is not a complete log of Inspect"):
            read_votes(path)
        with pytest.raises(UnreadableFile, match="no such file"):
            read_votes(tmp_path / "nowhere.eval")

    def test_what_unpacks_to_too_much_is_not_unpacked(self, inspect_log, monkeypatch):
        monkeypatch.setattr("paragone.intake.inspect_logs._LARGEST_MEMBER", 100)
        with pytest.raises(UnreadableFile, match="larger than"):
            read_votes(inspect_log("one.eval", "gpt", ["C"] * 100))


def test_models_of_chosen_texts_are_ranked_and_not_the_texts(write):
    rows = [
        {"prompt": "?", "chosen": "yes", "chosen_model": "gpt", "rejected": "no", "rejected_model": "pythia", "id": 1},
        {"prompt": "!", "chosen": [{"role": "user"}], "chosen_model": "gpt", "rejected": [], "rejected_model": "llama"},
    ]
    assert triples(read_votes(write("reward_bench.jsonl", rows))) == [("gpt", "pythia", 1.0), ("gpt", "llama", 1.0)]


def test_repeated_runs_count_as_their_mean():
    scores = [("a", 1.0), ("a", 0.0), ("b", 0.5), ("c", 0.4)]
    rows = from_scores(Scored(candidate=name, question="q", scorer="", score=score) for name, score in scores)
    assert list(rows) == [
        {"winner": "a", "loser": "b", "draw": True},
        {"winner": "a", "loser": "c", "draw": False},
        {"winner": "b", "loser": "c", "draw": False},
    ]


def test_answers_of_a_log_to_one_pair_are_no_repeats_unless_the_caller_says_so(write):
    path = write("annotations.json", ALPACA)
    assert export_options(path, VoteOptions()).repeats is False
    assert export_options(path, VoteOptions(repeats=True)).repeats is True
    assert export_options(write("votes.json", [{"a": "x", "b": "y", "winner": "a"}]), VoteOptions()).repeats is None


def test_a_log_is_imported_like_a_file_of_votes(write, tmp_path):
    path = write("out.json", promptfoo(("a", "short", [1, 1, 0]), ("b", "short", [0, 0, 1])))
    assert import_votes(path, db=tmp_path / "p.db").rows == 3
    assert import_votes(path, db=tmp_path / "p.db").added == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("out.json", '{"results": {"promptIdx": 1, "testIdx": 2}}'),
        ("out.json", '{"results": "promptIdx testIdx", "promptIdx": 1, "testIdx": 1}'),
        ("annotations.json", '[{"generator_1": "a", "generator_2": "b", "preference": [1'),
        ("annotations.json", '[{"generator_1": "a", "generator_2": "b", "preference": 1}, "b"]'),
    ],
)
def test_what_only_looks_like_a_log_is_refused_with_what_to_do(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises((UnreadableFile, InvalidVotes)) as refused:
        read_votes(tmp_path / name)
    assert name in str(refused.value)


def test_a_format_may_be_named(write):
    path = write(
        "votes.json", [{"a": "x", "b": "y", "winner": "a", "generator_1": 1, "generator_2": 2, "preference": 1}]
    )
    assert triples(read_votes(path, form="table")) == [("x", "y", 1.0)]
    assert export_format(path).name == "alpaca-eval"
    with pytest.raises(InvalidConfig, match=r"no format is called 'promptfo'; did you mean promptfoo\?"):
        read_votes(path, form="promptfo")


def score(run, item, value, *, name="helpful", snake=False):
    """A score as Langfuse exports it, by its API and from its tables."""
    row = {"id": f"{run}{item}", "name": name, "value": value, "traceId": f"t{run}{item}", "dataType": "NUMERIC"}
    row |= {"source": "EVAL", "datasetRunName": run, "datasetItemId": item}
    names = {"traceId": "trace_id", "dataType": "data_type", "datasetRunName": "dataset_run_name"}
    names |= {"datasetItemId": "dataset_item_id"}
    return {names.get(key, key): cell for key, cell in row.items()} if snake else row


SCORES = [("new", 1, 0.9), ("old", 1, 0.4), ("new", 2, 0.5), ("old", 2, 0.5), ("old", 3, 1.0)]


@pytest.mark.parametrize("snake", [False, True])
@pytest.mark.parametrize("name", ["scores.json", "scores.jsonl", "scores.csv", "api.json"])
def test_scores_of_langfuse_compare_runs_on_the_items_that_both_have(write, tmp_path, name, snake):
    rows = [score(*each, snake=snake) for each in SCORES]
    if name.endswith(".csv"):
        path = tmp_path / name
        path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]))
    else:
        path = write(name, {"data": rows, "meta": {"page": 1}} if name == "api.json" else rows)
    assert export_format(path).name == "langfuse"
    votes = read_votes(path)
    assert triples(votes) == [("new", "old", 1.0), ("new", "old", 0.5)]
    assert {vote.judge for vote in votes} == {"helpful"}


def test_scores_of_langfuse_by_the_names_of_traces_in_a_session(write):
    rows = [
        {"name": "ok", "value": value, "dataType": "BOOLEAN", "traceId": id, "trace": {"name": id, "sessionId": "s1"}}
        for id, value in (("fast", 0), ("slow", 1))
    ]
    assert triples(read_votes(write("scores.json", rows))) == [("slow", "fast", 1.0)]


def test_scores_of_langfuse_that_do_not_say_what_was_scored_are_refused_with_the_remedy(write):
    rows = [{"name": "ok", "value": 1, "dataType": "NUMERIC", "traceId": "t1"}]
    with pytest.raises(InvalidVotes, match="Add columns datasetRunName and datasetItemId"):
        read_votes(write("scores.json", rows))


def record(value, *, question="preference", fields=("prompt", "one", "two"), status="submitted", **metadata):
    return {
        "id": "r", "fields": {name: f"the {name}" for name in fields}, "metadata": metadata, "suggestions": {},
        "responses": {question: [{"value": value, "user_id": "ann", "status": status}]}, "vectors": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("two", [("gpt", "one", 1.0)]),
        ("tie", [("one", "gpt", 0.5)]),
        (["two", "one"], [("gpt", "one", 1.0)]),
        ([{"value": "one", "rank": 1}, {"value": "two", "rank": 1}], [("one", "gpt", 0.5)]),
        ([{"value": "one", "rank": 2}, {"value": "two", "rank": 1}], [("gpt", "one", 1.0)]),
    ],
)
def test_rankings_and_preferences_of_argilla(write, value, expected):
    path = write("records.json", [record(value, two_model="gpt")])
    assert export_format(path).name == "argilla"
    votes = read_votes(path)
    assert triples(votes) == expected
    assert votes[0].judge == "ann"


def test_ratings_of_argilla_compare_answers_to_one_prompt(write):
    rated = [record(value, question="rating", model=model) for model, value in (("a", 4), ("b", 2))]
    assert triples(read_votes(write("records.jsonl", rated))) == [("a", "b", 1.0)]


def test_drafts_of_argilla_do_not_count(write):
    with pytest.raises(InvalidVotes, match="no two candidates share a question"):
        read_votes(write("records.json", [record("two", status="draft")]))
