"""The past played again: without some matches, under other parameters, and as the projections have to be.

Adjustments always stand, and so do tests that are not void: what is supposed of matches and judges does not undo what
nobody judged. What a test of a red team moves depends on K, and so on the configuration that is supposed.
"""

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, select

from paragone.domain import GLOBAL, Match, Rating, RatingChange, RatingConfig, decide
from paragone.errors import Corrupted, NotFound
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.columns import AT_ONCE
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.evidence import (
    matches,
    pools,
    rating_changes,
    relations,
    strength_tests,
    tallies,
)
from paragone.ledger.evidence.agent_evidence import stands, voided_tests
from paragone.ledger.evidence.match_columns import MatchColumns, is_paired, played, raw, rows_of, unstored
from paragone.ledger.evidence.predictions import latest
from paragone.ledger.records import AgentTally
from paragone.ratings.replay import Entry, Replay, Tracks, advance, new_track, replay

Standings = tuple[Mapping[str, Rating], Tracks]
"""The global ratings by item, and those of domains."""


def history(
    connection: Connection, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
) -> tuple[Match, ...]:
    """The matches that stand, in the order of record, less some matches and less what some judges said.

    A match that loses some of its comparisons comes to what the others add up to; one that loses all of them was never
    played.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    return tuple(_standing(connection, pool, without_matches, without_judges).values())


def _standing(
    connection: Connection, pool: str, without_matches: Collection[str], without_judges: Collection[str]
) -> dict[int, Match]:
    """``history``, by the places of the matches in the record."""
    recorded = matches.recorded(connection, pool)
    _require(pool, "match", without_matches, [entry.match.id for entry in recorded])
    judges = {answer.verdict.judge for entry in recorded for answer in entry.match.answers}
    _require(pool, "judge", without_judges, sorted(judges))
    by_seq = {
        entry.sequence: _without(entry.match, without_judges)
        for entry in recorded
        if not entry.rolled_back and entry.match.id not in without_matches
    }
    return {seq: match for seq, match in by_seq.items() if match is not None}


def replayed(
    connection: Connection,
    pool: str,
    *,
    config: RatingConfig | None = None,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_tests: Collection[int] = (),
) -> Replay:
    """The ratings that the history, all adjustments and the tests come to, under the pool's configuration or another.

    Tests that were voided are left out, and so are some more, by their places in the record.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    tests = strength_tests.standing(connection, pool)
    entries: dict[int, Entry] = {
        **{each.sequence: each.adjustment for each in rating_changes.recorded_adjustments(connection, pool)},
        **{seq: test for seq, test in tests.items() if seq not in without_tests},
        **_standing(connection, pool, without_matches, without_judges),
    }
    its_own = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    return replay([entry for _, entry in sorted(entries.items())], its_own if config is None else config, items)


def standings(
    connection: Connection,
    pool: str,
    *,
    config: RatingConfig | None = None,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_tests: Collection[int] = (),
) -> tuple[dict[str, Rating], Tracks]:
    """The ratings of ``replayed``, global ones and those of domains, by columns where all matches are between two.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    its_own = pools.config(connection, pool)
    columns_ = columns(connection, pool, without_matches, without_judges)
    if columns_ is not None:
        return columns_.ratings(its_own if config is None else config), {}
    replay_ = replayed(
        connection,
        pool,
        config=config,
        without_matches=without_matches,
        without_judges=without_judges,
        without_tests=without_tests,
    )
    return replay_.ratings, replay_.tracks


def columns(
    connection: Connection, pool: str, without_matches: Collection[str], without_judges: Collection[str]
) -> MatchColumns | None:
    """``history`` as columns; None where a match was among several items, or had a scorecard, or an item was tested.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    pools.config(connection, pool)
    if not is_paired(connection, pool):
        return None
    return played(connection, pool, without_matches=without_matches, without_judges=without_judges)


