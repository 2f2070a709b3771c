"""Where a tournament is: its items, what was planned and what was played."""

from dataclasses import dataclass, field, replace
from typing import cast

from paragone.domain import Comparison, Item, Match, Planned, Ranking, RatingConfig
from paragone.ledger import Ledger, PlannedRound
from paragone.ratings.evidence import Evidence
from paragone.tournaments.brief import Brief, Extension
from paragone.tournaments.standing import Standing, stand


@dataclass(kw_only=True)
class State:
    """A tournament as the ledger has it, kept in step while it runs.

    Attributes:
        id: The tournament's id; its pool has the same.
        brief: What it was asked to do.
        config: How its running Elo moves.
        items: The pool.
        rounds: Rounds planned so far.
        played: Matches that were recorded, in that order, the ones rolled back later included.
        rolled_back: Ids of those.
        position: Whether the fit has a position term for each judge.
    """

    id: str
    brief: Brief
    config: RatingConfig
    items: tuple[Item, ...]
    rounds: list[PlannedRound] = field(default_factory=list)
    played: list[Match] = field(default_factory=list)
    rolled_back: frozenset[str] = frozenset()
    position: bool = True
    _standing: tuple[int, Standing] | None = None

    @classmethod
    def begin(cls, ledger: Ledger, name: str, brief: Brief, items: tuple[Item, ...], config: RatingConfig) -> "State":
        """A new tournament, recorded in the ledger."""
        record = ledger.create_tournament(name, settings=brief.as_json(), items=items, config=config)
        return cls(id=record.id, brief=brief, config=config, items=items)

    def extend(self, ledger: Ledger, changes: Extension) -> None:
        """Change the budget, a limit or the confidence, and record it.

        Raises:
            InvalidConfig: If a value is out of its range.
        """
        self.brief = self.brief.extended(changes)
        ledger.add_event(self.id, "extended", dict(changes))

    @classmethod
    def load(cls, ledger: Ledger, tournament: str | None) -> "State":
        """The state as the ledger has it; of the newest tournament where no id is given."""
        record = ledger.tournament(tournament)
        brief, position = Brief.from_json(record.settings), True
        for event in ledger.events(record.id):
            if event.kind == "extended":
                brief = brief.extended(cast("Extension", event.detail))
            elif event.kind == "import":
                position = event.detail["how"]["position"]
        recorded = ledger.matches(record.pool)
        return cls(
            id=record.id,
            brief=brief,
            config=ledger.pool_config(record.pool),
            items=ledger.items(record.pool),
            rounds=list(ledger.rounds(record.id)),
            played=[entry.match for entry in recorded],
            rolled_back=frozenset(entry.match.id for entry in recorded if entry.rolled_back),
            position=position,
        )

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self.items)

    @property
    def matches(self) -> list[Match]:
        """Matches that stand, in the order of record."""
        return [match for match in self.played if match.id not in self.rolled_back]

    @property
    def answered(self) -> int:
        """Calls that count towards the budget: those of all matches that were recorded, a list being one call.

        Answers of matches that are still open were planned for, so a run that was killed between an answer and its
        match may still finish what it planned.
        """
        return sum(len(match.answers) for match in self.played)

    @property
    def texts(self) -> int:
        """Texts that these calls showed: two for a pair, as many as it is long for a list."""
        return sum(len(answer.shown) for match in self.played for answer in match.answers)

    @property
    def comparisons(self) -> list[Comparison]:
        """All comparisons of the matches that stand."""
        return [comparison for match in self.matches for comparison in match.comparisons]

    @property
    def weights(self) -> list[float]:
        """How much each of these comparisons counts: the confidence in its match."""
        return [match.confidence for match in self.matches for _ in match.comparisons]

    @property
    def rankings(self) -> list[Ranking]:
        """All rankings of several items of the matches that stand."""
        return [match.ranking for match in self.matches if match.ranking is not None]

    @property
    def told(self) -> bool:
        """Whether there is any evidence yet."""
        return any(answer.verdict.choice.is_evidence for match in self.matches for answer in match.answers)

    @property
    def standing(self) -> Standing:
        """The batch fit over what was played so far."""
        if self._standing is None or self._standing[0] != len(self.played):
            fresh = stand(
                self.ids,
                Evidence.of(self.comparisons, self.ids, self.weights, rankings=self.rankings),
                goal=self.brief.goal,
                level=self.brief.level,
                initial=self.config.initial,
                seed=self.brief.seed,
                position=self.position,
            )
            self._standing = (len(self.played), fresh)
        return self._standing[1]

    def supposing(self, config: RatingConfig, played: list[Match], *, position: bool) -> "State":
        """The state as it would be with other matches, another configuration, another model."""
        return replace(self, config=config, played=played, rolled_back=frozenset(), position=position, _standing=None)

    @property
    def open_matches(self) -> list[tuple[str, Planned]]:
        """Matches of the last round that have not been played, by id, in the order of the plan."""
        if not self.rounds:
            return []
        last, played = self.rounds[-1], {match.id for match in self.played}
        named = ((match_id(last.number, place), pairing) for place, pairing in enumerate(last.pairings, start=1))
        return [(id, pairing) for id, pairing in named if id not in played]


def match_id(number: int, place: int) -> str:
    """Name of a planned match: round and place in it, both from 1."""
    return f"{number}.{place}"
