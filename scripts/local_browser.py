"""A real browser for tests: the Chromium or Chrome that is installed, without what only its user needs."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
"""Where it is; None if there is none on PATH."""
MISSING = f"there is no browser to open pages in: none of {', '.join(NAMES)} is on PATH"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--animation-duration-scale=0",
    "--disable-site-isolation-trials", "--renderer-process-limit=1", "--js-flags=--no-opt,--no-maglev",
    "--disable-features=" + ",".join((
        "AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades",
        "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
        "RenderDocument", "ThirdPartyStoragePartitioning",
        "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup",
    )),
)  # fmt: skip
"""A blank page and what comes after it share a process, which would take a tenth of a second to begin each. Code is not
optimised: pages are left before that pays. Features that are off replace playwright's own list; besides those of it
that matter here, they are a new frame for each page of a tab, and the address bar of each window, which is two pages in
a process of its own."""
POLL = 50
"""Milliseconds between two looks at a page. Otherwise it is painted sixty times a second, for each look anew."""

COUNT_DRAWS = """(() => {
  let library;
  const counted = (owner, name) => {
    const draw = owner[name];
    owner[name] = (place, ...more) => {
      place.dataset.draws = Number(place.dataset.draws ?? 0) + 1;
      return draw(place, ...more);
    };
  };
  Object.defineProperty(window, "Plotly", { get: () => library, set: (loaded) => {
    library = loaded;
    counted(library, "react");
    counted(library.Plots, "resize");
  } });
})()"""
"""Has each chart say in ``data-draws`` how often the page drew it, from the moment at which the library comes."""


@contextmanager
def launched(*flags: str, env: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A browser of playwright, for the thread whose event loop playwright holds meanwhile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=[*FLAGS, *flags], env=env)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def shared(*flags: str, env: Mapping[str, str] | None = None) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """What hands the same browser out, for one block after the other; between them the thread may run other loops."""
    with launched(*flags, env=env) as browser:
        loop = asyncio.get_running_loop()

        @contextmanager
        def held() -> Iterator[Any]:
            asyncio._set_running_loop(loop)  # as playwright does itself after each call
            try:
                yield browser
            finally:
                asyncio._set_running_loop(None)

        asyncio._set_running_loop(None)
        try:
            yield held
        finally:
            asyncio._set_running_loop(loop)


def new_page(browser: Any, **options: Any) -> Any:
    """A page in a profile of its own, which is looked at now and then where something is waited for.

    Nothing moves in it, as for whoever prefers that: movements are painted sixty times a second.
    """
    page = browser.new_context(reduced_motion="reduce", **options).new_page()
    page.wait_for_function = partial(page.wait_for_function, polling=POLL)
    return page


@contextmanager
def profile(browser: Any, **options: Any) -> Iterator[Any]:
    """The same for a block."""
    page = new_page(browser, **options)
    try:
        yield page
    finally:
        page.context.close()
