"""Questions by columns have the answers that nouns give."""

import random
import shutil

import pytest

from paragone.domain import Choice, Match, Outcome, RatingConfig
from paragone.errors import NotFound
from paragone.ledger import Ledger
from paragone.ledger.audit import by_matches, wrong_ratings

CHOICES = [Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN, Choice.FAILED]


@pytest.fixture(scope="module")
def ledger(shared_ledger):
    return shared_ledger


@pytest.fixture(scope="module")
def busy(ledger: Ledger, forge) -> str:
    """A pool with matches of none to three comparisons by three judges, some of them rolled back early and late.

    Adjustments come before the first match, between matches, next to rollbacks and after the last match.
    """
    draw = random.Random(5)
    pool = ledger.tournaments.create("busy", settings={}, items=forge.items(6), config=RatingConfig(floor=1180.0)).id
    for number in range(40):
        adjust(ledger, pool, forge, number)
        a, b = (f"i{n}" for n in draw.sample(range(6), 2))
        comparisons = tuple(
            forge.comparison(
                f"{number}.{place}", *draw.sample([a, b], 2), draw.choice(CHOICES), judge=f"j{draw.randrange(3)}"
            )
            for place in range(draw.randrange(4))
        )
        scores = [score for c in comparisons if (score := c.score_of(a)) is not None]
        outcome = draw.choice([Outcome.A, Outcome.B]) if not scores else Outcome.DRAW
        ledger.matches.record(
            pool,
            Match(
                id=f"m{number}", a=a, b=b, outcome=outcome, comparisons=comparisons, confidence=draw.choice([1.0, 0.3])
            ),
        )
        if number in (11, 12, 30):
            ledger.matches.rollback(pool, f"m{number - 3}", "disputed")
    adjust(ledger, pool, forge, 40)
    return pool


def adjust(ledger, pool, forge, number):
    """Two adjustments before every match that has a number of these."""
    if number in (0, 1, 9, 12, 13, 31, 40):
        moves = ((f"d{number}", 1150.0 + 5 * number, 0.3), (f"s{number}", 1190.0 + number, 1.0))
        ledger.ratings.adjust(pool, [forge.adjustment(id, f"i{number % 6}", *move) for id, *move in moves])


@pytest.mark.parametrize(
    "without",
    [
        {},
        {"without_matches": ("m1", "m9")},
        {"without_judges": ("j1",)},
        {"without_judges": ("j0", "j2"), "without_matches": ("m20",)},
        {"config": RatingConfig(k=7.0, initial=1000.0)},
    ],
)
def test_the_ratings_are_those_of_the_plain_way(ledger, busy, without):
    assert ledger.ratings.whatif_final(busy, **without) == ledger.ratings.whatif(busy, **without).ratings


def test_the_columns_are_the_history(ledger, busy):
    played = ledger.matches.columns(busy, without_judges=("j1",))
    history = ledger.matches.history(busy, without_judges=("j1",))
    assert [(played.items[a], played.items[b]) for a, b in zip(played.a, played.b, strict=True)] == [
        (match.a, match.b) for match in history
    ]
    asked = [comparison for match in history for comparison in match.comparisons]
    assert [played.items[first] for first in played.first] == [comparison.first for comparison in asked]
    assert [played.judges[judge] for judge in played.judge] == [comparison.verdict.judge for comparison in asked]


@pytest.mark.parametrize("without", [{"without_matches": ("m1", "nope")}, {"without_judges": ("nobody",)}])
def test_who_is_not_there_is_named(ledger, busy, without):
    with pytest.raises(NotFound) as plain:
        ledger.ratings.whatif(busy, **without)
    with pytest.raises(NotFound) as quick:
        ledger.ratings.whatif_final(busy, **without)
    assert str(quick.value) == str(plain.value)


