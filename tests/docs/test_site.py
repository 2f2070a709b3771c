"""The documentation builds, and asks for nothing from elsewhere."""

import pkgutil
import re
from pathlib import Path

import build_site

DOCS = build_site.TOP / "docs"


def test_the_site_builds_and_needs_no_other_host(tmp_path: Path, deep: bool) -> None:
    """Without docstrings, unless ``make docs`` has built all of it, as it does in each check, or with ``--deep``."""
    site = build_site.SITE if build_site.is_built() else tmp_path
    if site == tmp_path:
        done = build_site.build(tmp_path, is_quiet=True, is_whole=deep)
        assert done.returncode == 0, done.stdout + done.stderr
    pages = list(site.rglob("*.html"))
    assert len(pages) > 10
    fetched = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//')
    assert [page.name for page in pages if fetched.search(page.read_text("utf-8"))] == []


def test_everything_whose_docstring_is_on_a_page_exists() -> None:
    shown = re.compile(r"^::: (\S+)$", re.MULTILINE)
    names = [name for page in DOCS.rglob("*.md") for name in shown.findall(page.read_text("utf-8"))]
    assert len(names) > 10
    for name in names:
        pkgutil.resolve_name(name)
