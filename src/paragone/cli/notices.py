"""Sentences beside the results: what a run will take, how to go on, what went wrong."""

import shutil
import sys
import textwrap

import typer


def notice(text: str, *, err: bool = True) -> None:
    """Say something, on standard error unless told otherwise; on a terminal its lines end between words.

    Args:
        text: What is said; its own line breaks are kept.
        err: Whether it is no result: results go to standard output.
    """
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        width = max(20, shutil.get_terminal_size().columns)
        wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(map(wrapper.fill, text.split("\n")))
    typer.echo(text, err=err)


def gap() -> None:
    """An empty line between notices and the result below them, where both are seen on one terminal."""
    if sys.stderr.isatty() and sys.stdout.isatty():
        typer.echo(err=True)
