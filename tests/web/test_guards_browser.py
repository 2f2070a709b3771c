"""What only a browser can tell: the headers that it sends with forms and scripts are those that the server asks for."""

import os
import shutil
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

import pytest
import uvicorn

from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.guards.tokens import Role, TokenFile

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

AUDIT = """async (given) => {
  const headers = { "content-type": "application/json" };
  if (given) headers["x-csrf-token"] = document.querySelector("meta[name=csrf]").content;
  const answer = await fetch("/api/v1/audit", { method: "POST", headers });
  return answer.status;
}"""


EVIL = """<!doctype html><title>evil</title><iframe src="BOARD/"></iframe>
<iframe name="logout"></iframe><iframe name="login"></iframe><iframe name="back"></iframe>
<img src="BOARD/api/v1/pools/tournament-1/exports/items">
<form method="post" action="BOARD/logout" target="logout"></form>
<form method="post" action="BOARD/login" target="login"><input name="token" value="theirs"></form>
<form method="post" action="BOARD/api/v1/pools/tournament-1/matches/1.1/rollback" target="back" enctype="text/plain">
<input name='{"reason": "' value='"}'></form>
<script>
const post = (kind) => fetch("BOARD/api/v1/pools/tournament-1/matches/1.1/rollback", {
  method: "POST", mode: kind, credentials: "include", body: '{"reason": "x"}',
  headers: { "content-type": kind === "cors" ? "application/json" : "text/plain" } }).catch(() => {});
const read = (kind) => fetch("BOARD/api/v1/pools", { mode: kind, credentials: "include" })
  .then((answer) => answer.text()).then((text) => { window.heard = (window.heard || "") + text; }).catch(() => {});
window.stream = new EventSource("BOARD/api/v1/events", { withCredentials: true });
Promise.all([post("no-cors"), post("cors"), read("no-cors"), read("cors")]).then(() => {
  for (const form of document.forms) form.submit();
  window.done = true;
});
</script>"""
"""A page that tries what a page of another site can."""


@contextmanager
def serving(config):
    """The application of a server that runs, and its address."""
    app = create_app(config)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=2))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield app, f"http://localhost:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            app.state.watch.end()
            thread.join(20)


@pytest.fixture
def running(played, tmp_path):
    """The address of a server with tokens and the token of an admin."""
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("anna", Role.ADMIN)
    with serving(WebConfig(db=str(played), tokens=file.path)) as (_, url):
        yield url, token


@pytest.fixture(scope="module")
def browser():
    """A browser that trusts nobody."""
    with sync_api.sync_playwright() as playwright:
        args = ["--host-resolver-rules=MAP evil.example 127.0.0.1"]
        args += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        yield found
        found.close()


@pytest.fixture
def page(browser):
    """A page in a profile of its own."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def evil():
    """The port of a server whose page attacks the board that its address names."""

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(EVIL.replace("BOARD", unquote(self.path[1:])).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Evil) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def attacked(page, board, origin):
    """What comes to a board from a page of another origin: statuses by method and path; and what the page heard."""
    answers = []
    page.goto("about:blank")
    page.on("response", lambda answer: answers.append(answer) if answer.url.startswith(board) else None)
    page.goto(f"{origin}/{quote(board, safe='')}")
    page.wait_for_function("window.done")
    for _ in range(200):
        if {"/login", "/logout"} <= {answer.url.removeprefix(board) for answer in answers}:
            break
        page.wait_for_timeout(100)
    page.wait_for_function("window.stream.readyState == 2")  # the stream was refused
    statuses = {(answer.request.method, answer.url.removeprefix(board), answer.status) for answer in answers}
    return statuses, page.evaluate("window.heard || ''"), answers


@pytest.mark.parametrize("host", ["localhost", "evil.example"], ids=["another port", "another site"])
@pytest.mark.parametrize("guarded", [True, False], ids=["logged in", "without tokens"])
def test_no_other_page_reads_or_changes_anything(played, tmp_path, page, evil, host, guarded):
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("anna", Role.ADMIN)
    with serving(WebConfig(db=str(played), tokens=file.path if guarded else None)) as (app, url):
        if guarded:
            page.goto(f"{url}/login")
            page.fill("#token", token)
            page.keyboard.press("Enter")
            page.wait_for_url(f"{url}/")
        statuses, heard, answers = attacked(page, url, f"http://{host}:{evil}")
        assert {status for _, _, status in statuses} <= {401, 403, 405, 204}, statuses
        assert ("POST", "/api/v1/pools/tournament-1/matches/1.1/rollback", 403) in statuses
        assert ("POST", "/login", 403) in statuses
        assert ("POST", "/logout", 403) in statuses
        assert "tournament" not in heard
        assert not [answer for answer in answers if answer.header_value("set-cookie")]
        assert page.goto(f"{url}/").status == 200, "whoever was logged in still is"
        assert not app.state.library.ledger.match("tournament-1", "1.1").rolled_back


def test_from_login_to_change_to_logout(running, page):
    url, token = running
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{url}/pools/tournament-1/matches")
    page.click("text=Enter a token")
    page.fill("#token", "wrong")
    page.click("button:has-text('Log in')")
    assert page.text_content("[role=alert]") == "This server has no such token."
    page.fill("#token", token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/pools/tournament-1/matches")
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate(AUDIT, True) == 200
    assert page.evaluate(AUDIT, False) == 403
    page.click("a.who")
    page.click("button:has-text('Log out')")
    page.wait_for_url("**/login")
    assert page.goto(f"{url}/").status == 401
    assert not [words for words in said if "Content Security Policy" in words]
