"""``paragone tournament``: from the parameters to the report, and the queue of tasks."""

import json
import subprocess

import pytest
from PIL import Image

import warm_start
import without_board
from paragone.cli.rank import NOTHING_WRITTEN, UNCHANGED
from paragone.judges.call_options import CallOptions
from paragone.judges.function_judge import FunctionJudge
from paragone.ledger import Ledger
from paragone.tournaments.tournament import Tournament

NEW = ("tournament", "new", "items.csv", "--judge", "python:longer:judge", "--seed", "3", "--similarity", "none")
SMALL = ("--set", "scheduling.matches_per_round=6", "--set", "rounds_per_session=2")


@pytest.fixture
def begun(paragone, prepared):
    """The command, with a tournament in the ledger."""

    def begin():
        result = paragone(*NEW, *SMALL)
        assert result.code == 0, result.err

    prepared(begin)
    return paragone


def test_new_says_what_a_session_takes_and_judges_nothing(paragone):
    result = paragone(*NEW, *SMALL)
    assert result.code == 0, result.err
    assert "items-1: 10 items" in result.out
    assert "2 rounds, the next of" in result.out
    assert "no debates" in result.out
    assert "paragone tournament run items-1" in result.out
    told = paragone(*NEW, "--json").json
    assert (told["tournament"], told["estimate"]["items"]) == ("items-2", 10)
    assert paragone("tournament", "status", "--json").json["matches"] == 0


def test_a_session_is_run_and_the_next_one_after_it(begun):
    first = begun("tournament", "run", "--json", "-q")
    assert first.code == 0, first.err
    assert first.json["tournament"] == "items-1"
    assert "continue with: paragone tournament run items-1" in first.err
    rounds = begun("tournament", "history", "--json").json["rounds"]
    assert [one["round_id"] for one in rounds] == ["1", "2"]
    assert all(one["matches_completed"] == one["matches_planned"] > 0 for one in rounds)
    assert begun("tournament", "run", "-q").code == 0
    assert len(begun("tournament", "history", "--json").json["rounds"]) == 4
    assert begun("audit").code == 0


def test_status_and_history_in_words(begun):
    begun("tournament", "run", "-q")
    said = begun("tournament", "status").out
    for words in ("items-1: round 2, 10 hypotheses", "confidence: ", "convergence: ", "running Elo", "stopped: "):
        assert words in said
    table = begun("tournament", "history").out
    assert table.splitlines()[0].split() == ["round", "matches", "mean", "change", "units", "forecast", "top"]
    assert "6 of 6" in table
    assert "\n\nstopped: a session" in table


def test_before_the_first_match_nobody_leads(begun):
    assert "leader" not in begun("tournament", "status").out
    assert begun("tournament", "history").out == "no round was played yet\n"


def test_history_has_what_a_budget_brings_about_where_there_is_one(paragone):
    paragone(*NEW, *SMALL, "--set", "resource_budget_per_round=8")
    paragone("tournament", "run", "-q")
    heading = paragone("tournament", "history").out.splitlines()[0].split()
    assert heading[-4:] == ["budget", "degraded", "deferred", "top"]


def test_a_judge_who_hears_debates_has_not_changed(paragone, home):
    (home / "hears.py").write_text(
        "def judge(first, second, criteria, transcript=()):\n"
        "    return 'first' if len(first.text) > len(second.text) else 'second'\n"
    )
    new = ("tournament", "new", "items.csv", "--seed", "3", "--similarity", "none", *SMALL)
    paragone(*new, "--advocate", "scripted", "--set", "multi_turn_threshold=1000", "--judge", "python:hears:judge")
    paragone("tournament", "run", "-q")
    assert "changed" not in paragone("tournament", "run").err
    assert (
        "the judge has changed"
        in paragone("tournament", "run", "--judge", "python:longer:judge", "--advocate", "none").err
    )


def test_a_table_that_is_too_wide_is_laid_out_down(begun, monkeypatch):
    begun("tournament", "run", "-q")
    monkeypatch.setattr("paragone.cli.tables.WIDTH_WHEN_PIPED", 30)
    monkeypatch.setenv("COLUMNS", "30")
    said = begun("tournament", "history").out
    assert "round: 1\nmatches: 6 of 6\nmean change: " in said
    assert "\n\nround: 2\n" in said


