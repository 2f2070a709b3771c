"""From recorded matches, tests and adjustments to running Elo, one at a time or all at once; nothing else defines it.

A track, the rating of an item in a domain, begins at the global rating that the item had before its first match or test
there. From then on it moves by what the global rating was meant to move by, before the global floor, and keeps within
the same floor and ceiling.

Source: Aragora's specification, "Domain Rating Update".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from paragone.domain import Adjustment, Match, Outcome, Rating, RatingChange, RatingConfig, Scorecard, StrengthTest
from paragone.ratings.elo import Move, update, update_ordered, update_scored
from paragone.ratings.elo_rule import (
    ORDINARY,
    PLAIN,
    Conditions,
    EloRule,
    MarginRule,
    Reversion,
    Reverted,
    assess,
    move_rating,
)

Tracks = dict[tuple[str, str], Rating]
"""The ratings of domains, by item and domain."""


def ratings_in_domain(
    tracks: Mapping[tuple[str, str], Rating], domain: str, ratings: Sequence[Rating]
) -> tuple[Rating, ...]:
    """The ratings of some items in a domain, in the order of their global ones, from which new tracks begin."""
    return tuple(tracks.get((rating.item, domain)) or new_track(rating, domain) for rating in ratings)


def new_track(rating: Rating, domain: str) -> Rating:
    """A track of a domain where it begins: at the global rating, without a record."""
    return Rating(item=rating.item, elo=rating.elo, track=domain)


def follow(
    tracks: Sequence[Rating],
    before: Sequence[Rating],
    after: Sequence[Rating],
    changes: Sequence[RatingChange],
    config: RatingConfig,
) -> tuple[tuple[Rating, ...], tuple[RatingChange, ...]]:
    """Move the tracks of a match's domain as the match moved the global ratings.

    Args:
        tracks: The ratings of the participants in the domain.
        before: Their global ratings before the match, in their order.
        after: And after it: what the match added to the record.
        changes: What the match did to these.
        config: Floor and ceiling.

    Returns:
        The ratings in the domain after the match, and a change for each.
    """
    moves = [_followed(*each, config) for each in zip(tracks, before, after, changes, strict=True)]
    return tuple(rating for rating, _ in moves), tuple(change for _, change in moves)


def _followed(
    track: Rating, before: Rating, after: Rating, change: RatingChange, config: RatingConfig
) -> tuple[Rating, RatingChange]:
    # What the global rating was meant to move by: its floor or ceiling is not the track's.
    intended = track.elo + (change.new + change.clamped - change.old)
    new = min(max(intended, config.floor), config.ceiling)
    rating = Rating(
        item=track.item,
        elo=new,
        matches=track.matches + after.matches - before.matches,
        wins=track.wins + after.wins - before.wins,
        losses=track.losses + after.losses - before.losses,
        ties=track.ties + after.ties - before.ties,
        track=track.track,
    )
    return rating, replace(change, old=track.elo, new=new, clamped=intended - new, track=track.track)


RatingsOfMatch = tuple[Rating, ...]
Changes = tuple[RatingChange, ...]
EloEvent = Match | Adjustment | StrengthTest
"""What moves ratings."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EloReplay:
    """Where the ratings stand after a sequence of matches, and every move that led there.

    Attributes:
        ratings: The rating of each item, by id.
        changes: One for each item of each match that counted, in the order of play, the match's ``items`` in theirs,
            and then those of its domain; one for each adjustment; and one or two for each test.
        tracks: The ratings of domains, by item and domain.
        periods: The last period that each item played in, where the rule tells periods apart.
        reversions: The ratings that went back towards the mean between periods, in the order in which they did.
    """

    ratings: dict[str, Rating]
    changes: Changes
    tracks: Tracks = field(default_factory=dict)
    periods: dict[str, str] = field(default_factory=dict)
    reversions: tuple[Reverted, ...] = ()


