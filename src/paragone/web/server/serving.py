"""Starting a server: checks of its configuration, and the socket."""

import shlex
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from paragone import extras
from paragone.errors import InvalidConfig, Unwritable
from paragone.ledger import Ledger, without_password
from paragone.web.config import LOOPBACK, WebConfig
from paragone.web.middleware.access_tokens import TokenFile
from paragone.web.middleware.hosts import EVERY, checked_hosts, checked_origins, checked_proxies
from paragone.web.middleware.roles import Access


def serve(config: WebConfig, announce: Callable[[str], None]) -> None:
    """Serve until a signal: returns on SIGTERM and raises KeyboardInterrupt on SIGINT, both after the shutdown.

    Args:
        config: What to serve.
        announce: Called with the address once the port is bound, and with a message when a process ends on its own.

    Raises:
        InvalidConfig: If others than this machine could reach a server that has no tokens, or a collector of traces has
            no address.
        MissingExtra: If the packages of a server, or those of traces where an address is given, are not installed.
        Unwritable: If the address cannot be bound, or processes end as soon as they begin.
        NotFound: If the folder of the memory holds no store.
    """
    refuse_open_access(config)
    need_packages()
    if config.traces:
        _check_traces(config.traces)
    with closing(Ledger.open(config.db)) as ledger:  # errors are reported here once, not by each process
        empty = "" if ledger.pools.all() else ", which is empty"
    if config.memory is not None:
        _check_memory(config.memory)
    with bound(config) as listening:
        port = listening.getsockname()[1]
        words = f"{address(config, port)} shows {without_password(config.db)}{empty}; Ctrl-C ends it"
        if config.host in EVERY and not config.hosts:
            words += "\nonly names of this machine alone are answered; add what others ask for with --allow-host NAME"
        if config.workers == 1:
            from paragone.web.server.running import run

            run(replace(config, port=port), listening, lambda: announce(words))
        else:
            from paragone.web.server.processes import supervise

            announce(words)
            supervise(replace(config, port=port), listening, announce)


def refuse_open_access(config: WebConfig) -> None:
    """Refuse a configuration that lets everybody do everything, or nobody anything.

    Raises:
        InvalidConfig: If others than this machine could reach a server that has no tokens, a file of tokens has none,
            or a host, an origin or a proxy is none.
        UnreadableFile: If the file of tokens cannot be read.
    """
    checked_hosts(config)
    checked_origins(config.origins)
    checked_proxies(config.proxies)
    if config.tokens is None and config.oidc is not None:
        raise InvalidConfig("sign-in keeps people in a file of tokens: name one with --tokens", key="oidc")
    if config.tokens is None:
        access = _outside_access(config)
        if access:
            raise InvalidConfig(
                f"{access}, and there are no tokens: everybody could do everything; "
                "make one with: paragone token add NAME --role admin",
                key="host",
            )
    elif config.oidc is None and not _lets_in(TokenFile(config.tokens).read()):
        raise InvalidConfig(
            f"there are no tokens in {config.tokens}: nobody could do anything; "
            f"make one with: paragone token add NAME --role admin --tokens {shlex.quote(str(config.tokens))}",
            key="tokens",
        )


def _lets_in(access: Access) -> bool:
    """Whether somebody has a token or a session, or was invited."""
    return bool(access.sessions or access.invitations)


def _outside_access(config: WebConfig) -> str:
    """How other machines can reach a server; empty if they cannot."""
    if not config.is_local:
        return f"{config.host} is reached by others"
    if config.proxies:
        return f"through the proxy {config.proxies[0]} others come"
    if config.origins:
        return f"scripts of {config.origins[0]} may ask this server"
    names = [name for name in config.hosts if name.lower() not in LOOPBACK]
    return f"by the name {names[0]} others come" if names else ""


def bound(config: WebConfig) -> socket.socket:
    """A socket at the address.

    Raises:
        Unwritable: If it cannot be bound, saying why.
    """
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # With an explicit protocol asyncio sets TCP_NODELAY; without it, a body waits 40 ms for the ACK of the head.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        rights = "; ports below 1024 take rights" if isinstance(error, PermissionError) else ""
        raise Unwritable(
            f"{config.host}:{config.port} cannot be used ({error.strerror}{rights}); "
            "take another with --port, or 0 for any"
        ) from error
    return listening


def address(config: WebConfig, port: int) -> str:
    """The URL of the server; if it is bound to all addresses, by one of its host names."""
    host = next(iter(config.hosts), LOOPBACK[0]) if config.host in EVERY else config.host
    return f"http://{url_host(host)}:{port}/"


def url_host(host: str) -> str:
    """A host as it is written in a URL."""
    return f"[{host}]" if ":" in host else host


def _check_traces(url: str) -> None:
    from paragone.tracing.sending import check_installed, endpoint

    endpoint(url)
    check_installed()


def _check_memory(folder: Path) -> None:
    from paragone.web.readers.memory_reader import MemoryReader

    MemoryReader.open(folder).close()


def need_packages() -> None:
    """Check that the packages of a server are installed.

    Raises:
        MissingExtra: If one is not installed.
    """
    extras.require("a server needs", "fastapi", "prometheus-client", "structlog", "uvicorn")
