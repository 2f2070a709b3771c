"""What a shell offers for a word that is not whole yet: judges and advocates, tournaments, pools of agents.

Enumerations complete themselves, and files are completed by the shell. What a command works with is loaded when
somebody asks, and what cannot be read offers nothing: an error would be printed into the line that is being typed.
"""

from collections.abc import Iterator

import typer

MOST = 200
"""Names that are offered at the most."""

_FILES = frozenset({"recorded", "simulated"})
"""Judges whose spec goes on with a file."""


def judges(incomplete: str) -> list[tuple[str, str]]:
    """Judges whose spec begins so, with what they are; and files, where the spec goes on with one."""
    from paragone.judges.spec import KINDS

    name, colon, path = incomplete.partition(":")
    if colon and name in _FILES:
        return [(f"{name}:{found}", "") for found in _files(path)]
    specs = [(f"{kind.name}:" if ":" in kind.form else kind.name, kind.help) for kind in KINDS]
    return [(spec, help) for spec, help in specs if spec.startswith(incomplete)]


def advocates(incomplete: str) -> list[tuple[str, str]]:
    """Advocates whose spec begins so, with what they are."""
    from paragone.judges.debates.advocate_spec import ADVOCATES

    specs = [("llm:" if kind.name == "llm" else kind.name, kind.help) for kind in ADVOCATES]
    return [(spec, help) for spec, help in (*specs, ("none", "no debates are held")) if spec.startswith(incomplete)]


def tournaments(ctx: typer.Context, incomplete: str) -> list[str]:
    """Tournaments of the ledger that is named so far, the newest first."""
    return _pools(ctx, incomplete, of_agents=False)


def agent_pools(ctx: typer.Context, incomplete: str) -> list[str]:
    """Pools of agents of that ledger."""
    return _pools(ctx, incomplete, of_agents=True)


def _pools(ctx: typer.Context, incomplete: str, *, of_agents: bool) -> list[str]:
    from paragone.domain import ItemKind
    from paragone.errors import ParagoneError
    from paragone.ledger import Ledger
    from paragone.settings import settings

    try:
        with Ledger.open(ctx.params.get("db") or settings().db, create=False) as ledger:
            known = [pool.id for pool in reversed(ledger.pools.all()) if (pool.kind is ItemKind.AGENT) == of_agents]
    except ParagoneError:
        return []
    return [id for id in known if id.startswith(incomplete)][:MOST]


def _files(beginning: str) -> Iterator[str]:
    from pathlib import Path

    folder, slash, name = beginning.rpartition("/")
    root = Path(folder + slash or ".")
    for path in sorted(root.iterdir())[:MOST] if root.is_dir() else ():
        if path.name.startswith(name):
            yield f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"
