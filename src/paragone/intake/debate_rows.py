"""Find the columns of a table of past debates, predictions or ratings, and read its rows."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from paragone.errors import InvalidEvidence, UnknownColumn
from paragone.intake.past_debate import PastDebate, PastPrediction, StartingRating
from paragone.intake.table import NO, YES, InputTable, as_number, as_text, is_missing, is_written_missing
from paragone.intake.vote_columns import score_columns, side_columns
from paragone.intake.winner_cells import ABSTAINED, WON_A, Labels

NAMES = {
    "id": ("debate_id", "debate", "match_id", "prediction_id", "id"),
    "participants": ("participants", "agents"),
    "scores": ("scores",),
    "winner": ("winner",),
    "loser": ("loser",),
    "draw": ("draw",),
    "agent": ("agent", "agent_name", "participant", "name"),
    "score": ("score",),
    "rating": ("rating", "elo", "starting_rating", "start"),
    "domain": ("domain",),
    "task": ("task",),
    "confidence": ("confidence_weight", "confidence", "weight"),
    "correct": ("correct",),
}
"""Columns by what they hold, the proper name first; capitals do not count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateColumns:
    """The index of each column; None for one that the table lacks.

    Debates between two may have a column for each side, ``sides``, and one for what each scored, ``side_scores``.
    """

    id: int | None
    participants: int | None
    scores: int | None
    winner: int | None
    loser: int | None
    draw: int | None
    agent: int | None
    score: int | None
    rating: int | None
    domain: int | None
    task: int | None
    confidence: int | None
    correct: int | None
    sides: tuple[int, ...] = ()
    side_scores: tuple[int, ...] = ()

    @classmethod
    def of(cls, table: InputTable) -> "DebateColumns":
        """The columns of a table.

        Raises:
            UnknownColumn: If several columns fit one role.
        """
        columns: dict[str, Any] = {role: _found(table, names) for role, names in NAMES.items()}
        if any(columns[role] is not None for role in ("participants", "scores", "loser", "agent")):
            return cls(**columns)
        pairs = side_columns(table)
        if len(pairs) > 1:
            several = "; ".join(f"{table.columns[a]!r} and {table.columns[b]!r}" for a, b in pairs)
            raise UnknownColumn(f"{table.name}: several pairs of columns could be the two sides: {several}; rename one")
        return cls(**columns, sides=pairs[0], side_scores=score_columns(table)) if pairs else cls(**columns)


def _found(table: InputTable, names: Sequence[str]) -> int | None:
    return table.found(names, option=f"the name {names[0]!r}")


def cell(table: InputTable, index: int, column: int | None) -> object:
    """A cell; None where it is empty or the table has no such column."""
    value = None if column is None else table.rows[index][column]
    return None if is_missing(value) else value


def text(table: InputTable, index: int, column: int | None) -> str:
    """A cell as text; empty where it is absent.

    Raises:
        InvalidEvidence: If it holds anything else.
    """
    value = cell(table, index, column)
    if value is None or column is None:
        return ""
    content = as_text(value)
    if content is None:
        raise _unfit(table, index, column, f"{value!r}; expected a text")
    return content


def evidence_id(table: InputTable, columns: DebateColumns, index: int, label: str) -> str:
    """The row's id, or one made of a label and the row's number.

    Raises:
        InvalidEvidence: If the cell holds anything but text.
    """
    return text(table, index, columns.id) or f"{label}:{table.numbers[index]}"


def number(table: InputTable, index: int, column: int, value: object) -> float:
    """A number.

    Raises:
        InvalidEvidence: If it is not a number.
    """
    parsed = as_number(value)
    if parsed is None or parsed != parsed:  # noqa: PLR0124 - a not-a-number differs from itself
        raise _unfit(table, index, column, f"{value!r}; expected a number")
    return parsed


def share(table: InputTable, index: int, column: int | None) -> float | None:
    """A number from 0 to 1; None for an empty cell.

    Raises:
        InvalidEvidence: If it is anything else.
    """
    value = cell(table, index, column)
    if value is None or column is None:
        return None
    parsed = number(table, index, column, value)
    if not 0.0 <= parsed <= 1.0:
        raise _unfit(table, index, column, f"{parsed:g}, and lies from 0 to 1")
    return parsed


