"""The ballots of a server: one for each pool that somebody votes on, made when the first comes."""

import secrets
import threading
import time
from collections import OrderedDict

from paragone.domain import Item
from paragone.errors import InvalidConfig, InvalidEvidence, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.tournament_settings import IMPORTED, TournamentSettings
from paragone.web.books.aside import Aside
from paragone.web.books.library import Library
from paragone.web.config import WebConfig
from paragone.web.voting.ballot import Ballot
from paragone.web.voting.offer import Offer, opened, sealed

OPEN_AT_ONCE = 16
"""Pools whose ballots are kept; that of the pool that was voted on least recently goes first."""


class Ballots:
    """What votes and verdicts from outside go through. Threads share one.

    Attributes:
        seconds: How long a person may look at a pair.
    """

    def __init__(self, library: Library, config: WebConfig) -> None:
        self.seconds = 60.0 * config.offer_minutes
        # Without a secret there is one of this process: nobody else takes its offers, nor it those of before a restart.
        self._secret = config.secret or secrets.token_bytes(32)
        self._library = library
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Ballot] = OrderedDict()
        self._aside = Aside(2, "pairs")

    def of(self, pool: str) -> Ballot:
        """The ballot of a pool.

        Raises:
            NotFound: If there is no such pool.
            InvalidConfig: If it cannot be voted on.
        """
        self._library.version(pool)
        with self._lock:
            found = self._kept.get(pool)
            if found is None:
                brief = brief_of(self._library, pool)
                require_open(self._library, pool, brief)
                found = self._kept[pool] = Ballot(self._library.ledger, pool, brief.goal, self._aside)
            self._kept.move_to_end(pool)
            if len(self._kept) > OPEN_AT_ONCE:
                self._kept.popitem(last=False)
            return found

    def sealed(self, offer: Offer) -> str:
        """An offer as it is handed out."""
        return sealed(offer, self._secret)

    def opened(self, text: str, pool: str, judge: str) -> Offer:
        """An offer as it comes back.

        Raises:
            InvalidEvidence: If it is none of ours, is too old, or was made to somebody else or for another pool.
        """
        offer = opened(text, self._secret, time.time())
        if (offer.pool, offer.judge) != (pool, judge):
            raise InvalidEvidence("this pair was handed out to somebody else, or is of another pool; ask for your own")
        return offer

    def texts(self, offer: Offer) -> tuple[Item, Item]:
        """The two items of an offer, as they are shown."""
        found = self._library.ledger.some_items(offer.pool, [offer.first, offer.second])
        return found[offer.first], found[offer.second]

    def close(self) -> None:
        """Plan nothing more; votes are in the ledger already."""
        self._aside.shutdown()


def brief_of(library: Library, pool: str) -> TournamentSettings:
    """What a tournament is asked to do, with the limits that it got later.

    Raises:
        NotFound: If the pool is no tournament: nobody has said what "better" means there.
    """
    if not library.is_tournament(pool):
        raise NotFound(
            f"pool {pool!r} has no criteria, so nobody can vote on it: make one with criteria, from its items"
        )
    ledger: Ledger = library.ledger
    return TournamentSettings.from_json(ledger.tournament(pool).settings).after(ledger.events(pool))


def require_open(library: Library, pool: str, brief: TournamentSettings) -> None:
    """Refuse votes on a tournament that has no room for them, or nothing to show.

    Raises:
        InvalidConfig: If it is of that kind.
    """
    reason = why_closed(library, pool, brief)
    if reason:
        raise InvalidConfig(reason)


def why_closed(library: Library, pool: str, brief: TournamentSettings) -> str:
    """Why nobody can vote on a tournament; empty where people can."""
    if brief.pairing != "informative":
        return (
            f"{pool} is paired by {brief.pairing}, which plans who meets whom in rounds of its own; votes are for "
            "pools with the informative pairing: make one from its items"
        )
    if brief.judge == IMPORTED and not library.kept("has texts", pool, lambda: library.ledger.has_texts(pool)):
        return (
            f"the items of {pool} are known by their ids alone, since its votes were imported: there is no text that a "
            "voter could be shown; make a pool with their texts"
        )
    return ""
