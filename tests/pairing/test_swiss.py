"""The N-loss Swiss against document S, and against trying every round by hand."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Choice, Comparison, Match, Order, Outcome, Verdict
from paragone.errors import InvalidConfig, InvalidItems
from paragone.pairing import swiss

A, B, DRAW, VOID = Outcome.A, Outcome.B, Outcome.DRAW, Outcome.VOID


def match(round, a, b, outcome=A):
    return Match(id=f"{round}:{a}{b}", round=round, a=a, b=b, outcome=outcome)


def met(*results):
    return {frozenset((result.a, result.b)) for result in results}


def pairs(following):
    return {frozenset((pairing.a, pairing.b)) for pairing in following.pairings}


class Tournament:
    """Plays to the end and checks on the way what has to hold in every round."""

    def __init__(self, ids, decide, *, seed=0, comparison_rounds=2, **rules):
        self.ids, self.decide, self.rules, self.rng = ids, decide, rules, random.Random(seed)
        self.comparison_rounds = comparison_rounds
        self.results, self.rounds, self.reason = [], 0, ""
        while not self.reason:
            assert self.rounds < 5000, "it does not end"
            self.play_round()

    def play_round(self):
        before = swiss.standings(self.ids, self.results, **self.rules)
        following = swiss.next_round(
            self.ids, self.results, comparison_rounds=self.comparison_rounds, rng=self.rng, **self.rules
        )
        assert bool(following.pairings) != bool(following.reason)
        self.reason = following.reason
        self.check({record.item for record in before if record.active}, following)
        self.rounds += bool(following.pairings)
        for pairing in following.pairings:
            self.results.append(match(self.rounds, pairing.a, pairing.b, self.decide(pairing.a, pairing.b)))

    def check(self, active, following):
        playing = [item for pairing in following.pairings for item in (pairing.a, pairing.b)]
        assert len(playing) == len(set(playing))
        assert set(playing) <= active
        assert len(active) > 1 or following.reason


def always(outcome):
    return lambda a, b: outcome


def by_chance(seed, *outcomes):
    rng = random.Random(seed)
    return lambda a, b: rng.choice(outcomes)


def stronger(a, b):
    """The judge without noise: of two numbers as ids the smaller wins."""
    return A if int(a) < int(b) else B


# --- the document ---------------------------------------------------------------------------------------------------

ROUND_1 = [match(1, "A", "B"), match(1, "C", "D")]
ROUND_2 = [match(2, "A", "C"), match(2, "B", "D", B)]
ROUND_3 = [match(3, "C", "D")]
ROUND_4 = [match(4, "A", "C")]


def following(results, seed, ids="ABCD", **rules):
    return swiss.next_round(list(ids), results, rng=random.Random(seed), **rules)


@pytest.mark.parametrize("seed", range(20))
def test_the_documents_tournament_round_by_round(seed):
    assert len(pairs(following([], seed))) == 2
    assert pairs(following(ROUND_1, seed)) == {frozenset("AC"), frozenset("BD")}
    # A is carried to C and D. The document lets C meet D a second time; A and D have not met yet, so they do
    assert pairs(following(ROUND_1 + ROUND_2, seed)) == {frozenset("AD")}
    # of the two that are left, both orders of presentation are asked
    (final,) = following(ROUND_1 + ROUND_2 + ROUND_3, seed).pairings
    assert ({final.a, final.b}, final.orders) == ({"A", "C"}, (Order.AB, Order.BA))
    over = following(ROUND_1 + ROUND_2 + ROUND_3 + ROUND_4, seed)
    assert (over.pairings, over.reason) == ((), "only A has lost less than 2 times")


def test_the_documents_table():
    table = swiss.final_table(list("ABCD"), ROUND_1 + ROUND_2 + ROUND_3 + ROUND_4)
    # D with one win ranks above B with none, though both lost twice
    assert [(row.rank, row.id, row.wins, row.losses) for row in table] == [
        (1, "A", 3, 0),
        (2, "C", 2, 2),
        (3, "D", 1, 2),
        (4, "B", 0, 2),
    ]


class Scripted(random.Random):
    """Shuffles as it is told."""

    def __init__(self, *shuffled):
        super().__init__(0)
        self.shuffled = list(shuffled)

    def shuffle(self, x):
        wanted = self.shuffled.pop(0)
        assert sorted(x) == sorted(wanted)
        x[:] = wanted


def test_the_documents_pairing_of_five():
    # A, B, C without a loss; D and E with one (lost to two that are out of it by now)
    ids = ["A", "B", "C", "D", "E", "F", "G"]
    earlier = [match(1, "F", "D"), match(2, "G", "E"), match(3, "F", "G", DRAW), match(4, "F", "G", DRAW)]
    records = swiss.standings(ids, earlier)
    assert [record.losses for record in records] == [0, 0, 0, 1, 1, 2, 2]
    # 0 losses: [A, B, C] shuffled to [B, A, C]; 1 loss: [D, E] + [C] shuffled to [E, C, D]
    rng = Scripted([1, 0, 2], [4, 2, 3])
    found = swiss.next_round(ids, earlier, rng=rng)
    assert [(pairing.a, pairing.b) for pairing in found.pairings] == [("B", "A"), ("E", "C")]
    assert rng.shuffled == []


def test_the_odd_one_is_carried_across_an_empty_bracket():
    # A has no loss and nobody has one: B, C and D have two
    ids, rules = list("ABCD"), {"elimination_count": 3}
    results = [match(1, "B", "C", DRAW), match(2, "C", "D", DRAW), match(3, "B", "D", DRAW)]
    assert [record.losses for record in swiss.standings(ids, results, **rules)] == [0, 2, 2, 2]
    found = swiss.next_round(ids, results, rng=random.Random(1), **rules)
    assert any("A" in (pairing.a, pairing.b) for pairing in found.pairings)
    assert len(found.pairings) == 2


def test_items_with_equally_many_wins_share_a_rank():
    results = [match(1, "A", "B"), match(1, "C", "D"), match(2, "A", "C", B), match(2, "B", "D")]
    table = swiss.final_table(list("ABCDE"), results)
    assert [(row.rank, row.id, row.wins) for row in table] == [
        (1, "C", 2),
        (2, "A", 1),
        (2, "B", 1),
        (4, "E", 0),
        (4, "D", 0),
    ]


# --- what draws and voids mean ----------------------------------------------------------------------------------------


def test_a_draw_is_a_loss_for_both_by_default():
    record, other = swiss.standings(["A", "B"], [match(1, "A", "B", DRAW)])
    assert (record.wins, record.losses, record.draws) == (other.wins, other.losses, other.draws) == (0, 1, 1)


def test_everybody_can_be_out_after_draws():
    over = following([match(1, "A", "B", DRAW), match(2, "A", "B", DRAW)], 0, ids="AB")
    assert (over.pairings, over.reason) == ((), "every item has lost 2 times")
    table = swiss.final_table(["A", "B"], [match(1, "A", "B", DRAW), match(2, "A", "B", DRAW)])
    assert [row.rank for row in table] == [1, 1]


def test_a_drawn_match_is_played_again_at_once_and_at_most_twice():
    drawn = []
    for round in (1, 2, 3):
        assert [record.losses for record in swiss.standings(list("ABCD"), drawn, draws="replay")] == [0, 0, 0, 0]
        drawn += [match(round, "A", "B", DRAW)]
        again = frozenset("AB") in pairs(following([*drawn, match(round, "C", "D")], 5, draws="replay"))
        assert again == (round < 3)
    assert [record.losses for record in swiss.standings(list("ABCD"), drawn, draws="replay")] == [1, 1, 0, 0]


def test_a_replay_that_is_decided_counts_once():
    drawn = [match(1, "A", "B", DRAW), match(2, "A", "B")]
    records = swiss.standings(["A", "B"], drawn, draws="replay")
    assert [(record.wins, record.losses, record.draws) for record in records] == [(1, 0, 1), (0, 1, 1)]


def test_rounds_count_and_not_the_order_in_which_results_come():
    draw, replayed = match(1, "A", "B", DRAW), match(2, "A", "B")
    for results in ([draw, replayed], [replayed, draw]):
        (pairing,) = following(results, 0, ids="AB", draws="replay", comparison_rounds=1, elimination_count=2).pairings
        assert (pairing.a, pairing.b) == ("B", "A")
        assert swiss.standings(["A", "B"], results, draws="replay")[0].losses == 0
    # A drew three times in a row, or twice, won, and drew again: only three in a row are a loss
    drawn = [match(round, "A", "B", DRAW) for round in (1, 2, 4)]
    for results in ([*drawn, match(3, "A", "B")], [match(3, "A", "B"), *drawn]):
        assert [record.losses for record in swiss.standings(["A", "B"], results, draws="replay")] == [0, 1]


def test_two_replays_of_one_item_do_not_fall_into_one_round():
    # what a rollback can leave behind: the match that settled A's first draw is gone
    found = following([match(1, "A", "B", DRAW), match(3, "A", "C", DRAW)], 0, ids="ABC", draws="replay")
    assert len(found.pairings) == 1


def test_a_draw_that_means_nothing_keeps_the_pair_apart():
    drawn = [match(1, "A", "B", DRAW), match(1, "C", "D", DRAW)]
    assert all(not record.losses for record in swiss.standings(list("ABCD"), drawn, draws="none"))
    for seed in range(10):
        assert not pairs(following(drawn, seed, draws="none")) & met(*drawn)


def test_a_void_match_is_neither_won_nor_lost_and_its_pair_is_not_asked_again():
    results = [match(1, "A", "B", VOID)]
    for record in swiss.standings(list("ABC"), results)[:2]:
        assert (record.wins, record.losses, record.draws, record.voids, record.sat_out) == (0, 0, 0, 1, 0)
    for seed in range(10):
        (pair,) = pairs(following(results, seed, ids="ABC"))
        assert pair != frozenset("AB")


def test_it_ends_when_only_void_pairs_are_left():
    over = following([match(1, "A", "B", VOID)], 0, ids="AB")
    assert over.pairings == ()
    assert over.reason == "nobody is left to pair: 2 items are still in, and each two of them had no verdict"


def test_an_earlier_meeting_is_repeated_rather_than_ending_early():
    # A and B had no verdict; C has met both, so that the only pairs left are meetings again
    results = [match(1, "A", "B", VOID), match(2, "A", "C"), match(3, "B", "C", B)]
    for seed in range(20):
        assert pairs(following(results, seed, ids="ABC", elimination_count=3)) <= {frozenset("AC"), frozenset("BC")}
        assert pairs(following(results, seed, ids="ABC", elimination_count=3))


def test_those_who_have_met_least_meet_again_first():
    results = [match(round, a, b, DRAW) for round, (a, b) in enumerate(combinations("ABCD", 2), start=1)]
    results += [match(7, "A", "B", DRAW), match(7, "C", "D", DRAW)]
    for seed in range(20):
        found = pairs(following(results, seed, elimination_count=9))
        assert found in ({frozenset("AC"), frozenset("BD")}, {frozenset("AD"), frozenset("BC")})


@pytest.mark.parametrize("elimination_count", [1, 2, 3])
@pytest.mark.parametrize("outcome", [DRAW, VOID])
@pytest.mark.parametrize("draws", list(swiss.Draws))
def test_judges_that_never_decide_end_every_tournament_with_a_reason(draws, outcome, elimination_count):
    ids = [str(i) for i in range(9)]
    played = Tournament(ids, always(outcome), draws=draws, elimination_count=elimination_count)
    records = swiss.standings(ids, played.results, draws=draws, elimination_count=elimination_count)
    if outcome is VOID or draws == "none":
        assert len(met(*played.results)) == len(played.results) == 36
        assert "each two of them" in played.reason
    else:
        assert sum(record.active for record in records) <= 1
        assert "lost" in played.reason


# --- properties -------------------------------------------------------------------------------------------------------

RULES = {
    "elimination_count": st.integers(1, 4),
    "draws": st.sampled_from(list(swiss.Draws)),
    "seed": st.integers(0, 10**6),
}


def most_rounds(items, elimination_count):
    """Where every match is a loss for somebody: so many lives, and at least half of the living play for one."""
    lives, rounds = items * elimination_count, 0
    while lives > elimination_count:
        living = -(-lives // elimination_count)
        lives -= living // 2
        rounds += 1
    return rounds + elimination_count


@given(items=st.integers(2, 24), **RULES)
def test_every_tournament_ends_and_nobody_loses_too_often(items, elimination_count, draws, seed):
    ids = [str(i) for i in range(items)]
    rules = {"elimination_count": elimination_count, "draws": draws}
    played = Tournament(ids, by_chance(seed, A, B, DRAW, VOID), seed=seed, **rules)
    records = swiss.standings(ids, played.results, **rules)
    assert max(record.losses for record in records) <= elimination_count
    assert {record.active for record in records if record.losses == elimination_count} <= {False}
    decided = [result for result in played.results if result.outcome is not VOID]
    assert len(decided) <= swiss.most_matches(items, **rules)


@given(items=st.integers(2, 24), elimination_count=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_everybody_in_plays_but_the_odd_one_and_it_takes_no_more_rounds_than_that_allows(
    items, elimination_count, seed
):
    class Full(Tournament):
        def check(self, active, following):
            super().check(active, following)
            if not following.reason:
                assert len(following.pairings) == len(active) // 2

    ids = [str(i) for i in range(items)]
    played = Full(ids, by_chance(seed, A, B, B, DRAW), seed=seed, elimination_count=elimination_count)
    assert played.rounds <= most_rounds(items, elimination_count)
    assert len(played.results) <= swiss.most_matches(items, elimination_count=elimination_count)


def most_new_pairs(items, known) -> int:
    """As many pairs as can be had at once among items that have not met, by trying them all."""
    if len(items) < 2:
        return 0
    first, *rest = items
    paired = [
        1 + most_new_pairs([other for other in rest if other != item], known)
        for item in rest
        if frozenset((first, item)) not in known
    ]
    return max([most_new_pairs(rest, known), *paired])


class NoNeedlessMeeting(Tournament):
    def check(self, active, following):
        super().check(active, following)
        if following.reason:
            return
        known = met(*self.results)
        due = set()
        if self.rules["draws"] == "replay":
            last = {frozenset((result.a, result.b)): result for result in self.results}
            drawn = {pair for pair, result in last.items() if result.outcome is DRAW}
            due = {pair for pair in drawn & pairs(following) if pair <= active}
        free = sorted(active - {item for pair in due for item in pair})
        if not due:
            assert len(pairs(following) - known) == most_new_pairs(free, known)
        void = met(*(result for result in self.results if result.outcome is VOID))
        assert not pairs(following) & void
        idle = active - {item for pair in pairs(following) for item in pair}
        nothing = void | (
            met(*(result for result in self.results if result.outcome is DRAW))
            if self.rules["draws"] == "none"
            else set()
        )
        assert all(frozenset(pair) in nothing for pair in combinations(idle, 2))


@given(items=st.integers(2, 8), **RULES)
def test_nobody_meets_again_while_an_alternative_exists(items, elimination_count, draws, seed):
    ids = [str(i) for i in range(items)]
    NoNeedlessMeeting(
        ids, by_chance(seed, A, B, A, B, DRAW, VOID), seed=seed, elimination_count=elimination_count, draws=draws
    )


@given(items=st.integers(2, 12), **RULES)
def test_the_same_seed_makes_the_same_round_whatever_the_order_of_results(items, elimination_count, draws, seed):
    ids = [str(i) for i in range(items)]
    rules = {"elimination_count": elimination_count, "draws": draws}
    played = Tournament(ids, by_chance(seed, A, B, DRAW, VOID), seed=seed, **rules)
    rng = random.Random(seed)
    for round in range(1, played.rounds + 1):
        so_far = [result for result in played.results if result.round <= round]
        shuffled = rng.sample(so_far, len(so_far))
        found = [swiss.next_round(ids, results, rng=random.Random(round), **rules) for results in (so_far, shuffled)]
        assert found[0] == found[1]


# --- who sits out -----------------------------------------------------------------------------------------------------


def test_nobody_sits_out_twice_before_the_others_of_the_bracket_did_once():
    # five items that never lose: one bracket, whose odd one changes until everybody has met everybody
    ids = list("ABCDE")
    results = []
    for round in range(1, 6):
        found = swiss.next_round(ids, results, rng=random.Random(round), draws="none", elimination_count=1)
        results += [match(round, pairing.a, pairing.b, DRAW) for pairing in found.pairings]
        assert len(found.pairings) == 2
        assert max(record.sat_out for record in swiss.standings(ids, results, draws="none")) == 1


@given(st.integers(3, 15), st.integers(1, 4), st.integers(0, 10**6))
def test_the_knockouts_rounds_are_sat_out_by_different_items(items, elimination_count, seed):
    ids = [str(i) for i in range(items)]
    played = Tournament(ids, by_chance(seed, A, B), seed=seed, elimination_count=elimination_count)
    idle = Counter()
    for round in range(1, played.rounds + 1):
        before = [result for result in played.results if result.round < round]
        active = {r.item for r in swiss.standings(ids, before, elimination_count=elimination_count) if r.active}
        playing = {item for r in played.results if r.round == round for item in (r.a, r.b)}
        idle.update(active - playing)
    records = swiss.standings(ids, played.results, elimination_count=elimination_count)
    assert {record.item: record.sat_out for record in records if record.sat_out} == dict(idle)


def test_of_those_who_have_sat_out_equally_often_one_of_the_last_bracket_sits_out():
    ids, rules = list("ABCDEFG"), {"draws": "none"}
    results = [match(1, "A", "F"), match(1, "B", "G"), match(1, "C", "D", DRAW)]
    results += [match(2, "A", "B", DRAW), match(2, "C", "E"), match(2, "D", "F", DRAW)]
    records = {record.item: (record.losses, record.sat_out) for record in swiss.standings(ids, results, **rules)}
    assert {item for item, (losses, _) in records.items() if losses} == set("EFG")
    assert {item for item, (_, sat_out) in records.items() if sat_out} == set("EG")
    for seed in range(20):
        assert "F" not in "".join("".join(pair) for pair in pairs(following(results, seed, ids="ABCDEFG", **rules)))


def test_one_of_a_higher_bracket_sits_out_if_all_of_the_last_have_done_so_more_often():
    ids, rules = list("ABCDE"), {"draws": "none"}
    results = [
        match(1, "A", "E"),
        match(1, "B", "C", DRAW),
        match(2, "A", "B", DRAW),
        match(2, "C", "D", DRAW),
    ]
    records = {record.item: (record.losses, record.sat_out) for record in swiss.standings(ids, results, **rules)}
    assert records == {"A": (0, 0), "B": (0, 0), "C": (0, 0), "D": (0, 1), "E": (1, 1)}
    # bracket by bracket it is A-C and B-D, and E sits out again; so one of them makes room without meeting anew
    for seed in range(20):
        found = pairs(following(results, seed, ids="ABCDE", **rules))
        assert found in ({frozenset("AC"), frozenset("DE")}, {frozenset("CE"), frozenset("BD")})


# --- orders of presentation -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparison_rounds", "orders"),
    [(1, (Order.AB,)), (2, (Order.AB, Order.BA)), (3, (Order.AB, Order.BA, Order.AB))],
)
def test_orders_alternate(comparison_rounds, orders):
    found = following([], 0, comparison_rounds=comparison_rounds)
    assert {pairing.orders for pairing in found.pairings} == {orders}


def test_asked_once_a_second_meeting_is_shown_the_other_way_round():
    for first, second in ("AB", "BA"):
        results = [match(1, first, second, DRAW)]
        (again,) = following(results, 3, ids="AB", comparison_rounds=1).pairings
        assert (again.a, again.b) == (second, first)


def test_asked_once_the_item_goes_first_that_was_shown_first_less_often():
    results = [match(1, "A", "B"), match(1, "C", "D"), match(1, "E", "F")]
    for seed in range(10):
        found = following(results, seed, ids="ABCDEF", comparison_rounds=1, elimination_count=3)
        for pairing in found.pairings:
            # A, C and E have been shown first; where only one of the two has, it is second now
            assert not (pairing.a in "ACE" and pairing.b in "BDF")


def test_that_comes_before_who_was_shown_first_less_often():
    # A was first against B, and second against C twice; nobody but A and B is left, both shown second once more
    results = [match(1, "A", "B"), match(2, "C", "A", B), match(3, "C", "A", B)]
    for seed in range(10):
        (again,) = following(results, seed, ids="ABC", comparison_rounds=1).pairings
        assert (again.a, again.b) == ("B", "A")


def test_only_answered_comparisons_count_as_shown():
    def asked(first, second, choice):
        return Comparison(
            call=f"{first}{second}", first=first, second=second, verdict=Verdict(choice=choice, judge="j")
        )

    comparisons = (asked("A", "B", Choice.FAILED), asked("B", "A", Choice.FIRST))
    results = [Match(id="1", round=1, a="A", b="B", outcome=B, comparisons=comparisons)]
    for seed in range(10):
        # B has been shown first once, C not at all
        (pairing,) = following(results, seed, ids="ABC", comparison_rounds=1, elimination_count=1).pairings
        assert (pairing.a, pairing.b) == ("C", "B")


def test_asked_once_everybody_is_shown_first_about_as_often_as_second():
    ids = [str(i) for i in range(64)]
    for seed in range(5):
        played = Tournament(ids, by_chance(seed, A, B), seed=seed, comparison_rounds=1, elimination_count=4)
        lead = Counter()
        for result in played.results:
            lead.update({result.a: 1, result.b: -1})
        assert max(abs(count) for count in lead.values()) <= 4
        assert sum(abs(count) for count in lead.values()) / len(ids) < 1.5


# --- quality, size and misuse -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("elimination_count", [1, 2, 3])
def test_the_best_survives_a_judge_without_noise(elimination_count):
    for seed in range(10):
        ids = [str(i) for i in range(17)]
        played = Tournament(ids, stronger, seed=seed, elimination_count=elimination_count)
        assert played.reason == f"only 0 has lost less than {elimination_count} times"


def test_a_knockout_takes_one_match_less_than_it_has_items():
    for items in (2, 5, 8, 21):
        played = Tournament([str(i) for i in range(items)], by_chance(items, A, B), elimination_count=1)
        assert len(played.results) == items - 1


def test_meetings_again_are_rare():
    ids = [str(i) for i in range(50)]
    repeated = total = 0
    for seed in range(5):
        played = Tournament(ids, by_chance(seed, A, B), seed=seed, elimination_count=3)
        total += len(played.results)
        repeated += len(played.results) - len(met(*played.results))
    assert repeated / total < 0.02


def test_ten_thousand_items_are_paired_in_two_seconds(cpu_seconds):
    ids = [str(i) for i in range(10_000)]
    rng = random.Random(1)
    results = []
    for round in (1, 2, 3):
        found, seconds = cpu_seconds(lambda: swiss.next_round(ids, results, elimination_count=3, rng=rng))
        assert seconds < 2
        results.extend(match(round, pairing.a, pairing.b, rng.choice((A, B))) for pairing in found.pairings)
    assert len(results) == 15_000
    assert len(met(*results)) == 15_000


def test_most_matches():
    assert swiss.most_matches(4) == 7
    assert swiss.most_matches(4, elimination_count=1) == 3
    assert swiss.most_matches(4, draws="replay") == 21
    assert swiss.most_matches(4, draws="none") == 13


@pytest.mark.parametrize(
    ("ids", "rules", "error", "message"),
    [
        ([], {}, InvalidItems, "two items or more, not 0"),
        (["A"], {}, InvalidItems, "two items or more, not 1"),
        (["A", "B", "A"], {}, InvalidItems, "'A' occurs more than once"),
        (["A", "B"], {"elimination_count": 0}, InvalidConfig, "elimination_count"),
        (["A", "B"], {"draws": "half"}, InvalidConfig, "loss, replay, none"),
        (["A", "B"], {"comparison_rounds": 0}, InvalidConfig, "comparison_rounds"),
    ],
)
def test_what_cannot_be_is_refused(ids, rules, error, message):
    with pytest.raises(error, match=message):
        swiss.next_round(ids, [], rng=random.Random(0), **rules)


def test_a_result_of_a_stranger_is_refused():
    with pytest.raises(ValueError, match="'1:AX'"):
        swiss.standings(["A", "B"], [match(1, "A", "X")])
