"""``ledger.texts``: full-text search over what was said in matches and over items.

The index is derived and complete in itself: it can be dropped, and is made again by the next search. It is brought up
to date by whoever searches, not by those who record, so that a match or a vote takes what it took without it. Words are
cut out here and not by the database, so that both databases find the same, and a query is data to both.
"""

import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, column, func, inspect, select, table, text

from paragone.errors import Busy, InvalidConfig, Unwritable
from paragone.ledger import chain, schema
from paragone.ledger.column_types import AT_ONCE
from paragone.ledger.databases.database import Namespace
from paragone.ledger.evidence import match_search
from paragone.ledger.records import MatchFilter
from paragone.wire.text_search import SearchKind

MOST_WORDS = 20
"""Words of a query at the most."""
_UNINDEXED = 2_000
"""Rows that are not in the index yet and are read for a search, where the index cannot be written."""
_LONGEST, _MOST_BYTES = 64, 500_000
"""Characters of a word and bytes of all words of an entry: what is beyond is not found."""
# Scripts without blanks between words: each character is a word.
_SOLID = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_SOLID}]|[^\\W_{_SOLID}]+")
_COMBINING = re.compile("[\u0300-\u036f]")

_entry = table("search_entry", *map(column, ("id", "pool", "kind", "seq", "words")))
_SQLITE = (
    (
        "CREATE TABLE IF NOT EXISTS search_entry (id INTEGER PRIMARY KEY, pool TEXT NOT NULL, kind TEXT NOT NULL, "
        "seq BIGINT NOT NULL, UNIQUE (pool, kind, seq))"
    ),
    "CREATE VIRTUAL TABLE IF NOT EXISTS search_words USING fts5(words, content='', detail='none', tokenize='ascii')",
)
_POSTGRESQL = (
    (
        "CREATE TABLE IF NOT EXISTS search_entry (id BIGSERIAL PRIMARY KEY, pool TEXT NOT NULL, kind TEXT NOT NULL, "
        "seq BIGINT NOT NULL, words TSVECTOR NOT NULL, UNIQUE (pool, kind, seq))"
    ),
    "CREATE INDEX IF NOT EXISTS ix_search_entry_words ON search_entry USING GIN (words)",
)
_MATCHING = {
    "sqlite": "SELECT e.seq FROM search_words CROSS JOIN search_entry e ON e.id = search_words.rowid "
    "WHERE search_words MATCH :query AND e.pool = :of_pool AND e.kind = :of_kind",
    "postgresql": "SELECT e.seq FROM search_entry e "
    "WHERE e.words @@ CAST(:query AS tsquery) AND e.pool = :of_pool AND e.kind = :of_kind",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A text that was found.

    Attributes:
        by: Who said it: a judge or an advocate; empty for the text of an item.
        text: All of it.
    """

    by: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Hits:
    """What a search found.

    Attributes:
        ids: Ids of matches or items, the newest first, of one page.
        said: What each has to say, by id.
        total: How many there are, among the newest that were looked through.
        complete: Whether everything on record was searched; else the index is still being made.
    """

    ids: tuple[str, ...]
    said: Mapping[str, Sequence[Said]]
    total: int
    complete: bool


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case and without accents, each once."""
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return list(dict.fromkeys(word[:_LONGEST] for word in _WORD.findall(plain)))


class Texts(Namespace):
    """What was said in matches, and the texts of items, by their words."""

    def search(
        self,
        pool: str,
        query: str,
        kind: SearchKind = "match",
        *,
        match_filter: MatchFilter | None = None,
        count: int = 50,
        offset: int = 0,
        seconds: float = 60.0,
    ) -> Hits:
        """Matches or items that have each word of a query, or a longer word that begins with it.

        Args:
            pool: The pool.
            query: The words; punctuation is ignored.
            kind: What is searched.
            match_filter: What matches must be besides.
            count: The largest number of results.
            offset: How many to pass over.
            seconds: How long the index may be brought up to date before the search; the next search continues.

        Raises:
            NotFound: If there is no such pool.
            InvalidConfig: If the query has no word, or too many.
        """
        words = words_of(query)
        if not words:
            raise InvalidConfig("a search needs a word", key="text")
        if len(words) > MOST_WORDS:
            raise InvalidConfig(f"a search has {MOST_WORDS} words at the most, not {len(words)}", key="text")
        complete = self.bring_up_to_date(pool, kind, seconds)
        with self._database.read() as connection:
            sequences = _matching(connection, pool, kind, words)
            if not complete:  # what is left is read, as far as it is little
                last = _last(connection, pool, kind)
                rest = _texts(connection, pool, kind, last, _UNINDEXED)
                complete = len(rest) < _UNINDEXED
                sequences |= {seq for seq, texts in rest.items() if _has(texts, words)}
            return _page(connection, pool, kind, sequences, match_filter or MatchFilter(), count, offset, complete)

    def bring_up_to_date(self, pool: str, kind: SearchKind, seconds: float) -> bool:
        """Add what was recorded since to the index, for so long; whether nothing is left.

        Raises:
            NotFound: If there is no such pool.
        """
        until = time.monotonic() + seconds
        while True:
            with self._database.read() as connection:
                chain.require(connection, pool)
                is_behind = bool(_texts(connection, pool, kind, _last(connection, pool, kind), 1))
            if not is_behind or time.monotonic() > until:
                return not is_behind
            try:
                with self._database.write(alone=True) as connection:
                    _index(connection, pool, kind)
            except (Unwritable, Busy):  # a file or a role that is only read, or somebody who writes for long
                return False


def _last(connection: Connection, pool: str, kind: SearchKind) -> int:
    """The sequence number of the last row in the index."""
    if not inspect(connection).has_table(_entry.name):
        return 0
    query = select(func.max(_entry.c.seq)).where(_entry.c.pool == pool, _entry.c.kind == kind)
    return connection.scalar(query) or 0


def _index(connection: Connection, pool: str, kind: SearchKind) -> None:
    """Add the next rows to the index, which is made where there is none."""
    is_sqlite = connection.dialect.name == "sqlite"
    for statement in _SQLITE if is_sqlite else _POSTGRESQL:
        connection.execute(text(statement))
    added = _texts(connection, pool, kind, _last(connection, pool, kind), AT_ONCE)
    for seq, texts in added.items():
        values = {"pool": pool, "kind": kind, "seq": seq}
        words = _bounded(words_of("\n".join(each.text for each in texts)))
        if is_sqlite:
            row = connection.execute(
                text("INSERT INTO search_entry (pool, kind, seq) VALUES (:pool, :kind, :seq)"), values
            )
            insert = text("INSERT INTO search_words (rowid, words) VALUES (:id, :words)")
            connection.execute(insert, {"id": row.lastrowid, "words": " ".join(words)})
        else:
            insert = text(
                "INSERT INTO search_entry (pool, kind, seq, words) "
                "VALUES (:pool, :kind, :seq, array_to_tsvector(CAST(:words AS text[])))"
            )
            connection.execute(insert, {**values, "words": words})


def _bounded(words: Iterable[str]) -> list[str]:
    bounded, size = [], 0
    for word in words:
        size += len(word.encode("utf-8", "surrogatepass")) + 1
        if size > _MOST_BYTES:
            break
        bounded.append(word)
    return bounded


def _matching(connection: Connection, pool: str, kind: SearchKind, words: Sequence[str]) -> set[int]:
    """Sequence numbers of the rows in the index that have all words."""
    if not inspect(connection).has_table(_entry.name):
        return set()
    if connection.dialect.name == "sqlite":
        query = " ".join(f'"{word}"*' for word in words)
    else:
        query = " & ".join(f"'{word}':*" for word in words)
    statement = text(_MATCHING[connection.dialect.name])
    return set(connection.scalars(statement, {"query": query, "of_pool": pool, "of_kind": kind}))


def _has(texts: Sequence[Said], words: Sequence[str]) -> bool:
    spoken = words_of("\n".join(each.text for each in texts))
    return all(any(each.startswith(word) for each in spoken) for word in words)


def _texts(connection: Connection, pool: str, kind: SearchKind, after: int, count: int) -> dict[int, list[Said]]:
    """What the next rows after a sequence number have to say, by sequence number."""
    if kind == "item":
        item = schema.item
        query = select(item.c.seq, item.c.item, item.c.text).where(item.c.pool == pool, item.c.seq > after)
        rows = connection.execute(query.order_by(item.c.seq).limit(count))
        return {row.seq: [Said(by="", text=row.text), Said(by="", text=row.item)] for row in rows}
    match = schema.match
    query = select(match.c.seq, match.c.match).where(match.c.pool == pool, match.c.seq > after)
    ids = {row.match: row.seq for row in connection.execute(query.order_by(match.c.seq).limit(count))}
    texts_by_id = _said(connection, pool, list(ids))
    return {seq: texts_by_id[id] for id, seq in ids.items()}


def _said(connection: Connection, pool: str, matches: Sequence[str]) -> defaultdict[str, list[Said]]:
    """What judges and advocates said in some matches."""
    texts: defaultdict[str, list[Said]] = defaultdict(list)
    turn = schema.debate_turn
    for begin in range(0, len(matches), AT_ONCE):
        ids = matches[begin : begin + AT_ONCE]
        for link, linked, answer in match_search.ANSWERS:
            joined = link.join(answer, (answer.c.pool == link.c.pool) & (answer.c.seq == link.c[linked]))
            of_these = (link.c.pool == pool) & link.c.match.in_(ids)
            query = select(link.c.match, answer.c.judge, answer.c.rationale).select_from(joined).where(of_these)
            for row in connection.execute(query.order_by(link.c.seq)):
                texts[row.match].append(Said(by=row.judge, text=row.rationale))
            turns = joined.join(turn, (turn.c.pool == answer.c.pool) & (turn.c.call == answer.c.call))
            spoken = select(link.c.match, turn.c.advocate, turn.c.content).select_from(turns).where(of_these)
            for row in connection.execute(spoken.order_by(link.c.seq, turn.c.number)):
                texts[row.match].append(Said(by=row.advocate, text=row.content))
    return texts


def _page(
    connection: Connection,
    pool: str,
    kind: SearchKind,
    sequences: set[int],
    match_filter: MatchFilter,
    count: int,
    offset: int,
    complete: bool,
) -> Hits:
    newest = sorted(sequences, reverse=True)
    if kind == "match" and match_filter != MatchFilter():
        newest = match_search.those_that_meet(connection, pool, newest, match_filter)
    page = newest[offset : offset + count]
    source = schema.match if kind == "match" else schema.item
    query = select(source.c.seq, source.c[kind]).where(source.c.pool == pool, source.c.seq.in_(page))
    ids = {row[0]: row[1] for row in connection.execute(query)}
    listed = [ids[seq] for seq in page]
    texts: Mapping[str, Sequence[Said]] = (
        _said(connection, pool, listed)
        if kind == "match"
        else {ids[seq]: _texts(connection, pool, kind, seq - 1, 1)[seq] for seq in page}
    )
    return Hits(ids=tuple(listed), said={id: texts[id] for id in listed}, total=len(newest), complete=complete)
