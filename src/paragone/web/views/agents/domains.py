"""Domains: debates and predictions in each, and its leader."""

from collections.abc import Collection, Mapping

from paragone.agents.standings import PredictionTally
from paragone.domain import Rating
from paragone.presenting.figures import DomainRating
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import Fitted, Roster, require_agents, roster, strengths_by_domain
from paragone.web.views.cursors import page_of
from paragone.wire.agent import Domain, DomainPage


def domains(reader: LedgerReader, pool: str, *, limit: int = 50, after: str | None = None) -> DomainPage:
    """The domains of debates and predictions, the most debates first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    fitted, pending = strengths_by_domain(reader, pool)
    versions = [fit.version for fit in fitted.values()]
    agents = roster(reader, pool, at_least=max(versions, default=0))
    predictions = agents.predictions
    listing = ("agent domains", pool)
    names = {*agents.domain_names(), *predictions} - {""}
    keyed = [((-agents.domains.get(name, 0), name), name) for name in names]
    page, following = page_of(sorted(keyed), listing, limit, after)
    rated = _rated(agents)
    return DomainPage(
        pool=pool,
        domains=[
            _domain(name, agents.domains.get(name, 0), rated.get(name, []), fitted.get(name), predictions.get(name, {}))
            for name in page
        ],
        total=len(keyed),
        version=agents.version,
        fitted=min(versions, default=None),
        pending=agents.pending or pending,
        next=following,
    )


def ratings(
    reader: LedgerReader, pool: str, agents: Collection[str]
) -> tuple[dict[tuple[str, str], DomainRating], bool]:
    """Ratings of some agents in the domains in which they debated, by name and domain; and whether these are strengths.

    Without strengths, ratings are the running Elo.
    """
    fitted, _ = strengths_by_domain(reader, pool)
    if fitted:
        strong = {(name, domain): of.rows.get(name) for domain, of in fitted.items() for name in agents}
        return {
            where: DomainRating(
                rating=strength.strength, low=strength.low, high=strength.high, matches=strength.matches
            )
            for where, strength in strong.items()
            if strength is not None and strength.matches
        }, True
    records = roster(reader, pool).records
    tracks = [track for name in agents if name in records for track in records[name].tracks if track.matches]
    return {
        (strength.item, strength.track): DomainRating(rating=strength.elo, matches=strength.matches)
        for strength in tracks
    }, False


def _rated(agents: Roster) -> dict[str, list[Rating]]:
    """The running ratings of agents that debated, by domain, highest first."""
    tracks: dict[str, list[Rating]] = {}
    for record in agents.records.values():
        for track in record.tracks:
            if track.matches:
                tracks.setdefault(track.track, []).append(track)
    return {domain: sorted(of, key=lambda rating: (-rating.elo, rating.item)) for domain, of in tracks.items()}


def _domain(
    name: str, debates: int, rated: list[Rating], fitted: Fitted | None, predictions: Mapping[str, PredictionTally]
) -> Domain:
    strong = [] if fitted is None else [strength for strength in fitted.rows.values() if strength.matches]
    first = strong[0] if strong else None
    quick = rated[0] if rated else None
    return Domain(
        domain=name,
        debates=debates,
        agents=len(rated),
        predictions=sum(map(len, predictions.values())),
        leader=first.agent if first is not None else None if quick is None else quick.item,
        rating=first.strength if first is not None else None if quick is None else quick.elo,
        low=None if first is None else first.low,
        high=None if first is None else first.high,
        may_lead=sum(strength.rank_low == 1 for strength in strong) if strong else None,
    )
