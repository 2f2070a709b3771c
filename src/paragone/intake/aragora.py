"""A database of Aragora's: the debates, predictions and relationships in its SQLite file, and ratings without debates.

A table is read if it has the columns that Aragora's schema gives it (``aragora/ranking/database.py``,
``aragora/agents/calibration.py``). What follows from debates and predictions (ratings, their history, calibration by
domain and bucket) is no evidence of its own: its rows are counted. A row that cannot be evidence is skipped.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from paragone.domain.agent_evidence import Prediction
from paragone.domain.names import LONGEST_ID, name_problem
from paragone.errors import InvalidEvidence, UnreadableFile
from paragone.intake.debate_rows import DebateColumns, debate_of, number, prediction_of, rating_of, share, text
from paragone.intake.past_debate import PastDebate, PastPrediction, StartingRating, refuse
from paragone.intake.table import InputTable

_HEADER = b"SQLite format 3\x00"

_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "matches": ("debate_id", "winner", "participants", "domain", "scores"),
    "predictions": ("agent", "confidence", "correct", "domain"),
    "calibration_predictions": ("tournament_id", "predictor_agent", "predicted_winner", "confidence"),
    "agent_relationships": ("agent_a", "agent_b", "debate_count", "agreement_count"),
    "ratings": ("agent_name", "elo"),
}
"""The columns that a table must have to be read."""

COUNTS: Final[Mapping[str, str]] = {
    "debate_count": "debate_increment",
    "agreement_count": "agreement_increment",
    "critique_count_a_to_b": "critique_a_to_b",
    "critique_count_b_to_a": "critique_b_to_a",
    "critique_accepted_a_to_b": "critique_accepted_a_to_b",
    "critique_accepted_b_to_a": "critique_accepted_b_to_a",
    "position_changes_a_after_b": "position_change_a_after_b",
    "position_changes_b_after_a": "position_change_b_after_a",
    "a_wins_over_b": "a_win",
    "b_wins_over_a": "b_win",
}
"""Counts of a relationship, and the arguments of ``update_relationship`` that they are."""

_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "calibration_predictions": ("actual_winner",),
    "agent_relationships": tuple(COUNTS)[2:],
}
_DERIVED = ("ratings", "elo_history", "domain_calibration", "calibration_buckets")
_LABEL = 100

Read = TypeVar("Read")


@dataclass(frozen=True, kw_only=True, slots=True)
class PastWinnerPrediction(Prediction):
    """The agent that an agent expected to win a tournament, and the winner.

    Attributes:
        actual: Who won; empty if that is not known.
    """

    actual: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PastRelationship:
    """What happened between two agents.

    Attributes:
        id: Made of the file's name and both agents.
        a: One agent.
        b: The other.
        counts: The arguments of ``update_relationship`` that are not 0.
    """

    id: str
    a: str
    b: str
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class AragoraDatabase:
    """What a database holds that is evidence.

    Attributes:
        name: Name of the file.
        rows: Rows that were read of tables with evidence.
        debates: Its debates, oldest first.
        predictions: Predictions with a known outcome.
        winner_predictions: Predictions of tournaments' winners.
        relationships: What happened between agents.
        ratings: Ratings of agents that are in none of the debates.
        derived: Rows that follow from others, by table.
        problems: Rows that cannot be evidence, by place and reason.
    """

    name: str
    rows: int
    debates: tuple[PastDebate, ...]
    predictions: tuple[PastPrediction, ...]
    winner_predictions: tuple[PastWinnerPrediction, ...]
    relationships: tuple[PastRelationship, ...]
    ratings: tuple[StartingRating, ...]
    derived: Mapping[str, int]
    problems: tuple[str, ...]


def is_sqlite(source: object) -> bool:
    """Whether a source is a path to an SQLite file."""
    if not isinstance(source, str | Path):
        return False
    try:
        with Path(source).open("rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False  # whoever reads it as a table says why it cannot be read


def read_aragora(path: Path) -> AragoraDatabase:
    """Read a database; nothing is written to it.

    Raises:
        UnreadableFile: If it cannot be read, or has none of Aragora's tables.
    """
    try:
        with closing(_opened(path)) as connection:
            tables = {name: _table(connection, path, name) for name in _NEEDED}
            if not any(table is not None and table.rows for table in tables.values()):
                raise UnreadableFile(
                    f"{path} is an SQLite file without debates, predictions or ratings of Aragora's; expected one of "
                    f"the tables {', '.join(_NEEDED)}"
                )
            derived = {name: _count(connection, name) for name in _DERIVED}
    except sqlite3.Error as error:
        raise UnreadableFile(f"{path} cannot be read as a database: {error}") from error
    return _evidence(path, {name: table for name, table in tables.items() if table is not None}, derived)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The columns of a table; none if there is no such table, since a view is a program."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    if connection.execute(query, (table,)).fetchone() is None:
        return []
    return [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _table(connection: sqlite3.Connection, path: Path, name: str) -> InputTable | None:
    """A table's rows, oldest first; None if it is missing or not Aragora's."""
    existing, needed = _columns(connection, name), _NEEDED[name]
    if not set(needed) <= set(existing):
        return None
    columns = (*needed, *(each for each in _OPTIONAL.get(name, ()) if each in existing))
    # Names of tables and columns are constants of this module.
    rows = connection.execute(f"SELECT rowid, {', '.join(columns)} FROM {name} ORDER BY rowid").fetchall()  # noqa: S608
    return InputTable(
        name=f"{path.name}, {name}",
        columns=columns,
        rows=[row[1:] for row in rows],
        unit="row",
        numbers=[row[0] for row in rows],
    )


def _count(connection: sqlite3.Connection, name: str) -> int:
    if not _columns(connection, name):
        return 0
    count: int = connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608
    return count


def _evidence(path: Path, tables: Mapping[str, InputTable], derived: Mapping[str, int]) -> AragoraDatabase:
    label, problems = "".join(ch if ch.isprintable() else "?" for ch in path.name)[:_LABEL], list[str]()

    def read(name: str, row: Callable[[InputTable, DebateColumns, int, str], Read]) -> tuple[Read, ...]:
        table = tables.get(name)
        return () if table is None else tuple(_read(table, row, f"{label}:{name}", problems))

    debates = read("matches", debate_of)
    predictions = read("predictions", prediction_of)
    winner_predictions = read("calibration_predictions", _winner_prediction)
    relationships = read("agent_relationships", _relationship)
    ratings = read("ratings", lambda table, columns, index, _: rating_of(table, columns, index))
    debated = {name for debate in debates for name in debate.participants}
    undebated = tuple(each for each in ratings if each.agent not in debated)
    return AragoraDatabase(
        name=path.name,
        rows=sum(len(table.rows) for name, table in tables.items() if name != "ratings") + len(undebated),
        debates=debates,
        predictions=predictions,
        winner_predictions=winner_predictions,
        relationships=relationships,
        ratings=undebated,
        derived={name: count for name, count in _less(derived, len(undebated)).items() if count},
        problems=tuple(problems),
    )


def _less(derived: Mapping[str, int], undebated: int) -> Mapping[str, int]:
    """The rows that follow from others: of the ratings those of agents that debated."""
    return {**derived, "ratings": max(derived.get("ratings", 0) - undebated, 0)}


def _read(
    table: InputTable, row: Callable[[InputTable, DebateColumns, int, str], Read], label: str, problems: list[str]
) -> Iterator[Read]:
    columns = DebateColumns.of(table)
    for index in range(len(table.rows)):
        try:
            yield row(table, columns, index, label)
        except InvalidEvidence as error:
            problems.append(str(error))


def _at(table: InputTable, name: str) -> int | None:
    return table.columns.index(name) if name in table.columns else None


def _name(table: InputTable, index: int, column: str, what: str) -> str:
    value = text(table, index, _at(table, column))
    refuse(name_problem(value, what), table.where(index))
    return value


def _winner_prediction(table: InputTable, columns: DebateColumns, index: int, label: str) -> PastWinnerPrediction:  # noqa: ARG001
    tournament = text(table, index, _at(table, "tournament_id"))
    refuse(name_problem(tournament, "the id of a tournament", LONGEST_ID), table.where(index))
    confidence = share(table, index, _at(table, "confidence"))
    if confidence is None:
        raise InvalidEvidence(f"{table.where(index)}: confidence is missing")
    return PastWinnerPrediction(
        tournament=tournament,
        predictor=_name(table, index, "predictor_agent", "the agent that predicts"),
        winner=_name(table, index, "predicted_winner", "the predicted winner"),
        confidence=confidence,
        actual=text(table, index, _at(table, "actual_winner")),
    )


def _relationship(table: InputTable, columns: DebateColumns, index: int, label: str) -> PastRelationship:  # noqa: ARG001
    a, b = _name(table, index, "agent_a", "an agent"), _name(table, index, "agent_b", "an agent")
    if a == b:
        raise InvalidEvidence(f"{table.where(index)}: {a!r} has no relationship with itself")
    counts = {argument: _whole(table, index, name) for name, argument in COUNTS.items() if name in table.columns}
    return PastRelationship(
        id=_relationship_id(label, a, b),
        a=a,
        b=b,
        counts={argument: count for argument, count in counts.items() if count},
    )


def _relationship_id(label: str, a: str, b: str) -> str:
    id = f"{label}:{quote(a)}:{quote(b)}"
    # Cut short, the ids of a long name's relationships would all be the same.
    return id if len(id) <= LONGEST_ID else f"{label}:{sha256(id.encode('ascii', 'replace')).hexdigest()}"


def _whole(table: InputTable, index: int, name: str) -> int:
    column = table.columns.index(name)
    value = table.rows[index][column]
    count = 0.0 if value is None else number(table, index, column, value)
    if count < 0 or count != int(count):
        raise InvalidEvidence(f"{table.where(index)}: {name} is {count:g}, and counts from 0 upwards")
    return int(count)
