"""Files that are written whole or not at all."""

import os
from pathlib import Path

from paragone.domain.text import whole
from paragone.errors import Unwritable
from paragone.files import swap_in


def require_writable(path: Path) -> None:
    """Refuse a file that could not be written, before anything is spent on it.

    Raises:
        Unwritable: If it is a folder, or its folder does not exist or may not be written.
    """
    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK) or path.is_dir():
        raise Unwritable(f"{path} cannot be written: its folder must exist and be writable")


def save(text: str, path: Path) -> None:
    """Write text beside the file and swap it in.

    Raises:
        Unwritable: If the file cannot be written.
    """
    try:
        swap_in(whole(text), path)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from error
