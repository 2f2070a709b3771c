"""Requests: those that may be sent twice are retried, and error responses become paragone's own errors."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from ssl import SSLContext
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
from pydantic import TypeAdapter, ValidationError

from paragone.errors import (
    Busy,
    Conflict,
    InvalidConfig,
    MissingExtra,
    NotFound,
    ParagoneError,
    Refused,
    ServerFailed,
)
from paragone.settings import environment
from paragone.wire.address import API

T = TypeVar("T")
PAGE = 500
"""Rows of a page where all are fetched."""
TOKEN = "PARAGONE_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable with the default token."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_AGAIN = frozenset({429, 502, 503, 504})
"""Statuses after which a retry may succeed."""
_ERRORS: Mapping[int, type[ParagoneError]] = {
    400: InvalidConfig,
    401: Refused,
    403: Refused,
    404: NotFound,
    405: InvalidConfig,
    408: Busy,
    409: Conflict,
    413: InvalidConfig,
    414: InvalidConfig,
    415: InvalidConfig,
    421: Refused,
    422: InvalidConfig,
    429: Busy,
    431: InvalidConfig,
    501: MissingExtra,
    503: Busy,
}
_LONGEST = 30.0
"""Maximum seconds before a retry."""


class Connection:
    """The HTTP connection of a client, to the addresses below ``/api/v1``."""

    def __init__(
        self, url: str, token: str | None, *, timeout: float, attempts: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        where = urlsplit(url)
        if where.scheme not in {"http", "https"} or not where.hostname:
            raise InvalidConfig(
                f"{url!r} is not the address of a server; an example is http://127.0.0.1:8321", key="url"
            )
        if attempts < 1:
            raise InvalidConfig(f"attempts must be at least 1, not {attempts}", key="attempts")
        bearer = environment().get(TOKEN, "") if token is None else token
        self._attempts, self._sleep = attempts, sleep
        is_local = where.hostname in _LOOPBACK
        self._http = httpx2.Client(
            base_url=url.rstrip("/"),
            headers={"authorization": f"Bearer {bearer}"} if bearer else {},
            timeout=timeout,
            trust_env=not is_local,  # a proxy of the environment does not lead to this machine
            verify=_local_certificates() if is_local else True,
        )

    def close(self) -> None:
        """Give back the connections."""
        self._http.close()

    def get(self, kind: type[T], path: str, /, **params: object) -> T:
        """Fetch a value.

        Raises:
            ParagoneError: As the server says.
        """
        return read(kind, self._answer("GET", path, again=True, params=_given(params)))

    def every(self, page: type[Any], path: str, rows: str, /, **params: object) -> Iterator[Any]:
        """All rows of a listing, fetched page by page.

        Args:
            page: The class of a page.
            path: Where the listing is.
            rows: The field of a page that holds its rows.
            params: The query.

        Raises:
            ParagoneError: As the server says.
        """
        cursor = None
        while True:
            answer = self.get(page, path, limit=PAGE, cursor=cursor, **params)
            yield from getattr(answer, rows)
            if (cursor := answer.next) is None:
                return

    def post(
        self,
        kind: type[T],
        path: str,
        body: Mapping[str, Any],
        *,
        again: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Send a body, and read the answer.

        Args:
            kind: The class of the answer.
            path: Where to.
            body: What to send; values that are None are left out.
            again: Whether it may be sent twice; what has an idempotency key may.
            headers: Sent with it.

        Raises:
            ParagoneError: As the server says.
        """
        answer = self.post_or_none(kind, path, body, again=again, headers=headers)
        if answer is None:
            raise ServerFailed(
                f"{API}{path} returned an empty response; the server may run another version of paragone"
            )
        return answer

    def post_or_none(
        self,
        kind: type[T],
        path: str,
        body: Mapping[str, Any],
        *,
        again: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> T | None:
        """As ``post``; None where the server has nothing to answer.

        Raises:
            ParagoneError: As the server says.
        """
        answer = self._answer("POST", path, again=again, json=_given(body), headers=headers)
        return None if answer.status_code == 204 else read(kind, answer)

    @contextmanager
    def stream(
        self, path: str, headers: Mapping[str, str] | None = None, *, patience: float | None = None, **params: object
    ) -> Iterator[httpx2.Response]:
        """An answer that comes in pieces; it is asked for once.

        Raises:
            ParagoneError: As the server says.
        """
        limits = httpx2.USE_CLIENT_DEFAULT if patience is None else httpx2.Timeout(patience)
        try:
            with self._http.stream("GET", API + path, params=_given(params), headers=headers, timeout=limits) as answer:
                if not answer.is_success:
                    answer.read()
                    raise refusal(answer)
                yield answer
        except httpx2.HTTPError as error:
            raise self._failed(error) from error

    def _answer(self, method: str, path: str, *, again: bool, **more: Any) -> httpx2.Response:  # noqa: ANN401
        attempt = 1
        while True:
            may = again and attempt < self._attempts
            answer = None
            try:
                answer = self._http.request(method, API + path, **more)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:  # nothing was sent
                if attempt >= self._attempts:
                    raise self._failed(error) from error
            except httpx2.HTTPError as error:
                if not may:
                    raise self._failed(error) from error
            if answer is not None:
                if answer.is_success:
                    return answer
                if not may or answer.status_code not in _AGAIN:
                    raise refusal(answer)
            self._sleep(_pause(attempt, answer))
            attempt += 1

    def _failed(self, error: httpx2.HTTPError) -> ServerFailed:
        return ServerFailed(f"{self._http.base_url} cannot be reached ({error or type(error).__name__})")


class Namespace:
    """Methods of a client on one thing that a server has."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


@cache
def _local_certificates() -> SSLContext:
    """The system's certificates, for servers on this machine. To read them takes 50 ms, so this is done once."""
    return httpx2.create_ssl_context(trust_env=False)


def read(kind: type[T], answer: httpx2.Response) -> T:
    """An answer as a value. Fields that this version does not know are ignored: a newer server may say more.

    Raises:
        ServerFailed: If the response is of another kind.
    """
    try:
        value: T = _adapter(kind).validate_json(answer.content)  # type: ignore[arg-type]  # a class has a hash
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ServerFailed(
            f"{answer.url} is not a paragone server, or it is of another version: {field} {first['msg']}"
        ) from error
    return value


def refusal(answer: httpx2.Response) -> ParagoneError:
    """The error that a response reports."""
    try:
        problem = answer.json()
        message = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        message = f"{answer.url} answered {answer.status_code}"
    return _ERRORS.get(answer.status_code, ServerFailed)(message)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any class
    return TypeAdapter(kind)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _pause(attempt: int, answer: httpx2.Response | None) -> float:
    """Seconds before the next attempt: what the server asks for, else twice as long each time."""
    retry_after = "" if answer is None else answer.headers.get("retry-after", "")
    return min(float(retry_after) if retry_after.isdigit() else 0.1 * 2**attempt, _LONGEST)
