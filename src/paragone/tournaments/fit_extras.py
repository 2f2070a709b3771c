"""What a fit of recorded votes reads beside them, and what its board shows beside the ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from paragone.domain import GoldPair, Review, SideInformation
from paragone.errors import InvalidConfig
from paragone.intake.gold import read_gold
from paragone.intake.item_values import as_reviews
from paragone.intake.vote import VoteFields, VoteOptions
from paragone.intake.vote_extras import SideDifference, VoteAdjustment, adjustment, knows
from paragone.ratings.evidence import Evidence, Ints
from paragone.ratings.side_information import ColumnGroup
from paragone.tournaments.model_ratings import prior_ratings
from paragone.tournaments.side_information import (
    REVIEWS,
    Names,
    TableOptions,
    described,
    groups_of,
    has_column,
    named,
    resolve,
)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class FitExtras:
    """What is read beside votes, and what a board shows beside the ranking.

    Attributes:
        gold: Pairs whose better item is known, or votes that are trusted: read like votes. They tell which judges are
            right, also where most are wrong.
        suggest_gold: How many pairs to suggest whose true answer would teach most.
        prior: What a model holds of the items, which the votes correct: ratings by id (a mapping, a table, a board), or
            the model's own votes. The board has all items that it rates.
        items: The items' own table with their ids and columns, or their texts.
        use: Columns of ``items`` that may count as far as the votes bear them out; see ``Tournament.create``.
        reviews: Reviews of the items, for ``reviews`` among those: a table with ``item`` and ``score``, or ``Review``
            values.
        adjust_for: What must not count: columns of ``items``; or what differs between the two sides of a vote, such as
            ``length`` where the votes have ``length_a`` and ``length_b``, or metadata of a published arena.
        reading: How the table of items is read.
        by: A column of the votes that cuts them into slices, each with a board of its own.
        win_rates: Whether to count how often each item beat each other.

    Raises:
        InvalidConfig: If a number is out of range, or items or reviews are given and nothing is read of them.
    """

    gold: object = None
    suggest_gold: int = 0
    prior: object = None
    items: object = None
    use: Names = None
    reviews: object = None
    adjust_for: Names = None
    reading: TableOptions | None = None
    by: str | None = None
    win_rates: bool = False

    def __post_init__(self) -> None:
        if self.suggest_gold < 0:
            raise InvalidConfig(f"suggest_gold is a number of pairs, not {self.suggest_gold}")
        if self.items is not None and not self.use and not self.adjust_for:
            raise InvalidConfig(
                "a table of items (items, --items) is read for its columns: name those that may count (use, --use), or "
                "that must not (adjust_for, --adjust-for)"
            )
        if self.reviews is not None and REVIEWS not in named(self.use):
            raise InvalidConfig(f"reviews (--reviews) count where they are named: add {REVIEWS!r} to use (--use)")


class FitFields(VoteFields, total=False):
    """The fields of ``VoteOptions`` and of ``FitExtras`` as keywords of a call."""

    gold: object
    suggest_gold: int
    prior: object
    items: object
    use: Names
    reviews: object
    adjust_for: Names
    reading: TableOptions | None
    by: str | None
    win_rates: bool


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SideEvidence:
    """What was read beside votes, and goes into their fit.

    Attributes:
        gold: Pairs whose better item is known.
        by_panel: Whether a panel on the same questions gives verdicts on these without gold, too.
        prior: Ratings of a model by item; None for none.
        items: The items' own table.
        use: Columns of it that may count.
        reviews: Reviews of the items.
        adjust_for: Columns of it that are taken out.
        reading: How it is read.
        of_votes: What is taken out of votes.
    """

    gold: tuple[GoldPair, ...] = ()
    by_panel: bool = False
    prior: Mapping[str, float] | None = None
    items: object = None
    use: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()
    adjust_for: tuple[str, ...] = ()
    reading: TableOptions | None = None
    of_votes: tuple[VoteAdjustment, ...] = ()

    @classmethod
    def of(cls, votes: object, options: VoteOptions, extras: FitExtras, *, bootstrap: bool) -> Self:
        """Read it from the options.

        Raises:
            UsageError: If something cannot be read, or options do not go together.
        """
        _refuse_together(options, extras, bootstrap=bootstrap)
        use, of_items, of_votes = _columns(votes, options, extras)
        adjustments = tuple(adjustment(votes, name, options) for name in of_votes)
        _refuse_differences(adjustments, (*of_items, *use), extras)
        return cls(
            gold=() if extras.gold is None else read_gold(extras.gold),
            by_panel=extras.suggest_gold > 0,
            prior=None if extras.prior is None else prior_ratings(extras.prior),
            items=extras.items,
            use=use,
            reviews=() if extras.reviews is None else as_reviews(extras.reviews),
            adjust_for=of_items,
            reading=extras.reading,
            of_votes=adjustments,
        )

    @property
    def differences(self) -> tuple[SideDifference, ...]:
        """What differs between the sides of a vote, and is taken out."""
        return tuple(difference for each in self.of_votes for difference in each.differences)

    @property
    def judge(self) -> str:
        """The column that is taken for the judge, so that its terms are taken out; empty for none."""
        return next((each.judge for each in self.of_votes if each.judge), "")

    def reading_votes(self, options: VoteOptions) -> VoteOptions:
        """How the votes are read."""
        return replace(options, judge=self.judge) if self.judge else options

    @property
    def names(self) -> tuple[str, ...]:
        """What the differences are called."""
        return tuple(each.name for each in self.differences)

    def beside(self, evidence: Evidence, row: Ints) -> Evidence:
        """The evidence with what differs between the sides of its votes, which come from these rows."""
        if not self.differences:
            return evidence
        values = np.stack([each.values for each in self.differences], axis=1)
        return replace(evidence, differences=values[row])

    def columns(self, ids: Sequence[str]) -> tuple[SideInformation, tuple[ColumnGroup, ...]]:
        """The columns of these items, as they were read and as the fit takes them."""
        notes = tuple(dict.fromkeys(note for each in self.of_votes for note in each.notes))
        if not (self.use or self.adjust_for):
            return SideInformation(notes=notes), ()
        items = described(ids, self.items, self.reading)
        names = {"use": self.use, "adjust_for": self.adjust_for}
        side = resolve(items, self.items, **names, reviews=self.reviews, reading=self.reading)
        return replace(side, notes=(*side.notes, *notes)), groups_of(side.columns, items)


NO_EXTRAS, VOTES_ALONE = FitExtras(), SideEvidence()


def with_fields(options: VoteOptions, extras: FitExtras, values: Mapping[str, Any]) -> tuple[VoteOptions, FitExtras]:
    """Both with other values of their fields, which have no name in common.

    Raises:
        TypeError: If a name is that of no field.
    """
    own = {field.name for field in fields(FitExtras)}
    of_votes = {name: value for name, value in values.items() if name not in own}
    of_extras = {name: value for name, value in values.items() if name in own}
    return replace(options, **of_votes), replace(extras, **of_extras)


def _refuse_together(options: VoteOptions, extras: FitExtras, *, bootstrap: bool) -> None:
    """Refuse what does not go together."""
    columns, plain = bool(named(extras.use) or named(extras.adjust_for)), options.plain
    parts = {
        "columns (--use, --adjust-for)": plain and columns,
        "gold pairs (--gold), by which judges are turned round": extras.gold is not None,
        "prior (--prior)": plain and extras.prior is not None,
        "suggestions (--suggest-gold)": plain and extras.suggest_gold > 0,
    }
    if plain or bootstrap:
        model = "the plain model takes no" if plain else "a bootstrap takes no"
        other = "plain (--plain)" if plain else "bootstrap (--bootstrap)"
        for part in (name for name, is_there in parts.items() if is_there):
            raise InvalidConfig(f"{model} {part}: leave out that, or {other}")


def _columns(
    votes: object, options: VoteOptions, extras: FitExtras
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names of columns of items that may count, of those that are taken out, and of what is taken out of votes.

    What is to be taken out comes from the items where they have it, else from the votes.
    """
    use, adjust_for = named(extras.use), named(extras.adjust_for)
    of_votes = tuple(name for name in adjust_for if not has_column(extras.items, name, extras.reading))
    if extras.items is not None:
        of_votes = tuple(name for name in of_votes if knows(votes, name, options))
    of_items = tuple(name for name in adjust_for if name not in of_votes)
    return use, of_items, of_votes


def _refuse_differences(of_votes: Sequence[VoteAdjustment], of_items: Sequence[str], extras: FitExtras) -> None:
    """Refuse what differs between sides of votes beside what its model has no place for."""
    names = [difference.name for each in of_votes for difference in each.differences]
    if names and of_items:
        raise InvalidConfig(
            f"{names[0]!r} differs between the sides of a vote and {of_items[0]!r} is a column of the items: one fit "
            "takes one kind of them"
        )
    if names and (extras.gold is not None or extras.suggest_gold):
        raise InvalidConfig(
            f"{names[0]!r} differs between the sides of votes, and is not taken out of votes with gold (--gold)"
        )
    if names and extras.prior is not None:
        raise InvalidConfig(
            f"{names[0]!r} differs between the sides of votes, and is not taken out beside ratings of a prior "
            "(--prior): leave out either"
        )
    if sum(bool(each.judge) for each in of_votes) > 1:
        raise InvalidConfig(
            "two columns speak of whole votes (adjust_for, --adjust-for), and votes have one judge: name one of them"
        )
