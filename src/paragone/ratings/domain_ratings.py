"""Ratings by domain: tracks that follow the global rating, each with its own place and record (A2).

A track begins at the global rating that its item had before its first match or test there. From then on it moves by
what the global rating was meant to move by, before the global floor, and keeps within the same floor and ceiling.

Source: document A, "Domain Rating Update".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from paragone.domain import Rating, RatingChange, RatingConfig

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
