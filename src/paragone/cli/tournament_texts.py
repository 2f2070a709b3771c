"""``paragone tournament texts`` and ``images``: how pages show the texts of a tournament, and their images."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.options import argument, option

if TYPE_CHECKING:
    from paragone.ledger import Ledger
    from paragone.wire.item import TextSettings


def texts(
    stored: options.Stored,
    output: options.Output,
    read_as: Annotated[
        str | None, option("`markdown`, or `plain` for texts as they are.", "--as", metavar="FORM")
    ] = None,
    by: options.By = "terminal",
) -> None:
    """Say how pages show the texts of a tournament, or change it. What judges see stays as it is."""
    from paragone.ledger import Ledger
    from paragone.tournaments.texts import show_texts_as, text_settings

    with Ledger.open(stored.url, create=False) as ledger:
        id = ledger.tournaments.get(stored.tournament).id
        now = text_settings(ledger, id)
        if read_as is not None:
            now = show_texts_as(ledger, id, read_as, by)  # type: ignore[arg-type]  # refuses others
    output.show(now, _words)


def images(
    stored: options.StoredByOption,
    output: options.Output,
    files: Annotated[
        list[Path] | None, argument("PNG, JPEG, GIF or WebP files, or folders of them.  [default: list what is there]")
    ] = None,
    by: options.By = "terminal",
) -> None:
    """Add images that texts in Markdown show by the names of their files.

    They are kept in the ledger, each on record with its digest, and are there for good.
    """
    from paragone.ledger import Ledger
    from paragone.tournaments.texts import text_settings

    with Ledger.open(stored.url, create=False) as ledger:
        id = ledger.tournaments.get(stored.tournament).id
        for folder, problem in _added(ledger, id, files or (), by):
            typer.echo(f"{folder}: left out: {problem}", err=True)
        now = text_settings(ledger, id)
    output.show(now, _words)


def _added(ledger: "Ledger", id: str, files: Sequence[Path], by: str) -> Iterator[tuple[Path, str]]:
    """Add files and what is an image within folders; yields what was left out of a folder, and why."""
    from paragone.errors import UnreadableFile
    from paragone.intake.images import images_among, is_named_image
    from paragone.tournaments.texts import add_image

    for file in files:
        try:
            if not file.is_dir():
                add_image(ledger, id, file.name, _beginning(file), by)
                continue
            paths = [path for path in sorted(file.rglob("*")) if is_named_image(path.name) and path.is_file()]
            contents = {path.relative_to(file).as_posix(): _beginning(path) for path in paths}
        except OSError as error:
            raise UnreadableFile(f"{file} cannot be read: {error.strerror or error}") from error
        pictures, problems = images_among(contents)
        for name, content in pictures.items():
            add_image(ledger, id, name, content, by)
        yield from ((file, problem) for problem in problems)


def _beginning(file: Path) -> bytes:
    """The bytes of an image, or enough of a larger file to refuse it."""
    from paragone.intake.images import MOST_BYTES

    with file.open("rb") as opened:
        return opened.read(MOST_BYTES + 1)


def _words(settings: "TextSettings") -> Iterator[str]:
    yield f"texts are shown as {'Markdown' if settings.read_as == 'markdown' else 'they are'}"
    yield f"images: {', '.join(settings.images) or 'none'}"
