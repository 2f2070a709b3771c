"""What wins and what loses in a tournament, as values."""

from paragone.tournaments.results.patterns import analyse_patterns
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.whole_tournament import of_whole
from paragone.wire.pattern import Patterns


def patterns(reader: LedgerReader, pool: str) -> Patterns:
    """What wins and what loses, by the tournament's own parameters. Nothing is recorded, and no model is asked.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        MissingExtra: If scikit-learn is not installed.
        Busy: If it is still being made.
    """
    analysis = of_whole(reader, "patterns", pool, lambda: analyse_patterns(reader.state(pool)))
    return Patterns.like(analysis)
