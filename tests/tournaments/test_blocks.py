"""Blocks planned ahead: a planner made anew goes on as the one before, and a tournament keeps its rule."""

from dataclasses import replace

import pytest

from paragone.domain import Choice, Comparison, Item, Match, RatingConfig, Verdict
from paragone.judges.base import uniform
from paragone.ledger import PlannedRound
from paragone.pairing import gain
from paragone.tournaments.planning.blocks import InformativeBlocks
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import PackedMatches
from paragone.tournaments.tournament_settings import settings_for

ITEMS, BLOCK, WINDOW = 24, 8, 16
IDS = tuple(f"i{number:02}" for number in range(ITEMS))


def answered(number, place, pairing):
    """The answer of a judge that orders items by their ids, but for one in five."""
    first, second = pairing.shown(pairing.orders[0])
    right = uniform("answer", number, first, second) < 0.8
    choice = Choice.FIRST if (first < second) is right else Choice.SECOND
    comparison = Comparison(
        call=f"{number}.{place}.1", first=first, second=second, verdict=Verdict(choice=choice, judge="j")
    )
    return Match.of(f"{number}.{place}", pairing, (comparison,), round=number)


class Run:
    """A tournament planned and answered block by block, with the last window of answers not known yet."""

    def __init__(self, **options):
        settings = settings_for(ITEMS, criteria="c", judge="j", **{"seed": 7, "confidence": 0.9999, **options})
        items = tuple(Item(id=id, text=id) for id in IDS)
        self.state = TournamentState(id="t-1", settings=settings, config=RatingConfig(), items=items)
        self.planner, self.notes, self.blocks, self.matches = InformativeBlocks(self.state, {}), {}, [], []

    def block(self):
        """Plan and answer one more block."""
        known = max(0, len(self.matches) + BLOCK - WINDOW)
        before = max((note["evidence"] for note in self.notes.values()), default=0)
        self.planner.learn(self.matches[before : max(before, known)])
        plan = self.planner.following(BLOCK, idle=False)
        block = PlannedRound(number=len(self.blocks) + 1, pairings=plan.pairings)
        self.planner.planned(block)
        self.blocks.append(block)
        self.notes[block.number] = plan.notes
        self.matches += [answered(block.number, place, pairing) for place, pairing in enumerate(plan.pairings, 1)]
        return plan

    def anew(self, notes=None):
        """The same tournament with a planner that was made from its blocks and its matches on record."""
        known = max(note["evidence"] for note in self.notes.values())
        state = replace(
            self.state, rounds=list(self.blocks), played=PackedMatches(self.matches[:known]), _posterior=None
        )
        self.planner = InformativeBlocks(state, self.notes if notes is None else notes)
        return self


def pairs(plan):
    return [pairing.shown(pairing.orders[0]) for pairing in plan.pairings]


@pytest.mark.parametrize("options", [{}, {"whole_order": True}, {"top": 4}, {"winner": True}])
def test_a_planner_made_anew_plans_as_the_one_before(options):
    undisturbed, killed = Run(**options), Run(**options)
    for _ in range(9):
        expected, resumed = undisturbed.block(), killed.block()
        assert pairs(resumed) == pairs(expected)
        assert resumed.notes == expected.notes
        killed.anew()
    assert {note["by_gain"] for note in killed.notes.values()} == {"winner" not in options}


EARLIER = """\
i09-i00 i05-i14 i16-i13 i12-i02 i01-i03 i08-i17 i07-i10 i19-i18
i10-i19 i02-i05 i00-i13 i01-i12 i06-i20 i15-i04 i14-i23 i11-i09
"""
"""Blocks 4 and 5 as the version before planned them."""


def test_a_tournament_of_an_earlier_version_keeps_its_rule():
    """Its blocks have no note of a rule; the first is the same by either."""
    run, text = Run(), []
    for _ in range(5):
        plan = run.block()
        del run.notes[len(run.blocks)]["by_gain"]
        run.anew()
        text.append(" ".join("-".join(pair) for pair in pairs(plan)))
    assert text[3:] == EARLIER.splitlines()
    assert run.block().notes["by_gain"] is False


def test_pools_in_which_not_all_pairs_are_looked_at_plan_by_neighbours(monkeypatch):
    monkeypatch.setattr(gain, "MOST_ITEMS", ITEMS - 1)
    assert not Run().block().notes["by_gain"]
    monkeypatch.setattr(gain, "MOST_ITEMS", ITEMS)
    assert Run().block().notes["by_gain"]
