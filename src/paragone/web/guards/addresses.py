"""Addresses of machines, each in one spelling, and those of the proxies in front of a server."""

import ipaddress
from collections.abc import Iterable

from paragone.errors import InvalidConfig


def address(text: str) -> str | None:
    """An address in one spelling; None where it is none.

    One of version four that came to a socket of version six is of version four.
    """
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def checked_proxies(proxies: Iterable[str]) -> frozenset[str]:
    """The addresses of proxies.

    Raises:
        InvalidConfig: If one is no address.
    """
    found = {proxy: address(proxy) for proxy in proxies}
    for proxy, known in found.items():
        if known is None:
            raise InvalidConfig(f"{proxy!r} is no address; a proxy is named by its own, as in 127.0.0.1", key="proxies")
    return frozenset(known for known in found.values() if known is not None)