def test_rankings_have_no_columns_and_go_the_plain_way(ledger, forge, tournament):
    ledger.matches.record(tournament, Match.ranked("r", forge.ranking("c")))
    assert ledger.matches.columns(tournament) is None
    assert ledger.ratings.whatif_final(tournament) == ledger.ratings.whatif(tournament).ratings
    assert ledger.audit().ok


@pytest.mark.parametrize("parts", [7, 20_000])
def test_both_recounts_agree_that_all_is_well(ledger, busy, monkeypatch, parts):
    monkeypatch.setattr("paragone.ledger.column_replay.ROWS_AT_ONCE", parts)
    with ledger._database.read() as connection:
        assert list(wrong_ratings(connection, busy)) == list(by_matches(connection, busy)) == []


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE rating_change SET new = new + 1 WHERE seq = (SELECT max(seq) FROM rating_change WHERE k = 0)",
        "UPDATE rating_change SET expected = 0.9 WHERE \"match\" = 'm15'",
        "UPDATE rating_change SET item = 'i0' WHERE \"match\" = 'm15' AND item <> 'i0'",
        "DELETE FROM rating_change WHERE seq = (SELECT max(seq) FROM rating_change)",
        """INSERT INTO rating_change SELECT pool, 99999, "commit", item, "match", old, new, k, expected, score, clamped,
        compensates FROM rating_change WHERE "match" = 'm15' AND item = (SELECT max(item) FROM rating_change
        WHERE "match" = 'm15')""",
        "UPDATE adjustment SET target = target + 1 WHERE adjustment = 'd12'",
        "UPDATE adjustment SET share = 0.5 WHERE adjustment = 's0'",
        "UPDATE adjustment SET new = new + 1e-5 WHERE adjustment = 'd31'",
        "UPDATE adjustment SET old = old - 1 WHERE adjustment = 'd0'",
        "UPDATE adjustment SET clamped = 3 WHERE adjustment = 's9'",
        "UPDATE adjustment SET item = 'i5' WHERE adjustment = 'd1'",
        "UPDATE adjustment SET seq = seq + 60 WHERE adjustment = 's13'",
        "UPDATE rating SET ties = ties + 1 WHERE item = 'i3'",
        "UPDATE rating SET elo = elo + 1e-9 WHERE item = 'i0'",
        "DELETE FROM rating WHERE item = 'i2'",
        "UPDATE rating SET item = 'stranger' WHERE item = 'i5'",
    ],
)
def test_both_recounts_name_the_same_first_difference(edit, busy_file):
    with Ledger.open(busy_file) as ledger:
        with ledger._database.write() as connection:
            for verb in ("update", "delete"):
                for table in ("rating_change", "adjustment"):
                    connection.exec_driver_sql(f"DROP TRIGGER {table}_refuses_{verb}")
            connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            connection.exec_driver_sql(edit)
        with ledger._database.read() as connection:
            quick, plain = (next(way(connection, "busy-1"), None) for way in (wrong_ratings, by_matches))
    assert quick == plain
    assert quick is not None
    if edit.startswith("UPDATE adjustment") and "seq" not in edit:
        assert quick.table == "adjustment"


@pytest.fixture(scope="module")
def _busy_template(tmp_path_factory, forge):
    path, draw = tmp_path_factory.mktemp("busy") / "ledger.db", random.Random(6)
    with Ledger.open(path, durable=False) as ledger:
        ledger.tournaments.create("busy", settings={}, items=forge.items(6), config=RatingConfig())
        for number in range(40):
            adjust(ledger, "busy-1", forge, number)
            a, b = draw.sample(range(6), 2)
            ledger.matches.record("busy-1", forge.match(f"m{number}", f"i{a}", f"i{b}", draw.choice(CHOICES[:4])))
            if number in (11, 12, 30):
                ledger.matches.rollback("busy-1", f"m{number - 3}", "disputed")
    return path


@pytest.fixture
def busy_file(path, _busy_template):
    shutil.copy(_busy_template, path)
    return path
