"""Files that have another path and the same content."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath


class Renames:
    """Tells of new files which old one they were: each old one is one new one's, the one of its own name first."""

    def __init__(self, gone: Iterable[tuple[str, str]]) -> None:
        """Take what is gone, as (path, hash of its content)."""
        self._gone: dict[str, list[str]] = defaultdict(list)
        for path, sha256 in sorted(gone):
            self._gone[sha256].append(path)

    def old_path(self, path: str, sha256: str) -> str | None:
        """The path that a new file had; None where it is new indeed."""
        old = self._gone.get(sha256)
        if not old:
            return None
        name = PurePosixPath(path).name
        return old.pop(next((at for at, one in enumerate(old) if PurePosixPath(one).name == name), 0))
