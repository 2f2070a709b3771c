"""What every backend must do for tournaments of hypotheses: joining, debates, reviews, adjustments."""

import math
from dataclasses import replace

import pytest

from paragone.domain import (
    AdjustmentKind,
    DebateTurn,
    Item,
    ItemKind,
    RatingChange,
    RatingConfig,
    Speaker,
    Stage,
    Usage,
)
from paragone.errors import Conflict, InvalidItems, LedgerError, NotFound


@pytest.fixture(scope="module")
def ledger(shared_ledger):
    return shared_ledger


class TestJoining:
    def test_items_join_with_what_seeds_them(self, ledger, tournament, forge):
        fresh = [Item(id="n1", text="one"), Item(id="n2", text="two")]
        seeds = [forge.adjustment("seed:n1", "n1", 1450.0), forge.adjustment("seed:i0", "i0", 1100.0)]
        review = forge.review("n1", score=0.9)
        joined = ledger.tournaments.join(tournament, fresh, round=3, adjustments=seeds, reviews=[review])
        assert joined == tuple(fresh)
        assert ledger.items.all(tournament) == (*forge.items(4), *fresh)
        event = ledger.tournaments.events(tournament)[-1]
        assert (event.kind, event.detail) == ("joined", {"items": ["n1", "n2"], "round": 3})
        elo = {item: rating.elo for item, rating in ledger.ratings.all(tournament).items()}
        assert elo == {"i0": 1100, "i1": 1200, "i2": 1200, "i3": 1200, "n1": 1450, "n2": 1200}
        assert ledger.items.reviews(tournament) == (review,)
        before = ledger.audit(tournament)
        again = ledger.tournaments.join(tournament, fresh, round=9, adjustments=seeds, reviews=[review])
        assert (again, ledger.audit(tournament)) == ((), before)
        assert before.ok

    def test_only_new_ones_are_named(self, ledger, tournament, forge):
        new = Item(id="n1", text="one")
        assert ledger.tournaments.join(tournament, [*forge.items(2), new], round=2) == (new,)
        assert ledger.tournaments.events(tournament)[-1].detail == {"items": ["n1"], "round": 2}

    @pytest.mark.parametrize("count", [20, 600])  # those that are there are looked for by name, and all together
    def test_few_and_many_alike(self, ledger, tournament, forge, count):
        new = [Item(id=f"n'{n}\x00", text="one") for n in range(count)]
        assert ledger.tournaments.join(tournament, [*forge.items(2), *new], round=2) == tuple(new)
        assert ledger.tournaments.join(tournament, [*forge.items(2), *new], round=2) == ()
        with pytest.raises(Conflict, match="with another text"):
            ledger.tournaments.join(tournament, [*new, Item(id="i0", text="other")], round=2)

    @pytest.mark.parametrize(
        ("more", "error"),
        [
            ({"items": [Item(id="i1", text="another")]}, Conflict),
            ({"items": [Item(id="v", text="v", kind=ItemKind.VECTOR)]}, InvalidItems),
            ({"adjustments": ["elsewhere"]}, NotFound),
            ({"reviews": ["elsewhere"]}, NotFound),
        ],
    )
    def test_all_of_it_or_nothing(self, ledger, tournament, forge, more, error, ends):
        made = {
            "items": more.get("items", []),
            "adjustments": [forge.adjustment("x", item) for item in more.get("adjustments", ["new"])],
            "reviews": [forge.review(item) for item in more.get("reviews", ["new"])],
        }
        before = (ends(ledger), ledger.ratings.all(tournament))
        items = [Item(id="new", text="new"), *made.pop("items")]
        with pytest.raises(error):
            ledger.tournaments.join(tournament, items, round=2, **made)
        assert (ends(ledger), ledger.ratings.all(tournament)) == before
        with pytest.raises(NotFound, match="'nowhere'"):
            ledger.tournaments.join("nowhere", items, round=2)


