"""All evidence about agents: listed, found by id, and recorded once under an id."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any, ClassVar, Protocol, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, Table, and_, literal, or_, select

from paragone.domain import DEALINGS, EvidenceKind
from paragone.domain.evidence import parse_reference, reference
from paragone.domain.near_names import instead
from paragone.errors import Conflict, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.columns import Words, in_parts
from paragone.ledger.evidence import pools
from paragone.ledger.records import RecordedEvidence

NEAR = 1000
"""Pieces of evidence of each kind, the newest, among which one that is called nearly so is looked for."""

Content = Callable[[Row[Any]], tuple[tuple[str, ...], Mapping[str, Any]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Source:
    """Where evidence of a kind is kept.

    Attributes:
        kind: The kind.
        columns: What is read of a row.
        id: The column of its own id; None where it has none.
        of_agent: The condition that a row is about an agent.
        content: The agents and the content of a row.
        only: Which rows of the table are of the kind.
        session: A column by which several pieces may be named together.
    """

    kind: EvidenceKind
    columns: tuple[Column[Any], ...]
    id: Column[Any] | None
    of_agent: Callable[[str], ColumnElement[bool]]
    content: Content
    only: ColumnElement[bool] | None = None
    session: Column[Any] | None = None

    def rows(self, pool: str) -> Select[Any]:
        """The question for the rows of a pool, each with its time and the reason of its void."""
        table = self.columns[0].table
        void, is_voided = _void_of(table)
        own = literal(None, Words) if self.id is None else self.id
        query = (
            chain.with_time(table, select(table.c.seq, own.label("own_id"), void.c.reason, *self.columns))
            .outerjoin(void, is_voided)
            .where(table.c.pool == pool)
        )
        return query if self.only is None else query.where(self.only)

    def recorded(self, row: Row[Any]) -> RecordedEvidence:
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
    """The evidence of all kinds or of one, about all agents or about one, the void too, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    listed: list[RecordedEvidence] = []
    for source in _of_kind(kind):
        seq = source.columns[0].table.c.seq
        query = source.rows(pool).order_by(seq.desc()).limit(count)
        if agent is not None:
            query = query.where(source.of_agent(agent))
        if before is not None:
            query = query.where(seq < before)
        listed.extend(map(source.recorded, connection.execute(query)))
    return tuple(sorted(listed, key=attrgetter("sequence"), reverse=True)[:count])


def find(connection: Connection, pool: str, ids: Sequence[str], kind: EvidenceKind | None = None) -> RecordedEvidence:
    """The piece of evidence that an id means.

    Args:
        connection: A transaction.
        pool: The pool.
        ids: The id or reference, and what else it may be kept under.
        kind: Its kind; any where None.

    Raises:
        NotFound: If there is no such pool, or no such evidence in it; naming the nearest ids.
        Conflict: If the id means several pieces of evidence; naming the references of each.
    """
    pools.config(connection, pool)
    meant = [each for source in _of_kind(kind) for each in _by_id(connection, pool, source, ids)]
    if not meant:
        names = [name for each in newest(connection, pool, kind=kind, count=NEAR) for name in _names(each)]
        noun = "evidence" if kind is None else f"evidence of kind {kind.value}"
        raise NotFound(f"pool {pool!r} has no {noun} {ids[0]!r}; {instead(ids[0], dict.fromkeys(names))}")
    if {each.kind for each in meant} == {EvidenceKind.RESOLUTION}:
        return max(meant, key=attrgetter("sequence"))  # those of the same tournament before it are void
    if len(meant) > 1:
        references = ", ".join(f"{each.reference} ({', '.join(each.agents)})" for each in meant[:5])
        raise Conflict(f"{ids[0]!r} means {len(meant)} pieces of evidence of pool {pool!r}; name one of {references}")
    return meant[0]


def _by_id(connection: Connection, pool: str, source: _Source, ids: Sequence[str]) -> list[RecordedEvidence]:
    table, named_so = source.columns[0].table, list[ColumnElement[bool]]()
    if source.id is not None:
        named_so.append(source.id.in_(ids))
    if source.session is not None:
        named_so.append(source.session == ids[0])
    parsed = parse_reference(ids[0])
    if parsed is not None and parsed[0] is source.kind:
        named_so.append(table.c.seq == parsed[1])
    if not named_so:
        return []
    return [source.recorded(row) for row in connection.execute(source.rows(pool).where(or_(*named_so)))]


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


def _about(*names: str) -> Content:
    """The content of a row about one agent: some of its columns."""
    return lambda row: ((row.item,), {name: getattr(row, name) for name in names})


