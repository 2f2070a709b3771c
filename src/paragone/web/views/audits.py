"""Audits as values: whether the ledger is what it says."""

from collections.abc import Collection

from paragone.web.readers.ledger_reader import LedgerReader
from paragone.wire.audit import Audit


def audit(reader: LedgerReader, pool: str | None = None, expect: Collection[str] = ()) -> Audit:
    """Recompute the hash chain and every rating, of one pool or of all, and compare.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If an expected hash is none.
    """
    report = reader.ledger.audit(pool, expect=expect)
    return Audit.like(report)
