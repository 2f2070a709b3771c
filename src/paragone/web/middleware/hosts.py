"""Host names, proxies and origins of a server. A request for another host may have been led here by DNS rebinding."""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope

from paragone.errors import InvalidConfig
from paragone.web.config import LOOPBACK, WebConfig

EVERY = ("0.0.0.0", "::", "")  # noqa: S104 - to be told from a name
"""Addresses that bind to all interfaces."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def checked_hosts(config: WebConfig) -> frozenset[str]:
    """The host names of a server, normalised.

    Raises:
        InvalidConfig: If one is no host, such as a URL or a pattern.
    """
    hosts = {normalised(name) for name in LOOPBACK}
    for name in config.hosts:
        host = normalised(name)
        if host is None:
            raise InvalidConfig(
                f"{name!r} is not a host; write one as in board.example.org or 192.168.1.5", key="hosts"
            )
        hosts.add(host)
    if config.host not in EVERY:
        hosts.add(normalised(config.host))
    return frozenset(name for name in hosts if name is not None)


def normalised(name: str) -> str | None:
    """A host name, normalised; an IPv6 address needs no brackets."""
    return host_name(f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name)


def host_name(netloc: str) -> str | None:
    """The host of ``host`` or ``host:port``, normalised; None if it is invalid."""
    form = _HOST.fullmatch(netloc.lower())
    if form is None or not netloc.isascii():
        return None
    name = form[1]
    if not name.startswith("["):
        return name
    try:
        return f"[{ipaddress.IPv6Address(name[1:-1]).compressed}]"
    except ValueError:
        return None


def address(text: str) -> str | None:
    """An IP address, normalised; None if it is invalid. An IPv4-mapped IPv6 address becomes IPv4."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return str(mapped or parsed)


@dataclass(frozen=True, kw_only=True, slots=True)
class Proxies:
    """The proxies whose headers are believed.

    Attributes:
        addresses: Those named by their address, normalised.
        networks: Networks that only proxies are in.
    """

    addresses: frozenset[str]
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]

    def __bool__(self) -> bool:
        return bool(self.addresses or self.networks)

    def __contains__(self, client: str) -> bool:
        return client in self.addresses or any(ipaddress.ip_address(client) in network for network in self.networks)


def checked_proxies(proxies: Iterable[str]) -> Proxies:
    """The addresses and networks of proxies.

    Raises:
        InvalidConfig: If one is neither an address nor a network, or the network has every address.
    """
    addresses = {proxy: address(proxy) for proxy in proxies}
    return Proxies(
        addresses=frozenset(parsed for parsed in addresses.values() if parsed is not None),
        networks=tuple(_network(proxy) for proxy, parsed in addresses.items() if parsed is None),
    )


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        raise InvalidConfig(
            f"{text!r} is not an address; name a proxy by its address, as in 127.0.0.1, or by a network that only "
            "proxies are in, as in 10.1.2.0/24",
            key="proxies",
        ) from error
    if network.prefixlen == 0:
        raise InvalidConfig(f"{text!r} has every address, so anybody could pose as a proxy", key="proxies")
    return network


CORS: Mapping[str, Any] = {
    "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE"],
    "allow_headers": ["authorization", "content-type", "idempotency-key", "if-none-match", "last-event-id"],
    "expose_headers": ["etag", "location", "retry-after", "x-request-id"],
    "allow_credentials": False,
    "max_age": 600,
}
"""What other origins may send and read; never with cookies."""

_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def checked_origins(origins: Iterable[str]) -> list[str]:
    """The origins as browsers write them.

    Raises:
        InvalidConfig: If one is no origin: no scheme, a path, or a pattern.
    """
    lowered = [origin.lower() for origin in origins]
    for origin in lowered:
        if not _ORIGIN.fullmatch(origin):
            raise InvalidConfig(
                f"{origin!r} is not an origin: one is a scheme, a host and a port where it is not the usual one, as in "
                "https://board.example:8443; no path, and no *",
                key="origins",
            )
    return lowered


_SCHEMES = frozenset({"http", "https"})
_MARKS = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")


def is_passed_on(headers: Headers) -> bool:
    """Whether a proxy says that it forwards a request; many do not."""
    return any(mark in headers for mark in _MARKS)


def unwrap(scope: Scope, proxies: Proxies) -> None:
    """Take the client and scheme of a request from its headers if it comes from a configured proxy."""
    client = scope.get("client")
    if not proxies or client is None or (sender := address(client[0])) is None or sender not in proxies:
        return
    headers = Headers(scope=scope)
    asker, scheme = _asker(headers, proxies), _listed(headers, "x-forwarded-proto")[-1:]
    if asker is not None:
        scope["client"] = (asker, 0)
    if scheme and scheme[0] in _SCHEMES:
        scope["scheme"] = scheme[0]


def _asker(headers: Headers, proxies: Proxies) -> str | None:
    """The last address that is no proxy's: those before it were written by the client."""
    for part in reversed(_listed(headers, "x-forwarded-for")):
        client = address(part)
        if client is None or client not in proxies:
            return client
    return None


def _listed(headers: Headers, name: str) -> list[str]:
    return [part.strip().lower() for value in headers.getlist(name) for part in value.split(",") if part.strip()]
