"""Findings in plain words, with care about what they do not show."""

from collections.abc import Sequence

from paragone.analysis.patterns.features import Kind
from paragone.analysis.patterns.finding import Characteristic, CriterionWeight
from paragone.analysis.patterns.holdout import CHANCE, HeldOut
from paragone.analysis.patterns.trait import BY_NAME

CAUTION = (
    "This goes with winning before these judges; it does not show that it makes a text win, so compare a few texts "
    "with and without it."
)
_MOST = 3
_REACH = 1.96


def summarise(found: Sequence[Characteristic], held: HeldOut, threshold: float, matches: int) -> str:
    """What was found, in a sentence."""
    reach = _REACH * held.error
    told = (
        f"of {matches} matches between texts not seen before, {held.accuracy:.0%} are called right "
        f"({max(held.accuracy - reach, 0.0):.0%} to {min(held.accuracy + reach, 1.0):.0%})"
    )
    sure = held.least() > CHANCE
    if not sure and not found:
        return f"Nothing found: {told}, which is no better than chance."
    if not sure:
        return f"Nothing found: some words go with winning, but {told}, which is no better than chance."
    if not found:
        return f"Texts tell winners a little: {told}. No single characteristic stands out from chance."
    count = "1 characteristic" if len(found) == 1 else f"{len(found)} characteristics"
    if held.accuracy < threshold:
        return f"{count} beyond chance, but {told}, below the threshold of {threshold:.0%}: leads, not findings."
    return f"{count} beyond chance: {told}."


def recommend(found: Sequence[Characteristic], criteria: Sequence[CriterionWeight], *, confident: bool) -> str:
    """What to do about it, in words."""
    decides = _deciding(criteria)
    if not found:
        return " ".join(
            part for part in ("No recommendation: no characteristic of the texts stands out.", decides) if part
        )
    more = [_advice(one) for one in found if one.wins][:_MOST]
    less = [_advice(one) for one in found if not one.wins][:_MOST]
    begin = "Worth trying: " if confident else "Only a lead, since confidence is below the threshold: "
    wanted = "; ".join((*more, *less))
    return " ".join(part for part in (f"{begin}{wanted}.", decides, CAUTION) if part)


def _advice(one: Characteristic) -> str:
    if one.kind is Kind.TRAIT:
        trait = BY_NAME[one.name]
        return trait.advice if one.wins else trait.restraint
    return f"bring in {one.phrase} where it belongs" if one.wins else f"do without {one.phrase} where you can"


def _deciding(criteria: Sequence[CriterionWeight]) -> str:
    """The criterion that decides most, where one goes with winning for certain."""
    first = next((one for one in criteria if one.low > CHANCE), None)
    if first is None:
        return ""
    return f"Of the criteria, {first.criterion} decides most ({first.weight:.0%})."
