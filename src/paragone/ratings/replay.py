"""From recorded matches and adjustments to running Elo: the one definition, one at a time or all at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from paragone.domain import Adjustment, Match, Outcome, Rating, RatingChange, RatingConfig
from paragone.ratings.elo import Move, update, update_ordered
from paragone.ratings.k_factor import MarginRule
from paragone.ratings.rule import ORDINARY, PLAIN, Conditions, EloRule, Reversion, Reverted

Ratings = tuple[Rating, ...]
Changes = tuple[RatingChange, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """Where the ratings stand after a sequence of matches, and every move that led there.

    Attributes:
        ratings: The rating of each item, by id.
        changes: One for each item of each match that counted, in the order of play, the match's ``items`` in theirs;
            and one for each adjustment.
        periods: The last period that each item played in, where the rule tells periods apart.
        reversions: The ratings that went back towards the mean between periods, in the order in which they did.
    """

    ratings: dict[str, Rating]
    changes: Changes
    periods: dict[str, str] = field(default_factory=dict)
    reversions: tuple[Reverted, ...] = ()


def step(
    ratings: Ratings,
    match: Match,
    config: RatingConfig,
    *,
    rule: EloRule = PLAIN,
    conditions: Conditions = ORDINARY,
) -> tuple[Ratings, Changes]:
    """Play one match.

    Args:
        ratings: The ratings of the match's ``items`` before it, in their order.
        match: The match; a void one changes nothing. One among several counts as one against each opponent.
        config: K, floor and ceiling.
        rule: What is done beyond that; reversion is no part of a match, see ``replay``. A match among several has
            neither an advantage nor a margin.
        conditions: What is known of the match.

    Returns:
        All ratings after the match, and a change for each; no change for a void match.

    Raises:
        ValueError: If the ratings are not those of the match's items, or the rule needs a margin and there is none.
    """
    items = match.items
    if tuple([rating.item for rating in ratings]) != items or len(set(items)) < len(items):
        raise ValueError(
            f"match {match.id!r} is between {' and '.join(map(repr, items))}, "
            f"not {' and '.join(repr(rating.item) for rating in ratings)}"
        )
    if match.outcome is Outcome.VOID:
        return ratings, ()
    moves = _moves(ratings, match, config, rule, conditions)
    among_two = match.ranking is None
    after = [
        _after(rating, move, None if among_two else place, len(ratings))
        for place, (rating, move) in enumerate(zip(ratings, moves, strict=True))
    ]
    return tuple(after), tuple([_record(item, match.id, move) for item, move in zip(items, moves, strict=True)])


def adjust(rating: Rating, adjustment: Adjustment, config: RatingConfig) -> tuple[Rating, RatingChange]:
    """Move one rating as an adjustment says, within floor and ceiling; it does not count as a match.

    Returns:
        The rating afterwards, and the change: it has the adjustment's id for its match, and a K, an expectation and a
        score of 0, since no contest made it.
    """
    intended = adjustment.moved(rating.elo)
    new = min(max(intended, config.floor), config.ceiling)
    change = RatingChange(
        item=rating.item,
        match=adjustment.id,
        old=rating.elo,
        new=new,
        k=0.0,
        expected=0.0,
        score=0.0,
        clamped=intended - new,
    )
    return replace(rating, elo=new), change


def _moves(
    ratings: Ratings, match: Match, config: RatingConfig, rule: EloRule, conditions: Conditions
) -> tuple[Move, ...]:
    if match.ranking is not None:
        ks = None if rule.schedule is None else [rule.schedule(rating.matches) for rating in ratings]
        return update_ordered([rating.elo for rating in ratings], config, weight=match.confidence, k=ks)
    a, b = ratings
    advantage = 0.0 if conditions.neutral else rule.advantage
    k = (config.k, config.k) if rule.schedule is None else (rule.schedule(a.matches), rule.schedule(b.matches))
    if rule.margin is not None:
        factor = _margin_factor(match, a.elo + advantage - b.elo, rule.margin, conditions)
        k = (k[0] * factor, k[1] * factor)
    return update((a.elo, b.elo), match.outcome.score, config, weight=match.confidence, k=k, advantage=advantage)


def _margin_factor(match: Match, lead_of_a: float, margin: MarginRule, conditions: Conditions) -> float:
    if match.outcome is Outcome.DRAW:
        return margin(0.0, None)
    if conditions.margin is None:
        raise ValueError(f"match {match.id!r} has no margin, and the rule needs one: give its conditions")
    return margin(conditions.margin, lead_of_a if match.outcome is Outcome.A else -lead_of_a)


def replay(
    matches: Iterable[Match | Adjustment],
    config: RatingConfig,
    items: Iterable[str] = (),
    *,
    start: Mapping[str, Rating] | None = None,
    periods: Mapping[str, str] | None = None,
    rule: EloRule = PLAIN,
    conditions: Mapping[str, Conditions] | None = None,
) -> Replay:
    """Play matches, and the adjustments between them, in their order.

    Args:
        matches: The matches and adjustments, in the order of play.
        config: Initial rating, K, floor and ceiling.
        items: Ids that are to have a rating even where no match that counts names them.
        start: Ratings to go on from; items that it does not name begin at ``config.initial``.
        periods: The last period that each item played in before, to go on from; only reversion asks for it. An item
            that it does not name plays its first period and begins it as it is.
        rule: What is done beyond K, floor and ceiling.
        conditions: What is known of matches beside who won, by the match's id.

    Raises:
        ValueError: If the rule needs a margin or a period of a match that has none.
    """
    ratings = {} if start is None else dict(start)
    for item in items:
        ratings.setdefault(item, Rating(item=item, elo=config.initial))
    last, known = dict(periods or {}), conditions or {}
    changes: list[RatingChange] = []
    reversions: list[Reverted] = []
    for match in matches:
        if isinstance(match, Adjustment):
            ratings[match.item], change = adjust(_rating(ratings, match.item, config), match, config)
            changes.append(change)
            continue
        if match.outcome is Outcome.VOID:
            continue
        told = known.get(match.id, ORDINARY)
        before = tuple([_rating(ratings, item, config) for item in match.items])
        if rule.reversion is not None:
            before, moved = _in_period(before, last, match, config, rule.reversion, told.period)
            reversions.extend(moved)
        after, made = step(before, match, config, rule=rule, conditions=told)
        ratings.update([(rating.item, rating) for rating in after])
        changes.extend(made)
    return Replay(ratings=ratings, changes=tuple(changes), periods=last, reversions=tuple(reversions))


def _in_period(
    ratings: Ratings, last: dict[str, str], match: Match, config: RatingConfig, reversion: Reversion, period: str | None
) -> tuple[Ratings, list[Reverted]]:
    """The ratings with which the items of a match begin it; ``last`` is brought up to this period."""
    if period is None:
        raise ValueError(f"match {match.id!r} has no period, and reversion needs one: give its conditions")
    moved = {}
    for rating in ratings:
        if last.setdefault(rating.item, period) != period:
            new = min(max(reversion(rating.elo), config.floor), config.ceiling)
            moved[rating.item] = Reverted(item=rating.item, period=period, old=rating.elo, new=new)
            last[rating.item] = period
    after = tuple(replace(r, elo=moved[r.item].new) if r.item in moved else r for r in ratings)
    return after, list(moved.values())


def _rating(ratings: Mapping[str, Rating], item: str, config: RatingConfig) -> Rating:
    known = ratings.get(item)
    return Rating(item=item, elo=config.initial) if known is None else known


def _after(rating: Rating, move: Move, place: int | None, entrants: int) -> Rating:
    """The rating after a match of two, or after one among so many in which it came out at a place, from 0."""
    won = int(move.score == 1.0) if place is None else entrants - 1 - place
    lost = int(move.score == 0.0) if place is None else place
    tied = int(move.score == 0.5) if place is None else 0
    return Rating(
        item=rating.item,
        elo=move.new,
        matches=rating.matches + entrants - 1,
        wins=rating.wins + won,
        losses=rating.losses + lost,
        ties=rating.ties + tied,
    )


def _record(item: str, match: str, move: Move) -> RatingChange:
    return RatingChange(
        item=item,
        match=match,
        old=move.old,
        new=move.new,
        k=move.k,
        expected=move.expected,
        score=move.score,
        clamped=move.clamped,
    )
