"""``paragone people rules`` and ``agreement``: how people vote on a tournament, and how far they agree."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import option
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.domain.voting_rules import VotingRules
    from paragone.wire.agreement import Estimate, PeopleAgreement, PersonReliability


def rules(
    stored: options.Stored,
    output: options.Output,
    overlap: Annotated[
        int | None, option("How many people judge a pair before another one is given.", metavar="N", min=1)
    ] = None,
    guidelines: Annotated[
        Path | None, option("A text file of guidelines that voters see beside the ballot; an empty file removes them.")
    ] = None,
    known: Annotated[
        Path | None, option("Pairs whose better item is known (winner, loser), mixed in for everybody.", metavar="FILE")
    ] = None,
    known_share: Annotated[float | None, option("Share of known pairs among those of each voter.")] = None,
    by: options.By = "terminal",
) -> None:
    """Show how people vote on a tournament; with options, change it from the next pair on."""
    from dataclasses import replace

    from paragone.intake.gold import read_gold
    from paragone.intake.text_file import read_text

    changes: dict[str, Any] = {"overlap": overlap, "known_share": known_share}
    changes["guidelines"] = None if guidelines is None else read_text(guidelines).strip()
    changes["known"] = None if known is None else read_gold(known)
    changes = {name: value for name, value in changes.items() if value is not None}
    with stored.opened() as tournament:
        present = tournament.voting_rules
        if changes:
            present = tournament.set_voting_rules(replace(present, **changes), by)
    output.show(present, _rules, values=lambda each: each.as_json())


def agreement(stored: options.Stored, output: options.Output) -> None:
    """Say how far people who judged the same pairs agree, and who disagrees with the others."""
    with stored.opened() as tournament:
        result = tournament.people_agreement()
    output.show(result, _agreement)


def _rules(rules: "VotingRules") -> Iterator[str]:
    yield f"overlap: {'1 person judges' if rules.overlap == 1 else f'{rules.overlap:,} people judge'} a pair"
    yield f"known pairs: {len(rules.known):,}, {rules.known_share:.0%} of a voter's pairs"
    yield f"guidelines: {rules.guidelines or 'none'}"


def _agreement(result: "PeopleAgreement") -> Iterator[str | Table[Any]]:
    yield (
        f"Krippendorff's alpha {_estimate(result.alpha, '.2f') or 'unknown'}, "
        f"from {result.answers:,} answers of {len(result.people):,} people, "
        f"on {result.pairs:,} pairs that two or more judged"
    )
    if not result.people:
        return
    yield ""
    yield table(
        result.people,
        text("person", lambda each: each.person),
        number("pairs", lambda each: each.judged),
        number("shared", lambda each: each.pairs),
        text("agrees", lambda each: _estimate(each.agreement, ".0%")),
        text("more or less than others", lambda each: _estimate(each.difference, "+.0%")),
        number("alpha without", lambda each: each.without, ".2f"),
        text("known right", _known),
        text("", lambda each: "disagrees" if each.disagrees else ""),
    )


def _estimate(of: "Estimate", form: str) -> str:
    if of.value is None:
        return ""
    return f"{of.value:{form}}" + ("" if of.low is None else f" ({of.low:{form}} to {of.high:{form}})")


def _known(person: "PersonReliability") -> str:
    answers = person.known
    return f"{answers.right} of {answers.decided}" if answers.decided else ""
