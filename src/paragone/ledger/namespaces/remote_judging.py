"""Judging in other processes: the questions of planners, the workers that answer them, and the limits they share.

None of it is evidence. A worker records its answers like every judge, and says here only that a question is done.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import Connection, bindparam, delete, func, insert, literal, select, update

from paragone.domain import Verdict
from paragone.errors import InvalidConfig, NotFound
from paragone.ledger import schema
from paragone.ledger.databases.database import Namespace, reads
from paragone.ledger.evidence import verdicts
from paragone.ledger.records import AnnouncedJudge, AskedQuestion, JudgingTerms, SharedSpending, WorkerRecord

T = TypeVar("T")

WAITING, TAKEN, OVERDUE, DONE = "waiting", "taken", "overdue", "done"
"""States of a question; ``overdue``: taken, and asked for so long that it must not hold up others."""
CHANNEL = "paragone_judging"
"""PostgreSQL's channel on which a tournament's id says that questions of it are done."""
DEAD_AFTER = 3.0
"""Seconds without a sign of life after which a worker counts as dead."""
_FORGOTTEN = 3600.0

Also = Callable[[Connection, Sequence[AskedQuestion]], None]
"""What else happens in the transaction that adds questions."""


def answers(connection: Connection, pool: str, calls: Sequence[str]) -> dict[str, Verdict]:
    """The answers to those of some calls that have one."""
    return verdicts.answers(connection, pool, calls)


class RemoteJudging(Namespace):
    """What planners and workers tell each other."""

    answers = reads(answers)

    def on_record(
        self, tournament: str, calls: Sequence[str], keys: Sequence[str]
    ) -> tuple[dict[str, Verdict], dict[str, Verdict]]:
        """The answers to some calls of a tournament, by call; and those of any with some cache keys, by key."""
        with self._database.read() as connection:
            return answers(connection, tournament, calls), verdicts.cached_of(connection, keys)

    def alone(self, work: Callable[[Connection], None]) -> None:
        """Run a function in a transaction while nobody else creates tables, such as those of a job queue."""
        with self._database.write(alone=True) as connection:
            work(connection)

    # Planners

    def open(self, tournament: str, terms: JudgingTerms, planner: str, *, tokens: int, cost: float) -> None:
        """Say how a tournament is judged from now on.

        Args:
            tournament: Its id.
            terms: How.
            planner: Who plans it.
            tokens: Tokens on record. What dead workers had begun is counted besides.
            cost: US dollars on record.
        """
        table = schema.judging
        values = {
            "judge": terms.judge,
            "options": dict(terms.options),
            "planner": planner,
            "max_tokens": terms.max_tokens,
            "max_cost": terms.max_cost,
        }
        with self._database.write() as connection:
            row = connection.execute(_locked(tournament)).first()
            if row is None:
                fresh = {"kinds": {}, "outages": {}, "lost_tokens": 0, "lost_cost": 0.0, "next_start": 0.0}
                connection.execute(insert(table).values(pool=tournament, tokens=tokens, cost=cost, **fresh, **values))
                return
            spent = {"tokens": max(row.tokens, tokens + row.lost_tokens), "cost": max(row.cost, cost + row.lost_cost)}
            connection.execute(update(table).where(table.c.pool == tournament).values(**spent, **values))

    def ask(self, tournament: str, questions: Sequence[AskedQuestion], also: Also) -> None:
        """Add questions; one that is there already is left as it is.

        Args:
            tournament: Id of the tournament.
            questions: The questions.
            also: Called in the transaction with those that are new, such as to queue jobs.
        """
        if not questions:
            return
        rows = [
            {
                "pool": tournament,
                "call": question.call,
                "judge": question.judge,
                "shown": list(question.shown),
                "turns": question.turns,
                "worker": "",
                "state": WAITING,
                "outcome": _form(question),
            }
            for question in questions
        ]
        with self._database.write() as connection:
            adding = _insert(connection)(schema.question).on_conflict_do_nothing().returning(schema.question.c.call)
            new = {row.call for row in connection.execute(adding, rows)}
            also(connection, [question for question in questions if question.call in new])

    def collect(self, tournament: str) -> dict[str, Mapping[str, Any]]:
        """Take the outcomes of questions that are done, by call."""
        table = schema.question
        done = (table.c.pool == tournament) & (table.c.state == DONE)
        with self._database.read() as connection:  # most often there is nothing to write
            if connection.execute(select(table.c.call).where(done).limit(1)).first() is None:
                return {}
        with self._database.write() as connection:
            rows = connection.execute(delete(table).where(done).returning(table.c.call, table.c.outcome))
            return {row.call: row.outcome for row in rows}

    def calls(self, tournament: str) -> frozenset[str]:
        """The calls of all questions that are there, done or not."""
        table = schema.question
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(table.c.call).where(table.c.pool == tournament)))

    def overdue(self, tournament: str) -> frozenset[str]:
        """The calls that take too long, by what their workers say."""
        table = schema.question
        late = select(table.c.call).where(table.c.pool == tournament, table.c.state == OVERDUE)
        with self._database.read() as connection:
            return frozenset(connection.scalars(late))

    def withdraw(self, tournament: str) -> list[str]:
        """Remove the questions that nobody has taken; their calls."""
        table = schema.question
        waits = (table.c.pool == tournament) & (table.c.state == WAITING)
        with self._database.write() as connection:
            return list(connection.scalars(delete(table).where(waits).returning(table.c.call)))

    def spend_lost_reservations(self, tournament: str) -> None:
        """Count what dead workers had begun as spent, since it may be billed."""
        table, row = schema.reservation, schema.judging
        with self._database.write() as connection:
            connection.execute(_locked(tournament))
            dead = (table.c.pool == tournament) & table.c.worker.not_in(_alive(connection))
            lost = connection.execute(delete(table).where(dead).returning(table.c.tokens, table.c.cost)).all()
            if lost:
                tokens, cost = sum(each.tokens for each in lost), sum(each.cost for each in lost)
                connection.execute(
                    update(row)
                    .where(row.c.pool == tournament)
                    .values(
                        tokens=row.c.tokens + tokens,
                        lost_tokens=row.c.lost_tokens + tokens,
                        cost=row.c.cost + cost,
                        lost_cost=row.c.lost_cost + cost,
                    )
                )

    def abandoned(
        self,
        tournament: str,
        mine: Callable[[Connection], Iterable[str]],
        also: Also,
        *,
        by_living: bool = False,
    ) -> int:
        """Give the questions that no job names to others.

        Args:
            tournament: Id of the tournament.
            mine: The calls that jobs name which wait or are under way.
            also: As for ``ask``, with these questions.
            by_living: Those too that a living worker took. Its job may have been broken off while the server was away,
                and then nobody asks them.

        Returns:
            How many they are.
        """
        table = schema.question
        with self._database.write() as connection:
            # Questions first: what is asked or done between the two looks is in both or no longer open, not lost.
            is_open = (table.c.pool == tournament) & (table.c.state != DONE)
            rows = connection.execute(select(table).where(is_open)).all()
            exempt = frozenset() if by_living else frozenset(connection.scalars(_alive(connection)))
            queued = frozenset(mine(connection))
            calls = [row.call for row in rows if row.call not in queued and row.worker not in exempt]
            if not calls:
                return 0
            again = update(table).where(is_open, table.c.call.in_(calls)).values(state=WAITING, worker="")
            questions = [_question(row) for row in connection.execute(again.returning(table))]
            also(connection, questions)
            return len(questions)

    # Workers

    def register(self, record: WorkerRecord, judges: Sequence[AnnouncedJudge]) -> None:
        """Announce a worker and its judges.

        Raises:
            InvalidConfig: If a worker that is there has another judge under one of these names.
        """
        table, link = schema.worker, schema.worker_judge
        with self._database.write(alone=True) as connection:
            now = _now(connection)
            for judge in judges:
                same_name = select(link).where(link.c.judge == judge.name, link.c.worker.in_(_alive(connection)))
                for row in connection.execute(same_name):
                    if row.card != judge.card:
                        raise InvalidConfig(_differs(judge, row, _host(connection, row.worker)))
            old = select(table.c.worker).where(table.c.seen < now - _FORGOTTEN)
            connection.execute(delete(link).where(link.c.worker.in_(old)))
            connection.execute(delete(table).where(table.c.seen < now - _FORGOTTEN))
            connection.execute(
                insert(table).values(
                    worker=record.worker,
                    host=record.host,
                    process=record.process,
                    concurrency=record.concurrency,
                    started=now,
                    seen=now,
                    calls=0,
                    answered=0,
                    failed=0,
                )
            )
            for judge in judges:
                values = {"card": judge.card, "advocate": judge.advocate, "price": judge.price}
                connection.execute(insert(link).values(worker=record.worker, judge=judge.name, **values))

    def beat(
        self,
        worker: str,
        *,
        calls: int,
        answered: int,
        failed: int,
        overdue: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        """Give a sign of life, with what the worker does.

        Args:
            worker: The worker.
            calls: Calls in flight.
            answered: Questions answered so far.
            failed: Questions that could not be answered.
            overdue: Calls that take too long, by tournament.
        """
        table, question = schema.worker, schema.question
        with self._database.write() as connection:
            values = {"calls": calls, "answered": answered, "failed": failed, "seen": _now(connection)}
            connection.execute(update(table).where(table.c.worker == worker).values(**values))
            mine = (question.c.worker == worker) & (question.c.state == TAKEN)
            for tournament, late in overdue.items():
                of_those = mine & (question.c.pool == tournament) & question.c.call.in_(late)
                connection.execute(update(question).where(of_those).values(state=OVERDUE))

    def leave(self, worker: str) -> None:
        """Remove a worker that ends."""
        with self._database.write() as connection:
            connection.execute(delete(schema.worker_judge).where(schema.worker_judge.c.worker == worker))
            connection.execute(delete(schema.worker).where(schema.worker.c.worker == worker))

    def terms(self, tournament: str) -> JudgingTerms:
        """How a tournament is judged.

        Raises:
            NotFound: If no planner has said so.
        """
        table = schema.judging
        with self._database.read() as connection:
            row = connection.execute(select(table).where(table.c.pool == tournament)).first()
            if row is None:
                raise NotFound(f"nobody has tournament {tournament!r} judged by workers")
            now = _now(connection)
        outages = {who: (until - now, reason) for who, (until, reason) in row.outages.items() if until > now}
        return JudgingTerms(
            judge=row.judge,
            options=row.options,
            max_tokens=row.max_tokens,
            max_cost=row.max_cost,
            outages=outages,
        )

    def take(self, tournament: str, calls: Sequence[str], worker: str) -> list[AskedQuestion]:
        """Take questions, so that they count as this worker's; those that are done or withdrawn are left out."""
        table = schema.question
        is_open = (table.c.pool == tournament) & table.c.call.in_(calls) & (table.c.state != DONE)
        with self._database.write() as connection:
            rows = connection.execute(update(table).where(is_open).values(state=TAKEN, worker=worker).returning(table))
            return sorted(map(_question, rows), key=lambda question: calls.index(question.call))

    def finish(self, tournament: str, outcomes: Mapping[str, Mapping[str, Any]]) -> None:
        """Say that questions are done, and wake their planner.

        Args:
            tournament: Id of the tournament.
            outcomes: What became of each, by call, as plain values.
        """
        table = schema.question
        statement = (
            update(table)
            .where(table.c.pool == bindparam("of_pool"), table.c.call == bindparam("of_call"))
            .values(state=DONE, outcome=bindparam("of_outcome"))
        )
        rows = [{"of_pool": tournament, "of_call": call, "of_outcome": what} for call, what in outcomes.items()]
        with self._database.write() as connection:
            connection.execute(statement, rows)
            if connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_notify(CHANNEL, tournament)))

    def give_back(self, tournament: str, calls: Sequence[str], also: Also) -> None:
        """Let others have questions that this worker took and did not ask."""
        table = schema.question
        is_taken = (table.c.pool == tournament) & table.c.call.in_(calls) & table.c.state.in_((TAKEN, OVERDUE))
        with self._database.write() as connection:
            rows = connection.execute(update(table).where(is_taken).values(state=WAITING, worker="").returning(table))
            also(connection, [_question(row) for row in rows])

    # Limits

    def spend(self, tournament: str, worker: str, work: Callable[[SharedSpending], T]) -> T:
        """Change what a tournament's workers have spent and reserved, while no other worker can.

        Args:
            tournament: Id of the tournament.
            worker: The worker.
            work: Looks at it and changes it.
        """
        table, row_of = schema.reservation, schema.judging
        with self._database.write() as connection:
            row = connection.execute(_locked(tournament)).one()
            reservations = connection.execute(select(table).where(table.c.pool == tournament)).all()
            reserved = {each.attempt: (each.kind, each.tokens, each.cost) for each in reservations}
            state = SharedSpending(
                max_tokens=row.max_tokens,
                max_cost=row.max_cost,
                tokens=row.tokens,
                cost=row.cost,
                kinds=row.kinds,
                reserved=reserved,
            )
            result = work(state)
            if state.ended:
                connection.execute(delete(table).where(table.c.attempt.in_(state.ended)))
                values = {"tokens": state.tokens, "cost": state.cost, "kinds": state.kinds}
                connection.execute(update(row_of).where(row_of.c.pool == tournament).values(**values))
            if state.begun:
                rows = [
                    {"attempt": id, "pool": tournament, "worker": worker, "kind": kind, "tokens": tokens, "cost": cost}
                    for id, (kind, tokens, cost) in state.begun.items()
                ]
                connection.execute(insert(table), rows)
            return result

    def next_starts(self, tournament: str, count: int, spacing: float) -> list[float]:
        """Reserve starts of calls at the rate of the tournament.

        Args:
            tournament: Id of the tournament.
            count: How many.
            spacing: Seconds between two starts.

        Returns:
            Seconds to wait before each.
        """
        table = schema.judging
        with self._database.write() as connection:
            earliest = connection.execute(_locked(tournament)).one().next_start
            now = _now(connection)
            first = max(earliest, now)
            values = {"next_start": first + count * spacing}
            connection.execute(update(table).where(table.c.pool == tournament).values(**values))
        return [first - now + index * spacing for index in range(count)]

    def pause(self, tournament: str, who: str, seconds: float, reason: str) -> None:
        """Tell all workers that a judge is paused."""
        table = schema.judging
        with self._database.write() as connection:
            outages = dict(connection.execute(_locked(tournament)).one().outages)
            outages[who] = [_now(connection) + seconds, reason]
            connection.execute(update(table).where(table.c.pool == tournament).values(outages=outages))

    # Readers

    def workers(self) -> list[WorkerRecord]:
        """All workers that are there, or died within the hour, in the order in which they came."""
        table, link, question = schema.worker, schema.worker_judge, schema.question
        with self._database.read() as connection:
            now = _now(connection)
            judges = connection.execute(select(link.c.worker, link.c.judge).order_by(link.c.judge)).all()
            counts = select(question.c.worker, question.c.pool, func.count().label("questions")).where(
                question.c.state.in_((TAKEN, OVERDUE))
            )
            busy = connection.execute(counts.group_by(question.c.worker, question.c.pool)).all()
            rows = connection.execute(select(table).order_by(table.c.started, table.c.worker)).all()
        return [
            WorkerRecord(
                worker=row.worker,
                host=row.host,
                process=row.process,
                concurrency=row.concurrency,
                judges=tuple(each.judge for each in judges if each.worker == row.worker),
                uptime=max(0.0, now - row.started),
                silence=max(0.0, now - row.seen),
                calls=row.calls,
                answered=row.answered,
                failed=row.failed,
                tournaments={each.pool: each.questions for each in busy if each.worker == row.worker},
            )
            for row in rows
        ]

    def judges(self) -> dict[str, AnnouncedJudge]:
        """The judges of the workers that are there, by name."""
        link = schema.worker_judge
        with self._database.read() as connection:
            rows = connection.execute(select(link).where(link.c.worker.in_(_alive(connection)))).all()
        return {
            row.judge: AnnouncedJudge(name=row.judge, card=row.card, advocate=row.advocate, price=row.price)
            for row in rows
        }

    def waiting(self) -> dict[str, tuple[int, str]]:
        """By tournament: questions that nobody has taken yet, and who plans it."""
        table, row = schema.question, schema.judging
        count = func.count(table.c.call).filter(table.c.state == WAITING)
        query = select(row.c.pool, row.c.planner, count.label("questions")).outerjoin(table, table.c.pool == row.c.pool)
        with self._database.read() as connection:
            rows = connection.execute(query.group_by(row.c.pool, row.c.planner).order_by(row.c.pool))
            return {each.pool: (each.questions, each.planner) for each in rows}


