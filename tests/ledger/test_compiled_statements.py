"""Statements compiled once for all engines of a process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Select, String, Table, bindparam, create_engine, select

from paragone.domain import Item, Rating, RatingConfig
from paragone.ledger import Ledger, schema
from paragone.ledger.databases.dialects import COMPILED, CompiledStatements
from paragone.ledger.statements import Statement, StatementForNames

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


def test_named_rows_are_those_of_sqlalchemy(tmp_path: Path) -> None:
    """Of all and of some names, with values that are stored in another form; the order of names does not matter."""
    items = [Item(id=f"i\x00{number}", text=f"text \ud800 {number}") for number in range(9)]
    table, ids = schema.item, [item.id for item in items]
    query = select(*table.c["seq", "item", "kind", "text"]).where(table.c.pool == bindparam("of_pool"))
    every = Statement(query.order_by(table.c.seq))
    some = StatementForNames(lambda names: query.where(table.c.item.in_(names)))
    with Ledger.open(tmp_path / "items.db") as ledger:
        ledger.pools.create("pool", RatingConfig())
        ledger.items.add("pool", items)
        with ledger.pools._database.read() as connection:
            plain = connection.execute(query.order_by(table.c.seq), {"of_pool": "pool"}).all()
            named = every.named_rows(connection, {"of_pool": "pool"})
            few = some.named_rows(connection, [*ids[6:2:-1], "no such"], {"of_pool": "pool"})
            assert some.named_rows(connection, [], {"of_pool": "pool"}) == []
    assert [(row.seq, row.item, row.kind, row.text) for row in named] == [tuple(row) for row in plain]
    assert sorted(few) == named[3:7]
    assert [row.item for row in named] == ids
