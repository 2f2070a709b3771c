"""``paragone agents`` at the terminal: record, board, show, predict, resolve, calibration, relations, tests."""

import pytest

from paragone.agents import EloSystem
from paragone.cli.agents.predictions import CHART_WIDTH, chart


@pytest.fixture
def agents(paragone):
    return lambda *words: paragone("agents", *words)


@pytest.fixture
def some(agents, prepared):
    """Three agents, two debates, a few predictions."""
    prepared(debated)
    return agents


def debated():
    with EloSystem("paragone.db") as elo:
        scores = {"claude": 0.8, "gpt4": 0.6, "gemini": 0.4}
        elo.record_match("d1", list(scores), scores, domain="security", confidence_weight=0.9)
        elo.record_match("d2", winner="claude", loser="gpt4", task="code review")
    foretell(("claude", 0.9, True), ("claude", 0.8, True), ("claude", 0.6, False))


def foretell(*said, domain="law"):
    with EloSystem("paragone.db") as elo:
        elo.record_domain_predictions(
            [{"agent_name": agent, "domain": domain, "confidence": p, "correct": came} for agent, p, came in said]
        )


# Recording


def test_the_worked_example_of_the_document(agents):
    words = (
        "claude=0.8",
        "gpt4=0.6",
        "gemini=0.4",
        "--domain",
        "security",
        "--confidence",
        "0.9",
        "--id",
        "debate-001",
    )
    done = agents("record", *words)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1].split() == ["claude", "+6.86", "1506.9", "1506.9"]
    assert done.out.splitlines()[-1] == "recorded as debate-001"
    again = agents("record", *words, "--json").json
    assert again["new"] is False
    assert again["changes"] == pytest.approx({"claude": 6.857142857, "gpt4": 0.822857143, "gemini": -7.68})
    assert again["ratings"]["gemini"] == pytest.approx(1492.32)
    assert "on record already; this is how ratings changed then" in agents("record", *words).out


def test_winner_loser_draw_and_the_principled_options(agents):
    assert agents("record", "--winner", "a", "--loser", "b", "--json").json["changes"] == {"a": 16.0, "b": -16.0}
    drawn = agents("record", "--winner", "c", "--loser", "d", "--draw", "--json").json
    assert drawn["changes"] == {"c": 0.0, "d": 0.0}
    assert drawn["id"].startswith("debate-")
    won = agents("record", "e=.8", "f=.6", "g=.1", "--outcome", "win", "--normalize", "n-1", "--json").json
    assert won["changes"] == {"e": 16.0, "f": 0.0, "g": -16.0}


def test_the_same_debate_with_other_scores_is_a_conflict(some):
    failed = some("record", "claude=0.1", "gpt4=0.6", "gemini=0.4", "--domain", "security", "--id", "d1")
    assert failed.code == 1
    assert "d1" in failed.err


def test_where_the_literal_formula_misleads_it_says_so_in_options(agents):
    done = agents("record", "a=4", "b=3", "c=2", "d=1")
    assert done.code == 0
    assert "note: a debate among 4 moves a rating up to 3 times as far" in done.err
    assert "--normalize n-1" in done.err
    assert "EloSystem" not in done.err
    assert agents("record", "a=4", "b=3", "c=2", "d=1", "--normalize", "n-1").err == ""


# Looking


def test_board(some):
    rows = some("board", "--json").json
    assert [row["agent"] for row in rows] == ["claude", "gpt4", "gemini"]
    first = rows[0]
    assert (first["wins"], first["losses"], first["ties"], first["form"]) == (2, 0, 0, "WW")
    assert first["rank"] == 1
    assert first["low"] < first["strength"] < first["high"]
    assert first["rank_low"] <= first["rank"] <= first["rank_high"]
    out = some("board").out
    assert out.splitlines()[0].split()[:3] == ["rank", "between", "strength"]
    assert "2 more; see --limit" in some("board", "--limit", 1).out
    assert [row["agent"] for row in some("board", "--limit", 1, "--json").json] == ["claude"]


def test_a_shared_rank_is_marked_where_others_who_share_it_are_left_out(agents):
    agents("record", "--winner", "ada", "--loser", "ben", "--draw")
    assert agents("board", "--limit", 1).out.splitlines()[1].split()[0] == "1="


