"""Matches, adjustments and rollbacks in any order: the ratings are those of a replay that is as plain as can be."""

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paragone.domain import Adjustment, AdjustmentKind, Choice, Item, Match, Outcome, Ranking, RatingConfig, Verdict
from paragone.ledger import Batch, Ledger

IDS = "abcd"
CONFIG = RatingConfig(initial=1200.0, k=64.0, floor=1130.0, ceiling=1280.0)
"""Narrow enough that floor and ceiling are met."""

pairs = st.permutations(IDS).map(lambda order: tuple(order[:2]))
played = st.tuples(st.just("match"), pairs, st.sampled_from(list(Outcome)))
listed = st.tuples(st.just("list"), st.permutations(IDS).map(lambda order: tuple(order[:3])))
moves = st.tuples(st.sampled_from(IDS), st.floats(1000, 1400), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
adjusted = st.tuples(st.just("adjust"), st.lists(moves, min_size=1, max_size=3))
undone = st.tuples(st.just("rollback"), st.integers(0, 50))
paired_histories = st.lists(st.one_of(played, adjusted, undone), min_size=1, max_size=12)
any_histories = st.lists(st.one_of(played, listed, adjusted, undone), min_size=1, max_size=10)
few = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])


def plain_replay(entries: Iterable[Match | Adjustment], config: RatingConfig = CONFIG) -> dict[str, float]:
    """Elo as the documents write it: every pair of a match from the ratings before it."""
    elo = dict.fromkeys(IDS, config.initial)
    for entry in entries:
        gained = dict.fromkeys(IDS, 0.0)
        if isinstance(entry, Adjustment):
            gained[entry.item] = entry.share * (entry.target - elo[entry.item])
        elif entry.outcome is not Outcome.VOID:
            score = 1.0 if entry.ranking else {Outcome.A: 1.0, Outcome.DRAW: 0.5, Outcome.B: 0.0}[entry.outcome]
            for one, other in itertools.combinations(entry.items, 2):
                expected = 1.0 / (1.0 + 10.0 ** ((elo[other] - elo[one]) / 400.0))
                gained[one] += config.k * (score - expected)
                gained[other] -= config.k * (score - expected)
        elo = {item: min(max(elo[item] + gained[item], config.floor), config.ceiling) for item in IDS}
    return elo


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def fresh(request):
    """Makes empty pools of one ledger."""
    numbers = itertools.count()
    url = request.getfixturevalue("lent_url")() if request.param == "postgresql" else "sqlite://"
    with Ledger.open(url, durable=False) as ledger:

        def make() -> tuple[Ledger, str]:
            pool = f"p{next(numbers)}"
            ledger.pools.create(pool, CONFIG)
            ledger.items.add(pool, [Item(id=id, text=id) for id in IDS])
            return ledger, pool

        yield make


def act(ledger: Ledger, pool: str, number: int, action: tuple, standing: list[Match | Adjustment]) -> None:
    """Do one thing, and note in ``ratings_in_domain`` what there is to replay then."""
    kind, what, *more = action
    if kind == "adjust":
        wanted = [
            Adjustment(id=f"m{number}.{place}", item=item, kind=AdjustmentKind.DECAY, target=target, share=share)
            for place, (item, target, share) in enumerate(what)
        ]
        ledger.ratings.adjust(pool, wanted)
        standing.extend(wanted)
    elif kind == "rollback":
        matches = [entry for entry in standing if isinstance(entry, Match)]
        if matches:
            void = matches[what % len(matches)]
            ledger.matches.rollback(pool, void.id, "disputed")
            standing.remove(void)
    else:
        match = listing(number, what) if kind == "list" else bare(number, *what, more[0])
        ledger.matches.record(pool, match)
        standing.append(match)


def bare(number: int, a: str, b: str, outcome: Outcome) -> Match:
    return Match(id=f"m{number}", a=a, b=b, outcome=outcome)