class TestDebates:
    def test_turns_come_back_as_they_were_and_in_their_order(self, ledger, tournament):
        turn = DebateTurn(
            call="1.1.AB",
            number=2,
            speaker=Speaker.SECOND,
            stage=Stage.EXCHANGE,
            content="said \x00 and \ud800\nmore",
            claims=("one \x00", "two"),
            rebuttals=("no",),
            evidence=("Smith 2020, \ud800",),
            advocate="llm:model@host",
            prompt_hash="ab" * 32,
            usage=Usage(calls=2, input_tokens=300, output_tokens=40, cost=0.1 + 0.2, seconds=1.5),
        )
        first = DebateTurn(call="1.1.AB", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="")
        other = DebateTurn(call="1.2.AB", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="")
        for said in (turn, other, first):
            ledger.tournaments.record_turn(tournament, said)
        assert ledger.tournaments.turns(tournament, "1.1.AB") == (first, turn)
        assert ledger.tournaments.turns(tournament) == (turn, other, first)
        assert ledger.tournaments.turns(tournament, "1.9.AB") == ()
        one_by_one = [ledger.tournaments.turn(tournament, "1.1.AB", number) for number in (1, 2, 3)]
        assert one_by_one == [first, turn, None]
        assert ledger.audit(tournament).ok

    def test_the_same_turn_again_changes_nothing_and_other_content_is_a_conflict(self, ledger, tournament, forge, ends):
        ledger.tournaments.record_turn(tournament, forge.turn("c", 1))
        before = ends(ledger)
        ledger.tournaments.record_turn(tournament, forge.turn("c", 1))
        assert ends(ledger) == before
        for other in ({"content": "else"}, {"evidence": ("x",)}, {"advocate": "y"}, {"usage": Usage(calls=9)}):
            with pytest.raises(Conflict, match="turn 1 of the debate for call 'c'"):
                ledger.tournaments.record_turn(tournament, forge.turn("c", 1, **other))
        with pytest.raises(NotFound, match="'nowhere'"):
            ledger.tournaments.record_turn("nowhere", forge.turn("c", 1))

    def test_the_tally_counts_what_turns_took_besides_the_verdict(self, ledger, tournament, forge):
        for number in (1, 2):
            used = Usage(calls=number, input_tokens=100, output_tokens=30, cost=0.01, seconds=2.0)
            ledger.tournaments.record_turn(tournament, forge.turn("c", number, usage=used))
        debated = ledger.tournaments.spending(tournament)
        assert (debated.decisions, debated.turns, debated.requests) == (0, 2, 3)
        used = Usage(calls=1, input_tokens=700, output_tokens=10, cost=0.05, seconds=1.0)
        ledger.tournaments.record_verdict(tournament, forge.comparison("c", usage=used), key="k")
        total = ledger.tournaments.spending(tournament)
        assert (total.decisions, total.turns, total.requests, total.units) == (1, 2, 4, 3)
        assert (total.input_tokens, total.output_tokens, total.seconds) == (900, 70, 5.0)
        assert total.cost == pytest.approx(0.07)
        ledger.tournaments.record_turn(tournament, forge.turn("d", 1))
        assert ledger.tournaments.spending(tournament).cost is None, "the price of a turn is not known"


class TestReviews:
    def test_the_newest_of_each_reviewer_counts(self, ledger, tournament, forge):
        first, other = forge.review("i0", "anna"), forge.review("i0", "ben", 0.1, "Vague.")
        elsewhere, revised = forge.review("i1", "anna"), forge.review("i0", "anna", 0.9, "Better on a second look.")
        for review in (first, other, elsewhere, revised):
            ledger.items.record_review(tournament, review)
        assert ledger.items.reviews(tournament) == (other, elsewhere, revised)
        before = ledger.audit(tournament)
        ledger.items.record_review(tournament, revised)
        assert ledger.audit(tournament) == before
        ledger.items.record_review(tournament, first)
        assert ledger.items.reviews(tournament) == (other, elsewhere, first), "whoever changes back is heard again"
        assert ledger.audit(tournament).rows == before.rows + 1

    def test_only_items_that_there_are(self, ledger, tournament, forge):
        with pytest.raises(NotFound, match="'i9'"):
            ledger.items.record_review(tournament, forge.review("i9"))
        with pytest.raises(NotFound, match="'nowhere'"):
            ledger.items.record_review("nowhere", forge.review())
        with pytest.raises(NotFound, match="'nowhere'"):
            ledger.items.reviews("nowhere")
        assert ledger.items.reviews(tournament) == ()


