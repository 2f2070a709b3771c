"""The matches that stand, and what the ratings would be if some did not, or if points moved otherwise."""

from collections.abc import Collection
from dataclasses import replace

from sqlalchemy import Connection

from paragone.domain import Comparison, Match, RatingConfig, decide
from paragone.errors import NotFound
from paragone.ledger import chain, matches, pools
from paragone.ratings.replay import Replay, replay


def history(
    connection: Connection, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
) -> tuple[Match, ...]:
    """The matches that stand, in the order of record, less some matches and less what some judges said.

    A match that loses some of its comparisons comes to what the others add up to; one that loses all of them was never
    played.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    recorded = matches.recorded(connection, pool)
    _require(pool, "match", without_matches, [entry.match.id for entry in recorded])
    standing = [entry.match for entry in recorded if not entry.rolled_back]
    judges = {comparison.verdict.judge for entry in recorded for comparison in entry.match.comparisons}
    _require(pool, "judge", without_judges, sorted(judges))
    kept = (_without(match, without_judges) for match in standing if match.id not in without_matches)
    return tuple(match for match in kept if match is not None)


def replayed(
    connection: Connection,
    pool: str,
    *,
    config: RatingConfig | None = None,
    without_matches: Collection[str] = (),
    without_judges: Collection[str] = (),
) -> Replay:
    """The ratings that the history comes to, under the pool's configuration or another.

    Raises:
        NotFound: If there is no such pool, or one of the matches or judges is not in it.
    """
    played = history(connection, pool, without_matches=without_matches, without_judges=without_judges)
    its_own = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    return replay(played, its_own if config is None else config, items)


def comparisons(connection: Connection, pool: str) -> tuple[Comparison, ...]:
    """The comparisons of the matches that stand, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    return tuple(comparison for match in history(connection, pool) for comparison in match.comparisons)


def _without(match: Match, judges: Collection[str]) -> Match | None:
    left = tuple(comparison for comparison in match.comparisons if comparison.verdict.judge not in judges)
    if len(left) == len(match.comparisons):
        return match
    if not left:
        return None
    scores = (comparison.score_of(match.a) for comparison in left)
    return replace(match, comparisons=left, outcome=decide(score for score in scores if score is not None))


def _require(pool: str, noun: str, named: Collection[str], there: list[str]) -> None:
    unknown = sorted(set(named).difference(there))
    if unknown:
        raise NotFound(f"pool {pool!r}: {chain.absent(noun, unknown[0], there)}")
