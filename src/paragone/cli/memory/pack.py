"""``paragone memory pack``: files for a context window, within a budget of tokens."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import MemoryStore, option
from paragone.presenting.table import Table, number, table, text
from paragone.wire.pack import PackLayout, PackMode

if TYPE_CHECKING:
    from paragone.memory.packing import Pack


def pack(
    store: MemoryStore,
    output: options.Output,
    tokens: Annotated[int | None, option("The budget, headings included.  [default: pack.tokens]", "-n", min=1)] = None,
    mode: Annotated[
        PackMode | None, option("Choose forms by value per token, or by tier.  [default: pack.mode]")
    ] = None,
    form: Annotated[PackLayout, option("The layout of the pack.")] = "markdown",
    query: Annotated[str | None, option("The purpose: files that this finds are worth more.", metavar="TEXT")] = None,
    out: Annotated[Path | None, option("Write the pack to a file.  [default: standard output]", "-o")] = None,
    manifest: Annotated[Path | None, option("Write which files are in it, in which form, and why, as JSON.")] = None,
    explain: Annotated[bool, option("Print the manifest as a table instead of the pack.")] = False,
) -> None:
    """Pack files for a context window. Files are packed whole, as signatures, or as pointers; secrets never are."""
    from paragone.memory.packing import manifest as manifest_of
    from paragone.memory.packing import manifest_text
    from paragone.presenting.files import save

    with store.opened() as memory:
        packed = memory.pack(tokens=tokens, mode=mode, form=form, query=query)
    if out is not None:
        save(packed.text, out)
    if manifest is not None:
        save(manifest_text(packed), manifest)
    if output.as_json or explain:
        body = {} if out is not None else {"text": packed.text}
        output.show(packed, lambda each: [_manifest(each)], values=lambda each: manifest_of(each) | body)
    elif out is None:
        sys.stdout.write(_for_output(packed.text))
    if not output.as_json:
        typer.echo(_summary(packed), err=True)


def _for_output(text: str) -> str:
    """The pack unchanged for programs; for a terminal without control characters."""
    from paragone.domain.text import harmless

    return harmless(text) if sys.stdout.isatty() else text


def _manifest(packed: "Pack") -> Table[Any]:
    return table(
        packed.manifest,
        text("form", lambda row: row.form),
        number("tokens", lambda row: row.tokens),
        text("tier", lambda row: row.tier),
        text("path", lambda row: row.path),
        text("reason", lambda row: row.reason),
    )


def _summary(packed: "Pack") -> str:
    full, signatures, pointers, excluded = packed.counts.values()
    forms = f"{full:,} whole, {signatures:,} as signatures, {pointers:,} as pointers, {excluded:,} left out"
    budget = "" if packed.budget is None else f" of {packed.budget:,}"
    saving = f"{packed.saving:.1%}" if packed.saving > 0.0 else "no"
    return f"{packed.tokens:,} tokens{budget}, {saving} less than all files whole ({packed.full_tokens:,}): {forms}"
