"""What agents foretold and did with each other: counted once, in every backend."""

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paragone.domain import (
    DEALINGS,
    Critique,
    Dealings,
    DomainPrediction,
    Item,
    ItemKind,
    Match,
    Prediction,
    RatingConfig,
    Relation,
    Resolution,
    Scorecard,
    VerificationResult,
)
from paragone.errors import Conflict, InvalidEvidence, InvalidItems, NotFound
from paragone.ledger import AgentTally, Ledger
from paragone.ledger.namespaces.agents import Agents

NUMBERS = itertools.count()
NOBODY = "there is no pool 'nowhere'"
NASTY = (
    "a\x00b",
    "half \ud800 pair",
    "\udfff",
    "'; DROP TABLE agent_tally; --",
    "../../etc/passwd",
    "\x1b0000",
    "ü",
    "%_",
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def opened(request, tmp_path_factory):
    """A ledger for all tests, of which each has a pool of its own."""
    server = request.param == "postgresql"
    url = request.getfixturevalue("lent_url")() if server else tmp_path_factory.mktemp("agents") / "agents.db"
    with Ledger.open(url, durable=False) as ledger:
        yield ledger


@pytest.fixture
def pool(opened):
    """An empty pool of agents."""
    id = f"agents {next(NUMBERS)}"
    opened.pools.create(id, RatingConfig(initial=1500.0, k=32.0), kind=ItemKind.AGENT)
    return id


@pytest.fixture
def ledger(opened):
    return opened


def foretold(predictor, winner, confidence, tournament="t"):
    return Prediction(tournament=tournament, predictor=predictor, winner=winner, confidence=confidence)


def known(agent, confidence=0.5, correct=True, domain="law", id=""):
    return DomainPrediction(id=id, agent=agent, domain=domain, confidence=confidence, correct=correct)


def relation(a, b, id="", **counts):
    return Relation(id=id, a=a, b=b, dealings=Dealings(**counts))


def rows(ledger, pool):
    return ledger.audit(pool).rows


def tally(ledger, pool, agent):
    (record,) = ledger.agents.records(pool, [agent])
    return record.tally


# Who there is


def test_an_agent_is_there_once_with_the_model_named_last(ledger, pool):
    ledger.agents.register(pool, "claude", "c-3")
    ledger.agents.register(pool, "claude", "c-4")
    ledger.agents.register(pool, "claude")
    ledger.agents.register(pool, "claude", "c-4")
    ledger.agents.register(pool, "gpt")
    assert [(record.rating.item, record.model) for record in ledger.agents.records(pool)] == [
        ("claude", "c-4"),
        ("gpt", ""),
    ]
    assert ledger.items.all(pool)[0] == Item(id="claude", text="claude", kind=ItemKind.AGENT)
    assert rows(ledger, pool) == 1 + 2 + 2, "the pool, two agents, two models"
    ledger.agents.register(pool, "claude", "c-3")
    assert ledger.agents.records(pool, ["claude"])[0].model == "c-3"


def test_an_agent_that_was_described_keeps_its_description(ledger, pool):
    ledger.items.add(pool, [Item(id="claude", text="a careful one", kind=ItemKind.AGENT)])
    ledger.agents.record_critiques(pool, [Critique(agent="claude", accepted=True)])
    assert [item.text for item in ledger.items.all(pool)] == ["a careful one"]


def test_a_pool_of_texts_takes_no_agents(ledger):
    ledger.pools.create("texts", RatingConfig())
    with pytest.raises(InvalidItems, match="of kind agent, and pool 'texts' holds text items"):
        ledger.agents.register("texts", "claude")
    assert ledger.items.all("texts") == ()


def test_agents_come_as_they_are_named_or_the_highest_first(ledger, pool):
    ledger.agents.record_critiques(pool, [Critique(agent=agent, accepted=True) for agent in "cab"])
    assert [record.rating.item for record in ledger.agents.records(pool)] == ["a", "b", "c"]
    assert [record.rating.item for record in ledger.agents.records(pool, ["c", "nobody", "a", "c"])] == ["c", "a", "c"]
    assert ledger.agents.records(pool, []) == ()
    assert ledger.agents.records(pool, ["b"])[0].rating.elo == 1500.0


def test_more_agents_than_one_question_names(ledger, pool):
    names = [f"agent {number:04}" for number in range(703)]
    ledger.agents.record_critiques(pool, [Critique(agent=name, accepted=True) for name in names])
    assert [record.rating.item for record in ledger.agents.records(pool, names[::-1])] == names[::-1]
    assert {record.tally for record in ledger.agents.records(pool)} == {
        AgentTally(critiques_accepted=1, critiques_total=1)
    }
    chain = [relation(a, b, debates=1) for a, b in itertools.pairwise(names)]
    ledger.agents.record_relations(pool, chain)
    ledger.agents.record_relations(pool, chain)
    assert {found.dealings for found in ledger.agents.relations(pool)} == {Dealings(debates=2)}
    assert len(ledger.agents.relations(pool)) == 702
    assert ledger.audit(pool).ok


def test_statistics_of_a_pool_with_nobody_in_it_and_of_one_with_two(ledger, pool):
    nothing = ledger.agents.statistics(pool)
    assert (nothing.agents, nothing.matches) == (0, 0)
    assert (nothing.mean, nothing.highest, nothing.lowest) == (None, None, None)
    ledger.agents.register(pool, "a")
    ledger.agents.register(pool, "b")
    found = ledger.agents.statistics(pool)
    assert (found.agents, found.matches, found.mean, found.highest, found.lowest) == (2, 0, 1500.0, 1500.0, 1500.0)


# Boards


def scored(id, scores, domain=""):
    return Match.scored(id, Scorecard(participants=tuple(scores), scores=tuple(scores.values()), domain=domain))


def test_a_board_of_a_domain_takes_the_global_rating_where_there_is_no_other(ledger, pool):
    """Of two equals the winner takes 16 points: a leads in law, where b and c have not played, and c leads in all."""
    ledger.agents.record_matches(pool, [scored("m1", {"a": 1.0, "d": 0.0}, "law"), scored("m2", {"c": 1.0, "a": 0.0})])
    ledger.agents.register(pool, "b")
    ledger.agents.record_matches(pool, [scored("m3", {"c": 1.0, "b": 0.0})])
    globally = {record.rating.item: record.rating.elo for record in ledger.agents.records(pool)}
    in_law = {rating.item: rating.elo for record in ledger.agents.records(pool) for rating in record.tracks}
    assert in_law == {"a": 1516.0, "d": 1484.0}
    assert [record.rating.item for record in ledger.agents.board(pool, count=9)] == ["c", "a", "b", "d"]
    by_law = sorted(globally, key=lambda agent: (-in_law.get(agent, globally[agent]), agent))
    assert [record.rating.item for record in ledger.agents.board(pool, count=9, domain="law")] == by_law
    assert [record.rating.item for record in ledger.agents.board(pool, count=2, domain="law")] == by_law[:2]
    assert ledger.agents.board(pool, count=9, domain="unheard of") == ledger.agents.board(pool, count=9)
    assert ledger.agents.board(pool, count=0) == ()
    assert ledger.agents.board(pool, count=9) == ledger.agents.records(pool)
    found = ledger.agents.statistics(pool)
    assert (found.agents, found.matches, found.highest) == (4, 3, globally["c"])
    assert found.mean == pytest.approx(1500.0)
    ledger.matches.rollback(pool, "m3", "disputed")
    assert ledger.agents.statistics(pool).matches == 2


@pytest.mark.parametrize("seed", [1, 2])
def test_boards_are_what_sorting_all_agents_gives(ledger, pool, seed):
    chance = random.Random(seed)
    names = [f"agent {number}" for number in range(20)]
    for number in range(30):
        scores = {name: float(chance.randrange(3)) for name in chance.sample(names, 3)}
        ledger.agents.record_matches(pool, [scored(f"m{number}", scores, chance.choice(["", "law", "maths"]))])
    everybody = ledger.agents.records(pool)
    for domain in ("", "law", "maths"):

        def by(record, domain=domain):
            own = [rating.elo for rating in record.tracks if rating.track == domain]
            return (-(own or [record.rating.elo])[0], record.rating.item)

        for count in (1, 7, 50):
            assert ledger.agents.board(pool, count=count, domain=domain) == tuple(sorted(everybody, key=by)[:count])
    assert {record.rating.item: record.rating for record in everybody} == ledger.ratings.all(pool)
    assert ledger.agents.records(pool, names) == tuple(
        sorted(everybody, key=lambda record: names.index(record.rating.item))
    )


def test_rows_say_what_nouns_say(ledger, pool):
    """However many are asked for: some are looked for by name, and most of a pool as all of it."""
    names = [f"agent {number:03}\x1b" for number in range(300)]
    ledger.agents.record_critiques(pool, [Critique(agent=name, accepted=True) for name in names[::2]])
    scores = ({names[n]: 1.0 + n, names[-1 - n]: 0.0} for n in range(150))
    ledger.agents.record_matches(
        pool, [scored(f"m{n}", each, "law\x1b" if n % 3 else "") for n, each in enumerate(scores)]
    )
    for model in ("first", "second"):
        ledger.agents.register(pool, names[3], model)
    for count in (1, 30, 299, 300, 301):
        rows_are_nouns(ledger, pool, names, count)


def rows_are_nouns(ledger, pool, names, count):
    """Records and boards of so many agents, global and in a domain."""
    for nouns, rows in (
        (ledger.agents.records(pool, names[:count]), ledger.agents.rows(pool, names[:count])),
        (ledger.agents.board(pool, count=count), ledger.agents.board_rows(pool, count=count)),
        (
            ledger.agents.board(pool, count=count, domain="law"),
            ledger.agents.board_rows(pool, count=count, domain="law"),
        ),
    ):
        assert len(nouns) == min(count, 300)
        assert [row[:2] for row in rows.standings] == [(each.rating.item, each.rating.elo) for each in nouns]
        in_domains = {(agent, domain): elo for agent, domain, elo in rows.domains}
        tallies = {agent: counts for agent, *counts in rows.counted}
        for each in nouns:
            agent = each.rating.item
            assert [(agent, own.track) for own in each.tracks] == [key for key in in_domains if key[0] == agent]
            assert all(in_domains[agent, own.track] == own.elo for own in each.tracks)
            assert each.tally.critiques_total == tallies.get(agent, [0, 0])[1]
            assert each.model == dict(rows.models).get(agent, "")


# What they foretold


def test_a_tournament_is_resolved_with_a_brier_score_for_each_predictor(ledger, pool):
    """Claude gives gpt 0.75 and is wrong: 0.5625. Gemini gives claude 0.6 and is right: 0.16."""
    ledger.agents.record_prediction(pool, foretold("claude", "gpt", 0.75))
    ledger.agents.record_prediction(pool, foretold("gemini", "claude", 0.6))
    scores = ledger.agents.resolve(pool, Resolution(tournament="t", winner="claude"))
    assert scores == pytest.approx({"claude": 0.5625, "gemini": 0.16})
    assert tally(ledger, pool, "claude") == AgentTally(calibration_total=1, calibration_brier_sum=0.5625)
    assert tally(ledger, pool, "gemini").calibration_correct == 1
    assert {record.rating.item for record in ledger.agents.records(pool)} == {"claude", "gemini"}, (
        "gpt is a name, no more"
    )
    assert ledger.audit(pool).ok


def test_resolving_again_counts_nothing_and_another_winner_is_refused(ledger, pool):
    ledger.agents.record_prediction(pool, foretold("claude", "gpt", 0.75))
    once = ledger.agents.resolve(pool, Resolution(tournament="t", winner="gpt"))
    before, counted = rows(ledger, pool), tally(ledger, pool, "claude")
    assert ledger.agents.resolve(pool, Resolution(tournament="t", winner="gpt")) == once == {"claude": 0.0625}
    with pytest.raises(Conflict, match=r"'t' of pool 'agents [0-9]+' is resolved already: 'gpt' won, not 'claude'"):
        ledger.agents.resolve(pool, Resolution(tournament="t", winner="claude"))
    assert (rows(ledger, pool), tally(ledger, pool, "claude")) == (before, counted)


def test_a_prediction_may_be_changed_until_its_tournament_is_resolved(ledger, pool):
    ledger.agents.record_prediction(pool, foretold("claude", "gpt", 0.75))
    ledger.agents.record_prediction(pool, foretold("claude", "gemini", 0.5))
    before = rows(ledger, pool)
    ledger.agents.record_prediction(pool, foretold("claude", "gemini", 0.5))
    assert rows(ledger, pool) == before, "the same again changes nothing"
    ledger.agents.record_prediction(pool, foretold("claude", "gpt", 0.75))
    ledger.agents.record_prediction(pool, foretold("claude", "gpt", 0.9, tournament="another"))
    assert ledger.agents.resolve(pool, Resolution(tournament="t", winner="gpt")) == {"claude": 0.0625}
    assert tally(ledger, pool, "claude").calibration_total == 1
    before = rows(ledger, pool)
    ledger.agents.record_prediction(pool, foretold("claude", "gpt", 0.75))
    for late in (foretold("claude", "gpt", 0.8), foretold("claude", "gemini", 0.75), foretold("late", "gpt", 0.75)):
        with pytest.raises(Conflict, match=r"'t' of pool 'agents [0-9]+' is resolved already: 'gpt' won"):
            ledger.agents.record_prediction(pool, late)
    assert rows(ledger, pool) == before
    assert ledger.agents.records(pool, ["late"]) == ()


def test_a_tournament_that_nobody_foretold_is_resolved_too(ledger, pool):
    assert ledger.agents.resolve(pool, Resolution(tournament="t", winner="x")) == {}
    assert ledger.agents.resolve(pool, Resolution(tournament="t", winner="x")) == {}
    with pytest.raises(Conflict):
        ledger.agents.record_prediction(pool, foretold("claude", "x", 0.5))


def test_predictions_are_listed_newest_first_each_agents_last_on_a_tournament(ledger, pool):
    for each in (("a", "x", 0.5), ("b", "x", 0.6), ("a", "y", 0.7)):
        ledger.agents.record_prediction(pool, foretold(*each))
    ledger.agents.record_prediction(pool, foretold("a", "x", 0.8, tournament="u"))
    listed = [
        (entry.prediction.tournament, entry.prediction.predictor, entry.prediction.confidence, entry.correct)
        for entry in ledger.agents.predictions(pool)
    ]
    assert listed == [("u", "a", 0.8, None), ("t", "a", 0.7, None), ("t", "b", 0.6, None)]
    ledger.agents.resolve(pool, Resolution(tournament="t", winner="y"))
    open_one, right, wrong = ledger.agents.predictions(pool)
    assert (open_one.correct, open_one.brier) == (None, None)
    assert (right.correct, right.brier) == (True, pytest.approx(0.09))
    assert (wrong.correct, wrong.brier) == (False, pytest.approx(0.36))
    assert [entry.prediction.tournament for entry in ledger.agents.predictions(pool, "a")] == ["u", "t"]
    assert ledger.agents.predictions(pool, "nobody") == ()


def test_domain_predictions_count_once_each_and_are_listed_newest_first(ledger, pool):
    first, second = known("a", 0.8, True, id="p1"), known("a", 0.3, False, domain="maths")
    ledger.agents.record_domain_predictions(pool, [first, second, known("b", 1.0, False)])
    assert tally(ledger, pool, "a") == AgentTally(
        calibration_correct=1, calibration_total=2, calibration_brier_sum=pytest.approx(0.04 + 0.09)
    )
    listed = [entry.prediction for entry in ledger.agents.domain_predictions(pool)]
    assert listed == [known("b", 1.0, False), second, first]
    assert [entry.prediction for entry in ledger.agents.domain_predictions(pool, "a")] == [second, first]
    assert [entry.prediction for entry in ledger.agents.domain_predictions(pool, "a", "law")] == [first]
    assert [entry.prediction for entry in ledger.agents.domain_predictions(pool, domain="maths")] == [second]


def test_which_ids_of_predictions_are_there(ledger, pool):
    ledger.agents.record_domain_predictions(pool, [known("a", id="p\x001"), known("a"), known("a", id="p2")])
    wanted = ["p\x001", "p3", "", *(f"q{number}" for number in range(600)), "p2"]
    assert ledger.agents.existing_ids(pool, "prediction", wanted) == {"p\x001", "p2"}
    assert ledger.agents.existing_ids(pool, "prediction", []) == frozenset()


def test_which_ids_of_other_evidence_are_there(ledger, pool):
    ledger.agents.record_critiques(pool, [Critique(id="c", agent="a", accepted=True)])
    ledger.agents.record_relations(pool, [relation("a", "b", id="r", debates=1)])
    ledger.agents.record_test(pool, VerificationResult(id="t", item="a", verified=1))
    wanted = ["c", "r", "t", "none"]
    found = {kind: ledger.agents.existing_ids(pool, kind, wanted) for kind in ("critique", "relation", "test")}
    assert found == {"critique": {"c"}, "relation": {"r"}, "test": {"t"}}


def test_matches_with_scorecards_are_read_on_from_a_place(ledger, pool):
    cards = [Scorecard(participants=("a", name), scores=(1.0, 0.0)) for name in "bcbd"]
    ledger.agents.record_matches(pool, [Match.scored(f"m{number}", card) for number, card in enumerate(cards)])
    every = ledger.agents.matches(pool)
    assert [one.match.id for one in every] == ["m3", "m2", "m1", "m0"]
    for place, one in enumerate(every):
        assert ledger.agents.matches(pool, before=one.sequence) == every[place + 1 :]
        assert ledger.agents.matches(pool, before=one.sequence, count=1) == every[place + 1 : place + 2]
    assert [one.match.id for one in ledger.agents.matches(pool, opponent="b", before=every[1].sequence)] == ["m0"]


# The same again

NAMED = {
    "a prediction": (
        Agents.record_domain_predictions,
        known("a", id="x"),
        known("a", 0.6, id="x"),
        "confidence 0.5 instead of 0.6",
    ),
    "a critique": (
        Agents.record_critiques,
        Critique(id="x", agent="a", accepted=True),
        Critique(id="x", agent="a", accepted=False),
        "accepted True instead of False",
    ),
    "a relation": (
        Agents.record_relations,
        relation("a", "b", id="x", a_wins=1),
        relation("a", "b", id="x", b_wins=1),
        "a_wins 1 instead of 0, b_wins 0 instead of 1",
    ),
}


@pytest.mark.parametrize(("record", "evidence", "other", "told"), NAMED.values(), ids=NAMED)
def test_what_has_an_id_counts_once_and_with_other_content_is_refused(ledger, pool, record, evidence, other, told):
    record(ledger.agents, pool, [evidence, evidence])
    before, counted, sums = rows(ledger, pool), ledger.agents.records(pool), ledger.agents.relations(pool)
    record(ledger.agents, pool, [evidence])
    assert (rows(ledger, pool), ledger.agents.records(pool), ledger.agents.relations(pool)) == (before, counted, sums)
    for wanted in ([other], [evidence, other]):
        with pytest.raises(Conflict, match=f"'x' of pool '{pool}' is recorded already, with {told}; record"):
            record(ledger.agents, pool, wanted)
    fresh = f"fresh {pool}"
    ledger.pools.create(fresh, RatingConfig(), kind=ItemKind.AGENT)
    with pytest.raises(Conflict):
        record(ledger.agents, fresh, [evidence, other])
    assert ledger.items.all(fresh) == ()
    assert ledger.audit(pool).ok


@pytest.mark.parametrize(
    ("record", "evidence"),
    [
        (Agents.record_domain_predictions, known("a")),
        (Agents.record_critiques, Critique(agent="a", accepted=True)),
        (Agents.record_relations, relation("a", "b", debates=1)),
    ],
)
def test_without_an_id_every_one_counts(ledger, pool, record, evidence):
    record(ledger.agents, pool, [evidence, evidence])
    record(ledger.agents, pool, [evidence])
    found = tally(ledger, pool, "a")
    debates = sum(each.dealings.debates for each in ledger.agents.relations(pool))
    assert found.calibration_total + found.critiques_total + debates == 3


def test_an_addition_is_the_same_from_either_side(ledger, pool):
    there = relation("b", "a", id="x", critiques_a_to_b=2, a_wins=1, changes_b_after_a=3)
    ledger.agents.record_relations(pool, [there])
    ledger.agents.record_relations(pool, [there.seen_from("a")])
    assert ledger.agents.relation(pool, "b", "a") == relation(
        "b", "a", critiques_a_to_b=2, a_wins=1, changes_b_after_a=3
    )
    with pytest.raises(Conflict):
        ledger.agents.record_relations(
            pool, [relation("a", "b", id="x", critiques_a_to_b=2, a_wins=1, changes_b_after_a=3)]
        )


# What they did with each other


def test_relations_are_sums_seen_from_whom_one_asks_for(ledger, pool):
    ledger.agents.record_relations(
        pool,
        [
            relation("gpt", "claude", debates=1, agreements=1, critiques_a_to_b=2, accepted_a_to_b=1, a_wins=1),
            relation("claude", "gpt", debates=1, critiques_a_to_b=5, changes_b_after_a=1),
            relation("gpt", "gemini", debates=1),
        ],
    )
    counts = {"debates": 2, "agreements": 1}
    of_claude = relation(
        "claude",
        "gpt",
        **counts,
        critiques_a_to_b=5,
        critiques_b_to_a=2,
        accepted_b_to_a=1,
        changes_b_after_a=1,
        b_wins=1,
    )
    assert ledger.agents.relation(pool, "claude", "gpt") == of_claude
    assert ledger.agents.relation(pool, "gpt", "claude") == of_claude.seen_from("gpt")
    assert ledger.agents.relations(pool) == (of_claude, relation("gemini", "gpt", debates=1))
    assert ledger.agents.relations(pool, "claude") == (of_claude,)
    assert ledger.agents.relations(pool, "gpt") == ledger.agents.relations(pool)
    assert ledger.agents.relation(pool, "claude", "gemini") is None
    assert ledger.agents.relation(pool, "claude", "claude") is None
    assert [record.rating.item for record in ledger.agents.records(pool)] == ["claude", "gemini", "gpt"]


def test_a_relation_in_which_nothing_happened_is_kept(ledger, pool):
    ledger.agents.record_relations(pool, [relation("a", "b")])
    assert ledger.agents.relation(pool, "b", "a") == relation("b", "a")
    assert ledger.audit(pool).ok


def test_a_count_that_no_database_keeps_is_refused(ledger, pool):
    ledger.agents.record_relations(pool, [relation("a", "b", debates=2**63 - 1)])
    for more in ([relation("b", "a", debates=1)], [relation("a", "c", agreements=2**63)]):
        with pytest.raises(InvalidEvidence, match="would come to more than 9223372036854775807"):
            ledger.agents.record_relations(pool, more)
    assert ledger.agents.relations(pool) == (relation("a", "b", debates=2**63 - 1),)
    assert ledger.audit(pool).ok


def test_nothing_of_a_batch_is_kept_where_one_is_refused(ledger, pool):
    ledger.agents.record_relations(pool, [relation("a", "b", id="x", debates=1)])
    before = rows(ledger, pool), ledger.agents.relations(pool), ledger.agents.records(pool)
    with pytest.raises(Conflict):
        ledger.agents.record_relations(pool, [relation("c", "d", debates=1), relation("a", "b", id="x", debates=2)])
    assert (rows(ledger, pool), ledger.agents.relations(pool), ledger.agents.records(pool)) == before


# Batches, and what follows from the evidence

AGENTS = st.sampled_from(["a", "b", "c"])
SHARES = st.floats(0.0, 1.0)
IDS = st.sampled_from(["", "", ""] + [f"id {number}" for number in range(200)])
COUNTS = st.dictionaries(st.sampled_from(DEALINGS), st.integers(0, 3))
CRITIQUES = st.lists(st.builds(Critique, agent=AGENTS, accepted=st.booleans()), max_size=5)
KNOWN = st.lists(st.builds(known, AGENTS, SHARES, st.booleans(), st.sampled_from(["law", "maths"])), max_size=5)
RELATIONS = st.lists(
    st.tuples(st.permutations("abc"), COUNTS).map(lambda drawn: relation(*drawn[0][:2], **drawn[1])), max_size=5
)
FORETOLD = st.lists(st.builds(foretold, AGENTS, AGENTS, SHARES, st.sampled_from(["t", "u"])), max_size=5)


@settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(critiques=CRITIQUES, predictions=KNOWN, relations=RELATIONS, said=FORETOLD)
def test_a_batch_comes_to_what_single_calls_come_to_and_a_rebuild_to_the_same_bits(
    ledger, critiques, predictions, relations, said
):
    number = next(NUMBERS)
    whole, single = f"whole {number}", f"single {number}"
    for pool in (whole, single):
        ledger.pools.create(pool, RatingConfig(), kind=ItemKind.AGENT)
        for agent in "ab":  # who win below, whether or not somebody expects it
            ledger.agents.register(pool, agent)
        for each in said:
            ledger.agents.record_prediction(pool, each)
        in_parts = _all_at_once if pool == whole else _one_by_one
        in_parts(ledger.agents.record_critiques, pool, critiques)
        in_parts(ledger.agents.record_domain_predictions, pool, predictions[:2])
        ledger.agents.resolve(pool, Resolution(tournament="t", winner="a"))
        in_parts(ledger.agents.record_domain_predictions, pool, predictions[2:])
        ledger.agents.resolve(pool, Resolution(tournament="u", winner="b"))
        in_parts(ledger.agents.record_relations, pool, relations)
    found = ledger.agents.records(whole), ledger.agents.relations(whole)
    assert (ledger.agents.records(single), ledger.agents.relations(single)) == found
    assert ledger.audit(whole).ok
    ledger.rebuild(single)
    assert (ledger.agents.records(single), ledger.agents.relations(single)) == found
    _check_sums(found, critiques, predictions, relations, said)


def _all_at_once(record, pool, evidence):
    record(pool, evidence)


def _one_by_one(record, pool, evidence):
    for each in evidence:
        record(pool, [each])


def _check_sums(found, critiques, predictions, relations, said):
    """The plain count of what was recorded."""
    records, sums = found
    last = {(each.tournament, each.predictor): each for each in said}
    right = [each.winner == {"t": "a", "u": "b"}[each.tournament] for each in last.values()]
    tallies = [record.tally for record in records]
    assert sum(each.critiques_total for each in tallies) == len(critiques)
    assert sum(each.critiques_accepted for each in tallies) == sum(each.accepted for each in critiques)
    assert sum(each.calibration_total for each in tallies) == len(predictions) + len(last)
    assert sum(each.calibration_correct for each in tallies) == sum(each.correct for each in predictions) + sum(right)
    for name in DEALINGS:
        mirrored = [relation.ordered.dealings for relation in relations]
        assert sum(getattr(each.dealings, name) for each in sums) == sum(getattr(each, name) for each in mirrored)


def test_a_rebuild_puts_right_what_was_counted_wrong_and_an_audit_names_it(ledger, pool):
    ledger.agents.record_domain_predictions(pool, [known("a", 0.1), known("a", 0.2), known("a", 0.7)])
    ledger.agents.record_relations(pool, [relation("a", "b", debates=2)])
    whole = ledger.agents.records(pool), ledger.agents.relations(pool)
    for statement, table in (
        ("UPDATE agent_tally SET calibration_brier_sum = calibration_brier_sum + 0.000000001", "agent_tally"),
        ("DELETE FROM agent_tally", "agent_tally"),
        ("UPDATE agent_tally SET item = 'c'", "agent_tally"),
        ("UPDATE relationship SET a_wins = 1", "relationship"),
        ("DELETE FROM relationship", "relationship"),
    ):
        with ledger._database.write() as connection:
            connection.exec_driver_sql(f"{statement} WHERE pool = '{pool}'")
        (difference,) = ledger.audit(pool).differences
        assert (difference.pool, difference.table) == (pool, table)
        assert "but the evidence gives" in difference.message
        ledger.rebuild(pool)
        assert ledger.audit(pool).ok
        assert (ledger.agents.records(pool), ledger.agents.relations(pool)) == whole


# Whatever names there are


def test_any_text_is_a_name_and_comes_back_as_it_was(ledger, pool):
    for name in NASTY:
        ledger.agents.register(pool, name, name)
        ledger.agents.record_critiques(pool, [Critique(id=name, agent=name, accepted=True)] * 2)
        ledger.agents.record_prediction(pool, foretold(name, name, 0.5, tournament=name))
        ledger.agents.record_domain_predictions(pool, [known(name, domain=name, id=name)] * 2)
        ledger.agents.record_relations(pool, [relation(name, "other", id=name, a_wins=1)] * 2)
        assert ledger.agents.resolve(pool, Resolution(tournament=name, winner=name)) == {name: 0.25}
        with pytest.raises(Conflict):
            ledger.agents.resolve(pool, Resolution(tournament=name, winner="other"))
    before = ledger.agents.records(pool), ledger.agents.relations(pool)
    ledger.rebuild(pool)
    assert (ledger.agents.records(pool), ledger.agents.relations(pool)) == before
    assert ledger.audit(pool).ok
    for name in NASTY:
        _check_named(ledger, pool, name)
    assert {record.rating.item for record in ledger.agents.records(pool)} == {*NASTY, "other"}


def _check_named(ledger, pool, name):
    (record,) = ledger.agents.records(pool, [name])
    assert (record.rating.item, record.model) == (name, name)
    assert record.tally == AgentTally(
        critiques_accepted=1, critiques_total=1, calibration_correct=2, calibration_total=2, calibration_brier_sum=0.5
    )
    assert record in ledger.agents.board(pool, count=20, domain=name)
    assert [entry.prediction.tournament for entry in ledger.agents.predictions(pool, name)] == [name]
    assert [entry.prediction.domain for entry in ledger.agents.domain_predictions(pool, name, name)] == [name]
    assert ledger.agents.relation(pool, name, "other") == relation(name, "other", a_wins=1)
    assert ledger.agents.relations(pool, name) == (relation(name, "other", a_wins=1).ordered,)


def test_a_pool_that_is_not_there_is_named(ledger):
    calls = (
        lambda: ledger.agents.register("nowhere", "a"),
        lambda: ledger.agents.record_prediction("nowhere", foretold("a", "b", 0.5)),
        lambda: ledger.agents.resolve("nowhere", Resolution(tournament="t", winner="a")),
        lambda: ledger.agents.record_domain_predictions("nowhere", [known("a")]),
        lambda: ledger.agents.record_critiques("nowhere", []),
        lambda: ledger.agents.record_relations("nowhere", []),
        lambda: ledger.agents.records("nowhere"),
        lambda: ledger.agents.records("nowhere", []),
        lambda: ledger.agents.board("nowhere", count=1),
        lambda: ledger.agents.statistics("nowhere"),
        lambda: ledger.agents.predictions("nowhere"),
        lambda: ledger.agents.domain_predictions("nowhere"),
        lambda: ledger.agents.existing_ids("nowhere", "prediction", []),
        lambda: ledger.agents.existing_ids("nowhere", "critique", []),
        lambda: ledger.agents.relations("nowhere"),
        lambda: ledger.agents.relation("nowhere", "a", "b"),
    )
    for call in calls:
        with pytest.raises(NotFound, match=NOBODY):
            call()
