"""``paragone fit`` and ``paragone import``: comparisons that were made elsewhere."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import argument, fields_of, like, option
from paragone.cli.terminal import import_progress, progress_bar
from paragone.domain import Aim, Goal, RatingConfig
from paragone.domain.text import counted, visible
from paragone.errors import InvalidConfig
from paragone.intake.vote import VoteOptions, refuse_repeated
from paragone.wire.value import shallow

if TYPE_CHECKING:
    from paragone.domain import Board
    from paragone.tournaments.fit_extras import FitExtras
    from paragone.tournaments.vote_import import ImportResult

_WRITTEN = ("plot", "site")
"""Options of a fit that need nothing of single votes."""
FILE = "A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file of comparisons, a log of a tool, or - for standard input."
_FIELDS = (
    *("a", "b", "winner", "loser", "codes", "draw", "weight", "judge"),
    *("position", "repeats", "strict", "form", "encoding"),
)
_READING = partial(
    fields_of,
    VoteOptions,
    position=like(VoteOptions, "position", "--position/--no-position"),
    repeats=like(VoteOptions, "repeats", "--repeats/--no-repeats"),
    codes=like(VoteOptions, "codes", "--codes", metavar="CODES"),
    form=like(VoteOptions, "form", "--from", metavar="FORMAT"),
    encoding=options.ENCODING,
    l2=like(VoteOptions, "l2", "--l2", metavar="PENALTY"),
)
Reading = Annotated[VoteOptions, _READING(*_FIELDS)]
"""How a file of votes is read."""
Fitting = Annotated[VoteOptions, _READING(*_FIELDS, "plain", "l2")]
"""How it is read, and what its votes are taken for."""
NoJudge = Annotated[bool, option("Ignore a column called judge.")]
RunningElo = Annotated[
    RatingConfig,
    fields_of(
        RatingConfig,
        k=like(RatingConfig, "k", metavar="K"),
        initial=like(RatingConfig, "initial", metavar="POINTS"),
    ),
]


def _read_as(votes: VoteOptions, no_judge: bool) -> VoteOptions:
    """How votes are read, without judges where that was asked for.

    Raises:
        InvalidConfig: If options contradict each other.
    """
    if no_judge and votes.judge is not None:
        raise InvalidConfig("--judge and --no-judge exclude each other")
    return replace(votes, judge=False) if no_judge else votes


@dataclass(frozen=True, kw_only=True, slots=True)
class Extras(options.SideOptions):
    """What is read beside votes, and shown beside the ranking."""

    items: Annotated[Path | None, option("The items' own table with their ids, for --use and --adjust-for.")] = None
    by: Annotated[
        str | None,
        option("Also rank each slice of the votes: the column to cut them by, such as category.", metavar="COLUMN"),
    ] = None
    win_rates: Annotated[bool, option("Also show how often each item beat each other.")] = False
    plot: Annotated[
        Path | None,
        option("Draw strengths, slices and win rates: .svg, .png, or .html with the board above.", metavar="FILE"),
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

    @property
    def read(self) -> dict[str, Any]:
        """What is read, as ``FitExtras`` has it."""
        own = {name: value for name, value in shallow(self).items() if name not in _WRITTEN}
        return own | {"use": self.used, "adjust_for": self.adjusted}

    def for_fit(self) -> "FitExtras":
        """The same for a fit."""
        from paragone.tournaments.fit_extras import FitExtras

        return FitExtras(**self.read)

    def refuse_counted(self) -> None:
        """Refuse what takes votes one by one where they are only counted.

        Raises:
            InvalidConfig: Naming the option.
        """
        for name in _names_of({name: value for name, value in shallow(self).items() if name not in _WRITTEN}):
            raise InvalidConfig(
                f"votes of several files, or with --on, are counted without regard to who answered what, and "
                f"{name} needs that: put them into one file and leave --on out, or leave {name} out"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteFitOptions:
    """How the ranking is fitted."""

    on: Annotated[
        str | None,
        option(
            "Count files and fit replicates on all processors (local), or on a Dask cluster (tcp://...).",
            metavar="PLACE",
        ),
    ] = None
    bootstrap: Annotated[
        int,
        option("Resample the votes N times, for bootstrap intervals beside the posterior's.", metavar="N", min=0),
    ] = 0
    top: Annotated[int | None, option("Forecast the top K.", min=1, metavar="K")] = None
    seed: Annotated[int, option("Seeds the draws for the rank intervals.", min=0)] = 0
    advantage: Annotated[
        float, option("Advantage of side a in the running Elo, such as at home.", metavar="POINTS")
    ] = 0.0
    by_elo: options.ByElo = False

    def board(self, files: list[Path], votes: VoteOptions, extras: Extras, config: RatingConfig) -> "Board":
        """The ranking; its progress is shown.

        Raises:
            UsageError: If the votes cannot be read, or options do not go together.
        """
        from paragone.tournaments import recorded_votes

        with progress_bar("reading votes", quiet=False) as show:
            terms: dict[str, Any] = {
                "options": votes,
                "goal": Goal() if self.top is None else Goal(aim=Aim.TOP, k=self.top),
                "seed": self.seed,
                "config": config,
                "bootstrap": self.bootstrap,
                "on": self.on,
                "on_replicate": partial(show, words="fitting replicates"),
            }
            if self._is_one_by_one(files, votes.form):
                source = files[0] if len(files) == 1 else files
                terms |= {"advantage": self.advantage, "by_elo": self.by_elo}
                return recorded_votes.fit(source, **terms, extras=extras.for_fit())
            self._refuse_elo(config)
            extras.refuse_counted()
            return recorded_votes.fit_shards(files, **terms, on_counted=partial(show, words="counting votes"))

    def _is_one_by_one(self, files: list[Path], form: str | None) -> bool:
        """Whether votes are read one by one; otherwise they are only counted."""
        from paragone.intake.tool_exports import export_format

        meets = len(files) == 1 or export_format(files, form) is not None  # such as models in logs of one each
        return meets and (self.on is None or self.bootstrap > 0)

    def _refuse_elo(self, config: RatingConfig) -> None:
        chosen = {"by_elo": self.by_elo, "advantage": self.advantage, "k": config.k != RatingConfig().k}
        for name in _names_of(chosen):
            raise InvalidConfig(
                f"votes that are counted have no order, and so no running Elo; leave out {name}, or fit one file"
            )


def _names_of(options: Mapping[str, object]) -> Iterator[str]:
    """The flags of those options that have a value."""
    return (f"--{name.replace('_', '-')}" for name, value in options.items() if value)


def fit(
    files: Annotated[
        list[Path],
        argument(
            f"{FILE} Several are counted side by side, whatever their size, as votes without order.", metavar="FILE"
        ),
    ],
    votes: Fitting,
    *,
    no_judge: NoJudge = False,
    output: options.Output,
    extras: Extras,
    how: VoteFitOptions,
    elo: RunningElo,
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
    from paragone.intake.standard_input import readable

    votes = _read_as(votes, no_judge)
    refuse_repeated(files)
    if methods is not None:
        _refuse_beside_methods(files, how, extras, out)
        _show_methods(readable(files[0]), methods, votes, extras, output, how.seed, elo, rows)
        return
    from paragone.cli.board import show_board, write_board

    if out is not None:
        from paragone.presenting.board_files import check  # loads what draws

        check(out)
    extras.check()
    board = how.board(list(map(readable, files)), votes, extras, elo)
    for note in board.notes:
        typer.echo(visible(note), err=True)
    write_board(board, out)
    extras.write(board)
    show_board(board, as_json=output.as_json, rows=rows)


_BESIDE_METHODS = frozenset({"items", "use", "adjust_for", "reviews", "gold", "prior", "seed"})
"""Options that a comparison of methods takes; all else is about a board."""


def _refuse_beside_methods(files: list[Path], how: VoteFitOptions, extras: Extras, out: Path | None) -> None:
    if len(files) > 1:
        raise InvalidConfig("--methods takes one file: votes of several are counted, and have no order of play")
    chosen = shallow(how) | shallow(extras) | {"out": out}
    for name in _names_of({name: value for name, value in chosen.items() if name not in _BESIDE_METHODS}):
        raise InvalidConfig(f"--methods prints scores side by side; leave {name} out")


def _show_methods(
    file: Path,
    names: str,
    votes: VoteOptions,
    extras: Extras,
    output: options.Output,
    seed: int,
    config: RatingConfig,
    rows: int | None,
) -> None:
    from paragone.presenting.method_comparison import compared
    from paragone.tournaments.method_comparison import METHODS, fit_methods

    methods = METHODS if names == "all" else tuple(name.strip() for name in names.split(","))
    beside = {name: value for name, value in extras.read.items() if name in _BESIDE_METHODS and value}
    comparison = fit_methods(file, methods, options=votes, seed=seed, config=config, **beside)
    for note in comparison.notes:
        typer.echo(visible(note), err=True)
    output.show(comparison, lambda each: compared(each, rows))


def import_file(
    file: Annotated[Path, argument(FILE)],
    votes: Reading,
    *,
    no_judge: NoJudge = False,
    output: options.Output,
    into: Annotated[
        str | None, option("The tournament, by id or name.  [default: the file's name]", metavar="NAME")
    ] = None,
    db: options.Database = None,
    quiet: options.Quiet = False,
) -> None:
    """Record comparisons from a file in a ledger. To continue an interrupted import, repeat it."""
    from paragone.intake.standard_input import readable
    from paragone.intake.votes import VoteFile
    from paragone.tournaments.vote_import import import_votes

    read_as, file = _read_as(votes, no_judge), readable(file)
    with import_progress(VoteFile(source=file).count, _recorded, quiet=quiet) as observer:
        imported = import_votes(file, db=options.db_url(db), into=into, options=read_as, observer=observer)
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
