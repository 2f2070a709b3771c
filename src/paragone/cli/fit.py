"""``paragone fit``: rank comparisons that were recorded elsewhere."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(fit)


def fit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .csv, .tsv, .jsonl, .json or .parquet file of comparisons.")
    ],
    a: Annotated[str | None, typer.Option("--a", metavar="NAME", help="Column of one side.")] = None,
    b: Annotated[str | None, typer.Option("--b", metavar="NAME", help="Column of the other side.")] = None,
    winner: Annotated[
        str | None,
        typer.Option(
            "--winner", metavar="NAME", help="Column of the result: a, b, tie, left, right, an id, or a score of a."
        ),
    ] = None,
    weight: Annotated[str | None, typer.Option("--weight", metavar="NAME", help="Column of weights.")] = None,
    judge: Annotated[str | None, typer.Option("--judge", metavar="NAME", help="Column that names who judged.")] = None,
    position: Annotated[
        bool, typer.Option("--position/--no-position", help="Fit a position term: side a was shown first.")
    ] = False,
    top: Annotated[int | None, typer.Option("--top", min=1, metavar="K", help="Forecast the top K.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds the draws behind the rank intervals.")] = 0,
    k: Annotated[float, typer.Option("--k", metavar="K", help="K factor of the running Elo.")] = 32.0,
    initial: Annotated[float, typer.Option(metavar="POINTS", help="Rating of an item that has not played.")] = 1200.0,
    advantage: Annotated[
        float,
        typer.Option(metavar="POINTS", help="Running Elo: what side a plays above its rating, such as at home."),
    ] = 0.0,
    by_elo: options.ByElo = False,
    as_json: options.Json = False,
    out: options.Out = None,
    rows: options.Rows = None,
) -> None:
    """Rank recorded comparisons: ratings and ranks with intervals, no judge, nothing stored."""
    from paragone.cli.show import print_board
    from paragone.domain import Aim, Goal, RatingConfig
    from paragone.tournaments.recorded_votes import fit as fit_votes
    from paragone.tournaments.results.publish import as_json as board_as_json
    from paragone.tournaments.results.publish import check, write

    if out is not None:
        check(out)
    goal = Goal() if top is None else Goal(aim=Aim.TOP, k=top)
    board = fit_votes(
        file,
        a=a,
        b=b,
        winner=winner,
        weight=weight,
        judge=judge,
        position=position,
        goal=goal,
        seed=seed,
        config=RatingConfig(initial=initial, k=k),
        advantage=advantage,
        by_elo=by_elo,
    )
    if out is not None:
        write(board, out)
    if as_json:
        sys.stdout.write(board_as_json(board))
    else:
        print_board(board, rows=rows)