def test_tasks_are_submitted_and_done_by_the_next_run(begun):
    submitted = begun("tournament", "submit", "new", "h11", "--text", "hypothesis " + "long " * 11, "--json").json
    assert (submitted["id"], submitted["state"], submitted["task_type"]) == ("task-1", "queued", "NewHypothesis")
    assert begun("tournament", "submit", "round", "--matches", "4", "--id", "r").code == 0
    assert begun("tournament", "submit", "ranking", "--priority", "-1").code == 0
    assert "task-1" in begun("tournament", "tasks").out
    result = begun("tournament", "run", "-q")
    assert result.code == 0, result.err
    done = {task["id"]: task for task in begun("tournament", "tasks", "--json").json}
    assert {task["state"] for task in done.values()} == {"done"}
    assert done["task-1"]["result"]["joined"] == ["h11"]
    assert done["r"]["result"]["matches_completed"] == 4
    assert done["task-3"]["result"]["ranked_hypotheses"]
    assert "11 hypotheses" in begun("tournament", "status").out
    said = begun("tournament", "tasks").out
    assert "1 joined" in said
    assert "round 1, 4 matches" in said


def test_a_supervisor_orders_pauses_and_cancels_tasks_and_retires_hypotheses(begun):
    begun("tournament", "submit", "round", "--matches", "4", "--id", "r")
    waits = begun("tournament", "submit", "ranking", "--after", "r", "--after", "x", "--id", "g").out
    assert "g is queued in items-1; it waits, after r (queued), x (not submitted yet)" in waits
    assert begun("tournament", "submit", "round", "--id", "y", "--after", "y").code == 2
    begun("tournament", "submit", "round", "--id", "x", "--matches", "2")
    assert "x is queued, with priority 3" in begun("tournament", "prioritize", "x", "3").out
    assert "is paused" in begun("tournament", "pause", "--reason", "lunch").out
    assert "the queue is paused: lunch" in begun("tournament", "tasks").out
    assert "the queue is paused: lunch" in begun("tournament", "run").err + begun("tournament", "run").out
    assert begun("tournament", "history").out == "no round was played yet\n"
    assert "is open" in begun("tournament", "resume").out
    assert "r is paused" in begun("tournament", "pause", "r").out
    assert "r is queued" in begun("tournament", "resume", "r").out
    assert "retired in items-1: h1" in begun("tournament", "retire", "h1", "--reason", "withdrawn").out
    begun("tournament", "run", "-q")
    assert "retired in items-1: none" in begun("tournament", "readmit", "h1").out
    tasks = {task["id"]: task for task in begun("tournament", "tasks", "--json").json}
    assert {id: task["state"] for id, task in tasks.items()} == {"r": "done", "g": "done", "x": "done"}
    assert (tasks["g"]["evidence"]["matches"], tasks["g"]["evidence"]["matches_since"]) == (6, 0)
    assert "6 matches, up to date" in begun("tournament", "tasks").out
    refused = begun("tournament", "cancel", "r")
    assert (refused.code, "is done" in refused.err) == (1, True) or (refused.code, "is done" in refused.err) == (
        2,
        True,
    )
    begun("tournament", "submit", "round", "--id", "z")
    assert "z is cancelled" in begun("tournament", "cancel", "z", "--reason", "no budget").out


def test_an_incomplete_hypothesis_is_flagged(begun):
    begun("tournament", "submit", "new", "h12")
    begun("tournament", "run", "-q")
    assert "h12 lacks text" in begun("tournament", "tasks").out
    assert begun("tournament", "status", "--json").json["incomplete"] == ["h12"]


