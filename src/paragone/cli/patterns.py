"""``paragone patterns``: what wins and what loses in a tournament."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import like, option
from paragone.cli.terminal import note
from paragone.domain.text import factor
from paragone.domain.tournament_config import PatternConfig
from paragone.presenting.table import Table, apart, number, numbers, table, text
from paragone.wire.value import shallow

if TYPE_CHECKING:
    from paragone.analysis.patterns import Patterns
    from paragone.similarity import SimilarityGraph
_OWN = "  [default: the tournament's]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameters:
    """Parameters of the analysis that are to be others than the tournament's."""

    min_matches_for_analysis: Annotated[
        int | None, like(PatternConfig, "min_matches_for_analysis", "--min-matches", metavar="N", after=_OWN)
    ] = None
    pattern_confidence_threshold: Annotated[
        float | None, like(PatternConfig, "pattern_confidence_threshold", "--threshold", metavar="P", after=_OWN)
    ] = None

    def over(self, config: PatternConfig) -> PatternConfig:
        """The tournament's with these."""
        return replace(config, **{name: value for name, value in shallow(self).items() if value is not None})


def patterns(
    stored: options.Stored,
    output: options.Output,
    parameters: Parameters,
    items: Annotated[Path | None, option("Texts by id, for votes imported without texts.")] = None,
    embedder: Annotated[
        str | None, option("Use clusters as topics: local, llm:MODEL, llm:MODEL@URL.", metavar="SPEC")
    ] = None,
    model: Annotated[
        str | None, option("Model that words the recommendation: MODEL[?OPTIONS][@URL].", metavar="MODEL")
    ] = None,
    seed: Annotated[int | None, option("Seeds the analysis.  [default: the tournament's]", min=0)] = None,
    record: Annotated[bool, option("Record the analysis in the ledger.", "--record/--no-record")] = True,
) -> None:
    """Find what wins and what loses, and how topics compare."""
    from paragone.intake import read_items
    from paragone.tournaments.results.patterns import analyse_patterns, record_patterns, texts_of

    texts = None if items is None else {item.id: item.text for item in read_items(items)}
    with stored.opened() as tournament:
        state = tournament.state
        config = parameters.over(state.system.pattern_analysis)
        if embedder is not None:
            state.proximity = _graph(texts or texts_of(state), embedder)
        analysis = analyse_patterns(state, config=config, seed=seed, texts=texts)
        if model is not None:
            analysis = asyncio.run(_worded(analysis, model))
        if record and analysis.confidence:
            record_patterns(tournament.ledger, state, analysis)
    output.show(analysis, _blocks, values=lambda each: each.as_dict())


def _graph(texts: dict[str, str], embedder: str) -> "SimilarityGraph":
    from paragone.domain import Item
    from paragone.similarity import SimilarityGraph, open_embedder

    items = [Item(id=id, text=text) for id, text in texts.items()]
    return SimilarityGraph.of(items, embedder=open_embedder(embedder))


async def _worded(analysis: "Patterns", model: str) -> "Patterns":
    from paragone.judges.model import WRITER, read_model_spec
    from paragone.llm import connect
    from paragone.tournaments.results.patterns import worded

    spec = read_model_spec(model, WRITER)
    terms = spec.options.chosen()
    client = connect(spec.model, base_url=spec.url, timeout=terms.pop("timeout", 120.0))
    try:
        return await worded(analysis, client, **terms)
    finally:
        await client.close()


def _blocks(analysis: "Patterns") -> Iterator[str | Table[Any]]:
    advice = analysis.recommendation_for_generation
    summary = [] if analysis.summary in advice else [analysis.summary]  # advice repeats that there is too little
    findings = [*summary, *apart((_characteristics(analysis), _criteria(analysis), _topics(analysis)))]
    yield from (*findings, *([""] if findings else []), advice)
    if analysis.worded_by != "statistics":
        yield f"(worded by {analysis.worded_by})"
    if analysis.note:
        note(analysis.note)


def _characteristics(analysis: "Patterns") -> Table[Any]:
    return table(
        analysis.characteristics,
        text("", lambda each: "wins" if each.wins else "loses"),
        text("what", lambda each: each.phrase),
        numbers("odds of winning", lambda each: f"x {factor(each.odds)}"),
        numbers(f"{analysis.method['level']:.0%} interval", lambda each: f"{factor(each.low)} to {factor(each.high)}"),
        number("items", lambda each: each.support, ""),
        text("such as", lambda each: ", ".join(each.examples)),
    )


def _criteria(analysis: "Patterns") -> Table[Any]:
    return table(
        analysis.criteria,
        text("criterion", lambda each: each.criterion),
        number("winner scored higher", lambda each: each.agreement, ".0%"),
        numbers("interval", lambda each: f"{each.low:.0%} to {each.high:.0%}"),
        number("decides", lambda each: each.weight, ".0%"),
        number("matches", lambda each: each.matches, ""),
    )


def _topics(analysis: "Patterns") -> Table[Any]:
    return table(
        analysis.topics,
        text("topic", lambda each: each.topic),
        number("items", lambda each: each.items, ""),
        number("of matches", lambda each: each.share, ".0%"),
        numbers("won", lambda each: f"{each.won:.0%} of {each.matches}"),
        numbers("interval", lambda each: f"{each.low:.0%} to {each.high:.0%}"),
        numbers(
            "early to late",
            lambda each: "" if each.chance is None else f"{each.won_early:.0%} to {each.won_late:.0%}",
        ),
        text("trend", lambda each: each.trend or ("too few matches" if each.chance is None else "no trend")),
    )
