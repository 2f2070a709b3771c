"""A run at the terminal: what it will take, the live board, Ctrl-C, and the exit."""

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from paragone.cli.board import board_table, show_board, write_board
from paragone.cli.options import Judging, RunOptions, Stored
from paragone.cli.tables import plain, show
from paragone.cli.terminal import gap, interruptible, note, notice, print_json
from paragone.domain import PAIRED
from paragone.domain.text import visible
from paragone.errors import InvalidConfig
from paragone.intake import identical_texts
from paragone.judges.availability import remotes_of
from paragone.judges.call_options import CallOptions
from paragone.ledger import without_password
from paragone.settings import environment, settings
from paragone.tournaments.blocking import synchronously
from paragone.tournaments.planning.estimate import estimate
from paragone.tournaments.running.control import Observer, Progress, unobserved
from paragone.tournaments.running.delegation import WORKERS_PREFIX
from paragone.tournaments.running.participants import as_judge
from paragone.tournaments.tournament import Tournament
from paragone.tracing.sending import sending

if TYPE_CHECKING:
    from paragone.tournaments.running.participants import AnyJudge

Work = Callable[[Tournament, Observer, CallOptions], object]
"""What a run does: play, or do tasks."""
LIVE_ROWS = 20
_NAMED = 5
LINE_INTERVAL = 10.0
"""Seconds between lines of progress where the output is not a terminal."""


def judge_spec(spec: str | None) -> str:
    """The judge's spec, from the option or the settings.

    Raises:
        InvalidConfig: If neither names one.
    """
    spec = spec or settings().judge
    if spec is None:
        raise InvalidConfig("no judge: give --judge SPEC or set PARAGONE_JUDGE; `paragone judges` lists them")
    return spec


def chosen_judge(judge: str, url: str, judging: Judging | None = None) -> "AnyJudge":
    """The judge of a new tournament: its spec, or the one that workers ask."""
    if judging is not None and judging.workers:
        return _workers_judge(judge, "", url, judging)
    if not judge.startswith(WORKERS_PREFIX):
        return judge
    from paragone.workers.running import judge_of_workers, name_of

    return judge_of_workers(url, name_of(judge, ""), notice)


def _workers_judge(judge: str | None, recorded: str, url: str, judging: Judging) -> "AnyJudge":
    """The judge that workers have by a name, or that processes of this machine ask by its spec."""
    from paragone.workers.running import is_shared, judge_of_workers, name_of

    if is_shared(url):
        return judge_of_workers(url, name_of(judge, recorded), notice)
    from paragone.workers.local import judge_of_processes

    processes = judging.processes or os.cpu_count() or 1
    return judge_of_processes(url, judge or recorded, processes=processes, concurrency=judging.pace().concurrency)


@contextmanager
def opened(stored: Stored, run: RunOptions, *, judge: str | None, advocate: str | None = None) -> Iterator[Tournament]:
    """A tournament on record, with its judge or the one that workers have."""
    if not run.workers:
        with stored.opened(judge=judge, advocate=advocate) as tournament:
            yield tournament
        return
    with stored.opened(advocate=advocate) as tournament:
        opened_judge = _workers_judge(judge, tournament.state.settings.judge, stored.url, run)
        tournament.judge = as_judge(opened_judge, tournament.state.settings)
        yield tournament


def plan_for_workers(tournament: Tournament, observer: Observer, pace: CallOptions) -> None:
    """Plan while workers judge, or stand by while somebody else does."""
    from paragone.workers.running import calls_in_flight, plan_or_stand_by

    if tournament.ledger.file is None:
        pace = replace(pace, concurrency=calls_in_flight(tournament.ledger, pace))
    synchronously(plan_or_stand_by(tournament, observer, pace, say=notice))


def play_rounds(tournament: Tournament, observer: Observer, pace: CallOptions) -> None:
    """Play until the tournament stops."""
    tournament.run(observer, pace)


def do_tasks(*, serve: bool) -> Work:
    """Do the queued tasks; with ``serve`` also those that come, until interrupted."""

    def work(tournament: Tournament, observer: Observer, pace: CallOptions) -> None:
        from paragone.tournaments.agent import RankingAgent

        agent = RankingAgent(tournament, pace=pace, observer=observer)
        synchronously(agent.serve() if serve else agent.run())

    return work