def _debate(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    scores = {str(name): score for name, score, _ in row.entries}
    return tuple(scores), {"scores": scores, "domain": row.domain, "task": row.task}


def _relation(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    counts = {name: getattr(row, name) for name in DEALINGS}
    return (row.a, row.b), {name: count for name, count in counts.items() if count}


def _test(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    session = {"session": row.session} if row.session else {}
    return (row.item,), {**row.measured, "domain": row.domain, "change": row.new - row.old, **session}


def _resolution(row: Row[Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    return (row.winner,), {"tournament": row.tournament, "winner": row.winner}


def _played_by(agent: str) -> ColumnElement[bool]:
    card, change = schema.scorecard, schema.rating_change
    took_part = select(change.c.match).where(change.c.pool == card.c.pool, change.c.item == agent)
    return card.c.match.in_(took_part.where(change.c.compensates == 0))


def _test_source(kind: EvidenceKind) -> _Source:
    test = schema.test
    return _Source(
        kind=kind,
        columns=tuple(test.c["item", "measured", "session", "domain", "old", "new"]),
        id=test.c.test,
        of_agent=lambda agent: test.c.item == agent,
        content=_test,
        only=test.c.kind == kind.value,
        session=test.c.session,
    )


_card, _prediction, _resolved = schema.scorecard, schema.prediction, schema.resolution
_domain_prediction, _critique, _related, _registered = (
    schema.domain_prediction,
    schema.critique,
    schema.relation,
    schema.registration,
)
_SOURCES = (
    _Source(
        kind=EvidenceKind.DEBATE,
        columns=tuple(_card.c["match", "entries", "domain", "task"]),
        id=_card.c.match,
        of_agent=_played_by,
        content=_debate,
    ),
    _Source(
        kind=EvidenceKind.PREDICTION,
        columns=tuple(_prediction.c["item", "tournament", "winner", "confidence"]),
        id=None,
        of_agent=lambda agent: _prediction.c.item == agent,
        content=_about("tournament", "winner", "confidence"),
    ),
    _Source(
        kind=EvidenceKind.RESOLUTION,
        columns=tuple(_resolved.c["tournament", "winner"]),
        id=_resolved.c.tournament,
        of_agent=lambda agent: _resolved.c.winner == agent,
        content=_resolution,
    ),
    _Source(
        kind=EvidenceKind.DOMAIN_PREDICTION,
        columns=tuple(_domain_prediction.c["item", "domain", "confidence", "correct"]),
        id=_domain_prediction.c.prediction,
        of_agent=lambda agent: _domain_prediction.c.item == agent,
        content=_about("domain", "confidence", "correct"),
    ),
    _Source(
        kind=EvidenceKind.CRITIQUE,
        columns=tuple(_critique.c["item", "accepted"]),
        id=_critique.c.critique,
        of_agent=lambda agent: _critique.c.item == agent,
        content=_about("accepted"),
    ),
    _Source(
        kind=EvidenceKind.RELATION,
        columns=tuple(_related.c["a", "b", *DEALINGS]),
        id=_related.c.relation,
        of_agent=lambda agent: or_(_related.c.a == agent, _related.c.b == agent),
        content=_relation,
    ),
    _test_source(EvidenceKind.RED_TEAM),
    _test_source(EvidenceKind.VERIFICATION),
    _Source(
        kind=EvidenceKind.REGISTRATION,
        columns=tuple(_registered.c["item", "model"]),
        id=None,
        of_agent=lambda agent: _registered.c.item == agent,
        content=_about("model"),
    ),
)


_void = schema.void


def stands(table: Table, *, without: int | None = None) -> ColumnElement[bool]:
    """The condition that a row of a table is not void.

    Args:
        table: A table of evidence other than that of matches.
        without: A row that is to be taken as void as well, by its place in the record.
    """
    voided = select(_void.c.seq).where(_void.c.pool == table.c.pool, _void.c.target == table.c.seq).exists()
    return ~voided if without is None else ~voided & (table.c.seq != without)


def voided_tests(connection: Connection, pool: str) -> dict[int, int]:
    """The tests of a pool that were voided: the place of each void in the record, and that of the test."""
    rows = connection.execute(
        select(_void.c.seq, _void.c.target)
        .where(_void.c.pool == pool, _void.c.kind == schema.test.name)
        .order_by(_void.c.seq)
    )
    return {row.seq: row.target for row in rows}


def difference_text(recorded: Mapping[str, object], new: Mapping[str, object]) -> str:
    """What is on record, and what was given in its place, for each of their names that differs.

    Example:
        >>> difference_text({"domain": "law", "confidence": 1.0}, {"domain": "code", "confidence": 1.0})
        "domain 'law' instead of 'code'"
    """
    different = [name for name in new if recorded.get(name) != new[name]]
    return ", ".join(f"{name} {_shown(recorded.get(name))} instead of {_shown(new[name])}" for name in different)


def _shown(value: object) -> str:
    return "none" if value in ("", None) else repr(value)


class Named(Hashable, Protocol):
    """Evidence with an id; an empty one where every one counts."""

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
    """Which of some pieces of evidence are not there yet, each once if it has an id.

    Args:
        connection: A transaction.
        pool: The pool.
        id_column: Where their table keeps their ids.
        evidence: The evidence.
        of: Makes it of a row.

    Raises:
        Conflict: If one of that id is there with other content, or two of that id differ.
    """
    ids = list(dict.fromkeys(each.id for each in evidence if each.id))
    recorded: dict[str, Evidence] = {}
    for some_ids in in_parts(ids):
        query = select(id_column.table).where(id_column.table.c.pool == pool, id_column.in_(some_ids))
        recorded.update((known.id, known) for known in map(of, connection.execute(query)))
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
    """What a piece of evidence says; counts by their own names."""
    content = asdict(evidence)
    counts = content.pop("dealings", {})
    return {**content, **counts}


def existing(connection: Connection, pool: str, id_column: Column[str], ids: Sequence[str]) -> frozenset[str]:
    """Those of some ids that a column has."""
    existing_ids: set[str] = set()
    for some_ids in in_parts(ids):
        query = select(id_column).where(id_column.table.c.pool == pool, id_column.in_(some_ids))
        existing_ids.update(connection.scalars(query))
    return frozenset(existing_ids)
