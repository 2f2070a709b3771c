"""Matches, each recorded in one transaction with the ratings that it changes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    Text,
    bindparam,
    select,
    type_coerce,
)

from paragone.domain import Comparison, Match, Ranking, RatingChange, RatingConfig, Scorecard, decide
from paragone.errors import Conflict, Corrupted, LedgerError, NotFound
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import in_parts, of_few
from paragone.ledger.evidence import pools, rating_changes
from paragone.ledger.evidence.verdicts import Attempts, comparison_of, ranking_of
from paragone.ledger.records import RecordedMatch
from paragone.ledger.running_ratings import RatingsOnPage
from paragone.ledger.statements import Statement, StatementForNames
from paragone.ratings.running_elo import step

_scorecard, _rollback = schema.scorecard, schema.rollback
_FIELDS = ("domain", "task", "counting", "normalization")


def scorecard_values(scorecard: Scorecard) -> dict[str, Any]:
    """A scorecard as the values of its row, less its match."""
    multipliers = scorecard.multipliers or (1.0,) * len(scorecard.participants)
    entries = zip(scorecard.participants, map(float, scorecard.scores), map(float, multipliers), strict=True)
    return {"entries": [list(entry) for entry in entries], **{name: getattr(scorecard, name) for name in _FIELDS}}


def scorecard_of(row: Row[tuple[Any, ...]]) -> Scorecard:
    """A row as the scorecard that was recorded.

    Raises:
        Corrupted: If it is not a valid scorecard.
    """
    try:
        participants, scores, multipliers = zip(*row.entries, strict=True)
        return Scorecard(
            participants=participants,
            scores=scores,
            multipliers=() if all(times == 1.0 for times in multipliers) else multipliers,
            **{name: getattr(row, name) for name in _FIELDS},
        )
    except (TypeError, ValueError) as error:  # no version of paragone wrote such a row
        raise Corrupted(f"the scorecard of match {row.match!r} is not valid ({error}); an audit says more") from error


_match, _link = schema.match, schema.match_comparison
_MATCH_FIELDS = ("round", "a", "b", "outcome", "protocol", "confidence")
_SEQ = select(_match.c.seq).where(_match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match"))


def record(connection: Connection, page: LedgerPage, match: Match) -> tuple[RatingChange, ...]:
    """Record a match with the rating changes it causes, all or nothing; new comparisons of it are recorded too.

    Returns:
        The rating changes; for a match that is already recorded, those of then.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If the match is recorded with other content, or one of its calls has another answer.
    """
    if match.a == match.b:
        raise LedgerError(f"match {match.id!r} pairs {match.a!r} with itself")
    on_record = _Known.on(page)
    on_record.look_up(connection, [match])
    if match.id in on_record.on_page:
        recorded_match, changes = on_record.on_page[match.id]
        _require_equal(page.head.pool, recorded_match, match)
        return changes
    if match.id in on_record.recorded:
        (recorded,) = _load(connection, page.head.pool, [match.id])
        _require_equal(page.head.pool, recorded.match, match)
        return rating_changes.of_match(connection, page.head.pool, match.id)
    return _write(connection, page, match, on_record)


def record_all(connection: Connection, page: LedgerPage, matches: Sequence[Match]) -> list[tuple[RatingChange, ...]]:
    """Record matches in this order, all or none of them.

    Returns:
        The rating changes of each, as ``record`` returns them.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If a match is recorded with other content, or a call has another answer.
    """
    prepare(connection, page, matches)
    return [record(connection, page, match) for match in matches]


def record_new(connection: Connection, page: LedgerPage, match: Match) -> bool:
    """Record a match as ``record`` does, and say whether it is new; False if it was recorded before.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If the match is recorded with other content, or one of its calls has another answer.
    """
    before = len(page.rows)
    record(connection, page, match)
    return len(page.rows) > before


def prepare(connection: Connection, page: LedgerPage, matches: Sequence[Match]) -> None:
    """Look up at once what ``record`` asks for each of several matches."""
    _Known.on(page).look_up(connection, matches)
    Attempts.on(page).look_up(connection, [answer for match in matches for answer in match.answers])


@StatementForNames
def _rated(items: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    """A pool's parameters, a match if it is recorded, and the ratings of items: one query, as every match needs it."""
    rating, pool = schema.rating, schema.pool
    return (
        select(
            type_coerce(pool.c.config, Text).label("config"),
            _SEQ.scalar_subquery().label("there"),
            *rating.c["item", *running_ratings.RECORD],
        )
        .join(pool, pool.c.pool == rating.c.pool)
        .where(rating.c.pool == bindparam("of_pool"), rating.c.item.in_(items))
    )


