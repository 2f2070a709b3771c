"""The documentation builds, and asks for nothing from elsewhere."""

import re
from pathlib import Path

import build_site


def test_the_site_builds_and_needs_no_other_host(tmp_path: Path) -> None:
    site = build_site.SITE if build_site.is_built() else tmp_path
    if site == tmp_path:
        done = build_site.build(tmp_path, is_quiet=True)
        assert done.returncode == 0, done.stdout + done.stderr
    pages = list(site.rglob("*.html"))
    assert len(pages) > 10
    fetched = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//')
    assert [page.name for page in pages if fetched.search(page.read_text("utf-8"))] == []
