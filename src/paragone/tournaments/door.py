"""The door for those who rank texts: ``Tournament``, and ``rank`` and ``arank`` for a single call."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack, cast

from paragone.domain import Board, Item, Question, RatingChange, RatingConfig
from paragone.errors import InvalidConfig, UnknownJudge
from paragone.intake.items import as_items
from paragone.judges.base import Judge
from paragone.judges.function import FunctionJudge
from paragone.judges.spec import open_judge
from paragone.ledger import AuditReport, Ledger, without_password
from paragone.llm.prices import Price
from paragone.pairing.pilot import SIZES
from paragone.tournaments.brief import AUTO, GIVEN, Brief, BriefOptions, Extension, brief_for
from paragone.tournaments.gate import Gate
from paragone.tournaments.inspection import Inspection, Record, inspect, records
from paragone.tournaments.progress import Observer, unobserved
from paragone.tournaments.results import WhatIf, board_if, board_of
from paragone.tournaments.runner import Pace, Stop, play
from paragone.tournaments.state import State

AnyJudge = str | Judge | Callable[..., Any]
"""A judge spec, a judge, or a function ``(first, second, criteria)``."""

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
    """

    def __init__(self, ledger: Ledger, state: State, judge: Judge | None = None, *, db: str = IN_MEMORY) -> None:
        self.db = without_password(db)
        self.ledger = ledger
        self.state = state
        self.judge = judge
        self.gate = Gate()
        self.stop: Stop | None = None

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
            config: How the running Elo moves.
            options: See ``BriefOptions``: pairing, budget, top, winner, confidence, seed, ...

        Raises:
            UsageError: Naming what is wrong with the items, the judge or a parameter.
            LedgerError: If the ledger cannot be opened or written.
        """
        pool = as_items(items)
        settings = brief_for(len(pool), criteria=criteria, judge="?", **options)
        asked = as_judge(judge, settings)
        settings = replace(settings, judge=judge if isinstance(judge, str) else GIVEN + asked.card.identity)
        check_price(settings, asked, pool)
        check_lists(settings, asked)
        ledger = Ledger.open(db)
        return cls(ledger, State.begin(ledger, name, settings, pool, config or RatingConfig()), asked, db=str(db))

    @classmethod
    def open(cls, db: str | os.PathLike[str], tournament: str | None = None, *, judge: AnyJudge | None = None) -> Self:
        """A tournament of a ledger, the newest where no id is given.

        Raises:
            NotFound: If there is none.
            LedgerError: If the ledger cannot be opened.
        """
        ledger = Ledger.open(db, create=False)
        state = State.load(ledger, tournament)
        return cls(ledger, state, None if judge is None else as_judge(judge, state.brief), db=str(db))

    def extend(self, **changes: Unpack[Extension]) -> None:
        """Give it another budget, max_cost, max_tokens or confidence before the next run."""
        self.state.extend(self.ledger, changes)

    def known_judge(self) -> Judge:
        """The judge that decides, opened from its spec where none was given.

        Raises:
            UsageError: If it cannot be opened.
        """
        if self.judge is None:
            self.judge = as_judge(self.state.brief.judge, self.state.brief)
        return self.judge

    async def arun(self, observer: Observer = unobserved, pace: Pace | None = None) -> Board:
        """Play on until there is a reason to stop; ``stop`` says which.

        Raises:
            Busy: If somebody else is running it.
            UsageError: If its judge cannot be opened.
        """
        judge = self.judge or as_judge(self.state.brief.judge, self.state.brief)
        check_lists(self.state.brief, judge)
        try:
            self.stop = await play(
                self.ledger, self.state, judge, gate=self.gate, pace=pace or Pace(), observer=observer
            )
        finally:
            self.gate = Gate()
        return self.board()

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
        changes = self.ledger.rollback(self.state.id, match, reason)
        self.state = State.load(self.ledger, self.state.id)
        return changes

    def audit(self) -> AuditReport:
        """Recompute the hash chain and every rating, and compare."""
        return self.ledger.audit(self.state.id)

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_price(brief: Brief, judge: Judge, items: tuple[Item, ...]) -> None:
    """Refuse a limit in money that cannot be kept, before anything is written.

    Raises:
        InvalidConfig: If there is such a limit and the judge does not know its price.
    """
    sample = Question(call="price", first=items[0], second=items[1], criteria=brief.criteria)
    if brief.max_cost is not None and judge.price(sample) is None:
        raise InvalidConfig(
            f"a limit of ${brief.max_cost:g} needs a price, and that of {judge.card.identity} is not known: "
            "state it (--price IN OUT), or limit calls or tokens"
        )


def check_lists(brief: Brief, judge: Judge) -> None:
    """Refuse groups that the judge cannot put in order, before anything is asked.

    Raises:
        InvalidConfig: If it takes pairs alone, or shorter lists.
    """
    if brief.group_size == 2:
        return
    lists = judge.card.lists
    if lists is None:
        raise InvalidConfig(f"{judge.card.identity} compares two items at a time: leave the group size at 2")
    longest = max(SIZES) if brief.group_size == AUTO else int(brief.group_size)
    if longest > lists.most:
        raise InvalidConfig(f"{judge.card.identity} orders {lists.most} items at the most, and {longest} are asked for")


def as_judge(judge: AnyJudge, brief: Brief) -> Judge:
    """The judge that is meant.

    Args:
        judge: A spec, a judge, or a function.
        brief: Its seed decides the draws of judges that draw; its price goes before the list's.

    Raises:
        UsageError: If it cannot be opened.
    """
    if isinstance(judge, str) and judge.startswith(GIVEN):
        raise UnknownJudge(
            f"this tournament was judged by {judge.removeprefix(GIVEN)}, which a program gave: "
            "give it again (judge=...; on the command line --judge SPEC)"
        )
    if isinstance(judge, str):
        price = (
            None if brief.price is None else Price(input_per_million=brief.price[0], output_per_million=brief.price[1])
        )
        return open_judge(judge, seed=brief.seed, price=price)
    if hasattr(judge, "compare"):
        return cast("Judge", judge)
    if not callable(judge):
        raise UnknownJudge(f"a judge is a spec, a judge or a function, not {judge!r}")
    return FunctionJudge(cast("Callable[..., object]", judge))


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


def synchronously(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, in a thread of its own where a loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as aside:
        return aside.submit(asyncio.run, work).result()