def _without(match: Match, judges: Collection[str]) -> Match | None:
    if match.ranking is not None:
        return None if match.ranking.verdict.judge in judges else match
    remaining = tuple(comparison for comparison in match.comparisons if comparison.verdict.judge not in judges)
    if len(remaining) == len(match.comparisons):
        return match
    if not remaining:
        return None
    scores = (comparison.score_of(match.a) for comparison in remaining)
    return replace(match, comparisons=remaining, outcome=decide(score for score in scores if score is not None))


def _require(pool: str, noun: str, ids: Collection[str], existing: list[str]) -> None:
    unknown = sorted(set(ids).difference(existing))
    if unknown:
        raise NotFound(f"pool {pool!r}: {chain.absent(noun, unknown[0], existing)}")


def compensations(before: Standings, after: Standings, cause: str) -> tuple[RatingChange, ...]:
    """The moves from one set of ratings to another, one for each that differs: in the order of items, then of domains.

    They name the match or the test that is voided, and have a K, an expectation and a score of zero: no contest made
    them. A rating in a domain where nothing is left of an item goes back to where it would begin again: at the global
    one.
    """
    (ratings, tracks), (now, tracks_now) = before, after
    moves = [(ratings[item], rating) for item, rating in now.items()]
    for key, old in sorted(tracks.items()):
        item, domain = key
        moves.append((old, tracks_now.get(key) or new_track(now[item], domain)))
    return tuple(
        RatingChange(
            item=old.item, match=cause, old=old.elo, new=new.elo, k=0.0, expected=0.0, score=0.0, track=old.track
        )
        for old, new in moves
        if new.elo != old.elo
    )


def recomputed(connection: Connection, pool: str) -> Replay:
    """Every move that the matches, adjustments, tests and voids of a pool imply, in order, and where it ends.

    Raises:
        NotFound: If there is no such pool.
    """
    config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    now = replay((), config, items)
    counted: dict[int, Entry] = {}
    changes: list[RatingChange] = []
    for seq, entry in _history(connection, pool):
        if isinstance(entry, int):
            gone = counted.pop(entry)
            before, now = now, replay(counted.values(), config, items)
            changes.extend(compensations((before.ratings, before.tracks), (now.ratings, now.tracks), gone.id))
            continue
        counted[seq] = entry
        try:
            changes.extend(advance(now.ratings, now.tracks, entry, config))
        except KeyError as error:  # nothing of ours names an item that is not there
            raise Corrupted(f"{entry.id!r} of pool {pool!r} is about {error}, which is not in it") from error
    return replace(now, changes=tuple(changes))


def _history(connection: Connection, pool: str) -> list[tuple[int, Entry | int]]:
    """What moves ratings, by its place in the record; a void of a match or a test is the place of that."""
    played = matches.recorded(connection, pool)
    entries: dict[int, Entry | int] = {
        **{recorded.sequence: recorded.match for recorded in played},
        **{
            recorded.sequence: recorded.adjustment for recorded in rating_changes.recorded_adjustments(connection, pool)
        },
        **strength_tests.by_place(connection, pool),
        **voided_tests(connection, pool),
    }
    seqs = {recorded.match.id: recorded.sequence for recorded in played}
    table = schema.rollback
    rows = connection.execute(select(table.c.seq, table.c.match).where(table.c.pool == pool))
    entries.update((row.seq, seqs[row.match]) for row in rows)
    return sorted(entries.items(), key=itemgetter(0))


def current(recorded: Iterable[RatingChange], replayed: Replay) -> tuple[dict[str, Rating], Tracks]:
    """What the projections must hold: the records that were recomputed, and the rating after the last recorded change.

    That rating is taken from the record because the last bit of a recomputed one may differ from machine to machine.

    Args:
        recorded: All changes of the pool.
        replayed: What was recomputed.
    """
    last = {(change.item, change.track): change.new for change in recorded}
    ratings = {
        item: replace(rating, elo=last.get((item, GLOBAL), rating.elo)) for item, rating in replayed.ratings.items()
    }
    return ratings, {key: replace(rating, elo=last.get(key, rating.elo)) for key, rating in replayed.tracks.items()}


