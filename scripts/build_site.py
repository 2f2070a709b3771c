"""Build the documentation into site/, and note what it was built from: tests build it anew only after a change."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SOURCES = ("docs", "src", "mkdocs.yml", "README.md", "requirements/dev.lock")
SITE = TOP / "site"
NOTE = SITE / ".built-from"
_MKDOCS = "import gc; gc.disable(); from mkdocs.__main__ import cli; cli(prog_name='mkdocs')"
"""To look for garbage among all syntax trees of the package, again and again, took a fifth of the time."""


def fingerprint() -> str:
    """A hash of every file that the site may be made from, and of its name."""
    paths = (path for name in SOURCES for path in [TOP / name, *(TOP / name).rglob("*")])
    whole = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts):
        whole.update(f"{path.relative_to(TOP)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def is_built() -> bool:
    """Whether site/ was built, without a warning, from what is there now."""
    return NOTE.is_file() and NOTE.read_text("utf-8") == fingerprint()


def build(folder: Path, *, is_quiet: bool = False, is_whole: bool = True) -> "subprocess.CompletedProcess[str]":
    """Build it into a folder; a warning is a failure.

    What is said goes to the terminal, or, if it is quiet, with the result. A site that is not whole has neither a
    search nor what docstrings say, which is two thirds of the work.
    """
    return subprocess.run(
        [sys.executable, "-c", _MKDOCS, "build", "--strict", "--site-dir", folder],  # --quiet would ignore warnings
        cwd=TOP,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "SITE_IS_WHOLE": str(is_whole).lower()},
        capture_output=is_quiet,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    NOTE.unlink(missing_ok=True)
    before = fingerprint()
    code = build(SITE).returncode
    if code == 0:
        NOTE.write_text(before, "utf-8")
    sys.exit(code)
