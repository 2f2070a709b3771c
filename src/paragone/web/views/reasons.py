"""Why a tournament will stop, in words, with how far each reason is."""

from paragone.domain import Aim, Forecast, Goal, Spending
from paragone.domain.spending import money
from paragone.tournaments.planning.schedule import most_comparisons, text_budget
from paragone.tournaments.planning.weighted import rounds_left
from paragone.tournaments.tournament_settings import TournamentSettings


def reasons(
    brief: TournamentSettings, *, items: int, rounds: int, spent: Spending, forecast: Forecast | None
) -> list[str]:
    """Each reason that may end the tournament, or its session, the likelier ones first.

    Args:
        brief: What it was asked to do.
        items: How many items it has.
        rounds: Rounds planned so far.
        spent: What it took so far.
        forecast: How good its ranking is expected to be; None before that is known.
    """
    sentences = [_by_pairing(brief, items, rounds, forecast)]
    if brief.budget_set is not None:
        sentences.append(f"when its budget of {brief.budget_set:,} decisions is spent: {spent.decisions:,} are")
    texts = text_budget(brief, items)
    if texts is not None:
        sentences.append(f"when it has shown {texts:,} texts")
    if brief.max_cost is not None:
        sentences.append(f"when its limit of {money(brief.max_cost)} is spent: {spent.facts()['dollars']} so far")
    if brief.max_tokens is not None:
        sentences.append(f"when its limit of {brief.max_tokens:,} tokens is spent: {spent.facts()['tokens']} so far")
    return sentences


def _by_pairing(brief: TournamentSettings, items: int, rounds: int, forecast: Forecast | None) -> str:
    if brief.pairing == "informative":
        return f"when {_wanted(brief.goal)} is expected: {_expected(brief.goal, forecast)}"
    if brief.pairing == "swiss":
        losses = "1 loss" if brief.elimination_count == 1 else f"{brief.elimination_count} losses"
        return f"when all but one are out, each after {losses}"
    if brief.pairing == "round-robin":
        return f"when every pair was played: {most_comparisons(brief, items):,} calls in all"
    rounds_to_go = rounds_left(brief, rounds)
    session = "1 round" if rounds_to_go == 1 else f"{rounds_to_go} rounds"
    return f"when its session is over, in {session}, or the ranking has settled"


def _wanted(goal: Goal) -> str:
    sure = f"{goal.confidence:.0%}"
    if goal.aim is Aim.WINNER:
        return f"the one on top to be the best with {sure}"
    if goal.aim is Aim.TOP:
        return f"{sure} of the true top {goal.k} among the first {goal.k}"
    if goal.aim is Aim.ORDER:
        return f"a Kendall tau of {goal.confidence:g} with the true order"
    return f"a Kendall tau of {goal.confidence:g} with the true order and {sure} of the true top"


def _expected(goal: Goal, forecast: Forecast | None) -> str:
    if forecast is None:
        return "nothing is known yet"
    if goal.aim is Aim.WINNER:
        return f"{forecast.p_best:.0%} now"
    if goal.aim is Aim.TOP:
        return f"{forecast.recall:.0%} now"
    if goal.aim is Aim.ORDER:
        return f"{forecast.tau:.2f} now"
    return f"{forecast.tau:.2f} and {forecast.recall:.0%} now"
