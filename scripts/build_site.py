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


def build(folder: Path, *, is_quiet: bool = False) -> "subprocess.CompletedProcess[str]":
    """Build it into a folder; a warning is a failure. What is said goes to the terminal, or with the result."""
    mkdocs = Path(sys.executable).with_name("mkdocs")
    return subprocess.run(
        [mkdocs, "build", "--strict", "--site-dir", folder],  # with --quiet it would ignore warnings
        cwd=TOP,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
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