def _now(connection: Connection) -> float:
    """Seconds since 1970 by the clock that all processes share: the server's, or this machine's for a file."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())


def _alive(connection: Connection) -> Any:  # noqa: ANN401 - a query, which is also a list of values
    table = schema.worker
    return select(table.c.worker).where(table.c.seen > literal(_now(connection)) - DEAD_AFTER)


def _locked(pool: str) -> Any:  # noqa: ANN401 - a query
    return select(schema.judging).where(schema.judging.c.pool == pool).with_for_update()


def _insert(connection: Connection) -> Any:  # noqa: ANN401 - as each database's own
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert
    from sqlalchemy.dialects import sqlite

    return sqlite.insert


def _question(row: Any) -> AskedQuestion:  # noqa: ANN401 - a row
    form = row.outcome
    return AskedQuestion(
        call=row.call,
        judge=row.judge,
        shown=tuple(row.shown),
        turns=row.turns,
        panel=form.get("panel", False),
        level=form.get("level", 0),
    )


def _form(question: AskedQuestion) -> dict[str, Any]:
    """What else there is to know of a question; its row holds it in place of the outcome until there is one."""
    return {
        **({"panel": True} if question.panel else {}),
        **({"level": question.level} if question.level else {}),
    }


def _host(connection: Connection, worker: str) -> str:
    table = schema.worker
    row = connection.execute(select(table.c.host, table.c.process).where(table.c.worker == worker)).one()
    return f"process {row.process} on {row.host}"


def _differs(judge: AnnouncedJudge, row: Any, where: str) -> str:  # noqa: ANN401 - a row
    own, other = judge.card["identity"], row.card["identity"]
    same = " with other options" if own == other else ""
    return (
        f"the judge {judge.name!r} is {other} at the worker that is {where}, and would be {own}{same} here; a judge is "
        "the same judge whichever worker asks it: give it the same spec everywhere, or another name"
    )
