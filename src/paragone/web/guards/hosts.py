"""The names that a server goes by: a request for any other was led here by another site's name."""

import ipaddress
import re

from paragone.errors import InvalidConfig
from paragone.web.config import LOOPBACK, WebConfig

EVERY = ("0.0.0.0", "::", "")  # noqa: S104 - to be told from a name
"""Addresses to bind to that are no host's."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def checked_hosts(config: WebConfig) -> frozenset[str]:
    """The names of a server, each in one spelling.

    Raises:
        InvalidConfig: If one is no host: an address of a page, or a pattern.
    """
    found = {known(name) for name in LOOPBACK}
    for name in config.hosts:
        host = known(name)
        if host is None:
            raise InvalidConfig(f"{name!r} is no host; name one as in board.example.org or 192.168.1.5", key="hosts")
        found.add(host)
    if config.host not in EVERY:
        found.add(known(config.host))
    return frozenset(name for name in found if name is not None)


def known(name: str) -> str | None:
    """A host as somebody names it, in one spelling; an address of version six may stand without brackets."""
    return host_name(f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name)


def host_name(netloc: str) -> str | None:
    """The host of ``host`` or ``host:port``, in one spelling; None where it is none."""
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
