"""Audits as values: whether the ledger is what it says."""

from collections.abc import Collection
from dataclasses import asdict

from paragone.web.readers.ledger_reader import Library
from paragone.web.views.values import View, Words


class DifferenceView(View):
    """A place where the ledger is not what it should be.

    Attributes:
        pool: The pool.
        table: The table of the row.
        row: The row: its place in the pool, a commit's number, or an item's id.
        message: What differs, in words.
    """

    pool: Words
    table: str
    row: int | Words
    message: Words


class AuditView(View):
    """What an audit found.

    Attributes:
        ok: Whether everything agrees.
        pools: Pools that were checked.
        commits: Commits whose hash was recomputed.
        rows: Rows of evidence whose digest was recomputed.
        ratings: Ratings that were recomputed from the evidence.
        differences: What is damaged or not made as it must be; for each pool that does not agree, the first row that
            differs; and the expected hashes that are not there.
        heads: The last hash of each pool's chain, by pool.
        notes: What is odd and no difference, in words: a clock that went back.
    """

    ok: bool
    pools: int
    commits: int
    rows: int
    ratings: int
    differences: list[DifferenceView]
    heads: dict[Words, str]
    notes: list[Words]


def audit(library: Library, pool: str | None = None, expect: Collection[str] = ()) -> AuditView:
    """Recompute the hash chain and every rating, of one pool or of all, and compare.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If an expected hash is none.
    """
    report = library.ledger.audit(pool, expect=expect)
    return AuditView(ok=report.ok, **{**asdict(report), "heads": dict(report.heads)})
