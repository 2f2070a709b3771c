"""``ledger.images`` and ``ledger.views``: what pages show besides the evidence."""

import hashlib
from collections.abc import Mapping

from sqlalchemy import delete, func, insert, select

from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.databases.database import Namespace

MOST_IMAGES = 1_000
"""Images of a pool at the most."""
MOST_VIEWS = 200
"""Views of one owner at the most."""

_image, _view = schema.image, schema.saved_view


class Images(Namespace):
    """Images that the texts of pools may show. They never change: who has shown one has shown it."""

    def add(self, pool: str, name: str, kind: str, content: bytes) -> bool:
        """Keep an image. The same again changes nothing.

        Args:
            pool: The pool.
            name: What texts call it.
            kind: Its media type.
            content: Its bytes.

        Returns:
            Whether it is new.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If another image has the name.
            InvalidConfig: If the pool has ``MOST_IMAGES``.
        """
        digest = hashlib.sha256(content).hexdigest()
        with self._database.write() as connection:
            chain.require(connection, pool)
            owned = _image.c.pool == pool
            existing = connection.scalar(select(_image.c.digest).where(owned, _image.c.name == name))
            if existing is not None and existing != digest:
                raise Conflict(f"pool {pool!r} has another image called {name!r}: give this one another name")
            if existing is not None:
                return False
            if (connection.scalar(select(func.count()).where(owned)) or 0) >= MOST_IMAGES:
                raise InvalidConfig(f"pool {pool!r} has {MOST_IMAGES:,} images, and more are not kept")
            values = {"pool": pool, "name": name, "kind": kind, "digest": digest, "content": content}
            connection.execute(insert(_image).values(values))
            return True

    def get(self, pool: str, name: str) -> tuple[str, str, bytes]:
        """An image: its media type, the SHA-256 of its content, and its content.

        Raises:
            NotFound: If the pool has none of that name.
        """
        columns = _image.c["kind", "digest", "content"]
        with self._database.read() as connection:
            row = connection.execute(select(*columns).where(_image.c.pool == pool, _image.c.name == name)).first()
        if row is None:
            raise NotFound(f"pool {pool!r} has no image {name!r}")
        return row.kind, row.digest, bytes(row.content)

    def names(self, pool: str) -> tuple[str, ...]:
        """The names of the images of a pool, sorted."""
        with self._database.read() as connection:
            names = connection.scalars(select(_image.c.name).where(_image.c.pool == pool))
            return tuple(sorted(names))


class SavedViews(Namespace):
    """Addresses of pages that people gave names."""

    def save(self, owner: str, name: str, address: str) -> None:
        """Keep an address under a name; another one under that name is replaced.

        Raises:
            InvalidConfig: If the owner has ``MOST_VIEWS``.
        """
        with self._database.write() as connection:
            connection.execute(delete(_view).where(_view.c.owner == owner, _view.c.name == name))
            if (connection.scalar(select(func.count()).where(_view.c.owner == owner)) or 0) >= MOST_VIEWS:
                raise InvalidConfig(f"you have saved {MOST_VIEWS} views: remove one first")
            connection.execute(insert(_view).values(owner=owner, name=name, address=address))

    def remove(self, owner: str, name: str) -> None:
        """Forget a view.

        Raises:
            NotFound: If the owner has none of that name.
        """
        with self._database.write() as connection:
            gone = connection.execute(delete(_view).where(_view.c.owner == owner, _view.c.name == name))
            if not gone.rowcount:
                raise NotFound(f"there is no saved view {name!r}")

    def of(self, owner: str) -> Mapping[str, str]:
        """The views of an owner: addresses by name, sorted by name."""
        with self._database.read() as connection:
            rows = connection.execute(select(_view.c.name, _view.c.address).where(_view.c.owner == owner))
            return dict(sorted((row.name, row.address) for row in rows))
