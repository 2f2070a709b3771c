"""Pools: their items, leaderboards and exports."""

import base64
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence

from paragone.client.connection import PAGE, Namespace
from paragone.wire.address import image_url, item_url, pool_url
from paragone.wire.board import Board, BoardRanking, BoardRow, SortColumn
from paragone.wire.item import Item, ItemPage, ItemRow, ReadAs, TextSettings
from paragone.wire.pool import AddedItems, ExportFormat, ExportTable, Pool, PoolPage


class Pools(Namespace):
    """The pools of a server."""

    def list(self, *, archived: bool = False) -> Iterator[Pool]:
        """The pools, the newest first; with those that were archived or deleted if asked for."""
        return self._connection.every(PoolPage, "/pools", "pools", archived=archived or None)

    def rename(self, pool: str, title: str) -> Pool:
        """Give a tournament another title; its id stays."""
        return self._connection.post(Pool, pool_url(pool, "title"), {"title": title})

    def archive(self, pool: str, *, is_archived: bool = True) -> Pool:
        """Leave a tournament out of lists, or show it in them again."""
        body = {"state": "archived" if is_archived else "active"}
        return self._connection.post(Pool, pool_url(pool, "state"), body)

    def delete(self, pool: str, reason: str = "") -> Pool:
        """Delete a tournament: it takes no new evidence, for good. What is on record stays."""
        body = {"state": "deleted", "confirm": pool, "reason": reason}
        return self._connection.post(Pool, pool_url(pool, "state"), body)

    def get(self, pool: str) -> Pool:
        """One pool: its size, whether it is running, and its cost."""
        return self._connection.get(Pool, pool_url(pool))

    def create(
        self,
        name: str,
        criteria: str,
        items: Mapping[str, str] | Iterable[str],
        *,
        top: int | None = None,
        seed: int | None = None,
        level: float = 0.95,
        key: str | None = None,
    ) -> Pool:
        """Make a pool for people to vote on.

        Args:
            name: What its id is made of.
            criteria: What "better" means.
            items: Texts, by their ids or as they are.
            top: Settle which items are in the top ``top``; the whole order if None.
            seed: Seeds the pairing.
            level: Probability that intervals are meant to hold.
            key: Idempotency key: the same request again, also from another client, makes no other pool. A new one for
                each call if None.
        """
        body = {"name": name, "criteria": criteria, "items": new_items(items), "top": top, "seed": seed, "level": level}
        headers = {"idempotency-key": key or uuid.uuid4().hex}
        return self._connection.post(Pool, "/pools", body, headers=headers)

    def add_items(self, pool: str, items: Mapping[str, str] | Iterable[str]) -> Sequence[str]:
        """Add items, as texts or by id; return the ids of the new ones."""
        body = {"items": new_items(items)}
        return self._connection.post(AddedItems, pool_url(pool, "items"), body).added

    def board(
        self,
        pool: str,
        *,
        by: BoardRanking = "auto",
        sort: SortColumn = "rank",
        descending: bool | None = None,
        search: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Board:
        """A page of the leaderboard; its ``next`` is the cursor of the page after."""
        return self._connection.get(
            Board,
            pool_url(pool, "board"),
            by=by,
            sort=sort,
            descending=descending,
            search=search or None,
            limit=limit,
            cursor=cursor,
        )

    def rows(self, pool: str, *, by: BoardRanking = "auto") -> Iterator[BoardRow]:
        """The whole leaderboard, best first, fetched page by page."""
        cursor = None
        while True:
            page = self.board(pool, by=by, limit=PAGE, cursor=cursor)
            by, cursor = page.by, page.next  # later pages are of the ranking that the first one had
            yield from page.rows
            if cursor is None:
                return

    def items(self, pool: str) -> Iterator[ItemRow]:
        """All items with their texts, in the order in which they were added."""
        return self._connection.every(ItemPage, pool_url(pool, "items"), "items")

    def item(self, pool: str, item: str) -> Item:
        """One item: its board row, rating history and reviews."""
        return self._connection.get(Item, item_url(pool, item))

    def texts(self, pool: str) -> TextSettings:
        """How pages show the texts of a pool, and the names of its images."""
        return self._connection.get(TextSettings, pool_url(pool, "texts"))

    def show_texts_as(self, pool: str, read_as: ReadAs) -> TextSettings:
        """Have pages show the texts of a pool as they are, or as Markdown."""
        return self._connection.post(TextSettings, pool_url(pool, "texts"), {"read_as": read_as})

    def add_image(self, pool: str, name: str, content: bytes) -> TextSettings:
        """Keep an image that texts in Markdown show by its name. The same again changes nothing."""
        body = {"name": name, "content": base64.b64encode(content).decode()}
        return self._connection.post(TextSettings, pool_url(pool, "images"), body)

    def image(self, pool: str, name: str) -> bytes:
        """An image of a pool."""
        with self._connection.stream(image_url(pool, name)) as answer:
            return answer.read()

    def export(self, pool: str, table: ExportTable, format: ExportFormat = "csv") -> Iterator[bytes]:
        """All records of one kind as a file, in pieces."""
        with self._connection.stream(pool_url(pool, "exports", table), format=format) as answer:
            yield from answer.iter_bytes()


def new_items(items: Mapping[str, str] | Iterable[str]) -> list[dict[str, str]]:
    """Items as requests have them, from texts by their ids or as they are."""
    if isinstance(items, Mapping):
        return [{"id": id, "text": text} for id, text in items.items()]
    return [{"text": text} for text in items]
