"""Incomplete hypotheses: skipped, flagged, given a provisional rating, and completed."""

import asyncio

import pytest

import without_board
from paragone.domain import PolicyConfig, Review, SchedulingConfig, TournamentSystemConfig
from paragone.domain.records import RankingTask, TaskType
from paragone.errors import Conflict, InvalidItems, NotFound
from paragone.intake.items import lacking, read_items
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments import incomplete_hypotheses
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.tournament import Tournament

QUICK = CallOptions(attempts=1, wait=0.001)
TEXTS = {"a": "One claim.", "b": "Another claim.", "c": "A third claim.", "empty": "", "cut": "It slows the growth of"}
SYSTEM = TournamentSystemConfig(
    scheduling=SchedulingConfig(matches_per_round=3, rounds_per_session=2), policy=PolicyConfig(tournament_batch_size=3)
)


def judge():
    return SimulatedJudge({id: 0.4 * place for place, id in enumerate(TEXTS)}, seed=2)


@pytest.fixture
def tournament(tmp_path):
    reviews = [Review(item=id, reviewer="r", score=0.9) for id in ("a", "empty")]
    with Tournament.create(
        TEXTS,
        judge=judge(),
        criteria="c",
        db=tmp_path / "l.db",
        pairing="weighted",
        seed=1,
        system=SYSTEM,
        reviews=reviews,
        advocate="none",
    ) as tournament:
        yield tournament


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("It slows growth.", ()),
        ("Compound 4 slows growth", ()),
        ("Is it so?", ()),
        ("hypothesis a", ()),
        ("It is an inclusive OR", ()),
        (" \n", ("text",)),
        ("nan", ("text",)),
        ("It slows...", ("the end of the text",)),
        ("It slows the growth of", ("the end of the text",)),
        ("It slows growth, and\n", ("the end of the text",)),
        ("It slows growth,", ("the end of the text",)),
        ("It slows (truncated at 100 characters)", ("the end of the text",)),
    ],
)
def test_what_a_text_lacks(text, lacks):
    assert lacking(text) == lacks


def test_the_rest_of_a_file_goes_on_and_what_is_incomplete_has_a_provisional_rating(tournament):
    assert tournament.state.ids == ("a", "b", "c")
    empty, cut = tournament.incomplete()
    assert (empty.id, empty.missing, empty.provisional_rating) == ("empty", ("text",), pytest.approx(1360))
    assert (cut.id, cut.missing, cut.provisional_rating) == ("cut", ("the end of the text",), 1200)
    without_board.run(tournament, pace=QUICK)
    assert {item for match in tournament.state.played for item in match.items} == {"a", "b", "c"}
    assert tournament.audit().ok


def test_an_amended_one_joins_with_its_rating_and_is_matched_soon_also_after_a_crash(tournament, tmp_path, monkeypatch):
    without_board.run(tournament, pace=QUICK)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as between:
        between.setattr(incomplete_hypotheses, "add_requests", killed)
        with pytest.raises(KeyboardInterrupt):
            tournament.amend("empty", "A fourth claim.")
    with Tournament.open(tmp_path / "l.db", judge=judge()) as again:
        again.amend("empty", "A fourth claim.")
        assert [left.id for left in again.incomplete()] == ["cut"]
        assert again.state.ratings["empty"].elo == pytest.approx(1360)
        requests = [event.detail["id"] for event in again.state.events if event.kind == "request"]
        assert requests == ["amend:empty"]
        again.amend("empty", "A fourth claim.")
        without_board.run(again, pace=QUICK)
        assert any("empty" in match.items for match in again.state.played[6:])
        assert [event.detail["id"] for event in again.state.events if event.kind == "request"] == requests
        assert len([review for review in again.state.reviews if review.item == "empty"]) == 1
        assert again.audit().ok


def test_what_cannot_be_amended_is_refused(tournament):
    with pytest.raises(Conflict, match="'a' is complete: a changed text needs an id of its own"):
        tournament.amend("a", "Another text.")
    with pytest.raises(NotFound, match="no hypothesis of tournament-1 is called 'nobody'"):
        tournament.amend("nobody", "A text.")
    with pytest.raises(InvalidItems, match="no text"):
        tournament.amend("cut", " ")
    tournament.amend("a", "One claim.")
    assert "a" not in [left.id for left in tournament.incomplete()]


def test_a_task_flags_what_is_cut_off_and_amend_completes_it(tournament):
    context = {"hypotheses": {"d": "It ends in the", "e": "A whole claim."}}
    agent = RankingAgent(tournament, pace=QUICK)
    agent.submit(RankingTask(id="n", task_type=TaskType.NEW_HYPOTHESIS, context=context))
    asyncio.run(agent.run())
    result = agent.tasks()["n"].result
    assert (result["joined"], result["incomplete"]) == (["e"], {"d": ["the end of the text"]})
    tournament.amend("d", "It ends in the")
    assert "d" in tournament.state.ids, "a person says that it is complete"


def test_two_complete_ones_are_needed():
    with pytest.raises(InvalidItems, match="only 1 of 3 hypotheses have a complete text"):
        Tournament.create({"a": "One.", "b": "", "c": "and"}, judge=judge(), criteria="c", pairing="weighted")
    with pytest.raises(InvalidItems, match=r"the text is missing|has no text"):
        Tournament.create({"a": "One.", "b": "Two.", "c": ""}, judge=judge(), criteria="c")


def test_a_file_with_gaps_is_read_where_they_may_be_filled(tmp_path):
    file = tmp_path / "items.csv"
    file.write_text("id,text\nx,one\ny,\nz,nan\n")
    assert {item.id: item.text for item in read_items(file, without_texts=True)} == {"x": "one", "y": "", "z": ""}
    with pytest.raises(InvalidItems, match="the text of item 'y' is missing"):
        read_items(file)
