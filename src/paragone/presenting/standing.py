"""Why an item is where it is: sentences and tables."""

from collections.abc import Iterator, Sequence
from typing import Any

from paragone.presenting.table import Column, Table, number, text
from paragone.wire.standing import CarryingMatch, NextResult, OpponentRecord, Standing


def explained(explanation: Standing) -> Iterator[str | Table[Any]]:
    """All of it, for the terminal."""
    mean = explanation.opponents_rating
    opponents = "" if mean is None else f"; opponents of strength {mean:.0f} on average"
    rank, strength = f"rank {explanation.rank}", f"strength {explanation.rating:.0f}"
    yield f"{explanation.item}: {rank}, {strength}; matches: {explanation.matches:,}{opponents}"
    if explanation.alone is not None:
        yield f"by the answers alone its strength would be {explanation.alone:.0f}"
    if explanation.unknown:
        yield explanation.unknown
    for table in (_matches(explanation.carrying, "the matches that carry it"), _matches(explanation.upsets, "upsets")):
        if table.rows:
            yield from ("", f"{table.title}:", table)
    if explanation.next:
        yield from ("", "what one more answer would change:", _next(explanation.next))
    if explanation.opponents:
        yield from ("", "opponents:", _opponents(explanation.opponents))


def _matches(lines: Sequence[CarryingMatch], title: str) -> Table[CarryingMatch]:
    return Table(
        title=title,
        rows=lines,
        columns=[
            text("match", lambda line: line.match),
            text("result", lambda line: line.result),
            text("against", lambda line: line.opponent or ""),
            number("chance", lambda line: line.chance, ".0%"),
            number("points", lambda line: line.change, "+.1f"),
        ],
    )


def _next(results: Sequence[NextResult]) -> Table[NextResult]:
    return Table(
        rows=results,
        columns=[
            text("if it", lambda each: {"won": "beats", "lost": "loses to"}[each.result]),
            text("item", lambda each: each.opponent),
            number("strength", lambda each: each.rating, ".0f"),
            number("rank", lambda each: each.rank, ""),
        ],
    )


def _opponents(opponents: Sequence[OpponentRecord]) -> Table[OpponentRecord]:
    record: Column[OpponentRecord] = text("W-L-T", lambda each: f"{each.wins}-{each.losses}-{each.ties}")
    return Table(
        rows=opponents,
        columns=[text("item", lambda each: each.id), number("strength", lambda each: each.rating, ".0f"), record],
    )
