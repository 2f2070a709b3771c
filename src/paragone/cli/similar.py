"""``paragone similar``: which items are alike, before anything is judged."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.similarity import SimilarityGraph

_WIDTH = 90


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(similar)


def similar(
    items: Annotated[
        Path,
        typer.Argument(
            metavar="ITEMS", help="A .txt, .csv, .tsv, .json, .jsonl or .parquet file, or a folder of text files."
        ),
    ],
    pairs: Annotated[int, typer.Option("--pairs", min=0, metavar="N", help="Show so many of the likest pairs.")] = 10,
    neighbours: Annotated[
        int, typer.Option("--neighbours", min=1, metavar="N", help="How many others each item is tied to.")
    ] = 10,
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="SPEC", help="local, llm:MODEL, llm:MODEL@URL or llm:PROVIDER:MODEL.")
    ] = "local",
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="FILE", help="Keep vectors here from one run to the next.")
    ] = None,
    id_column: Annotated[str | None, typer.Option(metavar="NAME", help="Column of the ids.")] = None,
    text_column: Annotated[str | None, typer.Option(metavar="NAME", help="Column of the texts.")] = None,
    encoding: options.Encoding = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find clusters and near-doubles among items: nothing is judged, nothing stored."""
    from paragone.intake import read_items
    from paragone.similarity import SimilarityGraph, VectorCache, embed, open_embedder

    read = read_items(items, id_column=id_column, text_column=text_column, encoding=encoding)
    source = open_embedder(embedder)
    with _counting(quiet=quiet) as progress:
        vectors = embed(read, source, cache=VectorCache(cache) if cache else None, progress=progress)
    graph = SimilarityGraph.of(read, vectors=vectors, neighbours=neighbours)
    likest = [(a, b, graph.similarity(a, b)) for a, b in graph.likest(pairs)]
    if as_json:
        print_json(_values(graph, likest, source.name))
    else:
        _print(graph, likest, {item.id: item.text for item in read})


@contextmanager
def _counting(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task("embedding")
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _values(graph: "SimilarityGraph", likest: list[tuple[str, str, float]], embedder: str) -> dict[str, object]:
    return {
        "items": len(graph.ids),
        "embedder": embedder,
        "clusters": [
            {"number": cluster.number, "cohesion": cluster.cohesion, "members": cluster.members}
            for cluster in graph.clusters
        ],
        "pairs": [{"a": a, "b": b, "similarity": cosine} for a, b, cosine in likest],
    }


def _print(graph: "SimilarityGraph", likest: list[tuple[str, str, float]], texts: dict[str, str]) -> None:
    from paragone.cli.show import print_table

    lines = [
        (str(c.number), str(len(c.members)), f"{c.cohesion:.2f}", f"{c.members[0]}  {texts[c.members[0]]}"[:_WIDTH])
        for c in graph.clusters
    ]
    columns = ("cluster", "items", "cohesion", "most typical")
    print_table(columns, lines, right=frozenset(columns[:3]))
    if likest:
        sys.stdout.write("\n")
        rows = [(f"{cosine:.2f}", a, b) for a, b, cosine in likest]
        print_table(("likeness", "one", "other"), rows, right=frozenset({"likeness"}))
