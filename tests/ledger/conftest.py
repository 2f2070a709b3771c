"""A ledger in each backend, and small pieces of evidence."""

import itertools
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import select

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    Critique,
    Dealings,
    DebateTurn,
    DomainPrediction,
    Item,
    Match,
    Order,
    Outcome,
    Pairing,
    Prediction,
    Ranking,
    RatingConfig,
    RedTeamResult,
    Relation,
    Resolution,
    Review,
    Scorecard,
    Speaker,
    Stage,
    Usage,
    Verdict,
)
from paragone.ledger import Ledger, schema

T = TypeVar("T")
BACKENDS: dict[str, Callable[[pytest.FixtureRequest], str]] = {
    "sqlite-file": lambda request: f"sqlite:///{request.getfixturevalue('path')}",
    "sqlite-memory": lambda _: "sqlite://",
    "postgresql": lambda request: request.getfixturevalue("postgres_ledger"),
}
"""Every backend must pass the contract suite; another is another line here, to the URL of an empty ledger."""


@dataclass
class Clock:
    """A clock that goes back a second at each look: nothing may depend on it."""

    now: datetime = datetime(2026, 5, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now -= timedelta(seconds=1)
        return self.now


class Forge:
    """Makes evidence."""

    config = RatingConfig()

    @staticmethod
    def items(count: int) -> list[Item]:
        return [Item(id=f"i{n}", text=f"text {n}") for n in range(count)]

    @staticmethod
    def comparison(
        call: str, first: str = "i0", second: str = "i1", choice: Choice = Choice.FIRST, **verdict: object
    ) -> Comparison:
        verdict = {"judge": "judge-1", "usage": Usage(calls=1, seconds=0.5), **verdict}
        return Comparison(call=call, first=first, second=second, verdict=Verdict(choice=choice, **verdict))

    def match(self, id: str, a: str = "i0", b: str = "i1", choice: Choice = Choice.FIRST, **verdict: object) -> Match:
        comparison = self.comparison(f"{id}.AB", a, b, choice, **verdict)
        return Match.of(id, Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,), round=1)

    @staticmethod
    def ranking(call: str, shown: str = "i0 i1 i2", order: tuple[int, ...] = (2, 0, 1), **verdict: object) -> Ranking:
        choice = Choice.RANKED if order else Choice.ABSTAIN
        verdict = {"judge": "judge-1", "usage": Usage(calls=1, seconds=0.5), "choice": choice, **verdict}
        return Ranking(call=call, shown=tuple(shown.split()), verdict=Verdict(order=order, **verdict))

    @staticmethod
    def turn(call: str, number: int = 1, content: str = "It explains more.", **more: object) -> DebateTurn:
        speaker = Speaker.FIRST if number % 2 else Speaker.SECOND
        said = {"stage": Stage.OPENING, "advocate": "advocate-1", "usage": Usage(calls=1, seconds=0.25), **more}
        return DebateTurn(call=call, number=number, speaker=speaker, content=content, **said)

    @staticmethod
    def adjustment(id: str, item: str = "i0", target: float = 1300.0, share: float = 1.0) -> Adjustment:
        kind = AdjustmentKind.SEED if share == 1.0 else AdjustmentKind.DECAY
        return Adjustment(id=id, item=item, kind=kind, target=target, share=share, reason="because")

    @staticmethod
    def review(item: str = "i0", reviewer: str = "reviewer-1", score: float = 0.6, text: str = "Sound.") -> Review:
        return Review(item=item, reviewer=reviewer, score=score, scores=(("novelty", 0.25),), text=text)

    @staticmethod
    def bare(id: str, a: str = "i0", b: str = "i1", outcome: Outcome = Outcome.A) -> Match:
        return Match(id=id, a=a, b=b, outcome=outcome)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def forge() -> Forge:
    return Forge()


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest) -> str:
    """Where an empty ledger is or will be made, in each backend."""
    return BACKENDS[request.param](request)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes places for ledgers that several processes can use."""
    if request.param == "postgresql":
        return request.getfixturevalue("schema_url")
    numbers = itertools.count()
    return lambda: str(tmp_path / f"ledger{next(numbers) or ''}.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def new_ledger(request: pytest.FixtureRequest, path: Path) -> Iterator[Callable[[], str]]:
    """Lends empty ledgers that several processes can use, for tests that do not ask how; returns their URLs."""
    if request.param == "postgresql":
        ledgers = request.getfixturevalue("_empty_ledgers")
        with ExitStack() as lent:
            yield lambda: lent.enter_context(ledgers.lend())
        return
    numbers = itertools.count()

    def make() -> str:
        url = f"sqlite:///{path.with_stem(f'ledger{next(numbers)}')}"
        with Ledger.open(url, durable=False):
            return url

    yield make


@pytest.fixture(scope="module")
def lent_url(_empty_ledgers: Any) -> Iterator[Callable[[], str]]:
    """Lends empty ledgers on PostgreSQL to a module that does not ask how; returns their URLs."""
    with ExitStack() as lent:
        yield lambda: lent.enter_context(_empty_ledgers.lend())


@pytest.fixture
def shared_url(new_url: Callable[[], str]) -> str:
    """Where a ledger may be made that several processes can use."""
    return new_url()


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger.open(url, clock=Clock(), durable=False) as opened:
        yield opened


@pytest.fixture(scope="module", params=BACKENDS)
def shared_ledger(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger in each backend for all tests of a module, of which each changes no pool but its own."""
    url = "sqlite://"
    if request.param == "sqlite-file":
        url = f"sqlite:///{tmp_path_factory.mktemp('shared') / 'ledger.db'}"
    elif request.param == "postgresql":
        url = request.getfixturevalue("lent_url")()
    with Ledger.open(url, clock=Clock(), durable=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def ends() -> Callable[[Ledger], list[Any]]:
    """Reads the ends of all chains, which every commit moves: where they stay, nothing was recorded."""

    def read(ledger: Ledger) -> list[Any]:
        with ledger._database.read() as connection:
            return sorted(connection.execute(select(schema.head)))

    return read


@pytest.fixture
def thinned(request: pytest.FixtureRequest, deep: bool) -> Callable[[Iterable[T]], list[T]]:
    """Of many cases of one question the first and every seventh, in each backend others; all with --deep."""
    first = 1 + 2 * list(BACKENDS).index(request.node.callspec.params["shared_ledger"])

    def some(cases: Iterable[T]) -> list[T]:
        every = list(cases)
        return every if deep else [every[0], *every[first::7]]

    return some


@pytest.fixture
def share(request: pytest.FixtureRequest, deep: bool) -> Callable[[Iterable[T], int], list[T]]:
    """Of many cases all in SQLite and with --deep, and on PostgreSQL the first of every so many."""
    every = deep or "postgresql" not in request.node.name
    return lambda cases, many: list(cases)[:: 1 if every else many]


@pytest.fixture(scope="module")
def _examples() -> Iterator[int]:
    return itertools.count()


@pytest.fixture
def takes(request: pytest.FixtureRequest, deep: bool, _examples: Iterator[int]) -> Callable[[], bool]:
    """Whether the next example of an invariant is tried: in SQLite and with --deep each, on PostgreSQL every other one,
    and not the first, which is the plainest."""
    every = deep or "postgresql" not in request.node.name
    return lambda: every or next(_examples) % 2 == 1


@pytest.fixture(scope="session")
def cut(postgres: str) -> Iterator[Callable[[], None]]:
    """Ends all connections of this process to the server, as its end, a failing network or an administrator would.

    The server itself would look for their ends every tenth of a second only.
    """
    import psycopg

    ours = "FROM pg_stat_activity WHERE application_name LIKE %s"
    name = [f"process {os.getpid()} on %"]
    with psycopg.connect(postgres, autocommit=True) as admin:

        def end() -> None:
            assert admin.execute(f"SELECT pg_terminate_backend(pid) {ours}", name).rowcount > 0
            deadline = time.monotonic() + 20
            while admin.execute(f"SELECT pid {ours}", name).fetchone():
                assert time.monotonic() < deadline

        yield end


@pytest.fixture
def tournament(ledger: Ledger, forge: Forge) -> str:
    return ledger.tournaments.create("ideas", settings={}, items=forge.items(4), config=forge.config).id


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger file may be made."""
    return tmp_path / "ledger.db"


@pytest.fixture(scope="session")
def fill() -> Callable[[Ledger], None]:
    """Plays a tournament ``ideas-1``: 4 items, 7 matches (the last among all), one of them rolled back, one event.

    Two turns of a debate, a seed before the first match and a decay after the last, a review, and what ``debate`` does
    come in between.
    """
    forge = Forge()

    def play(ledger: Ledger) -> None:
        ledger.tournaments.create("ideas", settings={"criteria": "best"}, items=forge.items(4), config=forge.config)
        ledger.tournaments.plan_round("ideas-1", 1, [Pairing(a="i0", b="i1")])
        ledger.items.record_review("ideas-1", forge.review("i3"))
        ledger.ratings.adjust("ideas-1", [forge.adjustment("seed:i3", "i3", 1216.0)])
        for turn in (1, 2):
            ledger.tournaments.record_turn("ideas-1", forge.turn("m0.AB", turn))
        for number, (a, b) in enumerate([(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]):
            match = forge.match(f"m{number}", f"i{a}", f"i{b}", rationale="clear")
            ledger.tournaments.record_verdict("ideas-1", match.comparisons[0], key=f"key{number}")
            ledger.matches.record("ideas-1", match)
        ledger.matches.record(
            "ideas-1", Match.ranked("m6", forge.ranking("m6.1", "i0 i1 i2 i3", (3, 1, 0, 2)), round=1)
        )
        ledger.matches.rollback("ideas-1", "m1", "disputed")
        debate(ledger)
        ledger.ratings.adjust("ideas-1", [forge.adjustment("decay:i0", "i0", 1200.0, 0.1)])
        ledger.tournaments.add_event("ideas-1", "stopped", {"reason": "done"})

    return play


def debate(ledger: Ledger) -> None:
    """What agents leave behind, of each kind one, in the tournament ``ideas-1``; the items are the agents."""
    pool, card = "ideas-1", Scorecard(participants=("i0", "i1", "i2"), scores=(0.8, 0.6, 0.4), domain="law")
    ledger.agents.register(pool, "i0", "model-1")
    ledger.agents.record_matches(pool, [Match.scored("d0", card)])
    ledger.agents.record_test(
        pool, RedTeamResult(id="r0", item="i0", robustness=0.85, successful=3, total=20, domain="law")
    )
    ledger.agents.record_prediction(pool, Prediction(tournament="t", predictor="i1", winner="i2", confidence=0.75))
    ledger.agents.resolve(pool, Resolution(tournament="t", winner="i2"))
    ledger.agents.record_domain_predictions(
        pool, [DomainPrediction(agent="i1", domain="law", confidence=0.5, correct=True)]
    )
    ledger.agents.record_critiques(pool, [Critique(agent="i1", accepted=True)])
    ledger.agents.record_relations(pool, [Relation(a="i0", b="i1", dealings=Dealings(debates=1, b_wins=1))])
    ledger.agents.record_test(
        pool, RedTeamResult(id="r1", item="i1", robustness=0.9, successful=1, total=20, domain="law")
    )
    ledger.agents.void(pool, "r1", "the wrong agent")


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory, fill: Callable[[Ledger], None]) -> Path:
    path = tmp_path_factory.mktemp("template") / "ledger.db"
    with Ledger.open(path, durable=False) as ledger:
        fill(ledger)
    return path


@pytest.fixture
def filed(path: Path, _template: Path) -> Path:
    """A closed ledger file in which ``fill`` has played."""
    shutil.copy(_template, path)
    return path
