"""How the texts of a pool are read: as they are, or as Markdown with the images that it has."""

from collections.abc import Mapping

from markupsafe import Markup

from paragone.errors import InvalidConfig
from paragone.tournaments.state.history import EventState
from paragone.tournaments.texts import show_texts_as
from paragone.web.middleware.roles import Caller
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.pools import may_see
from paragone.wire.address import image_url
from paragone.wire.item import ReadAs, TextSettings

MOST_SHOWN = 20_000
"""Characters of one text that are shown as Markdown; the API has all of it."""
MOST_VERSIONS = 200
"""Latest pools in which other versions of a text are looked for."""


def event_state(reader: LedgerReader, pool: str) -> EventState:
    """The state that the events of a pool add up to; a pool that is not a tournament has none."""
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
        raise InvalidConfig(f"pool {pool!r} is not a tournament: its texts are shown as they are")
    return show_texts_as(reader.ledger, pool, value, by)


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