def test_an_incomplete_hypothesis_of_a_file_is_skipped_and_amended(paragone, home):
    (home / "gaps.csv").write_text("id,text\na,one thing\nb,another thing\nc,\nd,it ends in the\n")
    new = (
        "tournament",
        "new",
        "gaps.csv",
        "--seed",
        "3",
        "--similarity",
        "none",
        *SMALL,
        "--judge",
        "python:longer:judge",
    )
    said = paragone(*new).out
    assert "c lacks text and does not play yet: paragone tournament amend c" in said
    assert "d lacks the end of the text" in said
    assert [row["id"] for row in paragone("tournament", "amend", "--json").json] == ["c", "d"]
    assert "c joins gaps-1" in paragone("tournament", "amend", "c", "--text", "a third thing").out
    (home / "d.txt").write_text("it ends in the sea\n")
    assert "no hypothesis is incomplete" in paragone("tournament", "amend", "d", "--file", "d.txt").out
    assert paragone("tournament", "amend", "a", "--text", "changed").code != 0
    assert paragone("tournament", "amend", "--text", "whose?").code == 2
    assert paragone("tournament", "run", "-q").code == 0
    assert "4 hypotheses" in paragone("tournament", "status").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("submit", "round", "nobody"), "no hypothesis 'nobody'"),
        (("submit", "new"), "which hypotheses are new?"),
        (("submit", "new", "a", "--items", "items.csv"), "leave out the ids"),
        (("submit", "round", "--text", "t"), "--text and --items add hypotheses"),
        (("submit", "ranking", "--matches", "3"), "--matches is for a round"),
        (("submit", "new", "a", "b", "--text", "t"), "--text is the text of one hypothesis"),
        (("anomalies", "--keep", "a", "--roll-back", "b"), "one change at a time"),
        (("anomalies", "--keep", "a"), "no anomaly of items-1 is called 'a'"),
        (("config", "--set", "scheduling.rounds=3"), "rounds"),
        (("config", "--set", "frobnicate=3"), "the sections are tournament_parameters, scheduling, "),
        (("new", "items.csv", "--judge", "python:longer:judge", "--similarity", "nearby"), "no embedder 'nearby'"),
        (("run", "items-9"), "items-9"),
        (("new", "items.csv", "--judge", "python:longer:judge", "--advocate", "scripted"), "cannot decide debates"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(begun, arguments, says):
    result = begun("tournament", *arguments)
    assert result.code == 2, result.out
    assert says in result.err


def test_config_is_a_file_that_new_takes(begun, home):
    toml = begun("tournament", "config", "--set", "k_factor=24").out
    assert "k_factor = 24" in toml
    (home / "parameters.toml").write_text(toml)
    assert begun(*NEW, "--config", "parameters.toml", "--set", "matches_per_round=7").code == 0
    stored = begun("tournament", "config", "items-2", "--json").json
    assert stored["tournament_parameters"]["k_factor"] == 24
    assert stored["scheduling"]["matches_per_round"] == 7


def test_a_change_that_looks_wrong_is_kept_or_rolled_back(begun):
    from paragone.ledger import Ledger

    begun("tournament", "run", "-q")
    assert "no suspicious rating change" in begun("tournament", "anomalies").out
    with Ledger.open("paragone.db") as ledger:
        for number, match in enumerate(("1.1", "1.2"), start=1):
            note = {"id": f"a{number}", "item": "h1", "match": match, "kind": "spike", "size": 70.0, "reason": "sudden"}
            ledger.tournaments.add_event("items-1", "anomaly", note)
    assert begun("tournament", "status", "--json").json["to_review"] == 2
    begun("tournament", "anomalies", "--roll-back", "a1", "--reason", "a wrong verdict")
    queue = begun("tournament", "anomalies", "--keep", "a2", "--json").json
    assert {one["id"]: one["decision"] for one in queue} == {"a1": "rolled back", "a2": "kept"}
    assert [m["id"] for m in begun("matches", "--json").json if m["rolled_back"]] == ["1.1"]


def test_rank_knows_the_weighted_pairing(paragone):
    ask = ("rank", "items.csv", "-c", "longer", "-j", "python:longer:judge", "--pairing", "weighted", "--seed", "1")
    result = paragone(*ask, "--json", "-n", 30)
    assert result.code == 0, result.err
    assert result.json["spending"]["decisions"] == 30
    assert "budget of 30" in json.dumps(result.json["stopped"])


def test_reviews_seed_the_ratings(paragone, home):
    (home / "reviews.csv").write_text("item,score\nh1,1.0\nh2,0.0\n")
    assert paragone(*NEW, "--reviews", "reviews.csv").code == 0
    leaders = paragone("board", "--by-elo", "--json").json["items"]
    assert (leaders[0]["id"], leaders[-1]["id"]) == ("h1", "h2")


def test_the_round_in_progress_is_in_the_history_and_says_so(begun):
    with Tournament.open("paragone.db") as found:
        count = iter(range(100))

        def judge(first, second, criteria):
            if next(count) == 8:
                found.gate.close("enough")
            return "first"

        found.judge = FunctionJudge(judge)
        without_board.run(found, pace=CallOptions(concurrency=1))
    rounds = begun("tournament", "history", "--json").json["rounds"]
    assert [(one["round_id"], one["open"]) for one in rounds] == [("1", False), ("2", True)]
    assert rounds[1]["matches_completed"] < rounds[1]["matches_planned"] == 6
    table = begun("tournament", "history").out
    assert f"{rounds[1]['matches_completed']} of 6, open" in table
    assert table.count("open") == 1


def test_a_panels_member_that_rests_is_told_once_and_stands_in_the_history(begun, home):
    (home / "broken.py").write_text("def judge(first, second, criteria):\n    return first.score\n")
    result = begun("tournament", "run", "--judge", "panel:python:longer:judge + python:broken:judge")
    assert result.code == 0, result.err
    assert result.err.count("note: python:broken:judge") == 1
    assert "AttributeError" in result.err
    history = begun("tournament", "history").out
    assert history.count("was rested: broken:judge") + history.count("was rested: python:broken") == 1
    assert begun("tournament", "history", "--json").json["rested"][0]["round"] == 1
    assert "failed attempts)" in begun("tournament", "status").out


def test_similarities_and_vectors_come_from_files(paragone, home):
    (home / "near.csv").write_text("a,b,similarity\nh1,h10,0.9\nh2,h9,0.8\n")
    (home / "v.jsonl").write_text("".join(f'{{"id": "h{n}", "vector": [{n}, 1]}}\n' for n in range(1, 11)))
    new = (*NEW[:-2], *SMALL)
    for given in (("--similarity", "near.csv"), ("--vectors", "v.jsonl")):
        result = paragone(*new, *given)
        assert result.code == 0, result.err
        assert "the next of about" in result.out
        assert paragone("tournament", "run", "-q").code == 0
    assert paragone("tournament", "run", "-q", "--similarity", "near.csv").code == 0
    result = paragone(*new, "--vectors", "v.jsonl", "--similarity", "near.csv")
    assert (result.code, "not both" in result.err) == (2, True)


def test_of_megabytes_in_one_turn_the_beginning_is_shown(paragone, home):
    (home / "wordy.py").write_text(
        "def judge(first, second, criteria):\n    return {'winner': 'first', 'rationale': 'word ' * 220_000}\n"
    )
    brief = ("--set", "scheduling.matches_per_round=1", "--set", "rounds_per_session=1")
    assert paragone(*NEW[:4], "python:wordy:judge", *NEW[5:], *brief).code == 0
    assert paragone("tournament", "run", "-q", "--json").code == 0
    shown = paragone("show", "1.1").out
    assert "[cut here: 1,050,009 characters left out; --json prints them]" in " ".join(shown.split())
    assert len(shown) < 100_000
    assert len(paragone("show", "1.1", "--json").out) > 1_100_000


@pytest.mark.parametrize("command", [("tournament", "new"), ("rank", "-c", "better")])
def test_a_simulated_judge_that_lacks_items_is_refused_at_once(paragone, home, command):
    (home / "some.csv").write_text("id,score\n" + "".join(f"h{n},{n}\n" for n in (1, 2, 3)))
    result = paragone(*command, "items.csv", "--judge", "simulated:some.csv")
    assert result.code == 2
    assert "knows no strength of 7 of 10 items: 'h4', 'h5', 'h6', 'h7', 'h8', ..." in result.err
    assert not (home / "paragone.db").exists()


@pytest.mark.parametrize(
    ("command", "where", "says"),
    [
        (
            ("tournament", "new", "items.csv", "-j", "python:longer:judge"),
            "new",
            NOTHING_WRITTEN,
        ),
        (
            ("rank", "items.csv", "-c", "x", "-j", "python:longer:judge"),
            "new",
            NOTHING_WRITTEN,
        ),
        (("tournament", "run"), "open", UNCHANGED),
        (
            ("tournament", "run"),
            "begun",
            "every answer so far is recorded; continue with: paragone tournament run items-1",
        ),
    ],
)
def test_ctrl_c_before_anything_listens_for_it_says_what_is_kept(begun, home, command, where, says):
    script = home / "interrupted.py"
    script.write_text(INTERRUPTED.format(where=where, arguments=["paragone", *command]))
    done = subprocess.run([warm_start.python(), script], capture_output=True, text=True, check=False, cwd=home)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, f"paragone: interrupted; {says}")
    assert done.stderr.count("Traceback") == 0
    with Ledger.open("paragone.db") as ledger:
        assert [record.id for record in ledger.tournaments.all()] == ["items-1"]


