"""``paragone fit``: rank comparisons that were recorded elsewhere."""

import sys
from typing import Annotated

import typer

from paragone.cli import options, vote_options


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(fit)


def fit(
    file: vote_options.File,
    a: vote_options.SideA = None,
    b: vote_options.SideB = None,
    winner: vote_options.Winner = None,
    loser: vote_options.Loser = None,
    draw: vote_options.Draw = None,
    weight: vote_options.Weight = None,
    judge: vote_options.Judge = None,
    no_judge: vote_options.NoJudge = False,
    position: vote_options.Position = False,
    repeats: vote_options.Repeats = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain Bradley-Terry: strengths alone, a tie half a win for each side.")
    ] = False,
    l2: Annotated[
        float,
        typer.Option("--l2", metavar="PENALTY", help="With --plain: penalty on squared strengths; 0 is none."),
    ] = 0.0,
    strict: vote_options.Strict = False,
    encoding: options.Encoding = None,
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
    from paragone.presenting.board_files import as_json as board_as_json
    from paragone.presenting.board_files import check, write
    from paragone.tournaments.recorded_votes import fit as fit_votes

    if out is not None:
        check(out)
    goal = Goal() if top is None else Goal(aim=Aim.TOP, k=top)
    chosen = vote_options.vote_options(
        a=a,
        b=b,
        winner=winner,
        loser=loser,
        draw=draw,
        weight=weight,
        judge=judge,
        no_judge=no_judge,
        position=position,
        repeats=repeats,
        strict=strict,
        encoding=encoding,
        plain=plain,
        l2=l2,
    )
    board = fit_votes(
        file,
        options=chosen,
        goal=goal,
        seed=seed,
        config=RatingConfig(initial=initial, k=k),
        advantage=advantage,
        by_elo=by_elo,
    )
    vote_options.print_notes(board.notes)
    if out is not None:
        write(board, out)
    if as_json:
        sys.stdout.write(board_as_json(board))
    else:
        print_board(board, rows=rows)
