"""A prompt that ships with the package."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from string import Template

_BREAK = "\n---\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rubric:
    """A prompt with places to fill.

    Attributes:
        name: Name of its file.
        parts: Its parts in order, such as the system's message and the user's; the file parts them by a line of three
            dashes.
        hash: SHA-256 of the file, in hexadecimal.
    """

    name: str
    parts: tuple[str, ...]
    hash: str

    def fill(self, part: int, **values: str) -> str:
        """One part with its places filled. What is filled in is not searched for places again.

        Raises:
            KeyError: If a place is left without a value.
        """
        return Template(self.parts[part]).substitute(values)


def load(name: str) -> Rubric:
    """Read a rubric of this package.

    Args:
        name: Name of its file, without the ending.
    """
    raw = (files(__package__) / f"{name}.txt").read_bytes()
    parts = raw.decode().split(_BREAK)
    return Rubric(name=name, parts=tuple(part.strip("\n") for part in parts), hash=hashlib.sha256(raw).hexdigest())
