"""Audits of a ledger."""

from dataclasses import dataclass

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference(Value):
    """A place where the ledger is not what it should be.

    Attributes:
        pool: The pool.
        table: The table of the row.
        row: The row: its place in the pool, a commit's number, or an item's id.
        message: What differs, in words.
    """

    pool: str
    table: str
    row: int | str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit(Value):
    """What an audit found.

    Attributes:
        ok: Whether everything agrees.
        pools: Pools that were checked.
        commits: Commits whose hash was recomputed.
        rows: Rows of evidence whose digest was recomputed.
        ratings: Ratings that were recomputed from the evidence.
        differences: What is damaged or not made as it must be; for each pool that does not agree, the first row that
            differs; and the expected hashes that are not there.
        heads: The last hash of each pool's chain, by pool. Kept elsewhere, a later audit can be told to expect them; it
            then shows even that the end of a chain was cut off, or that a whole chain was replaced.
        notes: What is odd but no difference, in words, such as a clock that went back.
    """

    ok: bool
    pools: int
    commits: int
    rows: int
    ratings: int
    differences: tuple[Difference, ...]
    heads: dict[str, str]
    notes: tuple[str, ...] = ()
