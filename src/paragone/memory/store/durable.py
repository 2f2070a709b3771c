"""Files that survive a loss of power: written whole beside the old one, on the disk, and swapped in."""

import os
import uuid
from contextlib import suppress
from pathlib import Path


def put(path: Path, text: str) -> None:
    """Put a whole file there, or nothing: whoever reads sees the old one or the new one.

    Raises:
        OSError: If it cannot be written; what was there stays.
    """
    made = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with made.open("wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    except OSError:
        made.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """See to it that what was made, renamed or removed in a folder stays so."""
    with suppress(PermissionError):  # Windows opens no folders, and needs none to be synced
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