def test_boards_by_something_else(some):
    elos = [row["elo"] for row in some("board", "--by", "elo", "--json").json]
    assert elos == sorted(elos, reverse=True)
    foretell(("gemini", 0.5, False), *[("gemini", 0.99, True)] * 5)
    assert some("board", "--by", "calibration", "--json").json[0]["agent"] == "gemini"


def test_a_board_of_a_domain(some):
    rows = {row["agent"]: row for row in some("board", "--domain", "security", "--json").json}
    assert rows["claude"]["elo"] == pytest.approx(1506.857142857)
    assert (rows["claude"]["wins"], rows["claude"]["form"]) == (1, "W")
    some("record", "--winner", "newcomer", "--loser", "gpt4")
    newcomer = next(r for r in some("board", "-d", "security", "--json").json if r["agent"] == "newcomer")
    assert (newcomer["wins"], newcomer["form"]) == (0, "")
    assert newcomer["elo"] > 1500  # the global one, until it debates there
    assert "it leans on the strength elsewhere" in " ".join(some("board", "-d", "security").out.split())


def test_show(some):
    some("redteam", "claude", "--robustness", 0.85, "--successful", 3, "--total", 20, "--session", "s1")
    some("verify", "claude", "--domain", "maths", "--verified", 5, "--disproven", 1)
    seen = some("show", "claude").out
    for part in ("2 debates: won 2, lost 0, drew 0", "2 of 3 predictions came true", "+6.86", "gpt4 0.6, gemini 0.4"):
        assert part in seen
    assert "red team s1" in seen
    assert "3 of 20 attacks succeeded" in seen
    assert "5 verified, 1 disproven" in seen
    told = some("show", "claude", "--limit", 1, "--json").json
    assert (told["wins"], told["debates"], told["predictions"]) == (2, 2, 3)
    assert [debate["debate_id"] for debate in told["last_debates"]] == ["d2"]
    assert told["last_debates"][0]["task"] == "code review"
    assert [test["elo_change"] for test in told["tests"]] == pytest.approx([8.16, 32.0])
    domains = {domain["domain"]: domain for domain in told["domains"]}
    assert set(domains) == {"security", "maths"}
    assert domains["maths"]["strength"] is None
    assert told["rank"] == 1
    assert domains["security"]["strength"]["elo"] == domains["security"]["elo"]


def test_among_very_many_agents_strengths_by_domain_are_left_to_the_board(some, monkeypatch):
    from paragone.agents import strengths

    assert some("show", "claude", "--json").json["domains"][0]["strength"]["domain"] == "security"
    monkeypatch.setattr(strengths, "MOST_WORK", 26)
    assert some("show", "claude", "--json").json["domains"][0]["strength"] is None
    assert "strengths in a domain: paragone agents board --domain NAME" in some("show", "claude").out


def test_who_is_only_registered_can_be_shown(agents):
    with EloSystem("paragone.db") as elo:
        elo.register_agent("newcomer", model="m-1")
    assert "newcomer (m-1): Elo 1500.0" in agents("show", "newcomer").out
    assert "no prediction has an outcome yet" in agents("show", "newcomer").out
    assert agents("board", "--json").json[0]["rank"] is None
    assert "newcomer" in agents("board").out


def test_a_debate_that_was_rolled_back_is_shown_as_such(some):
    done = some("void", "d1", "--reason", "the judge was ill")
    assert done.out.splitlines()[-1] == "d1 is void"
    assert done.out.splitlines()[1].split()[0] == "claude"
    again = some("void", "d1", "--json").json
    assert (again["new"], set(again["changes"])) == (False, {"claude", "gpt4", "gemini"})
    assert "d1 was void already" in some("void", "d1").out
    assert some("void", "d9").code == 2
    assert "rolled back" in some("show", "gemini").out
    gemini = next(row for row in some("board", "--json").json if row["agent"] == "gemini")
    assert (gemini["form"], gemini["losses"], gemini["elo"]) == (".", 0, 1500.0)


# Predictions


def test_a_prediction_in_a_domain_counts_once_under_its_id(agents):
    words = ("predict", "claude", "0.8", "--domain", "law", "--wrong")
    assert agents(*words, "--id", "p1").out == "claude was wrong in law, with 80%; recorded as p1\n"
    assert agents(*words, "--id", "p1", "--json").json["correct"] is False
    assert agents("calibration", "--json").json[0]["predictions"] == 1
    agents(*words)
    assert agents("calibration", "--json").json[0]["predictions"] == 2
    assert agents("predict", "claude", "0.8", "--domain", "law", "--correct", "--id", "p1").code == 1


