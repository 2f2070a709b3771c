"""Who judges what: the values for the command and the page."""

from paragone.domain.text import counted
from paragone.ledger import Ledger
from paragone.ledger.namespaces.remote_judging import DEAD_AFTER
from paragone.ledger.records import WorkerRecord
from paragone.wire.workers import JudgedTournament, WorkersOverview, WorkerStatus


def overview(ledger: Ledger) -> WorkersOverview:
    """The workers of a ledger, and the tournaments that they judge."""
    waiting = ledger.remote_judging.waiting()
    return WorkersOverview(
        workers=tuple(map(_status, ledger.remote_judging.workers())),
        tournaments=tuple(
            JudgedTournament(
                tournament=id, planner=planner, is_planned=ledger.tournaments.is_claimed(id), waiting=count
            )
            for id, (count, planner) in waiting.items()
        ),
    )


def _status(worker: WorkerRecord) -> WorkerStatus:
    state = "working" if worker.calls else "idle"
    return WorkerStatus.like(
        worker,
        id=worker.worker,
        state=state if worker.silence < DEAD_AFTER else "silent",
        silence=round(worker.silence, 1),
        questions=worker.calls,
        per_minute=round(60.0 * worker.answered / worker.uptime, 1) if worker.uptime > 1.0 else 0.0,
    )


def lines(overview: WorkersOverview) -> list[str]:
    """The same as lines of text."""
    texts = [_worker_line(worker) for worker in overview.workers]
    if not texts:
        texts = ["no worker is there; start one: paragone worker --judges FILE"]
    for each in overview.tournaments:
        by = f"planned by {each.planner}" if each.is_planned else "planned by nobody now"
        texts.append(f"{each.tournament}: {by}, {each.waiting} questions wait")
    return texts


def _worker_line(worker: WorkerStatus) -> str:
    state = f"silent for {worker.silence:g} s" if worker.state == "silent" else worker.state
    in_flight = f"{worker.questions} of {counted(worker.concurrency, 'call')} in flight"
    busy = "".join(f", {counted(count, 'question')} of {id}" for id, count in sorted(worker.tournaments.items()))
    return (
        f"process {worker.process} on {worker.host}: {state}, {in_flight}{busy}; "
        f"{', '.join(worker.judges)}; {worker.answered} answered ({worker.per_minute:g}/min), "
        f"{worker.failed} failed"
    )
