"""Files of a tournament's parameters, and which of several sources holds."""

import json
import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import PolicyConfig, RankingConfig, SchedulingConfig, TournamentConfig, TournamentSystemConfig
from paragone.domain.config_values import SECTIONS, system_of, values_of
from paragone.domain.parameter import parameters
from paragone.errors import InvalidConfig, UnreadableFile
from paragone.intake.configuration import as_toml, read_configuration, read_sections
from paragone.settings import assigned, settings, tournament_system


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(folder, name, text):
    return read_configuration(written(folder, name, text))


SYSTEM = system_of({"k_factor": 24, "policy": {"debate_rounds": {"elite": 4}, "on_timeout": "draw"}})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.toml", '[tournament_parameters]\nk_factor = 24\n[policy]\non_timeout = "draw"\ndebate_rounds.elite = 4\n'),
        ("t.TOML", "\ufeffk_factor = 24\non_timeout = 'draw'\ndebate_rounds = { Elite = 4 }\n"),
        ("t.toml", "[ranking]\nk_factor = 24\ndebate_rounds = { elite = 4 }\n[policy]\r\non_timeout = 'draw'\r\n"),
        ("t.json", '{"k_factor": 24, "policy": {"on_timeout": "draw", "debate_rounds": {"elite": 4}}}'),
        ("t.json", '{"ranking": {"k_factor": 24.0, "debate_rounds": {"elite": 4}}, "on_timeout": "draw"}'),
    ],
)
def test_one_format_in_toml_and_json(tmp_path, name, text):
    assert read(tmp_path, name, text) == SYSTEM


def test_the_documents_flat_configurations_can_be_used_as_they_are(tmp_path):
    flat_t = {name: getattr(TournamentConfig(), name) for name in parameters(TournamentConfig)}
    assert read(tmp_path, "t.json", json.dumps(flat_t)) == TournamentSystemConfig()
    flat_r = {name: getattr(RankingConfig(), name) for name in parameters(RankingConfig)}
    assert read(tmp_path, "r.json", json.dumps(flat_r)) == RankingConfig().system() == TournamentSystemConfig()


