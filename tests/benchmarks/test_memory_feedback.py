"""Lives of a memory, small: what is true rises, bait sinks, and a life can be repeated."""

from dataclasses import replace

import pytest


@pytest.fixture
def feedback(script, monkeypatch):
    monkeypatch.setattr(script, "TOPICS", 2)
    return script


def test_the_share_of_pairs_in_order(feedback):
    assert feedback.auc([2.0, 3.0], [1.0, 0.0]) == 1.0
    assert feedback.auc([1.0], [1.0]) == 0.5
    assert feedback.auc([0.0, 2.0], [1.0]) == 0.5


@pytest.mark.parametrize(
    ("name", "sessions"), [("used reported 80 %", 20), ("reads only, a true file ends the search", 40)]
)
def test_the_truth_rises_and_bait_sinks(feedback, tmp_path, name, sessions):
    life = feedback.lived(2, feedback.SETTINGS[name], sessions, tmp_path)
    assert life["auc"] == 1.0
    assert life["true"] == 1.0 < 10.0 < life["bait"]


def test_without_any_signal_bait_gains_nothing_and_nothing_is_called_known(feedback, tmp_path):
    life = feedback.lived(1, feedback.SETTINGS["reads only, nobody stops: no signal"], 15, tmp_path)
    assert life["auc"] >= 0.5
    assert life["known"] == 0.0


def test_a_newcomer_is_tried_at_once_and_a_life_can_be_repeated(feedback, tmp_path):
    setting = replace(feedback.SETTINGS["newcomer, used reported"])
    lives = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        lives.append(feedback.lived(2, setting, 8, folder))
    assert str(lives[0]) == str(lives[1])
    assert lives[0]["first"] <= 3
