"""The door for those who rank texts: ``Tournament``."""

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from paragone.domain import Board, RatingChange, RatingConfig
from paragone.errors import LedgerError, Unwritable
from paragone.intake.items import as_items
from paragone.intake.reviews import as_reviews
from paragone.judges.base import Judge
from paragone.judges.debates.advocate import Advocate
from paragone.ledger import AuditReport, Ledger, without_password
from paragone.tournaments.results.inspection import Inspection, Record, inspect, records
from paragone.tournaments.results.tournament_board import WhatIf, board_if, board_of
from paragone.tournaments.running.control import Gate, Pace, Stop
from paragone.tournaments.running.participants import (
    AnyAdvocate,
    AnyJudge,
    Voices,
    advocate_name,
    as_advocate,
    as_judge,
    check_known,
    check_lists,
    check_price,
)
from paragone.tournaments.running.progress import Observer, unobserved
from paragone.tournaments.running.runner import Runner, alone
from paragone.tournaments.running.similarity_source import Relating, check_relating, relating
from paragone.tournaments.state import State
from paragone.tournaments.state.proximity import Proximity
from paragone.tournaments.tournament_settings import GIVEN, BriefOptions, Extension, brief_for

IN_MEMORY = "sqlite://"
"""A ledger that is gone when the process ends."""

T = TypeVar("T")


