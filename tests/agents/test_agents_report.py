"""What a report on agents says: the same as the system says of each, and what that comes to in words."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest

from paragone.agents import EloSystem, standings, strengths
from paragone.agents.report import gather
from paragone.errors import InvalidConfig, MissingExtra, NotFound, Unwritable
from paragone.ledger import Ledger
from paragone.presenting import page
from paragone.presenting.agents_report import as_csv, as_html, as_json, records_of, values_of, write
from paragone.presenting.agents_report.charts import charts
from paragone.presenting.agents_report.summary import names, summary, tiles
from paragone.presenting.agents_report.tables import tables

AT = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


def fill(elo):
    """Four agents: ada beats bo beats cy, mostly; ada is overconfident; dan debates with nobody."""
    law = [({"ada": 0.9, "bo": 0.5, "cy": 0.1}, "law")] * 6
    code = [({"bo": 0.7, "cy": 0.2}, "code")] * 4 + [({"cy": 0.7, "bo": 0.2}, "code")]
    for number, (scores, domain) in enumerate([*law, *code, ({"ada": 0.4, "bo": 0.4}, None)]):
        elo.record_match(f"d{number}", list(scores), scores, domain=domain)
    for number in range(20):
        elo.record_domain_prediction("ada", "law", 0.95, number % 2 == 0)
        elo.record_domain_prediction("bo", "code", 0.5, number % 2 == 0)
    elo.record_domain_prediction("cy", "code", 0.9, True)
    elo.record_winner_prediction("cup", "cy", "ada", 0.8)
    elo.resolve_tournament_calibration("cup", "bo")
    elo.update_relationship("ada", "bo", debate_increment=20, a_win=6, b_win=6)
    elo.update_relationship(
        "cy", "bo", debate_increment=5, agreement_increment=5, critique_a_to_b=4, critique_accepted_a_to_b=4
    )
    elo.record_redteam_result("ada", 0.9, 1, 10, session_id="s1")
    elo.record_redteam_result("cy", 0.3, 7, 10, 1, "s2")
    elo.update_from_verification("bo", "law", 3, 1)
    elo.record_critique("ada", True)
    elo.record_critique("ada", False)
    elo.register_agent("dan", "llama")


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("agents") / "a.db"
    with EloSystem(path, snapshot=False, durable=False, now=lambda: AT) as elo:
        fill(elo)
    return path


@pytest.fixture(scope="module")
def system(db):
    with EloSystem(db, snapshot=False) as elo:
        yield elo


def report_of(db, **options):
    with Ledger.open(db, create=False) as ledger:
        return gather(ledger, **options)


@pytest.fixture(scope="module")
def made(db):
    return report_of(db)


@pytest.fixture
def small(tmp_path):
    """Reports on what is recorded by a function."""

    def of(record, **options):
        with EloSystem(tmp_path / "s.db", snapshot=False, durable=False) as elo:
            record(elo)
        return report_of(tmp_path / "s.db", **options)

    return of


def said(report):
    return dict(summary(report))


# The same as the system says


def test_standings_are_those_of_the_board(made, system):
    rows = records_of(made)
    assert [row["agent"] for row in rows] == ["ada", "bo", "cy", "dan"]
    for row, one in zip(rows, system.get_strengths(), strict=False):
        assert (row["agent"], row["strength"], row["low"], row["high"]) == (one.agent, one.strength, one.low, one.high)
        assert (row["rank"], row["rank_low"], row["rank_high"]) == (one.rank, one.rank_low, one.rank_high)
    for row in rows:
        rating = system.get_rating(row["agent"])
        assert row["elo"] == rating.elo
        assert (row["wins"], row["losses"], row["ties"]) == (rating.wins, rating.losses, rating.draws)
        assert (row["critiques"], row["critiques_accepted"]) == (rating.critiques_total, rating.critiques_accepted)
        assert (row["predictions"], row["correct"]) == (rating.calibration_total, rating.calibration_correct)
        assert row["brier"] in (None, pytest.approx(rating.calibration_brier_score))
        assert (row["score"] or 0.0) == pytest.approx(rating.calibration_score)
    assert rows[3]["strength"] is None
    assert rows[3]["model"] == "llama"


def test_the_form_is_of_the_last_five_debates_the_newest_last(made):
    assert {row["agent"]: row["form"] for row in records_of(made)} == {
        "ada": "WWWWD", "bo": "WWWLD", "cy": "LLLLW", "dan": "",
    }  # fmt: skip


def test_who_met_whom_is_what_the_system_counts(made, system):
    told = {(met["agent_a"], met["agent_b"]): met for met in values_of(made)["head_to_head"]}
    assert set(told) == {("ada", "bo"), ("ada", "cy"), ("bo", "cy")}
    for (a, b), met in told.items():
        seen = system.get_head_to_head(a, b)
        assert (met["a_wins"], met["b_wins"], met["draws"]) == (seen["a_wins"], seen["b_wins"], seen["draws"])
    assert told["ada", "bo"] == {"agent_a": "ada", "agent_b": "bo", "a_wins": 6, "b_wins": 0, "draws": 1}


def test_calibration_histories_and_relations_are_the_systems(made, system):
    for agent in ("ada", "bo", "cy"):
        assert made.calibration[agent].verdict == system.calibration(agent).verdict
        assert made.calibration[agent].brier == system.calibration(agent).brier
        assert [move.elo for move in made.histories[agent]] == [elo for _, elo in system.get_elo_history(agent)[::-1]]
    for one in made.relations:
        seen = system.compute_relationship_metrics(one.agent_a, one.agent_b)
        assert (one.rivalry_score, one.alliance_score, one.relationship.value) == (
            seen["rivalry_score"], seen["alliance_score"], seen["relationship"],
        )  # fmt: skip


def test_tests_add_up_to_what_the_system_says(made, system):
    known = {one.agent: one for one in made.tested}
    for agent in ("ada", "cy"):
        seen = system.get_vulnerability_summary(agent)
        assert known[agent].red_team == pytest.approx(seen["total_elo_impact"])
        assert known[agent].robustness == seen["mean_robustness"]
        assert (known[agent].attacks, known[agent].critical) == (seen["attacks"], seen["critical"])
    assert known["bo"].verification == pytest.approx(system.get_verification_impact("bo")["total_impact"]) == 16.0
    assert [one.agent for one in made.tested] == ["bo", "cy", "ada"]  # 16, -13.2, 8.64
    assert [round(one.change, 2) for one in made.tested] == [16.0, -13.2, 8.64]


def test_domains_are_those_of_the_debates_with_strengths_of_those_who_were_there(made, system):
    told = values_of(made)["domains"]
    assert {domain: known["debates"] for domain, known in told.items()} == {"law": 6, "code": 5}
    assert [row["agent"] for row in told["code"]["strengths"]] == ["bo", "cy"]
    fitted = {one.agent: one for one in system.get_strengths("law")}
    for row in told["law"]["strengths"]:
        assert row["strength"] == pytest.approx(fitted[row["agent"]].strength)
        assert row["elo"] == system.get_rating(row["agent"]).domain_elos["law"]


def test_a_report_on_one_domain_is_of_that_domain(db, system):
    report = report_of(db, domain="code")
    assert report.debates == 5
    assert list(report.domains) == ["code"]
    assert set(report.predictions) == {"bo", "cy"}
    assert len(report.predictions["cy"]) == 1  # that of a tournament is in no domain
    assert report.tests == ()
    assert ("ada", "bo") not in report.head_to_head
    rows = {row["agent"]: row for row in records_of(report)}
    assert rows["bo"]["elo"] == system.get_rating("bo").domain_elos["code"]
    assert (rows["bo"]["wins"], rows["bo"]["losses"], rows["bo"]["form"]) == (4, 1, "WWWWL")
    assert rows["bo"]["strength"] == pytest.approx(
        {one.agent: one.strength for one in system.get_strengths("code")}["bo"]
    )
    assert len(report.histories["bo"]) == 5
    assert said(report)["What there is"].startswith("4 agents; in the domain code: 5 debates, 21 predictions")
    assert "domains" not in {chart.id for chart in charts(report)}


def test_a_debate_that_was_rolled_back_does_not_count(small):
    def record(elo):
        elo.record_match("d1", ["a", "b"], {"a": 1.0, "b": 0.0})
        elo.record_match("d2", ["a", "b"], {"a": 0.0, "b": 1.0})
        elo.roll_back("d2", "a slip")

    report = small(record)
    assert report.debates == 1
    assert [row["form"] for row in records_of(report)] == ["W", "L"]
    assert values_of(report)["head_to_head"][0]["a_wins"] == 1


def test_it_is_as_of_the_last_thing_that_was_recorded(made):
    assert made.at == AT
    assert values_of(made)["at"] == "2026-03-04T05:06:00+00:00"


# In words


def test_the_summary_says_who_leads_and_how_sure_that_is(made):
    words = said(made)
    assert words["What there is"] == (
        "4 agents, 12 debates, 2 domains, 42 predictions whose outcome is known, 3 tests."
    )
    first = made.standings[0].strength
    assert words["The best"].startswith(
        f"ada leads with a strength of {first.strength:.0f} (95% interval {first.low:.0f} to {first.high:.0f}); "
        "followed by bo and cy"
    )
    able = sum(one.strength is not None and one.strength.rank_low == 1 for one in made.standings)
    assert ("no other of the 3 agents" if able == 1 else f"{able} of 3 agents may be the best") in words["How sure"]


def test_the_summary_says_who_is_overconfident_beyond_chance_and_who_is_whose_rival(made):
    words = said(made)
    assert words["Calibration"] == "Overconfident beyond chance: ada (by 45%)."  # 95 % said, 10 of 20 came true
    assert words["Rivals and allies"] == (
        "2 pairs met in debates. Rivals: 1, above all ada and bo (1.00). Allies: 1, above all bo and cy (1.00)."
    )
    assert words["Tests"] == (
        "2 sessions of red teams and 1 verification moved the running Elo of 3 agents; the largest changes are bo by "
        "+16 and cy by -13 points. Strengths use debates only."
    )


def test_what_to_beware_of(made):
    warned = [sentence for about, sentence in summary(made) if about == "Beware"]
    assert warned == ["1 agent was in no debate.", "1 agent has fewer than 5 predictions: too few to tell."]


def test_where_running_elo_and_strength_disagree_on_the_first_that_is_said(small):
    def record(elo):
        elo.record_match("d1", ["a", "b"], {"a": 0.9, "b": 0.1})
        elo.update_from_verification("b", "law", 9)

    assert said(small(record))["The best"].endswith("By running Elo, which goes debate by debate, b is first (1559).")


def test_nobody_is_called_miscalibrated_without_reason(small):
    def record(elo):
        elo.record_domain_predictions(
            [{"agent_name": "a", "domain": "x", "confidence": 0.5, "correct": n % 2 == 0} for n in range(10)]
        )

    assert said(small(record))["Calibration"] == (
        "None of 1 agent with 5 predictions or more is miscalibrated beyond chance."
    )


def test_names_are_listed_as_a_person_would():
    assert names(["a"]) == "a"
    assert names(["a", "b", "c"]) == "a, b and c"
    assert names(list("abcdefg")) == "a, b, c, d, e and 2 more"
    assert names(["x" * 100]) == "x" * 39 + "\N{HORIZONTAL ELLIPSIS}"


# Little, nothing, and a lot


def test_a_pool_without_agents_gives_a_report(small):
    report = small(lambda elo: None)
    assert said(report) == {"What there is": "Nothing is recorded yet: there are no agents."}
    assert charts(report) == ()
    assert [table.section for table in tables(report, top=9)] == ["method"]
    assert as_csv(report).count("\n") == 1
    assert "<h2>Summary</h2>" in as_html(report)


def test_agents_that_only_foretold_or_were_only_tested_are_told_of(small):
    def record(elo):
        elo.record_domain_prediction("a", "x", 0.8, True)
        elo.record_redteam_result("b", 0.1, 9, 10)

    report = small(record)
    assert [row["rank"] for row in records_of(report)] == [None, None]
    assert "The best" not in said(report)
    assert said(report)["Calibration"].startswith("No agent has 5 predictions")
    assert said(report)["Tests"].startswith(
        "1 session of red teams and 0 verifications moved the running Elo of 1 agent"
    )


def test_two_agents_and_one_debate(small):
    report = small(lambda elo: elo.record_match("d", ["a", "b"], {"a": 0.8, "b": 0.6}))
    assert said(report)["How sure"] == (
        "By 95% intervals of ranks, 2 of 2 agents may be the best: a and b; the first may be as far down as rank 2."
    )
    assert dict(tiles(report)) == {"agents": "2", "debates": "1", "may be the best": "2"}
    assert [chart.id for chart in charts(report)] == ["strengths", "meetings"]


def test_of_many_agents_the_calibration_of_those_with_the_most_predictions_is_looked_at(db, monkeypatch):
    monkeypatch.setattr(standings, "MOST_EXAMINED", 1)
    report = report_of(db)
    assert list(report.calibration) == ["ada"]
    assert list(report_of(db, chosen=["cy"]).calibration) == ["ada", "cy"]
    assert "for the other 2 there is only the score" in dict(summary(report))["Beware"]
    assert {row["agent"]: row["predictions"] for row in records_of(report)}["bo"] == 20


def test_of_many_agents_in_many_domains_the_running_elo_is_shown(db, monkeypatch):
    monkeypatch.setattr(strengths, "MOST_WORK", 5)
    report = report_of(db)
    (chart,) = [chart for chart in charts(report) if chart.id == "domains"]
    assert chart.title == "Running Elo by domain"
    assert values_of(report)["domains"]["law"] == {"debates": 6, "strengths": None}


def test_tables_and_figures_are_limited_and_say_so_and_the_chosen_are_there(db):
    report = report_of(db, chosen=["dan"])
    board = next(table for table in tables(report, top=1) if table.title == "Board")
    assert [line[1].text for line in board.lines] == ["ada", "dan"]
    assert "The other 2 are in the JSON and CSV reports." in board.note
    assert list(report.histories) == ["dan", "ada", "bo", "cy"]


def test_all_figures_are_there(made):
    assert [chart.id for chart in charts(made)] == [
        "strengths", "history", "domains", "calibration", "bias", "reliability-0", "reliability-1", "relations",
        "meetings", "tests",
    ]  # fmt: skip
    assert [table.title for table in tables(made, top=50)] == [
        "Board", "Who leads where", "By calibration score", "Rivals and allies of note", "By agent", "All tests", "",
    ]  # fmt: skip


# What cannot be


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pool": "others"}, "no pool 'others'"),
        ({"domain": "cooking"}, "nothing was recorded in the domain 'cooking'"),
        ({"chosen": ["eve"]}, "no agent 'eve'"),
    ],
)
def test_what_is_not_there_is_said(db, options, words):
    with pytest.raises(NotFound, match=words):
        report_of(db, **options)


# Files


def test_json_is_whole_and_csv_has_a_row_an_agent(made, tmp_path):
    write(made, tmp_path / "r.json")
    told = json.loads((tmp_path / "r.json").read_text(), parse_constant=pytest.fail)
    assert told == json.loads(as_json(made))
    assert set(told) == {
        "pool", "domain", "at", "config", "method", "summary", "debates", "agents", "domains", "head_to_head",
        "calibration", "histories", "relationships", "tests",
    }  # fmt: skip
    assert told["agents"][0]["domain_elos"].keys() == {"law"}
    assert told["tests"][0]["kind"] == "red_team"
    assert told["tests"][2]["moves"] == [
        {"track": "global", "change": 16.0, "elo": pytest.approx(made.standings[1].rating.elo)},
        {"track": "law", "change": 16.0, "elo": pytest.approx(told["agents"][1]["domain_elos"]["law"])},
    ]
    write(made, tmp_path / "r.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert [row["agent"] for row in rows] == ["ada", "bo", "cy", "dan"]
    assert float(rows[0]["strength"]) == made.standings[0].strength.strength
    assert rows[3]["strength"] == ""


@pytest.mark.parametrize(("name", "error"), [("r.pdf", InvalidConfig), ("absent/r.json", Unwritable)])
def test_a_file_that_cannot_be_is_refused(made, tmp_path, name, error):
    with pytest.raises(error, match=r"r\."):
        write(made, tmp_path / name)


def test_without_plotly_the_error_names_the_extra(made, tmp_path, monkeypatch):
    page.plotly_js.cache_clear()
    monkeypatch.setattr(page, "files", lambda name: (_ for _ in ()).throw(ModuleNotFoundError(name)))
    with pytest.raises(MissingExtra, match=r"pip install 'paragone\[report\]'"):
        write(made, tmp_path / "r.html")