def play(
    tournament: Tournament, run: RunOptions, pace: CallOptions, *, work: Work = play_rounds, suggest_gold: int = 0
) -> None:
    """Play the tournament, print and write its board, and exit with the code that fits.

    Exit code 0 when it is finished or did what was asked of it, 1 when the judge failed, 2 when its first answer was
    that the key or the model's name is wrong, 130 when it was interrupted.
    """
    with interruptible(f"every answer so far is recorded; {_resume_hint(tournament)}"):
        do(tournament, plan_for_workers if run.workers and work is play_rounds else work, pace, quiet=run.quiet)
        if tournament.state.settings.paired is None:
            _show_board(tournament, run, suggest_gold)
        else:
            _show_comparison(tournament, run)
    exit_with(tournament)


def _show_board(tournament: Tournament, run: RunOptions, suggest_gold: int) -> None:
    """Write the board where that is asked for; then print it, whose reader may go before the end."""
    board = tournament.board(suggest_gold=suggest_gold)
    if not run.as_json and tournament.stop is not None and tournament.stop.failed and not tournament.state.played:
        exit_with(tournament)  # there is nothing to show
    write_board(board, run.out)
    if not (run.as_json or run.quiet):
        gap()
    show_board(board, as_json=run.as_json, rows=run.rows)


def _show_comparison(tournament: Tournament, run: RunOptions) -> None:
    """Print the result of a comparison of two systems, which a board of their outputs does not show."""
    from paragone.presenting.paired_comparison import report
    from paragone.tournaments.paired_comparison import result_of

    result = result_of(tournament)
    if run.out is not None:
        write_board(tournament.board(), run.out)
    if run.as_json:
        print_json(result.as_dict())
    else:
        if not run.quiet:
            gap()
        show(*report(result))


def do(tournament: Tournament, work: Work, pace: CallOptions, *, quiet: bool) -> None:
    """Do the work of a run, after saying what it will take; its progress is shown, and Ctrl-C stops it.

    What a judge prints goes to standard error, since standard output is the result's, such as JSON.
    """
    with redirect_stdout(sys.stderr):
        forecast = "" if quiet else _announce(tournament)
        traces = sending("", environment(), lambda text: typer.echo(text, err=True))
        with traces, _interrupts(tournament), watch(tournament, quiet=quiet, forecast=forecast) as observer:
            work(tournament, observer, pace)


def _announce(tournament: Tournament) -> str:
    """Print what the run will take; for models, return it instead, to be printed after the first answer."""
    is_paired = tournament.state.settings.pairing == PAIRED  # other questions may have the same answer
    same = () if is_paired else identical_texts(tournament.state.items)
    if same:
        notice(f"note: the same text: {_few([_few(ids, ', ') for ids in same], '; ')}")
    judge = tournament.open_judge()
    judges = {comparison.verdict.judge for comparison in tournament.state.comparisons}
    if judges and judges.isdisjoint(judge.card.identities):
        notice(f"note: the judge has changed; until now it was {', '.join(sorted(judges))}")
    spent = tournament.ledger.tournaments.spending(tournament.state.id)
    expected = estimate(tournament.state, judge, spent, tournament.open_advocate())
    if not expected.expected.decisions or not remotes_of(judge, tournament.open_advocate()):
        notice(expected.sentence())
        return ""
    notice(f"asking {judge.card.identity} one question first")
    return expected.sentence()


def _few(names: Sequence[str], between: str) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _NAMED
    return between.join(names[:_NAMED]) + (f"{between}and {more:,} more" if more > 0 else "")


def exit_with(tournament: Tournament) -> None:
    """Say why a run stopped, and exit with the code that fits, unless it is finished or paused."""
    stop = tournament.stop
    if stop is None or stop.finished:
        return
    if stop.paused:
        notice(_resume_hint(tournament))  # the reason is printed below the board
        return
    notice(f"paragone: {visible(stop.reason)}")
    if stop.failed and stop.hint:
        notice(visible(stop.hint))
    notice(f"Nothing is lost; {_resume_hint(tournament)}")
    raise typer.Exit((2 if stop.misuse else 1) if stop.failed else 130)


