"""Why a file is in a pack in the form that it has, in a few words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.memory.packing.plan import Candidate, wanted
from paragone.memory.store.config import RankBy
from paragone.wire.pack import PackForm, PackMode

if TYPE_CHECKING:
    from paragone.memory.packing.rating import Rated
    from paragone.memory.packing.sources import Source

_FORMS = tuple(PackForm)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reasons:
    """Says why.

    Attributes:
        mode: By budget or by tiers.
        order: The rating that ordered.
        refused: Why files may not be packed, by path.
    """

    mode: PackMode
    order: RankBy
    refused: Mapping[str, str]

    def of(self, one: "Rated", source: "Source | None", form: PackForm) -> str:
        """Why a file has its form. Without a source it was refused, or too little worth to be looked at."""
        why = self.refused.get(one.entry.path)
        return "; ".join(self._parts(one, source, form)) if why is None else why

    def _parts(self, one: "Rated", source: "Source | None", form: PackForm) -> Iterator[str]:
        yield self._standing(one)
        if one.rank is not None:
            yield f"number {one.rank} for the query"
        if one.rating.is_high is False and not one.rating.pinned:
            yield "R is low: one form down" if self.mode == "tiers" else "R is low: never whole"
        if source is not None and source.changed:
            yield "changed since it was indexed"
        if source is None:
            yield "no room"
        elif self.mode == "tiers" or one.rating.pinned:
            yield from _missed(source.candidate, form)
        elif form is PackForm.EXCLUDED:
            yield "no room"
        elif form is not PackForm.FULL:
            yield f"{source.candidate.prices[PackForm.FULL]:,} tokens whole"

    def _standing(self, one: "Rated") -> str:
        if one.rating.pinned:
            return "pinned by tiers.high"
        if self.mode == "tiers":
            return f"{one.rating.tier} tier at {one.rating.rating:.0f}"
        return f"{self.order} {one.order:.0f}"


def _missed(candidate: Candidate, form: PackForm) -> Iterator[str]:
    """What kept a file from the form that its tier asks for."""
    missed = _FORMS[_FORMS.index(wanted(candidate)) : _FORMS.index(form)]
    if PackForm.SIGNATURES in missed and PackForm.SIGNATURES not in candidate.prices:
        yield "no signatures"
    if any(one in candidate.prices for one in missed):
        yield "no room for more"
