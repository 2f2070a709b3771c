"""Starting ratings, seasons and new versions of agents: on record, in the running Elo and in strengths."""

import pytest

from paragone.agents import EloSystem, import_debates
from paragone.errors import Conflict, InvalidEvidence, NotFound


@pytest.fixture
def elo():
    with EloSystem("sqlite://", warn=False) as system:
        yield system


def won(elo, winner, loser, times=1):
    elo.record_matches([{"participants": [winner, loser], "scores": {winner: 1.0, loser: 0.0}}] * times)


def audited(elo):
    return elo.audit().ok


class TestStartingRatings:
    def test_they_are_the_first_elo_and_order_the_board_before_a_debate(self, elo):
        assert elo.start_ratings({"ann": 1700, "bob": 1400.0}) == {"ann": 200.0, "bob": -100.0}
        assert elo.get_rating("ann").elo == 1700
        board = elo.get_strengths()
        assert [row.agent for row in board] == ["ann", "bob"]
        assert [row.matches for row in board] == [0, 0]
        assert elo.predict_match("ann", "bob").expected > 0.6
        assert audited(elo)

    def test_debates_go_on_from_there(self, elo):
        elo.start_ratings({"ann": 1700, "bob": 1700})
        won(elo, "ann", "bob")
        assert elo.get_rating("ann").elo == pytest.approx(1716)
        assert audited(elo)

    def test_again_changes_nothing_and_another_is_refused(self, elo):
        assert elo.start_ratings({"ann": 1700}, "a list") == elo.start_ratings({"ann": 1700}, "another list")
        with pytest.raises(Conflict, match="'ann' is 1700 on record, and cannot become 1800"):
            elo.start_ratings({"ann": 1800})
        won(elo, "ann", "bob")
        assert elo.start_ratings({"ann": 1700}) == {"ann": 200.0}

    def test_who_has_debated_has_none(self, elo):
        won(elo, "ann", "bob")
        with pytest.raises(InvalidEvidence, match="'ann' has a rating by its debates or tests already"):
            elo.start_ratings({"ann": 1700})
        assert elo.started(["ann", "new"]) == (set(), {"ann"})

    def test_a_strict_pool_refuses_agents_it_does_not_know(self):
        with EloSystem("sqlite://", strict=True) as system, pytest.raises(NotFound, match="'ann' is not registered"):
            system.start_ratings({"ann": 1700})

    def test_a_rollback_keeps_them(self, elo):
        elo.start_ratings({"ann": 1700})
        elo.record_match("d", ["ann", "bob"], {"ann": 0.0, "bob": 1.0})
        elo.roll_back("d", "a mistake")
        assert (elo.get_rating("ann").elo, elo.get_rating("bob").elo) == (1700, 1500)
        assert audited(elo)

    def test_they_stay_on_record(self, elo):
        elo.start_ratings({"ann": 1700})
        (entry,) = elo.evidence("ann", kind="adjustment")
        assert (entry["id"], entry["content"]) == ("start:ann", {"cause": "seed", "change": 200.0})
        with pytest.raises(Conflict, match="so it stays"):
            elo.void("start:ann", "why")


class TestLists:
    def test_a_list_is_known_by_its_columns(self, tmp_path):
        file, db = tmp_path / "r.csv", tmp_path / "a.db"
        file.write_text("name,Elo\nann,1700\nbob,1400\n")
        done = import_debates(file, db=db)
        assert (done.ratings, done.known_ratings, done.added, done.skipped) == (2, 0, 2, 0)
        assert import_debates(file, db=db).known_ratings == 2

    def test_so_it_is_from_json(self, tmp_path):
        done = import_debates(
            [{"agent": "ann", "rating": 1700}, {"agent": "bob", "rating": "1400"}], db=tmp_path / "a.db"
        )
        assert done.ratings == 2

    def test_agents_that_have_debated_are_skipped_and_named(self, tmp_path):
        db = tmp_path / "a.db"
        with EloSystem(db) as system:
            won(system, "ann", "bob")
        done = import_debates([{"agent": "ann", "rating": 1700}, {"agent": "cas", "rating": 1600}], db=db)
        assert (done.ratings, done.skipped) == (1, 1)
        assert "'ann' has a rating by its debates" in done.problems[0]

    def test_what_is_no_number_is_named(self, tmp_path):
        with pytest.raises(InvalidEvidence, match="entry 1: rating is 'high'; expected a number"):
            import_debates([{"agent": "ann", "rating": "high"}], db=tmp_path / "a.db")


