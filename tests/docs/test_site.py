"""The documentation builds, and asks for nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]


def test_the_site_builds_and_needs_no_other_host(tmp_path: Path) -> None:
    mkdocs = Path(sys.executable).with_name("mkdocs")
    done = subprocess.run(
        [mkdocs, "build", "--strict", "--site-dir", tmp_path],  # with --quiet it would ignore warnings
        cwd=TOP,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 10
    fetched = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//')
    assert [page.name for page in pages if fetched.search(page.read_text("utf-8"))] == []
