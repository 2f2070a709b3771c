"""Strengths of agents: in Elo points on the pool's scale, globally and by domain, with what made them."""

import numpy as np
import pytest

from paragone.agents.strengths import AgentStrength, by_domain, is_quick, strengths, table
from paragone.domain import RatingConfig
from paragone.ratings import ELO_PER_NAT, FitOptions, fit, rating_intervals
from paragone.ratings.score_pairs import ScoreColumns, ScorePairs

CONFIG = RatingConfig(initial=1500.0)
NAMES = ("ann", "bob", "cas", "dan")


def debates(count=60, *, seed=0):
    """Duels and debates of three in law, code and in none; the strongest are the first named."""
    rng = np.random.default_rng(seed)
    size = rng.choice([2, 3], count)
    agent = np.concatenate([rng.choice(4, each, replace=False) for each in size])
    return ScoreColumns(
        agents=NAMES,
        domains=("law", "code"),
        match=np.repeat(np.arange(count), size),
        agent=agent,
        score=np.round(3 - agent + rng.gumbel(size=agent.size), 0) + 10,
        domain=rng.choice([-1, 0, 0, 1], count),
        confidence=rng.choice([0.5, 1.0], count),
    )


class TestOverall:
    def test_it_is_the_batch_fit_in_elo_points(self):
        found = {row.agent: row for row in strengths(debates(), config=CONFIG)}
        fitted = fit(ScorePairs.of(debates()).evidence(), FitOptions(position=False))
        low, high = rating_intervals(fitted)
        for place, name in enumerate(NAMES):
            assert found[name].strength == pytest.approx(1500 + ELO_PER_NAT * fitted.strength[place])
            assert found[name].low == pytest.approx(1500 + ELO_PER_NAT * low[place])
            assert found[name].high == pytest.approx(1500 + ELO_PER_NAT * high[place])
        assert np.mean([row.strength for row in found.values()]) == pytest.approx(1500)

    def test_the_strongest_come_first_with_ranks_and_debates(self):
        rows = strengths(debates(), config=CONFIG, elo={"ann": 1612.5})
        assert [row.agent for row in rows] == list(NAMES)
        assert [row.rank for row in rows] == [1, 2, 3, 4]
        assert all(row.rank_low <= row.rank <= row.rank_high for row in rows)
        assert [row.matches for row in rows] == [debates().debates[place] for place in range(4)]
        assert [row.elo for row in rows] == [1612.5, 1500, 1500, 1500]
        assert {row.domain for row in rows} == {""}

    def test_equals_share_a_rank_and_names_break_ties(self):
        columns = ScoreColumns(
            agents=("bob", "ann"),
            domains=(),
            match=np.array([0, 0]),
            agent=np.array([0, 1]),
            score=np.array([2.0, 2.0]),
            domain=np.array([-1]),
            confidence=np.array([1.0]),
        )
        rows = strengths(columns, config=CONFIG)
        assert [(row.agent, row.rank, row.strength) for row in rows] == [("ann", 1, 1500.0), ("bob", 1, 1500.0)]


class TestByDomain:
    def test_one_fit_serves_all_domains(self):
        every = by_domain(debates(), config=CONFIG, elo={"law": {"bob": 1550.0}})
        assert list(every) == ["law", "code"]
        assert every["law"].rows == table(debates(), config=CONFIG, domain="law", elo={"bob": 1550.0}).rows
        assert {row.domain for row in every["code"].rows} == {"code"}
        assert sum(row.matches for row in every["code"].rows) == debates().within("code").debates.sum()

    def test_fewer_debates_wider_intervals(self):
        """Half of the debates are in law, a quarter in code, none in chess."""
        widths = {
            domain: np.mean([row.high - row.low for row in strengths(debates(), config=CONFIG, domain=domain)])
            for domain in (None, "law", "code", "chess")
        }
        assert list(widths) == sorted(widths, key=widths.__getitem__)

    def test_a_domain_that_nobody_debated_in(self):
        rows = strengths(debates(), config=CONFIG, domain="chess")
        assert [row.agent for row in rows] == list(NAMES)
        assert {row.matches for row in rows} == {0}

    def test_a_table_says_what_made_it(self):
        whole, law = table(debates(), config=CONFIG), table(debates(), config=CONFIG, domain="law")
        assert whole.method["name"] == "bradley-terry-davidson"
        assert law.method["name"] == "bradley-terry-davidson by domain"
        assert whole.method["pair_weight"] == law.method["pair_weight"] == "3 / (participants + 1)"
        assert law.method["tau"] > 0

    @pytest.mark.parametrize("domain", [None, "law"])
    def test_no_agents_no_rows(self, domain):
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        columns = ScoreColumns(
            agents=(), domains=("law",), match=none, agent=none, score=nothing, domain=none, confidence=nothing
        )
        assert strengths(columns, config=CONFIG, domain=domain) == ()
        assert by_domain(columns, config=CONFIG)["law"].rows == ()


class TestOfALedger:
    def test_debates_that_stand_count_and_others_do_not(self, elo):
        elo.record_match("one", ["ann", "bob", "cas"], {"ann": 0.9, "bob": 0.5, "cas": 0.1}, domain="law")
        elo.record_match("two", ["ann", "bob"], {"ann": 0.7, "bob": 0.7})
        before = elo.get_strengths()
        elo.record_match("three", ["ann", "bob"], {"ann": 0.0, "bob": 1.0})
        changed = {row.agent: row.strength for row in elo.get_strengths()}
        elo.roll_back("three", "a wrong score")
        after = elo.get_strengths()
        assert [(row.agent, row.matches) for row in after] == [("ann", 2), ("bob", 2), ("cas", 1)]
        assert [row.strength for row in after] == pytest.approx([row.strength for row in before])
        assert changed["bob"] > before[1].strength

    def test_beside_it_stands_the_running_elo_of_the_track(self, elo):
        elo.record_match("one", ["ann", "bob"], {"ann": 0.9, "bob": 0.1}, domain="law")
        elo.record_match("two", ["ann", "bob"], {"ann": 0.9, "bob": 0.1})
        whole, law = elo.get_strengths()[0], elo.get_strengths("law")[0]
        rating = elo.get_rating("ann")
        assert isinstance(whole, AgentStrength)
        assert (whole.agent, whole.elo, whole.matches, whole.domain) == ("ann", rating.elo, 2, "")
        assert (law.elo, law.matches, law.domain) == (rating.domain_elos["law"], 1, "law")

    def test_nothing_recorded_nothing_said(self, elo):
        assert elo.get_strengths() == []
        assert elo.get_strengths("law") == []


@pytest.mark.parametrize(
    ("agents", "domains", "quick"), [(500, 8, True), (1000, 2, True), (1000, 3, False), (4000, 1, False)]
)
def test_the_cube_of_the_agents_decides_whether_a_fit_by_domain_is_quick(agents, domains, quick):
    assert is_quick(agents, domains) is quick
