"""Where each agent stands: its strength, its running Elo and its record, in all or in one domain."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from paragone.agents.strengths import AgentStrength
from paragone.domain import BoardRow, Rating
from paragone.ledger import AgentRecord
from paragone.ratings.score_pairs import ScoreColumns

FORM = 5
"""Debates that the form shows, the newest last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """One agent.

    Attributes:
        record: All that the ledger keeps of it.
        rating: The running Elo with its counters: that of the domain in a report on one, else the global one.
        strength: What the fit says; None where it was in no debate.
        form: How its last debates went, W, L or D each, the newest last.
    """

    record: AgentRecord
    rating: Rating
    strength: AgentStrength | None
    form: str

    @property
    def agent(self) -> str:
        """Its name."""
        return self.rating.item

    @property
    def debates(self) -> int:
        """Debates that its strength rests on."""
        return 0 if self.strength is None else self.strength.matches


def standings(
    records: Iterable[AgentRecord], strengths: Iterable[AgentStrength], columns: ScoreColumns, domain: str
) -> tuple[Standing, ...]:
    """All agents, the strongest first; behind them those that were in no debate, by their Elo.

    Args:
        records: The agents.
        strengths: What is known of those that were in debates.
        columns: The debates that the form is of.
        domain: The domain whose ratings count; empty for the global ones.
    """
    fitted, forms = {one.agent: one for one in strengths}, form(columns)
    known = [
        Standing(
            record=record,
            rating=rating_in(record, domain),
            strength=fitted.get(record.rating.item),
            form=forms.get(record.rating.item, ""),
        )
        for record in records
    ]
    return tuple(sorted(known, key=_place))


def _place(standing: Standing) -> tuple[float, float, str]:
    rank = float("inf") if standing.strength is None else standing.strength.rank
    return rank, -standing.rating.elo, standing.agent


def rating_in(record: AgentRecord, domain: str) -> Rating:
    """The rating that counts; in a domain where nothing moved it, the global one without its record."""
    if not domain:
        return record.rating
    beside = Rating(item=record.rating.item, elo=record.rating.elo, track=domain)
    return next((track for track in record.tracks if track.track == domain), beside)


def form(columns: ScoreColumns) -> dict[str, str]:
    """How the last debates of each agent went: W for the highest score alone, D where several have it, else L."""
    entries = zip(columns.match.tolist(), columns.agent.tolist(), columns.score.tolist(), strict=True)
    last: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=FORM))
    for _, debate in groupby(sorted(entries, key=itemgetter(0)), key=itemgetter(0)):
        scores = [(columns.agents[agent], score) for _, agent, score in debate]
        best = max(score for _, score in scores)
        shared = sum(score == best for _, score in scores) > 1
        for agent, score in scores:
            last[agent].append("D" if shared else "W" if score == best else "L")
    return {agent: "".join(letters) for agent, letters in last.items()}


def board_rows(known: Sequence[Standing]) -> list[BoardRow]:
    """Those that have a strength, as rows of a board."""
    return [
        BoardRow(
            id=standing.agent,
            rank=one.rank,
            rank_low=one.rank_low,
            rank_high=one.rank_high,
            rating=one.strength,
            low=one.low,
            high=one.high,
            elo=standing.rating.elo,
            wins=standing.rating.wins,
            losses=standing.rating.losses,
            ties=standing.rating.ties,
            matches=one.matches,
        )
        for standing in known
        if (one := standing.strength) is not None
    ]


def track_elos(records: Iterable[AgentRecord]) -> Mapping[str, dict[str, float]]:
    """Running Elo by domain and agent."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for record in records:
        for track in record.tracks:
            found[track.track][track.item] = track.elo
    return found
