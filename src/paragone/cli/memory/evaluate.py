"""``paragone memory evaluate``: which model foretells best what sessions use."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.cli.memory.progress import waiting

if TYPE_CHECKING:
    from paragone.analysis.content.prequential import Estimate, ModelScore
    from paragone.memory.learning import Evaluation

_COLUMNS = ("model", "MRR", "95 %", "first", "recall@5", "recall@10", "log loss", "lead", "95 % of lead")


class Source(StrEnum):
    """Whose sessions."""

    ALL = "all"
    GIT = "git"
    AGENTS = "agents"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evaluate)


def evaluate(
    source: Annotated[Source, typer.Option("--source", help="Whose sessions count.")] = Source.ALL,
    first: Annotated[
        int, typer.Option("--first", min=0, metavar="N", help="Learn from so many sessions before measuring.")
    ] = 0,
    max_files: Annotated[
        int | None,
        typer.Option("--max-files", min=1, metavar="N", help="Do not measure sessions that used more files."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Draws the sessions of the intervals.")] = 0,
    choose: Annotated[
        bool, typer.Option("--choose", help="Write what is best into memory.toml, where that is clear.")
    ] = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Foretell each session before learning from it, by every model, and say which rating to rank by."""
    from paragone.memory.learning import choose as write
    from paragone.memory.learning import evaluate as measure

    with opening.opened(root, store) as memory:
        own = memory.parts.store
        with waiting("foretelling each session"):
            found = measure(own, source=source.value, first=first, largest=max_files, seed=seed)
        changed = choose and found.choose is not None and found.choose != found.rank_by
        if changed and found.choose is not None:
            write(own, found.choose)
    if as_json:
        print_json(_values(found, changed=changed))
        return
    _print(found)
    if changed:
        typer.echo(f'memory.toml now says rank_by = "{found.choose}"')
        return
    typer.echo(found.advice)
    if choose:
        typer.echo("memory.toml stays as it is")


def _values(found: "Evaluation", *, changed: bool) -> dict[str, Any]:
    from paragone.memory.store.instant import as_iso

    times = {name: None if time is None else as_iso(time) for name, time in _times(found)}
    return asdict(found) | times | {"changed": changed}


def _times(found: "Evaluation") -> tuple[tuple[str, float | None], ...]:
    return ("begins", found.begins), ("ends", found.ends)


def _print(found: "Evaluation") -> None:
    from paragone.cli.show import print_table
    from paragone.domain.text import counted

    if found.models:
        print_table(_COLUMNS, [_row(one) for one in found.models], right=frozenset(_COLUMNS[1:]))
        typer.echo(
            f"\n{counted(found.sessions, 'session')} measured, {counted(found.files, 'use')} of files, each among "
            f"{found.candidates:.0f} on average; {counted(found.unmeasured, 'session')} not measured"
        )
        typer.echo("MRR: mean over files used of 1/rank; first: mean over sessions of 1/rank of the best ranked")
        typer.echo("log loss: mean of -ln P of a file used, in nats; lead: of MRR over the running Elo as configured")
        if _elos_agree(found):
            typer.echo("no session searched: there both kinds of Elo are one")


def _elos_agree(found: "Evaluation") -> bool:
    from paragone.memory.learning.foretelling import LITERAL, ZERO_SUM

    by_name = {one.model: one.mrr for one in found.models}
    return by_name[LITERAL] == by_name[ZERO_SUM]


def _row(one: "ModelScore") -> tuple[str, ...]:
    return (
        one.model,
        f"{one.mrr.value:.3f}",
        _interval(one.mrr),
        f"{one.first_mrr.value:.3f}",
        f"{one.recall_at_5.value:.3f}",
        f"{one.recall_at_10.value:.3f}",
        f"{one.log_loss.value:.2f}",
        f"{one.lead.value:+.3f}",
        _interval(one.lead, "+"),
    )


def _interval(one: "Estimate", sign: str = "") -> str:
    return f"{one.low:{sign}.3f} to {one.high:{sign}.3f}"
