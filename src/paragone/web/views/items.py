"""Items: lists of them, and one with its board row, rating history and similar items."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from paragone.domain import Item as StoredItem
from paragone.domain.records import SimilarityGraph as SimilarityRecord
from paragone.errors import NotFound, ParagoneError
from paragone.intake.item_values import read_similarities
from paragone.similarity import SimilarityGraph, VectorCache, open_embedder
from paragone.tournaments.dossiers import require_items
from paragone.tournaments.proximity import PAIRS, VECTORS, RecordedProximity, VectorProximity
from paragone.tournaments.state.similarities import Proximity
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.board import PATIENCE, board_rows, row_of
from paragone.web.views.cursors import cursor, number_of, page_of
from paragone.web.views.dossiers import notes_on
from paragone.web.views.texts import event_state
from paragone.wire.board import BoardRow
from paragone.wire.item import CriterionMean, Item, ItemPage, ItemRow, ReviewPage, SimilarItem
from paragone.wire.match import RatingChange

MOST_ITEMS = 5_000
"""Maximum items of a pool for which similar items are listed."""
NEIGHBOURS = 6
SHOWN = 200
"""Characters of a similar item's text."""


def neighbours(reader: LedgerReader, pool: str, id: str) -> list[SimilarItem]:
    """The items most similar to one, most similar first; none if similarities are not known."""
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
    """The similarity graph of the tournament; None if it has none, or it is not available here."""
    spec = TournamentSettings.from_json(reader.ledger.tournaments.get(pool).settings).similarity
    if spec is None:
        return None
    try:
        if spec.startswith(PAIRS):
            return RecordedProximity(SimilarityRecord(similarity_matrix=read_similarities(spec.removeprefix(PAIRS))))
        if spec.startswith(VECTORS):
            return VectorProximity(spec.removeprefix(VECTORS)).of(reader.ledger.items.all(pool))
        return _of_embedded(reader, spec, reader.ledger.items.all(pool))
    except ParagoneError:  # its file is elsewhere, or its embedder not installed
        return None


def _of_embedded(reader: LedgerReader, spec: str, items: Sequence[StoredItem]) -> Proximity | None:
    """The graph of the items whose vectors were cached when the tournament ran."""
    file = reader.ledger.file
    cache = None if file is None else file.with_name(f"{file.name}.vectors")
    if cache is None or not cache.exists():
        return None
    vectors = VectorCache(cache).find(open_embedder(spec).name, [item.content_hash for item in items])
    embedded = [item for item in items if item.content_hash in vectors]
    if len(embedded) < 2:
        return None
    return SimilarityGraph.of(embedded, vectors=np.stack([vectors[item.content_hash] for item in embedded]))


LATEST = 200
"""Latest matches of an item whose criterion scores are averaged."""
MOVES = 500
"""Latest rating changes that are listed."""
AROUND = 3
"""Items listed on either side of one on the board."""


def items(reader: LedgerReader, pool: str, *, limit: int = 50, after: str | None = None) -> ItemPage:
    """The items of a pool, in the order in which they were added.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    reader.version(pool)  # refuses a pool that is not there
    listing = ("items", pool)
    records = reader.ledger.items.after(pool, number_of(after, listing) or 0, limit + 1)
    rows = [ItemRow(id=item.id, kind=item.kind.value, text=item.text) for _, item in records[:limit]]
    return ItemPage(items=rows, next=cursor(listing, [records[limit - 1][0]]) if len(records) > limit else None)


def item(reader: LedgerReader, pool: str, id: str) -> Item:
    """One item.

    Raises:
        NotFound: If there is no such pool, or no such item in it.
    """
    reader.version(pool)
    stored, own_row = reader.ledger.items.by_id(pool, [id]).get(id), row_of(reader, pool, id)
    if stored is None or own_row is None:
        raise reader.no_item(pool, id)
    changes, notes = reader.ledger.ratings.changes(pool, id), notes_on(reader, pool, id)
    return Item(
        id=id,
        kind=stored.kind.value,
        text=stored.text,
        pool=pool,
        row=own_row,
        around=_around(reader, pool, id),
        progression=[RatingChange.like(change) for change in changes[-MOVES:]],
        moves=len(changes),
        criteria=_criteria(reader, pool, id),
        reviews=list(reader.ledger.items.reviews_of(pool, id)),
        neighbours=neighbours(reader, pool, id),
        retired=retirement_reasons(reader, pool).get(id, ""),
        attributes=dict(notes.attributes),
        evidence=list(notes.evidence),
    )


def _around(reader: LedgerReader, pool: str, id: str) -> list[BoardRow]:
    if not reader.is_small(pool):
        return []
    snapshot, _ = reader.newest_board(pool, PATIENCE)
    if snapshot is None or id not in snapshot.value.positions:
        return []
    board, position = snapshot.value.board, snapshot.value.positions[id]
    return board_rows(board.items[max(0, position - AROUND) : position + AROUND + 1], board, {})


def _criteria(reader: LedgerReader, pool: str, item: str) -> list[CriterionMean]:
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for recorded in reader.ledger.matches.before(pool, None, LATEST, item):
        for comparison in () if recorded.rolled_back else recorded.match.comparisons:
            for score in comparison.verdict.scores:
                scores[score.criterion].append(score.first if comparison.first == item else score.second)
    return [CriterionMean(criterion=name, mean=fmean(own), verdicts=len(own)) for name, own in scores.items()]


def reviews(reader: LedgerReader, pool: str, item: str | None, *, limit: int, after: str | None) -> ReviewPage:
    """The reviews of a pool, or of one item, by item and reviewer.

    Raises:
        NotFound: If there is no such pool, or no such item in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    if item is None:
        stored = reader.ledger.items.reviews(pool)
    else:
        require_items(reader.ledger, pool, [item])
        stored = reader.ledger.items.reviews_of(pool, item)
    entries = sorted(((review.item, review.reviewer), review) for review in stored)
    listing = ("reviews", pool, *([] if item is None else [item]))
    page, following = page_of(entries, listing, limit, after)
    return ReviewPage(reviews=page, next=following)


def retirement_reasons(reader: LedgerReader, pool: str) -> Mapping[str, str]:
    """Why items are retired, by id."""
    return event_state(reader, pool).retired
