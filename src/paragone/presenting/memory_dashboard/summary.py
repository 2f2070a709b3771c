"""The summary of the dashboard, in sentences, and its headline numbers."""

from collections.abc import Iterator, Mapping

from paragone.analysis.content import MEANINGS, EchoChamber, sizes
from paragone.domain.content import Content, ContentKind, Quadrant
from paragone.domain.text import counted, cut
from paragone.memory.dashboard import Dashboard
from paragone.presenting.page import Sentence, have, were

SINGULARS: Mapping[ContentKind, str] = {
    ContentKind.FILE: "file",
    ContentKind.ADR: "decision record",
    ContentKind.SYMBOL: "symbol",
    ContentKind.VECTOR: "chunk",
}
"""Kinds of content in words, in order."""
PLURALS: Mapping[ContentKind, str] = {kind: f"{word}s" for kind, word in SINGULARS.items()}
_NAME = 60
_NAMED = 3


def name(content: Content) -> str:
    """A name, cut to fit a sentence or a table; a chunk has the name of its file."""
    if content.kind is ContentKind.VECTOR:
        return f"{cut(content.path or 'a chunk', _NAME - 10)} #{content.id[:7]}"
    return cut(content.id, _NAME)


def amount(count: int, kind: ContentKind) -> str:
    """A number of pieces of content."""
    return counted(count, SINGULARS[kind])


def tiles(board: Dashboard) -> tuple[tuple[str, str], ...]:
    """The headline numbers, with their names."""
    counts = sizes(board.files.quadrants)
    numbers = [
        *((PLURALS[kind], f"{len(pool.ratings):,}") for kind, pool in board.pools.items()),
        ("files used", f"{board.files.used:,}"),
        *((quadrant.value, f"{counts[quadrant]:,}") for quadrant in Quadrant),
        ("pruned", f"{len(board.archived):,}"),
    ]
    return tuple(numbers)


def summary(board: Dashboard) -> tuple[Sentence, ...]:
    """Counts, truth, most used content, echo chambers, measures, warnings."""
    if not board.files.ratings:
        return (("What there is", "The index is empty; begin with: paragone memory index."),)
    sentences = [("What there is", _what(board)), ("Truth", _truth(board))]
    if board.files.used:
        sentences.append(("Used most", _used(board)))
    sentences.append(("Echo chambers", _echoes(board)))
    measured = [measure for measure in board.measures.measures if measure.value is not None]
    if measured:
        sentences.append(("Measures", ", ".join(f"{measure.name} {measure.value:.0%}" for measure in measured) + "."))
    return (*sentences, *(("Beware", words) for words in _warnings(board)))


def _what(board: Dashboard) -> str:
    kinds = ", ".join(amount(len(pool.ratings), kind) for kind, pool in board.pools.items())
    return f"{kinds}. {amount(board.files.used, ContentKind.FILE)} {were(board.files.used)} used."


def _truth(board: Dashboard) -> str:
    counts = sizes(board.files.quadrants)
    if counts[Quadrant.UNKNOWN] == len(board.files.ratings):
        return "R is unknown for all files, so nothing is gated; paragone memory truth finds it."
    parts = [
        f"{quadrant.value} {counts[quadrant]:,} ({meaning.action[:1].lower()}{meaning.action[1:]})"
        for quadrant, meaning in MEANINGS.items()
    ]
    return f"Files by R and Elo: {', '.join(parts)}."


def _used(board: Dashboard) -> str:
    best = sorted(board.files.ratings, key=lambda rating: (-rating.uses, rating.content.id))[:_NAMED]
    return ", ".join(f"{name(rating.content)} ({counted(rating.uses, 'time')})" for rating in best if rating.uses) + "."


def _echoes(board: Dashboard) -> str:
    echoes = [echo for pool in board.pools.values() for echo in pool.echoes]
    if not echoes:
        return "None: nothing with a low R is rated high and used."
    worst = sorted(echoes, key=lambda echo: -echo.share)[:_NAMED]
    return f"{sum(pool.loud for pool in board.pools.values()):,}, above all {'; '.join(map(_echo, worst))}."


def _echo(echo: EchoChamber) -> str:
    return f"{name(echo.usage.content)} ({echo.usage.rating:.0f} points, {echo.share:.1%} of all uses)"


def _warnings(board: Dashboard) -> Iterator[str]:
    unknown = [rating for rating in board.files.of(Quadrant.UNKNOWN) if rating.uses]
    if unknown:
        yield (
            f"{counted(len(unknown), 'file')} {were(len(unknown))} used and {have(len(unknown))} "
            "no R: the gate is open for them."
        )
    missed = [measure for measure in board.measures.measures if measure.met is False]
    if missed:
        yield f"Below the target: {', '.join(measure.name for measure in missed)}."
