"""What runs until it is stopped: ``paragone serve`` with its ``token``, ``mcp`` for agents, ``worker`` for judging."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paragone import extras
from paragone.cli import options
from paragone.cli.options import argument, like, option
from paragone.cli.parameters import OnlyWith
from paragone.cli.terminal import interruptible, note, notice
from paragone.errors import NotFound
from paragone.judges.call_options import CONCURRENCY
from paragone.web.config import WebConfig

if TYPE_CHECKING:
    from paragone.mcp.ranking_runs import Runs
    from paragone.mcp.transport import ToolServer
    from paragone.web.middleware.access_tokens import TokenFile

DEFAULT_TOKENS = Path("paragone-tokens.json")
_WEB = WebConfig(db="")
AllowHost = Annotated[list[str] | None, option("Another host name of the server; repeatable.", metavar="NAME")]
Port = Annotated[int, option("Port to listen on; 0 takes a free one.", min=0, max=65535)]
TokenPath = Annotated[Path | None, option(f"File of tokens.  [default: {DEFAULT_TOKENS}, if it exists]", "--tokens")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Listening:
    """Where a server listens, and who may connect."""

    host: Annotated[str, like(WebConfig, "host", after=" Addresses beyond this machine need tokens.")] = _WEB.host
    port: Port = _WEB.port
    allow_host: AllowHost = None
    allow_origin: Annotated[
        list[str] | None, option("A site whose scripts may use the API, with a token.", metavar="ORIGIN")
    ] = None
    proxy: Annotated[
        list[str] | None,
        option("A proxy, or a network of them, whose X-Forwarded headers are trusted; repeatable.", metavar="ADDRESS"),
    ] = None
    workers: Annotated[int, option("Processes that serve the address.", min=1, max=64)] = _WEB.workers
    tokens: TokenPath = None

    def config(self, **more: Any) -> WebConfig:  # noqa: ANN401 - fields of any kind
        """The configuration of the server, with more of its fields."""
        return WebConfig(
            host=self.host,
            port=self.port,
            hosts=tuple(self.allow_host or ()),
            origins=tuple(self.allow_origin or ()),
            proxies=tuple(self.proxy or ()),
            tokens=self.tokens or (DEFAULT_TOKENS if DEFAULT_TOKENS.exists() else None),
            workers=self.workers,
            **more,
        )


def serve(
    listening: Listening,
    db: options.Database = None,
    memory: Annotated[Path | None, option("A folder whose memory is served as well.", metavar="DIR")] = None,
    judge: Annotated[
        list[str] | None,
        option(
            "A judge that new tournaments may name, in the browser and over REST; its spec stays here. Repeatable.",
            metavar="NAME=SPEC",
        ),
    ] = None,
    judges: Annotated[
        Path | None, option('Such judges from a TOML file with NAME = "SPEC", as workers have it.')
    ] = None,
    oidc: Annotated[
        Path | None,
        option("Sign-in by OpenID Connect: a TOML file with issuer, client_id and [roles].", metavar="FILE"),
    ] = None,
    log: Annotated[Literal["none", "text", "json"], option("Log each request on standard error.")] = "none",
    traces: Annotated[str, option("Collector of traces.  [default: the OTEL_* variables]", metavar="URL")] = "",
) -> None:
    """Serve the live board, votes and the REST API. Ctrl-C stops the server after open requests."""
    from paragone.web.middleware.access_tokens import secret_in
    from paragone.web.server.serving import need_packages, refuse_open_access
    from paragone.web.server.serving import serve as serve_board
    from paragone.workers.judge_list import listed_judges

    config = listening.config(
        db=options.db_url(db),
        log="" if log == "none" else log,
        traces=traces,
        memory=memory,
        judges=listed_judges(judges, judge or ()),
        oidc=None if oidc is None else _provider(oidc),
    )
    refuse_open_access(config)
    need_packages()  # before anything is written
    secret = secret_in((config.tokens or DEFAULT_TOKENS).with_suffix(".secret"))
    try:
        serve_board(replace(config, secret=secret), lambda text: typer.echo(text, err=True))
    except KeyboardInterrupt:
        _leave(130)
        raise
    _leave(0)


def _provider(path: Path) -> object:
    from paragone.settings import environment
    from paragone.web.server.serving import need_packages

    need_packages()
    from paragone.web.sign_in import provider_in

    return provider_in(path, environment())


def _leave(code: int) -> None:
    from paragone.web.server.running import leave

    leave(code)


def add(
    name: Annotated[str, argument("Name of the token's owner.")],
    output: options.Output,
    role: Annotated[str, option("read, vote, judge or admin.", metavar="ROLE")] = "read",
    tokens: TokenPath = None,
) -> None:
    """Create a token and print it. It is not shown again."""
    from paragone.web.middleware.access_tokens import role_named

    token = _file(tokens).add(name, role_named(role))
    output.draw(token, typer.echo, values=lambda each: {"name": name, "role": role, "token": each})


def list_tokens(output: options.Output, tokens: TokenPath = None) -> None:
    """List the owners of tokens and their roles."""
    rows = [{"name": caller.name, "role": caller.role.word} for caller in _file(tokens).callers()]
    output.draw(rows, _print_tokens)


def _print_tokens(rows: list[dict[str, str]]) -> None:
    if not rows:
        typer.echo("there is no token yet: paragone token add NAME --role ROLE makes one")
    for row in rows:
        typer.echo(f"{row['role']:<6} {row['name']}")


def revoke(name: Annotated[str, argument("Name of the token's owner.")], tokens: TokenPath = None) -> None:
    """Revoke a token."""
    _file(tokens).revoke(name)
    typer.echo(f"revoked: {name}")


def _file(path: Path | None) -> "TokenFile":
    from paragone.web.middleware.access_tokens import TokenFile

    return TokenFile(path or DEFAULT_TOKENS)


@dataclass(frozen=True, kw_only=True, slots=True)
class McpAddress:
    """Whether tools are served over HTTP, and where."""

    http: Annotated[bool, option("Serve over HTTP instead of standard input and output.")] = False
    host: Annotated[str, option("Address to listen on.", metavar="HOST"), OnlyWith("--http")] = "127.0.0.1"
    port: Annotated[Port, OnlyWith("--http")] = 8722
    allow_host: Annotated[AllowHost, OnlyWith("--http")] = None
    token: Annotated[
        str | None,
        option(
            "Bearer token that clients must send.  [env PARAGONE_MCP_TOKEN]",
            envvar="PARAGONE_MCP_TOKEN",
            show_envvar=False,
            metavar="TOKEN",
        ),
        OnlyWith("--http"),
    ] = None
    idle: Annotated[
        float,
        option("End a session after this time without a request.", min=0.01, metavar="MINUTES"),
        OnlyWith("--http"),
    ] = 30.0

    def serving(self) -> "Callable[[ToolServer], None]":
        """What serves tools there, until whoever asks has gone, or until Ctrl-C.

        Raises:
            InvalidConfig: If they may not be served there, before a memory is opened.
        """
        from paragone.mcp import HttpPlace, serve_http, serve_stdio

        if not self.http:
            return serve_stdio
        names = tuple(self.allow_host or ())
        address = HttpPlace(host=self.host, port=self.port, names=names, token=self.token, idle=self.idle * 60.0)
        return partial(serve_http, address=address, announce=partial(_announce, is_open=self.token is None))


def mcp(
    store: options.MemoryStore,
    address: McpAddress,
    agent: Annotated[
        str | None, option("Agent whose sessions are logged.  [default: the client's name]", metavar="NAME")
    ] = None,
    index: Annotated[bool, option("Update the index at the start, in the background.", "--index/--no-index")] = True,
    rank: Annotated[bool, option("Also offer tools that rank texts, in the ledger of --db.")] = False,
    judge: Annotated[
        list[str] | None,
        option("A judge that rankings may name; its spec stays here. Repeatable; implies --rank.", metavar="NAME=SPEC"),
    ] = None,
    judges: Annotated[
        Path | None, option('A TOML file of such judges, NAME = "SPEC", as for workers; implies --rank.')
    ] = None,
    db: Annotated[options.Database, OnlyWith("--rank or --judge or --judges")] = None,
) -> None:
    """Serve a folder's memory over the Model Context Protocol; with --rank, also tools that rank texts.

    With --rank, a folder without a memory is served as well: the tools that rank need none.
    """
    ranks = bool(rank or judge or judges)
    extras.require("the server needs", "mcp", extra="mcp" if ranks else "mcp,memory")
    serve, runs = address.serving(), None
    if ranks:
        from paragone.mcp.ranking_runs import Runs
        from paragone.workers.judge_list import listed_judges

        runs = Runs(options.db_url(db), listed_judges(judges, judge or ()))
    serve(_tool_server(store, runs, agent=agent, index=index))


def _tool_server(store: options.MemoryStore, runs: "Runs | None", *, agent: str | None, index: bool) -> "ToolServer":
    """The server of a memory; where there is none and none was named, that of rankings alone."""
    from paragone.mcp import MemoryServer, RankingServer
    from paragone.memory import Memory

    try:
        return MemoryServer(lambda: Memory.open(store.root, store=store.store), agent=agent, index=index, runs=runs)
    except NotFound as error:
        if runs is None or store.store is not None:
            raise
        note(f"only the tools that rank are served: {error}")
        return RankingServer(runs)


def _announce(url: str, *, is_open: bool) -> None:
    typer.echo(f"serving at {url}; stop it with Ctrl-C", err=True)
    if is_open:
        typer.echo("no authentication: every program on this machine can call its tools", err=True)


@interruptible("everything that was answered is recorded")
def worker(
    judges: Annotated[Path, option('The judges that this worker has: a TOML file with NAME = "SPEC".')],
    concurrency: Annotated[int, option("Maximum number of calls in flight.", min=1)] = CONCURRENCY,
    db: options.Database = None,
) -> None:
    """Ask judges for tournaments that run with --workers, until Ctrl-C. The ledger has to be on PostgreSQL.

    Keys and specs of judges stay here: a tournament names a judge, and only those on the list are asked.
    """
    import asyncio

    from paragone.workers.judge_list import read_judges
    from paragone.workers.running import serve

    asyncio.run(serve(options.db_url(db), read_judges(judges), concurrency=concurrency, say=notice))


@interruptible("")
def workers(output: options.Output, db: options.Database = None) -> None:
    """List the workers of a ledger: what they judge, how quickly, and what failed."""
    from paragone.ledger import Ledger
    from paragone.workers.overview import lines, overview

    with Ledger.open(options.db_url(db), create=False) as ledger:
        listing = overview(ledger)
    output.show(listing, lines)