def truth(table: InputTable, index: int, column: int | None) -> bool | None:
    """Yes or no; None for an empty cell.

    Raises:
        InvalidEvidence: If it is anything else.
    """
    value = cell(table, index, column)
    if value is None or column is None:
        return None
    word = str(value).strip().casefold()
    if word not in YES | NO:
        raise _unfit(table, index, column, f"{value!r}; expected true or false")
    return word in YES


def structure(table: InputTable, index: int, column: int | None) -> object:
    """A list or an object, possibly as JSON in text; None for an empty cell.

    Raises:
        InvalidEvidence: If text holds anything else.
    """
    value = cell(table, index, column)
    if not isinstance(value, str) or column is None:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        hint = 'expected JSON, such as {"claude": 0.8, "gpt4": 0.6}'
        raise _unfit(table, index, column, f"{value[:60]!r}; {hint}") from None


def _unfit(table: InputTable, index: int, column: int, problem: str) -> InvalidEvidence:
    return InvalidEvidence(f"{table.where(index)}: {table.columns[column]} is {problem}")


def debate_of(table: InputTable, columns: DebateColumns, index: int, label: str) -> PastDebate:
    """The debate of one row.

    Args:
        table: The table.
        columns: The columns by role.
        index: The row, from 0.
        label: Prefix of the ids of rows without one.

    Raises:
        InvalidEvidence: If it cannot be understood; the message names the row.
    """
    scores = _scores(table, columns, index)
    result = _by_winner(table, columns, index) if scores is None else scores
    if scores is not None:
        _check_winner(table, columns, index, scores)
    confidence = share(table, index, columns.confidence)
    return PastDebate(
        id=evidence_id(table, columns, index, label),
        participants=tuple(name for name, _ in result),
        scores=tuple(score for _, score in result),
        domain=text(table, index, columns.domain),
        task=text(table, index, columns.task),
        confidence=1.0 if confidence is None else confidence,
        where=table.where(index),
    )


def prediction_of(table: InputTable, columns: DebateColumns, index: int, label: str) -> PastPrediction:
    """The prediction of one row.

    Args:
        table: The table.
        columns: The columns by role.
        index: The row, from 0.
        label: Prefix of the ids of rows without one.

    Raises:
        InvalidEvidence: If it cannot be understood; the message names the row.
    """
    where = table.where(index)
    agent, domain = text(table, index, columns.agent), text(table, index, columns.domain)
    confidence, correct = share(table, index, columns.confidence), truth(table, index, columns.correct)
    if confidence is None or correct is None:
        raise InvalidEvidence(f"{where}: {'confidence' if confidence is None else 'correct'} is missing")
    return PastPrediction(
        id=evidence_id(table, columns, index, label),
        agent=agent,
        domain=domain,
        confidence=confidence,
        correct=correct,
        where=where,
    )


def rating_of(table: InputTable, columns: DebateColumns, index: int) -> StartingRating:
    """The starting rating of one row.

    Raises:
        InvalidEvidence: If it cannot be understood; the message names the row.
    """
    where, value = table.where(index), cell(table, index, columns.rating)
    if value is None or columns.rating is None:
        raise InvalidEvidence(f"{where}: rating is missing")
    rating = number(table, index, columns.rating, value)
    return StartingRating(agent=text(table, index, columns.agent), rating=rating, where=where)


ScoreList = list[tuple[str, float]]
"""Names and their scores, in the order of the file."""


def _scores(table: InputTable, columns: DebateColumns, index: int) -> ScoreList | None:
    """The scores in a row; None where it has none."""
    column = columns.scores
    if columns.side_scores:
        return _side_scores(table, columns, index)
    scores = structure(table, index, column)
    if scores is None or column is None:
        return None
    cells = _cells(scores)
    if cells is None:
        raise InvalidEvidence(
            f'{table.where(index)}: scores are {_short(scores)}; expected an object, such as {{"claude": 0.8}}'
        )
    participants = _participants(table, columns, index)
    if participants is None:
        participants = list(cells)
    _check_same(table, index, participants, cells)
    return [(name, number(table, index, column, cells[name])) for name in participants]


