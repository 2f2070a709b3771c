"""Whether the results of a tournament hang together, as values: circles, surprises, swings, both orders, judges."""

from paragone.tournaments.results.quality import quality_of
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.whole_tournament import of_whole
from paragone.wire.consistency import Consistency


def consistency(reader: LedgerReader, pool: str) -> Consistency:
    """Put a tournament to all checks.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        Busy: If they are still being made.
    """
    quality = of_whole(reader, "consistency", pool, lambda: quality_of(reader.ledger, reader.state(pool)))
    return Consistency.like(quality)
