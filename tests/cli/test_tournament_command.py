"""``paragone tournament``: from the parameters to the report, and the queue of tasks."""

import json

import pytest

NEW = ("tournament", "new", "items.csv", "--judge", "python:longer:judge", "--seed", "3", "--similarity", "none")
SMALL = ("--set", "scheduling.matches_per_round=6", "--set", "rounds_per_session=2")


@pytest.fixture
def begun(paragone):
    """The command, with a tournament in the ledger."""
    result = paragone(*NEW, *SMALL)
    assert result.code == 0, result.err
    return paragone


def test_new_says_what_a_session_takes_and_judges_nothing(paragone):
    result = paragone(*NEW, *SMALL)
    assert result.code == 0, result.err
    assert "items-1: 10 items" in result.out
    assert "2 rounds, the next of" in result.out
    assert "no debates are held" in result.out
    assert "paragone tournament run items-1" in result.out
    told = paragone(*NEW, "--json").json
    assert (told["tournament"], told["estimate"]["items"]) == ("items-2", 10)
    assert paragone("tournament", "status", "--json").json["matches"] == 0


def test_a_session_is_run_and_the_next_one_after_it(begun):
    first = begun("tournament", "run", "--json", "-q")
    assert first.code == 0, first.err
    assert first.json["tournament"] == "items-1"
    assert "go on with: paragone tournament run items-1" in first.err
    rounds = begun("tournament", "history", "--json").json["rounds"]
    assert [one["round_id"] for one in rounds] == ["1", "2"]
    assert all(one["matches_completed"] == one["matches_planned"] > 0 for one in rounds)
    assert begun("tournament", "run", "-q").code == 0
    assert len(begun("tournament", "history", "--json").json["rounds"]) == 4
    assert begun("audit").code == 0


def test_status_and_history_in_words(begun):
    begun("tournament", "run", "-q")
    said = begun("tournament", "status").out
    for words in ("items-1: round 2, 10 hypotheses", "confidence: ", "convergence: ", "health: ", "stopped: a session"):
        assert words in said
    table = begun("tournament", "history").out
    assert table.splitlines()[0].split()[:3] == ["round", "matches", "mean"]
    assert "6 of 6" in table


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


def test_an_incomplete_hypothesis_is_flagged(begun):
    begun("tournament", "submit", "new", "h12")
    begun("tournament", "run", "-q")
    assert "h12 lacks text" in begun("tournament", "tasks").out
    assert begun("tournament", "status", "--json").json["incomplete"] == ["h12"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("submit", "round", "nobody"), "no hypothesis 'nobody'"),
        (("submit", "new"), "names no hypothesis"),
        (("submit", "new", "a", "b", "--text", "t"), "--text is the text of one hypothesis"),
        (("review", "--keep", "a", "--roll-back", "b"), "one change at a time"),
        (("review", "--keep", "a"), "no anomaly of items-1 is called 'a'"),
        (("config", "--set", "scheduling.rounds=3"), "rounds"),
        (("run", "items-9"), "items-9"),
        (("new", "items.csv", "--judge", "python:longer:judge", "--advocate", "scripted"), "cannot hear debates"),
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
    assert "no rating change looks wrong" in begun("tournament", "review").out
    with Ledger.open("paragone.db") as ledger:
        for number, match in enumerate(("1.1", "1.2"), start=1):
            note = {"id": f"a{number}", "item": "h1", "match": match, "kind": "spike", "size": 70.0, "reason": "sudden"}
            ledger.add_event("items-1", "anomaly", note)
    assert begun("tournament", "status", "--json").json["to_review"] == 2
    begun("tournament", "review", "--roll-back", "a1", "--reason", "a wrong verdict")
    queue = begun("tournament", "review", "--keep", "a2", "--json").json
    assert {one["id"]: one["decision"] for one in queue} == {"a1": "rolled back", "a2": "kept"}
    assert [m["id"] for m in begun("matches", "--json").json if m["rolled_back"]] == ["1.1"]


def test_rank_knows_the_weighted_pairing(paragone):
    ask = ("rank", "items.csv", "-c", "longer", "-j", "python:longer:judge", "--pairing", "weighted", "--seed", "1")
    result = paragone(*ask, "--json", "-n", 30)
    assert result.code == 0, result.err
    assert result.json["calls"] == 30
    assert "budget of 30" in json.dumps(result.json["stopped"])


def test_reviews_seed_the_ratings(paragone, home):
    (home / "reviews.csv").write_text("item,score\nh1,1.0\nh2,0.0\n")
    assert paragone(*NEW, "--reviews", "reviews.csv").code == 0
    leaders = paragone("board", "--by-elo", "--json").json["items"]
    assert (leaders[0]["id"], leaders[-1]["id"]) == ("h1", "h2")
