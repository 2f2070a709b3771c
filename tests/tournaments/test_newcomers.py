"""Items that join a tournament after its start."""

import pytest

import paragone
from paragone.domain.paired_comparison import PairedDesign
from paragone.errors import Conflict, InvalidConfig, InvalidItems
from paragone.tournaments.paired_comparison import begin

TEXTS = ["a", "bb", "ccc", "dddd"]


def longer(first, second, criteria):
    return "first" if len(first.text) > len(second.text) else "second"


def test_items_join_at_any_time_and_the_same_again_change_nothing():
    with paragone.Tournament.create(TEXTS, criteria="longer", judge=longer, seed=1, budget=12) as tournament:
        tournament.run()
        assert [item.id for item in tournament.add(["eeeee", TEXTS[0]])] == ["eeeee"]
        assert tournament.add({"eeeee": "eeeee"}) == ()
        tournament.extend(budget=16)
        board = tournament.run()
        assert board["eeeee"].matches == board["eeeee"].wins > 0
        assert board.spending.decisions == 16
        with pytest.raises(Conflict, match="another text"):
            tournament.add({"f": "ffffff", "eeeee": "changed"})
        with pytest.raises(InvalidItems, match="text is missing"):
            tournament.add({"f": " "})
        assert len(tournament.board().items) == len(TEXTS) + 1
        assert tournament.audit().ok


def test_items_that_the_judge_lacks_data_on_do_not_join(tmp_path):
    (tmp_path / "strengths.csv").write_text("id,score\na,1\nb,2\nc,3\n")
    judge = f"simulated:{tmp_path / 'strengths.csv'}"
    with paragone.Tournament.create({"a": "x", "b": "y"}, criteria="c", judge=judge) as tournament:
        with pytest.raises(InvalidConfig, match="knows no strength of 1 of 2 items: 'd'"):
            tournament.add({"c": "z", "d": "z"})
        assert [item.id for item in tournament.add({"c": "z"})] == ["c"]


def test_a_comparison_of_two_systems_takes_no_other_items():
    outputs = ({f"q{number}": text for number in range(20)} for text in ("longer", "short"))
    compared, _ = begin(*outputs, PairedDesign(), judge=longer)
    with compared:
        with pytest.raises(InvalidConfig, match=f"{compared.state.id} compares the outputs of two systems"):
            compared.add(["e"])
        assert len(compared.ledger.items.all(compared.state.id)) == 40
