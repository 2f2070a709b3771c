"""People who vote on a tournament: the rules by which they do, and how far they agree."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from paragone.domain import Choice
from paragone.domain.suggestions import did_you_mean
from paragone.domain.voting_rules import VotingRules
from paragone.errors import NotFound
from paragone.ledger import Event, Ledger
from paragone.wire.agreement import KnownAnswers, PeopleAgreement, PersonReliability

if TYPE_CHECKING:
    from paragone.analysis.quality.agreement import PersonAgreement

EVENT = "voting"
"""Kind of the events that change the rules."""
HUMAN = "human:"
"""What the identity of a person who votes begins with."""
IdPair = tuple[str, str]


def rules_after(rules: VotingRules, events: tuple[Event, ...]) -> VotingRules:
    """The rules after some events of the tournament."""
    changes = (event.detail["rules"] for event in events if event.kind == EVENT)
    return next((VotingRules.of(latest) for latest in reversed(tuple(changes))), rules)


def voting_rules(ledger: Ledger, tournament: str) -> VotingRules:
    """The rules of a tournament.

    Raises:
        NotFound: If there is no such tournament.
    """
    return rules_after(VotingRules(), ledger.tournaments.events(tournament))


def set_voting_rules(ledger: Ledger, tournament: str, rules: VotingRules, by: str = "") -> VotingRules:
    """Change the rules of a tournament, from the next pair on. The same rules again change nothing.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        rules: The rules.
        by: Who says so.

    Raises:
        NotFound: If there is no such tournament, or it lacks an item of a known pair.
    """
    if voting_rules(ledger, tournament) == rules:
        return rules
    items = {id for pair in rules.known for id in (pair.better, pair.worse)}
    unknown = sorted(items - ledger.items.by_id(tournament, sorted(items)).keys())
    if unknown:
        every = [item.id for item in ledger.items.all(tournament)]
        raise NotFound(f"there is no item {unknown[0]!r} in {tournament}{did_you_mean(unknown[0], every)}")
    ledger.tournaments.add_event(tournament, EVENT, {"by": by, "rules": rules.as_json()})
    return rules


def people_agreement(ledger: Ledger, tournament: str, *, level: float = 0.95, seed: int = 0) -> PeopleAgreement:
    """How far the people agree who voted on a tournament, and how they fared with known pairs.

    Of several votes of a person on one pair, the last one counts. Skipped pairs are no answers.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        level: Probability of the intervals.
        seed: Of the bootstrap, which draws pairs.

    Raises:
        NotFound: If there is no such tournament.
    """
    from paragone.analysis.quality.agreement import agreement_of  # voting asks for the rules alone

    rules = voting_rules(ledger, tournament)
    answers = _answers(ledger, tournament)
    result = agreement_of(answers, level=level, seed=seed)
    answers_known = {_sorted(pair.better, pair.worse): int(pair.better > pair.worse) for pair in rules.known}
    return PeopleAgreement(
        pool=tournament,
        level=level,
        overlap=rules.overlap,
        pairs=result.pairs,
        answers=result.answers,
        alpha=result.alpha,
        people=[_reliability(person, answers[person.person], answers_known, level) for person in result.people],
    )


def _answers(ledger: Ledger, tournament: str) -> dict[str, dict[IdPair, int]]:
    """The answers that stand, by person and pair: 0 if the item of the lower id is better, 1 if not, 2 for a tie."""
    with ledger.snapshot() as now:
        votes, _ = now.matches.single_answers(tournament, (HUMAN,), 0)
        void = {match for _, match in now.matches.rollbacks_after(tournament, 0)}
    answers: defaultdict[str, dict[IdPair, int]] = defaultdict(dict)
    for vote in votes:
        if vote.match not in void and vote.choice is not Choice.ABSTAIN and vote.choice.is_evidence:
            is_lower = (vote.choice is Choice.FIRST) == (vote.first < vote.second)
            value = 2 if vote.choice is Choice.TIE else int(not is_lower)
            answers[vote.judge.removeprefix(HUMAN)][_sorted(vote.first, vote.second)] = value
    return dict(answers)


def _reliability(
    person: "PersonAgreement", own: Mapping[IdPair, int], gold: Mapping[IdPair, int], level: float
) -> PersonReliability:
    from paragone.analysis.quality.forecast_quality import wilson

    right = [own[pair] == value for pair, value in gold.items() if pair in own and own[pair] != 2]
    share = sum(right) / len(right) if right else None
    low, high = (None, None) if share is None else wilson(share, len(right), level)
    known = KnownAnswers(right=sum(right), decided=len(right), share=share, low=low, high=high)
    return PersonReliability.like(person, judged=len(own), known=known)


def _sorted(first: str, second: str) -> IdPair:
    return (first, second) if first < second else (second, first)