class TestAdjustments:
    def test_they_move_ratings_and_are_no_matches(self, ledger, tournament, forge):
        seed, decay = forge.adjustment("seed", "i0", 1400.0), forge.adjustment("decay", "i0", 1200.0, 0.1)
        (seeded,) = ledger.ratings.adjust(tournament, [seed])
        assert seeded == RatingChange(item="i0", match="seed", old=1200, new=1400, k=0, expected=0, score=0)
        won, lost = ledger.matches.record(tournament, forge.bare("m"))
        # 1400 against 1200: expected 1 / (1 + 10 ** -0.5) = 0.759747
        assert won.new == pytest.approx(1400 + 32 * (1 - 0.759747), abs=1e-4)
        (decayed,) = ledger.ratings.adjust(tournament, [decay])
        assert (decayed.old, decayed.new) == (won.new, won.new + 0.1 * (1200.0 - won.new))
        rating = ledger.ratings.all(tournament)["i0"]
        assert (rating.elo, rating.matches, rating.wins) == (decayed.new, 1, 1)
        assert ledger.ratings.leaderboard(tournament, count=1) == (rating,)
        assert ledger.ratings.changes(tournament) == (seeded, won, lost, decayed)
        assert ledger.ratings.changes(tournament, "i0") == (seeded, won, decayed)
        assert [entry.adjustment for entry in ledger.ratings.adjustments(tournament)] == [seed, decay]
        assert [entry.change for entry in ledger.ratings.adjustments(tournament)] == [seeded, decayed]
        (match,) = ledger.matches.all(tournament)
        first, last = ledger.ratings.adjustments(tournament)
        assert first.sequence < match.sequence < last.sequence
        assert ledger.audit(tournament).ok

    def test_made_twice_they_change_nothing(self, ledger, tournament, forge, ends):
        both = [forge.adjustment("d1", "i0", 1100.0, 0.5), forge.adjustment("d2", "i0", 1100.0, 0.5)]
        made = ledger.ratings.adjust(tournament, both)
        assert [(change.old, change.new) for change in made] == [(1200, 1150), (1150, 1125)]
        before = ends(ledger)
        third = forge.adjustment("d3", "i1", 1000.0)
        assert ledger.ratings.adjust(tournament, [both[1], both[0]]) == (made[1], made[0])
        assert ends(ledger) == before
        assert ledger.ratings.adjust(tournament, [third, both[0], third])[1] == made[0]
        assert len(ledger.ratings.adjustments(tournament)) == 3
        assert ledger.ratings.adjust(tournament, []) == ()

    def test_the_same_id_with_other_content_is_a_conflict_and_nothing_is_made(self, ledger, tournament, forge, ends):
        made = forge.adjustment("d1", "i0", 1100.0, 0.5)
        ledger.ratings.adjust(tournament, [made])
        before = (ends(ledger), ledger.ratings.all(tournament))
        others = {"item": "i1", "target": 1101.0, "share": 0.4, "reason": "else", "kind": AdjustmentKind.CORRECTION}
        for field, value in others.items():
            with pytest.raises(Conflict, match=f"'d1' .* another {field}"):
                ledger.ratings.adjust(tournament, [forge.adjustment("d2"), replace(made, **{field: value})])
            assert (ends(ledger), ledger.ratings.all(tournament)) == before, field

    def test_unknown_items_and_numbers_that_are_none_are_refused(self, ledger, tournament, forge, ends):
        before = ends(ledger)
        with pytest.raises(NotFound, match="'i9'"):
            ledger.ratings.adjust(tournament, [forge.adjustment("d1"), forge.adjustment("d2", "i9")])
        with pytest.raises(LedgerError, match="finite"):
            ledger.ratings.adjust(tournament, [forge.adjustment("d1"), forge.adjustment("d2", target=math.inf)])
        for ask in (ledger.ratings.adjustments, ledger.ratings.changes, lambda pool: ledger.ratings.adjust(pool, [])):
            with pytest.raises(NotFound, match="'nowhere'"):
                ask("nowhere")
        assert ends(ledger) == before

    def test_floor_and_ceiling_hold_and_the_clamp_is_recorded(self, ledger, forge):
        ledger.pools.create("narrow", RatingConfig(floor=1100.0, ceiling=1300.0))
        ledger.items.add("narrow", forge.items(2))
        up, down = ledger.ratings.adjust(
            "narrow", [forge.adjustment("up", "i0", 1450.0), forge.adjustment("down", "i1", 0.0)]
        )
        assert (up.new, up.clamped) == (1300.0, 150.0)
        assert (down.new, down.clamped) == (1100.0, -1100.0)
        assert ledger.ratings.adjustments("narrow")[0].change == up
        assert ledger.audit("narrow").ok

    def test_a_rollback_keeps_them_and_moves_them_along(self, ledger, tournament, forge):
        ledger.matches.record(tournament, forge.bare("m"))  # i0 1216, i1 1184
        ledger.ratings.adjust(
            tournament, [forge.adjustment("half", "i0", 1400.0, 0.5), forge.adjustment("seed", "i1", 1500.0)]
        )
        assert ledger.ratings.all(tournament)["i0"].elo == 1308.0
        (undone,) = ledger.matches.rollback(tournament, "m", "disputed")
        assert (undone.item, undone.old, undone.new) == ("i0", 1308.0, 1300.0)  # half-way from 1200
        ratings = ledger.ratings.all(tournament)
        assert (ratings["i1"].elo, ratings["i0"].matches) == (1500.0, 0)
        assert ledger.ratings.whatif(tournament).ratings == ledger.ratings.whatif_final(tournament) == ratings
        before = ledger.ratings.all(tournament)
        ledger.rebuild(tournament)
        assert ledger.ratings.all(tournament) == before
        assert ledger.audit(tournament).ok

    def test_a_thousand_at_once(self, ledger, forge):
        ledger.pools.create("many", forge.config)
        ledger.items.add("many", forge.items(1100))
        wanted = [forge.adjustment(f"d{n}", f"i{n}", 1000.0 + n / 8) for n in range(1100)]
        made = ledger.ratings.adjust("many", wanted)
        assert ledger.ratings.adjust("many", wanted) == made
        assert [change.new for change in made] == [1000.0 + n / 8 for n in range(1100)]
        assert ledger.ratings.whatif_final("many") == ledger.ratings.all("many")
        assert ledger.audit("many").ok
