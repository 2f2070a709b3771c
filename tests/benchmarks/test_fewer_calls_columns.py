"""The benchmark of columns: each world is played by answers alone and with its columns."""

import pytest


def test_a_world_is_played_twice_and_shown_as_a_difference(script, tmp_path, capsys):
    terms = ["--worlds", "seven", "--items", "10", "--multiples", "1", "--seeds", "2", "--first", "0"]
    cache = tmp_path / "runs.jsonl"
    script.main([*terms, "--cache", str(cache)])
    shown = capsys.readouterr().out
    assert shown.startswith("| 10 items, 2 seeds | 1N |")
    assert "a column, r = .7: tau" in shown
    assert len(cache.read_text().splitlines()) == 2
    script.main([*terms, "--cache", str(cache)])  # nothing is played again
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("world", ["half", "noise", "trap", "adjusted", "useless5", "alike"])
def test_worlds_have_columns_of_all_items(script, world):
    import numpy as np

    made = script.WORLDS[world][1](20, np.random.default_rng(0))
    assert made.truth.shape == made.seen.shape == (20,)
    assert made.columns.shape[0] == 20
    assert made.counts == (world != "adjusted")