class TestSeasons:
    def test_ratings_go_a_share_of_the_way_back(self, elo):
        won(elo, "ann", "bob")  # 1516 to 1484
        assert elo.begin_season("2027", 0.25) == {"ann": pytest.approx(-4), "bob": pytest.approx(4)}
        assert elo.get_rating("ann").elo == pytest.approx(1512)
        assert audited(elo)

    def test_or_begin_anew(self, elo):
        won(elo, "ann", "bob", 3)
        elo.begin_season("2027", 1)
        assert elo.get_rating("ann").elo == elo.get_rating("bob").elo == 1500

    def test_strengths_stay(self, elo):
        won(elo, "ann", "bob", 3)
        before = elo.get_strengths()
        elo.begin_season("2027", 1)
        assert [row.strength for row in elo.get_strengths()] == [row.strength for row in before]

    def test_the_same_season_begins_once(self, elo):
        won(elo, "ann", "bob")
        first = elo.begin_season("2027")
        won(elo, "ann", "new")
        assert elo.begin_season("2027") == first
        assert set(elo.season_agents("2027")) == {"ann", "bob"}
        with pytest.raises(Conflict, match="with another share"):
            elo.begin_season("2027", 1)
        assert elo.begin_season("2028").keys() == {"ann", "bob", "new"}

    def test_a_rollback_counts_it_again(self, elo):
        elo.record_match("d", ["ann", "bob"], {"ann": 1.0, "bob": 0.0})
        elo.begin_season("2027", 0.5)
        elo.roll_back("d", "a mistake")
        assert elo.get_rating("ann").elo == pytest.approx(1500)
        assert audited(elo)

    def test_shares_are_shares(self, elo):
        with pytest.raises(InvalidEvidence, match="from 0 to 1, not 2"):
            elo.begin_season("2027", 2)


class TestVersions:
    def played(self, elo):
        won(elo, "ann", "bob", 20)
        won(elo, "bob", "cas", 10)
        won(elo, "cas", "bob", 10)

    def strength(self, elo, agent):
        return next(row for row in elo.get_strengths() if row.agent == agent)

    def test_the_running_elo_goes_on(self, elo):
        self.played(elo)
        before = elo.get_rating("ann").elo
        assert elo.revise_agent("ann", "2") is True
        assert elo.revise_agent("ann", "2") is False
        assert elo.get_rating("ann").elo == before
        assert audited(elo)

    def test_less_is_known_of_it_and_its_own_debates_count_for_more(self, elo):
        self.played(elo)
        before = self.strength(elo, "ann")
        elo.revise_agent("ann", "2")
        after = self.strength(elo, "ann")
        assert after.high - after.low > before.high - before.low
        assert after.strength > 1500
        won(elo, "bob", "ann", 12)
        followed = self.strength(elo, "ann")
        elo.void("revision:ann:2", "it was the same")
        assert followed.strength < self.strength(elo, "ann").strength - 30
        assert audited(elo)

    def test_in_a_domain_too(self, elo):
        elo.record_matches([{"participants": ["ann", "bob"], "scores": {"ann": 1.0, "bob": 0.0}, "domain": "law"}] * 10)
        elo.revise_agent("ann", "2")
        elo.record_matches([{"participants": ["ann", "bob"], "scores": {"ann": 0.0, "bob": 1.0}, "domain": "law"}] * 10)
        with_version = {row.agent: row.strength for row in elo.get_strengths("law")}
        assert with_version["ann"] < with_version["bob"]
        assert elo.predict_match("ann", "bob", "law").expected < 0.5

    def test_a_random_walk_is_an_option(self, elo):
        self.played(elo)
        won(elo, "bob", "ann", 20)
        still, moving = elo.get_strengths(), elo.get_strengths(walk=15)
        lead = {
            name: [next(r.strength for r in board if r.agent == name) for board in (still, moving)]
            for name in "ab" and ("ann", "bob")
        }
        assert lead["ann"][1] - lead["bob"][1] < lead["ann"][0] - lead["bob"][0]
