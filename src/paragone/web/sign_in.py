"""Sign-in with a provider of OpenID Connect: authorisation code with PKCE, state and nonce.

The ID token is checked by Authlib and joserfc: signature by the provider's published keys, issuer, audience, times and
nonce. Who may get in, and to do what, is a list of the operator's.
"""

import base64
import json
import secrets
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from ssl import SSLContext
from typing import Any
from urllib.parse import urlencode, urlsplit

from paragone import extras
from paragone.errors import InvalidConfig, MissingKey, Refused, ServerFailed, UnreadableFile
from paragone.web.config import LOOPBACK
from paragone.web.middleware.access_tokens import role_named
from paragone.web.middleware.authentication import is_same, keyed
from paragone.web.middleware.roles import Role

SECRET = "PARAGONE_OIDC_SECRET"  # noqa: S105 - the name of a variable
"""Variable of the environment with the client's secret."""
MINUTES = 10
"""Minutes for which a sign-in may take."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
"""How ID tokens may be signed: by the provider's key alone, never by a secret that others may know, or not at all."""
TIMEOUT = 10.0
LEEWAY = 60
"""Seconds by which clocks may differ."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Provider:
    """A provider of OpenID Connect, and whom it lets in.

    Attributes:
        issuer: Its address, as ID tokens name it.
        client_id: What it calls this server.
        roles: What e-mail addresses, and claims written ``name=value``, may do; of several, the most.
        secret: The client's secret.
        name: What the button of the login page calls it.
    """

    issuer: str
    client_id: str
    roles: Mapping[str, Role]
    secret: str = field(repr=False)
    name: str = "your organisation"

    def __post_init__(self) -> None:
        _require_https(self.issuer)

    def role(self, claims: Mapping[str, Any]) -> Role | None:
        """What somebody may do in all pools; None if nothing. An address counts if the provider has verified it."""
        allowed = [role for entry, role in self.roles.items() if _has(claims, entry)]
        return max(allowed, default=None)


def provider_in(path: Path, environment: Mapping[str, str]) -> Provider:
    """The provider that a TOML file describes: ``issuer``, ``client_id``, ``name``, and ``[roles]``.

    Raises:
        UnreadableFile: If it cannot be read.
        InvalidConfig: If something is missing or unknown.
        MissingKey: If the secret is not in the environment.
        MissingExtra: If the packages are not installed.
    """
    require_packages()
    try:
        stored = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path} cannot be read: {error}") from error
    unknown = sorted(stored.keys() - {"issuer", "client_id", "name", "roles"})
    if unknown or not all(isinstance(stored.get(name), str) for name in ("issuer", "client_id")):
        raise InvalidConfig(
            f"{path} needs issuer and client_id, and [roles]; it may have name"
            + (f", and not {unknown[0]}; the secret is read from {SECRET}" if unknown else ""),
            key="oidc",
        )
    roles: dict[str, Role] = {}
    for role, entries in dict(stored.get("roles", {})).items():
        for entry in entries:
            roles[str(entry)] = max(role_named(role), roles.get(str(entry), Role.READ))
    if not roles:
        raise InvalidConfig(f'{path} lets nobody in: list addresses under [roles], as in admin = ["ada@example.org"]')
    secret = environment.get(SECRET, "")
    if not secret:
        raise MissingKey(f"{SECRET} is not set: sign-in needs the client's secret, which is read from there alone")
    name = str(stored.get("name", "your organisation"))
    return Provider(issuer=stored["issuer"], client_id=stored["client_id"], roles=roles, secret=secret, name=name)


def require_packages() -> None:
    """Refuse if what sign-in needs is not installed.

    Raises:
        MissingExtra: If a package is missing.
    """
    extras.require("sign-in needs", "authlib", "joserfc")


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """A sign-in under way. The browser keeps it, signed, in a cookie that scripts cannot read.

    Attributes:
        state: Ties the answer to this browser.
        nonce: Ties the ID token to it.
        verifier: Ties the code to it (PKCE).
        address: Where the provider sends the browser back to.
        next: Where it goes on.
        until: When it ends, in seconds since 1970.
    """

    state: str
    nonce: str
    verifier: str
    address: str
    next: str
    until: float

    @classmethod
    def begun(cls, address: str, next: str, now: float) -> "Attempt":
        """A new one."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        until = now + 60 * MINUTES
        return cls(state=state, nonce=nonce, verifier=verifier, address=address, next=next, until=until)

    def sealed(self, secret: bytes) -> str:
        """As the value of a cookie."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        body = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()
        return f"{body}.{keyed('sign-in:' + body, secret)}"

    @classmethod
    def opened(cls, cookie: str, state: str, secret: bytes, now: float) -> "Attempt":
        """The one of a cookie and of the state that came back.

        Raises:
            Refused: If they do not belong together, or it took too long.
        """
        body, _, signed = cookie.rpartition(".")
        if not body or not is_same(signed, keyed("sign-in:" + body, secret)):
            raise Refused("this sign-in was started in another browser, or took too long: start again")
        attempt = cls(**json.loads(base64.urlsafe_b64decode(body)))
        if not is_same(state, attempt.state) or attempt.until < now:
            raise Refused("this sign-in was started elsewhere, or took too long: start again")
        return attempt


class SignIn:
    """Sign-in with one provider, whose addresses and keys are fetched when they are needed.

    Args:
        provider: The provider.
        clock: Seconds since 1970.
    """

    def __init__(self, provider: Provider, *, clock: Callable[[], float] = time.time) -> None:
        self.provider = provider
        self._clock = clock
        self._about: dict[str, Any] | None = None

    def address(self, attempt: Attempt) -> str:
        """Where the browser is sent to."""
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        parameters = {
            "response_type": "code",
            "client_id": self.provider.client_id,
            "redirect_uri": attempt.address,
            "scope": "openid email profile",
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": create_s256_code_challenge(attempt.verifier),
            "code_challenge_method": "S256",
        }
        endpoint = self._endpoint("authorization_endpoint")
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(parameters)}"

    def claims(self, attempt: Attempt, code: str) -> Mapping[str, Any]:
        """Who signed in: the claims of the ID token that a code is worth.

        Raises:
            Refused: If the provider refuses the code, or the token is not valid.
            ServerFailed: If it cannot be reached.
        """
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": attempt.address,
            "client_id": self.provider.client_id,
            "code_verifier": attempt.verifier,
        }
        answer = self._asked("POST", self._endpoint("token_endpoint"), form)
        keys = self._asked("GET", self._endpoint("jwks_uri"))
        try:
            token = jwt.decode(str(answer["id_token"]), KeySet.import_key_set(keys), algorithms=ALGORITHMS)  # type: ignore[arg-type]
            claims = CodeIDToken(
                token.claims,
                token.header,
                options={
                    "iss": {"essential": True, "value": self.provider.issuer},
                    "aud": {"essential": True, "value": self.provider.client_id},
                },
                params={"nonce": attempt.nonce, "client_id": self.provider.client_id},
            )
            claims.validate(now=int(self._clock()), leeway=LEEWAY)
        except (JoseError, KeyError, ValueError, TypeError) as error:
            raise Refused(
                f"the provider's ID token is not valid ({type(error).__name__}): nobody is signed in"
            ) from error
        return dict(claims)

    @cached_property
    def _authorities(self) -> SSLContext:
        """Whose certificates are trusted. They are read once: that takes longer than all else of a request."""
        import httpx2

        return httpx2.create_ssl_context()

    def _endpoint(self, name: str) -> str:
        if self._about is None:
            about = self._asked("GET", self.provider.issuer.rstrip("/") + "/.well-known/openid-configuration")
            if about.get("issuer") != self.provider.issuer:
                raise Refused(
                    "the provider calls itself by another address than the configuration: nobody is signed in"
                )
            self._about = about
        endpoint = self._about.get(name)
        if not isinstance(endpoint, str):
            raise ServerFailed(f"the provider names no {name}")
        _require_https(endpoint)
        return endpoint

    def _asked(self, method: str, url: str, form: Mapping[str, str] | None = None) -> dict[str, Any]:
        import httpx2

        auth = None if form is None else httpx2.BasicAuth(self.provider.client_id, self.provider.secret)
        try:
            answer = httpx2.request(
                method, url, data=form, auth=auth, timeout=TIMEOUT, follow_redirects=False, verify=self._authorities
            )
            value = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise ServerFailed(f"the provider of sign-in does not answer ({type(error).__name__})") from error
        if not answer.is_success or not isinstance(value, dict):
            raise Refused(f"the provider refused ({answer.status_code}): start again")
        return value


def _has(claims: Mapping[str, Any], entry: str) -> bool:
    name, equals, value = entry.partition("=")
    if not equals:
        address = str(claims.get("email", "")).casefold()
        return claims.get("email_verified") is True and address == entry.casefold()
    of = claims.get(name)
    return value in map(str, of) if isinstance(of, list) else of is not None and str(of) == value


def _require_https(url: str) -> None:
    parts = urlsplit(url)
    if not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)):
        raise InvalidConfig(f"the provider's addresses begin with https://, unlike {url[:100]!r}", key="oidc")
