"""``board``, ``show``, ``matches``, ``export``, ``audit``, ``whatif``, ``rollback``, ``judges``, ``fit``."""

import json
import random
import re

import pytest

RANK = ("rank", "items.csv", "--criteria", "longer is better", "--judge", "python:longer:judge", "--seed", "3")


@pytest.fixture
def ranked(paragone, home, prepared):
    """The board of a tournament."""

    def rank():
        result = paragone(*RANK, "--budget", 40, "--json")
        assert result.code == 0, result.err
        (home / "board.json").write_text(result.out)

    return json.loads((prepared(rank) / "board.json").read_text())


def test_the_board_of_the_ledger_is_the_board_of_the_run(paragone, ranked):
    assert paragone("board", "--json").json == ranked
    assert "h10" in paragone("board", "--rows", 1).out
    by_elo = paragone("board", "--by-elo", "--json").json["items"]
    assert [item["elo"] for item in by_elo] == sorted((item["elo"] for item in by_elo), reverse=True)


def test_matches_lists_them_in_the_order_of_record(paragone, ranked):
    records = paragone("matches", "--json").json
    assert len(records) == 40
    assert records[0]["id"] == "1.1"
    assert "1.1" in paragone("matches").out


def test_show_an_item_and_a_match(paragone, ranked):
    item = paragone("show", "h10", "--json").json
    assert item["item"]["rank"] == 1
    assert len(item["matches"]) == item["item"]["matches"] == len(item["changes"])
    match = paragone("show", "1.1", "--json").json
    assert match["verdicts"][0]["choice"] in ("first", "second", "tie")
    estimate = paragone("show", "h10").out.splitlines()[2]
    assert re.match(r"rank 1 \(1-\d+\), strength \d+ \(\d+ to \d+\), Elo \d+, ", estimate)


def test_audit_is_clean_and_finds_tampering(paragone, ranked, home):
    import sqlite3

    clean = paragone("audit")
    assert clean.code == 0
    with sqlite3.connect(home / "paragone.db") as raw:
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f'DROP TRIGGER "{name}"')
        raw.execute("UPDATE rating_change SET new = new + 1 WHERE seq = (SELECT max(seq) FROM rating_change)")
    raw.close()
    found = paragone("audit")
    assert found.code == 1
    assert "rating_change" in found.out


def test_a_head_that_was_kept_shows_later_that_the_end_was_cut_off(paragone, ranked, home):
    head = paragone("audit", "--head").out
    hash, pool = head.split()
    assert paragone("audit", "--json").json["heads"] == {pool: hash}
    (home / "heads.txt").write_text(head)
    for kept in (hash, "heads.txt"):
        assert paragone("audit", "--expect", kept).code == 0
    other = paragone("audit", "--expect", "0" * 64)
    assert other.code == 1
    assert "the end of a chain was cut off" in other.out
    wrong = paragone("audit", "--expect", "nowhere.txt")
    assert (wrong.code, "no such file" in wrong.err) == (2, True)


def test_a_file_that_a_flip_made_unreadable_is_reported_in_words(paragone, ranked, home):
    content = bytearray((home / "paragone.db").read_bytes())
    content[content.index(b"CREATE TABLE") + 3] ^= 0x80
    (home / "paragone.db").write_bytes(content)
    for arguments in (["audit"], ["audit", "--json"]):
        found = paragone(*arguments)
        assert found.code == 1
        assert "is damaged" in found.err
        assert "Traceback" not in found.err


def test_corrupted_ratings_are_made_again_from_the_evidence(paragone, ranked, home):
    import sqlite3

    with sqlite3.connect(home / "paragone.db") as raw:
        raw.execute("UPDATE rating SET elo = elo + 500 WHERE item = (SELECT min(item) FROM rating)")
    raw.close()
    found = paragone("audit")
    assert found.code == 1
    assert "paragone audit --rebuild" in found.out
    assert paragone("board", "--json").json["items"] != ranked["items"]
    assert paragone("audit", "--rebuild").code == 0
    assert paragone("board", "--json").json == ranked


def test_a_table_that_lacks_an_index_is_not_made_again_from_the_evidence(paragone, ranked, home):
    import sqlite3

    with sqlite3.connect(home / "paragone.db") as raw:
        raw.execute("DROP INDEX ix_rating_pool_elo_item")
    raw.close()
    for arguments in (["audit"], ["audit", "--rebuild"]):
        found = paragone(*arguments)
        assert found.code == 1
        assert "rating: the index ix_rating_pool_elo_item is missing" in found.out
        assert "go back to a copy, and restore all of it" in found.out
        assert "--rebuild" not in found.out


def test_whatif_changes_nothing(paragone, ranked):
    halved = paragone("whatif", "--k", 16, "--json").json
    assert max(i["elo"] for i in halved["items"]) < max(i["elo"] for i in ranked["items"])
    without = paragone("whatif", "--without-match", "1.1", "--json").json
    assert sum(i["matches"] for i in without["items"]) == sum(i["matches"] for i in ranked["items"]) - 2
    nobody = paragone("whatif", "--without-judge", ranked["judges"][0]["judge"], "--json").json
    assert {i["elo"] for i in nobody["items"]} == {1200.0}
    plain = paragone("whatif", "--no-position", "--json").json
    assert plain["position_bias"] is None
    assert plain["items"] != ranked["items"]
    assert paragone("board", "--json").json == ranked


