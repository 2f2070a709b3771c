"""Changes of a folder that survive a loss of power."""

import os
from contextlib import suppress
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """See to it that what was made, renamed or removed in a folder stays so."""
    with suppress(PermissionError):  # Windows opens no folders, and needs none to be synced
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
