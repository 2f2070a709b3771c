"""Shell completion of judges, advocates, tournaments and pools of agents.

Enumerations complete themselves, and the shell completes files. A ledger that cannot be read completes nothing: an
error would be printed into the line that is being typed.
"""

from collections.abc import Iterator

import typer

MOST = 200
"""Names offered at most."""

_FILES = frozenset({"recorded", "simulated"})
"""Judges whose spec ends in a file name."""


def judges(incomplete: str) -> list[tuple[str, str]]:
    """Judges whose spec begins like this, with their help; then files, where the spec ends in one."""
    from paragone.judges.spec import kinds

    name, colon, path = incomplete.partition(":")
    if colon and name in _FILES:
        return [(f"{name}:{file}", "") for file in _files(path)]
    specs = [(f"{kind.name}:" if ":" in kind.form else kind.name, kind.help) for kind in kinds()]
    return [(spec, help) for spec, help in specs if spec.startswith(incomplete)]


def pairings(incomplete: str) -> list[str]:
    """Pairings whose name begins like this."""
    from paragone.tournaments.pairing_registry import PAIRINGS

    return [name for name in PAIRINGS if name.startswith(incomplete)]


def advocates(incomplete: str) -> list[tuple[str, str]]:
    """Advocates whose spec begins like this, with their help."""
    from paragone.judges.debates.advocate_spec import ADVOCATES

    specs = [("llm:" if kind.name == "llm" else kind.name, kind.help) for kind in ADVOCATES]
    return [(spec, help) for spec, help in (*specs, ("none", "no debates")) if spec.startswith(incomplete)]


def tournaments(ctx: typer.Context, incomplete: str) -> list[str]:
    """Tournaments of the ledger that the line names, the newest first."""
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
            ids = [pool.id for pool in reversed(ledger.pools.all()) if (pool.kind is ItemKind.AGENT) == of_agents]
    except ParagoneError:
        return []
    return [id for id in ids if id.startswith(incomplete)][:MOST]


def _files(beginning: str) -> Iterator[str]:
    from pathlib import Path

    folder, slash, name = beginning.rpartition("/")
    root = Path(folder + slash or ".")
    for path in sorted(root.iterdir())[:MOST] if root.is_dir() else ():
        if path.name.startswith(name):
            yield f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"
