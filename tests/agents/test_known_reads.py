"""Reads that are kept by the version of the pool are never out of date, and belong to whoever asked for them."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from paragone.agents import EloSystem
from paragone.agents.agent_pool import MOST_CERTAIN, Certain
from paragone.errors import InvalidEvidence
from paragone.ledger import Ledger

AGENTS = ("ada", "bob", "cyd")

READS: Mapping[str, Callable[[EloSystem, str, str], Any]] = {
    "head to head": lambda elo, a, b: elo.get_head_to_head(a, b),
    "history": lambda elo, a, _: elo.get_elo_history(a),
    "short history": lambda elo, a, _: elo.get_elo_history(a, 2),
    "ECE": lambda elo, a, _: elo.get_expected_calibration_error(a),
    "ECE of a domain": lambda elo, a, _: elo.get_expected_calibration_error(a, "law"),
    "buckets": lambda elo, a, _: elo.get_calibration_by_bucket(a),
    "domains": lambda elo, a, _: elo.get_domain_calibration(a),
    "best domains": lambda elo, a, _: elo.get_best_domains(a),
    "predictions": lambda elo, a, _: elo.get_agent_calibration_history(a),
    "relations": lambda elo, a, _: elo.get_all_relationships_for_agent(a),
    "relation": lambda elo, a, b: elo.get_relationship_raw(a, b),
    "metrics": lambda elo, a, b: elo.compute_relationship_metrics(a, b),
    "rivals": lambda elo, a, _: elo.get_rivals(a),
    "allies": lambda elo, a, _: elo.get_allies(a),
}

WRITES: tuple[Callable[[EloSystem, str, str, int], object], ...] = (
    lambda elo, a, b, n: elo.record_match(
        debate_id=f"debate-{n}", participants=[a, b], scores={a: 0.9, b: 0.1}, domain="law"
    ),
    lambda elo, a, b, n: elo.record_match(debate_id=f"more-{n}", participants=[a, b], scores={a: 0.2, b: 0.7}),
    lambda elo, a, b, n: elo.record_domain_prediction(a, ("law", "art")[n % 2], n % 10 / 10, n % 3 > 0),
    lambda elo, a, b, n: elo.record_winner_prediction(f"cup-{n}", a, b, 0.7),
    lambda elo, a, b, n: elo.record_winner_prediction("one cup", a, b, n % 10 / 10),
    lambda elo, a, b, n: elo.update_relationship(a, b, debate_increment=2, agreement_increment=n % 2, a_win=1),
    lambda elo, a, b, n: elo.roll_back(elo.get_recent_matches(1, use_cache=False)[0]["debate_id"], "a mistake"),
)


def everything(elo: EloSystem) -> dict[tuple[str, str, str], Any]:
    """All reads of each agent beside another one, so that each is once on either side."""
    pairs = list(zip(AGENTS, AGENTS[1:] + AGENTS[:1], strict=True))
    return {(name, a, b): read(elo, a, b) for name, read in READS.items() for a, b in pairs}


@pytest.mark.parametrize("memory", [False, True])
def test_reads_are_those_of_a_system_that_keeps_nothing(tmp_path: Path, memory: bool) -> None:
    db, draw = "sqlite://" if memory else str(tmp_path / "agents.db"), random.Random(7)
    with EloSystem(db, warn=False, snapshot=False) as elo:
        writer = elo if memory else EloSystem(db, warn=False, snapshot=False)
        for number in range(21):
            a, b = draw.sample(AGENTS, 2)
            write = WRITES[number % len(WRITES)]
            write(writer, a, b, number)  # as another process would: no cache of ``elo`` is told
            known = everything(elo)
            assert everything(elo) == known
            elo._pool.caches.certain.__init__()  # type: ignore[misc]
            assert everything(elo) == known
        won = writer.resolve_tournament_calibration("one cup", AGENTS[1])
        assert won
        assert any(each["correct"] is not None for each in elo.get_agent_calibration_history(next(iter(won))))
        writer.close()


def test_who_changes_an_answer_changes_nobody_elses(tmp_path: Path) -> None:
    with EloSystem(tmp_path / "agents.db", warn=False) as elo:
        for number, write in enumerate(WRITES[:6] * 6):
            write(elo, "ada", "bob", number)
        for name, read in READS.items():
            answer, again = read(elo, "ada", "bob"), read(elo, "ada", "bob")
            if isinstance(answer, dict):
                answer.get("domains", {}).clear()
                answer.clear()
            elif isinstance(answer, list):
                for each in answer:
                    each.clear() if isinstance(each, dict) else None
                answer.clear()
            assert read(elo, "ada", "bob") == again, name
        nested = elo.get_domain_calibration("ada")
        nested["domains"]["law"].clear()
        assert elo.get_domain_calibration("ada")["domains"]["law"]
        with pytest.raises(InvalidEvidence):
            elo.get_expected_calibration_error(["ada"])  # type: ignore[arg-type]


def test_the_oldest_answers_are_dropped() -> None:
    certain, made = Certain(), []
    for number in range(MOST_CERTAIN + 1):
        certain.get(1, number, lambda number=number: made.append(number))  # type: ignore[misc]
    certain.get(1, MOST_CERTAIN, lambda: made.append(-1))
    certain.get(1, 0, lambda: made.append(-2))
    certain.get(2, MOST_CERTAIN, lambda: made.append(-3))
    assert made[MOST_CERTAIN:] == [MOST_CERTAIN, -2, -3]


def test_a_version_is_read_without_a_transaction_and_within_one(tmp_path: Path) -> None:
    with EloSystem(tmp_path / "agents.db", warn=False) as elo, Ledger.open(tmp_path / "agents.db") as ledger:
        before = ledger.pools.version("agents")
        with ledger.snapshot() as frozen:
            assert frozen.pools.version("agents") == before
            elo.register_agent("ada")
            assert frozen.pools.version("agents") == before
            assert (ledger.pools.version("agents") or 0) > (before or 0)
        assert ledger.pools.version("nowhere") is None
