"""Ctrl-C where nothing listens for it: what is kept, in words."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

NOTHING = "nothing was asked and nothing was written"
AS_IT_WAS = "nothing was asked, and the tournament is as it was"


@contextmanager
def interruptible(kept: str) -> Iterator[None]:
    """Leave with the exit code of an interrupt, and say what is kept.

    Args:
        kept: What is, or that nothing is.
    """
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"paragone: interrupted; {kept}", err=True)
        raise typer.Exit(130) from None
