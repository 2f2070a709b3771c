"""Jobs on PostgreSQL, by procrastinate: queued in the ledger's own transactions, fetched by whichever worker is free.

A job names the tournament and some calls, and nothing else: items, criteria and limits are in the ledger, keys and
specs with the workers. procrastinate's retries, locks and periodic tasks are not used: retries belong to the judge, and
the row of a call ensures that it is asked once.
"""

import asyncio
import itertools
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from paragone import extras
from paragone.errors import InvalidConfig
from paragone.ledger import Ledger
from paragone.ledger.namespaces.remote_judging import CHANNEL, DEAD_AFTER
from paragone.ledger.records import AskedQuestion
from paragone.workers.batching import ended, patiently

if TYPE_CHECKING:
    from procrastinate import App

TASK = "paragone.judge"
HEARTBEAT = 1.0
"""Seconds between two signs of life of a worker."""
POLL = 1.0
"""Seconds after which a planner looks, should a notification have been lost."""
_SWEEP = 5
"""Every so many looks the planner also looks for questions that no job names."""

_LOG = logging.getLogger("paragone.workers")
_NOWHERE = logging.NullHandler()

Answering = Callable[[str, list[str]], Awaitable[None]]

_DEFER = text(
    "SELECT procrastinate_defer_jobs_v1(array_agg(ROW(:queue, :task, 0, NULL, NULL, value, NULL)"
    "::procrastinate_job_to_defer_v1)) FROM jsonb_array_elements(CAST(:jobs AS jsonb))"
)
_NAMED = text(
    "SELECT DISTINCT call FROM procrastinate_jobs, jsonb_array_elements_text(args->'calls') AS call "
    "WHERE task_name = :task AND status IN ('todo', 'doing') AND args->>'tournament' = :tournament"
)
_HAS_TABLES = text("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")


def queue_of(judge: str) -> str:
    """The queue of a judge's jobs."""
    return f"judge {judge}"


def postgresql_options(url: str) -> tuple[str, dict[str, Any]]:
    """What psycopg connects with, for the URL of a ledger.

    Raises:
        InvalidConfig: If the ledger is not on PostgreSQL.
    """
    scheme, colon, rest = url.partition("://")
    if scheme.partition("+")[0] not in ("postgresql", "postgres") or not colon:
        raise InvalidConfig(
            "workers on several machines need a ledger that they all reach: --db postgresql://user:password@host/db"
        )
    return f"postgresql://{rest}", {"application_name": "paragone jobs"}


def new_app(url: str) -> "App":
    """Procrastinate on the ledger's database.

    Raises:
        MissingExtra: If it is not installed.
    """
    with extras.importing("workers need", "procrastinate"):
        from procrastinate import App, PsycopgConnector
    _quiet()
    conninfo, options = postgresql_options(url)
    return App(connector=PsycopgConnector(conninfo=conninfo, kwargs=options, min_size=1, max_size=6))


def _quiet() -> None:
    """Have what the libraries log while the server is away printed only where logging was set up.

    Otherwise they would print a traceback for each connection, and what is to be known of that is said in words.
    """
    logging.getLogger("psycopg.pool").addHandler(_NOWHERE)
    logging.getLogger("procrastinate").addHandler(_NOWHERE)


def make_tables(ledger: Ledger, url: str) -> None:
    """Make procrastinate's tables in the ledger's database, unless they are there."""
    app = new_app(url)

    def make(connection: Connection) -> None:
        if not connection.execute(_HAS_TABLES).scalar_one():
            connection.exec_driver_sql(app.schema_manager.get_schema().replace("%", "%%"))

    ledger.remote_judging.alone(make)


