"""Sign-in by OpenID Connect, against a small provider that signs real tokens, on a port of its own."""

import base64
import hashlib
import json
import threading
import time
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest

from paragone.errors import InvalidConfig, MissingKey, UnreadableFile
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.sign_in import SECRET, Attempt, Provider, provider_in

pytest.importorskip("authlib", reason="authlib is not installed")
import httpx2
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

SERVER_SECRET = b"s" * 32
BROWSER = {
    "accept": "text/html",
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
}


@cache
def rsa_key(owner):
    """A key of the provider's or of another's, made for the first test that needs it."""
    return RSAKey.generate_key(2048, parameters={"kid": "one"})


class Authority:
    """A provider: it lets in whoever comes, as the person of ``claims``, and checks the client as RFC 7636 says.

    Attributes:
        claims: What its ID tokens say besides the usual.
        changes: Changes of the token for a test: claims, or how to make a ``key``, and ``alg``.
    """

    def __init__(self):
        self.claims = {"sub": "1", "email": "ann@example.org", "email_verified": True}
        self.changes, self.codes, self.used = {}, {}, []
        handler = type("Handler", (_Handler,), {"authority": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def token(self, asked):
        changes = dict(self.changes)
        key, algorithm = changes.pop("key", partial(rsa_key, "the provider"))(), changes.pop("alg", "RS256")
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": "board", "iat": now, "exp": now + 60, "nonce": asked["nonce"], **self.claims
        }  # fmt: skip
        header = {"alg": algorithm, "kid": "one"}
        return jwt.encode(header, {**claims, **changes}, key, algorithms=[algorithm])

    def answered(self, form, authorization):
        asked = self.codes.pop(form["code"], None)  # a code is worth one token
        self.used.append(form["code"])
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        )
        basic = base64.b64encode(b"board:top secret").decode()
        if asked is None or challenge != asked["code_challenge"] or authorization != f"Basic {basic}":
            return 400, {"error": "invalid_grant"}
        if form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"id_token": self.token(asked), "access_token": "x", "token_type": "Bearer"}


class _Handler(BaseHTTPRequestHandler):
    authority: Authority

    def do_GET(self):
        path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        issuer = self.authority.issuer
        if path == "/authorize":
            code = f"code-{len(self.authority.codes)}-{query['state'][:8]}"
            self.authority.codes[code] = query
            self.send_response(303)
            self.send_header(
                "location", f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"
            )
            self.end_headers()
        elif path == "/keys":
            self._say(200, {"keys": [rsa_key("the provider").as_dict(private=False)]})
        else:
            ends = {"authorization": "authorize", "token": "token"}
            about = {f"{name}_endpoint": f"{issuer}/{end}" for name, end in ends.items()}
            self._say(200, {"issuer": issuer, "jwks_uri": f"{issuer}/keys", **about})

    def do_POST(self):
        form = dict(parse_qsl(self.rfile.read(int(self.headers["content-length"])).decode()))
        self._say(*self.authority.answered(form, self.headers["authorization"]))

    def _say(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def authority():
    made = Authority()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def board(authority, played, tmp_path, client_of):
    roles = {"ann@example.org": Role.VOTE, "groups=staff": Role.ADMIN, "Ben@example.org": Role.READ}
    provider = Provider(issuer=authority.issuer, client_id="board", roles=roles, secret="top secret", name="Example")
    file = TokenFile(tmp_path / "tokens.json")
    return client_of(WebConfig(db=str(played), tokens=file.path, secret=SERVER_SECRET, oidc=provider)), file


def left(client, next="/pools/tournament-1"):
    """The browser at the provider, and the address that this sends it back to."""
    answer = client.get("/login/provider", params={"next": next}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    asked = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    assert asked["code_challenge_method"] == "S256"
    assert asked["scope"].split()[0] == "openid"
    return httpx2.get(answer.headers["location"], verify=False).headers["location"]


def test_from_the_button_to_a_session_with_the_listed_role(board, monkeypatch):
    client, file = board
    reads, read = [], httpx2.create_ssl_context
    monkeypatch.setattr(httpx2, "create_ssl_context", lambda: (reads.append(1), read())[1])
    assert "Sign in with <bdi>Example</bdi>" in client.get("/login").text
    back = left(client)
    assert "paragone=" not in str(client.cookies)
    answer = client.get(back, headers=BROWSER)
    assert answer.status_code == 200, answer.text
    assert '<meta http-equiv="refresh" content="0;url=/pools/tournament-1">' in answer.text
    assert client.get("/api/v1/pools/tournament-1/votes/next").json()["voter"] == "ann@example.org"
    assert client.get("/api/v1/people").status_code == 403
    person = file.read().people["ann@example.org"]
    assert (person.role, person.subject.endswith(" 1"), person.grants) == (Role.VOTE, True, ())
    assert "top secret" not in file.path.read_text()
    first = person.key
    client.get(left(client), headers=BROWSER)
    assert file.read().people["ann@example.org"].key == first, "the same person"
    assert len(reads) == 1, "certificates that are trusted are read once"
    signed_in = client.app.state.people.sign_ins()
    assert [(each.person, each.way) for each in signed_in] == [("ann@example.org", "provider")]
    file.change(lambda access: (_revoked(access), None))
    client.cookies.clear()
    assert client.get(left(client), headers=BROWSER).status_code == 403
    assert client.get("/api/v1/pools").status_code == 401


def _revoked(access):
    from dataclasses import replace

    return replace(access, people={name: replace(each, revoked=1.0) for name, each in access.people.items()})


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"groups": ["x", "staff"]}, Role.ADMIN),
        ({"groups": "staff"}, Role.ADMIN),
        ({"email": "ANN@example.org"}, Role.VOTE),
        ({"email": "ben@example.org"}, Role.READ),
        ({"email_verified": False}, None),
        ({"email_verified": "true"}, None),
        ({"email": "eve@example.org"}, None),
        ({"groups": "staffer", "email": ""}, None),
    ],
)
def test_roles_are_those_of_verified_addresses_and_claims(claims, role):
    roles = {"ann@example.org": Role.VOTE, "groups=staff": Role.ADMIN, "Ben@example.org": Role.READ}
    provider = Provider(issuer="https://x.example", client_id="b", roles=roles, secret="s")
    assert provider.role({"email": "ann@example.org", "email_verified": True, **claims}) == role


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"iat": 4_000_000_000},
        {"key": partial(rsa_key, "another")},
        {"key": partial(OctKey.import_key, "x" * 32), "alg": "HS256"},
    ],
    ids=["nonce", "no nonce", "audience", "issuer", "expired", "from the future", "another key", "shared secret"],
)
def test_a_token_that_is_not_for_this_sign_in_lets_nobody_in(board, authority, changes):
    client, file = board
    authority.changes = changes
    answer = client.get(left(client), headers=BROWSER)
    assert (answer.status_code, "nobody is signed in" in answer.text) == (403, True)
    assert "paragone=" not in answer.headers.get("set-cookie", "")
    assert file.read().people == {}


