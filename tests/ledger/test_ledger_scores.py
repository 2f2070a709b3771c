"""Matches with scorecards: recorded once and whole, with the ratings of their domain, on SQLite and PostgreSQL."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import (
    Counting,
    Item,
    ItemKind,
    Match,
    Normalization,
    Outcome,
    Rating,
    RatingConfig,
    Scorecard,
    VerificationResult,
)
from paragone.errors import Conflict, InvalidItems, LedgerError, NotFound
from paragone.ledger import Ledger, schema
from paragone.ledger.chain import appending
from paragone.ledger.databases import database
from paragone.ratings.running_elo import replay

NUMBERS = itertools.count()
CONFIG = RatingConfig(initial=1500.0, k=32.0)
NASTY = ("a\x00b", "half \ud800 pair", "'; DROP TABLE scorecard; --", "\x1b0000", "ü")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def opened(request, tmp_path_factory):
    """A ledger for all tests, of which each has a pool of its own."""
    server = request.param == "postgresql"
    url = request.getfixturevalue("lent_url")() if server else tmp_path_factory.mktemp("scores") / "agents.db"
    with Ledger.open(url, durable=False) as ledger:
        yield ledger


@pytest.fixture
def ledger(opened):
    return opened


@pytest.fixture
def pool(opened):
    """An empty pool of agents."""
    return new_pool(opened)


def new_pool(ledger):
    id = f"agents {next(NUMBERS)}"
    ledger.pools.create(id, CONFIG, kind=ItemKind.AGENT)
    return id


def scored(id, who="claude gpt4 gemini", points=(0.8, 0.6, 0.4), domain="", confidence=1.0, **options):
    names = tuple(who.split()) if isinstance(who, str) else who
    card = Scorecard(participants=names, scores=tuple(points[: len(names)]), domain=domain, **options)
    return Match.scored(id, card, confidence=confidence)


def tracks(ledger, pool):
    return {(rating.item, rating.track): rating for agent in ledger.agents.records(pool) for rating in agent.tracks}


def in_chain(ledger, pool):
    report = ledger.audit(pool)
    assert report.differences == ()
    return report.commits, report.rows


class TestRecording:
    def test_the_documents_example_with_agents_that_were_not_there(self, ledger, pool):
        (made,) = ledger.agents.record_matches(pool, [scored("d1", domain="security", confidence=0.9)])
        due = pytest.approx([6.857142857, 0.822857143, -7.68] * 2, abs=1e-8)
        assert [change.change for change in made] == due
        assert [(change.item, change.track) for change in made] == [
            *itertools.product(("claude", "gpt4", "gemini"), ["global"]),
            *itertools.product(("claude", "gpt4", "gemini"), ["security"]),
        ]
        assert ledger.items.all(pool)[0] == Item(id="claude", text="claude", kind=ItemKind.AGENT)
        assert ledger.ratings.all(pool)["claude"] == Rating(item="claude", elo=made[0].new, matches=1, wins=1)
        assert tracks(ledger, pool)["gemini", "security"] == Rating(
            item="gemini", elo=made[2].new, matches=1, losses=1, track="security"
        )
        assert in_chain(ledger, pool) == (2, 1 + 3 + 1 + 1 + 3 + 3)  # one commit beside that of the pool

    def test_what_is_read_is_what_was_recorded(self, ledger, pool):
        match = scored(
            "d1",
            NASTY[:3],
            (2, 0.1, 1e300),
            domain=NASTY[0],
            task=NASTY[1],
            confidence=0.3,
            multipliers=(1.5, 1.0, 2.0),
            counting=Counting.MARGIN,
            normalization=Normalization.MEAN,
        )
        (made,) = ledger.agents.record_matches(pool, [match])
        assert ledger.matches.get(pool, "d1").match == match
        assert ledger.matches.history(pool) == (match,)
        assert ledger.ratings.changes(pool) == made
        (read,) = ledger.agents.matches(pool, domain=NASTY[0])
        assert (read.match, read.changes, read.rolled_back) == (match, made, False)
        assert ledger.audit(pool).ok

    def test_the_same_again_changes_nothing_and_tells_what_it_did(self, ledger, pool):
        match = scored("d1", domain="law")
        first = ledger.agents.record_matches(pool, [match])
        ledger.agents.record_matches(pool, [scored("d2")])
        before = in_chain(ledger, pool)
        multiplied = replace(match, scorecard=replace(match.scorecard, multipliers=(2.0, 1.5, 1.0)))
        assert ledger.agents.record_matches(pool, [match]) == first
        assert ledger.agents.record_matches(pool, [multiplied]) == first
        assert in_chain(ledger, pool) == before

    def test_other_content_is_a_conflict(self, ledger, pool):
        ledger.agents.record_matches(pool, [scored("d1", domain="law")])
        before = in_chain(ledger, pool)
        for other in (
            scored("d1", "claude gpt4 new", domain="law"),
            scored("d1", "claude gpt4", domain="law"),
            scored("d1", "gpt4 claude gemini", domain="law"),
            scored("d1", points=(0.8, 0.6, 0.5), domain="law"),
            scored("d1", domain="code"),
            scored("d1"),
            scored("d1", domain="law", confidence=0.5),
            scored("d1", domain="law", task="another"),
            scored("d1", domain="law", counting=Counting.WIN),
            scored("d1", domain="law", normalization=Normalization.MEAN),
        ):
            for wanted in ([other], [scored("d0"), other]):
                with pytest.raises(Conflict, match=r"match 'd1' of pool .* is recorded already"):
                    ledger.agents.record_matches(pool, wanted)
            assert in_chain(ledger, pool) == before, other

    def test_a_conflict_says_what_differs(self, ledger, pool):
        ledger.agents.record_matches(pool, [scored("d1", "a b", domain="law")])
        with pytest.raises(
            Conflict, match=r"already, with domain 'law' instead of none, confidence 1\.0 instead of 0\.5; "
        ):
            ledger.agents.record_matches(pool, [scored("d1", "a b", confidence=0.5)])
        with pytest.raises(Conflict, match=r"with scores \(a 0\.8, b 0\.6\) instead of \(a 1\.0, b 0\.6\); "):
            ledger.agents.record_matches(pool, [scored("d1", "a b", (1.0, 0.6), domain="law")])
        with pytest.raises(Conflict, match=r"with scores \(a 0\.8, b 0\.6\) instead of \(a 0\.8, c 0\.6\); "):
            ledger.agents.record_matches(pool, [scored("d1", "a c", domain="law")])

    @pytest.mark.parametrize("scores", [(0.8, 0.6, 0.4), (0.5, 0.5, 0.5), (0.9, 0.9, 0.1)])
    def test_the_order_of_names_is_no_content(self, ledger, pool, scores):
        first = ledger.agents.record_matches(pool, [scored("d1", "a b c", scores, domain="law")])
        before = in_chain(ledger, pool)
        assert ledger.agents.record_matches(pool, [scored("d1", "c b a", scores[::-1], domain="law")]) == first
        assert in_chain(ledger, pool) == before

    def test_the_id_of_an_ordinary_match_is_a_conflict_both_ways(self, ledger, pool):
        ledger.agents.record_matches(pool, [scored("d1", "a b")])
        plain = Match(id="m1", a="a", b="b", outcome=Outcome.A)
        ledger.matches.record(pool, plain)
        with pytest.raises(Conflict):
            ledger.agents.record_matches(pool, [scored("m1", "a b")])
        with pytest.raises(Conflict):
            ledger.matches.record(pool, replace(plain, id="d1"))

    def test_many_at_once_are_as_many_one_by_one(self, ledger, pool):
        wanted = [
            scored("d0", "a b", domain="law"),
            scored("d1", "b c a", domain="code"),
            scored("d2", "d a", domain="law"),
            scored("d0", "a b", domain="law"),
            scored("d3", "e f"),
        ]
        together = ledger.agents.record_matches(pool, wanted)
        beside = new_pool(ledger)
        assert together == tuple(ledger.agents.record_matches(beside, [match])[0] for match in wanted)
        assert together[0] == together[3]
        assert ledger.agents.records(pool) == ledger.agents.records(beside)
        assert ledger.agents.record_matches(pool, wanted[::-1]) == together[::-1]
        assert in_chain(ledger, pool)[0] == 2
        assert ledger.agents.record_matches(pool, []) == ()
        assert in_chain(ledger, pool)[0] == 2

    def test_two_of_an_id_that_differ_are_refused_together(self, ledger, pool):
        with pytest.raises(Conflict):
            ledger.agents.record_matches(pool, [scored("d1", "a b"), scored("d1", "b a")])
        assert ledger.items.all(pool) == ()

    def test_a_match_that_does_not_say_what_its_scorecard_says_is_refused(self, ledger, pool):
        match = scored("d1")
        ledger.agents.record_matches(pool, [scored("d0")])
        for wrong in (replace(match, outcome=Outcome.DRAW), replace(match, b="gpt4"), replace(match, scorecard=None)):
            with pytest.raises(LedgerError, match="'d1'"):
                ledger.agents.record_matches(pool, [wrong])
        with pytest.raises(LedgerError, match="record_scores takes it"):
            ledger.matches.record(pool, match)

    def test_a_pool_of_texts_takes_scores_of_its_items_and_no_others(self, ledger):
        pool = f"texts {next(NUMBERS)}"
        ledger.pools.create(pool, CONFIG)
        ledger.items.add(pool, [Item(id=id, text=id) for id in "ab"])
        ledger.agents.record_matches(pool, [scored("d0", "a b")])
        with pytest.raises(InvalidItems, match="'new'"):
            ledger.agents.record_matches(pool, [scored("d1", "a new")])
        assert ledger.ratings.all(pool)["a"].matches == 1

    def test_an_absent_pool_is_said_by_name(self, ledger):
        for call in (
            lambda: ledger.agents.record_matches("nowhere", [scored("d0")]),
            lambda: ledger.agents.record_matches("nowhere", [scored("d0"), scored("d1")]),
            lambda: ledger.agents.record_matches("nowhere", []),
            lambda: ledger.agents.matches("nowhere"),
            lambda: ledger.agents.existing_ids("nowhere", "match", ["d0"]),
            lambda: ledger.agents.score_columns("nowhere"),
            lambda: ledger.agents.rating_history("nowhere", "a"),
        ):
            with pytest.raises(NotFound, match="there is no pool 'nowhere'"):
                call()


class TestQuestions:
    @pytest.fixture
    def played(self, ledger, pool):
        self.made = ledger.agents.record_matches(
            pool,
            [
                scored("d0", "a b", domain="law"),
                scored("d1", "a c b", domain="code"),
                scored("d2", "b c", domain="law"),
                scored("d3", "a b"),
            ],
        )
        ledger.matches.record(pool, Match(id="m", a="a", b="b", outcome=Outcome.A))
        ledger.matches.rollback(pool, "d2", "disputed")
        return pool

    def test_matches_newest_first_by_who_and_what(self, ledger, played):
        def found(**wanted):
            return [entry.match.id for entry in ledger.agents.matches(played, **wanted)]

        assert found() == ["d3", "d2", "d1", "d0"]
        assert found(count=2) == ["d3", "d2"]
        assert found(agent="a") == ["d3", "d1", "d0"]
        assert found(agent="c", opponent="b") == ["d2", "d1"]
        assert found(agent="a", opponent="b", domain="law") == ["d0"]
        assert found(domain="", count=5) == ["d3"]
        assert found(agent="nobody") == found(domain="nothing") == found(count=0) == []
        entries = ledger.agents.matches(played)
        assert [entry.rolled_back for entry in entries] == [False, True, False, False]
        assert tuple(entry.changes for entry in entries[::-1]) == self.made
        assert [entry.sequence for entry in entries] == sorted((entry.sequence for entry in entries), reverse=True)

    def test_which_ids_are_recorded(self, ledger, played):
        assert ledger.agents.existing_ids(played, "match", ["d1", "d9", "m"]) == {"d1", "m"}
        assert ledger.agents.existing_ids(played, "match", []) == frozenset()

    def test_what_stands_as_columns(self, ledger, played):
        columns = ledger.agents.score_columns(played)
        assert (columns.agents, columns.domains) == (("a", "b", "c"), ("law", "code"))
        assert columns.match.tolist() == [0, 0, 1, 1, 1, 2, 2]
        assert [columns.agents[agent] for agent in columns.agent] == list("abacbab")
        assert columns.score.tolist() == [0.8, 0.6, 0.8, 0.6, 0.4, 0.8, 0.6]
        assert columns.domain.tolist() == [0, 1, -1]
        law = ledger.agents.score_columns(played, domain="law")
        assert (law.agents, law.match.tolist(), law.confidence.tolist()) == (("a", "b"), [0, 0], [1.0])
        assert ledger.agents.score_columns(new_pool(ledger)).agents == ()

    def test_how_a_rating_came_about(self, ledger, played):
        moved = ledger.agents.rating_history(played, "b")
        assert [step.cause for step in moved] == ["d2", "m", "d3", "d2", "d1", "d0"]
        assert moved[0].elo == ledger.ratings.all(played)["b"].elo
        assert ledger.agents.rating_history(played, "b", count=2) == moved[:2]
        assert [step.elo for step in moved[1:]] == [
            change.new for change in ledger.ratings.changes(played, "b")[::-1] if change.track == "global"
        ][1:]
        in_law = ledger.agents.rating_history(played, "b", track="law")
        assert [step.cause for step in in_law] == ["d2", "d2", "d0"]
        assert in_law[0].elo == tracks(ledger, played)["b", "law"].elo
        assert (
            ledger.agents.rating_history(played, "nobody")
            == ledger.agents.rating_history(played, "b", track="nothing")
            == ()
        )

    def test_pages_hold_whole_tests(self, ledger, played, monkeypatch):
        for number in range(4):
            ledger.agents.record_test(played, VerificationResult(id=f"t{number}", item="a", verified=1, domain="law"))
        every, matches = ledger.ratings.changes(played), ledger.matches.all(played)
        for page in (1, 2, 3):
            monkeypatch.setattr(database, "PAGE", page)
            assert tuple(ledger.ratings.each_change(played)) == every
            assert tuple(ledger.matches.each(played)) == matches

    def test_what_if(self, ledger, played):
        config = RatingConfig(initial=1500.0, k=64.0)
        again = ledger.ratings.whatif(played)
        assert (again.ratings, again.tracks) == (ledger.ratings.all(played), tracks(ledger, played))
        other = ledger.ratings.whatif(played, config=config)
        assert other == replay(ledger.matches.history(played), config, "abc")
        assert ledger.ratings.whatif_final(played, config=config) == other.ratings
        without = ledger.ratings.whatif(played, without_matches=["d0"])
        assert ("a", "law") not in without.tracks
        assert ledger.matches.columns(played) is None


class TestRollback:
    def test_it_takes_every_rating_to_where_a_replay_without_it_ends(self, ledger, pool):
        ledger.agents.record_matches(
            pool, [scored(f"d{n}", who, domain="law") for n, who in enumerate(("a b", "b c", "a c b"))]
        )
        due = ledger.ratings.whatif(pool, without_matches=["d0"])
        made = ledger.matches.rollback(pool, "d0", "disputed")
        assert (ledger.ratings.all(pool), tracks(ledger, pool)) == (due.ratings, due.tracks)
        assert {change.track for change in made} == {"global", "law"}
        assert ledger.matches.rollback(pool, "d0", "again") == made
        assert (
            len(ledger.agents.record_matches(pool, [scored("d0", "a b", domain="law")])[0]) == 4
        )  # what it did; void it stays
        assert (ledger.ratings.all(pool), tracks(ledger, pool)) == (due.ratings, due.tracks)
        assert ledger.audit(pool).ok

    def test_a_domain_of_which_nothing_is_left_ends_and_begins_anew(self, ledger, pool):
        ledger.agents.record_matches(pool, [scored("d0", "a b", (1, 0)), scored("d1", "a b", (1, 0), domain="law")])
        made = ledger.matches.rollback(pool, "d1", "disputed")
        ended = [change for change in made if change.track == "law"]
        assert [(change.item, change.new) for change in ended] == [("a", 1516.0), ("b", 1484.0)]
        assert tracks(ledger, pool) == {}
        assert ledger.audit(pool).ok
        ledger.agents.record_matches(pool, [scored("d2", "a c", (1, 0)), scored("d3", "a b", (1, 0), domain="law")])
        begun = ledger.agents.rating_history(pool, "a", track="law")[0]
        assert begun.elo == ledger.ratings.all(pool)["a"].elo
        assert tracks(ledger, pool)["a", "law"].matches == 1
        assert ledger.audit(pool).ok


@st.composite
def happenings(draw):
    """Matches, tests and rollbacks, in an order of their own."""
    told = []
    for number in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(["match", "match", "match", "test", "rollback"]))
        domain = draw(st.sampled_from(["", "law", "code"]))
        if kind == "match":
            who = draw(st.permutations("abcd"))[: draw(st.integers(2, 4))]
            points = draw(st.lists(st.sampled_from([0.0, 0.4, 1.0]), min_size=len(who), max_size=len(who)))
            times = draw(st.sampled_from([(), (1.5,) * len(who)]))
            told.append(scored(f"d{number}", tuple(who), points, domain=domain, multipliers=times))
        elif kind == "test":
            disproven = draw(st.integers(0, 60))
            told.append(
                VerificationResult(
                    id=f"t{number}", item=draw(st.sampled_from("abcd")), verified=3, disproven=disproven, domain=domain
                )
            )
        else:
            told.append(draw(st.integers(0, number)))
    return told


@pytest.fixture(scope="module")
def memory():
    """A ledger in memory."""
    with Ledger.open("sqlite://") as ledger:
        yield ledger


@given(told=happenings())
def test_whatever_happens_it_is_what_a_replay_of_what_stands_comes_to(memory, told):
    ledger, pool = memory, new_pool(memory)
    standing: list[Match | VerificationResult] = []
    for each in told:
        if isinstance(each, Match):
            ledger.agents.record_matches(pool, [each])
            standing.append(each)
        elif isinstance(each, VerificationResult):
            ledger.agents.record_test(pool, each)
            standing.append(each)
        elif f"d{each}" in [entry.id for entry in standing]:
            ledger.matches.rollback(pool, f"d{each}", "disputed")
            standing = [entry for entry in standing if entry.id != f"d{each}"]
    due = replay(standing, CONFIG, [item.id for item in ledger.items.all(pool)])
    assert ledger.ratings.all(pool) == due.ratings
    assert tracks(ledger, pool) == due.tracks
    assert ledger.audit(pool).differences == ()
    for change in ledger.ratings.changes(pool):
        if change.k:  # a match made it
            moved = change.old + change.k * (change.score - change.expected)
            assert change.new + change.clamped == pytest.approx(moved, abs=1e-6)
    before = ledger.agents.records(pool)
    ledger.rebuild(pool)
    assert ledger.agents.records(pool) == before


class TestAudit:
    """Rows that our own writer would not have made, added by way of its chain, and projections that were edited."""

    @pytest.fixture
    def played(self, ledger, pool):
        ledger.agents.record_matches(pool, [scored("d0", domain="law")])
        return pool

    @pytest.mark.parametrize(
        ("edit", "table", "row"),
        [
            ("UPDATE track_rating SET elo = elo + 1 WHERE item = 'gpt4'", "track_rating", "gpt4"),
            ("UPDATE track_rating SET wins = wins + 1 WHERE item = 'gemini'", "track_rating", "gemini"),
            ("DELETE FROM track_rating WHERE item = 'claude'", "track_rating", "claude"),
            ("UPDATE track_rating SET track = 'code' WHERE item = 'claude'", "track_rating", "claude"),
            ("UPDATE rating SET matches = 0 WHERE item = 'gpt4'", "rating", "gpt4"),
        ],
    )
    def test_an_edited_projection_is_named_and_rebuilt(self, ledger, played, edit, table, row):
        with ledger._database.write() as connection:
            connection.exec_driver_sql(f"{edit} AND pool = '{played}'")
        (found,) = ledger.audit(played).differences
        assert (found.table, found.row) == (table, row)
        ledger.rebuild(played)
        assert ledger.audit(played).ok

    def test_a_rating_in_a_domain_of_a_pool_without_scores_is_named(self, ledger, pool):
        ledger.agents.register(pool, "a")
        with ledger._database.write() as connection:
            connection.exec_driver_sql(f"INSERT INTO track_rating VALUES ('{pool}', 'a', 'law', 1500, 0, 0, 0, 0)")
        (found,) = ledger.audit(pool).differences
        assert (found.table, found.row) == ("track_rating", "a")
        ledger.rebuild(pool)
        assert ledger.audit(pool).ok

    def test_a_move_of_a_domain_that_no_match_made_is_named(self, ledger, played):
        moved = {"old": 1500.0, "new": 1600.0, "k": 32.0, "expected": 0.5, "score": 1.0, "clamped": 0.0}
        with ledger._database.write() as connection, appending(connection, played, ledger._clock()) as page:
            page.add(schema.track_change, item="gpt4", track="law", match="d0", compensates=False, **moved)
        (found,) = ledger.audit(played).differences
        assert (found.table, found.row) == ("track_change", "d0")
        assert "'gpt4'" in found.message

    def test_a_scorecard_that_does_not_bear_out_its_moves_is_named(self, ledger, played):
        """The scores of a match that moved nobody: its moves are missing."""
        match = scored("d1", "claude gpt4")
        with ledger._database.write() as connection, appending(connection, played, ledger._clock()) as page:
            page.add(
                schema.match,
                match="d1",
                round=0,
                a="claude",
                b="gpt4",
                outcome=match.outcome,
                protocol=match.protocol,
                confidence=1.0,
            )
            page.add(
                schema.scorecard,
                match="d1",
                entries=[["claude", 0.8, 1.0], ["gpt4", 0.6, 1.0]],
                domain="",
                task="",
                counting=Counting.RATIO,
                normalization=Normalization.SUM,
            )
        (found,) = ledger.audit(played).differences
        assert (found.table, found.row) == ("rating_change", "d1")
