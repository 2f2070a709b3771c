"""``paragone similar``: clusters and near-duplicates among items, before anything is judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import option
from paragone.cli.terminal import progress_bar
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.similarity import SimilarityGraph

_WIDTH = 90


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarPair:
    """Two items and their similarity."""

    a: str
    b: str
    similarity: float


def similar(
    items: options.ItemFile,
    columns: options.Columns,
    output: options.Output,
    pairs: Annotated[int, option("Show the N most similar pairs.", min=0)] = 10,
    neighbours: Annotated[int, option("Neighbours of each item.", min=1)] = 10,
    embedder: Annotated[
        str, option("local, llm:MODEL, llm:MODEL@URL or llm:PROVIDER:MODEL.", metavar="SPEC")
    ] = "local",
    cache: Annotated[Path | None, option("Keep vectors in this file between runs.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Find clusters and near-duplicates among items. Nothing is judged and nothing is stored."""
    from paragone.similarity import SimilarityGraph, VectorCache, embed, open_embedder

    listed = columns.read(columns.file(items))
    source = open_embedder(embedder)
    with progress_bar("embedding", quiet=quiet) as progress:
        vectors = embed(listed, source, cache=VectorCache(cache) if cache else None, progress=progress)
    graph = SimilarityGraph.of(listed, vectors=vectors, neighbours=neighbours)
    nearest = [SimilarPair(a=a, b=b, similarity=graph.similarity(a, b)) for a, b in graph.likest(pairs)]
    texts = {item.id: item.text for item in listed}
    output.show(
        graph,
        lambda each: _blocks(each, nearest, texts),
        values=lambda each: {
            "items": len(each.ids),
            "embedder": source.name,
            "clusters": [
                {"number": cluster.number, "cohesion": cluster.cohesion, "members": cluster.members}
                for cluster in each.clusters
            ],
            "pairs": nearest,
        },
    )


def _blocks(graph: "SimilarityGraph", pairs: list[SimilarPair], texts: dict[str, str]) -> Iterator[str | Table[Any]]:
    yield table(
        graph.clusters,
        number("cluster", lambda cluster: cluster.number),
        number("items", lambda cluster: len(cluster.members)),
        number("cohesion", lambda cluster: cluster.cohesion, ".2f"),
        text("most typical", lambda cluster: f"{cluster.members[0]}  {texts[cluster.members[0]]}"[:_WIDTH]),
    )
    if pairs:
        yield ""
        yield table(
            pairs,
            number("similarity", lambda pair: pair.similarity, ".2f"),
            text("item", lambda pair: pair.a),
            text("other", lambda pair: pair.b),
        )