def rebuild(connection: Connection, dialect: Dialect, pool: str) -> None:
    """Drop the projections of a pool and make them again.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.hold(connection, pool)  # as every writer does first: evidence added meanwhile would be missed
    config = pools.config(connection, pool)
    if is_paired(connection, pool):
        ratings, tracks = _by_columns(connection, pool, config), Tracks()
    else:
        ratings, tracks = current(rating_changes.every(connection, pool), recomputed(connection, pool))
    running_ratings.replace_all(connection, dialect, pool, ratings, tracks)
    _rebuild_counts(connection, pool)
    chain.mend_head(connection, pool)


def _by_columns(connection: Connection, pool: str, config: RatingConfig) -> dict[str, Rating]:
    """``current``, without the nouns of all matches."""
    counted = played(connection, pool)
    parts = [(table, select(*raw(table, "seq", "item", "new"))) for table in (schema.rating_change, schema.adjustment)]
    rows = rows_of(connection, rating_changes.merged(pool, parts))
    elo = {item: new for _, item, new in rows}  # of an item's moves the last one stays
    last = dict(zip(unstored(elo), elo.values(), strict=True))
    return {
        item: replace(rating, elo=last.get(item, config.initial)) for item, rating in counted.ratings(config).items()
    }


Outcome = tuple[int, str, float, bool]
"""Place of a prediction's outcome in the record, its agent, its confidence, and whether it came true."""

_prediction, _resolution, _critique = schema.prediction, schema.resolution, schema.critique
_domain_prediction = schema.domain_prediction


def _rebuild_counts(connection: Connection, pool: str) -> None:
    """Delete the counts of the agents of a pool, and count them again."""
    counted = counted_again(connection, pool)
    sums = relations.added_up(relations.additions(connection, pool), {})
    for table in (schema.agent_tally, schema.relationship):
        connection.execute(delete(table).where(table.c.pool == pool))
    tallies.write(connection, pool, counted)
    relations.write(connection, pool, sums)


def counted_again(connection: Connection, pool: str, *, without: int | None = None) -> dict[str, AgentTally]:
    """The tallies of all agents, from the evidence that stands.

    Args:
        connection: A transaction.
        pool: The pool.
        without: A piece of evidence that is to be left out, by its place in the record.
    """
    counted = tallies.Tallies()
    critiques = select(*_critique.c["item", "accepted"]).where(_critique.c.pool == pool)
    for row in _rows(connection, critiques.where(stands(_critique, without=without))):
        counted.critique(row.item, row.accepted)
    for _, agent, confidence, correct in heapq.merge(
        _of_tournaments(connection, pool, without), _in_domains(connection, pool, without), key=itemgetter(0)
    ):
        counted.outcome(agent, confidence, correct)
    return counted.by_agent


def _of_tournaments(connection: Connection, pool: str, without: int | None) -> Iterator[Outcome]:
    foretold: dict[str, list[Row[tuple[Any, ...]]]] = defaultdict(list)
    predicted = select(_prediction).where(_prediction.c.pool == pool, stands(_prediction, without=without))
    for row in _rows(connection, predicted.order_by(_prediction.c.seq)):
        foretold[row.tournament].append(row)
    resolved = select(_resolution).where(_resolution.c.pool == pool, stands(_resolution, without=without))
    for row in connection.execute(resolved.order_by(_resolution.c.seq)).all():
        for agent, prediction in latest(foretold[row.tournament]).items():
            yield row.seq, agent, prediction.confidence, prediction.winner == row.winner


def _in_domains(connection: Connection, pool: str, without: int | None) -> Iterator[Outcome]:
    query = select(*_domain_prediction.c["seq", "item", "confidence", "correct"]).where(
        _domain_prediction.c.pool == pool
    )
    query = query.where(stands(_domain_prediction, without=without))
    for row in _rows(connection, query.order_by(_domain_prediction.c.seq)):
        yield row.seq, row.item, row.confidence, row.correct


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    return iter(connection.execute(query.execution_options(yield_per=AT_ONCE)))
