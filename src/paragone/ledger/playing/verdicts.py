"""Verdicts: kept when they arrive, and found again."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, bindparam, select

from paragone.domain import Choice, Comparison, CriterionScore, Ranking, Verdict
from paragone.errors import Conflict
from paragone.ledger import chain, projections, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import of_few, read, stored, words
from paragone.ledger.databases.prepared import PreparedForNames
from paragone.ledger.playing import rankings
from paragone.ledger.playing.verdict_columns import verdict_fields, verdict_values

Answer = Comparison | Ranking


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kind:
    """Where one kind of answer is kept, and how it becomes a row and comes back."""

    table: Table
    values: Callable[[Any], dict[str, Any]]
    of: Callable[[Any], Answer]  # a row, or what has its names


@cache
def _of_calls(table: Table) -> PreparedForNames:
    """The attempts at some calls."""
    of_pool = select(table).where(table.c.pool == bindparam("of_pool")).order_by(of_few(table.c.seq))
    return PreparedForNames(lambda calls: of_pool.where(table.c.call.in_(calls)))


def record(
    connection: Connection, pool: str, answer: Answer, key: str | None, at: datetime, *, again: bool = False
) -> None:
    """Keep one comparison or ranking; an answered call again, with equal content, changes nothing.

    Where it is said ``again``, nobody knowing whether it was kept, that holds for a failure too.

    Raises:
        NotFound: If there is no such pool, or one of the items is not in it.
        Conflict: If the call has another answer.
    """
    with chain.appending(connection, pool, at) as page:
        known = Known(connection, pool, [answer])
        if not (again and known.has(answer)):
            known.keep(page, answer, key)
        if page.rows:
            projections.pair(connection, pool, answer.shown)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Attempt:
    """An attempt at a call: its place in the pool, what its row says besides that, and what the cache finds it by.

    Two attempts have equal content where their rows say the same: so rows need not become nouns to be compared.
    """

    seq: int
    said: Mapping[str, Any]
    key: str | None

    @property
    def is_answer(self) -> bool:
        return bool(self.said["choice"] != Choice.FAILED)

    def says(self, answer: Answer) -> bool:
        kind = _KINDS[type(answer)]
        return self.said == _said(stored(kind.table, kind.values(answer))) or self.noun(answer) == answer

    def noun(self, like: Answer) -> Answer:
        kind = _KINDS[type(like)]
        return kind.of(SimpleNamespace(**read(kind.table, self.said)))


_PLACES = ("pool", "seq", "commit", "attempt", "key")


def _said(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _PLACES}


class Known:
    """The stored attempts at some calls of a pool, and where new ones go."""

    def __init__(self, connection: Connection, pool: str, answers: Iterable[Answer]) -> None:
        self._attempts: dict[str, list[_Attempt]] = defaultdict(list)
        wanted = list(answers)
        for noun, kind in _KINDS.items():
            calls = sorted({answer.call for answer in wanted if isinstance(answer, noun)})
            if calls:
                self._read(connection, pool, kind, calls)

    def _read(self, connection: Connection, pool: str, kind: _Kind, calls: list[str]) -> None:
        names = kind.table.c.keys()
        for values in _of_calls(kind.table).rows(connection, calls, {"of_pool": words(pool)}):
            row = dict(zip(names, values, strict=True))
            self._attempts[row["call"]].append(_Attempt(seq=row["seq"], said=_said(row), key=row["key"]))

    def keep(self, page: Page, answer: Answer, key: str | None) -> int:
        """The place of an answer that is kept already, or of the row that was added to the page for it.

        A failure is another attempt each time.

        Raises:
            Conflict: If the call has another answer.
        """
        attempts = self._attempts[words(answer.call)]
        if answer.verdict.choice.is_answer:
            for there in attempts:
                if there.is_answer:
                    _require_equal(there, answer, key)
                    return there.seq
        kind = _KINDS[type(answer)]
        values = kind.values(answer)
        seq = page.add(kind.table, **values, attempt=len(attempts) + 1, key=key)
        row = stored(kind.table, {**values, "key": key})
        attempts.append(_Attempt(seq=seq, said=_said(row), key=row["key"]))
        return seq

    def has(self, answer: Answer) -> bool:
        """Whether an attempt with equal content is kept."""
        return any(there.says(answer) for there in self._attempts[words(answer.call)])

    def find(self, page: Page, answer: Answer) -> int:
        """Like ``keep``, but a failure that is kept already, with equal content, is taken for the same one."""
        for there in self._attempts[words(answer.call)]:
            if there.says(answer):
                return there.seq
        return self.keep(page, answer, None)


def _require_equal(there: _Attempt, answer: Answer, key: str | None) -> None:
    if not there.says(answer) or (there.key and key and there.key != words(key)):
        known = there.noun(answer)
        raise Conflict(
            f"call {answer.call!r} has been answered already, with other content "
            f"({known.verdict.choice} by {known.verdict.judge!r} on {' and '.join(map(repr, known.shown))})"
        )


def answered(connection: Connection, pool: str, call: str) -> Verdict | None:
    """The answer of a call; None while it has none."""
    return _first_answer(connection, _of_call, {"of_pool": pool, "of_call": call})


def cached(connection: Connection, key: str) -> Verdict | None:
    """The newest answer in any pool to the question with this key, as its judge gave it; None if there is none."""
    return _first_answer(connection, _by_key, {"of_key": key})


@cache
def _of_call(table: Table) -> Select[tuple[Any, ...]]:
    """The answer of a call."""
    its_own = (table.c.pool == bindparam("of_pool")) & (table.c.call == bindparam("of_call"))
    return select(table).where(its_own, table.c.choice != Choice.FAILED)


@cache
def _by_key(table: Table) -> Select[tuple[Any, ...]]:
    """The newest answer with a key that a judge gave."""
    commit = schema.commit
    return (
        select(table)
        .join(commit, (commit.c.pool == table.c.pool) & (commit.c.number == table.c.commit))
        .where(table.c.key == bindparam("of_key"), table.c.choice != Choice.FAILED, table.c.cached == 0)
        .order_by(commit.c.id.desc(), table.c.seq.desc())
        .limit(1)
    )


def _first_answer(
    connection: Connection, asked: Callable[[Table], Select[tuple[Any, ...]]], values: Mapping[str, str]
) -> Verdict | None:
    for kind in _KINDS.values():
        row = connection.execute(asked(kind.table), values).first()
        if row is not None:
            return kind.of(row).verdict
    return None


def comparison_of(row: Row[tuple[Any, ...]]) -> Comparison:
    """A row as the comparison that was recorded."""
    scores = tuple(CriterionScore(criterion=name, first=a, second=b) for name, a, b in row.scores)
    verdict = Verdict(**verdict_fields(row), probability=row.probability, scores=scores)
    return Comparison(call=row.call, first=row.first, second=row.second, verdict=verdict)


def values_of(comparison: Comparison) -> dict[str, Any]:
    """A comparison as the values of its row, less attempt and key."""
    verdict = comparison.verdict
    return {
        "call": comparison.call,
        "first": comparison.first,
        "second": comparison.second,
        "probability": verdict.probability,
        "scores": [[score.criterion, score.first, score.second] for score in verdict.scores],
        **verdict_values(verdict),
    }


_KINDS: dict[type[Answer], _Kind] = {
    Comparison: _Kind(table=schema.comparison, values=values_of, of=comparison_of),
    Ranking: _Kind(table=schema.ranking, values=rankings.values_of, of=rankings.ranking_of),
}
