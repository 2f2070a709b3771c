"""Proxies in front of a server: those that were named may say who asks them and how, and nobody else."""

from starlette.datastructures import Headers
from starlette.types import Scope

from paragone.web.guards.addresses import address

_SCHEMES = frozenset({"http", "https"})
_MARKS = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")


def is_passed_on(headers: Headers) -> bool:
    """Whether a proxy says that it passes a request on for somebody else; many say nothing."""
    return any(mark in headers for mark in _MARKS)


def unwrap(scope: Scope, proxies: frozenset[str]) -> None:
    """Have a request say what the nearest proxy got, where it comes from one that was named; else it stays."""
    client = scope.get("client")
    if not proxies or client is None or address(client[0]) not in proxies:
        return
    headers = Headers(scope=scope)
    asker, scheme = _asker(headers, proxies), _listed(headers, "x-forwarded-proto")[-1:]
    if asker is not None:
        scope["client"] = (asker, 0)
    if scheme and scheme[0] in _SCHEMES:
        scope["scheme"] = scheme[0]


def _asker(headers: Headers, proxies: frozenset[str]) -> str | None:
    """The last address that is no proxy's: what stands before it was written by whoever asks."""
    for part in reversed(_listed(headers, "x-forwarded-for")):
        found = address(part)
        if found is None or found not in proxies:
            return found
    return None


def _listed(headers: Headers, name: str) -> list[str]:
    return [part.strip().lower() for value in headers.getlist(name) for part in value.split(",") if part.strip()]
