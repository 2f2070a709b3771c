"""``paragone serve`` and ``paragone token``: the live board, and who may do what on it."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.web.middleware.tokens import TokenFile

Tokens = Annotated[
    Path | None,
    typer.Option("--tokens", metavar="FILE", help="File of tokens.  [default paragone-tokens.json, where it is there]"),
]
TOKENS = Path("paragone-tokens.json")


class Log(StrEnum):
    """What is said of each request."""

    NONE = "none"
    TEXT = "text"
    JSON = "json"


LOGS: Mapping[Log, Literal["", "text", "json"]] = {Log.NONE: "", Log.TEXT: "text", Log.JSON: "json"}


tokens = typer.Typer(help="Tokens: who may read, vote, judge and administer over HTTP.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(serve)
    tokens.command("add")(add)
    tokens.command("list")(show)
    tokens.command("revoke")(revoke)
    app.add_typer(tokens, name="token")


def serve(
    db: options.Database = None,
    host: Annotated[str, typer.Option(help="Address to bind to; beyond this machine it takes tokens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8321,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", metavar="NAME", help="Another name that the server goes by.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="ORIGIN", help="A site whose scripts may use the API, with a token."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option("--proxy", metavar="ADDRESS", help="A proxy that is believed who asks, and whether by https."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that serve the address.")] = 1,
    token_file: Tokens = None,
    memory: Annotated[
        Path | None, typer.Option("--memory", metavar="DIR", help="A folder that is remembered, to be shown as well.")
    ] = None,
    log: Annotated[Log, typer.Option(help="A line about each request on stderr.")] = Log.NONE,
    traces: Annotated[
        str, typer.Option("--traces", metavar="URL", help="Collector of traces.  [default: as OTEL_* variables say]")
    ] = "",
) -> None:
    """Serve the live board: pages, votes and REST, in a browser. Ctrl-C ends it when open requests are answered."""
    from paragone.settings import settings
    from paragone.web.config import WebConfig
    from paragone.web.middleware.tokens import secret_in
    from paragone.web.server.serving import need_packages, refuse_open_doors, serve

    file = token_file or (TOKENS if TOKENS.exists() else None)
    config = WebConfig(
        db=db or settings().db,
        host=host,
        port=port,
        hosts=tuple(allow_host or ()),
        origins=tuple(allow_origin or ()),
        proxies=tuple(proxy or ()),
        tokens=file,
        workers=workers,
        log=LOGS[log],
        traces=traces,
        memory=memory,
    )
    refuse_open_doors(config)
    need_packages()  # before anything is made
    secret = secret_in((file or TOKENS).with_suffix(".secret"))
    try:
        serve(replace(config, secret=secret), lambda words: typer.echo(words, err=True))
    except KeyboardInterrupt:
        _leave(130)
        raise
    _leave(0)


def _leave(code: int) -> None:
    from paragone.web.server.running import leave

    leave(code)


def add(
    name: Annotated[str, typer.Argument(help="Whose token it is.")],
    role: Annotated[str, typer.Option("--role", help="read, vote, judge or admin.")] = "read",
    token_file: Tokens = None,
    as_json: options.Json = False,
) -> None:
    """Make a token, and print it: it is not shown again."""
    from paragone.web.middleware.tokens import role_named

    token = _file(token_file).add(name, role_named(role))
    if as_json:
        print_json({"name": name, "role": role, "token": token})
    else:
        typer.echo(token)


def show(token_file: Tokens = None, as_json: options.Json = False) -> None:
    """List whose tokens there are."""
    rows = [{"name": one.name, "role": one.role.name.lower()} for one in _file(token_file).callers()]
    if as_json:
        print_json(rows)
    for row in () if as_json else rows:
        typer.echo(f"{row['role']:<6} {row['name']}")


def revoke(name: Annotated[str, typer.Argument(help="Whose.")], token_file: Tokens = None) -> None:
    """Make a token worthless."""
    _file(token_file).revoke(name)
    typer.echo(f"revoked: {name}")


def _file(path: Path | None) -> "TokenFile":
    from paragone.web.middleware.tokens import TokenFile

    return TokenFile(path or TOKENS)
