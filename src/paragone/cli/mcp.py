"""``paragone mcp``: the memory of a folder as a server for agents."""

from functools import partial
from importlib.util import find_spec
from typing import Annotated

import typer

from paragone.cli.memory.opening import HERE, Root, Store
from paragone.errors import MissingExtra


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(mcp)


def mcp(
    root: Root = HERE,
    store: Store = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="N", help="Port to listen on; 0 takes a free one.")
    ] = 8722,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name by which clients reach it; may be repeated."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="PARAGONE_MCP_TOKEN",
            show_envvar=False,
            metavar="TOKEN",
            help="What clients must send as a bearer token.  [env PARAGONE_MCP_TOKEN]",
        ),
    ] = None,
    idle: Annotated[
        float, typer.Option("--idle", min=0.01, metavar="MINUTES", help="Without a request, a session is over after.")
    ] = 30.0,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Whom sessions are logged for; else the client's own name."),
    ] = None,
    index: Annotated[
        bool, typer.Option("--index/--no-index", help="Bring the index up to date at the start, beside the calls.")
    ] = True,
) -> None:
    """Serve the memory of a folder to agents over the Model Context Protocol."""
    _need_package()
    from paragone.mcp import HttpPlace, MemoryServer, serve_http, serve_stdio
    from paragone.memory import Memory

    serve = serve_stdio
    if http:
        place = HttpPlace(host=host, port=port, names=tuple(allow_host or ()), token=token, idle=idle * 60.0)
        serve = partial(serve_http, address=place, announce=partial(_announce, open_to_all=token is None))
    serve(MemoryServer(lambda: Memory.open(root, store=store), agent=agent, index=index))


def _need_package() -> None:
    """The server's protocol is a package of an extra.

    Raises:
        MissingExtra: Where it is not installed.
    """
    if find_spec("mcp") is None:
        raise MissingExtra("the server needs the package mcp; install it with: pip install 'paragone[mcp,memory]'")


def _announce(url: str, *, open_to_all: bool) -> None:
    typer.echo(f"serving memory at {url}; stop it with Ctrl-C", err=True)
    if open_to_all:
        typer.echo("no authentication: every program on this machine may read what it remembers", err=True)