INTERRUPTED = """
import os, signal, sys
# a module that is imported on the way: loading it is the moment at which Ctrl-C comes
LATE = {{"new": "paragone.intake.items", "open": "paragone.tournaments.tournament", "begun": "longer"}}
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == LATE[{where!r}]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.modules.pop(LATE[{where!r}], None)
sys.argv = {arguments!r}
from paragone.cli import main
main()
"""


def test_a_run_of_another_coscientist_is_converted_and_ranked(paragone, home):
    run = {
        "hypotheses": [
            {"text": "One claim.", "reviews": [{"overall_score": 8}]},
            {"text": "A second claim."},
            {"text": "C."},
        ],
        "tournament_matchups": [
            {"hypothesis_a": "One claim.", "hypothesis_b": "C.", "winner": "a", "reasoning": "clear"}
        ]
        * 2,
    }
    (home / "run.json").write_text(json.dumps(run))
    said = paragone("tournament", "convert", "run.json", "--out", "theirs").out
    assert "wrote 3 hypotheses, 1 reviews and 2 matches to theirs" in said
    new = (
        "tournament",
        "new",
        "theirs/items.jsonl",
        "--reviews",
        "theirs/reviews.jsonl",
        "--similarity",
        "none",
        *SMALL,
    )
    assert paragone(*new, "--judge", "python:longer:judge", "--seed", "1").code == 0
    assert "One claim." in paragone("fit", "theirs/votes.jsonl").out


