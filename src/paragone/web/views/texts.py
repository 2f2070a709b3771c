"""How the texts of a pool are read: as they are, or as Markdown with the images that it has."""

import re
from collections.abc import Mapping
from dataclasses import replace

from markupsafe import Markup

from paragone.errors import InvalidConfig, UnreadableFile
from paragone.intake.images import checked_image
from paragone.tournaments.state.history import TEXTS, EventState
from paragone.web.middleware.access import Caller
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.pools import may_see
from paragone.wire.address import image_url
from paragone.wire.item import ReadAs, TextSettings

MOST_SHOWN = 20_000
"""Characters of one text that are shown as Markdown; the API has all of it."""
MOST_VERSIONS = 200
"""Latest pools in which other versions of a text are looked for."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def event_state(reader: LedgerReader, pool: str) -> EventState:
    """What the events of a pool come to; nothing has happened in one that is no tournament."""
    if not reader.is_tournament(pool):
        return EventState()
    return reader.kept("events", pool, lambda: EventState(reader.ledger.tournaments.events(pool)))


def read_as(reader: LedgerReader, pool: str) -> ReadAs:
    """How the texts of a pool are read."""
    return "markdown" if event_state(reader, pool).markdown else "plain"


def settings(reader: LedgerReader, pool: str) -> TextSettings:
    """How the texts of a pool are read, and its images.

    Raises:
        NotFound: If there is no such pool.
    """
    reader.version(pool)
    return TextSettings(read_as=read_as(reader, pool), images=list(reader.ledger.images.names(pool)))


def set_read_as(reader: LedgerReader, pool: str, value: ReadAs, by: str) -> TextSettings:
    """Have the texts of a pool read in another way, on record. The same again changes nothing.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If it is no tournament.
    """
    before = settings(reader, pool)
    if before.read_as == value:
        return before
    if not reader.is_tournament(pool):
        raise InvalidConfig(f"pool {pool!r} is no tournament: its texts are shown as they are")
    reader.ledger.tournaments.add_event(pool, TEXTS, {"by": by, "read_as": value})
    return replace(before, read_as=value)


def add_image(reader: LedgerReader, pool: str, name: str, content: bytes, by: str) -> bool:
    """Keep an image that texts of a pool may show, on record with its name and digest.

    Returns:
        Whether it is new.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the name is none that texts can use, or it is no image, or too large.
        Conflict: If another image has the name.
    """
    if not _NAME.fullmatch(name):
        raise InvalidConfig(
            f"an image is called by up to 100 letters, digits, dots, dashes and underscores, not {name[:80]!r}"
        )
    try:
        kind = checked_image(name, content).kind
    except UnreadableFile as error:
        raise InvalidConfig(str(error), key="content") from error
    is_new = reader.ledger.images.add(pool, name, kind, content)
    if is_new:
        _, digest, _ = reader.ledger.images.get(pool, name)
        reader.log_act(pool, by, "image", name=name, sha256=digest)
    return is_new


def rich_text(reader: LedgerReader, pool: str, text: str, level: int = 2) -> Markup | None:
    """A text as HTML; None in a pool whose texts are shown as they are."""
    if read_as(reader, pool) == "plain":
        return None
    from paragone.web.rich_text import rich

    return rich(text, images_of(reader, pool), level=level, most=MOST_SHOWN)


def images_of(reader: LedgerReader, pool: str) -> Mapping[str, str]:
    """The addresses of the images of a pool, by name."""
    names = reader.kept("images", pool, lambda: reader.ledger.images.names(pool))
    return {name: image_url(pool, name) for name in names}


def versions(reader: LedgerReader, pool: str, item: str, text: str, who: Caller) -> Mapping[str, str]:
    """Other texts that an item of this id has in other pools that somebody may see, by pool, the latest pool first."""
    pools = [record.id for record in reversed(reader.pools()) if record.id != pool and may_see(who, record.id)][
        :MOST_VERSIONS
    ]
    texts = reader.ledger.items.in_pools(item, pools)
    return {other: texts[other] for other in pools if texts.get(other, text) != text}
