"""Full-text search against a plain pass over everything, on both databases."""

import random

import pytest

from paragone.domain import Choice, Comparison, Item, Match, Outcome, Ranking, RatingConfig, Verdict
from paragone.errors import InvalidConfig, NotFound
from paragone.ledger.namespaces import text_search
from paragone.ledger.namespaces.text_search import words_of
from paragone.ledger.records import MatchFilter

VOCABULARY = (
    "Tea",
    "teapot",
    "milk",
    "café",
    "naïve",
    "über-short",
    "日本語",
    "100%",
    "o'clock",
    '"quoted"',
    "NEAR(",
    "x:y",
    "a\0b",
)
QUERIES = (
    "tea", "TEA pot", "cafe", "uber short", "本", "100", "clock", '"quoted"', "NEAR(tea milk)", "x:y", "milk OR tea",
    "words:tea", "tea*", "'; DROP TABLE match; --", "tea & !milk", "absent", "naive café",
)  # fmt: skip


@pytest.fixture
def pool(ledger, forge):
    rng = random.Random(3)
    ledger.pools.create("p", RatingConfig())
    ledger.pools.create("other", RatingConfig())
    texts = [" ".join(rng.choices(VOCABULARY, k=3)) for _ in range(12)]
    ledger.items.add("p", [Item(id=f"i{number}", text=text) for number, text in enumerate(texts)])
    ledger.items.add("other", [Item(id="tea", text="tea"), Item(id="milk", text="milk")])
    for number in range(30):
        judge, words = rng.choice(("ann", "bob")), " ".join(rng.choices(VOCABULARY, k=4))
        verdict = Verdict(choice=Choice.FIRST, judge=judge, rationale=words)
        comparison = Comparison(call=f"c{number}", first="i0", second="i1", verdict=verdict)
        ledger.matches.record("p", Match(id=f"m{number}", a="i0", b="i1", outcome=Outcome.A, comparisons=(comparison,)))
    verdict = Verdict(choice=Choice.RANKED, judge="ann", rationale="teatime", order=(1, 2, 0))
    ledger.matches.record("p", Match.ranked("list", Ranking(call="list", shown=("i0", "i1", "i2"), verdict=verdict)))
    return "p"


def spoken(ledger, pool):
    """What was said and by whom, by id, of each kind."""
    answers = {each.match.id: each.match.answers[0].verdict for each in ledger.matches.all(pool)}
    return {
        "item": {item.id: (f"{item.id}\n{item.text}", "") for item in ledger.items.all(pool)},
        "match": {id: (verdict.rationale, verdict.judge) for id, verdict in answers.items()},
    }


def plainly(words_by_id, query, judge=None):
    """Ids of what has every word of a query, the newest first."""
    return [
        id
        for id, (said, by) in reversed(words_by_id.items())
        if all(any(each.startswith(word) for each in words_of(said)) for word in words_of(query))
        and (judge is None or judge in by)
    ]


def test_both_databases_find_what_a_plain_pass_finds(ledger, pool):
    counts, texts = [], spoken(ledger, pool)
    for query in QUERIES:
        for kind in ("match", "item"):
            hits = ledger.texts.search(pool, query, kind, count=500)
            assert list(hits.ids) == plainly(texts[kind], query), (query, kind)
            assert hits.complete
            counts.append(hits.total)
        by_ann = ledger.texts.search(pool, query, match_filter=MatchFilter(judge="ann"), count=500)
        assert list(by_ann.ids) == plainly(texts["match"], query, "ann"), query
    assert sum(map(bool, counts)) > 20
    assert 0 in counts
    assert ledger.audit().ok


def test_the_index_grows_with_the_ledger_and_pages_leave_nothing_out(ledger, pool, forge, monkeypatch):
    before = ledger.texts.search(pool, "tea", count=500)
    verdict = Verdict(choice=Choice.FIRST, judge="ann", rationale="More tea.")
    comparison = Comparison(call="new", first="i0", second="i1", verdict=verdict)
    ledger.matches.record("p", Match(id="new", a="i0", b="i1", outcome=Outcome.A, comparisons=(comparison,)))
    ids = ledger.texts.search(pool, "tea", count=500).ids
    assert ids == ("new", *before.ids)
    pages = [ledger.texts.search(pool, "tea", count=4, offset=offset).ids for offset in range(0, len(ids), 4)]
    assert [id for page in pages for id in page] == list(ids)


def test_what_is_not_in_the_index_yet_is_read(ledger, pool, monkeypatch):
    """As where the file may only be read: nothing can be added to the index."""
    monkeypatch.setattr(text_search.Texts, "bring_up_to_date", lambda *_: False)
    hits = ledger.texts.search(pool, "tea", count=500)
    assert (list(hits.ids), hits.complete) == (plainly(spoken(ledger, pool)["match"], "tea"), True)
    monkeypatch.setattr(text_search, "_UNINDEXED", 5)
    assert not ledger.texts.search(pool, "tea").complete


def test_a_debate_is_found_by_its_turns(ledger, forge):
    id = ledger.tournaments.create("d", settings={}, items=forge.items(2), config=forge.config).id
    ledger.tournaments.record_turn(id, forge.turn("m1.AB", content="Photosynthesis explains more."))
    ledger.matches.record(id, forge.match("m1"))
    hits = ledger.texts.search(id, "photosyn")
    assert (hits.ids, hits.said["m1"][-1].by) == (("m1",), "advocate-1")


def test_a_query_needs_a_word_and_a_pool(ledger, pool):
    for query in ("", "  ", "?!*"):
        with pytest.raises(InvalidConfig, match="needs a word"):
            ledger.texts.search(pool, query)
    with pytest.raises(InvalidConfig, match="20 words"):
        ledger.texts.search(pool, " ".join(f"w{number}" for number in range(21)))
    with pytest.raises(NotFound):
        ledger.texts.search("none", "tea")


def test_words_are_in_lower_case_without_accents():
    assert words_of("Ünïcode über_short 日本 it's 3.5") == ["unicode", "uber", "short", "日", "本", "it", "s", "3", "5"]
