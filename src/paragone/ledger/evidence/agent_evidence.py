"""All evidence about agents: listed, found by id, and recorded once under an id."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, Protocol, TypeVar

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    and_,
    bindparam,
    literal,
    or_,
    select,
)

from paragone.domain import DEALINGS, EvidenceKind
from paragone.domain.agent_evidence import parse_reference, reference
from paragone.domain.suggestions import instead
from paragone.errors import Conflict, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.column_types import TextType
from paragone.ledger.evidence import rating_changes
from paragone.ledger.records import RecordedEvidence
from paragone.ledger.statements import Statement, StatementForNames

NEAR = 1000
"""How many of the newest pieces of evidence of each kind are searched for similar ids."""

NONE = 0
"""The sequence number of no row."""

ContentOf = Callable[[Row[Any]], tuple[tuple[str, ...], Mapping[str, Any]]]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Source:
    """The table of one kind of evidence.

    Attributes:
        kind: The kind.
        columns: What is read of a row.
        id: The column of its id; None if it has none.
        of_agent: Makes the condition that a row is about an agent.
        content: Gives the agents and the content of a row.
        only: The condition for rows of this kind, if the table has several.
        session: A column that may name several pieces together.
    """

    kind: EvidenceKind
    columns: tuple[Column[Any], ...]
    id: Column[Any] | None
    of_agent: Callable[[BindParameter[str]], ColumnElement[bool]]
    content: ContentOf
    only: ColumnElement[bool] | None = None
    session: Column[Any] | None = None

    def rows(self) -> Select[Any]:
        """The query for the rows of a pool, ``of_pool``, each with its time and the reason of its void."""
        table = self.table
        void, is_voided = _void_of(table)
        own = literal(None, TextType) if self.id is None else self.id
        query = (
            chain.with_time(table, select(table.c.seq, own.label("own_id"), void.c.reason, *self.columns))
            .outerjoin(void, is_voided)
            .where(table.c.pool == bindparam("of_pool"))
        )
        return query if self.only is None else query.where(self.only)

    @property
    def table(self) -> Any:  # noqa: ANN401 - a table or what stands for one
        return self.columns[0].table

    def recorded(self, row: Any) -> RecordedEvidence:  # noqa: ANN401 - a named row
        """A row as evidence."""
        agents, content = self.content(row)
        id = row.own_id or reference(self.kind, row.seq)
        return RecordedEvidence(
            kind=self.kind, id=id, sequence=row.seq, at=row.at, agents=agents, content=content, void=row.reason
        )


def newest(
    connection: Connection,
    pool: str,
    *,
    kind: EvidenceKind | None = None,
    agent: str | None = None,
    count: int | None = None,
    before: int | None = None,
) -> tuple[RecordedEvidence, ...]:
    """The evidence about agents, voided evidence too, newest first.

    Args:
        connection: A transaction.
        pool: The pool.
        kind: Only this kind.
        agent: Only evidence about this agent.
        count: The largest number of pieces; None for all.
        before: Only evidence before this sequence number.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.require(connection, pool)
    most = rating_changes.ALL if count is None else count
    values = {"of_pool": pool, "of_agent": agent, "before": before, "most": most}
    listed: list[RecordedEvidence] = []
    for source in _of_kind(kind):
        statement = _newest(source, agent is not None, before is not None)
        listed.extend(map(source.recorded, statement.named_rows(connection, values)))
    return tuple(sorted(listed, key=attrgetter("sequence"), reverse=True)[:count])


@cache
def _newest(source: _Source, of_agent: bool, is_before: bool) -> Statement:
    """The newest rows of a pool: ``most``, of one agent or all, and before a sequence number or all."""
    query, seq = source.rows(), source.table.c.seq
    if of_agent:
        query = query.where(source.of_agent(bindparam("of_agent")))
    if is_before:
        query = query.where(seq < bindparam("before"))
    return Statement(query.order_by(seq.desc()).limit(bindparam("most")))


def find(connection: Connection, pool: str, ids: Sequence[str], kind: EvidenceKind | None = None) -> RecordedEvidence:
    """The piece of evidence that an id means.

    Args:
        connection: A transaction.
        pool: The pool.
        ids: The id or reference, then other ids under which it may be recorded.
        kind: Its kind; None for any.

    Raises:
        NotFound: If there is no such pool, or no such evidence in it; the message names the nearest ids.
        Conflict: If the id matches several pieces of evidence; the message names the reference of each.
    """
    chain.require(connection, pool)
    matching = [each for source in _of_kind(kind) for each in _by_id(connection, pool, source, ids)]
    if not matching:
        names = [name for each in newest(connection, pool, kind=kind, count=NEAR) for name in _names(each)]
        noun = "evidence" if kind is None else f"evidence of kind {kind.value}"
        raise NotFound(f"pool {pool!r} has no {noun} {ids[0]!r}; {instead(ids[0], dict.fromkeys(names))}")
    if {each.kind for each in matching} == {EvidenceKind.RESOLUTION}:
        return max(matching, key=attrgetter("sequence"))  # earlier ones of the same tournament are void
    if len(matching) > 1:
        references = ", ".join(f"{each.reference} ({', '.join(each.agents)})" for each in matching[:5])
        raise Conflict(
            f"{ids[0]!r} means {len(matching)} pieces of evidence of pool {pool!r}; name one of {references}"
        )
    return matching[0]


