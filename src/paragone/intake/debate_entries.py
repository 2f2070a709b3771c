"""Debates one participant a row: the rows of a debate are put together, wherever they stand."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from paragone.errors import InvalidEvidence
from paragone.intake.debate_columns import DebateColumns, cell, number, share, text
from paragone.intake.past_debate import PastDebate
from paragone.intake.table import Table


@dataclass(kw_only=True, slots=True)
class _Gathered:
    """What is known of one debate so far."""

    where: str
    scores: dict[str, float] = field(default_factory=dict)
    said: dict[str, tuple[object, str]] = field(default_factory=dict)


def gathered(tables: Iterable[Table], columns: DebateColumns) -> Iterator[PastDebate]:
    """The debates in the order in which they begin; every table is read before the first is there.

    Raises:
        UnreadableFile: If the rest of the tables cannot be read.
        InvalidEvidence: If a row cannot be understood, or what rows of one debate say differs.
    """
    debates: dict[str, _Gathered] = {}
    for table in tables:
        for index in range(len(table.rows)):
            _take(debates, table, columns, index)
    return (_debate(id, found) for id, found in debates.items())


def _take(debates: dict[str, _Gathered], table: Table, columns: DebateColumns, index: int) -> None:
    where = table.where(index)
    id, agent = text(table, index, columns.id), text(table, index, columns.agent)
    value = cell(table, index, columns.score)
    if not id:
        raise InvalidEvidence(f"{where}: debate_id is missing, so that nobody knows whose score goes with whose")
    if not agent:
        raise InvalidEvidence(f"{where}: nobody is named as the agent")
    if value is None or columns.score is None:
        raise InvalidEvidence(f"{where}: {agent!r} took part and has no score")
    found = debates.setdefault(id, _Gathered(where=where))
    if agent in found.scores:
        raise InvalidEvidence(f"{where}: {agent!r} takes part twice in {id!r}, which begins at {found.where}")
    found.scores[agent] = number(table, index, columns.score, value)
    _agree(found, where, "domain", text(table, index, columns.domain) or None)
    _agree(found, where, "task", text(table, index, columns.task) or None)
    _agree(found, where, "confidence", share(table, index, columns.confidence))


def _agree(found: _Gathered, where: str, name: str, value: object) -> None:
    """Keep what a row says of its debate; it may say nothing, but nothing else than another row."""
    if value is None:
        return
    before, place = found.said.setdefault(name, (value, where))
    if before != value:
        raise InvalidEvidence(f"{where}: {name} is {value!r}, and {before!r} at {place}, of the same debate")


def _debate(id: str, found: _Gathered) -> PastDebate:
    said = {name: value for name, (value, _) in found.said.items()}
    confidence = said.get("confidence", 1.0)
    return PastDebate(
        id=id,
        participants=tuple(found.scores),
        scores=tuple(found.scores.values()),
        domain=str(said.get("domain", "")),
        task=str(said.get("task", "")),
        confidence=confidence if isinstance(confidence, float) else 1.0,
        where=found.where,
    )