def test_predict_and_resolve(some):
    assert "claude expects gpt4 to win t1, with 75%" in some("predict", "t1", "claude", "gpt4", "0.75").out
    some("predict", "t1", "gpt4", "claude", 0.6)
    done = some("resolve", "t1", "claude", "--json").json
    assert done["briers"] == pytest.approx({"claude": 0.5625, "gpt4": 0.16})
    out = some("resolve", "t1", "claude").out.splitlines()
    assert out[1].split() == ["gpt4", "claude", "60%", "0.160"]  # the best first
    failed = some("resolve", "t1", "gpt4")
    assert failed.code == 1
    assert "t1" in failed.err
    assert "nobody had predicted it" in some("resolve", "t2", "claude").out
    assert some("predict", "t1", "claude", "claude", "1").code == 1


def test_calibration_of_all(some):
    foretell(*[("gpt4", 0.7, True)] * 6, domain="art")
    rows = some("calibration", "--json").json
    assert [(row["agent"], row["predictions"]) for row in rows] == [("gpt4", 6), ("claude", 3)]
    # 6 predictions: (1 - .09) x (.5 + .5 x 1/40)
    assert rows[0]["score"] == pytest.approx(0.91 * 0.5125)
    assert rows[0]["brier"] == pytest.approx(0.09)
    assert "too few" in some("calibration").out
    assert [row["agent"] for row in some("calibration", "--domain", "law", "--json").json] == ["claude"]


def test_calibration_of_one(some):
    pytest.importorskip("sklearn")
    foretell(*[("gpt4", 0.9, False)] * 12)
    foretell(("gpt4", 0.9, True), domain="art")
    some("predict", "open", "gpt4", "claude", "0.5")
    told = some("calibration", "gpt4", "--json").json
    assert (told["predictions"], told["correct"], told["unresolved"]) == (13, 1, 1)
    assert told["finding"] == "overconfident"
    assert told["ece"]["value"] == pytest.approx(0.9 - 1 / 13)
    assert told["ece_by_midpoints"]["value"] == pytest.approx(0.95 - 1 / 13)
    parts = told["corp"]
    brier = parts["miscalibration"] - parts["discrimination"] + parts["uncertainty"]
    assert brier == pytest.approx(told["brier"]["value"])
    out = some("calibration", "gpt4").out
    assert "gpt4: overconfident by" in out
    assert "1 of 13 predictions came true (8%), mean confidence 90%; 1 more wait for their tournaments" in out
    assert "90%-100%" in out
    assert "miscalibration -" in out
    assert some("calibration", "gpt4", "--domain", "art", "--json").json["predictions"] == 1
    assert some("calibration", "gemini").out == "gemini: no prediction has an outcome yet\n"


def test_the_chart():
    assert len(chart(0.5, 0.25, 0.75, 0.9)) == CHART_WIDTH
    assert chart(0.5, 0.25, 0.75, 0.9) == "." * 10 + "-" * 10 + "o" + "-" * 10 + "....." + "|" + "...."
    assert chart(1.0, 1.0, 1.0, 1.0)[-1] == "o"


# Relations


def test_relations(some):
    assert "nothing was recorded between claude and others" in some("relations", "claude").out
    assert "claude ahead in 2, gpt4 in 0" in some("relations", "claude", "gpt4").out
    with EloSystem("paragone.db") as elo:
        elo.update_relationship(
            "claude", "gpt4", debate_increment=4, agreement_increment=1, critique_a_to_b=3, critique_accepted_a_to_b=2,
            position_change_b_after_a=1, a_win=2, b_win=1,
        )  # fmt: skip
    told = some("relations", "gpt4", "--json").json
    # .3 x 4/20 + .4 x 3/4 + .3 x 1/2
    assert told[0]["rivalry_score"] == pytest.approx(0.51)
    # .5 x 1/4 + .3 x 2/3 + .2 x 1/2
    assert told[0]["alliance_score"] == pytest.approx(0.425)
    assert (told[0]["agent_b"], told[0]["head_to_head"]) == ("claude", "1-2")
    line = some("relations", "gpt4").out.splitlines()[1].split()
    assert line == ["claude", "neutral", "0.51", "0.42", "4", "25%", "1-2"]
    seen = some("relations", "gpt4", "claude").out
    assert "4 debates, agreed in 1; gpt4 won 1, claude won 2" in seen
    assert "claude criticised gpt4 3 times, accepted 2" in seen
    assert "gpt4 changed its position after claude 1 time" in seen
    assert some("relations", "claude", "gpt4", "--json").json["counts"]["a_wins_over_b"] == 2
    assert "rivals: gpt4 (0.51)" in some("show", "claude").out