class JobQueue:
    """The queue of one tournament's jobs, as its planner sees it.

    Args:
        ledger: The ledger.
        url: Its URL.
        tournament: Id of the tournament.
        size: Questions in a job, at the most.
    """

    def __init__(self, ledger: Ledger, url: str, tournament: str, size: int) -> None:
        self._ledger, self._url, self._tournament, self._size = ledger, url, tournament, size

    def add(self, connection: Connection, questions: Sequence[AskedQuestion]) -> None:
        """Queue jobs for questions, in the transaction that writes these."""
        for judge in sorted({question.judge for question in questions}):
            calls = [question.call for question in questions if question.judge == judge]
            jobs = [
                {"tournament": self._tournament, "calls": calls[start : start + self._size]}
                for start in range(0, len(calls), self._size)
            ]
            values = {"queue": queue_of(judge), "task": TASK, "jobs": json.dumps(jobs)}
            connection.execute(_DEFER, values)

    def named(self, connection: Connection) -> Iterable[str]:
        """The calls that jobs name which wait or are under way."""
        return connection.scalars(_NAMED, {"task": TASK, "tournament": self._tournament})

    async def watch(self, wake: Callable[[], None]) -> None:
        """Wake the planner when questions are done, and give the jobs of dead workers to others; until cancelled."""
        listening = asyncio.create_task(self._listen(wake))
        try:
            while True:
                with suppress(*_away()):  # the server: again, when it is back
                    async with new_app(self._url).open_async() as app:
                        await self._keep_looking(app, wake)
                await asyncio.sleep(POLL)
        finally:
            await ended([listening])

    async def _keep_looking(self, app: "App", wake: Callable[[], None]) -> None:
        for number in itertools.count():
            await asyncio.sleep(POLL)
            await self._rescue(app, sweeps=number % _SWEEP == 0)
            wake()

    async def _listen(self, wake: Callable[[], None]) -> None:
        from psycopg import AsyncConnection, Error

        conninfo, options = postgresql_options(self._url)
        while True:
            with suppress(Error):  # the polling goes on meanwhile
                async with await AsyncConnection.connect(conninfo, autocommit=True, **options) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    wake()
                    async for notification in connection.notifies():
                        if notification.payload == self._tournament:
                            wake()
            await asyncio.sleep(POLL)

    async def _rescue(self, app: "App", *, sweeps: bool) -> None:
        """Nothing else does it: jobs of a worker that died stay where they were for ever."""
        for job in await app.job_manager.get_stalled_jobs(task_name=TASK, seconds_since_heartbeat=DEAD_AFTER):
            await app.job_manager.retry_job(job)
        await patiently(lambda: self._ledger.remote_judging.spend_lost_reservations(self._tournament))
        if sweeps:
            judging = self._ledger.remote_judging
            await patiently(lambda: judging.abandoned(self._tournament, self.named, self.add, by_living=True))


def _away() -> tuple[type[Exception], ...]:
    """What is raised while the server is away."""
    from procrastinate.exceptions import ConnectorException
    from psycopg import Error

    return ConnectorException, Error


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Print errors that nobody awaits, but none of a job whose end cannot be noted while the server is away."""
    if not isinstance(context.get("exception"), _away()):
        loop.default_exception_handler(context)


@asynccontextmanager
async def fetching(url: str, judges: Iterable[str], jobs: int, answer: Answering, name: str) -> AsyncIterator[None]:
    """Fetch jobs and have them done, while the block runs; at its end those under way are finished.

    Args:
        url: URL of the ledger.
        judges: Names of the judges whose jobs to fetch.
        jobs: Jobs at once.
        answer: Does a job, given the tournament and the calls.
        name: The worker's name.
    """
    asyncio.get_running_loop().set_exception_handler(_report)
    ending = asyncio.Event()
    task = asyncio.create_task(_fetch(url, list(map(queue_of, judges)), jobs, answer, name, ending))
    try:
        yield
    finally:
        ending.set()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _fetch(url: str, queues: list[str], jobs: int, answer: Answering, name: str, ending: asyncio.Event) -> None:
    app = new_app(url)

    @app.task(name=TASK)
    async def judge(tournament: str, calls: list[str]) -> None:
        try:
            await answer(tournament, calls)
        except Exception:
            _LOG.exception("a job of %s failed", tournament)
            raise

    while not ending.is_set():  # an error of a connection that breaks may take the place of the cancellation
        with suppress(*_away()):  # the server: again, until the worker ends
            async with app.open_async():
                await app.run_worker_async(
                    queues=queues,
                    name=name,
                    concurrency=jobs,
                    delete_jobs="successful",
                    install_signal_handlers=False,
                    update_heartbeat_interval=HEARTBEAT,
                    stalled_worker_timeout=DEAD_AFTER,
                    fetch_job_polling_interval=POLL,
                )
        await asyncio.sleep(POLL)