class Tournament:
    """One tournament in a ledger: run it, look at it, correct it.

    Attributes:
        db: File or URL of its ledger, without its password.
        ledger: Where everything about it is kept.
        state: Where it is.
        gate: Closed to stop a run: ``tournament.gate.close("enough")``; each run has a fresh one.
        stop: Why the last run of this object ended; None before one did.
        similarity: What tells which items are alike, as in its brief; another may be put here before a run.
    """

    def __init__(
        self,
        ledger: Ledger,
        state: State,
        judge: Judge | None = None,
        advocate: Advocate | None = None,
        *,
        db: str = IN_MEMORY,
    ) -> None:
        self.db = without_password(db)
        self.ledger = ledger
        self.state = state
        self.judge = judge
        self.advocate = advocate
        self.gate = Gate()
        self.stop: Stop | None = None
        self.similarity = state.brief.similarity

    @classmethod
    def create(
        cls,
        items: object,
        *,
        judge: AnyJudge,
        criteria: str,
        db: str | os.PathLike[str] = IN_MEMORY,
        name: str = "tournament",
        config: RatingConfig | None = None,
        advocate: AnyAdvocate | None = None,
        reviews: object = None,
        proximity: Proximity | None = None,
        **options: Unpack[BriefOptions],
    ) -> Self:
        """Begin a tournament: its items and settings are in the ledger when this returns.

        Args:
            items: A list of texts or of mappings with ``id`` and ``text``, a mapping from id to text, a data frame, a
                file, a folder, or ``Item`` values.
            judge: A judge spec such as ``"local"``, a judge, or a function.
            criteria: What "better" means, in words.
            db: File or URL of the ledger; in memory where nothing is said.
            name: The id becomes this and a number.
            config: How the running Elo moves; in the weighted pairing, what its parameters say where nothing is said.
            advocate: Who speaks in the debates of the weighted pairing: a spec, an advocate, or ``"none"``; the judge's
                own model where nothing is said, and nobody where that cannot hear debates.
            reviews: Reviews of the items, which seed their running Elo: a file, a data frame, or ``Review`` values.
            proximity: Tells which items are alike; a run that goes on needs it again.
            options: See ``BriefOptions``: pairing, budget, top, winner, confidence, seed, ...

        Raises:
            UsageError: Naming what is wrong with the items, the judge or a parameter.
            LedgerError: If the ledger cannot be opened or written.
        """
        pool = as_items(items)
        settings = brief_for(len(pool), criteria=criteria, judge="?", **options)
        asked = as_judge(judge, settings)
        settings = replace(
            settings,
            judge=judge if isinstance(judge, str) else GIVEN + asked.card.identity,
            advocate=advocate_name(advocate, asked, settings),
        )
        voices = Voices(judge=asked, advocate=as_advocate(advocate, asked, settings))
        check_price(settings, voices, pool)
        check_lists(settings, asked)
        check_known(asked, pool)
        if settings.similarity is not None:
            check_relating(settings.similarity, pool)
        told = () if reviews is None else as_reviews(reviews, known={item.id for item in pool})
        movement = config or (RatingConfig() if settings.system is None else settings.system.rating)
        ledger = Ledger.open(db)
        state = State.begin(ledger, name, settings, pool, movement, reviews=told)
        state.proximity = proximity
        return cls(ledger, state, asked, voices.advocate, db=str(db))

    @classmethod
    def open(
        cls,
        db: str | os.PathLike[str],
        tournament: str | None = None,
        *,
        judge: AnyJudge | None = None,
        advocate: AnyAdvocate | None = None,
        proximity: Proximity | None = None,
    ) -> Self:
        """A tournament of a ledger, the newest where no id is given.

        Raises:
            NotFound: If there is none.
            LedgerError: If the ledger cannot be opened.
        """
        ledger = Ledger.open(db, create=False)
        state = State.load(ledger, tournament)
        state.proximity = proximity
        asked = None if judge is None else as_judge(judge, state.brief)
        if asked is not None:
            check_known(asked, state.items)
        spoken = None
        if advocate is not None:
            spoken = as_advocate(advocate, asked or as_judge(state.brief.judge, state.brief), state.brief)
        return cls(ledger, state, asked, spoken, db=str(db))

    def extend(self, **changes: Unpack[Extension]) -> None:
        """Give it another budget, max_cost, max_tokens or confidence before the next run."""
        self.state.extend(self.ledger, changes)

    def known_advocate(self) -> Advocate | None:
        """Who speaks in debates, opened where none was given; None where no debates are held.

        Raises:
            UsageError: If it cannot be opened.
        """
        if self.advocate is None:
            self.advocate = as_advocate(None, self.known_judge(), self.state.brief)
        return self.advocate

    def known_judge(self) -> Judge:
        """The judge that decides, opened from its spec where none was given.

        Raises:
            UsageError: If it cannot be opened.
        """
        if self.judge is None:
            self.judge = as_judge(self.state.brief.judge, self.state.brief)
        return self.judge

    def relating(self) -> Relating | None:
        """Who tells which items are alike; None where nobody does.

        Raises:
            UsageError: If it cannot be had.
        """
        return None if self.similarity is None else relating(self.similarity, self.ledger.file)

    @asynccontextmanager
    async def playing(
        self, observer: Observer = unobserved, pace: Pace | None = None, *, relate: bool = True
    ) -> AsyncIterator[Runner]:
        """What plays the tournament, for as long as nobody else may; ``gate`` stops it, and is fresh afterwards.

        Args:
            observer: Told of every verdict and every round.
            pace: How judge calls are made.
            relate: Whether to ask the brief's embedder who is like whom; not where the caller asks somebody.

        Raises:
            Busy: If somebody else is running it.
            UsageError: If its judge or its advocate cannot be opened.
        """
        brief = self.state.brief
        judge = self.judge or as_judge(brief.judge, brief)
        check_lists(brief, judge)
        voices = Voices(judge=judge, advocate=as_advocate(self.advocate, judge, brief))
        provider = self.relating() if relate and self.state.proximity is None else None
        if provider is not None:
            self.state.proximity = await provider.graph(self.state.items)
        try:
            running = alone(self.ledger, self.state, voices, gate=self.gate, pace=pace or Pace(), observer=observer)
            async with running as runner:
                yield runner
            self.stop = runner.stop
        finally:
            self.gate = Gate()

    async def arun(self, observer: Observer = unobserved, pace: Pace | None = None) -> Board:
        """Play on until there is a reason to stop; ``stop`` says which.

        Raises:
            Busy: If somebody else is running it.
            UsageError: If its judge cannot be opened.
            Unwritable: If the ledger went away for longer than the pace's patience; its text says where answers wait.
        """
        async with self.playing(observer, pace) as runner:
            await runner.run()
        try:
            return self.board()
        except LedgerError as error:
            if self.stop is None or not self.stop.failed:
                raise
            raise Unwritable(self.stop.reason) from error  # which says where answers wait

    def run(self, observer: Observer = unobserved, pace: Pace | None = None) -> Board:
        """``arun`` for callers that are not async."""
        return synchronously(self.arun(observer, pace))

    def board(self, *, by_elo: bool = False) -> Board:
        """The board as things stand."""
        return board_of(self.ledger, self.state, by_elo=by_elo)

    def whatif(self, suppose: WhatIf, *, by_elo: bool = False) -> Board:
        """The board as it would stand had something been otherwise; nothing is changed."""
        return board_if(self.ledger, self.state, suppose, by_elo=by_elo)

    def inspect(self, id: str) -> Inspection:
        """An item with its matches and rating changes, or a match with its verdicts.

        Raises:
            NotFound: If nothing has that id.
        """
        return inspect(self.ledger, self.state, id)

    def records(self, what: str) -> list[Record]:
        """All ``matches``, ``verdicts``, ``changes`` or ``items`` as plain values, in the order of record."""
        return records(self.ledger, self.state, what)

    def rollback(self, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and append the changes that undo it.

        Raises:
            NotFound: If there is no such match.
        """
        changes = self.ledger.matches.rollback(self.state.id, match, reason)
        self.state = State.load(self.ledger, self.state.id)
        return changes

    def retire(self, items: Sequence[str], reason: str) -> None:
        """Say that items are not available: they are planned for no match, and open ones of theirs wait.

        Raises:
            NotFound: If one is not in the tournament.
        """
        self._say("retired", items, reason)

    def readmit(self, items: Sequence[str], reason: str = "") -> None:
        """Say that items that were retired are available again.

        Raises:
            NotFound: If one is not in the tournament.
        """
        self._say("returned", items, reason)

    def _say(self, kind: str, items: Sequence[str], reason: str) -> None:
        self.state.refresh(self.ledger)
        self.state.require(items)
        self.ledger.tournaments.add_event(self.state.id, kind, {"items": list(items), "reason": reason})
        self.state.refresh(self.ledger)

    def audit(self, *, expect: Collection[str] = ()) -> AuditReport:
        """Recompute the hash chain and every rating, and compare; see ``Ledger.audit``."""
        return self.ledger.audit(self.state.id, expect=expect)

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def synchronously(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, in a thread of its own where a loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as aside:
        return aside.submit(asyncio.run, work).result()


async def arank(
    items: object,
    criteria: str,
    *,
    judge: AnyJudge,
    observer: Observer = unobserved,
    pace: Pace | None = None,
    db: str | os.PathLike[str] = IN_MEMORY,
    **options: Unpack[BriefOptions],
) -> Board:
    """Rank items with a judge.

    Args:
        items: See ``Tournament.create``.
        criteria: What "better" means, in words.
        judge: A judge spec such as ``"local"``, a judge, or a function ``(first, second, criteria)``.
        observer: Told of every verdict and every round.
        pace: How calls are made.
        db: File or URL of the ledger; in memory where nothing is said.
        options: See ``BriefOptions``: pairing, budget, top, winner, confidence, seed, ...

    Returns:
        The board; ``board.stopped`` says why it stopped.
    """
    with Tournament.create(items, criteria=criteria, judge=judge, db=db, **options) as tournament:
        return await tournament.arun(observer, pace)


def rank(
    items: object,
    criteria: str,
    *,
    judge: AnyJudge,
    observer: Observer = unobserved,
    pace: Pace | None = None,
    db: str | os.PathLike[str] = IN_MEMORY,
    **options: Unpack[BriefOptions],
) -> Board:
    """``arank`` for callers that are not async; works inside a notebook too."""
    return synchronously(arank(items, criteria, judge=judge, observer=observer, pace=pace, db=db, **options))