def test_rollback_gives_the_board_without_the_match(paragone, ranked):
    expected = paragone("whatif", "--without-match", "1.1", "--json").json["items"]
    result = paragone("rollback", "1.1", "--reason", "disputed by its author")
    assert result.code == 0, result.err
    after = paragone("board", "--json").json["items"]
    assert {i["id"]: i["matches"] for i in after} == {i["id"]: i["matches"] for i in expected}
    for row, wanted in zip(after, expected, strict=True):
        assert row["elo"] == pytest.approx(wanted["elo"], abs=1e-9)
        assert row["rating"] == pytest.approx(wanted["rating"])
    assert paragone("audit").code == 0
    assert "rolled back" in paragone("matches").out
    assert paragone("rollback", "1.1").out == "match 1.1 was void already, and nothing changed\n"


def test_export_writes_every_kind(paragone, ranked, home):
    for what, count in {"matches": 40, "verdicts": 40, "changes": 80, "items": 10}.items():
        lines = paragone("export", "--what", what).out.splitlines()
        assert len(lines) == count
        assert json.loads(lines[0])
    assert paragone("export", "--out", "matches.csv").code == 0
    assert len((home / "matches.csv").read_text().splitlines()) == 41
    assert "'items-1'; or did you mean --what verdicts?" in paragone("export", "verdicts").err
    assert "--what" not in paragone("export", "nothing").err


def test_judges_are_listed_with_what_they_need(paragone):
    listed = paragone("judges", "--json").json
    assert {kind["form"].split(":")[0] for kind in listed} >= {
        "llm",
        "local",
        "recorded",
        "python",
        "command",
        "human",
        "simulated",
    }
    assert "recorded:FILE" in paragone("judges").out


def test_fit_ranks_recorded_comparisons(paragone, home):
    (home / "votes.csv").write_text("left,right,winner\n" + "x,y,left\ny,z,left\nx,z,left\nz,x,right\nx,y,tie\n" * 3)
    board = paragone("fit", "votes.csv", "--json").json
    assert [item["id"] for item in board["items"]] == ["x", "y", "z"]
    assert board["items"][0]["ties"] == 3
    assert paragone("fit", "votes.csv", "--out", "fit.html").code == 0
    assert not (home / "paragone.db").exists()


@pytest.mark.parametrize(
    ("content", "options", "named"),
    [
        ("a,b,winner\nx,y,x\nx,y,nobody\n", (), "line 3"),
        ("a,b,winner\nx,x,tie\n", (), "x"),
        ("one,two,won\nx,y,x\n", (), "--a"),
        ("a,b,winner\n", (), "votes.csv"),
        ("a,b,winner\nx,y,a\n", ("--weight", "w"), "'w'"),
    ],
)
def test_votes_that_cannot_be_read(paragone, home, content, options, named):
    (home / "votes.csv").write_text(content)
    result = paragone("fit", "votes.csv", *options)
    assert result.code == 2
    assert named in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("command", [("fit", "votes.csv"), ("fit", "votes.csv", "--json")])
def test_a_reader_who_has_gone_ends_a_command_without_a_complaint(start, home, command):
    (home / "votes.csv").write_text(
        "a,b,winner\n" + "".join(f"i{number},i0,{'ab'[number % 2]}\n" for number in range(1, 30))
    )
    process = start(*command)
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, "votes.csv: 29 votes from the columns 'a', 'b' and 'winner'\n")


def test_a_reader_who_has_gone_leaves_the_file_that_was_asked_for(start, home):
    judge = ("--judge", "python:longer:judge", "--budget", "4")
    process = start("rank", "items.csv", "-c", "longer", *judge, "--quiet", "--out", "board.csv")
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, "")
    assert (home / "board.csv").read_text().startswith("rank")


def test_the_running_elo_of_near_even_pairs_is_shown_when_asked_for(paragone, ranked):
    assert " Elo " not in paragone("board").out
    assert " Elo " in paragone("board", "--elo").out
    assert " Elo " in paragone("board", "--by-elo").out
    assert " Elo " in paragone("whatif", "--elo").out


def test_coin_flips_are_told_from_a_ranking(paragone, home):
    coin = random.Random(3)
    rows = [(*coin.sample(range(12), 2), coin.choice("ab")) for _ in range(240)]
    (home / "coin.csv").write_text("a,b,winner\n" + "".join(f"i{a},i{b},{won}\n" for a, b, won in rows))
    text, seen = paragone("fit", "coin.csv").out, paragone("fit", "coin.csv", "--json").json["forecast"]
    assert "signal: no signal beyond chance (probability " in text
    assert "; if there is signal, expected agreement 0." in text
    assert "expected agreement with the true order" not in text
    assert seen["no_signal"] > 0.5
    assert seen["tau"] < 0.1 < seen["tau_given_signal"]


@pytest.mark.parametrize(("width", "columns"), [(40, 4), (63, 4), (64, 7), (200, 7)])
def test_a_narrow_terminal_keeps_ranks_and_items(width, columns):
    from rich.console import Console

    import paragone
    from paragone.cli.board import board_table

    board = paragone.fit([("darjeeling", "assam", "a"), ("assam", "mint", "a"), ("darjeeling", "mint", "a")])
    table = board_table(board, rows=2, width=width)
    assert len(table.columns) == columns
    console = Console(width=width)
    with console.capture() as seen:
        console.print(table)
    assert "darjeeling" in seen.get()
