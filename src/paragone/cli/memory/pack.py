"""``paragone memory pack``: what goes into a context window, within a budget of tokens."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening

if TYPE_CHECKING:
    from paragone.memory.packing import Pack

_COLUMNS = ("form", "tokens", "tier", "path", "reason")


class PackMode(StrEnum):
    """What decides the form of a file."""

    BUDGET = "budget"
    TIERS = "tiers"


class PackLayout(StrEnum):
    """How a pack is written down."""

    MARKDOWN = "markdown"
    XML = "xml"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(pack)


def pack(
    tokens: Annotated[
        int | None,
        typer.Option(
            "--tokens", "-n", min=1, metavar="N", help="The budget, headings included.  [default pack.tokens]"
        ),
    ] = None,
    mode: Annotated[
        PackMode | None,
        typer.Option("--mode", help="What a token buys the most of, or the tiers.  [default pack.mode]"),
    ] = None,
    form: Annotated[PackLayout, typer.Option("--form", help="How it is written down.")] = PackLayout.MARKDOWN,
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="TEXT", help="What it is for: files that this finds are worth more."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the pack here; else it is printed.")
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", metavar="FILE", help="Write here which file is in it in which form, and why: JSON."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the manifest as a table, and not the pack.")
    ] = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Pack files for a context window: whole, as signatures, or as pointers. Secrets are never packed."""
    from paragone.memory.packing import manifest as manifest_of
    from paragone.memory.packing import manifest_text
    from paragone.presenting.files import save

    with opening.opened(root, store) as memory:
        made = memory.pack(tokens=tokens, mode=None if mode is None else mode.value, form=form.value, query=query)
    if out is not None:
        save(made.text, out)
    if manifest is not None:
        save(manifest_text(made), manifest)
    if as_json:
        print_json(manifest_of(made) | ({} if out is not None else {"text": made.text}))
    elif explain:
        _print(made)
    elif out is None:
        sys.stdout.write(_shown(made.text))
    if not as_json:
        typer.echo(_summary(made), err=True)


def _shown(text: str) -> str:
    """The pack as it is for programs; for a terminal without what would move it."""
    from paragone.domain.text import harmless

    return harmless(text) if sys.stdout.isatty() else text


def _print(made: "Pack") -> None:
    from paragone.cli.show import print_table

    rows = [(str(one.form), f"{one.tokens:,}", str(one.tier), one.path, one.reason) for one in made.manifest]
    print_table(_COLUMNS, rows, right=frozenset({"tokens"}))


def _summary(made: "Pack") -> str:
    full, signatures, pointers, excluded = made.counts.values()
    forms = f"{full:,} whole, {signatures:,} as signatures, {pointers:,} as pointers, {excluded:,} left out"
    of = "" if made.budget is None else f" of {made.budget:,}"
    less = f"{made.saving:.1%}" if made.saving > 0.0 else "no"
    return f"{made.tokens:,} tokens{of}, {less} less than all files whole ({made.full_tokens:,}): {forms}"
