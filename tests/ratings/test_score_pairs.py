"""From scores to pairs: who won, what a pair counts for, and that intervals hold by it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.errors import InvalidEvidence
from paragone.ratings import FitOptions, fit
from paragone.ratings.score_pairs import ScoreColumns, ScorePairs, pair_weight


def columns(*debates, agents=4, domains=("law", "code")):
    """Debates as (scores by agent, domain, confidence)."""
    entries = [(at, agent, score) for at, (scores, *_) in enumerate(debates) for agent, score in scores.items()]
    match, agent, score = np.array(entries, dtype=float).reshape(-1, 3).T
    return ScoreColumns(
        agents=tuple(f"a{number}" for number in range(agents)),
        domains=domains,
        match=match.astype(int),
        agent=agent.astype(int),
        score=score,
        domain=np.array([domain for _, domain, _ in debates], dtype=int),
        confidence=np.array([confidence for *_, confidence in debates], dtype=float),
    )


class TestPairs:
    def test_a_debate_of_three(self):
        found = ScorePairs.of(columns(({2: 0.8, 0: 0.6, 1: 0.6}, 1, 0.5)))
        assert list(zip(found.first, found.second, found.score, strict=True)) == [(0, 1, 0.5), (0, 2, 0), (1, 2, 0)]
        assert found.weight == pytest.approx([0.5 * 3 / 4] * 3)
        assert found.domain.tolist() == [1, 1, 1]
        assert found.tie.tolist() == [True, False, False]

    def test_debates_of_several_sizes_and_one_of_one_alone(self):
        found = ScorePairs.of(columns(({0: 1, 1: 0}, -1, 1), ({3: 1}, 0, 1), ({0: 3, 1: 2, 2: 1, 3: 0}, 0, 1)))
        assert sorted(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [
            (0, 1),
            *itertools.combinations(range(4), 2),
        ]
        assert sorted(found.weight.tolist()) == pytest.approx([0.6] * 6 + [1.0])

    def test_nothing_to_pair(self):
        assert ScorePairs.of(columns(({1: 1}, 0, 1))).evidence().first.size == 0

    def test_evidence_is_what_a_fit_reads(self):
        evidence = ScorePairs.of(columns(({0: 1, 1: 0}, -1, 1), ({0: 2, 1: 2}, 0, 0.25))).evidence()
        assert (evidence.item_count, evidence.judges) == (4, ("debates",))
        assert (evidence.tie.tolist(), evidence.weight.tolist()) == ([False, True], [1.0, 0.25])

    def test_a_duel_is_a_full_comparison(self):
        assert pair_weight(np.array([2, 3, 5, 8])) == pytest.approx([1, 3 / 4, 1 / 2, 1 / 3])

    @pytest.mark.parametrize("count", [2, 3, 4, 5])
    def test_the_weight_is_godambes_information_over_what_pairs_would_claim(self, count):
        """All orders of equals, enumerated: variance of the gradient J, curvature H, information H J^-1 H."""
        orders = np.array(list(itertools.permutations(range(count))))
        gradients = (count - 1) / 2 - orders
        variance = gradients.T @ gradients / len(orders)
        curvature = np.eye(count) * count / 4 - 1 / 4
        information = curvature @ np.linalg.pinv(variance) @ curvature
        assert information == pytest.approx(float(pair_weight(np.array(count))) * curvature, abs=1e-9)


class TestColumns:
    def test_debates_are_counted_by_agent(self):
        found = columns(({0: 1, 1: 0}, 0, 1), ({3: 1}, 0, 1), ({0: 3, 1: 2, 2: 1}, 1, 1))
        assert found.debates.tolist() == [2, 2, 1, 0]
        assert found.within("code").debates.tolist() == [1, 1, 1, 0]
        assert found.within("chess").debates.tolist() == [0, 0, 0, 0]

    @pytest.mark.parametrize(
        ("debate", "said"),
        [
            (({0: np.nan, 1: 0}, 0, 1), "entry 0: its score"),
            (({0: 1, 4: 0}, 0, 1), "row 1: its agent"),
            (({0: 1, 1: 0}, 2, 1), "row 0: its domain"),
            (({0: 1, 1: 0}, 0, -1), "debate 0: its confidence"),
            (({0: 1, 1: 0}, 0, np.nan), "debate 0: its confidence"),
        ],
    )
    def test_what_cannot_be_is_refused_by_its_row(self, debate, said):
        with pytest.raises(InvalidEvidence, match=said):
            columns(debate)

    def test_an_agent_is_in_a_debate_once(self):
        whole = columns(({0: 1, 1: 0}, 0, 1))
        with pytest.raises(InvalidEvidence, match="entry 0: its agent is in the debate twice"):
            ScoreColumns(
                agents=whole.agents,
                domains=whole.domains,
                match=np.array([0, 0]),
                agent=np.array([1, 1]),
                score=np.array([1.0, 2.0]),
                domain=whole.domain,
                confidence=whole.confidence,
            )

    @pytest.mark.parametrize("names", [{"agents": ("a", "a", "b", "c")}, {"domains": ("law", "law")}])
    def test_names_differ(self, names):
        whole = columns(({0: 1, 1: 0}, 0, 1))
        fields = {name: getattr(whole, name) for name in ScoreColumns.__dataclass_fields__}
        with pytest.raises(InvalidEvidence, match="named twice"):
            ScoreColumns(**fields | names)


@st.composite
def shuffled_debates(draw):
    debates = draw(
        st.lists(
            st.tuples(
                st.dictionaries(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]), max_size=4),
                st.integers(-1, 1),
                st.sampled_from([0.1, 0.5, 1.0]),
            ),
            min_size=1,
            max_size=6,
        )
    )
    return debates, draw(st.permutations(debates))


@given(shuffled_debates())
def test_the_order_of_debates_changes_nothing(case):
    one, other = (ScorePairs.of(columns(*debates)) for debates in case)
    rows = [sorted(zip(p.first, p.second, p.score, p.weight, p.domain, strict=True)) for p in (one, other)]
    assert rows[0] == rows[1]


@given(shuffled_debates())
def test_pairs_are_those_of_a_plain_loop(case):
    debates, _ = case
    expected = [
        (a, b, 0.5 if scores[a] == scores[b] else float(scores[a] > scores[b]), domain)
        for scores, domain, _ in debates
        for a, b in itertools.combinations(sorted(scores), 2)
    ]
    found = ScorePairs.of(columns(*debates))
    assert sorted(zip(found.first, found.second, found.score, found.domain, strict=True)) == sorted(expected)


@pytest.mark.parametrize(("size", "debates"), [(2, 90), (3, 60), (5, 36), (8, 22)])
def test_intervals_hold_whatever_the_size_of_debates(size, debates):
    """Twelve agents, fifteen debates each, 40 pools: 480 intervals, standard error 0.010 and what a pool shares."""
    held, bare = [], []
    for seed in range(40):
        rng = np.random.default_rng([size, seed])
        truth = rng.standard_normal(12)
        agent = np.concatenate([rng.choice(12, size, replace=False) for _ in range(debates)])
        pairs = ScorePairs.of(
            ScoreColumns(
                agents=tuple(f"a{number}" for number in range(12)),
                domains=(),
                match=np.repeat(np.arange(debates), size),
                agent=agent,
                score=truth[agent] + rng.gumbel(size=agent.size),
                domain=np.full(debates, -1),
                confidence=np.ones(debates),
            )
        )
        found = fit(pairs.evidence(), FitOptions(position=False))
        away = np.abs(found.strength - truth + truth.mean()) / found.standard_error
        held.append((away < 1.96).mean())
        bare.append((away / np.sqrt(pairs.weight[0]) < 1.96).mean())
    assert 0.92 < np.mean(held) < 0.98
    assert size < 5 or np.mean(bare) < 0.9  # unweighted, intervals would be shorter by the root of the weight
