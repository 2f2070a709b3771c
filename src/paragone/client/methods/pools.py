"""Pools, their items and their boards."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from paragone.client.addresses import API, pool_path, segment
from paragone.client.methods.asking import PAGE, Asking, there
from paragone.client.values import Added, Board, Item, ItemLine, ItemPage, Pool, PoolPage, Row

By = Literal["auto", "strength", "elo"]


class PoolMethods(Asking):
    """Pools, items, boards."""

    def pools(self) -> Iterator[Pool]:
        """All pools, the newest first."""
        return self._every(PoolPage, f"{API}/pools", "pools")

    def pool(self, pool: str) -> Pool:
        """One pool: how much is in it, whether it runs, what it took."""
        return self._at.get(Pool, pool_path(pool))

    def create_pool(
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
            top: Settle who belongs to the top so many; the whole order where None.
            seed: Seeds the pairing.
            level: Probability that intervals are meant to hold.
            key: Names the wish: the same again, also from another client, makes no other pool. One of this call's own
                where None.
        """
        body = {"name": name, "criteria": criteria, "items": _items(items), "top": top, "seed": seed, "level": level}
        named = {"idempotency-key": key or uuid.uuid4().hex}
        return there(self._at.post(Pool, f"{API}/pools", body, headers=named))

    def add_items(self, pool: str, items: Mapping[str, str] | Iterable[str]) -> list[str]:
        """Add items, by their ids or as they are; the ids of those that are new."""
        return there(self._at.post(Added, pool_path(pool, "items"), {"items": _items(items)})).added

    def board(
        self,
        pool: str,
        *,
        by: By = "auto",
        sort: str = "rank",
        descending: bool | None = None,
        search: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Board:
        """A page of the leaderboard; ``next`` of it is the cursor of the one after."""
        return self._at.get(
            Board,
            pool_path(pool, "board"),
            by=by,
            sort=sort,
            descending=descending,
            search=search or None,
            limit=limit,
            cursor=cursor,
        )

    def rows(self, pool: str, *, by: By = "auto") -> Iterator[Row]:
        """The whole leaderboard, best first, fetched page by page."""
        cursor = None
        while True:
            page = self.board(pool, by=by, limit=PAGE, cursor=cursor)
            by, cursor = page.by, page.next  # the pages after are of the board that the first one was of
            yield from page.rows
            if cursor is None:
                return

    def items(self, pool: str) -> Iterator[ItemLine]:
        """All items with their texts, in the order in which they were added."""
        return self._every(ItemPage, pool_path(pool, "items"), "items")

    def item(self, pool: str, item: str) -> Item:
        """One item: where it stands, how its rating went, what reviewers said."""
        return self._at.get(Item, pool_path(pool, "items", segment(item)))


def _items(items: Mapping[str, str] | Iterable[str]) -> list[dict[str, str]]:
    if isinstance(items, Mapping):
        return [{"id": id, "text": text} for id, text in items.items()]
    return [{"text": text} for text in items]
