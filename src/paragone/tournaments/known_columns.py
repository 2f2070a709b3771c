"""What is known beside recorded votes: columns of their items, and what differs between their two sides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain import SideInformation
from paragone.errors import InvalidConfig
from paragone.intake.vote import VoteOptions
from paragone.intake.vote_extras import Difference, difference, knows
from paragone.ratings.evidence import Evidence, Ints
from paragone.ratings.side_information import ColumnGroup
from paragone.tournaments.side_information import (
    Names,
    TableOptions,
    described,
    groups_of,
    has_column,
    named,
    resolve,
)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class KnownColumns:
    """What a caller says of the items, and of the sides of votes; see ``recorded_votes.fit``.

    Attributes:
        items: Where columns of the items stand.
        use: Which of them may count.
        adjust_for: Which of them are taken out.
        reading: How their table is read.
        differences: What differs between the sides of a vote, and is taken out.
    """

    items: object = None
    use: Names = None
    adjust_for: Names = None
    reading: TableOptions | None = None
    differences: tuple[Difference, ...] = ()

    @classmethod
    def of(
        cls,
        votes: object,
        options: VoteOptions,
        *,
        items: object,
        use: Names,
        adjust_for: Names,
        reading: TableOptions | None,
    ) -> "KnownColumns":
        """What is to be taken out comes from the items where they have it, else from the votes."""
        names = named(adjust_for)
        in_votes = [name for name in names if not has_column(items, name, reading)] if names else []
        if items is not None:
            in_votes = [name for name in in_votes if knows(votes, name, options)]
        rest = tuple(name for name in names if name not in in_votes)
        if in_votes and (rest or named(use)):
            other = (*rest, *named(use))[0]
            raise InvalidConfig(
                f"{in_votes[0]!r} differs between the sides of a vote and {other!r} is known of the items: one fit "
                "takes one kind of them"
            )
        differences = tuple(difference(votes, name, options) for name in in_votes)
        return cls(items=items, use=use, adjust_for=rest, reading=reading, differences=differences)

    @property
    def is_asked(self) -> bool:
        """Whether any column is to count, or to be taken out."""
        return bool(named(self.use) or named(self.adjust_for) or self.differences)

    @property
    def names(self) -> tuple[str, ...]:
        """What the differences are called."""
        return tuple(each.name for each in self.differences)

    def refuse_beside(self, *, plain: bool, bootstrap: bool, gold: bool) -> None:
        """Refuse what does not go with columns.

        Raises:
            InvalidConfig: Naming it.
        """
        if self.is_asked and (plain or bootstrap):
            extra = "plain (--plain)" if plain else "bootstrap (--bootstrap)"
            raise InvalidConfig(f"the plain model and a bootstrap take no columns; leave them out, or {extra}")
        if self.differences and gold:
            raise InvalidConfig("what differs between the sides of votes is not taken out of votes with gold (--gold)")

    def beside(self, evidence: Evidence, row: Ints) -> Evidence:
        """The evidence with what differs between the sides of its votes, which come from these rows."""
        if not self.differences:
            return evidence
        away = np.stack([each.values for each in self.differences], axis=1)
        return replace(evidence, differences=away[row])

    def columns(self, ids: Sequence[str]) -> tuple[SideInformation, tuple[ColumnGroup, ...]]:
        """The columns of these items, as they were read and as the fit takes them."""
        if self.differences:
            notes = (note for each in self.differences for note in each.notes)
            return SideInformation(notes=tuple(dict.fromkeys(notes))), ()
        if not self.is_asked:
            return SideInformation(), ()
        described_items = described(ids, self.items, self.reading)
        side = resolve(described_items, self.items, use=self.use, adjust_for=self.adjust_for, reading=self.reading)
        return side, groups_of(side.columns, described_items)


NOTHING_KNOWN = KnownColumns()
