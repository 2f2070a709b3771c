"""Rankings that run while a server serves: a thread each, asking a listed judge, or whoever calls the tools."""

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock, Thread

from paragone.domain import Question, Verdict
from paragone.errors import Busy, NotFound, ParagoneError
from paragone.judges import JudgeCard
from paragone.judges.call_options import CallOptions
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import OBJECT_PREFIX
from paragone.workers.judge_list import JudgeList, ListedJudge, require_listed

logger = logging.getLogger(__name__)

CALLER = "mcp caller"
"""Identity of the judge that is whoever calls the tools."""
ENDED = "the server ended"
"""Why a ranking stops that goes on when a server serves again."""
AT_ONCE = 4
"""Pairs that may be out at once."""
MOST_RUNNING = 8
_WAIT, _LOOK = 10.0, 0.02
"""Seconds that a call waits for the next pair to be planned, and between two looks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pending:
    question: Question
    answer: "Future[Verdict]"


class CallerJudge:
    """Whoever calls the tools: a question waits until somebody takes it and answers.

    Attributes:
        card: No time limit holds for it, as for people.
    """

    def __init__(self) -> None:
        self.card = JudgeCard(identity=CALLER, sends=False, concurrency=AT_ONCE, interactive=True)
        self._waiting: dict[str, _Pending] = {}
        self._lock = Lock()

    async def compare(self, question: Question) -> Verdict:
        """The answer, when it is given."""
        pair = secrets.token_urlsafe(12)
        pending = _Pending(question=question, answer=Future())
        with self._lock:
            self._waiting[pair] = pending
        try:
            return await asyncio.wrap_future(pending.answer)
        finally:
            with self._lock:
                self._waiting.pop(pair, None)

    def price(self, question: Question) -> float:  # noqa: ARG002 - as all judges
        """Nothing."""
        return 0.0

    async def close(self) -> None:
        """Nothing is open."""

    def next(self) -> tuple[str, Question] | None:
        """The question that waits longest; the same until it is answered."""
        with self._lock:
            return next(((pair, pending.question) for pair, pending in self._waiting.items()), None)

    def answer(self, pair: str, verdict: Verdict) -> None:
        """Answer a question.

        Raises:
            NotFound: If it does not wait: it was answered, or the server has begun anew since.
        """
        with self._lock:
            pending = self._waiting.pop(pair, None)
        if pending is None:
            raise NotFound("that pair waits for no answer: it has one, or the server was restarted; call rank_next")
        pending.answer.set_result(verdict)


class RankingRun:
    """A ranking in a thread of its own.

    Args:
        tournament: The tournament.
        caller: Answers its questions; None for a listed judge.
    """

    def __init__(self, tournament: Tournament, caller: CallerJudge | None) -> None:
        self.caller = caller
        self.reason = ""
        self._tournament = tournament
        self._thread = Thread(target=self._play, name=f"ranking {tournament.state.id}", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still plays."""
        return self._thread.is_alive()

    def _play(self) -> None:
        try:
            with self._tournament as tournament:
                tournament.run(pace=CallOptions(concurrency=AT_ONCE))
                self.reason = "" if tournament.stop is None else tournament.stop.reason
        except ParagoneError as error:
            self.reason = str(error)
            logger.warning("the ranking %s stopped: %s", self._tournament.state.id, error)

    def stop(self) -> None:
        """End it; questions that are out are put again when it goes on."""
        self._tournament.gate.close(ENDED)
        self._tournament.gate.abandon()
        self._thread.join(timeout=5.0)

    def next(self) -> tuple[str, Question] | None:
        """The next question, as soon as it is planned; None if the ranking ends first, or time is up."""
        end = time.monotonic() + _WAIT
        while self.caller is not None and self.is_alive and time.monotonic() < end:
            waiting = self.caller.next()
            if waiting is not None:
                return waiting
            time.sleep(_LOOK)
        return None


class Runs:
    """The rankings of a server.

    Args:
        db: File or URL of their ledger.
        judges: Judges that they may name.
    """

    def __init__(self, db: str, judges: JudgeList) -> None:
        self.db, self.judges = db, judges
        self._runs: dict[str, RankingRun] = {}

    def begin(
        self,
        items: Mapping[str, str],
        criteria: str,
        *,
        judge: str | None = None,
        name: str = "ranking",
        budget: int | None = None,
        top: int | None = None,
    ) -> str:
        """Begin a ranking; returns its id.

        Raises:
            UsageError: If the judge is not on the list, or something else is wrong.
            Busy: If too many run.
        """
        if sum(run.is_alive for run in self._runs.values()) >= MOST_RUNNING:
            raise Busy(f"{MOST_RUNNING} rankings run already; finish one of them first")
        caller = CallerJudge() if judge is None else None
        listed = ListedJudge(spec="") if judge is None else require_listed(self.judges, judge)
        tournament = Tournament.create(
            dict(items),
            criteria=criteria,
            judge=listed.spec if caller is None else caller,
            price=listed.price,
            db=self.db,
            name=name,
            budget=budget,
            top=top,
        )
        self._runs[tournament.state.id] = RankingRun(tournament, caller)
        return tournament.state.id

    def of(self, ranking: str) -> RankingRun | None:
        """The run of a ranking in this server; None if it is not running here."""
        run = self._runs.get(ranking)
        return run if run is not None and run.is_alive else None

    def reason(self, ranking: str) -> str:
        """Why the run of a ranking in this server stopped; empty without one."""
        run = self._runs.get(ranking)
        return "" if run is None else run.reason

    def resumed(self, ranking: str) -> RankingRun | None:
        """The run of a ranking that its caller judges, begun again if the server has begun anew; None if it is over."""
        run = self.of(ranking)
        if run is not None:
            return run
        tournament = Tournament.open(self.db, ranking)
        if tournament.state.settings.judge != f"{OBJECT_PREFIX}{CALLER}":
            tournament.close()
            return None
        tournament.close()
        caller = CallerJudge()
        self._runs[ranking] = RankingRun(Tournament.open(self.db, ranking, judge=caller), caller)
        return self._runs[ranking]

    def close(self) -> None:
        """End all."""
        for run in self._runs.values():
            if run.is_alive:
                run.stop()