def test_an_answer_without_its_browser_its_code_or_its_state_is_refused(board, authority, client_of):
    client, file = board
    back = left(client)
    cookie = client.cookies["paragone-sign-in"]
    client.cookies.clear()
    assert client.get(back, headers=BROWSER).status_code == 403, "the link alone, in another browser"
    client.cookies.set("paragone-sign-in", cookie[:-1], path="/login")
    assert client.get(back, headers=BROWSER).status_code == 403, "an altered cookie"
    assert authority.used == [], "no code was sent to the provider for them"
    client.cookies.set("paragone-sign-in", cookie, path="/login")
    assert client.get(back.replace("state=", "state=x"), headers=BROWSER).status_code == 403
    assert client.get(back.partition("?")[0] + "?error=access_denied", headers=BROWSER).status_code == 403
    assert client.get(back, headers=BROWSER).status_code == 200
    client.cookies.clear()
    client.cookies.set("paragone-sign-in", cookie, path="/login")
    assert client.get(back, headers=BROWSER).status_code == 403, "a code is worth one sign-in"
    authority.claims = {"sub": "2", "email": "eve@example.org", "email_verified": True}
    refused = client.get(left(client), headers=BROWSER)
    assert (refused.status_code, "nobody has let you in" in refused.text) == (403, True)
    assert set(file.read().people) == {"ann@example.org"}
    authority.claims = {"sub": "3", "email": "ann@example.org", "email_verified": True}
    assert client.get(left(client), headers=BROWSER).status_code == 403, "another person of the same address"


def test_an_attempt_ends():
    attempt = Attempt.begun("http://localhost/back", "/", 1000.0)
    sealed = attempt.sealed(SERVER_SECRET)
    assert Attempt.opened(sealed, attempt.state, SERVER_SECRET, 1599.0) == attempt
    for wrong in ((sealed, attempt.state, SERVER_SECRET, 1601.0), (sealed, attempt.state, b"t" * 32, 1000.0)):
        with pytest.raises(Exception, match="start again"):
            Attempt.opened(*wrong)


def test_the_file_names_the_provider_and_the_environment_its_secret(tmp_path):
    path = tmp_path / "oidc.toml"
    good = 'issuer = "https://id.example"\nclient_id = "b"\n[roles]\nadmin = ["ada@x.org"]\nvote = ["groups=staff"]\n'
    path.write_text(good)
    provider = provider_in(path, {SECRET: "s3"})
    assert (provider.roles["groups=staff"], provider.secret) == (Role.VOTE, "s3")
    assert "s3" not in repr(provider)
    with pytest.raises(MissingKey, match=SECRET):
        provider_in(path, {})
    for text, error in (
        ("issuer = 1", InvalidConfig),
        (good.replace("https:", "http:"), InvalidConfig),
        (good.partition("[roles]")[0], InvalidConfig),
        ('client_secret = "s"\n' + good, InvalidConfig),
        (good.replace("admin", "boss"), InvalidConfig),
        ("=", UnreadableFile),
    ):
        path.write_text(text)
        with pytest.raises(error):
            provider_in(path, {SECRET: "s"})


def test_without_a_provider_there_is_no_button(played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=SERVER_SECRET))
    assert "Sign in with" not in client.get("/login").text
    assert client.get("/login/provider").status_code == 404
