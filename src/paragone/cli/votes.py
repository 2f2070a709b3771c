"""``paragone fit`` and ``paragone import``: comparisons that were made elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import argument, like, option
from paragone.cli.terminal import import_progress, progress_bar
from paragone.domain import Aim, Goal, RatingConfig
from paragone.domain.text import counted, visible
from paragone.errors import InvalidConfig
from paragone.intake.vote import VoteOptions

if TYPE_CHECKING:
    from paragone.domain import Board
    from paragone.tournaments.fit_extras import FitExtras
    from paragone.tournaments.vote_import import ImportResult

_RATING = RatingConfig()
_WRITTEN = ("plot", "site")
"""Options of a fit that need nothing of single votes."""
FILE = "A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file of comparisons, or a log of another tool."


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """How a file of votes is read."""

    a: Annotated[str | None, like(VoteOptions, "a", "--a", metavar="NAME")] = None
    b: Annotated[str | None, like(VoteOptions, "b", "--b", metavar="NAME")] = None
    winner: Annotated[str | None, like(VoteOptions, "winner", "--winner", metavar="NAME")] = None
    loser: Annotated[str | None, like(VoteOptions, "loser", "--loser", metavar="NAME")] = None
    draw: Annotated[str | None, like(VoteOptions, "draw", "--draw", metavar="NAME")] = None
    weight: Annotated[str | None, like(VoteOptions, "weight", "--weight", metavar="NAME")] = None
    judge: Annotated[str | None, like(VoteOptions, "judge", "--judge", metavar="NAME")] = None
    no_judge: Annotated[bool, option("Ignore a column called judge.")] = False
    position: Annotated[bool, like(VoteOptions, "position", "--position/--no-position")] = False
    repeats: Annotated[bool | None, like(VoteOptions, "repeats", "--repeats/--no-repeats")] = None
    strict: Annotated[bool, like(VoteOptions, "strict", "--strict")] = False
    form: Annotated[str | None, like(VoteOptions, "form", "--from", metavar="FORMAT")] = None
    encoding: options.Encoding = None

    def read_as(self, *, plain: bool = False, l2: float = 0.0) -> VoteOptions:
        """How the file is read.

        Raises:
            InvalidConfig: If options contradict each other.
        """
        if self.no_judge and self.judge is not None:
            raise InvalidConfig("--judge and --no-judge exclude each other")
        return VoteOptions(
            a=self.a,
            b=self.b,
            winner=self.winner,
            loser=self.loser,
            draw=self.draw,
            weight=self.weight,
            judge=False if self.no_judge else self.judge,
            position=self.position,
            repeats=self.repeats,
            strict=self.strict,
            encoding=self.encoding,
            form=self.form,
            plain=plain,
            l2=l2,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Extras(options.SideOptions):
    """What is read beside votes, and shown beside the ranking."""

    items: Annotated[Path | None, option("The items' own table with their ids, for --use and --adjust-for.")] = None
    by: Annotated[
        str | None,
        option("A board for each slice of the votes: the column that cuts them, such as category.", metavar="COLUMN"),
    ] = None
    win_rates: Annotated[bool, option("Also show how often each item beat each other.")] = False
    plot: Annotated[
        Path | None,
        option("Draw ratings, slices and win rates: .svg, or .html with the board above.", metavar="FILE"),
    ] = None
    site: Annotated[
        Path | None,
        option("Write a folder of pages that opens without a server: all votes, and each slice.", metavar="FOLDER"),
    ] = None

    def check(self) -> None:
        """Refuse what could not be written, before anything is computed."""
        from paragone.presenting.board_files import check_plots
        from paragone.presenting.board_page import check_site

        if self.plot is not None:
            check_plots(self.plot)
        if self.site is not None:
            check_site(self.site)

    def write(self, board: "Board") -> None:
        """Write plots and site, as far as asked for."""
        from paragone.presenting.board_files import write_plots
        from paragone.presenting.board_page import write_site

        if self.plot is not None:
            write_plots(board, self.plot)
        if self.site is not None:
            pages = write_site(board, self.site)
            typer.echo(f"{counted(len(pages), 'page')}; open {visible(str(pages[0]))}", err=True)

    def read(self) -> "FitExtras":
        """The same for a fit."""
        from paragone.tournaments.fit_extras import FitExtras

        return FitExtras(
            gold=self.gold,
            suggest_gold=self.suggest_gold,
            prior=self.prior,
            items=self.items,
            use=self.used,
            reviews=self.reviews,
            adjust_for=self.adjusted,
            by=self.by,
            win_rates=self.win_rates,
        )

    def refuse_counted(self) -> None:
        """Refuse what takes votes one by one where they are only counted.

        Raises:
            InvalidConfig: Naming the option.
        """
        for field in fields(self):
            if field.name not in _WRITTEN and getattr(self, field.name):
                name = f"--{field.name.replace('_', '-')}"
                raise InvalidConfig(
                    f"votes of several files, or with --on, are counted without regard to who answered what, and "
                    f"{name} needs that: put them into one file and leave --on out, or leave {name} out"
                )


def fit(
    files: Annotated[
        list[Path],
        argument(
            f"{FILE} Several are counted side by side, whatever their size, as votes without order.", metavar="FILE..."
        ),
    ],
    votes: Reading,
    output: options.Output,
    extras: Extras,
    on: Annotated[
        str | None,
        option(
            "Count files and fit replicates on all processors (local), or on a Dask cluster (tcp://...).",
            metavar="PLACE",
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        option(
            "Draw the votes anew so many times, for bootstrap intervals beside the posterior's.", metavar="N", min=0
        ),
    ] = 0,
    plain: Annotated[bool, like(VoteOptions, "plain", "--plain")] = False,
    l2: Annotated[float, like(VoteOptions, "l2", "--l2", metavar="PENALTY")] = 0.0,
    top: Annotated[int | None, option("Forecast the top K.", min=1, metavar="K")] = None,
    seed: Annotated[int, option("Seeds the draws for the rank intervals.", min=0)] = 0,
    k: Annotated[float, like(RatingConfig, "k", "--k", metavar="K")] = _RATING.k,
    initial: Annotated[float, like(RatingConfig, "initial", metavar="POINTS")] = _RATING.initial,
    advantage: Annotated[
        float, option("Advantage of side a in the running Elo, such as at home.", metavar="POINTS")
    ] = 0.0,
    by_elo: options.ByElo = False,
    methods: Annotated[
        str | None,
        option(
            "Rank by several methods side by side, with commas, or all: bt, elo, winrate, pagerank, eigenvector, "
            "newman, glicko2, trueskill, openskill.",
            metavar="NAMES",
        ),
    ] = None,
    out: options.BoardFile = None,
    rows: options.Rows = None,
) -> None:
    """Rank recorded comparisons: ratings and ranks with intervals. No judge is asked and nothing is stored."""
    if methods is not None:
        _refuse_beside_methods(files, on=on, bootstrap=bootstrap, by_elo=by_elo, advantage=advantage, out=out)
        read = votes.read_as(plain=plain, l2=l2)
        _show_methods(files, methods, read, extras, output, seed, RatingConfig(initial=initial, k=k), rows)
        return
    from paragone.cli.board import show_board
    from paragone.intake.log_formats import log_format
    from paragone.presenting.board_files import check, write
    from paragone.tournaments.recorded_votes import fit as fit_votes
    from paragone.tournaments.recorded_votes import fit_shards

    if out is not None:
        check(out)
    extras.check()
    goal = Goal() if top is None else Goal(aim=Aim.TOP, k=top)
    with progress_bar("reading votes", quiet=False) as show:
        ranked: Callable[..., Board]
        meets = len(files) == 1 or log_format(files, votes.form) is not None  # such as models in logs of one each
        if meets and (on is None or bootstrap):
            source = files[0] if len(files) == 1 else files
            ranked = partial(fit_votes, source, advantage=advantage, by_elo=by_elo, extras=extras.read())
        else:
            _refuse_elo(by_elo=by_elo, advantage=advantage)
            extras.refuse_counted()
            ranked = partial(fit_shards, files, on_counted=partial(show, words="counting votes"))
        board = ranked(
            options=votes.read_as(plain=plain, l2=l2),
            goal=goal,
            seed=seed,
            config=RatingConfig(initial=initial, k=k),
            bootstrap=bootstrap,
            on=on,
            on_replicate=partial(show, words="fitting replicates"),
        )
    for note in board.notes:
        typer.echo(visible(note), err=True)
    if out is not None:
        write(board, out)
    extras.write(board)
    show_board(board, as_json=output.as_json, rows=rows)


def _refuse_beside_methods(files: list[Path], **others: object) -> None:
    if len(files) > 1:
        raise InvalidConfig("--methods takes one file: votes of several are counted, and have no order of play")
    for name, value in others.items():
        if value:
            raise InvalidConfig(f"--methods prints scores side by side; leave --{name.replace('_', '-')} out")


def _show_methods(
    files: list[Path],
    names: str,
    read: VoteOptions,
    extras: Extras,
    output: options.Output,
    seed: int,
    config: RatingConfig,
    rows: int | None,
) -> None:
    from paragone.presenting.method_comparison import compared
    from paragone.tournaments.method_comparison import METHODS, fit_methods

    methods = METHODS if names == "all" else tuple(name.strip() for name in names.split(","))
    beside: dict[str, Any] = {"items": extras.items, "use": extras.used, "adjust_for": extras.adjusted}
    beside |= {"gold": extras.gold, "prior": extras.prior}
    comparison = fit_methods(
        files[0], methods, options=read, seed=seed, config=config, **{k: v for k, v in beside.items() if v}
    )
    for note in comparison.notes:
        typer.echo(visible(note), err=True)
    output.show(comparison, lambda each: compared(each, rows))


def _refuse_elo(*, by_elo: bool, advantage: float) -> None:
    if by_elo or advantage:
        option = "--by-elo" if by_elo else "--advantage"
        raise InvalidConfig(
            f"votes that are counted have no order, and so no running Elo; leave out {option}, or fit one file"
        )


def import_file(
    file: Annotated[Path, argument(FILE)],
    votes: Reading,
    output: options.Output,
    into: Annotated[
        str | None, option("The tournament, by id or name.  [default: the file's name]", metavar="NAME")
    ] = None,
    db: options.Database = None,
    quiet: options.Quiet = False,
) -> None:
    """Record comparisons from a file in a ledger. To continue an interrupted import, repeat it."""
    from paragone.errors import UsageError
    from paragone.intake.votes import VoteFile
    from paragone.tournaments.vote_import import import_votes

    states: list[ImportResult] = []
    try:
        with import_progress(VoteFile(source=file).count, states, quiet=quiet) as observer:
            imported = import_votes(file, db=options.db_url(db), into=into, options=votes.read_as(), observer=observer)
    except (UsageError, KeyboardInterrupt) as error:
        if states:
            repair = "repair the file and import it again" if isinstance(error, UsageError) else "import it again"
            typer.echo(f"{_recorded(states[-1])}; {repair} to continue", err=True)
        raise
    for note in () if quiet else imported.notes:
        typer.echo(visible(note), err=True)
    output.say(imported, _sentence(imported))


def _recorded(imported: "ImportResult") -> str:
    skipped = f", {imported.skipped:,} of them skipped," if imported.skipped else ""
    return f"{imported.rows:,} rows of {imported.file}{skipped} are in {imported.tournament}"


def _sentence(imported: "ImportResult") -> str:
    if not imported.added:
        return f"nothing to do: all {_recorded(imported)} already"
    new = "" if imported.added == imported.rows else f", {imported.added:,} of them new"
    return f"{_recorded(imported)}{new}; see the board with: paragone board {imported.tournament}"