# Tests of strength


@pytest.mark.parametrize(
    ("robustness", "critical", "change", "cliff", "beyond"),
    [
        (0.85, 0, 8.16, 0.8, 0.0),
        (0.79, 0, 0.0, 0.8, 7.68),
        (0.55, 1, 0.0, 0.5, -4.4),  # .5 x 32 x 3/20 and 2 for the critical one
        (0.45, 1, -4.4, 0.5, 0.0),
        (0.1, 20, -30.0, 0.5, 0.0),
    ],
)
def test_red_team(agents, robustness, critical, change, cliff, beyond):
    words = ("--robustness", robustness, "--successful", 3, "--total", 20, "--critical", critical)
    told = agents("redteam", "claude", *words, "--session", "s1", "--json").json
    assert told["elo_change"] == pytest.approx(change)
    assert told["elo"] == pytest.approx(1500 + change)
    assert told["cliff"] == cliff
    assert told["distance"] == pytest.approx(abs(robustness - cliff))
    assert told["change_beyond"] == pytest.approx(beyond)
    again = agents("redteam", "claude", *words, "--session", "s1")
    assert f"claude: {change:+.2f}, Elo {1500 + change:.1f}" in again.out  # the session counts once
    assert f"robustness of {cliff:g} this would have been worth {beyond:+.2f}" in again.out


def test_verification(agents):
    told = agents("verify", "claude", "--domain", "maths", "--verified", 5, "--disproven", 1, "--json").json
    assert told.pop("id").startswith("verification:")
    assert told == {
        "agent": "claude", "domain": "maths", "elo_change": 32.0, "elo": 1532.0, "domain_elo": 1532.0,
    }  # fmt: skip
    assert (
        "claude: -4.00, Elo 1528.0, in maths 1528.0"
        in agents("verify", "claude", "-d", "maths", "--disproven", 1, "--k", 8, "--id", "v2").out
    )
    assert "Elo 1528.0" in agents("verify", "claude", "-d", "maths", "--disproven", 1, "--k", 8, "--id", "v2").out


def test_everything_is_evidence_under_the_audit(some, paragone):
    some("redteam", "claude", "--robustness", 0.85, "--successful", 3, "--total", 20)
    some("verify", "claude", "--domain", "maths", "--verified", 5)
    some("predict", "t1", "claude", "gpt4", 0.75)
    some("resolve", "t1", "claude")
    assert paragone("audit").out.startswith("ok: 1 pool, ")


# Reading


def test_a_board_with_a_name_of_any_length_keeps_its_figures(agents):
    long = "宽" * 128
    agents("record", f"{long}=1", "b=0")
    first = agents("board").out.splitlines()[1]
    assert first.split()[:2] == ["1", "1-2"]
    assert "1516" in first
    assert "1-0-0" in first
    assert first.rstrip().endswith("宽…")


@pytest.mark.parametrize("width", [50, 60, 80])
def test_a_curve_fits_into_a_narrow_terminal(some, monkeypatch, width):
    pytest.importorskip("sklearn")
    from rich.console import Console

    from paragone.cli import tables

    monkeypatch.setattr(tables, "out", lambda: Console(width=width, color_system=None))
    lines = some("calibration", "claude").out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.lstrip().startswith("stated"))
    pictures = [line.split()[-1] for line in lines[head + 1 : head + 4]]
    assert {len(picture) for picture in pictures} == {min(41, width - 34)}
    assert all(picture.count("o") == 1 for picture in pictures)


def test_one_of_a_thing_is_said_as_one(some):
    with EloSystem("paragone.db") as elo:
        elo.update_relationship("claude", "gemini", debate_increment=1, critique_a_to_b=1)
    seen = some("relations", "claude", "gemini").out
    assert "1 debate, agreed in 0" in seen
    assert "claude criticised gemini 1 time, accepted 0" in seen
    assert "in 1 recorded debate:" in seen
    assert "gemini: " in some("show", "gemini").out
    assert "\n1 debate: won 0" in some("show", "gemini").out


