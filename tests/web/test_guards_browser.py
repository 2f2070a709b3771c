"""What only a browser can tell: the headers that it sends with forms and scripts are those that the server asks for."""

import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

import pytest
import uvicorn

import local_browser
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

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
ROLLBACK = "/api/v1/pools/tournament-1/matches/1.1/rollback"


class Answers:
    """An application that keeps what it answered: method, path, status and cookies.

    They are taken here and not from the browser, whose protocol tells the cookies of an answer in an event of its own.
    Of an answer to a frame that moves to another process meanwhile, as one of another site does, that event may be
    lost, and whoever asks for those headers waits for it for ever.
    """

    def __init__(self, app):
        self.app, self.seen = app, []

    async def __call__(self, scope, receive, send):
        async def kept(message):
            if message["type"] == "http.response.start":
                cookies = [value for name, value in message["headers"] if name.lower() == b"set-cookie"]
                self.seen.append((scope["method"], scope["path"], message["status"], cookies))
            await send(message)

        await self.app(scope, receive, kept)


@contextmanager
def serving(config):
    """The application of a server that runs, its address, and what it answers."""
    app = create_app(config)
    answers = Answers(app)
    server = uvicorn.Server(uvicorn.Config(answers, log_level="critical", timeout_graceful_shutdown=2))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield app, f"http://localhost:{listening.getsockname()[1]}", answers.seen
        finally:
            server.should_exit = True
            app.state.watch.end()
            thread.join(20)


@pytest.fixture
def running(played, tmp_path):
    """The address of a server with tokens and the token of an admin."""
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("anna", Role.ADMIN)
    with serving(WebConfig(db=str(played), tokens=file.path)) as (_, url, _):
        yield url, token


@pytest.fixture(scope="module")
def browser(held_browser):
    """A browser that trusts nobody."""
    with held_browser() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """A page in a profile of its own."""
    with local_browser.profile(browser) as page:
        yield page


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


def attack(page, board, origin, answers):
    """Open a page of another origin that attacks a board, until the board has answered all of it; what it heard."""
    page.goto("about:blank")
    answers.clear()
    page.goto(f"{origin}/{quote(board, safe='')}")
    page.wait_for_function("window.done && window.stream.readyState == 2")  # the stream was refused
    for _ in range(1000):
        if {"/login", "/logout", ROLLBACK} <= {path for method, path, _, _ in answers if method == "POST"}:
            break
        page.wait_for_timeout(20)
    return page.wait_for_function("[window.heard || '']").json_value()[0]


@pytest.mark.parametrize("host", ["localhost", "evil.example"], ids=["another port", "another site"])
@pytest.mark.parametrize("guarded", [True, False], ids=["logged in", "without tokens"])
def test_no_other_page_reads_or_changes_anything(played, tmp_path, page, evil, host, guarded, deep):
    """Of each, unless ``--deep``, where most is sent along: cookies go to another port of the same site."""
    if not deep and guarded != (host == "localhost"):
        pytest.skip("attacked with --deep")
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("anna", Role.ADMIN)
    with serving(WebConfig(db=str(played), tokens=file.path if guarded else None)) as (app, url, answers):
        if guarded:
            page.goto(f"{url}/login")
            page.fill("#token", token)
            page.keyboard.press("Enter")
            page.wait_for_url(f"{url}/")
            page.wait_for_function("() => document.getElementById('beat').textContent == 'live'")  # its stream is open
        heard = attack(page, url, f"http://{host}:{evil}", answers)
        statuses = {(method, path, status) for method, path, status, _ in answers}
        assert {status for _, _, status in statuses} <= {401, 403, 405, 204}, statuses
        assert {("POST", path, 403) for path in (ROLLBACK, "/login", "/logout")} <= statuses
        assert "tournament" not in heard
        assert not [cookies for _, _, _, cookies in answers if cookies]
        assert page.goto(f"{url}/").status == 200, "whoever was logged in still is"
        assert not app.state.reader.ledger.matches.get("tournament-1", "1.1").rolled_back


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