def test_an_empty_file_says_nothing(tmp_path):
    assert read(tmp_path, "t.toml", "") == TournamentSystemConfig()
    assert read_sections(written(tmp_path, "t.json", "{}")) == {}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.toml", "[policy]\n\nelite_threshold = -1\n", "line 3: policy.elite_threshold must be a number above 0"),
        (
            "t.toml",
            "# policy.k = 1\n[policy.debate_rounds]\nstrong=3\nelite = 9\n",
            "line 4: policy.debate_rounds.elite",
        ),
        ("t.toml", "[policy]\ndebate_rounds = { strong = 3, elite = 9 }\n", "line 2: policy.debate_rounds.elite"),
        (
            "t.toml",
            "k_factor = 1\n[ranking]\ninitial_elo = 1200\nk_factor = 2\n",
            "line 4: k_factor and ranking.k_factor",
        ),
        ("t.toml", "[ranking]\nk_factor = 1\n[tournament_parameters]\nk_factor = 2\n", "line 4: ranking.k_factor and"),
        ("t.toml", "[policy]\nstrong_threshold = 1700\nelite_threshold = 1650\n", "line 3: policy.average_threshold <"),
        ("t.toml", "[scheduling]\nrounds = 3\n", "line 2: scheduling.rounds: no parameter is called 'rounds'"),
        ("t.toml", "[sheduling]\nrounds_per_session = 3\n", "line 1: sheduling: .* did you mean scheduling"),
        ("t.toml", "[scheduling]\nmatches_per_round = 2024-01-01\n", "line 2: scheduling.matches_per_round"),
        (
            "t.toml",
            "[policy]\nrating_floor = 1300\n",
            "policy.rating_floor <= tournament_parameters.initial_elo_rating",
        ),
        ("t.json", '{"policy": {\n  "debate_rounds": {\n"elite": "5"}}}', "line 3: policy.debate_rounds.elite"),
        ("t.json", '{"scheduling": 3}', "line 1: scheduling is a table of parameters"),
        ("t.json", '{"k_factor": NaN}', "line 1: k_factor"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_key(tmp_path, name, text, said):
    with pytest.raises(InvalidConfig, match=rf"t\.{name[2:]}.*{said}"):
        read(tmp_path, name, text)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.toml", "[policy\n", "not valid TOML.*line 1"),
        ("t.toml", "k_factor = 1\nk_factor = 1\n", "not valid TOML.*line 2"),
        ("t.json", '{"k_factor": 1,\nx}', "line 2: not valid JSON"),
        ("t.json", "[1]", "an object of parameters"),
        ("t.json", "", "not valid JSON"),
        ("t.json", '{"k_factor": 1, "k_factor": 2}', "k_factor is there twice"),
        ("t.json", "[" * 100_000, "JSON"),
        ("t.yaml", "k_factor: 1", r"\.toml and \.json"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, name, text, said):
    with pytest.raises(UnreadableFile, match=said):
        read(tmp_path, name, text)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(UnreadableFile, match=r"nowhere\.toml: no such file"):
        read_configuration(tmp_path / "nowhere.toml")
    (tmp_path / "t.toml").write_bytes(b"\xff\xfe1")
    with pytest.raises(UnreadableFile, match="UTF-8"):
        read_configuration(tmp_path / "t.toml")


class TestWritten:
    def test_it_reads_back_as_the_same(self, tmp_path):
        assert read(tmp_path, "t.toml", as_toml(SYSTEM)) == SYSTEM
        assert tomllib.loads(as_toml(SYSTEM))["policy"]["debate_rounds"]["elite"] == 4

    @given(st.floats(0.001, 1e9), st.integers(1, 10**9), st.none() | st.floats(0.001, 1e9), st.booleans())
    def test_whatever_it_holds(self, k, matches, budget, fast):
        system = system_of(
            {
                "k_factor": k,
                "matches_per_round": matches,
                "resource_budget_per_round": budget,
                "enable_fast_track": fast,
            }
        )
        assert system_of(tomllib.loads(as_toml(system))) == system

    def test_every_parameter_is_there_with_what_it_means(self):
        text = as_toml(TournamentSystemConfig())
        for section, kind in SECTIONS.items():
            assert f"[{section}]" in text
            for name in parameters(kind):
                assert f"\n{name} = " in text or f"\n# {name} =\n" in text
        assert "# Turns a side in a debate, by the lower of the two tiers." in text
        assert max(map(len, text.splitlines())) <= 120


@pytest.fixture
def environment(monkeypatch):
    """Sets variables in an environment without others of ours."""
    for name in [name for name in os.environ if name.startswith("PARAGONE_")]:
        monkeypatch.delenv(name)

    def put(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(f"PARAGONE_TOURNAMENT{name}", value)
        settings.cache_clear()

    put()
    yield put
    settings.cache_clear()


class TestSources:
    def test_a_call_goes_before_a_file_before_the_environment_before_the_default(self, tmp_path, environment):
        environment(__SCHEDULING__MATCHES_PER_ROUND="11", __K_FACTOR="11", __SCHEDULING__ROUNDS_PER_SESSION="11")
        file = written(tmp_path, "t.toml", "k_factor = 22\n[scheduling]\nmatches_per_round = 22\n")
        system = tournament_system(file, matches_per_round=33, rounds_per_session=None)
        assert system.scheduling == SchedulingConfig(matches_per_round=33, rounds_per_session=11)
        assert system.tournament_parameters == TournamentConfig(k_factor=22)
        assert system.policy == PolicyConfig()

    def test_tables_are_merged_entry_by_entry(self, tmp_path, environment):
        environment(__POLICY__DEBATE_ROUNDS__ELITE="3", __POLICY__DEBATE_ROUNDS__STRONG="3")
        file = written(tmp_path, "t.toml", "[policy.debate_rounds]\nelite = 4\n")
        assert list(tournament_system(file).policy.debate_rounds.values()) == [4, 3, 3, 3]

    def test_without_anything_the_defaults_hold(self, environment):
        assert tournament_system() == TournamentSystemConfig()

    def test_a_whole_object_may_stand_in_one_variable(self, environment):
        environment(**{"": '{"ranking": {"initial_elo": 1300}}'})
        assert tournament_system().tournament_parameters.initial_elo_rating == 1300

    @pytest.mark.parametrize(
        ("variable", "value", "said"),
        [
            (
                "__POLICY__ELITE_THRESHOLD",
                "high",
                "PARAGONE_TOURNAMENT__POLICY__ELITE_THRESHOLD: policy.elite_threshold",
            ),
            ("__POLICY__DEBATE_ROUNDS__ELITE", "9", "PARAGONE_TOURNAMENT__POLICY__DEBATE_ROUNDS__ELITE: "),
            ("__POLICY__ELIT_THRESHOLD", "9", "ELIT_THRESHOLD: .* did you mean elite_threshold"),
            ("__MATCHES", "9", "PARAGONE_TOURNAMENT__MATCHES: "),
            ("", "yes", "PARAGONE_TOURNAMENT: "),
        ],
    )
    def test_a_wrong_variable_is_named(self, environment, variable, value, said):
        environment(**{variable: value})
        with pytest.raises(InvalidConfig, match=said):
            tournament_system()

    def test_parameters_as_texts_from_the_command_line(self, environment):
        given = assigned(["scheduling.matches_per_round=20", "k_factor = 24", "policy.debate_rounds.elite=4",
                          "debate_rounds.strong=3", "resource_budget_per_round=none"])  # fmt: skip
        system = tournament_system(None, **given)
        assert (system.scheduling.matches_per_round, system.tournament_parameters.k_factor) == (20, 24.0)
        assert list(system.policy.debate_rounds.values()) == [4, 3, 3, 3]
        assert system.optimization.resource_budget_per_round is None

    @pytest.mark.parametrize("wrong", ["k_factor", "=3", "k_factor=x", "kfactor=3", "policy.debate_rounds.elite=7"])
    def test_and_wrong_ones(self, environment, wrong):
        with pytest.raises(InvalidConfig, match=wrong.partition("=")[0] or "NAME=VALUE"):
            assigned([wrong])

    def test_what_only_together_cannot_be_is_found_whoever_said_it(self, tmp_path, environment):
        environment(__POLICY__STRONG_THRESHOLD="1550")
        file = written(tmp_path, "t.toml", "elite_threshold = 1500\n")
        with pytest.raises(InvalidConfig, match="1100, 1550, 1500"):
            tournament_system(file)


def test_plain_values_are_those_of_the_file():
    assert system_of(tomllib.loads(as_toml(TournamentSystemConfig()))) == system_of(values_of(TournamentSystemConfig()))
