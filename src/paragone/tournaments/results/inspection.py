"""Inspect one item or one match, and export records."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from paragone.domain import Comparison, DebateTurn, Match, Protocol, Ranking
from paragone.errors import NotFound
from paragone.ledger import Ledger
from paragone.tournaments.results.match_transcript import Passage, judged_comparisons, transcript
from paragone.tournaments.results.tournament_board import board_of
from paragone.tournaments.state import State

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspection:
    """What is known about one item or match.

    Attributes:
        kind: ``item`` or ``match``.
        heading: Lines that say what it is.
        columns: Columns of the table below.
        lines: Its cells.
        passages: The text below that.
        record: The same as plain values.
    """

    kind: str
    heading: tuple[str, ...]
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    passages: tuple[Passage, ...] = ()
    record: Record

    def as_dict(self) -> Record:
        """Plain values, ready for JSON."""
        return {"kind": self.kind, **self.record}


def inspect(ledger: Ledger, state: State, id: str) -> Inspection:
    """Show an item with its matches, or a match with its verdicts; an item where both have that id.

    Raises:
        NotFound: If neither an item nor a match has that id.
    """
    if id in state.ids:
        return _item(ledger, state, id)
    if any(match.id == id for match in state.played):
        return _match(ledger, state, ledger.matches.get(state.id, id).match)
    raise NotFound(
        f"no item and no match of {state.id} is called {id!r}; `paragone board` lists the items, "
        "`paragone matches` the matches"
    )


def _item(ledger: Ledger, state: State, id: str) -> Inspection:
    row = board_of(ledger, state)[id]
    records = [record for record in match_records(state) if id in record["items"]]
    columns, lines = match_lines(records, about=id)
    estimate = (
        f"rank {row.rank} ({row.rank_low}-{row.rank_high}), rating {row.rating:.0f} ({row.low:.0f} to {row.high:.0f})"
    )
    record = f"{row.wins} won, {row.losses} lost, {row.ties} drawn"
    heading = (row.id, row.text, f"{estimate}, Elo {row.elo:.0f}, {record}")
    history = [asdict(change) for change in ledger.ratings.changes(state.id, id)]
    full = {"item": asdict(row), "matches": records, "changes": history}
    return Inspection(kind="item", heading=heading, columns=columns, lines=lines, record=full)


def _match(ledger: Ledger, state: State, match: Match) -> Inspection:
    record = next(record for record in match_records(state) if record["id"] == match.id)
    if match.ranking is not None:
        return _ranked(match, match.ranking, record)
    comparisons = judged_comparisons(ledger, state, match)
    heading = [f"match {match.id}: {match.a} against {match.b}: {_result(record)}", _manner(match)]
    if record["rolled_back"]:
        heading.append("rolled back: it no longer counts")
    verdicts = [
        {
            **verdict_record(match, judged.comparison),
            "quality": asdict(judged.quality),
            "turns": [turn_record(match, turn) for turn in judged.turns],
            "turns_planned": judged.planned,
            "turns_heard": judged.turns_judged,
        }
        for judged in comparisons
    ]
    full = {"match": record, "verdicts": verdicts}
    return Inspection(kind="match", heading=tuple(heading), passages=transcript(comparisons), record=full)


def _manner(match: Match) -> str:
    manner = "a debate" if match.protocol is Protocol.MULTI_TURN else "a direct comparison"
    weight = "" if match.confidence == 1.0 else f", counted in the running Elo with a weight of {match.confidence:.2f}"
    return f"round {match.round}, {manner}{weight}" if match.round else f"{manner}{weight}"


def _ranked(match: Match, ranking: Ranking, record: Record) -> Inspection:
    verdict = verdict_record(match, ranking)
    heading = [f"match {match.id}: {len(match.items)} in one call: {_result(record)}"]
    if record["rolled_back"]:
        heading.append("rolled back: it no longer counts")
    heading.append(f"judge {ranking.verdict.judge}" + (" (cached)" if ranking.verdict.cached else ""))
    if ranking.verdict.rationale:
        heading.append(ranking.verdict.rationale)
    ranks = range(1, len(match.items) + 1) if ranking.order else ("",) * len(match.items)
    lines = tuple(
        (str(rank), item, str(ranking.shown.index(item) + 1)) for rank, item in zip(ranks, match.items, strict=True)
    )
    full = {"match": record, "verdicts": [verdict]}
    return Inspection(
        kind="match", heading=tuple(heading), columns=("place", "item", "shown"), lines=lines, record=full
    )


def match_records(state: State) -> list[Record]:
    """Every match as plain values, in the order of record."""
    return [match_record(match, rolled_back=match.id in state.rolled_back) for match in state.played]


def match_record(match: Match, *, rolled_back: bool) -> Record:
    """A match as plain values."""
    return {
        "id": match.id,
        "round": match.round,
        "a": match.a,
        "b": match.b,
        "outcome": match.outcome.value,
        "winner": _winner(match),
        "items": list(match.items),
        "comparisons": len(match.answers),
        "protocol": match.protocol.value,
        "confidence": match.confidence,
        "rolled_back": rolled_back,
    }


def match_lines(
    records: list[Record], *, about: str | None = None
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Matches as a table: columns and cells; of a list, the rank of the item that they are ``about``."""
    columns = ("match", "a", "b", "result", "calls")
    lines = tuple((r["id"], r["a"], r["b"], _result(r, about), str(r["comparisons"])) for r in records)
    return columns, lines


