"""From the answers to a match: its outcome, how it was judged, and how much it counts."""

from collections.abc import Mapping
from dataclasses import replace

from paragone.analysis.quality.debates import confidence_of, debate_quality
from paragone.domain import Comparison, Item, Match, Pairing, Planned, Protocol, Question, Ranking
from paragone.judges.base import Judge
from paragone.ledger import Ledger
from paragone.tournaments.state import State


def matched(
    ledger: Ledger,
    state: State,
    judge: Judge,
    id: str,
    planned: Planned,
    answered: tuple[Comparison | Ranking, ...],
    items: Mapping[str, Item],
) -> Match:
    """The match that some answers make. In a tournament of hypotheses, answers of low quality lower its weight (T14).

    Args:
        ledger: Has the turns of debates.
        state: The tournament.
        judge: Says what it asks its answers to contain.
        id: Names the match.
        planned: What was planned.
        answered: The answers, failures left out.
        items: The items by id.
    """
    match = Match.of(id, planned, answered, round=state.rounds[-1].number)
    if state.brief.system is None or not isinstance(planned, Pairing):
        return match
    heard = [state.turns_left.get(comparison.call, planned.turns) for comparison in match.comparisons]
    qualities = []
    for comparison, turns in zip(match.comparisons, heard, strict=True):
        first, second = items[comparison.first], items[comparison.second]
        question = Question(
            call=comparison.call, first=first, second=second, criteria=state.brief.criteria, turns=turns
        )
        asked = judge.card.asked_for(question)
        spoken = ledger.tournaments.turns(state.id, comparison.call)[: 2 * turns] if turns else ()
        qualities.append(
            debate_quality(
                comparison.verdict,
                spoken,
                texts=(first.text, second.text),
                rationale=asked.rationale,
                weights=asked.weights,
            )
        )
    protocol = Protocol.MULTI_TURN if any(heard) else Protocol.SINGLE_TURN
    return replace(match, protocol=protocol, confidence=confidence_of(*qualities) if qualities else 1.0)
