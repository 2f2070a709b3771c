"""How pages show the texts of a tournament, and the images that these may show. Judges see texts as they are."""

from dataclasses import replace

from paragone.errors import InvalidConfig, UnreadableFile
from paragone.intake.images import NAME, checked_image
from paragone.ledger import Ledger
from paragone.ledger.evidence.tournaments import ADMIN
from paragone.tournaments.journal import is_tournament
from paragone.tournaments.state.history import TEXTS, EventState
from paragone.wire.item import ReadAs, TextSettings


def text_settings(ledger: Ledger, tournament: str) -> TextSettings:
    """How pages show the texts of a tournament, and its images.

    Raises:
        NotFound: If there is no such tournament.
    """
    is_markdown = EventState(ledger.tournaments.events(tournament)).markdown
    return TextSettings(read_as="markdown" if is_markdown else "plain", images=list(ledger.images.names(tournament)))


def show_texts_as(ledger: Ledger, tournament: str, value: ReadAs, by: str = "") -> TextSettings:
    """Have pages show the texts of a tournament in another way, on record. The same again changes nothing.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is neither ``plain`` nor ``markdown``.
    """
    before = text_settings(ledger, tournament)
    if value not in ("plain", "markdown"):
        raise InvalidConfig(f"texts are shown as plain or as markdown, not as {value!r}", key="read_as")
    if before.read_as != value:
        ledger.tournaments.add_event(tournament, TEXTS, {"by": by, "read_as": value})
    return replace(before, read_as=value)


def add_image(ledger: Ledger, pool: str, name: str, content: bytes, by: str = "") -> bool:
    """Keep an image that texts of a pool may show, on record with its name and digest.

    Args:
        ledger: The ledger.
        pool: Id of the pool.
        name: What texts call it.
        content: Its bytes: of a PNG, JPEG, GIF or WebP.
        by: Who adds it.

    Returns:
        Whether it is new.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the name is none that texts can use, or it is no image, or too large.
        Conflict: If another image has the name.
    """
    if not NAME.fullmatch(name):
        raise InvalidConfig(
            f"an image is called by up to 100 letters, digits, dots, dashes and underscores, not {name[:80]!r}"
        )
    try:
        kind = checked_image(name, content).kind
    except UnreadableFile as error:
        raise InvalidConfig(str(error), key="content") from error
    is_new = ledger.images.add(pool, name, kind, content)
    if is_new and is_tournament(ledger, pool):
        _, digest, _ = ledger.images.get(pool, name)
        ledger.tournaments.add_event(pool, ADMIN, {"by": by, "act": "image", "name": name, "sha256": digest})
    return is_new
