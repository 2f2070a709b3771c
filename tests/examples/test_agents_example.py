"""The simulated agents: what the ledger finds is what the example states."""

import importlib.util
import math
import random
from pathlib import Path

import pytest

from paragone.agents import EloSystem


@pytest.fixture(scope="module")
def agents():
    """The example, by its path: a benchmark has the same name."""
    path = Path(__file__).parents[2] / "examples" / "agents.py"
    spec = importlib.util.spec_from_file_location("example_of_agents", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_finds_the_strengths_and_who_sounds_too_sure(agents, tmp_path, capsys):
    agents.main(tmp_path / "a.db")
    said = capsys.readouterr().out.splitlines()
    rows = {line.split()[1]: line.split() for line in said[1 : 1 + len(agents.STRENGTHS)]}
    inside = [int(row[3]) <= int(row[6]) <= int(row[5]) for row in rows.values()]
    assert sum(inside) >= 7  # of 8 intervals of 95 %
    assert {next(iter(rows)), *list(rows)[-1:]} <= {"ada", "ben", "hana"}
    assert any("ben multiplies log-odds by 2.2: overconfident" in line for line in said)
    assert any("dan multiplies log-odds by 0.4: underconfident" in line for line in said)
    assert sum("no miscalibration beyond chance" in line for line in said) == 2
    with EloSystem(tmp_path / "a.db") as elo:
        assert elo.audit().ok
        assert elo.get_stats()["total_matches"] == agents.DEBATES


def test_its_debates_follow_the_elo_model(agents):
    rng = random.Random(3)
    won = met = 0
    for number in range(6000):
        scores = agents.debate(rng, number)["scores"]
        if {"ada", "hana"} <= set(scores):
            met += 1
            won += scores["ada"] > scores["hana"]
    expected = 1 / (1 + 10 ** ((agents.STRENGTHS["hana"] - agents.STRENGTHS["ada"]) / 400))
    assert abs(won / met - expected) < 4 * math.sqrt(expected * (1 - expected) / met)
