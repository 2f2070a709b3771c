"""Every command on a ledger in PostgreSQL, and nowhere the password."""

import psycopg
import pytest

from local_postgres import PASSWORD
from paragone.settings import settings
from paragone.tournaments.tournament import Tournament

RANK = ("rank", "items.csv", "--criteria", "longer is better", "--judge", "python:longer:judge", "--seed", "3")


@pytest.fixture
def url(schema_url):
    """By TCP with a password, where the tests have a server of their own."""
    by_socket = schema_url()
    known = psycopg.conninfo.conninfo_to_dict(by_socket)
    if not known["host"].startswith("/"):
        return by_socket
    schema = by_socket.rpartition("%3D")[2]
    return f"postgresql://postgres:{PASSWORD}@127.0.0.1:{known['port']}/postgres?options=-csearch_path%3D{schema}"


def test_every_command_by_environment_or_option_and_none_shows_the_password(paragone, url, home, monkeypatch):
    ranked = paragone(*RANK, "--budget", 20, "--db", url, "--json")
    assert ranked.code == 0, ranked.err
    monkeypatch.setenv("PARAGONE_DB", url)
    settings.cache_clear()
    assert PASSWORD not in repr(settings())
    runs = [
        paragone(*command)
        for command in (
            ("board", "--json"),
            ("show", "h10"),
            ("matches", "--json"),
            ("export", "--what", "matches"),
            ("whatif", "--k", 16),
            ("rollback", "1.1"),
            ("audit", "--json"),
            ("resume", "--budget", 25),
            ("board", "no-such-tournament"),
        )
    ]
    assert [run.code for run in runs] == [0] * 8 + [2], [run.err for run in runs]
    assert runs[0].json == ranked.json
    assert runs[6].json["differences"] == []
    assert not any(PASSWORD in run.out + run.err for run in [ranked, *runs])
    assert not list(home.glob("*.db")), "nothing is kept in a file"


def test_a_wrong_password_is_refused_without_showing_it(paragone, url):
    run = paragone("audit", "--db", url.replace("@", "x@", 1))
    assert run.code == 1
    assert "name a user and password that it knows" in run.err
    assert PASSWORD not in run.err


def test_kill_9_loses_nothing_and_gives_the_tournament_back(under_way, paragone, home, url):
    slow = [*RANK[:5], "python:slow:judge", *RANK[6:], "--budget", 30, "--confidence", 0.9999, "--concurrency", 1]
    process = under_way(*slow, "--db", url, questions=8)
    process.kill()
    process.communicate()
    (home / "hurry").touch()
    resumed = paragone("resume", "--db", url, "--json")
    assert resumed.code == 0, resumed.err
    assert resumed.json["spending"]["decisions"] == 30
    assert paragone("audit", "--db", url).code == 0


def test_in_python_the_password_is_in_nothing_that_is_shown(url):
    with Tournament.create(
        ["a", "bb"], judge=lambda first, second, criteria: "tie", criteria="longer", db=url
    ) as tournament:
        tournament.run()
        shown = [repr(part) for part in (vars(tournament), tournament.ledger._database._engine)]
    assert not any(PASSWORD in text for text in shown)
    assert "***" in tournament.db
