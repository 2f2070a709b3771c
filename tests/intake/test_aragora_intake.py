"""A database of Aragora's: which rows of it are evidence, and what is made of them."""

import json
import sqlite3
from contextlib import closing

import pytest

from paragone.agents import EloSystem, import_debates
from paragone.errors import InvalidEvidence, UnreadableFile
from paragone.intake.aragora import is_sqlite, read_aragora

SCHEMA = """
CREATE TABLE ratings (agent_name TEXT PRIMARY KEY, elo REAL DEFAULT 1500, domain_elos TEXT, wins INTEGER DEFAULT 0);
CREATE TABLE matches (id INTEGER PRIMARY KEY AUTOINCREMENT, debate_id TEXT UNIQUE, winner TEXT, participants TEXT,
    domain TEXT, scores TEXT, elo_changes TEXT, created_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE elo_history (id INTEGER PRIMARY KEY, agent_name TEXT NOT NULL, elo REAL NOT NULL, debate_id TEXT);
CREATE TABLE calibration_predictions (id INTEGER PRIMARY KEY, tournament_id TEXT NOT NULL,
    predictor_agent TEXT NOT NULL, predicted_winner TEXT NOT NULL, confidence REAL NOT NULL, actual_winner TEXT);
CREATE TABLE predictions (id INTEGER PRIMARY KEY, agent TEXT NOT NULL, confidence REAL NOT NULL,
    correct INTEGER NOT NULL, domain TEXT DEFAULT 'general', debate_id TEXT);
CREATE TABLE agent_relationships (agent_a TEXT NOT NULL, agent_b TEXT NOT NULL, debate_count INTEGER DEFAULT 0,
    agreement_count INTEGER DEFAULT 0, a_wins_over_b INTEGER DEFAULT 0, PRIMARY KEY (agent_a, agent_b));
"""


def match(id, winner, scores, domain=None):
    return id, winner, json.dumps(list(scores)), domain, json.dumps(scores)


@pytest.fixture
def database(tmp_path):
    """Two debates, one of them a draw, one row that cannot be a debate, and what else there is."""
    path = tmp_path / "agent_elo.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany(
            "INSERT INTO matches (debate_id, winner, participants, domain, scores) VALUES (?, ?, ?, ?, ?)",
            [
                match("d1", "claude", {"claude": 0.75, "gpt4": 0.25}, "law"),
                match("d2", None, {"claude": 0.5, "gpt4": 0.5}),
                match("d3", "gpt4", {"claude": 0.5}),
                ("d4", "x", "not json", None, "{}"),
            ],
        )
        connection.executemany(
            "INSERT INTO ratings (agent_name, elo) VALUES (?, ?)",
            [("claude", 1508.0), ("gpt4", 1492.0), ("gemini", 1620.0)],
        )
        connection.execute("INSERT INTO elo_history (agent_name, elo) VALUES ('claude', 1508.0)")
        connection.executemany(
            "INSERT INTO predictions (agent, confidence, correct, domain) VALUES (?, ?, ?, ?)",
            [("claude", 0.9, 1, "law"), ("gpt4", 0.6, 0, "law"), ("gpt4", 7.0, 1, "law")],
        )
        connection.executemany(
            "INSERT INTO calibration_predictions (tournament_id, predictor_agent, predicted_winner, confidence, "
            "actual_winner) VALUES (?, ?, ?, ?, ?)",
            [("spring", "claude", "gpt4", 0.75, "gpt4"), ("autumn", "gpt4", "gpt4", 0.6, None)],
        )
        connection.execute("INSERT INTO agent_relationships VALUES ('claude', 'gpt4', 9, 4, 3)")
    return path


def test_what_is_evidence_is_read_and_the_rest_is_counted(database):
    read = read_aragora(database)
    assert [(each.id, each.scores, each.domain) for each in read.debates] == [
        ("d1", (0.75, 0.25), "law"),
        ("d2", (0.5, 0.5), ""),
    ]
    assert [(each.agent, each.confidence, each.correct) for each in read.predictions] == [
        ("claude", 0.9, True),
        ("gpt4", 0.6, False),
    ]
    assert [(each.tournament, each.winner, each.actual) for each in read.winner_predictions] == [
        ("spring", "gpt4", "gpt4"),
        ("autumn", "gpt4", ""),
    ]
    assert read.relationships[0].counts == {"debate_increment": 9, "agreement_increment": 4, "a_win": 3}
    assert [(each.agent, each.rating) for each in read.ratings] == [("gemini", 1620.0)]
    assert read.derived == {"ratings": 2, "elo_history": 1}
    assert [problem.partition(":")[0] for problem in read.problems] == [
        "agent_elo.db, matches, row 3",
        "agent_elo.db, matches, row 4",
        "agent_elo.db, predictions, row 3",
    ]


