"""The switch against calls that leave this machine, as for tests; and what of an address is this machine."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from paragone.errors import UsageError


@dataclass(slots=True)
class _Switch:
    """How many nested blocks forbid remote calls now."""

    forbidding: int = 0


_SWITCH = _Switch()


def host_of(url: str) -> str:
    """Host and port of a URL, and nothing else of it: a URL may hold a password.

    Raises:
        ValueError: If the port is no number.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    return host if parts.port is None else f"{host}:{parts.port}"


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@contextmanager
def forbid_remote_calls() -> Iterator[None]:
    """Refuse, before anything is sent, every model call that would leave this machine.

    For tests: an accidental call that costs money becomes an error, and one that is not swallowed as a failed
    comparison. Blocks may be nested, and hold for all threads.
    """
    _SWITCH.forbidding += 1
    try:
        yield
    finally:
        _SWITCH.forbidding -= 1


def check_allowed(url: str | None) -> None:
    """Refuse a call that would leave this machine while remote calls are forbidden.

    Args:
        url: Where the call goes; None where that is not known, which counts as far away.

    Raises:
        UsageError: If it is forbidden.
    """
    if _SWITCH.forbidding and (url is None or not is_loopback(url)):
        where = "an unknown address" if url is None else host_of(url)
        raise UsageError(f"a model call to {where} was refused: remote calls are forbidden here; use a loopback URL")
