"""A standby reads on while it waits: what it takes over with is what is on record."""

from pathlib import Path
from typing import Any

from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament

ITEMS = {f"i{number}": f"item {number}" for number in range(8)}
JUDGE = SimulatedJudge({id: 0.4 * number for number, id in enumerate(ITEMS)}, noise=0.7, seed=5)


def contents(state: TournamentState) -> Any:
    return (
        list(state.played),
        state.rolled_back,
        state.rounds,
        state.events,
        state.ratings,
        state.settings,
        state.items,
        state.comparison_table.evidence(),
    )


def test_a_state_that_is_followed_is_that_on_record_though_older_matches_were_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    playing = Tournament.create(ITEMS, judge=JUDGE, criteria="larger", db=path, seed=3, budget=20)
    with playing as tournament, Ledger.open(path) as ledger:
        standby = TournamentState.load(ledger, None)
        assert len(standby.played) == 0
        tournament.run()
        standby = standby.followed(ledger)
        first = len(standby.played)
        old, new = standby.played[2].id, standby.played[first - 1].id
        tournament.rollback(old, "a mistake")
        tournament.extend(budget=32)
        tournament.run()
        tournament.rollback(new, "another")
        read: list[Any] = []
        each = ledger.matches.each
        ledger.matches.each = lambda *where: (read.append(entry) or entry for entry in each(*where))  # type: ignore[method-assign]
        rounds, planned = ledger.tournaments.rounds, len(standby.rounds)
        beyond: list[int] = []
        ledger.tournaments.rounds = lambda pool, **after: beyond.append(after["beyond"]) or rounds(pool, **after)  # type: ignore[func-returns-value, method-assign]
        standby = standby.followed(ledger)
        del ledger.matches.each, ledger.tournaments.rounds
        assert 0 < len(read) == len(standby.played) - first
        assert beyond == [planned] < [len(standby.rounds)]
        assert standby.rolled_back == {old, new}
        assert repr(contents(standby)) == repr(contents(TournamentState.load(ledger, None)))