def _by_id(connection: Connection, pool: str, source: _Source, ids: Sequence[str]) -> list[RecordedEvidence]:
    kind, number = parse_reference(ids[0]) or (None, NONE)
    seq = number if kind is source.kind else NONE
    if source.id is None and seq == NONE:
        return []
    values = {"of_pool": pool, "of_seq": seq, "of_session": ids[0]}
    return list(map(source.recorded, _named(source).named_rows(connection, ids, values)))


@cache
def _named(source: _Source) -> StatementForNames:
    """The rows of a pool that have one of some ids, a session or a sequence number."""
    by_seq = source.table.c.seq == bindparam("of_seq")
    by_session = [] if source.session is None else [source.session == bindparam("of_session")]

    def query(ids: Sequence[BindParameter[str]]) -> Select[Any]:
        by_id = [] if source.id is None else [source.id.in_(ids)]
        return source.rows().where(or_(by_seq, *by_session, *by_id))

    return StatementForNames(query)


def _names(evidence: RecordedEvidence) -> Iterable[str]:
    yield evidence.id
    yield evidence.reference
    if evidence.content.get("session"):
        yield str(evidence.content["session"])


def _of_kind(kind: EvidenceKind | None) -> Sequence[_Source]:
    return [source for source in _SOURCES if kind is None or source.kind is kind]


def _void_of(table: Any) -> tuple[Any, ColumnElement[bool]]:  # noqa: ANN401 - a table or what stands for one
    """What voids the rows of a table, and how it is joined."""
    if table is schema.scorecard:
        rollback = schema.rollback
        return rollback, and_(rollback.c.pool == table.c.pool, rollback.c.match == table.c.match)
    void = schema.void
    return void, and_(void.c.pool == table.c.pool, void.c.target == table.c.seq)


def _of_one_agent(kind: EvidenceKind, table: Table, id: Column[Any] | None, *names: str) -> _Source:
    """Evidence about one agent, whose content is some columns of its row."""
    return _Source(
        kind=kind,
        columns=tuple(table.c["item", *names]),
        id=id,
        of_agent=lambda agent: table.c.item == agent,
        content=lambda row: ((row.item,), {name: getattr(row, name) for name in names}),
    )


