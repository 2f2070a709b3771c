"""Over random histories: rollback is replay without the match, what-if is a ledger that never knew, nothing breaks."""

import itertools
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paragone.domain import Choice, Comparison, Item, Match, Order, Outcome, Pairing, Ranking, RatingConfig, Verdict
from paragone.ledger import Ledger
from paragone.ratings.running_elo import replay

ITEMS = [Item(id=id, text=id) for id in "abcd"]
IDS = [item.id for item in ITEMS]
JUDGES = ("x", "y")
CONFIG = RatingConfig(initial=1200.0, k=64.0, floor=1150.0, ceiling=1260.0)

pair_choices = [choice for choice in Choice if choice is not Choice.RANKED]
calls = st.tuples(st.sampled_from(pair_choices), st.sampled_from(JUDGES))
pairs = st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.lists(calls, max_size=2), st.booleans()).filter(
    lambda entry: entry[0] != entry[1]
)
lineups = st.lists(st.sampled_from(IDS), min_size=2, unique=True).map(tuple)
lists = lineups.flatmap(
    lambda shown: st.tuples(
        st.just(shown),
        st.sampled_from([(), *itertools.permutations(range(len(shown)))]),
        st.sampled_from(JUDGES),
        st.booleans(),
    )
)
histories = st.lists(st.one_of(pairs, lists), min_size=1, max_size=8)
few = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _matches(history) -> list[Match]:
    matches = []
    for number, entry in enumerate(history):
        if isinstance(entry[0], tuple):
            matches.append(_ranked(number, *entry[:3]))
            continue
        a, b, answers, _ = entry
        pairing = Pairing(a=a, b=b, orders=(Order.AB, Order.BA))
        comparisons = []
        for order, (choice, judge) in zip(pairing.orders, answers, strict=False):
            first, second = pairing.shown(order)
            verdict = Verdict(choice=choice, judge=judge)
            comparisons.append(Comparison(call=f"{number}.{order}", first=first, second=second, verdict=verdict))
        matches.append(Match.of(f"m{number}", pairing, tuple(comparisons)))
    return matches


def _ranked(number, shown, order, judge) -> Match:
    verdict = Verdict(choice=Choice.RANKED if order else Choice.ABSTAIN, judge=judge, order=order)
    return Match.ranked(f"m{number}", Ranking(call=f"{number}.1", shown=shown, verdict=verdict))


@dataclass
class Pool:
    """A fresh pool of one ledger; each call to the ledger is about it."""

    ledger: Ledger
    id: str

    def __getattr__(self, name):
        return Bound(getattr(self.ledger, name), self.id)


@dataclass
class Bound:
    """A namespace or a method of the ledger, for one pool."""

    target: object
    id: str

    def __getattr__(self, name):
        return Bound(getattr(self.target, name), self.id)

    def __call__(self, *args, **options):
        return self.target(self.id, *args, **options)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def filled(request):
    """Makes a pool that holds some matches."""
    numbers = itertools.count()
    url = request.getfixturevalue("lent_url")() if request.param == "postgresql" else "sqlite://"
    with Ledger.open(url, durable=False) as ledger:

        def fill(matches, config=CONFIG) -> Pool:
            pool = Pool(ledger, f"p{next(numbers)}")
            pool.pools.create(config)
            pool.items.add(ITEMS)
            for match in matches:
                pool.matches.record(match)
            return pool

        yield fill


@few
@given(history=histories)
def test_what_is_recorded_is_what_replay_says(filled, history, takes):
    if not takes():
        return
    matches = _matches(history)
    pool, made = filled(matches), replay(matches, CONFIG, IDS)
    assert pool.ratings.all() == made.ratings
    assert pool.ratings.changes() == made.changes
    assert [entry.match for entry in pool.matches.all()] == matches
    assert pool.audit().ok


@few
@given(history=histories, random=st.randoms(use_true_random=False))
def test_rollback_equals_replay_without_the_match(filled, history, takes, random):
    if not takes():
        return
    matches = _matches(history)
    voided = [match.id for match, entry in zip(matches, history, strict=True) if entry[3]]
    random.shuffle(voided)
    pool = filled(matches)
    for id in voided:
        pool.matches.rollback(id, "disputed")
    assert pool.audit().ok
    standing = [match for match in matches if match.id not in voided]
    assert pool.ratings.all() == replay(standing, CONFIG, IDS).ratings
    for item in IDS:
        last = CONFIG.initial
        for change in pool.ratings.changes(item):
            assert change.old == last
            last = change.new
        assert pool.ratings.all()[item].elo == last


@few
@given(
    history=histories,
    judges=st.sampled_from([(), ("x",), ("y",), ("x", "y")]),
    config=st.sampled_from([None, RatingConfig(k=8.0)]),
)
def test_what_if_equals_a_ledger_that_was_fed_the_filtered_history(filled, history, judges, config, takes):
    if not takes():
        return
    matches = _matches(history)
    without = [match.id for match, entry in zip(matches, history, strict=True) if entry[3]]
    pool = filled(matches)
    seen = {answer.verdict.judge for match in matches for answer in match.answers}
    filters = {"without_matches": without, "without_judges": [judge for judge in judges if judge in seen]}
    before = (pool.ratings.all(), pool.audit())
    asked, kept = pool.ratings.whatif(config=config, **filters), pool.matches.history(**filters)
    assert (pool.ratings.all(), pool.audit()) == before
    fresh = filled(kept, CONFIG if config is None else config)
    assert fresh.ratings.all() == asked.ratings
    assert fresh.ratings.changes() == asked.changes
    left = {answer.verdict.judge for match in kept for answer in match.answers}
    assert left.isdisjoint(judges)
    assert {match.id for match in kept}.isdisjoint(without)


@few
@given(
    settings_=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    rationale=st.text(max_size=60),
    id=st.text(max_size=20),
)
def test_any_text_anywhere_comes_back(filled, settings_, rationale, id):
    pool = filled([Match(id=id, a="a", b="b", outcome=Outcome.DRAW)])
    items = [Item(id=id, text=rationale)]
    record = pool.ledger.tournaments.create(id, settings=settings_, items=items, config=CONFIG)
    assert pool.ledger.tournaments.get(record.id).settings == settings_
    assert pool.ledger.items.all(record.pool) == (Item(id=id, text=rationale),)
    assert pool.matches.get(id).match.id == id
    assert pool.audit().ok
