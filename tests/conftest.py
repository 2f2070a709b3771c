"""What tests of several packages share: an endpoint that answers by script, a PostgreSQL server, and a browser."""

import gc
import itertools
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import local_browser
from scripted_endpoint import LocalServer, ScriptedEndpoint

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background of a shell: programs under test hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Endpoint:
    """A real HTTP server on loopback that answers by script and notes what it was sent.

    Attributes:
        url: Its address, for an OpenAI-compatible client.
        script: Answers to come, ``(status, headers, body)`` each; the last one is repeated. A body that is a number is
            a time in seconds for which it keeps silent.
        seen: The bodies it was sent.
        headers: Their headers.
    """

    url: str = ""
    script: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def says(self, body: Any, status: int = 200, **headers: str) -> "Endpoint":
        """Add an answer."""
        self.script.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, body))
        return self

    def refuses(self, message: str, status: int = 400, **more: str) -> "Endpoint":
        """Add a complaint in OpenAI's form."""
        return self.says({"error": {"message": message, "type": "invalid_request_error", **more}}, status)

    def completes(self, content: str, *, logprobs: list[dict[str, Any]] | None = None, **choice: Any) -> "Endpoint":
        """Add a chat completion."""
        message = {"role": "assistant", "content": content}
        whole = {"index": 0, "finish_reason": "stop", "message": message, **choice}
        if logprobs is not None:
            whole["logprobs"] = {"content": logprobs}
        usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
        return self.says({"id": "1", "object": "chat.completion", "created": 1, "model": "scripted-1",
                          "choices": [whole], "usage": usage})  # fmt: skip


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint without a script, in an environment without keys."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    scripted = Endpoint()

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            scripted.headers.append({name.lower(): value for name, value in self.headers.items()})
            scripted.seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            status, headers, body = scripted.script.pop(0) if len(scripted.script) > 1 else scripted.script[0]
            if isinstance(body, int | float):
                time.sleep(body)
                return
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in ({"content-type": "application/json"} | headers).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.002}, daemon=True)
    thread.start()
    scripted.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield scripted
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def serve_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Starts scripted models that answer paragone's prompts, in an environment without keys; takes what
    ``scripted_endpoint.ScriptedEndpoint`` takes, and returns that."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as servers:
        yield lambda *args, **options: servers.enter_context(ScriptedEndpoint(*args, **options))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The administrator's URL of a PostgreSQL server: that of PARAGONE_TEST_POSTGRES, or one for all test workers."""
    import local_postgres

    given = os.environ.get("PARAGONE_TEST_POSTGRES")
    folder = tmp_path_factory.getbasetemp()
    own = local_postgres.shared(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)
    with nullcontext(given) if given else own as url:
        yield url


@pytest.fixture(scope="session")
def schema_url(postgres: str) -> Iterator[Callable[[], str]]:
    """Makes an empty schema; returns the URL of a ledger in it. Schemas are quicker to make than databases."""
    import psycopg

    numbers, stem = itertools.count(), f"test_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as admin:

        def make() -> str:
            name = f"{stem}_{next(numbers)}"
            admin.execute(f"CREATE SCHEMA {name}")
            return f"{postgres}{'&' if '?' in postgres else '?'}options=-csearch_path%3D{name}"

        yield make
        for number in range(next(numbers) if "PARAGONE_TEST_POSTGRES" in os.environ else 0):  # else all of it goes
            admin.execute(f"DROP SCHEMA IF EXISTS {stem}_{number} CASCADE")


@pytest.fixture(scope="session")
def ledger_url(postgres: str) -> Iterator[Callable[[], str]]:
    """Makes an empty ledger in a database of its own, for tests that do not ask how; returns its URL."""
    from empty_ledgers import copies

    with copies(postgres, drop="PARAGONE_TEST_POSTGRES" in os.environ) as make:  # else all of it goes
        yield make


@pytest.fixture(scope="session")
def _empty_ledgers(ledger_url: Callable[[], str]) -> Iterator[Any]:
    from empty_ledgers import EmptyLedgers

    ledgers = EmptyLedgers(ledger_url)
    yield ledgers
    ledgers.close()


@pytest.fixture
def postgres_ledger(_empty_ledgers: Any) -> Iterator[str]:
    """The URL of an empty ledger on PostgreSQL, for tests that do not ask how ledgers are made."""
    with _empty_ledgers.lend() as url:
        yield url


@pytest.fixture(scope="session")
def held_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """Hands out the browser of this process, for which ``evil.example`` is this machine. While it is held, playwright
    has the event loop of the thread."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if local_browser.PROGRAM is None:
        pytest.skip(local_browser.MISSING)
    environment = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    with local_browser.shared("--host-resolver-rules=MAP evil.example 127.0.0.1", env=environment) as held:
        yield held


@pytest.fixture(scope="session")
def read_offline(
    held_browser: Callable[[], AbstractContextManager[Any]],
) -> Callable[[str], tuple[str, list[str]]]:
    """Opens addresses in one tab that is cut off, whose process has compiled the library of charts after the first; see
    ``browse``."""
    drawn = "() => [...document.querySelectorAll('[data-chart]')].every((chart) => chart.querySelector('.main-svg'))"
    with_scripts_cut = """async () => {
        for (const frame of [1, 2]) await new Promise(requestAnimationFrame);  // when it hears its width
        for (const each of document.scripts) if (each.text.length > 1e6) each.textContent = "";
        return document.documentElement.outerHTML;
    }"""
    pages: list[Any] = []
    console: list[str] = []

    def new_page(browser: Any) -> Any:
        page = local_browser.new_page(browser, offline=True, viewport={"width": 1200, "height": 9000})
        page.add_init_script(local_browser.COUNT_DRAWS)
        page.on("console", lambda said: console.append(said.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.on("dialog", lambda shown: (console.append(f"dialog: {shown.message}"), shown.dismiss()))
        pages.append(page)

    def opened(url: str) -> tuple[str, list[str]]:
        with held_browser() as browser:
            if not pages:
                new_page(browser)
            console.clear()
            pages[0].goto(url)
            pages[0].wait_for_function(drawn, timeout=100_000)
            return pages[0].evaluate(with_scripts_cut), [*console]

    return opened


@pytest.fixture
def browse(
    tmp_path: Path, read_offline: Callable[[str], tuple[str, list[str]]]
) -> Callable[[str], tuple[str, list[str]]]:
    """Opens a page in a real browser that is cut off: what it has once all is drawn, without its longest scripts, and
    what the console tells of errors and of scripts that the page's policy stopped."""

    def opened(html: str) -> tuple[str, list[str]]:
        file = tmp_path / "page.html"
        file.write_text(html, "utf-8")
        return read_offline(file.as_uri())

    return opened


@pytest.fixture
def cpu_seconds() -> Callable[[Callable[[], Any]], tuple[Any, float]]:
    """Calls something; returns what it returns, and the seconds that it took of the processor.

    What earlier tests left in memory is kept from the garbage collector from then on: it would look through all of that
    again and again, and a call would take the longer the more tests ran before it. To look for what of it is garbage
    takes a second of its own.
    """

    def measured(call: Callable[[], Any]) -> tuple[Any, float]:
        gc.freeze()
        began = time.process_time()
        return call(), time.process_time() - began

    return measured