def test_debates_of_agents_called_a_and_b_are_counted_for_the_right_one(agents):
    agents("record", "b=1", "a=0")
    assert "b ahead in 1, a in 0" in agents("relations", "b", "a").out
    assert "a ahead in 0, b in 1" in agents("relations", "a", "b").out


def test_what_happened_between_two_is_recorded_and_counts_once_with_an_id(some):
    counts = ("--debates", "4", "--agreements", "1", "--wins", "1", "--losses", "1", "--id", "week 1")
    told = some("relate", "claude", "gpt4", *counts).out
    assert told.startswith("claude and gpt4: ")  # .3 x 4/20 + .4 x 3/4 + .3 x 1 = .66
    assert "rivalry 0.66" in told
    again = some("relate", "claude", "gpt4", *counts, "--json").json
    assert (again["debate_count"], again["head_to_head"], again["relationship"]) == (4, "1-1", "rival")
    some("relate", "gpt4", "claude", "--critiques", "3", "--accepted", "2", "--yielded", "1")
    raw = some("relations", "claude", "gpt4", "--json").json["counts"]
    assert (raw["critique_count_b_to_a"], raw["critique_accepted_b_to_a"], raw["position_changes_b_after_a"]) == (
        3,
        2,
        1,
    )


def test_a_critique_that_was_accepted_or_not(some):
    assert "1 of 1 critiques accepted" in some("critique", "claude", "--accepted", "--id", "c1").out
    some("critique", "claude", "--accepted", "--id", "c1")
    counted = some("critique", "claude", "--rejected", "--json").json
    assert (counted["critiques_accepted"], counted["critiques"]) == (1, 2)


def test_a_board_of_texts_points_to_the_agents_that_are_there(some, paragone):
    assert "agents are here: paragone agents board" in paragone("board").err


def test_an_id_is_made_of_the_task_or_else_the_domain(agents, home):
    about = ("record", "--winner", "a", "--loser", "b", "--json")
    assert agents(*about, "--task", "code review", "--domain", "law").json["id"].startswith("code-review-")
    assert agents(*about, "--domain", "law").json["id"].startswith("law-")
    assert agents(*about).json["id"].startswith("debate-")


# Ids, voids and names


RECORDING = {
    "debate": ("record", "claude=0.8", "gpt4=0.6"),
    "prediction": ("predict", "cup", "claude", "gpt4", "0.75"),
    "domain-prediction": ("predict", "claude", "0.8", "--domain", "law", "--correct"),
    "critique": ("critique", "claude", "--accepted"),
    "relation": ("relate", "claude", "gpt4", "--debates", "1"),
    "redteam": ("redteam", "claude", "--robustness", "0.2", "--successful", "4", "--total", "5"),
    "verification": ("verify", "claude", "--domain", "law", "--verified", "3"),
    "registration": ("register", "claude", "--model", "c-4"),
}


@pytest.mark.parametrize("kind", RECORDING)
def test_what_a_command_records_has_an_id_that_is_shown_listed_and_voided(some, kind):
    def ratings():
        with EloSystem("paragone.db") as elo:
            return {one.agent_name: one for one in elo.get_all_ratings()}, elo.get_relationship_raw("claude", "gpt4")

    before = ratings()
    done = some(*RECORDING[kind], "--json").json
    id = done["id"]
    assert (some("evidence", "--json").json[0]["id"], some("evidence", "--json").json[0]["kind"]) == (id, kind)
    assert id in some("evidence", "claude", "--kind", kind).out
    assert some(*RECORDING[kind]).out.count("recorded as ") == 1
    some("void", some("evidence", "--json").json[0]["id"])
    voided = some("void", id, "--reason", "recorded by mistake", "--json").json
    if kind not in ("prediction", "registration"):  # the same again is the same piece of evidence
        assert (voided["new"], voided["kind"], voided["reason"]) == (True, kind, "recorded by mistake")
    assert ratings() == before
    again = some("void", id)
    assert (again.code, "was void already, and nothing changed" in again.out) == (0, True)


def test_a_resolution_is_voided_by_its_tournament_and_made_anew(some):
    some("predict", "cup", "claude", "gpt4", "0.75")
    assert some("resolve", "cup", "gemini", "--json").json["id"] == "cup"
    assert some("void", "cup").out == "cup is void\n"
    assert some("resolve", "cup", "gpt4", "--json").json["briers"] == {"claude": 0.0625}