def _debate_content(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    scores = {str(name): score for name, score, _ in row.entries}
    return tuple(scores), {"scores": scores, "domain": row.domain, "task": row.task}


def _relation_content(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    counts = {name: getattr(row, name) for name in DEALINGS}
    return (row.a, row.b), {name: count for name, count in counts.items() if count}


def _test_content(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    session = {"session": row.session} if row.session else {}
    return (row.item,), {**row.measured, "domain": row.domain, "change": row.new - row.old, **session}


def _adjustment_content(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    return (row.item,), {"cause": row.kind.value, "change": row.new - row.old}


def _resolution_content(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    return (row.winner,), {"tournament": row.tournament, "winner": row.winner}


def _test_source(kind: EvidenceKind) -> _Source:
    test = schema.test
    return _Source(
        kind=kind,
        columns=tuple(test.c["item", "measured", "session", "domain", "old", "new"]),
        id=test.c.test,
        of_agent=lambda agent: test.c.item == agent,
        content=_test_content,
        only=test.c.kind == kind.value,
        session=test.c.session,
    )


_card, _resolution, _relation = schema.scorecard, schema.resolution, schema.relation
_domain_prediction, _critique = schema.domain_prediction, schema.critique
_adjustment = schema.adjustment
_SOURCES = (
    _Source(
        kind=EvidenceKind.DEBATE,
        columns=tuple(_card.c["match", "entries", "domain", "task"]),
        id=_card.c.match,
        of_agent=lambda agent: _card.c.match.in_(rating_changes.matches_of(_card.c.pool, agent)),
        content=_debate_content,
    ),
    _of_one_agent(EvidenceKind.PREDICTION, schema.prediction, None, "tournament", "winner", "confidence"),
    _Source(
        kind=EvidenceKind.RESOLUTION,
        columns=tuple(_resolution.c["tournament", "winner"]),
        id=_resolution.c.tournament,
        of_agent=lambda agent: _resolution.c.winner == agent,
        content=_resolution_content,
    ),
    _of_one_agent(
        EvidenceKind.DOMAIN_PREDICTION,
        _domain_prediction,
        _domain_prediction.c.prediction,
        "domain",
        "confidence",
        "correct",
    ),
    _of_one_agent(EvidenceKind.CRITIQUE, _critique, _critique.c.critique, "accepted"),
    _Source(
        kind=EvidenceKind.RELATION,
        columns=tuple(_relation.c["a", "b", *DEALINGS]),
        id=_relation.c.relation,
        of_agent=lambda agent: or_(_relation.c.a == agent, _relation.c.b == agent),
        content=_relation_content,
    ),
    _test_source(EvidenceKind.RED_TEAM),
    _test_source(EvidenceKind.VERIFICATION),
    _of_one_agent(EvidenceKind.REGISTRATION, schema.registration, None, "model"),
    _Source(
        kind=EvidenceKind.ADJUSTMENT,
        columns=tuple(_adjustment.c["item", "kind", "old", "new"]),
        id=_adjustment.c.adjustment,
        of_agent=lambda agent: _adjustment.c.item == agent,
        content=_adjustment_content,
    ),
)


_void = schema.void


def not_void(table: Table) -> ColumnElement[bool]:
    """The condition that a row of a table of evidence, other than that of matches, is not void."""
    return ~select(_void.c.seq).where(_void.c.pool == table.c.pool, _void.c.target == table.c.seq).exists()


def counting(table: Table, *names: str) -> Select[Any]:
    """The rows of a pool that are not void, all columns or some, without the one of a sequence number, in order.

    They are those of ``of_pool``, without ``without``, which may be ``NONE``.
    """
    of_pool, others = table.c.pool == bindparam("of_pool"), table.c.seq != bindparam("without")
    columns = table.c[names] if names else table.c
    return select(*columns).where(of_pool, not_void(table), others).order_by(table.c.seq)


def voided_tests(connection: Connection, pool: str) -> dict[int, int]:
    """The voided tests of a pool: the sequence number of each void, with that of its test."""
    return dict(_VOIDED_TESTS.rows(connection, {"of_pool": pool}))


_VOIDED_TESTS = Statement(
    select(_void.c.seq, _void.c.target)
    .where(_void.c.pool == bindparam("of_pool"), _void.c.kind == schema.test.name)
    .order_by(_void.c.seq)
)


def difference_text(recorded: Mapping[str, object], new: Mapping[str, object]) -> str:
    """What is recorded and what was given instead, for each field that differs.

    Example:
        >>> difference_text({"domain": "law", "confidence": 1.0}, {"domain": "code", "confidence": 1.0})
        "domain 'law' instead of 'code'"
    """
    different = [name for name in new if recorded.get(name) != new[name]]
    return ", ".join(f"{name} {_text(recorded.get(name))} instead of {_text(new[name])}" for name in different)


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return f"({', '.join(f'{name} {part!r}' for name, part in value.items())})"
    return "none" if value in ("", None) else repr(value)


class Named(Hashable, Protocol):
    """Evidence with an id; with an empty id, each piece counts."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str:
        """Its id."""


Evidence = TypeVar("Evidence", bound=Named)


def fresh(
    connection: Connection,
    pool: str,
    id_column: Column[str],
    evidence: Sequence[Evidence],
    of: Callable[[Row[tuple[Any, ...]]], Evidence],
) -> list[Evidence]:
    """The pieces of evidence that are not recorded yet, each once if it has an id.

    Args:
        connection: A transaction.
        pool: The pool.
        id_column: The column of their ids.
        evidence: The evidence.
        of: Makes evidence from a row.

    Raises:
        Conflict: If one of that id is recorded with other content, or two of that id differ.
    """
    ids = list(dict.fromkeys(each.id for each in evidence if each.id))
    rows = _with_ids(id_column, *id_column.table.c).named_rows(connection, ids, {"of_pool": pool})
    recorded = {existing.id: existing for existing in map(of, rows)}
    new: list[Evidence] = []
    for each in evidence:
        if not each.id or each.id not in recorded:
            recorded[each.id] = each
            new.append(each)
        else:
            _require_equal(pool, id_column.name, recorded[each.id], each)
    return new


def _require_equal(pool: str, noun: str, recorded: Named, new: Named) -> None:
    if recorded != new:
        raise Conflict(
            f"{noun} {new.id!r} of pool {pool!r} is recorded already, with "
            f"{difference_text(_content(recorded), _content(new))}; "
            "record this one under another id"
        )


def _content(evidence: Named) -> dict[str, object]:
    """The fields of a piece of evidence, with counts as fields of their own."""
    content = asdict(evidence)
    counts = content.pop("dealings", {})
    return {**content, **counts}


def existing(connection: Connection, pool: str, id_column: Column[str], ids: Sequence[str]) -> frozenset[str]:
    """The ids among ``ids`` that a column has."""
    rows = _with_ids(id_column, id_column).rows(connection, list(dict.fromkeys(ids)), {"of_pool": pool})
    return frozenset(id for (id,) in rows)


@cache
def _with_ids(id_column: Column[str], *columns: Column[Any]) -> StatementForNames:
    """Some columns of the rows that have one of some ids."""
    of_pool = id_column.table.c.pool == bindparam("of_pool")
    return StatementForNames(lambda ids: select(*columns).where(of_pool, id_column.in_(ids)))
