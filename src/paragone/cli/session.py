"""A run at the terminal: what it will take, the live board, Ctrl-C, and the way out."""

import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import typer

from paragone.cli.interruption import interruptible
from paragone.cli.live import watch
from paragone.cli.notices import gap, notice
from paragone.cli.show import print_board
from paragone.domain.text import visible
from paragone.errors import InvalidConfig
from paragone.intake import identical_texts
from paragone.judges.preflight import remotes_of
from paragone.ledger import without_password
from paragone.presenting.board_files import as_json as board_as_json
from paragone.presenting.board_files import write
from paragone.settings import environment, settings
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.planning.estimate import estimate
from paragone.tournaments.running.control import Pace
from paragone.tournaments.running.progress import Observer
from paragone.tournaments.tournament import Tournament, synchronously
from paragone.tracing.sending import sending

Work = Callable[[Tournament, Observer, Pace], object]
"""What a run does: play, or do tasks."""


def judge_for(spec: str | None) -> str:
    """The judge spec from the option or the environment.

    Raises:
        InvalidConfig: If neither names one.
    """
    found = spec or settings().judge
    if found is None:
        raise InvalidConfig("no judge: give --judge SPEC or set PARAGONE_JUDGE; `paragone judges` lists them")
    return found


def pace_for(concurrency: int | None, per_minute: float | None, timeout: float | None, attempts: int | None) -> Pace:
    """How calls are made, from the options and the environment."""
    common = settings()
    return Pace(
        concurrency=concurrency or common.concurrency,
        per_minute=per_minute,
        timeout=timeout or common.timeout,
        attempts=attempts or common.attempts,
        patience=common.patience,
        spool=common.spool,
    )


def playing(tournament: Tournament, observer: Observer, pace: Pace) -> None:
    """Play on."""
    tournament.run(observer, pace)


def doing_tasks(*, serve: bool) -> Work:
    """Do the tasks that wait, or for as long as nobody interrupts, those that come."""

    def work(tournament: Tournament, observer: Observer, pace: Pace) -> None:
        agent = RankingAgent(tournament, pace=pace, observer=observer)
        synchronously(agent.serve() if serve else agent.run())

    return work


def run(
    tournament: Tournament,
    pace: Pace,
    *,
    as_json: bool,
    out: Path | None,
    rows: int | None,
    quiet: bool,
    work: Work = playing,
) -> None:
    """Play the tournament, print and write its board, and leave with the exit code that fits.

    Exit code 0 when it is over or has done what was asked of it, 1 when the judge was out, 2 when its first answer was
    that the key or the model's name is wrong, 130 when it was interrupted.
    """
    with interruptible(f"every answer so far is kept; {_go_on(tournament)}"):
        opening = "" if quiet else _announce(tournament)
        traced = sending("", environment(), lambda words: typer.echo(words, err=True))
        with traced, _listening(tournament), watch(tournament, quiet=quiet, opening=opening) as observer:
            work(tournament, observer, pace)
        board = tournament.board()
        if as_json:
            sys.stdout.write(board_as_json(board))
        elif tournament.stop is not None and tournament.stop.failed and not tournament.state.played:
            _leave(tournament)  # there is nothing to show
        else:
            if not quiet:
                gap()
            print_board(board, rows=rows)
        if out is not None:
            write(board, out)
    _leave(tournament)


def _announce(tournament: Tournament) -> str:
    """Say what the run will take; of models, return the line instead, for when the first answer has shown the rest."""
    for ids in identical_texts(tournament.state.items):
        notice(f"note: {', '.join(ids)} have the same text")
    judge = tournament.known_judge()
    judges = {comparison.verdict.judge for comparison in tournament.state.comparisons}
    if judges and judges.isdisjoint(judge.card.identities):
        notice(f"note: the judge has changed; until now it was {', '.join(sorted(judges))}")
    before = tournament.ledger.tournaments.spending(tournament.state.id)
    expected = estimate(tournament.state, judge, before, tournament.known_advocate())
    if not remotes_of(judge, tournament.known_advocate()):
        notice(expected.sentence())
        return ""
    notice(f"asking {judge.card.identity} one question first")
    return expected.sentence()


def _leave(tournament: Tournament) -> None:
    stop = tournament.stop
    if stop is None or stop.finished:
        return
    go_on = _go_on(tournament)
    if stop.paused:
        notice(go_on)  # why it stopped is said below the board
        return
    notice(f"paragone: {visible(stop.reason)}")
    if stop.failed and stop.aside:
        notice(visible(stop.aside))
    notice(f"Nothing is lost; {go_on}")
    raise typer.Exit((2 if stop.misuse else 1) if stop.failed else 130)


def _go_on(tournament: Tournament) -> str:
    """How to go on with it, in words."""
    again = "resume" if tournament.state.brief.system is None else "tournament run"
    return f"go on with: paragone {again} {tournament.state.id}{where(tournament)}"


def where(tournament: Tournament) -> str:
    """The option that names the ledger, where it has to be named."""
    return "" if tournament.db == without_password(settings().db) else f" --db {shlex.quote(tournament.db)}"


@contextmanager
def _listening(tournament: Tournament) -> Iterator[None]:
    """Ctrl-C asks nothing more and waits for the answers under way; again, and it does not wait for them either."""
    gate, at_terminal = tournament.gate, tournament.known_judge().card.interactive

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if gate.abandoned:
            raise KeyboardInterrupt
        if gate.closed or at_terminal:
            gate.abandon()
            return
        gate.close("interrupted")
        typer.echo("\nStopping: waiting for the answers under way; Ctrl-C again leaves at once.", err=True)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