def _side_scores(table: InputTable, columns: DebateColumns, index: int) -> ScoreList | None:
    names = _side_names(table, columns, index)
    cells = [cell(table, index, column) for column in columns.side_scores]
    cells = [None if isinstance(value, str) and is_written_missing(value.strip()) else value for value in cells]
    if cells == [None, None]:
        return None
    _check_same(table, index, names, dict(zip(names, cells, strict=True)))
    both = zip(names, columns.side_scores, cells, strict=True)
    return [(name, number(table, index, column, value)) for name, column, value in both]


def _side_names(table: InputTable, columns: DebateColumns, index: int) -> list[str]:
    """The participants of a debate between two sides, each in a column of its own."""
    names = [text(table, index, column) for column in columns.sides]
    for name, column in zip(names, columns.sides, strict=True):
        if not name:
            raise InvalidEvidence(f"{table.where(index)}: no participant is named in {table.columns[column]!r}")
    return names


def _cells(scores: object) -> dict[str, object] | None:
    """Scores by name; Parquet has maps as lists of pairs."""
    if isinstance(scores, list) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in scores):
        scores = dict(scores)
    return {str(name).strip(): value for name, value in scores.items()} if isinstance(scores, Mapping) else None


def _check_same(table: InputTable, index: int, participants: list[str], cells: dict[str, object]) -> None:
    """Refuse a participant without a score, and a score without a participant."""
    lacking = [name for name in participants if is_missing(cells.get(name))]
    if lacking:
        raise InvalidEvidence(f"{table.where(index)}: {lacking[0]!r} took part and has no score")
    beyond = [name for name, value in cells.items() if name not in participants and not is_missing(value)]
    if beyond:
        raise InvalidEvidence(f"{table.where(index)}: {beyond[0]!r} has a score and is not among the participants")


def _participants(table: InputTable, columns: DebateColumns, index: int) -> list[str] | None:
    if columns.sides:
        return _side_names(table, columns, index)
    participants = structure(table, index, columns.participants)
    if participants is None:
        return None
    names = [as_text(name) for name in participants] if isinstance(participants, list | tuple) else [None]
    if None in names:
        raise InvalidEvidence(
            f"{table.where(index)}: participants are {_short(participants)}; expected a list of names: "
            '["claude", "gpt4"]'
        )
    return [name for name in names if name is not None]


def _by_winner(table: InputTable, columns: DebateColumns, index: int) -> ScoreList:
    """Scores of a debate between two, from who won it."""
    participants = _participants(table, columns, index)
    (winner, is_draw), loser = _winner(table, columns, index, participants), text(table, index, columns.loser)
    if participants is None:
        participants = [name for name in (winner, loser) if name]
    where = table.where(index)
    if len(participants) > 2:
        raise InvalidEvidence(f"{where}: {len(participants)} took part; a winner alone is not enough: give scores")
    if len(participants) < 2:
        raise InvalidEvidence(f"{where}: {_who_is_missing(winner, loser)}")
    if is_draw:
        return [(name, 0.5) for name in participants]
    if not winner and columns.side_scores:
        raise InvalidEvidence(f"{where}: neither side has a score, and no winner is named")
    if not winner:
        raise InvalidEvidence(f"{where}: no winner is named; for a draw, write true under draw")
    if columns.sides and winner not in participants:
        names = " nor ".join(map(repr, participants))
        raise InvalidEvidence(f"{where}: the winner {winner!r} is neither {names}, nor a side or a tie")
    if not {winner, loser or winner} <= set(participants):
        raise InvalidEvidence(f"{where}: {winner!r} won, {loser!r} lost, and the participants are {participants}")
    return [(name, float(name == winner)) for name in participants]


