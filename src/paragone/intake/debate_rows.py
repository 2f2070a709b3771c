"""Debates one a row: who took part, and what each scored or who won."""

from collections.abc import Mapping

from paragone.errors import InvalidEvidence
from paragone.intake.cell import as_text, is_missing
from paragone.intake.debate_columns import DebateColumns, evidence_id, number, share, structure, text, truth
from paragone.intake.past_debate import PastDebate
from paragone.intake.table import Table


def debate_of(table: Table, columns: DebateColumns, index: int, label: str) -> PastDebate:
    """The debate of one row.

    Args:
        table: Where it stands.
        columns: What stands where.
        index: The row, from 0.
        label: What ids begin with where a row has none.

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


Scores = list[tuple[str, float]]
"""Names and their scores, in the order of the file."""


def _scores(table: Table, columns: DebateColumns, index: int) -> Scores | None:
    """The scores that a row gives; None where it gives none."""
    column = columns.scores
    found = structure(table, index, column)
    if found is None or column is None:
        return None
    cells = _cells(found)
    if cells is None:
        raise InvalidEvidence(
            f'{table.where(index)}: scores are {_short(found)}, and an object is wanted, such as {{"claude": 0.8}}'
        )
    named = _participants(table, columns, index)
    if named is None:
        named = list(cells)
    _check_same(table, index, named, cells)
    return [(name, number(table, index, column, cells[name])) for name in named]


def _cells(found: object) -> dict[str, object] | None:
    """Scores by name; Parquet has maps as lists of pairs."""
    if isinstance(found, list) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in found):
        found = dict(found)
    return {str(name).strip(): value for name, value in found.items()} if isinstance(found, Mapping) else None


def _check_same(table: Table, index: int, named: list[str], cells: dict[str, object]) -> None:
    """Refuse a participant without a score, and a score without a participant."""
    lacking = [name for name in named if is_missing(cells.get(name))]
    if lacking:
        raise InvalidEvidence(f"{table.where(index)}: {lacking[0]!r} took part and has no score")
    beyond = [name for name, value in cells.items() if name not in named and not is_missing(value)]
    if beyond:
        raise InvalidEvidence(f"{table.where(index)}: {beyond[0]!r} has a score and is not among the participants")


def _participants(table: Table, columns: DebateColumns, index: int) -> list[str] | None:
    found = structure(table, index, columns.participants)
    if found is None:
        return None
    names = [as_text(name) for name in found] if isinstance(found, list | tuple) else [None]
    if None in names:
        raise InvalidEvidence(
            f'{table.where(index)}: participants are {_short(found)}, and a list of names is wanted: ["claude", "gpt4"]'
        )
    return [name for name in names if name is not None]


def _by_winner(table: Table, columns: DebateColumns, index: int) -> Scores:
    """Scores of a debate between two, from who won it."""
    winner, loser = text(table, index, columns.winner), text(table, index, columns.loser)
    named = _participants(table, columns, index)
    if named is None:
        named = [name for name in (winner, loser) if name]
    place = table.where(index)
    if len(named) > 2:
        raise InvalidEvidence(f"{place}: {len(named)} took part, so that a winner does not tell enough; give scores")
    if len(named) < 2:
        raise InvalidEvidence(f"{place}: {_who_is_missing(winner, loser)}")
    if truth(table, index, columns.draw):
        return [(name, 0.5) for name in named]
    if not winner:
        raise InvalidEvidence(f"{place}: nobody is named as the winner; where nobody won, write true under draw")
    if not {winner, loser or winner} <= set(named):
        raise InvalidEvidence(f"{place}: {winner!r} won, {loser!r} lost, and the participants are {named}")
    return [(name, float(name == winner)) for name in named]


def _who_is_missing(winner: str, loser: str) -> str:
    if not winner and not loser:
        return "nobody is named; give scores, or winner and loser"
    return f"{winner or loser!r} is named and the {'loser' if winner else 'winner'} is not"


def _check_winner(table: Table, columns: DebateColumns, index: int, scores: Scores) -> None:
    """Refuse a winner whom the scores contradict."""
    winner = text(table, index, columns.winner)
    if not winner or not scores:  # that nobody has a score is refused where a debate is made of them
        return
    best = max(score for _, score in scores)
    first = [name for name, score in scores if score == best]
    if first != [winner]:
        said = f"{first[0]!r} ahead" if len(first) == 1 else "a draw"
        raise InvalidEvidence(
            f"{table.where(index)}: {winner!r} is called the winner and the scores say {said}; mend one or leave out "
            "the winner"
        )


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."
