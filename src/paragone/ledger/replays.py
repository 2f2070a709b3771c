"""Replays of a pool: without some matches or judges, with other parameters, and to rebuild the projections.

A what-if leaves out matches and verdicts only: adjustments and valid tests always count, since no judge made them. How
far a red team's result moves a rating depends on K, and so on the parameters of the what-if.
"""

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, select

from paragone.domain import GLOBAL, Rating, RatingChange, RatingConfig
from paragone.errors import Corrupted
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.evidence import (
    matches,
    pools,
    rating_changes,
    relations,
    strength_tests,
    tallies,
)
from paragone.ledger.evidence.agent_evidence import NONE, counting, voided_tests
from paragone.ledger.evidence.match_columns import columns, is_paired, played, raw, read_ids
from paragone.ledger.evidence.predictions import latest
from paragone.ledger.records import AgentTally
from paragone.ledger.statements import Statement
from paragone.ratings.running_elo import EloEvent, EloReplay, Tracks, advance, new_track, replay

RatingSet = tuple[Mapping[str, Rating], Tracks]
"""The global ratings by item, and those of domains."""


def replayed(
    connection: Connection,
    pool: str,
    *,
    config: RatingConfig | None = None,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_tests: Collection[int] = (),
) -> EloReplay:
    """A replay of the history, all adjustments and the valid tests, with the pool's parameters or others.

    Tests in ``without_tests``, which are sequence numbers, are left out as well.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    tests = strength_tests.valid(connection, pool)
    entries: dict[int, EloEvent] = {
        **{each.sequence: each.adjustment for each in rating_changes.recorded_adjustments(connection, pool)},
        **{seq: test for seq, test in tests.items() if seq not in without_tests},
        **matches.counted(connection, pool, without_matches, without_judges),
    }
    pool_config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    return replay([entry for _, entry in sorted(entries.items())], pool_config if config is None else config, items)


def ratings_without(
    connection: Connection,
    pool: str,
    *,
    config: RatingConfig | None = None,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_tests: Collection[int] = (),
) -> tuple[dict[str, Rating], Tracks]:
    """The final ratings of ``replayed``, global ones and those in domains; by columns if all matches are between two.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    pool_config = pools.config(connection, pool)
    columns_ = columns(connection, pool, without_matches=without_matches, without_judges=without_judges)
    if columns_ is not None:
        return columns_.ratings(pool_config if config is None else config), {}
    replay_ = replayed(
        connection,
        pool,
        config=config,
        without_matches=without_matches,
        without_judges=without_judges,
        without_tests=without_tests,
    )
    return replay_.ratings, replay_.tracks


def compensations(before: RatingSet, after: RatingSet, cause: str) -> tuple[RatingChange, ...]:
    """The changes from one set of ratings to another: global ones in the order of items, then those in domains.

    They name the voided match or test, and their K, expectation and score are zero, since no contest made them. A
    rating in a domain without any evidence left goes back to where it would start again: to the global rating.
    """
    (ratings, tracks), (now, tracks_now) = before, after
    moves = [(ratings[item], rating) for item, rating in now.items()]
    for key, old in sorted(tracks.items()):
        item, domain = key
        moves.append((old, tracks_now.get(key) or new_track(now[item], domain)))
    return tuple(
        rating_changes.uncontested(old.item, cause, old.elo, new.elo, track=old.track)
        for old, new in moves
        if new.elo != old.elo
    )


