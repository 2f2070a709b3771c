"""``paragone memory pack``: files for a context window, within a budget of tokens."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import option
from paragone.presenting.table import Table, number, table, text
from paragone.wire.pack import PackForm, PackLayout, PackMode

if TYPE_CHECKING:
    from paragone.memory.packing import Pack


def pack(
    store: options.MemoryStore,
    output: options.Output,
    tokens: Annotated[int | None, option("The budget, headings included.  [default: pack.tokens]", "-n", min=1)] = None,
    mode: Annotated[
        PackMode | None, option("Choose forms by value per token, or by tier.  [default: pack.mode]")
    ] = None,
    form: Annotated[PackLayout, option("The layout of the pack.")] = "markdown",
    query: Annotated[
        str | None, option("The purpose: definitions that answer it are worth more.", metavar="TEXT")
    ] = None,
    generated: Annotated[
        bool | None,
        option("Pack lock files, bundles, minified and vendored code, snapshots too.  [default: pack.generated]"),
    ] = None,
    out: Annotated[Path | None, option("Write the pack to a file.  [default: standard output]", "-o")] = None,
    manifest: Annotated[Path | None, option("Write which files are in it, in which form, and why, as JSON.")] = None,
    explain: Annotated[bool, option("Print what is in it and why, instead of the pack.")] = False,
) -> None:
    """Pack files for a context window.

    All files are named with their signatures; the bodies of the definitions most likely to be needed fill the rest of
    the budget. Secrets are never packed.
    """
    from paragone.memory.packing import manifest as manifest_of
    from paragone.memory.packing import manifest_text
    from paragone.presenting.files import save

    with store.opened() as memory:
        packed = memory.pack(tokens=tokens, mode=mode, form=form, query=query, generated=generated)
    if out is not None:
        save(packed.text, out)
    if manifest is not None:
        save(manifest_text(packed), manifest)
    if output.as_json or explain:
        body = {} if out is not None else {"text": packed.text}
        output.show(packed, lambda each: [_files(each), _bodies(each)], values=lambda each: manifest_of(each) | body)
    elif out is None:
        sys.stdout.write(_for_output(packed.text))
    if not output.as_json:
        typer.echo(_summary(packed), err=True)


def _for_output(text: str) -> str:
    """The pack unchanged for programs; for a terminal without control characters."""
    from paragone.domain.text import harmless

    return harmless(text) if sys.stdout.isatty() else text


def _files(packed: "Pack") -> Table[Any]:
    return table(
        packed.manifest,
        text("form", lambda row: row.form),
        number("tokens", lambda row: row.tokens),
        text("tier", lambda row: row.tier),
        text("path", lambda row: row.path),
        text("reason", lambda row: row.reason),
    )


def _bodies(packed: "Pack") -> Table[Any]:
    """The definitions of folded files whose bodies are in the pack."""
    units = [
        (file.path, unit)
        for file in packed.manifest
        if file.form is PackForm.PARTIAL
        for unit in file.units
        if unit.form is PackForm.FULL
    ]
    return table(
        units,
        number("tokens", lambda row: row[1].tokens),
        text("body", lambda row: f"{row[0]}:{row[1].start}-{row[1].end}"),
        text("name", lambda row: row[1].name or "(outside definitions)"),
        text("reason", lambda row: row[1].reason),
    )


def _summary(packed: "Pack") -> str:
    full, folded, signatures, pointers, excluded = packed.counts.values()
    forms = (
        f"{full:,} whole, {folded:,} folded, {signatures:,} as signatures, {pointers:,} as pointers, "
        f"{excluded:,} left out"
    )
    budget = "" if packed.budget is None else f" of {packed.budget:,}"
    saving = f"{packed.saving:.1%}" if packed.saving > 0.0 else "no"
    return f"{packed.tokens:,} tokens{budget}, {saving} less than all files whole ({packed.full_tokens:,}): {forms}"