def step(
    ratings: RatingsOfMatch,
    match: Match,
    config: RatingConfig,
    *,
    rule: EloRule = PLAIN,
    conditions: Conditions = ORDINARY,
) -> tuple[RatingsOfMatch, Changes]:
    """The ratings after one match. ``follow`` moves the ratings of its domain.

    Args:
        ratings: The ratings of the match's ``items`` before it, in their order.
        match: The match; a void one changes nothing. An order of several items counts as a match against each
            opponent. A scorecard of several counts as one match: a win for whoever scored most, a loss for the others,
            and a draw for all where nobody scored most.
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
    records = _records(match, moves)
    after = [_after(*each) for each in zip(ratings, moves, records, strict=True)]
    return tuple(after), tuple([_record(item, match.id, move) for item, move in zip(items, moves, strict=True)])


def adjust(rating: Rating, adjustment: Adjustment, config: RatingConfig) -> tuple[Rating, RatingChange]:
    """Move one rating as an adjustment says, within floor and ceiling; it does not count as a match.

    Returns:
        The rating afterwards, and the change: it has the adjustment's id for its match, and a K, an expectation and a
        score of 0, since no contest made it.
    """
    return move_rating(rating, adjustment.id, adjustment.moved(rating.elo), config)


def _moves(
    ratings: RatingsOfMatch, match: Match, config: RatingConfig, rule: EloRule, conditions: Conditions
) -> tuple[Move, ...]:
    if match.scorecard is not None or match.ranking is not None:
        ks = None if rule.schedule is None else [rule.schedule(rating.matches) for rating in ratings]
        elos, weight = [rating.elo for rating in ratings], match.confidence
        if match.scorecard is None:
            return update_ordered(elos, config, weight=weight, k=ks)
        return update_scored(elos, match.scorecard, config, weight=weight, k=ks)
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


def advance(
    ratings: dict[str, Rating],
    tracks: Tracks,
    entry: EloEvent,
    config: RatingConfig,
    *,
    rule: EloRule = PLAIN,
    conditions: Conditions = ORDINARY,
) -> Changes:
    """Play one match, make one adjustment or count one test, in place.

    Args:
        ratings: The global ratings, by item; they are moved.
        tracks: Those of domains; they are moved, and begun where there are none yet.
        entry: What moves them.
        config: K, floor and ceiling.
        rule: As in ``step``.
        conditions: As in ``step``.

    Returns:
        Every move, the global ones first.

    Raises:
        KeyError: If an item of the entry has no rating.
        ValueError: If the rule needs a margin and there is none.
    """
    if isinstance(entry, Adjustment):
        ratings[entry.item], change = adjust(ratings[entry.item], entry, config)
        return (change,)
    if isinstance(entry, Match):
        return _played(ratings, tracks, entry, config, rule, conditions)
    domain_ratings = ratings_in_domain(tracks, entry.domain, [ratings[entry.item]]) if entry.domain else ()
    after, changes = assess((ratings[entry.item], *domain_ratings), entry, config)
    ratings[entry.item] = after[0]
    tracks.update({(rating.item, rating.track): rating for rating in after[1:]})
    return changes


def _played(
    ratings: dict[str, Rating],
    tracks: Tracks,
    match: Match,
    config: RatingConfig,
    rule: EloRule,
    conditions: Conditions,
) -> Changes:
    before = tuple([ratings[item] for item in match.items])
    after, changes = step(before, match, config, rule=rule, conditions=conditions)
    if match.scorecard is not None and match.scorecard.domain:
        followed, more = follow(
            ratings_in_domain(tracks, match.scorecard.domain, before), before, after, changes, config
        )
        tracks.update({(rating.item, rating.track): rating for rating in followed})
        changes += more
    ratings.update([(rating.item, rating) for rating in after])
    return changes


def replay(
    matches: Iterable[EloEvent],
    config: RatingConfig,
    items: Iterable[str] = (),
    *,
    start: Mapping[str, Rating] | None = None,
    periods: Mapping[str, str] | None = None,
    rule: EloRule = PLAIN,
    conditions: Mapping[str, Conditions] | None = None,
) -> EloReplay:
    """Play matches, and the adjustments and tests between them, in their order.

    Args:
        matches: The matches, adjustments and tests, in the order of play.
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
    tracks: Tracks = {}
    _begin(ratings, items, config)
    last, conditions_of = dict(periods or {}), conditions or {}
    changes: list[RatingChange] = []
    reversions: list[Reverted] = []
    for entry in matches:
        circumstances = ORDINARY
        if isinstance(entry, Match):
            if entry.outcome is Outcome.VOID:
                continue
            circumstances = conditions_of.get(entry.id, ORDINARY)
            _begin(ratings, entry.items, config)
            if rule.reversion is not None:
                reversions.extend(_in_period(ratings, last, entry, config, rule.reversion, circumstances.period))
        else:
            _begin(ratings, (entry.item,), config)
        changes.extend(advance(ratings, tracks, entry, config, rule=rule, conditions=circumstances))
    return EloReplay(ratings=ratings, changes=tuple(changes), tracks=tracks, periods=last, reversions=tuple(reversions))


def _begin(ratings: dict[str, Rating], items: Iterable[str], config: RatingConfig) -> None:
    """Give items the initial rating that have none."""
    for item in items:
        if item not in ratings:
            ratings[item] = Rating(item=item, elo=config.initial)


def _in_period(
    ratings: dict[str, Rating],
    last: dict[str, str],
    match: Match,
    config: RatingConfig,
    reversion: Reversion,
    period: str | None,
) -> list[Reverted]:
    """Move the ratings of a match's items to where they begin it; ``last`` is brought up to this period."""
    if period is None:
        raise ValueError(f"match {match.id!r} has no period, and reversion needs one: give its conditions")
    reversions = []
    for item in match.items:
        if last.setdefault(item, period) != period:
            rating = ratings[item]
            new = min(max(reversion(rating.elo), config.floor), config.ceiling)
            reversions.append(Reverted(item=item, period=period, old=rating.elo, new=new))
            ratings[item], last[item] = replace(rating, elo=new), period
    return reversions


def _records(match: Match, moves: tuple[Move, ...]) -> list[tuple[int, int, int]]:
    """What a match adds to the record of each of its items: wins, losses and ties."""
    if match.scorecard is not None:
        return _scored(match.scorecard)
    if match.ranking is not None:
        return [(len(moves) - 1 - rank, rank, 0) for rank in range(len(moves))]
    return [(int(move.score == 1.0), int(move.score == 0.0), int(move.score == 0.5)) for move in moves]


def _scored(scorecard: Scorecard) -> list[tuple[int, int, int]]:
    winner = scorecard.winner
    if winner is None:
        return [(0, 0, 1)] * len(scorecard.participants)
    return [(1, 0, 0) if participant == winner else (0, 1, 0) for participant in scorecard.participants]


def _after(rating: Rating, move: Move, record: tuple[int, int, int]) -> Rating:
    won, lost, tied = record
    return Rating(
        item=rating.item,
        elo=move.new,
        matches=rating.matches + won + lost + tied,
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
