"""Settings from files called paragone.toml, beneath the environment and the options."""

import pytest

from paragone.settings import settings, tournament_system


@pytest.fixture
def files(home, monkeypatch, tmp_path_factory):
    """Writes the user's file and that of the working folder."""
    own = tmp_path_factory.mktemp("config")
    monkeypatch.delenv("PARAGONE_CONFIG")
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: own)

    def write(user="", folder=""):
        (own / "paragone.toml").write_text(user)
        (home / "paragone.toml").write_text(folder)
        settings.cache_clear()

    return write


def test_the_folder_is_before_the_user_and_the_environment_before_both(files, paragone, monkeypatch):
    files(user="concurrency = 16\ntimeout = 20\nattempts = 4", folder="timeout = 12\nattempts = 5")
    monkeypatch.setenv("PARAGONE_ATTEMPTS", "6")
    values = {
        each["name"]: (each["value"], each["source"].rpartition("/")[2]) for each in paragone("settings", "--json").json
    }
    assert values["concurrency"] == (16, "paragone.toml")
    assert values["timeout"] == (12.0, "paragone.toml")
    assert values["attempts"] == (6, "environment variable PARAGONE_ATTEMPTS")
    assert values["patience"] == (120.0, "")
    assert (settings().concurrency, settings().timeout, settings().attempts) == (16, 12.0, 6)


def test_the_ledger_and_the_judge_of_a_folder_are_used(files, paragone, home):
    files(folder='db = "of_the_folder.db"\njudge = "simulated:items.csv"')
    (home / "items.csv").write_text("id,text,strength\na,one,1\nb,two,2\nc,three,3\n")
    ranked = paragone("rank", "items.csv", "-c", "strength", "--budget", "6", "--quiet")
    assert ranked.code == 0, ranked.err
    assert (home / "of_the_folder.db").exists()
    assert not (home / "paragone.db").exists()


def test_parameters_of_tournaments_come_from_it_too(files, monkeypatch):
    files(user="[tournament.scheduling]\nmatches_per_round = 21", folder="[tournament]\nk_factor = 40")
    system = tournament_system()
    assert (system.scheduling.matches_per_round, system.rating.k) == (21, 40)
    monkeypatch.setenv("PARAGONE_TOURNAMENT__K_FACTOR", "24")
    assert tournament_system().rating.k == 24


def test_a_password_is_not_shown(files, paragone):
    files(user='db = "postgresql://me:secret@host/x"')
    assert "secret" not in paragone("settings").out
    assert "postgresql://me:***@host/x" in paragone("settings", "--json").out


@pytest.mark.parametrize(
    ("line", "harm"),
    [
        ('judge = "command:rm -rf x"', "runs a program"),
        ('judge = "panel:llm:a + python:evil:judge"', "runs a program"),
        ('judge = "llm:gpt-5@http://elsewhere/v1"', "sends texts and keys to an address"),
        ('db = "postgresql+psycopg://elsewhere/x"', "sends texts to a server"),
    ],
)
def test_the_file_of_a_folder_starts_nothing_and_sends_nothing_elsewhere(files, paragone, line, harm):
    files(folder=f"# ours\n{line}")
    refused = paragone("settings")
    assert refused.code == 2
    assert f"paragone.toml, line 2: this {line.partition(' ')[0]} {harm}" in refused.err
    files(user=line)
    assert paragone("settings").code == 0


def test_a_file_that_the_environment_names_is_the_only_one(files, paragone, home, monkeypatch):
    files(user="concurrency = 16", folder="timeout = 12")
    (home / "team.toml").write_text('judge = "command:./judge"\n')
    monkeypatch.setenv("PARAGONE_CONFIG", "team.toml")
    values = {each["name"]: each["value"] for each in paragone("settings", "--json").json}
    assert (values["judge"], values["concurrency"], values["timeout"]) == ("command:./judge", 8, 300.0)
    monkeypatch.setenv("PARAGONE_CONFIG", "nowhere.toml")
    settings.cache_clear()
    assert "nowhere.toml: no such file" in paragone("board").err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("concurency = 3", "line 1: concurency: no setting is called 'concurency'; did you mean concurrency?"),
        ('\nattempts = "x"', "line 2: attempts must be a whole number from 1 up, not 'x'"),
        ("a = [", "not valid TOML"),
        ("[tournament]\nk_factr = 3", "k_factr"),
    ],
)
def test_a_mistake_is_named_with_its_line(files, paragone, text, message):
    files(folder=text)
    command = ("tournament", "config") if "tournament" in text else ("settings",)
    refused = paragone(*command)
    assert refused.code == 2
    assert message in refused.err