@StatementForNames
def _recorded(matches: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    return select(_match.c.match).where(_match.c.pool == bindparam("of_pool"), _match.c.match.in_(matches))


class _Known:
    """What is known of the matches of a pool, and of the ratings that they move, while a page is filled.

    Attributes:
        recorded: The matches that the database has, of those that were looked up.
        on_page: The matches of the page, with the changes that they cause.
    """

    def __init__(self, page: LedgerPage) -> None:
        self._pool = page.head.pool
        self._asked: set[str] = set()
        self._config = ""
        self.ratings = RatingsOnPage.on(page)
        self.recorded: set[str] = set()
        self.on_page: dict[str, tuple[Match, tuple[RatingChange, ...]]] = {}

    @classmethod
    def on(cls, page: LedgerPage) -> "_Known":
        """That of a page."""
        memory: _Known | None = page.memory.get(cls)
        if memory is None:
            memory = page.memory[cls] = cls(page)
        return memory

    @property
    def config(self) -> RatingConfig:
        return pools.configured(self._config)

    def look_up(self, connection: Connection, matches: Iterable[Match]) -> None:
        """Read whether matches are recorded, and the ratings of their items, unless that is known."""
        new = {match.id: match for match in matches if match.id not in self._asked}
        if not new:
            return
        self._asked.update(new)
        items = list(dict.fromkeys(self.ratings.missing(item for match in new.values() for item in match.items)))
        alone = next(iter(new)) if len(new) == 1 else ""
        rows = self._read_ratings(connection, items, alone) if items else []
        if alone and rows:
            self.recorded.update([alone] if rows[0][1] is not None else [])
        else:
            self.recorded.update(id for (id,) in _recorded.rows(connection, list(new), {"of_pool": self._pool}))

    def _read_ratings(self, connection: Connection, items: Sequence[str], match: str) -> list[tuple[Any, ...]]:
        rows = _rated.rows(connection, items, {"of_pool": self._pool, "of_match": match})
        self.ratings.learn(items, (running_ratings.rating_of(*record) for _, _, *record in rows))
        self._config = rows[0][0] if rows else self._config
        return rows


def _write(connection: Connection, page: LedgerPage, match: Match, on_record: _Known) -> tuple[RatingChange, ...]:
    on_record.ratings.require(match.items)
    _require_fitting(match)
    after, changes = step(on_record.ratings.of(match.items), match, on_record.config)
    attempts = Attempts.on(page)
    attempts.look_up(connection, match.answers)
    for answer in match.answers:
        attempts.find(answer)  # refuses one that contradicts a recorded one, before anything is put on the page
    compared = [_seq_of(attempts, page, comparison) for comparison in match.comparisons]
    ranked = [] if match.ranking is None else [_seq_of(attempts, page, match.ranking)]
    page.add(_match, **values_of(match))
    for seq in compared:
        page.add(_link, match=match.id, comparison=seq)
    for seq in ranked:
        page.add(schema.match_ranking, match=match.id, ranking=seq)
    rating_changes.add(page, changes, compensates=False)
    if changes:
        on_record.ratings.move(after)
    on_record.on_page[match.id] = match, changes
    return changes


def _seq_of(attempts: Attempts, page: LedgerPage, answer: Comparison | Ranking) -> int:
    seq = attempts.find(answer)
    return attempts.add(page, answer) if seq is None else seq


def _require_fitting(match: Match) -> None:
    """Refuse a match whose answers are about other items, or contradict its outcome."""
    if match.scorecard is not None:
        raise LedgerError(f"match {match.id!r} has a scorecard: record_scores takes it")
    if match.ranking is None:
        items = {id for comparison in match.comparisons for id in comparison.shown}
        if not items <= {match.a, match.b}:
            raise LedgerError(f"match {match.id!r} between {match.a!r} and {match.b!r} has comparisons of other items")
        return
    expected = Match.ranked(match.id, match.ranking)
    if match.comparisons or (match.a, match.b, match.outcome) != (expected.a, expected.b, expected.outcome):
        raise LedgerError(f"match {match.id!r} does not say what its ranking says")


def recorded(connection: Connection, pool: str) -> tuple[RecordedMatch, ...]:
    """All matches of a pool in the order of record, rolled back ones too.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.record(connection, pool)
    return tuple(_load(connection, pool))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[RecordedMatch], int]:
    """A page of the matches of a pool, in the order of record, and the sequence number of the last.

    Args:
        connection: A transaction.
        pool: The pool.
        after: The sequence number before the page.
        count: The largest number of matches.
    """
    rows = _FOLLOWING.rows(connection, {"of_pool": pool, "after": after, "most": count})
    return (_load(connection, pool, [match for _, match in rows]), rows[-1][0]) if rows else ([], after)


def get(connection: Connection, pool: str, id: str) -> RecordedMatch:
    """A match by its id.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    pools.record(connection, pool)
    matches = _load(connection, pool, [id])
    if not matches:
        raise chain.absent("match", id, ids(connection, pool))
    return matches[0]


def ids(connection: Connection, pool: str) -> list[str]:
    """Ids of all matches of a pool, in the order of record."""
    return list(connection.scalars(select(_match.c.match).where(_match.c.pool == pool).order_by(_match.c.seq)))


def with_changes(
    connection: Connection, pool: str, ids: Collection[str]
) -> dict[str, tuple[RecordedMatch, tuple[RatingChange, ...]]]:
    """Some matches of a pool by id, each with its changes: the global ones, then those of its domain."""
    by_id: dict[str, tuple[RecordedMatch, tuple[RatingChange, ...]]] = {}
    for part in in_parts(list(ids)):
        did = rating_changes.of_matches(connection, pool, part)
        entries = _load(connection, pool, part)
        by_id.update((entry.match.id, (entry, tuple(did.get(entry.match.id, ())))) for entry in entries)
    return by_id


def _load(connection: Connection, pool: str, matches: Sequence[str] | None = None) -> list[RecordedMatch]:
    """Some matches, by id, or all."""
    rows = sorted(_MATCHES.rows(connection, pool, matches), key=attrgetter("seq"))
    if not rows:
        return []
    compared: defaultdict[str, list[Comparison]] = defaultdict(list)
    for row in _COMPARISONS.rows(connection, pool, matches):
        compared[row.of_match].append(comparison_of(row))
    ranked = {row.of_match: ranking_of(row) for row in _RANKINGS.rows(connection, pool, matches)}
    scored = {row.match: scorecard_of(row) for row in _SCORECARDS.rows(connection, pool, matches)}
    return [
        RecordedMatch(
            match=_of(row, tuple(compared.get(row.match, ())), ranked.get(row.match), scored.get(row.match)),
            sequence=row.seq,
            at=row.at,
            rolled_back=row.rolled_back is not None,
        )
        for row in rows
    ]


class _OfMatches:
    """Reads rows about the matches of a pool in the order of record: about all, or about some.

    Args:
        query: The rows about all matches of all pools, joined with the matches.
        seq: The sequence number of the rows.
    """

    def __init__(self, query: Select[Any], seq: ColumnElement[int]) -> None:
        of_pool = query.where(seq.table.c.pool == bindparam("of_pool"))
        self._all = Statement(of_pool.order_by(seq))
        self._some = StatementForNames(lambda ids: of_pool.where(_match.c.match.in_(ids)).order_by(of_few(seq)))

    def rows(self, connection: Connection, pool: str, matches: Sequence[str] | None) -> list[Any]:
        """The rows about some matches, by id, or about all."""
        values = {"of_pool": pool}
        if matches is None:
            return self._all.named_rows(connection, values)
        return self._some.named_rows(connection, matches, values)


def _same_match(table: Table) -> ColumnElement[bool]:
    return (table.c.pool == _match.c.pool) & (table.c.match == _match.c.match)


def _answers(link: Table, answer: Table) -> Select[Any]:
    """The answers that matches rest on, each with the match."""
    same_answer = (answer.c.pool == link.c.pool) & (answer.c.seq == link.c[answer.name])
    return select(link.c.match.label("of_match"), answer).join(answer, same_answer).join(_match, _same_match(link))


_MATCHES = _OfMatches(
    chain.with_time(_match, select(_match, _rollback.c.seq.label("rolled_back"))).outerjoin(
        _rollback, _same_match(_rollback)
    ),
    _match.c.seq,
)
_COMPARISONS = _OfMatches(_answers(_link, schema.comparison), _link.c.seq)
_RANKINGS = _OfMatches(_answers(schema.match_ranking, schema.ranking), schema.match_ranking.c.seq)
_SCORECARDS = _OfMatches(select(_scorecard).join(_match, _same_match(_scorecard)), _scorecard.c.seq)
_FOLLOWING = Statement(
    select(_match.c.seq, _match.c.match)
    .where(_match.c.pool == bindparam("of_pool"), _match.c.seq > bindparam("after"))
    .order_by(_match.c.seq)
    .limit(bindparam("most"))
)


def _require_equal(pool: str, recorded_match: Match, match: Match) -> None:
    if recorded_match == match:
        return
    field = next(name for name in asdict(match) if getattr(recorded_match, name) != getattr(match, name))
    raise Conflict(
        f"match {match.id!r} of pool {pool!r} is recorded already, with another {field}; to correct it, roll it back "
        "and record the new one under another id"
    )


def values_of(match: Match) -> dict[str, Any]:
    """A match as the values of its row; its comparisons, ranking and scorecard have rows of their own."""
    return {"match": match.id, **{name: getattr(match, name) for name in _MATCH_FIELDS}}


def exists(connection: Connection, pool: str, match: str) -> bool:
    """Whether a pool has a match."""
    return bool(_EXISTS.rows(connection, {"of_pool": pool, "of_match": match}))


def rollback_reason(connection: Connection, pool: str, match: str) -> str:
    """Why a match was rolled back; empty if it was not."""
    query = select(_rollback.c.reason).where(_rollback.c.pool == pool, _rollback.c.match == match)
    return str(connection.scalar(query) or "")


def rollbacks_after(connection: Connection, pool: str, after: int) -> list[tuple[int, str]]:
    """The rollbacks after a sequence number, in order: the sequence number and the match of each."""
    return [(seq, match) for seq, match in _ROLLBACKS.rows(connection, {"of_pool": pool, "after": after})]


_EXISTS = Statement(
    select(_match.c.seq).where(_match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match"))
)
_ROLLBACKS = Statement(
    select(_rollback.c.seq, _rollback.c.match)
    .where(_rollback.c.pool == bindparam("of_pool"), _rollback.c.seq > bindparam("after"))
    .order_by(_rollback.c.seq)
)


def _of(
    row: Row[tuple[Any, ...]],
    comparisons: tuple[Comparison, ...],
    ranking: Ranking | None,
    scorecard: Scorecard | None,
) -> Match:
    fields = {name: getattr(row, name) for name in _MATCH_FIELDS}
    return Match(id=row.match, **fields, comparisons=comparisons, ranking=ranking, scorecard=scorecard)


def history(
    connection: Connection, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
) -> tuple[Match, ...]:
    """The matches that count, in the order of record, without some matches and without some judges' verdicts.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    return tuple(counted(connection, pool, without_matches, without_judges).values())


def counted(
    connection: Connection, pool: str, without_matches: Collection[str], without_judges: Collection[str]
) -> dict[int, Match]:
    """``history``, by sequence number."""
    recorded_matches = recorded(connection, pool)
    _require(pool, "match", without_matches, [entry.match.id for entry in recorded_matches])
    judges = {answer.verdict.judge for entry in recorded_matches for answer in entry.match.answers}
    _require(pool, "judge", without_judges, sorted(judges))
    by_seq = {
        entry.sequence: _without(entry.match, without_judges)
        for entry in recorded_matches
        if not entry.rolled_back and entry.match.id not in without_matches
    }
    return {seq: match for seq, match in by_seq.items() if match is not None}


def _without(match: Match, judges: Collection[str]) -> Match | None:
    if match.ranking is not None:
        return None if match.ranking.verdict.judge in judges else match
    remaining = tuple(comparison for comparison in match.comparisons if comparison.verdict.judge not in judges)
    if len(remaining) == len(match.comparisons):
        return match
    if not remaining:
        return None
    scores = (comparison.score_of(match.a) for comparison in remaining)
    return replace(match, comparisons=remaining, outcome=decide(score for score in scores if score is not None))


def _require(pool: str, noun: str, ids: Collection[str], existing: list[str]) -> None:
    unknown = sorted(set(ids).difference(existing))
    if unknown:
        raise NotFound(f"pool {pool!r}: {chain.absent(noun, unknown[0], existing)}")
