"""Configuration of a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, kw_only=True, slots=True)
class WebConfig:
    """Configuration of a server.

    Attributes:
        db: File or URL of the ledger.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        hosts: Host names that it answers to, besides loopback's.
        tokens: File of tokens; None if there are none and everybody who reaches the port may do everything.
        secret: Key that signs offers and cookies.
        origins: Other sites whose scripts may read the API; none by default.
        proxies: Addresses or networks of proxies, whose X-Forwarded-For and X-Forwarded-Proto are believed.
        max_body: Maximum bytes of a body.
        max_upload: The same of a form that may bring a file.
        rate: Maximum changing requests per minute and client.
        offer_minutes: Minutes for which an offered pair may be answered.
        workers: Processes that serve the address.
        memory: Folder whose memory is shown; None for none.
        log: ``json`` or ``text`` for a line about each request on stderr; empty for none.
        traces: Address of a collector of traces; if empty, the standard variables decide.
        judges: Judges that requests may name for new tournaments. Their specs are shown to nobody; a
            ``workers.judge_list.JudgeList``, which takes long to load.
        oidc: Provider of sign-in, a ``web.sign_in.Provider``; None for none.
    """

    db: str
    host: str = "127.0.0.1"
    port: int = 8321
    hosts: tuple[str, ...] = ()
    tokens: Path | None = None
    secret: bytes = field(default=b"", repr=False)
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    max_body: int = 1_000_000
    max_upload: int = 20_000_000
    rate: int = 600
    offer_minutes: float = 60.0
    workers: int = 1
    log: Literal["", "json", "text"] = ""
    traces: str = ""
    memory: Path | None = None
    judges: Mapping[str, Any] = field(default_factory=dict, repr=False)
    oidc: Any = field(default=None, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK
