"""Tournaments: status, analyses, runs, and the tasks of their Ranking Agent."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Unpack

from paragone.client.connection import Namespace
from paragone.client.pools import new_items
from paragone.domain import Review
from paragone.wire.address import beside_url, item_url, pool_url, segment
from paragone.wire.anomaly import Anomaly, AnomalyPage, Decision
from paragone.wire.board import Board
from paragone.wire.consistency import Consistency
from paragone.wire.dossier import Directive, Directives, Dossier
from paragone.wire.head_to_head import HeadToHead
from paragone.wire.item import AddedReviews, ReviewPage
from paragone.wire.judge import Judges, ListedJudge, ListedJudges
from paragone.wire.live import LiveTournament, RunForecast, RunLimits
from paragone.wire.pattern import Patterns
from paragone.wire.pool import Pool
from paragone.wire.standing import SideBySide, Standing
from paragone.wire.task import IncompleteItem, Task, TaskPage, TaskQueue
from paragone.wire.tournament import History, Status


class Tournaments(Namespace):
    """The tournaments of a server."""

    def judge_list(self) -> list[ListedJudge]:
        """The judges that a new tournament may name."""
        return self._connection.get(ListedJudges, "/judges").judges

    def create(
        self,
        name: str,
        items: Mapping[str, str] | Iterable[str],
        judge: str,
        *,
        key: str | None = None,
        **options: Any,  # noqa: ANN401 - the fields of the body
    ) -> Pool:
        """Make a tournament for a judge of the server's list. Nothing is spent: ``forecast`` and ``run`` follow.

        Args:
            name: What its id is made of.
            items: Texts, by their ids or as they are.
            judge: The name of the judge; see ``judge_list``.
            key: Idempotency key, as for ``pools.create``.
            options: ``criteria``, ``dossier`` (``goal``, ``rubric``, ``notes``, ``reviews``, ...), ``pairing``,
                ``budget`` and the others, as the server's ``NewTournament`` has them.
        """
        body = {"name": name, "items": new_items(items), "judge": judge, **options}
        headers = {"idempotency-key": key or uuid.uuid4().hex}
        return self._connection.post(Pool, "/tournaments", body, headers=headers)

    def status(self, pool: str) -> Status:
        """The state of a tournament: open matches, confidence, forecast and health."""
        return self._connection.get(Status, pool_url(pool, "status"))

    def history(self, pool: str) -> History:
        """The history of a tournament, round by round."""
        return self._connection.get(History, pool_url(pool, "history"))

    def live(self, pool: str) -> LiveTournament:
        """The live state of a tournament; ``acts`` lists what can be done now."""
        return self._connection.get(LiveTournament, pool_url(pool, "live"))

    def forecast(self, pool: str, **limits: Unpack[RunLimits]) -> RunForecast:
        """Forecast the cost of a run; its ``confirm`` starts that run."""
        return self._connection.get(RunForecast, pool_url(pool, "forecast"), **limits)

    def run(self, pool: str, confirm: str, **limits: Unpack[RunLimits]) -> LiveTournament:
        """Run a tournament on the server: ``confirm`` comes from a forecast for the same limits.

        The request is sent once; where its answer is lost, ``live`` says whether the run has begun.
        """
        return self._steer(pool, "run", {"confirm": confirm, **limits})

    def resume(self, pool: str, confirm: str) -> LiveTournament:
        """Resume a tournament that was paused, stopped or interrupted: ``confirm`` comes from a forecast."""
        return self._steer(pool, "resume", {"confirm": confirm})

    def pause(self, pool: str) -> LiveTournament:
        """Pause a run: nothing more is asked; answers in flight are awaited and kept."""
        return self._steer(pool, "pause", {})

    def stop(self, pool: str) -> LiveTournament:
        """Stop a run at once: recorded answers are kept, and answers in flight are dropped."""
        return self._steer(pool, "stop", {})

    def judges(self, pool: str) -> Judges:
        """The judges of a tournament: agreement, bias with interval, ties, cost."""
        return self._connection.get(Judges, pool_url(pool, "judges"))

    def head_to_head(self, pool: str, count: int = 16) -> HeadToHead:
        """The first items of the board against each other, and cycles among all."""
        return self._connection.get(HeadToHead, pool_url(pool, "compare"), count=count)

    def consistency(self, pool: str) -> Consistency:
        """Whether results are consistent: cycles, surprising results, sudden swings, both orders, judges."""
        return self._connection.get(Consistency, pool_url(pool, "consistency"))

    def patterns(self, pool: str) -> Patterns:
        """What wins and what loses, and how topics fare."""
        return self._connection.get(Patterns, pool_url(pool, "patterns"))

    def parameters(self, pool: str) -> dict[str, Any]:
        """The parameters of a tournament, by the names of its documents."""
        return self._connection.get(dict[str, Any], pool_url(pool, "parameters"))

    def standing(self, pool: str, item: str) -> Standing:
        """Why an item is where it is: matches that carry it, upsets, opponents, what one more answer would change."""
        return self._connection.get(Standing, item_url(pool, item) + "/standing")

    def side_by_side(self, pool: str, item: str, other: str) -> SideBySide:
        """Two items side by side, with the matches between them and all that was said."""
        return self._connection.get(SideBySide, beside_url(pool, item, other))

    def report(self, pool: str, format: Literal["html", "json", "csv", "zip"] = "json") -> bytes:
        """The report as a file: one page that needs no server, JSON, the leaderboard as CSV, or a site in a zip."""
        with self._connection.stream(pool_url(pool, "report"), format=format) as answer:
            return answer.read()

    def what_if(
        self,
        pool: str,
        *,
        k: float | None = None,
        initial: float | None = None,
        without_match: Sequence[str] = (),
        without_judge: Sequence[str] = (),
        position: bool = True,
        limit: int = 50,
    ) -> Board:
        """The first rows of the board under other assumptions; nothing is changed.

        Args:
            pool: The tournament.
            k: Another K factor for the running Elo.
            initial: Another initial rating.
            without_match: Matches to leave out.
            without_judge: Judges to leave out.
            position: Whether to fit each judge's position bias.
            limit: Rows.
        """
        return self._connection.get(
            Board,
            pool_url(pool, "whatif"),
            k=k,
            initial=initial,
            without_match=[*without_match],
            without_judge=[*without_judge],
            position=position,
            limit=limit,
        )

    def anomalies(self, pool: str) -> Iterator[Anomaly]:
        """Rating changes that a person should look at, or has looked at."""
        return self._connection.every(AnomalyPage, pool_url(pool, "anomalies"), "anomalies")

    def review_anomaly(self, pool: str, anomaly: str, decision: Decision, reason: str) -> Anomaly:
        """Decide on a rating change: keep the match behind it, or roll it back. Repeating it changes nothing."""
        path = pool_url(pool, "anomalies", segment(anomaly))
        return self._connection.post(Anomaly, path, {"decision": decision, "reason": reason})

    def dossier(self, pool: str) -> Dossier:
        """What judges see beside the texts, in matches that are planned from now on."""
        return self._connection.get(Dossier, pool_url(pool, "dossier"))

    def inform(self, pool: str, **changes: Any) -> Dossier:  # noqa: ANN401 - the fields of the body
        """Change what judges see beside the texts, from the next planned match on.

        Args:
            pool: The tournament.
            changes: ``goal``, ``preferences``, ``constraints``, ``rubric``, ``insights``, ``max_tokens``, ``notes`` on
                items and ``reviews``, as the server's ``DossierChange`` has them.
        """
        return self._connection.post(Dossier, pool_url(pool, "dossier"), changes, again=False)

    def reviews(self, pool: str, item: str | None = None) -> Iterator[Review]:
        """The latest review of each item by each reviewer; of one item, if it is named."""
        return self._connection.every(ReviewPage, pool_url(pool, "reviews"), "reviews", item=item)

    def add_reviews(self, pool: str, reviews: Sequence[Mapping[str, Any]]) -> list[Review]:
        """Add reviews; the same again changes nothing. Returns the new ones.

        Args:
            pool: The tournament.
            reviews: Each with ``item``, ``reviewer`` and ``score`` (0 to 1), and if wanted ``scores`` by criterion and
                ``text``.
        """
        body = {"reviews": [dict(review) for review in reviews]}
        return self._connection.post(AddedReviews, pool_url(pool, "reviews"), body).added

    def directives(self, pool: str) -> list[Directive]:
        """What people asked judges to heed, in the order in which they did."""
        return self._connection.get(Directives, pool_url(pool, "directives")).directives

    def direct(self, pool: str, text: str) -> Directive:
        """Have judges heed something from the next planned match on."""
        return self._connection.post(Directive, pool_url(pool, "directives"), {"text": text}, again=False)

    def withdraw(self, pool: str, directive: int) -> Directive:
        """Take a directive back, by its number, from the next planned match on."""
        return self._connection.post(Directive, pool_url(pool, "directives", str(directive), "withdraw"), {})

    def incomplete(self, pool: str) -> list[IncompleteItem]:
        """The hypotheses that wait for their texts."""
        return self._connection.get(list[IncompleteItem], pool_url(pool, "incomplete"))

    def amend(self, pool: str, item: str, text: str) -> list[IncompleteItem]:
        """Complete a hypothesis; the same text again changes nothing. Returns those that are still incomplete."""
        path = pool_url(pool, "incomplete", segment(item))
        return self._connection.post(list[IncompleteItem], path, {"text": text})

    def retire(self, pool: str, items: Sequence[str], reason: str = "") -> list[str]:
        """Retire items: no new match is planned with them. Returns the ids of all that are retired."""
        return self._connection.post(list[str], pool_url(pool, "retire"), {"items": [*items], "reason": reason})

    def readmit(self, pool: str, items: Sequence[str], reason: str = "") -> list[str]:
        """Make retired items available again. Returns the ids of those that are still retired."""
        return self._connection.post(list[str], pool_url(pool, "readmit"), {"items": [*items], "reason": reason})

    def _steer(self, pool: str, action: str, body: dict[str, Any]) -> LiveTournament:
        return self._connection.post(LiveTournament, pool_url(pool, action), body, again=False)


class Tasks(Namespace):
    """The queue of a tournament's Ranking Agent."""

    def list(self, pool: str) -> Iterator[Task]:
        """The tasks, in the order of submission."""
        return self._connection.every(TaskPage, pool_url(pool, "tasks"), "tasks")

    def get(self, pool: str, task: str) -> Task:
        """One task, and its result."""
        return self._connection.get(Task, pool_url(pool, "tasks", segment(task)))

    def submit(
        self,
        pool: str,
        id: str,
        task_type: Literal["NewHypothesis", "TournamentRound", "GlobalRanking"],
        hypothesis_ids: Sequence[str] = (),
        *,
        priority: int = 0,
        tournament_parameters: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
        after: Sequence[str] = (),
    ) -> Task:
        """Put a task into the queue; the same again changes nothing.

        Args:
            pool: The tournament.
            id: Names the task.
            task_type: What is to be done.
            hypothesis_ids: About which hypotheses; none for all.
            priority: The higher goes first.
            tournament_parameters: Parameters of the task; the tournament's own if None.
            context: Texts of new hypotheses, matches of a round.
            after: Ids of the tasks that must be done before.
        """
        body = {
            "id": id,
            "task_type": task_type,
            "hypothesis_ids": [*hypothesis_ids],
            "priority": priority,
            "tournament_parameters": tournament_parameters,
            "context": context,
            "after": [*after],
        }
        return self._connection.post(Task, pool_url(pool, "tasks"), body)

    def cancel(self, pool: str, task: str, reason: str = "") -> Task:
        """Cancel a task that has not begun, or a round that is played; the same again changes nothing."""
        return self._change(pool, task, "cancel", {"reason": reason})

    def prioritize(self, pool: str, task: str, priority: int) -> Task:
        """Give a task that has not begun another priority."""
        return self._change(pool, task, "priority", {"priority": priority})

    def pause(self, pool: str, task: str, reason: str = "") -> Task:
        """Pause a task that has not begun: it waits until it is resumed."""
        return self._change(pool, task, "pause", {"reason": reason})

    def resume(self, pool: str, task: str) -> Task:
        """Put a paused task back into the queue."""
        return self._change(pool, task, "resume", {})

    def queue(self, pool: str) -> TaskQueue:
        """Whether the queue is paused."""
        return self._connection.get(TaskQueue, pool_url(pool, "queue"))

    def pause_queue(self, pool: str, reason: str = "") -> TaskQueue:
        """Pause the queue: no task begins, also in later runs; what has begun is finished."""
        return self._connection.post(TaskQueue, pool_url(pool, "queue", "pause"), {"reason": reason})

    def resume_queue(self, pool: str) -> TaskQueue:
        """Let the queue go on."""
        return self._connection.post(TaskQueue, pool_url(pool, "queue", "resume"), {})

    def _change(self, pool: str, task: str, action: str, body: dict[str, Any]) -> Task:
        return self._connection.post(Task, pool_url(pool, "tasks", segment(task), action), body)
