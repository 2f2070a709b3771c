"""The matches that stand, and what the ratings would be if some did not, or if points moved otherwise.

Adjustments always stand, and so do tests that are not void: what is supposed of matches and judges does not undo what
nobody judged. What a test of a red team moves depends on K, and so on the configuration that is supposed.
"""

from collections.abc import Collection
from dataclasses import replace

from sqlalchemy import Connection

from paragone.domain import Comparison, Match, Rating, RatingConfig, decide
from paragone.errors import NotFound
from paragone.ledger import chain
from paragone.ledger.agents import strength_tests
from paragone.ledger.evidence import adjustments, matches, pools
from paragone.ledger.evidence.match_columns import MatchColumns, is_paired, played
from paragone.ratings.replay import Entry, Replay, Tracks, replay


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
        **{each.sequence: each.adjustment for each in adjustments.recorded(connection, pool)},
        **{seq: test for seq, test in tests.items() if seq not in without_tests},
        **_standing(connection, pool, without_matches, without_judges),
    }
    its_own = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    return replay([entry for _, entry in sorted(entries.items())], its_own if config is None else config, items)


def ratings(
    connection: Connection,
    pool: str,
    *,
    config: RatingConfig | None = None,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
) -> dict[str, Rating]:
    """The global ratings of ``standings``.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    return standings(connection, pool, config=config, without_matches=without_matches, without_judges=without_judges)[0]


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


def comparisons(connection: Connection, pool: str) -> tuple[Comparison, ...]:
    """The comparisons of the matches that stand, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    return tuple(comparison for match in history(connection, pool) for comparison in match.comparisons)


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
