"""The small co-scientist: it finds what is best, tells what wins, and keeps everything in its ledger."""

import asyncio

import coscientist
from paragone.ledger import Ledger
from paragone.tournaments.agent.tasks import task_records


def test_it_evolves_towards_what_is_best_and_always_the_same(tmp_path, capsys):
    order = asyncio.run(coscientist.research(str(tmp_path / "c.db")))
    said = capsys.readouterr().out
    best = max(coscientist.EVERY, key=coscientist.worth)
    assert coscientist.name(best) in order[:3]
    assert "generation 4: 22 hypotheses" in said
    assert "evolved: " in said
    assert "meta-review, after " in said
    assert "turns of debates" in said
    with Ledger.open(tmp_path / "c.db") as ledger:
        assert ledger.audit().ok
        records = task_records(ledger.tournaments.events("aml-1"))
        assert {record.state.value for record in records.values()} == {"done"}
        assert len(records) == 4 * 3 + 3
        # Each generation evolves from a ranking made after its rounds, the first one too.
        evidence = [records[f"ranking-{number}"].evidence for number in (1, 2, 3, 4)]
        assert [each["rounds"] for each in evidence] == [2, 4, 6, 8]
        assert [each["matches"] for each in evidence] == [
            sum(entry.match.round <= last for entry in ledger.matches.all("aml-1")) for last in (2, 4, 6, 8)
        ]
        assert [each["matches"] for each in evidence] == [24, 48, 72, 93]
        evolved = [
            name for line in said.splitlines() if "evolved: " in line for name in line.split(": ")[1].split(", ")
        ]
        assert len(evolved) == 10
        assert len(ledger.items.reviews("aml-1")) == 10
        assert {review.item for review in ledger.items.reviews("aml-1")} == set(evolved)
