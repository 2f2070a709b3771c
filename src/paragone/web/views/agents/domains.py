"""Domains as values: how much was debated and foretold in each, and who leads there."""

from collections.abc import Collection, Mapping

from paragone.agents.report.foretelling import Foretold
from paragone.analysis.figures import DomainRating
from paragone.domain import Rating
from paragone.web.books.library import Library
from paragone.web.views.agents.roster import Fitted, Roster, require_agents, roster, strengths_by_domain
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.agent import Domain, DomainPage


def domains(library: Library, pool: str, *, limit: int = 50, after: str | None = None) -> DomainPage:
    """The domains in which agents debated or foretold, those with the most debates first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(library, pool)
    fitted, pending = strengths_by_domain(library, pool)
    versions = [one.version for one in fitted.values()]
    known = roster(library, pool, at_least=max(versions, default=0))
    said = known.foretold
    listing = ("agent domains", pool)
    last = place_of(after, listing)
    keyed = sorted((-known.domains.get(name, 0), name) for name in {*known.domain_names(), *said} - {""})
    left = keyed if last is None else [one for one in keyed if list(one) > last]  # type: ignore[operator]
    rated = _rated(known)
    return DomainPage(
        pool=pool,
        domains=[
            _domain(name, -fewer, rated.get(name, []), fitted.get(name), said.get(name, {}))
            for fewer, name in left[:limit]
        ],
        total=len(keyed),
        version=known.version,
        fitted=min(versions, default=None),
        pending=known.pending or pending,
        next=cursor(listing, list(left[limit - 1])) if len(left) > limit else None,
    )


def ratings(library: Library, pool: str, agents: Collection[str]) -> tuple[dict[tuple[str, str], DomainRating], bool]:
    """What some agents are worth in the domains in which they debated, by name and domain, and whether by strength.

    It is the running Elo where no strengths are fitted.
    """
    fitted, _ = strengths_by_domain(library, pool)
    if fitted:
        strong = {(name, domain): of.rows.get(name) for domain, of in fitted.items() for name in agents}
        return {
            where: DomainRating(rating=one.strength, low=one.low, high=one.high, matches=one.matches)
            for where, one in strong.items()
            if one is not None and one.matches
        }, True
    records = roster(library, pool).records
    tracks = [track for name in agents if name in records for track in records[name].tracks if track.matches]
    return {(one.item, one.track): DomainRating(rating=one.elo, matches=one.matches) for one in tracks}, False


def _rated(known: Roster) -> dict[str, list[Rating]]:
    """The running ratings of those who debated, by domain, the highest first."""
    found: dict[str, list[Rating]] = {}
    for record in known.records.values():
        for track in record.tracks:
            if track.matches:
                found.setdefault(track.track, []).append(track)
    return {domain: sorted(of, key=lambda one: (-one.elo, one.item)) for domain, of in found.items()}


def _domain(
    name: str, debates: int, rated: list[Rating], fitted: Fitted | None, said: Mapping[str, Foretold]
) -> Domain:
    strong = [] if fitted is None else [one for one in fitted.rows.values() if one.matches]
    first = strong[0] if strong else None
    quick = rated[0] if rated else None
    return Domain(
        domain=name,
        debates=debates,
        agents=len(rated),
        predictions=sum(map(len, said.values())),
        leader=first.agent if first is not None else None if quick is None else quick.item,
        rating=first.strength if first is not None else None if quick is None else quick.elo,
        low=None if first is None else first.low,
        high=None if first is None else first.high,
        may_lead=sum(one.rank_low == 1 for one in strong) if strong else None,
    )