def test_unknown_evidence_and_an_unknown_winner_are_refused_with_the_nearest(some):
    refused = some("void", "d11")
    assert (refused.code, "did you mean 'd1'?" in refused.err) == (2, True)
    some("predict", "cup", "claude", "gpt4", "0.75")
    refused = some("resolve", "cup", "gtp4")
    assert (refused.code, "did you mean 'gpt4'?" in refused.err) == (2, True)
    misspelt = some("resolve", "cpu", "gpt4")
    assert misspelt.code == 0
    assert "nobody predicted 'cpu'; did you mean 'cup'? Take it back with: paragone agents void cpu" in misspelt.err


def test_a_command_that_adds_an_agent_says_so_with_the_nearest_name(some):
    said = some("critique", "cluade", "--accepted").err
    assert said == "note: 'cluade' is a new agent; did you mean 'claude'?\n"
    assert some("critique", "cluade", "--accepted").err == ""
    assert some("record", "opus=1", "haiku=0").err == "note: 'opus', 'haiku' are new agents\n"


STRICT = {
    "record": ("record", "cluade=0.8", "gpt4=0.6"),
    "predict": ("predict", "cup", "cluade", "gpt4", "0.75"),
    "whom": ("predict", "cup", "gpt4", "cluade", "0.75"),
    "resolve": ("resolve", "t", "cluade"),
    "in a domain": ("predict", "cluade", "0.8", "--domain", "law", "--correct"),
    "critique": ("critique", "cluade", "--accepted"),
    "relate": ("relate", "gpt4", "cluade", "--debates", "1"),
    "redteam": ("redteam", "cluade", "--robustness", "0.2", "--successful", "4", "--total", "5"),
    "verify": ("verify", "cluade", "--domain", "law", "--verified", "3"),
}


@pytest.mark.parametrize("command", STRICT)
def test_strict_refuses_an_agent_that_is_not_registered(some, command):
    refused = some(*STRICT[command], "--strict")
    assert (refused.code, "did you mean 'claude'?" in refused.err) == (2, True)
    with EloSystem("paragone.db") as elo:
        assert sorted(elo.list_agents()) == ["claude", "gemini", "gpt4"]
        assert len(elo.evidence()) == 5, "two debates and three predictions"
    right = [word.replace("cluade", "claude") for word in STRICT[command] if command != "resolve"]
    if right:
        assert some(*right, "--strict").code == 0


# What is expected


def test_what_is_expected_of_a_debate(some):
    shown = some("forecast", "claude", "gpt4").out.splitlines()
    assert shown[0].startswith("claude is expected to take ")
    assert shown[1].startswith("by 2 and 2 debates; the running Elo says 5")
    values = some("forecast", "claude", "gpt4", "--domain", "security", "--json").json
    assert (values["agent"], values["opponent"], values["domain"]) == ("claude", "gpt4", "security")
    assert values["low"] < values["expected"] < values["high"]
    assert "did you mean" in some("forecast", "claud", "gpt4").err
    assert some("forecast", "claude", "claude").code == 2


def test_who_is_expected_to_win(some):
    some("predict", "cup", "claude", "gpt4", "0.8")
    some("predict", "cup", "gemini", "claude", "0.6")
    out = some("expect", "cup").out
    assert out.splitlines()[1].split() == ["51%", "gpt4", "claude"]
    values = some("expect", "cup", "--json").json
    # sqrt(.8 x .2), sqrt(.1 x .6) and sqrt(.1 x .2) by their sum
    assert [row["chance"] for row in values["chances"]] == pytest.approx([0.5087, 0.3115, 0.1798], abs=1e-4)
    assert sum(row["chance"] for row in values["chances"]) == pytest.approx(1.0)
    assert "cup" in some("expect", "cap").err


def test_what_confidences_are_worth(some):
    assert (
        "a correction takes 20 predictions whose outcome is known, and there are 3" in some("recalibrate", "claude").out
    )
    foretell(*[("claude", 0.9, number % 2 == 0) for number in range(60)])
    out = some("recalibrate", "claude", "0.9").out
    assert "claude: corrected by" in out
    worth = some("recalibrate", "claude", "0.9", "--json").json["asked"]
    assert worth[0][0] == 0.9
    assert worth[0][1] == pytest.approx(0.5, abs=0.15)
    assert some("recalibrate", "claude", "90").code == 2