def _resume_hint(tournament: Tournament) -> str:
    command = "resume" if tournament.state.settings.system is None else "tournament run"
    return f"continue with: paragone {command} {tournament.state.id}{db_option(tournament)}"


def db_option(tournament: Tournament) -> str:
    """The option that names the ledger, where it has to be named."""
    return "" if tournament.db == without_password(settings().db) else f" --db {shlex.quote(tournament.db)}"


@contextmanager
def _interrupts(tournament: Tournament) -> Iterator[None]:
    """The first Ctrl-C waits for the answers under way; the second exits at once."""
    gate, at_terminal = tournament.gate, tournament.open_judge().card.interactive

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if gate.abandoned:
            raise KeyboardInterrupt
        if gate.closed or at_terminal:
            gate.abandon()
            return
        gate.close("interrupted")
        typer.echo("\nStopping: waiting for the answers under way; Ctrl-C again exits at once.", err=True)

    handlers = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def watch(tournament: Tournament, *, quiet: bool, forecast: str = "") -> Iterator[Observer]:
    """An observer that shows progress on standard error: a live board on a terminal, else lines.

    Args:
        tournament: The tournament.
        quiet: Whether to show nothing.
        forecast: What the run will take, to be printed with what the first answer shows of the model.
    """
    console = Console(stderr=True)
    if quiet or tournament.open_judge().card.interactive:
        yield unobserved
    elif console.is_terminal:
        notes: tuple[str, ...] = ()
        with Live(console=console, refresh_per_second=8, transient=True) as live:
            announce = _announcing(console, forecast)

            def observe(progress: Progress) -> None:
                nonlocal notes
                notes = progress.notes
                announce(progress)
                live.update(picture(progress, console.height, console.width))

            yield observe
        note(*notes)  # they went with the live board
    else:
        yield _lines(console, forecast)


def _announcing(console: Console, forecast: str) -> Observer:
    """Prints the forecast and what the first answer shows of the model; then a line for each further model."""
    printed, pending = 0, forecast

    def observe(progress: Progress) -> None:
        nonlocal printed, pending
        fresh = progress.discovered[printed:]
        printed = len(progress.discovered)
        if pending and (fresh or progress.done):
            model = "".join(f"; {discovery.words}" for discovery in fresh[:1])
            console.print(plain(f"{pending}{model}"), soft_wrap=True)
            fresh, pending = fresh[1:], ""
        for discovery in fresh:
            console.print(plain(f"{discovery.who}: {discovery.words}"), soft_wrap=True)

    return observe


def picture(progress: Progress, height: int, width: int) -> Group:
    """The board so far, above a line of progress."""
    parts: list[Table | ProgressBar | Text] = []
    if progress.board is not None:
        parts.append(board_table(progress.board, rows=max(3, min(LIVE_ROWS, height - 8)), width=width))
    bar = Table.grid(padding=(0, 1))
    bar.add_row(ProgressBar(total=progress.most, completed=progress.done, width=30), Text(sentence(progress)))
    parts.append(bar)
    parts.extend(map(plain, progress.notes))
    return Group(*parts)


def sentence(progress: Progress) -> str:
    """The progress of a run, in one line."""
    parts = [f"{progress.unit} {progress.round}", f"of at most {progress.most:,}: {progress.spending.sentence()}"]
    if progress.rate > 0:
        parts.append(f"{progress.rate:.1f}/s")
    if progress.seconds_left is not None:
        parts.append(f"at most {_clock(progress.seconds_left)} left")
    if progress.waiting:
        parts.append(progress.waiting)
    return ", ".join(parts)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _lines(console: Console, forecast: str) -> Observer:
    """Prints a line now and then, for logs; each note at once, and once."""
    last, printed = time.monotonic(), 0
    announce = _announcing(console, forecast)

    def observe(progress: Progress) -> None:
        nonlocal last, printed
        announce(progress)
        for words in progress.notes[printed:]:
            console.print(plain(f"note: {words}"), soft_wrap=True)
        printed = len(progress.notes)
        if time.monotonic() - last >= LINE_INTERVAL:
            last = time.monotonic()
            console.print(plain(sentence(progress)), soft_wrap=True)

    return observe
