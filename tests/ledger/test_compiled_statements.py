"""Statements compiled once for all engines of a process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Select, String, Table, create_engine, select

from paragone.domain import Rating
from paragone.ledger import Ledger
from paragone.ledger.databases.dialects import COMPILED, CompiledStatements

WORDS = Table("words", MetaData(), Column("number", Integer), Column("word", String))


def word_of(number: int) -> Select[tuple[str]]:
    return select(WORDS.c.word).where(WORDS.c.number == number)


def words_in(folder: Path, name: str, words: dict[int, str], statements: CompiledStatements) -> Callable[[int], str]:
    """Fills a table in a database of its own, and reads from it through the given cache."""
    engine = create_engine(f"sqlite:///{folder / name}", execution_options={"compiled_cache": statements})
    with engine.begin() as connection:
        WORDS.create(connection)
        connection.execute(WORDS.insert(), [{"number": number, "word": word} for number, word in words.items()])

    def read(number: int) -> str:
        with engine.begin() as connection:
            return connection.execute(word_of(number)).scalar_one()

    return read


def test_a_second_engine_compiles_nothing_and_reads_its_own_values(tmp_path: Path) -> None:
    statements = CompiledStatements(100)
    first = words_in(tmp_path, "first.db", {1: "one", 2: "two"}, statements)
    assert first(1) == "one"
    compiled = dict(statements.items())
    assert compiled
    second = words_in(tmp_path, "second.db", {1: "un", 2: "deux"}, statements)
    assert [second(1), second(2), first(2)] == ["un", "deux", "two"]
    assert {key: id(statement) for key, statement in statements.items()} == {
        key: id(statement) for key, statement in compiled.items()
    }


@pytest.mark.parametrize(
    ("changed", "value"), [("name", "postgresql"), ("server_version_info", (3, 0)), ("paramstyle", "named")]
)
def test_what_the_text_depends_on_has_statements_of_its_own(changed: str, value: object) -> None:
    statements = CompiledStatements(100)
    one, same, other = (create_engine("sqlite://").dialect for _ in range(3))
    setattr(other, changed, value)
    compiled = word_of(1).compile(dialect=one)
    statements[one, "structure", ()] = compiled
    assert statements.get((same, "structure", ())) is compiled
    assert statements.get((other, "structure", ())) is None
    assert statements.get((one, "other structure", ()), "none") == "none"


def test_of_too_many_those_go_that_were_not_used_for_longest() -> None:
    statements, dialect = CompiledStatements(4), create_engine("sqlite://").dialect
    compiled = word_of(1).compile(dialect=dialect)
    for number in range(100):
        statements[dialect, "number", number] = compiled
    assert len(statements) <= 6
    assert statements.get((dialect, "number", 99)) is compiled
    assert statements.get((dialect, "number", 0)) is None


def test_opening_another_ledger_compiles_nothing(new_url: Callable[[], str], fill: Callable[[Ledger], None]) -> None:
    def play() -> dict[str, Rating]:
        with Ledger.open(new_url(), durable=False) as ledger:
            fill(ledger)
            return ledger.ratings.all("ideas-1")

    ratings = play()
    before = set(COMPILED)
    assert play() == ratings
    assert set(COMPILED) == before
