"""Images that somebody uploads or that stand in a text: decoded before they are believed, and never fetched."""

import base64
import binascii
import io
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from paragone import extras
from paragone.errors import UnreadableFile

MOST_BYTES = 4_000_000
"""Bytes of an image at the most."""
MOST_PIXELS = 16_000_000
"""Pixels of all its frames at the most: they take four bytes each once they are decoded."""
MOST_FRAMES = 100
MOST_TOGETHER = 200_000_000
"""Pixels of all images of a folder at the most: to decode so many takes a few seconds."""
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
"""Of the names of files that are taken for images."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""What an image may be called."""
KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""Formats that are shown, with their media types. SVG is a program, and none of them."""
_DAMAGE = (OSError, ValueError, SyntaxError, EOFError, KeyError, IndexError, OverflowError, Warning)
"""The errors that decoders raise for data that is not an image."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """An image that was decoded.

    Attributes:
        kind: Its media type, by its content.
        width: In pixels.
        height: In pixels.
        content: Its bytes.
    """

    kind: str
    width: int
    height: int
    content: bytes


def checked_image(name: str, content: bytes) -> Picture:
    """An image, once it was decoded.

    Its own size is read first: a few bytes may stand for gigabytes of pixels.

    Args:
        name: What to call it in messages.
        content: Its bytes.

    Raises:
        UnreadableFile: If it is none of ``KINDS``, damaged, or too large.
    """
    if len(content) > MOST_BYTES:
        raise UnreadableFile(f"{name} has {len(content):,} bytes; an image may have {MOST_BYTES:,}: make it smaller")
    with extras.importing("images need", "pillow"):
        from PIL import Image
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of what its maker was in doubt about, nothing is shown
            with Image.open(io.BytesIO(content), formats=tuple(KINDS)) as image:
                _require_small(name, image.width, image.height, getattr(image, "n_frames", 1))
                image.load()
                return Picture(kind=KINDS[image.format or ""], width=image.width, height=image.height, content=content)
    except (*_DAMAGE, Image.DecompressionBombError) as error:
        raise UnreadableFile(
            f"{name} is not a complete PNG, JPEG, GIF or WebP image; save it as one of these"
        ) from error


def is_named_image(path: str) -> bool:
    """Whether a file says by its name that it is an image."""
    return PurePosixPath(path).suffix.lower() in ENDINGS


def image_name(path: str) -> str:
    """What the image at a path is called, within a folder or as a text names it: dashes stand for slashes."""
    parts = [part for part in PurePosixPath(unquote(path)).parts if part not in ("/", ".", "..")]
    return re.sub(r"[^A-Za-z0-9_.-]", "_", "-".join(parts)).lstrip(".-")[-100:]


def images_among(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """The images of a folder, each checked as ``checked_image`` does.

    Args:
        files: The contents of its files, by path.

    Returns:
        The images by name: that of the file, or its whole path where several have it; and why others were left out.
    """
    paths = [path for path in files if is_named_image(path)]
    short_names = [image_name(PurePosixPath(path).name) for path in paths]
    images: dict[str, bytes] = {}
    problems: list[str] = []
    pixels = 0
    for path, short in zip(paths, short_names, strict=True):
        name = short if short_names.count(short) == 1 else image_name(path)
        if pixels > MOST_TOGETHER or not NAME.fullmatch(name) or name in images:
            problems.append(f"{path} is one image too many, or has a name that texts cannot use: add it alone")
            continue
        try:
            picture = checked_image(path, files[path])
            pixels += picture.width * picture.height
            images[name] = picture.content
        except UnreadableFile as problem:
            problems.append(str(problem))
    return images, problems


def _require_small(name: str, width: int, height: int, frames: int) -> None:
    if frames > MOST_FRAMES:
        raise UnreadableFile(f"{name} has {frames:,} frames; an image may have {MOST_FRAMES}")
    if width * height * frames > MOST_PIXELS:
        size = f"{width:,} × {height:,} pixels" + (f" in {frames} frames" if frames > 1 else "")
        raise UnreadableFile(f"{name} has {size}; an image may have {MOST_PIXELS:,} in all: make it smaller")


def data_image(url: str) -> Picture:
    """The image of a data URL.

    Raises:
        UnreadableFile: If it holds no image in base64, or not what it says; see ``checked_image``.
    """
    head, _, body = url.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        raise UnreadableFile("an image in a text is written as 'data:image/png;base64,…'")
    try:
        content = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableFile("the data of an image are not in base64") from error
    return checked_image("the image in the text", content)