def test_it_is_recorded_once(database, tmp_path):
    ledger = tmp_path / "p.db"
    done = import_debates(database, db=ledger)
    assert (done.debates, done.predictions, done.ratings, done.relationships) == (2, 4, 1, 1)
    assert (done.skipped, done.added) == (3, 8)
    again = import_debates(database, db=ledger)
    assert again.added == 0
    assert (again.known_debates, again.known_predictions, again.known_ratings, again.known_relationships) == (
        2,
        4,
        1,
        1,
    )
    with EloSystem(ledger) as elo:
        # The literal formula, as Aragora counts: K (S - E), of a win by 3 to 1 and of a draw against 16 points less.
        assert elo.get_rating("claude").elo == pytest.approx(1508 + 32 * (0.5 - 1 / (1 + 10 ** (-16 / 400))))
        assert elo.get_rating("gemini").elo == 1620.0
        assert elo.get_relationship_raw("claude", "gpt4")["debate_count"] == 9
        assert elo.get_rating("claude").calibration_total == 2
        assert elo.audit().ok


def test_what_was_added_since_is_added(database, tmp_path):
    import_debates(database, db=tmp_path / "p.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "INSERT INTO matches (debate_id, winner, participants, domain, scores) VALUES (?, ?, ?, ?, ?)",
            match("d9", "gpt4", {"claude": 0.2, "gpt4": 0.8}),
        )
    done = import_debates(database, db=tmp_path / "p.db")
    assert (done.debates, done.known_debates, done.added) == (1, 2, 1)


def test_long_names_of_one_script_have_relationships_of_their_own(tmp_path):
    path, long = tmp_path / "names.db", "\u6f22" * 100  # nine hundred characters where it is part of an id
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany(
            "INSERT INTO agent_relationships VALUES (?, ?, 4, 2, 1)", [(long, "ada"), (long, "bo"), (long, "cy")]
        )
    assert import_debates(path, db=tmp_path / "p.db").relationships == 3
    assert import_debates(path, db=tmp_path / "p.db").known_relationships == 3


def test_predictions_are_counted_where_nobody_knows_the_winner(tmp_path):
    path = tmp_path / "winner.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany(
            "INSERT INTO calibration_predictions (tournament_id, predictor_agent, predicted_winner, confidence, "
            "actual_winner) VALUES ('cup', ?, 'ada', .8, 'stranger')",
            [("ada",), ("bo",), ("cy",)],
        )
    done = import_debates(path, db=tmp_path / "p.db")
    assert (done.predictions, done.known_predictions, done.skipped) == (3, 0, 1)
    assert "'stranger'" in done.problems[0]
    again = import_debates(path, db=tmp_path / "p.db")
    assert (again.predictions, again.known_predictions, again.skipped) == (0, 3, 0)


def test_strict_refuses_the_first_row_that_is_none(database, tmp_path):
    with EloSystem(tmp_path / "p.db") as elo:
        for name in ("claude", "gpt4", "gemini"):
            elo.register_agent(name)
    with pytest.raises(InvalidEvidence, match=r"matches, row 3: .*leave out --strict"):
        import_debates(database, db=tmp_path / "p.db", strict=True)


def test_another_database_is_refused_and_nothing_is_made(tmp_path):
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.executescript("CREATE TABLE matches (id INTEGER, colour TEXT); CREATE TABLE t (x);")
    with pytest.raises(UnreadableFile, match=r"without debates, predictions or ratings of Aragora's"):
        import_debates(other, db=tmp_path / "p.db")
    assert not (tmp_path / "p.db").exists()


def test_a_view_is_not_read(tmp_path):
    other = tmp_path / "view.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.executescript("CREATE VIEW ratings AS SELECT 'a' AS agent_name, 1500 AS elo;")
    with pytest.raises(UnreadableFile, match="expected one of"):
        read_aragora(other)


def test_a_damaged_file_is_named(database):
    content = bytearray(database.read_bytes())
    content[100:4000] = b"\xff" * 3900
    database.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"agent_elo.db cannot be read as a database"):
        read_aragora(database)


def test_only_sqlite_is_taken_for_a_database(tmp_path, database):
    (tmp_path / "a.csv").write_text("a,b\n")
    assert is_sqlite(database)
    assert is_sqlite(str(database))
    assert not is_sqlite(tmp_path / "a.csv")
    assert not is_sqlite(tmp_path / "missing.db")
    assert not is_sqlite([{"agent": "a"}])