def recomputed(connection: Connection, pool: str) -> EloReplay:
    """A replay of all matches, adjustments, tests and voids of a pool, with every change in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    now = replay((), config, items)
    counted: dict[int, EloEvent] = {}
    changes: list[RatingChange] = []
    for seq, entry in _history(connection, pool):
        if isinstance(entry, int):
            voided = counted.pop(entry)
            before, now = now, replay(counted.values(), config, items)
            changes.extend(compensations((before.ratings, before.tracks), (now.ratings, now.tracks), voided.id))
            continue
        counted[seq] = entry
        try:
            changes.extend(advance(now.ratings, now.tracks, entry, config))
        except KeyError as error:  # no version of paragone writes such a row
            raise Corrupted(f"{entry.id!r} of pool {pool!r} is about {error}, which is not in it") from error
    return replace(now, changes=tuple(changes))


def _history(connection: Connection, pool: str) -> list[tuple[int, EloEvent | int]]:
    """What moves ratings, by sequence number; for a void, the sequence number of the voided match or test."""
    played = matches.recorded(connection, pool)
    entries: dict[int, EloEvent | int] = {
        **{recorded.sequence: recorded.match for recorded in played},
        **{
            recorded.sequence: recorded.adjustment for recorded in rating_changes.recorded_adjustments(connection, pool)
        },
        **strength_tests.by_sequence(connection, pool),
        **voided_tests(connection, pool),
    }
    seqs = {recorded.match.id: recorded.sequence for recorded in played}
    entries.update((seq, seqs[match]) for seq, match in _ROLLBACKS.rows(connection, {"of_pool": pool}))
    return sorted(entries.items(), key=itemgetter(0))


def current(recorded: Iterable[RatingChange], replayed: EloReplay) -> tuple[dict[str, Rating], Tracks]:
    """What the projections must hold: recomputed counts, and the rating after the last recorded change.

    The rating is taken from the record because the last bit of a recomputed one may differ from machine to machine.

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
    """Delete the projections of a pool and compute them again.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.hold(connection, pool)  # as every writer does first, or evidence added meanwhile would be missed
    config = pools.config(connection, pool)
    if is_paired(connection, pool):
        ratings, tracks = _by_columns(connection, pool, config), Tracks()
    else:
        ratings, tracks = current(rating_changes.every(connection, pool), recomputed(connection, pool))
    running_ratings.replace_all(connection, dialect, pool, ratings, tracks)
    _rebuild_counts(connection, pool)
    chain.rebuild_head(connection, pool)


def _by_columns(connection: Connection, pool: str, config: RatingConfig) -> dict[str, Rating]:
    """``current``, by columns instead of match by match."""
    counted = played(connection, pool)
    rows = _RATED.stream(connection, {"of_pool": pool})
    elo = {item: new for _, item, new in rows}  # the last change of each item remains
    last = dict(zip(read_ids(elo), elo.values(), strict=True))
    return {
        item: replace(rating, elo=last.get(item, config.initial)) for item, rating in counted.ratings(config).items()
    }


_ROLLBACKS = Statement(
    select(schema.rollback.c.seq, schema.rollback.c.match).where(schema.rollback.c.pool == bindparam("of_pool"))
)
_RATED = Statement(
    rating_changes.merged(
        bindparam("of_pool"),
        [(table, select(*raw(table, "seq", "item", "new"))) for table in (schema.rating_change, schema.adjustment)],
    )
)

ReplayedOutcome = tuple[int, str, float, bool]
"""Place of a prediction's outcome in the record, its agent, its confidence, and whether it came true."""

_CRITIQUES = Statement(counting(schema.critique, "item", "accepted"))
_PREDICTIONS, _RESOLUTIONS = Statement(counting(schema.prediction)), Statement(counting(schema.resolution))
_IN_DOMAINS = Statement(counting(schema.domain_prediction, "seq", "item", "confidence", "correct"))


def _rebuild_counts(connection: Connection, pool: str) -> None:
    """Delete the counts of the agents of a pool, and count them again."""
    counted = counted_again(connection, pool)
    sums = relations.added_up(relations.additions(connection, pool), {})
    for table in (schema.agent_tally, schema.relationship):
        connection.execute(delete(table).where(table.c.pool == pool))
    tallies.write(connection, pool, counted)
    relations.write(connection, pool, sums)


def counted_again(connection: Connection, pool: str, *, without: int = NONE) -> dict[str, AgentTally]:
    """The tallies of all agents, from evidence that is not void.

    Outcomes are added up in the order in which they became known, as when they were recorded, so that sums are equal to
    the last bit.

    Args:
        connection: A transaction.
        pool: The pool.
        without: Sequence number of a piece of evidence to leave out.
    """
    counted = tallies.Tallies()
    values = {"of_pool": pool, "without": without}
    for item, is_accepted in _CRITIQUES.stream(connection, values):
        counted.critique(item, is_accepted)
    in_domains = _IN_DOMAINS.stream(connection, values)
    for _, agent, confidence, correct in heapq.merge(
        _of_tournaments(connection, values), in_domains, key=itemgetter(0)
    ):
        counted.outcome(agent, confidence, correct)
    return counted.by_agent


def _of_tournaments(connection: Connection, values: Mapping[str, Any]) -> Iterator[ReplayedOutcome]:
    by_tournament: dict[str, list[Row[tuple[Any, ...]]]] = defaultdict(list)
    for row in _PREDICTIONS.stream(connection, values):
        by_tournament[row.tournament].append(row)
    for row in _RESOLUTIONS.named_rows(connection, values):
        for agent, prediction in latest(by_tournament[row.tournament]).items():
            yield row.seq, agent, prediction.confidence, prediction.winner == row.winner