def listing(number: int, order: tuple[str, ...]) -> Match:
    verdict = Verdict(choice=Choice.RANKED, judge="j", order=tuple(range(len(order))))
    return Match.ranked(f"m{number}", Ranking(call=f"c{number}", shown=order, verdict=verdict))


def check(ledger: Ledger, pool: str, standing: list[Match | Adjustment]) -> None:
    ratings = ledger.ratings.all(pool)
    assert {item: rating.elo for item, rating in ratings.items()} == pytest.approx(plain_replay(standing), abs=1e-6)
    counted = [e for e in standing if isinstance(e, Match) and e.outcome is not Outcome.VOID]
    entrants = [item for match in counted for item in match.items for _ in match.items[1:]]
    assert {item: rating.matches for item, rating in ratings.items()} == {item: entrants.count(item) for item in IDS}
    assert ledger.audit(pool).differences == ()
    assert ledger.ratings.whatif(pool).ratings == ledger.ratings.whatif_final(pool) == ratings
    for item in IDS:
        last = CONFIG.initial
        for change in ledger.ratings.changes(pool, item):
            assert change.old == last, "a history without a gap"
            last = change.new
        assert last == ratings[item].elo
    ledger.rebuild(pool)
    assert ledger.ratings.all(pool) == ratings


@few
@given(history=paired_histories)
def test_pairs_by_columns(fresh, history, takes):
    if not takes():
        return
    ledger, pool = fresh()
    standing: list[Match | Adjustment] = []
    for number, action in enumerate(history):
        act(ledger, pool, number, action, standing)
    assert ledger.matches.columns(pool) is not None
    check(ledger, pool, standing)


@few
@given(history=any_histories)
def test_lists_by_matches(fresh, history, takes):
    if not takes():
        return
    ledger, pool = fresh()
    standing = [listing(99, tuple("abc"))]
    ledger.matches.record(pool, standing[0])
    for number, action in enumerate(history):
        act(ledger, pool, number, action, standing)
    assert ledger.matches.columns(pool) is None
    check(ledger, pool, standing)


@few
@given(history=st.one_of(paired_histories, any_histories), left_out=st.integers(0, 50))
def test_what_if_leaves_adjustments_where_they_are(fresh, history, takes, left_out):
    if not takes():
        return
    ledger, pool = fresh()
    standing: list[Match | Adjustment] = []
    for number, action in enumerate(history):
        act(ledger, pool, number, action, standing)
    matches = [entry for entry in standing if isinstance(entry, Match)]
    without = [matches[left_out % len(matches)]] if matches else []
    kept = [entry for entry in standing if entry not in without]
    other = RatingConfig(initial=1210.0, k=20.0, floor=1000.0, ceiling=1390.0)
    named = {"without_matches": [match.id for match in without]}
    for config in (CONFIG, other):
        asked = ledger.ratings.whatif(pool, config=config, **named)
        assert {item: rating.elo for item, rating in asked.ratings.items()} == pytest.approx(
            plain_replay(kept, config), abs=1e-6
        )
        assert ledger.ratings.whatif_final(pool, config=config, **named) == asked.ratings
    assert ledger.matches.history(pool, **named) == tuple(entry for entry in kept if isinstance(entry, Match))


def test_bulk_goes_on_from_what_was_adjusted(fresh):
    ledger, _ = fresh()
    id = ledger.tournaments.create("votes", settings={}, items=[Item(id=id, text=id) for id in IDS], config=CONFIG).id
    bulk, standing = ledger.matches.bulk(id), []
    for number in range(3):
        seeds = [Adjustment(id=f"s{number}", item="b", kind=AdjustmentKind.SEED, target=1250.0 - 50 * number)]
        ledger.ratings.adjust(id, seeds)
        batch = Batch(
            id=[f"{number}.1", f"{number}.2"],
            a=["a", "b"],
            b=["b", "c"],
            choice=[Choice.FIRST, Choice.TIE],
            probability=[None, None],
            judge=["j", "j"],
            confidence=[1.0, 1.0],
        )
        bulk.record(batch, event="imported", detail={})
        standing += [*seeds, *batch.matches()]
    check(ledger, id, standing)