def _winner(match: Match) -> str | None:
    return {"a": match.a, "b": match.b}.get(match.outcome.value)


def _result(record: Record, about: str | None = None) -> str:
    words = {"draw": "draw", "void": "void: no answer"}
    winner, items = record["winner"], record["items"]
    if len(items) == 2:
        won = f"{winner} won"
    elif about in (None, winner):
        won = f"{winner} first of {len(items)}"
    else:
        won = f"{about} in place {items.index(about) + 1} of {len(items)}"
    result = words.get(record["outcome"]) or won
    return f"{result} (rolled back)" if record["rolled_back"] else result


def verdict_record(match: Match, answer: Comparison | Ranking) -> Record:
    """A verdict as flat values; ``order`` holds ids, best first, where several were put in order."""
    verdict = asdict(answer.verdict)
    usage = verdict.pop("usage")
    first, second, *_ = answer.shown
    about = {"match": match.id, "call": answer.call, "first": first, "second": second, "shown": list(answer.shown)}
    order = list(answer.order) if isinstance(answer, Ranking) else []
    return {**about, **verdict, "choice": answer.verdict.choice.value, "order": order, **usage}


def turn_record(match: Match | None, turn: DebateTurn) -> Record:
    """A turn of a debate as flat values; ``match`` is empty while its match is open."""
    values = asdict(turn)
    usage = values.pop("usage")
    return {"match": "" if match is None else match.id, **values, **usage}


def _turn_records(ledger: Ledger, state: State) -> list[Record]:
    of = {answer.call: match for match in state.played for answer in match.answers}
    return [turn_record(of.get(turn.call), turn) for turn in ledger.tournaments.turns(state.id)]


def records(ledger: Ledger, state: State, what: str) -> list[Record]:
    """What ``export`` writes, as plain values in the order of record.

    Args:
        ledger: The ledger.
        state: The tournament.
        what: ``matches``, ``verdicts``, ``turns``, ``changes`` or ``items``.
    """
    makers: dict[str, Callable[[], list[Record]]] = {
        "matches": lambda: match_records(state),
        "verdicts": lambda: [
            verdict_record(recorded.match, answer)
            for recorded in ledger.matches.all(state.id)
            for answer in recorded.match.answers
        ],
        "turns": lambda: _turn_records(ledger, state),
        "changes": lambda: [asdict(change) for change in ledger.ratings.changes(state.id)],
        "items": lambda: [{"id": item.id, "text": item.text, "kind": item.kind.value} for item in state.items],
    }
    return makers[what]()
