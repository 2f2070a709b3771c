"""Verdicts of judges and the debate turns before them: recorded when they arrive, and looked up.

The match that verdicts decide is recorded by ``matches``, and so is a person's vote, which is a match.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, bindparam, literal_column, select, union_all

from paragone.domain import Choice, Comparison, CriterionScore, DebateTurn, Ranking, Usage, Verdict
from paragone.errors import Conflict
from paragone.ledger import chain, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import of_few
from paragone.ledger.running_ratings import RatingsOnPage
from paragone.ledger.statements import Statement, StatementForNames


def ranking_of(row: Row[tuple[Any, ...]]) -> Ranking:
    """A row as the ranking that was recorded."""
    verdict = Verdict(**verdict_fields(row), order=tuple(row.order))
    return Ranking(call=row.call, shown=tuple(row.shown), verdict=verdict)


def ranking_values(ranking: Ranking) -> dict[str, Any]:
    """A ranking as the values of its row, less attempt and key."""
    verdict = ranking.verdict
    return {
        "call": ranking.call,
        "shown": list(ranking.shown),
        "order": list(verdict.order),
        **verdict_values(verdict),
    }


TAKEN = ("calls", "input_tokens", "output_tokens", "cost", "seconds")
"""Columns of the usage of a call."""


def verdict_values(verdict: Verdict) -> dict[str, Any]:
    """The columns that every call has."""
    usage = verdict.usage
    return {
        "choice": verdict.choice,
        "judge": verdict.judge,
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


def verdict_fields(row: Row[tuple[Any, ...]]) -> dict[str, Any]:
    """The attributes that every verdict has, from its row."""
    same = {name: getattr(row, name) for name in ("choice", "judge", "rationale", "prompt_hash", "error", "cached")}
    return {**same, "usage": usage_of(row)}


def usage_values(usage: Usage) -> dict[str, Any]:
    """Usage as columns."""
    return {name: getattr(usage, name) for name in TAKEN}


def usage_of(row: Row[tuple[Any, ...]]) -> Usage:
    """Usage from a row."""
    return Usage(**{name: getattr(row, name) for name in TAKEN})


AnyAnswer = Comparison | Ranking


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kind:
    """The table of one kind of answer, and the conversions to a row and back."""

    table: Table
    values: Callable[[Any], dict[str, Any]]
    of: Callable[[Any], AnyAnswer]  # a row, or what has its names


@cache
def _of_calls(table: Table) -> StatementForNames:
    """The attempts at some calls."""
    of_pool = select(table).where(table.c.pool == bindparam("of_pool")).order_by(of_few(table.c.seq))
    return StatementForNames(lambda calls: of_pool.where(table.c.call.in_(calls)))


def record(
    connection: Connection, page: LedgerPage, answer: AnyAnswer, *, key: str | None = None, again: bool = False
) -> None:
    """Record a verdict, an answer or a failure, as soon as it arrives.

    Args:
        connection: A transaction.
        page: A page of the pool.
        answer: The call and its verdict, on two items or on several. An equal answer to the same call changes
            nothing; each failure is another attempt.
        key: The key of the verdict cache; None for a failure, which is never cached.
        again: Whether this may have been recorded before. If so, an equal failure counts as the same attempt.

    Raises:
        NotFound: If there is no such tournament, or it lacks one of the items.
        Conflict: If the call has another answer.
    """
    attempts = Attempts.on(page)
    attempts.look_up(connection, [answer])
    if (again and attempts.has(answer)) or attempts.answered(answer, key) is not None:
        return
    ratings = RatingsOnPage.on(page)
    ratings.look_up(connection, answer.shown)
    ratings.require(answer.shown)
    attempts.add(page, answer, key)


def prepare(connection: Connection, page: LedgerPage, answers: Sequence[AnyAnswer]) -> None:
    """Look up at once what ``record`` asks for each of several answers."""
    Attempts.on(page).look_up(connection, answers)
    RatingsOnPage.on(page).look_up(connection, [item for answer in answers for item in answer.shown])


@dataclass(frozen=True, kw_only=True, slots=True)
class _Attempt:
    """A recorded attempt at a call.

    Attributes:
        seq: Its sequence number.
        values: The values of its row without those of its place in the pool; equal values mean an equal answer.
        key: The key of the verdict cache.
    """

    seq: int
    values: Mapping[str, Any]
    key: str | None

    @property
    def is_answer(self) -> bool:
        return bool(self.values["choice"] != Choice.FAILED)

    def equals(self, answer: AnyAnswer) -> bool:
        return self.values == _KINDS[type(answer)].values(answer)


class Attempts:
    """The attempts at some calls of a pool, recorded or on a page, to which new ones are added."""

    def __init__(self, pool: str) -> None:
        self._pool = pool
        self._by_call: dict[tuple[type[AnyAnswer], str], list[_Attempt]] = {}

    @classmethod
    def on(cls, page: LedgerPage) -> "Attempts":
        """The verdicts that a page knows."""
        attempts: Attempts | None = page.memory.get(cls)
        if attempts is None:
            attempts = page.memory[cls] = cls(page.head.pool)
        return attempts

    def look_up(self, connection: Connection, answers: Iterable[AnyAnswer]) -> None:
        """Read the attempts at the calls of these answers, unless they are known."""
        new = {(type(answer), answer.call) for answer in answers}.difference(self._by_call)
        if not new:
            return
        self._by_call.update((key, []) for key in new)
        for noun, kind in _KINDS.items():
            calls = sorted(call for kind_of_call, call in new if kind_of_call is noun)
            if calls:
                self._read(connection, noun, kind, calls)

    def _read(self, connection: Connection, noun: type[AnyAnswer], kind: _Kind, calls: list[str]) -> None:
        names = kind.table.c.keys()
        for row in _of_calls(kind.table).rows(connection, calls, {"of_pool": self._pool}):
            columns = dict(zip(names, row, strict=True))
            values = {name: value for name, value in columns.items() if name not in _PLACE_COLUMNS}
            attempt = _Attempt(seq=columns["seq"], values=values, key=columns["key"])
            self._by_call[noun, columns["call"]].append(attempt)

    def answered(self, answer: AnyAnswer, key: str | None) -> int | None:
        """The sequence number of the recorded answer, if this is one; None if there is none, and for a failure.

        Raises:
            Conflict: If the call has another answer.
        """
        if answer.verdict.choice.is_answer:
            for attempt in self._by_call[type(answer), answer.call]:
                if attempt.is_answer:
                    _require_equal(attempt, answer, key)
                    return attempt.seq
        return None

    def has(self, answer: AnyAnswer) -> bool:
        """Whether there is an equal attempt."""
        return self._equal(answer) is not None

    def find(self, answer: AnyAnswer) -> int | None:
        """The sequence number of an equal attempt, a failure too; None if it is another attempt.

        Raises:
            Conflict: If the call has another answer.
        """
        if not self._by_call[type(answer), answer.call]:
            return None
        seq = self._equal(answer)
        return self.answered(answer, None) if seq is None else seq

    def _equal(self, answer: AnyAnswer) -> int | None:
        attempts = self._by_call[type(answer), answer.call]
        if not attempts:
            return None
        values = _KINDS[type(answer)].values(answer)
        return next((attempt.seq for attempt in attempts if attempt.values == values), None)

    def add(self, page: LedgerPage, answer: AnyAnswer, key: str | None = None) -> int:
        """The sequence number of a new row for an attempt on the page."""
        kind, attempts = _KINDS[type(answer)], self._by_call[type(answer), answer.call]
        values = kind.values(answer)
        seq = page.add(kind.table, **values, attempt=len(attempts) + 1, key=key)
        attempts.append(_Attempt(seq=seq, values=values, key=key))
        return seq


_PLACE_COLUMNS = ("pool", "seq", "commit", "attempt", "key")


def _require_equal(attempt: _Attempt, answer: AnyAnswer, key: str | None) -> None:
    if not attempt.equals(answer) or (attempt.key and key and attempt.key != key):
        recorded = _KINDS[type(answer)].of(SimpleNamespace(**attempt.values))
        raise Conflict(
            f"call {answer.call!r} has been answered already, with other content "
            f"({recorded.verdict.choice} by {recorded.verdict.judge!r} on {' and '.join(map(repr, recorded.shown))})"
        )


def answered(connection: Connection, pool: str, call: str) -> Verdict | None:
    """The answer to a call; None as long as there is none."""
    return _first_answer(connection, _of_call, {"of_pool": pool, "of_call": call})


def answers(connection: Connection, pool: str, calls: Sequence[str]) -> dict[str, Verdict]:
    """The answers to those of some calls that have one, by call."""
    rows = (
        (kind, SimpleNamespace(**dict(zip(kind.table.c.keys(), row, strict=True))))
        for kind in _KINDS.values()
        for row in _of_calls(kind.table).rows(connection, calls, {"of_pool": pool})
    )
    return {row.call: kind.of(row).verdict for kind, row in rows if row.choice != Choice.FAILED}


def failures(connection: Connection, pool: str, calls: Sequence[str] | None = None) -> tuple[AnyAnswer, ...]:
    """The attempts at calls that failed, in the order of record; their verdicts say why.

    Args:
        connection: A transaction.
        pool: The pool.
        calls: Only attempts at these calls; all if None.
    """
    failed = []
    for kind in _KINDS.values():
        of_pool = (kind.table.c.pool == pool) & (kind.table.c.choice == Choice.FAILED)
        query = select(kind.table).where(of_pool if calls is None else of_pool & kind.table.c.call.in_(calls))
        failed += [(row.commit, row.seq, kind.of(row)) for row in connection.execute(query)]
    return tuple(answer for _, _, answer in sorted(failed, key=itemgetter(0, 1)))


def cached(connection: Connection, key: str) -> Verdict | None:
    """The newest answer with a cache key, in any tournament, as its judge gave it; None if there is none."""
    # Every call of a run asks, and nearly all keys are new: a statement that is compiled once answers those.
    if not _any_of_key.rows(connection, {"of_key": key}):
        return None
    return _first_answer(connection, _by_key, {"of_key": key})


def cached_of(connection: Connection, keys: Iterable[str]) -> dict[str, Verdict]:
    """What ``cached`` finds for several keys, by key; one question where all are new."""
    cached_keys = sorted({key for (key,) in _EXISTING_KEYS.rows(connection, list(dict.fromkeys(keys)), {})})
    answers = ((key, _first_answer(connection, _by_key, {"of_key": key})) for key in cached_keys)
    return {key: verdict for key, verdict in answers if verdict is not None}


@cache
def _of_call(table: Table) -> Select[tuple[Any, ...]]:
    """The answer of a call."""
    same_call = (table.c.pool == bindparam("of_pool")) & (table.c.call == bindparam("of_call"))
    return select(table).where(same_call, table.c.choice != Choice.FAILED)


@cache
def _by_key(table: Table) -> Select[tuple[Any, ...]]:
    """The newest answer with a key that a judge gave."""
    commit = schema.commit
    return (
        select(table)
        .join(commit, chain.same_commit(table))
        .where(table.c.key == bindparam("of_key"), table.c.choice != Choice.FAILED, table.c.cached == 0)
        .order_by(commit.c.id.desc(), table.c.seq.desc())
        .limit(1)
    )


def _first_answer(
    connection: Connection, query: Callable[[Table], Select[tuple[Any, ...]]], values: Mapping[str, str]
) -> Verdict | None:
    for kind in _KINDS.values():
        row = connection.execute(query(kind.table), values).first()
        if row is not None:
            return kind.of(row).verdict
    return None


def comparison_of(row: Row[tuple[Any, ...]]) -> Comparison:
    """A row as the comparison that was recorded."""
    scores = tuple(CriterionScore(criterion=name, first=a, second=b) for name, a, b in row.scores)
    verdict = Verdict(**verdict_fields(row), probability=row.probability, scores=scores)
    return Comparison(call=row.call, first=row.first, second=row.second, verdict=verdict)


def comparison_values(comparison: Comparison) -> dict[str, Any]:
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


_KINDS: dict[type[AnyAnswer], _Kind] = {
    Comparison: _Kind(table=schema.comparison, values=comparison_values, of=comparison_of),
    Ranking: _Kind(table=schema.ranking, values=ranking_values, of=ranking_of),
}


_any_of_key = Statement(
    union_all(*(select(literal_column("1")).where(kind.table.c.key == bindparam("of_key")) for kind in _KINDS.values()))
)
"""A row for each answer with a cache key, also where it failed or was itself found in the cache."""
_EXISTING_KEYS = StatementForNames(
    lambda keys: union_all(*(select(kind.table.c.key).where(kind.table.c.key.in_(keys)) for kind in _KINDS.values()))
)
"""The same for several keys."""


def record_turn(connection: Connection, page: LedgerPage, turn: DebateTurn) -> None:
    """Record a turn of a debate as soon as it is spoken; an equal turn changes nothing.

    Its usage is that of the advocate alone, as the usage of the verdict is that of the judge alone.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If the turn is recorded with other content.
    """
    recorded = turn_before(connection, page.head.pool, turn.call, turn.number)
    if recorded is None:
        page.add(_turn, **turn_values(turn))
    elif recorded != turn:
        raise Conflict(
            f"turn {turn.number} of the debate for call {turn.call!r} is recorded already, with other content; "
            "continue the debate from its recorded turns"
        )


_turn = schema.debate_turn
_TURNS = select(_turn).where(_turn.c.pool == bindparam("of_pool"))
_OF_CALL = _TURNS.where(_turn.c.call == bindparam("of_call")).order_by(_turn.c.number)
_ALL_TURNS, _TURNS_OF_CALL = Statement(_TURNS.order_by(_turn.c.seq)), Statement(_OF_CALL)
_TURN_OF_CALL = Statement(_OF_CALL.where(_turn.c.number == bindparam("of_number")))
_TURN_LISTS = ("claims", "rebuttals", "evidence")
_TURN_TEXTS = ("call", "number", "speaker", "stage", "content", "advocate", "prompt_hash")


def turns(connection: Connection, pool: str, call: str | None = None) -> tuple[DebateTurn, ...]:
    """The turns of the debate before a call, in order; or those of all debates, in the order of record."""
    statement = _ALL_TURNS if call is None else _TURNS_OF_CALL
    return tuple(map(turn_of, statement.named_rows(connection, {"of_pool": pool, "of_call": call})))


def turn_before(connection: Connection, pool: str, call: str, number: int) -> DebateTurn | None:
    """The turn of a number in the debate before a call; None if it was not spoken yet."""
    rows = _TURN_OF_CALL.named_rows(connection, {"of_pool": pool, "of_call": call, "of_number": number})
    return turn_of(rows[0]) if rows else None


def turns_after(connection: Connection, pool: str, after: int, count: int) -> tuple[list[DebateTurn], int]:
    """The next turns of a pool, and the sequence number of the last."""
    query = select(_turn).where(_turn.c.pool == pool, _turn.c.seq > after).order_by(_turn.c.seq).limit(count)
    rows = connection.execute(query).all()
    return list(map(turn_of, rows)), rows[-1].seq if rows else after


def turn_values(turn: DebateTurn) -> dict[str, Any]:
    """A turn as the values of its row."""
    return {
        **{name: getattr(turn, name) for name in _TURN_TEXTS},
        **{name: list(getattr(turn, name)) for name in _TURN_LISTS},
        **usage_values(turn.usage),
    }


def turn_of(row: Row[tuple[Any, ...]]) -> DebateTurn:
    """A row as the turn that was recorded."""
    lists: dict[str, Any] = {name: tuple(getattr(row, name)) for name in _TURN_LISTS}
    return DebateTurn(**{name: getattr(row, name) for name in _TURN_TEXTS}, **lists, usage=usage_of(row))
