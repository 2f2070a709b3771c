"""Verdicts: kept when they arrive, found again, added up."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, case, func, select

from paragone.domain import Choice, Comparison, CriterionScore, Usage, Verdict
from paragone.errors import Conflict
from paragone.ledger import chain, projections, schema
from paragone.ledger.chain import Page
from paragone.ledger.records import Tally

_table = schema.comparison
_answered = _table.c.choice != Choice.FAILED
_original = _table.c.cached == 0


def record(connection: Connection, pool: str, comparison: Comparison, key: str | None, at: datetime) -> None:
    """Keep one comparison; an answered call again, with equal content, changes nothing.

    Raises:
        NotFound: If there is no such pool, or one of the items is not in it.
        Conflict: If the call has another answer.
    """
    with chain.appending(connection, pool, at) as page:
        known = Known(connection, pool, [comparison])
        known.keep(page, comparison, key)
        if page.rows:
            projections.pair(connection, pool, (comparison.first, comparison.second))


class Known:
    """The stored attempts at some calls of a pool, and where new ones go."""

    def __init__(self, connection: Connection, pool: str, comparisons: Iterable[Comparison]) -> None:
        self._attempts: dict[str, list[tuple[int, Comparison, str | None]]] = defaultdict(list)
        calls = sorted({comparison.call for comparison in comparisons})
        if not calls:
            return
        wanted = select(_table).where(_table.c.pool == pool, _table.c.call.in_(calls)).order_by(_table.c.seq)
        for row in connection.execute(wanted):
            self._attempts[row.call].append((row.seq, comparison_of(row), row.key))

    def keep(self, page: Page, comparison: Comparison, key: str | None) -> int:
        """The place of a comparison that is kept already, or of the row that was added to the page for it.

        A failure is another attempt each time.

        Raises:
            Conflict: If the call has another answer.
        """
        attempts = self._attempts[comparison.call]
        if comparison.verdict.choice.is_answer:
            for seq, there, its_key in attempts:
                if there.verdict.choice.is_answer:
                    _require_equal(there, comparison, its_key, key)
                    return seq
        seq = page.add(_table, **_values(comparison, len(attempts) + 1, key))
        attempts.append((seq, comparison, key))
        return seq

    def find(self, page: Page, comparison: Comparison) -> int:
        """Like ``keep``, but a failure that is kept already, with equal content, is taken for the same one."""
        for seq, there, _ in self._attempts[comparison.call]:
            if there == comparison:
                return seq
        return self.keep(page, comparison, None)


def _require_equal(there: Comparison, comparison: Comparison, its_key: str | None, key: str | None) -> None:
    if there != comparison or (its_key and key and its_key != key):
        raise Conflict(
            f"call {comparison.call!r} has been answered already, with other content "
            f"({there.verdict.choice} by {there.verdict.judge!r} on {there.first!r} and {there.second!r})"
        )


def answered(connection: Connection, pool: str, call: str) -> Verdict | None:
    """The answer of a call; None while it has none."""
    row = connection.execute(select(_table).where(_table.c.pool == pool, _table.c.call == call, _answered)).first()
    return None if row is None else comparison_of(row).verdict


def cached(connection: Connection, key: str) -> Verdict | None:
    """The newest answer in any pool to the question with this key, as its judge gave it; None if there is none."""
    commit = schema.commit
    row = connection.execute(
        select(_table)
        .join(commit, (commit.c.pool == _table.c.pool) & (commit.c.number == _table.c.commit))
        .where(_table.c.key == key, _answered, _original)
        .order_by(commit.c.id.desc(), _table.c.seq.desc())
        .limit(1)
    ).first()
    return None if row is None else comparison_of(row).verdict


def tally(connection: Connection, pool: str) -> Tally:
    """What the verdicts of a pool took."""
    unpriced = func.sum(case((_answered & _original & _table.c.cost.is_(None), 1), else_=0))
    sums = (
        func.count().filter(_original).label("calls"),
        func.count().filter(_table.c.cached == 1).label("cached_calls"),
        func.count().filter(_table.c.choice == Choice.FAILED).label("failed_calls"),
        *(
            func.coalesce(func.sum(_table.c[name]).filter(_original), 0).label(name)
            for name in ("input_tokens", "output_tokens", "cost", "seconds")
        ),
        func.coalesce(func.sum(_table.c.calls).filter(_original), 0).label("requests"),
        unpriced.label("unpriced"),
    )
    row = connection.execute(select(*sums).where(_table.c.pool == pool)).one()
    return Tally(
        calls=row.calls,
        cached_calls=row.cached_calls,
        failed_calls=row.failed_calls,
        requests=int(row.requests),
        input_tokens=int(row.input_tokens),
        output_tokens=int(row.output_tokens),
        cost=None if row.unpriced else float(row.cost),
        seconds=float(row.seconds),
    )


def comparison_of(row: Row[tuple[Any, ...]]) -> Comparison:
    """A row as the comparison that was recorded."""
    verdict = Verdict(
        choice=row.choice,
        judge=row.judge,
        probability=row.probability,
        scores=tuple(CriterionScore(criterion=name, first=a, second=b) for name, a, b in row.scores),
        rationale=row.rationale,
        prompt_hash=row.prompt_hash,
        usage=Usage(
            calls=row.calls,
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
            cost=row.cost,
            seconds=row.seconds,
        ),
        error=row.error,
        cached=row.cached,
    )
    return Comparison(call=row.call, first=row.first, second=row.second, verdict=verdict)


def _values(comparison: Comparison, attempt: int, key: str | None) -> dict[str, Any]:
    verdict, usage = comparison.verdict, comparison.verdict.usage
    return {
        "call": comparison.call,
        "attempt": attempt,
        "key": key,
        "first": comparison.first,
        "second": comparison.second,
        "choice": verdict.choice,
        "judge": verdict.judge,
        "probability": verdict.probability,
        "scores": [[score.criterion, score.first, score.second] for score in verdict.scores],
        "rationale": verdict.rationale,
        "prompt_hash": verdict.prompt_hash,
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
        "seconds": usage.seconds,
        "error": verdict.error,
        "cached": verdict.cached,
    }
