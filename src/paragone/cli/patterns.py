"""``paragone patterns``: what wins and what loses in a tournament."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.analysis.patterns import Patterns
    from paragone.similarity import SimilarityGraph


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(patterns)


def patterns(
    tournament: options.Chosen = None,
    db: options.Database = None,
    items: Annotated[
        Path | None,
        typer.Option("--items", metavar="FILE", help="Texts by id, for votes that were imported without them."),
    ] = None,
    min_matches: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Decided matches that it takes; 100.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, metavar="P", help="Held-out accuracy from which patterns are reported; 0.7."),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option("--embedder", metavar="SPEC", help="Make topics of clusters: local, llm:MODEL, llm:MODEL@URL."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Have the recommendation worded: MODEL[?OPTIONS][@URL]."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seeds the analysis; the tournament's own.")] = None,
    record: Annotated[bool, typer.Option("--record/--no-record", help="Keep the analysis in the ledger.")] = True,
    as_json: options.Json = False,
) -> None:
    """Find what wins and what loses, and how topics fare."""
    from dataclasses import replace

    from paragone.intake import read_items
    from paragone.settings import settings
    from paragone.tournaments.results.patterns import analyse_patterns, record_patterns, texts_of
    from paragone.tournaments.tournament import Tournament

    texts = None if items is None else {item.id: item.text for item in read_items(items)}
    with Tournament.open(db or settings().db, tournament) as opened:
        state, config = opened.state, opened.state.system.pattern_analysis
        config = config if min_matches is None else replace(config, min_matches_for_analysis=min_matches)
        config = config if threshold is None else replace(config, pattern_confidence_threshold=threshold)
        if embedder is not None:
            state.proximity = _graph(texts or texts_of(state), embedder)
        found = analyse_patterns(state, config=config, seed=seed, texts=texts)
        if model is not None:
            found = asyncio.run(_worded(found, model))
        if record and found.confidence:
            record_patterns(opened.ledger, state, found)
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found)


def _graph(texts: dict[str, str], embedder: str) -> "SimilarityGraph":
    from paragone.domain import Item
    from paragone.similarity import SimilarityGraph, open_embedder

    items = [Item(id=id, text=text) for id, text in texts.items()]
    return SimilarityGraph.of(items, embedder=open_embedder(embedder))


async def _worded(found: "Patterns", model: str) -> "Patterns":
    from paragone.judges.model import WRITER, read_model_spec
    from paragone.llm import connect
    from paragone.tournaments.results.patterns import worded

    spec = read_model_spec(model, WRITER)
    options = spec.options.chosen()
    timeout = options.pop("timeout", 120.0)
    client = connect(spec.model, base_url=spec.url, timeout=timeout)
    try:
        return await worded(found, client, **options)
    finally:
        await client.close()


def _print(found: "Patterns") -> None:
    from paragone.cli.show import out, plain

    console = out()
    console.print(plain(found.summary))
    _print_characteristics(found)
    _print_criteria(found)
    _print_topics(found)
    console.print()
    console.print(plain(found.recommendation_for_generation))
    if found.worded_by != "statistics":
        console.print(plain(f"(worded by {found.worded_by})"), style="dim")
    if found.note:
        typer.echo(f"note: {found.note}", err=True)


def _print_characteristics(found: "Patterns") -> None:
    from paragone.cli.show import print_table

    if not found.characteristics:
        return
    lines = [
        (
            "wins" if one.wins else "loses",
            one.phrase,
            f"x {one.odds:.2g}",
            f"{one.low:.2g} to {one.high:.2g}",
            str(one.support),
            ", ".join(one.examples),
        )
        for one in found.characteristics
    ]
    columns = ("", "what", "odds of winning", f"{found.method['level']:.0%} interval", "items", "such as")
    sys.stdout.write("\n")
    print_table(columns, lines, right=frozenset(columns[2:5]))


def _print_criteria(found: "Patterns") -> None:
    from paragone.cli.show import print_table

    if not found.criteria:
        return
    lines = [
        (one.criterion, f"{one.agreement:.0%}", f"{one.low:.0%} to {one.high:.0%}", f"{one.weight:.0%}",
         str(one.matches))
        for one in found.criteria
    ]  # fmt: skip
    columns = ("criterion", "winner scored higher", "interval", "decides", "matches")
    sys.stdout.write("\n")
    print_table(columns, lines, right=frozenset(columns[1:]))


def _print_topics(found: "Patterns") -> None:
    from paragone.cli.show import print_table

    if not found.topics:
        return
    lines = [
        (
            one.topic,
            str(one.items),
            f"{one.share:.0%}",
            f"{one.won:.0%} of {one.matches}",
            f"{one.low:.0%} to {one.high:.0%}",
            f"{one.won_early:.0%} to {one.won_late:.0%}" if one.chance is not None else "",
            one.trend or ("no trend" if one.chance is not None else "too little to tell"),
        )
        for one in found.topics
    ]
    columns = ("topic", "items", "of matches", "won", "interval", "early to late", "trend")
    sys.stdout.write("\n")
    print_table(columns, lines, right=frozenset(columns[1:6]))