def _winner(
    table: InputTable, columns: DebateColumns, index: int, participants: Sequence[str] | None
) -> tuple[str, bool]:
    """Who is said to have won, by name, and whether it is said to be a draw; with sides either may be said in words."""
    winner, is_draw = text(table, index, columns.winner), bool(truth(table, index, columns.draw))
    if not columns.sides or participants is None or winner in participants or as_number(winner) is not None:
        return winner, is_draw
    call = _labels(*(table.columns[column] for column in columns.sides)).meaning(winner)
    if call is None or call == ABSTAINED:
        return ("" if call else winner), is_draw
    return ("", True) if call.tie else (participants[0 if call == WON_A else 1], is_draw)


@cache
def _labels(column_a: str, column_b: str) -> Labels:
    return Labels.of(column_a, column_b)


def _who_is_missing(winner: str, loser: str) -> str:
    if not winner and not loser:
        return "no participant is named; give scores, or winner and loser"
    return f"{winner or loser!r} is named and the {'loser' if winner else 'winner'} is not"


def _check_winner(table: InputTable, columns: DebateColumns, index: int, scores: ScoreList) -> None:
    """Refuse a winner that the scores contradict."""
    winner, _ = _winner(table, columns, index, [name for name, _ in scores])
    if not winner or not scores:  # a debate in which nobody has a score is refused when it is made
        return
    best = max(score for _, score in scores)
    first = [name for name, score in scores if score == best]
    if first != [winner]:
        ranking = f"{first[0]!r} ahead" if len(first) == 1 else "a draw"
        raise InvalidEvidence(
            f"{table.where(index)}: {winner!r} is the winner, but the scores say {ranking}; correct one of them "
            "or leave out the winner"
        )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


@dataclass(kw_only=True, slots=True)
class _Gathered:
    """The rows of one debate so far."""

    where: str
    scores: dict[str, float] = field(default_factory=dict)
    values: dict[str, tuple[object, str]] = field(default_factory=dict)


def gathered(tables: Iterable[InputTable], columns: DebateColumns) -> Iterator[PastDebate]:
    """The debates in order of their first rows; reads every table before it yields the first.

    Raises:
        UnreadableFile: If the rest of the tables cannot be read.
        InvalidEvidence: If a row cannot be understood, or rows of one debate disagree.
    """
    debates: dict[str, _Gathered] = {}
    for table in tables:
        for index in range(len(table.rows)):
            _take(debates, table, columns, index)
    return (_debate(id, debate) for id, debate in debates.items())


def _take(debates: dict[str, _Gathered], table: InputTable, columns: DebateColumns, index: int) -> None:
    where = table.where(index)
    id, agent = text(table, index, columns.id), text(table, index, columns.agent)
    value = cell(table, index, columns.score)
    if not id:
        raise InvalidEvidence(f"{where}: debate_id is missing: it says which scores belong together")
    if not agent:
        raise InvalidEvidence(f"{where}: no agent is named")
    if value is None or columns.score is None:
        raise InvalidEvidence(f"{where}: {agent!r} took part and has no score")
    debate = debates.setdefault(id, _Gathered(where=where))
    if agent in debate.scores:
        raise InvalidEvidence(f"{where}: {agent!r} takes part twice in {id!r}, which begins at {debate.where}")
    debate.scores[agent] = number(table, index, columns.score, value)
    _agree(debate, where, "domain", text(table, index, columns.domain) or None)
    _agree(debate, where, "task", text(table, index, columns.task) or None)
    _agree(debate, where, "confidence", share(table, index, columns.confidence))


def _agree(debate: _Gathered, where: str, name: str, value: object) -> None:
    """Keep a row's value for its debate; a row may leave it empty, but not contradict another."""
    if value is None:
        return
    before, first_where = debate.values.setdefault(name, (value, where))
    if before != value:
        raise InvalidEvidence(f"{where}: {name} is {value!r}, and {before!r} at {first_where}, of the same debate")


def _debate(id: str, debate: _Gathered) -> PastDebate:
    values = {name: value for name, (value, _) in debate.values.items()}
    confidence = values.get("confidence", 1.0)
    return PastDebate(
        id=id,
        participants=tuple(debate.scores),
        scores=tuple(debate.scores.values()),
        domain=str(values.get("domain", "")),
        task=str(values.get("task", "")),
        confidence=confidence if isinstance(confidence, float) else 1.0,
        where=debate.where,
    )
