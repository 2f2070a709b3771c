"""Which items are alike, where a tournament knows that already: nothing is embedded for the sake of a page."""

from collections.abc import Sequence

import numpy as np

from paragone.domain import Item
from paragone.domain.records import SimilarityGraph as SimilarityRecord
from paragone.errors import NotFound, ParagoneError
from paragone.intake.item_values import read_similarities
from paragone.similarity import SimilarityGraph, VectorCache, open_embedder
from paragone.tournaments.running.similarity_source import PAIRS, VECTORS, VectorProximity
from paragone.tournaments.state.proximity import Proximity, RecordedProximity
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.wire.item import SimilarItem

MOST_ITEMS = 5_000
"""Items up to which neighbours are looked for."""
NEIGHBOURS = 6
SHOWN = 200
"""Characters of a neighbour's text that are shown."""


def neighbours(reader: LedgerReader, pool: str, id: str) -> list[SimilarItem]:
    """The items most like one, the likest first; none where that is not known."""
    if not reader.is_tournament(pool) or reader.items(pool) > MOST_ITEMS:
        return []
    graph = reader.kept("alike", pool, lambda: _graph(reader, pool), stamp=reader.items(pool))
    try:
        near = () if graph is None else graph.neighbours(id)[:NEIGHBOURS]
    except NotFound:
        return []
    items = reader.ledger.items.by_id(pool, [other for other, _ in near])
    return [
        SimilarItem(id=other, text=items[other].text[:SHOWN], similarity=similarity)
        for other, similarity in near
        if other in items
    ]


def _graph(reader: LedgerReader, pool: str) -> Proximity | None:
    """The graph that the tournament goes by; None where it goes by none, or that cannot be had here."""
    spec = TournamentSettings.from_json(reader.ledger.tournaments.get(pool).settings).similarity
    if spec is None:
        return None
    try:
        if spec.startswith(PAIRS):
            return RecordedProximity(SimilarityRecord(similarity_matrix=read_similarities(spec.removeprefix(PAIRS))))
        if spec.startswith(VECTORS):
            return VectorProximity(spec.removeprefix(VECTORS)).of(reader.ledger.items.all(pool))
        return _of_embedded(reader, spec, reader.ledger.items.all(pool))
    except ParagoneError:  # its file is elsewhere, or its embedder not installed: then it is not known here
        return None


def _of_embedded(reader: LedgerReader, spec: str, items: Sequence[Item]) -> Proximity | None:
    """The graph of those items whose vectors were kept when the tournament was run."""
    file = reader.ledger.file
    cache = None if file is None else file.with_name(f"{file.name}.vectors")
    if cache is None or not cache.exists():
        return None
    vectors = VectorCache(cache).find(open_embedder(spec).name, [item.content_hash for item in items])
    embedded = [item for item in items if item.content_hash in vectors]
    if len(embedded) < 2:
        return None
    return SimilarityGraph.of(embedded, vectors=np.stack([vectors[item.content_hash] for item in embedded]))