def test_a_round_that_a_killed_run_was_playing_is_cancelled(begun, home):
    begun("tournament", "submit", "round", "--matches", "4", "--id", "r")
    with Ledger.open(home / "paragone.db") as ledger:  # as the run left it
        ledger.tournaments.add_event("items-1", "task_state", {"id": "r", "state": "running"})
    assert "r is cancelling" in begun("tournament", "cancel", "r", "--reason", "no money").out
    assert begun("tournament", "run", "-q").code == 0
    (task,) = begun("tournament", "tasks", "--json").json
    assert (task["state"], task["error"], task["result"]["matches_completed"]) == ("cancelled", "no money", 0)
    assert "no money; cancelled before its first match" in begun("tournament", "tasks").out


def test_texts_become_markdown_and_images_of_files_and_folders_are_kept(begun, tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in ("a.png", "b.png"):
        Image.new("RGB", (2, 2)).save(pictures / name)
    (pictures / "false.png").write_text("<svg onload='alert(1)'/>", "utf-8")
    (tmp_path / "one.gif").write_bytes((pictures / "a.png").read_bytes())
    assert begun("tournament", "texts").out == "texts are shown as they are\nimages: none\n"
    assert begun("tournament", "texts", "--as", "html").code == 2
    assert begun("tournament", "texts", "items-1", "--as", "markdown", "--json").json == {
        "read_as": "markdown",
        "images": [],
    }
    kept = begun("tournament", "images", "one.gif", "pictures")
    assert kept.out == "texts are shown as Markdown\nimages: a.png, b.png, one.gif\n"
    assert "pictures: left out: false.png is not a complete PNG" in kept.err
    assert begun("tournament", "images", "one.gif").code == 0, "the same again"
    refused = begun("tournament", "images", "pictures/false.png")
    assert (refused.code, "not a complete PNG" in refused.err, "Traceback" in refused.err) == (2, True, False)
    assert begun("tournament", "images", "nowhere.png").code == 2
    with Tournament.open("paragone.db") as tournament:
        assert tournament.show_texts_as("plain").read_as == "plain"
        assert not tournament.add_image("a.png", (pictures / "a.png").read_bytes())
        assert tournament.audit().ok
