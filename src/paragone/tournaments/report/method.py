"""How a tournament was made: what it was asked, by what rules it was played, and what made the strengths."""

from paragone.domain import Goal
from paragone.tournaments.report.gathering import Report


def settings_of(report: Report) -> list[tuple[str, str]]:
    """What one needs to know to judge the report, or to make the tournament again."""
    state, board = report.state, report.board
    brief = state.settings
    config = state.config
    said = [
        ("Tournament", state.id),
        ("Criteria", brief.criteria),
        ("Judge", brief.judge),
        ("Pairing", brief.pairing),
        *([("Goal", goal_in_words(brief.goal))] if brief.system is None else []),
        ("Seed", str(brief.seed)),
        ("Running Elo", f"from {config.initial:g}, K {config.k:g}, within {config.floor:g} and {config.ceiling:g}"),
        ("Strengths", _fit(report)),
        ("Scale", "fixed by the evidence" if board.identified else "leans on the prior"),
        ("Runs", str(report.happenings.runs)),
    ]
    if brief.budget is not None:
        said.append(("Budget", f"{brief.budget:,} comparisons"))
    if brief.max_cost is not None:
        said.append(("Budget in money", f"${brief.max_cost:g}"))
    if brief.system is not None:
        said.extend(_policy(report))
    said.extend((word[0].upper() + word[1:], f"{count:,}") for word, count in report.happenings.told())
    return said


def _fit(report: Report) -> str:
    position = ", with a position term for each judge" if report.state.position else ""
    reviews = "; ties in the order of reviews" if report.state.reviews else ""
    return f"one fit over all matches{position}; {report.board.level:.0%} intervals{reviews}"


def _policy(report: Report) -> list[tuple[str, str]]:
    system = report.state.system
    pairing, scheduling, policy = system.tournament_parameters, system.scheduling, system.policy
    budget = system.optimization.resource_budget_per_round
    weights = {
        "similarity": pairing.similarity_weight,
        "recency": pairing.recency_weight,
        "rating proximity": pairing.rating_proximity_weight,
        "activity": policy.activity_weight,
    }
    bounds = {
        "Elite": policy.elite_threshold,
        "Strong": policy.strong_threshold,
        "Average": policy.average_threshold,
    }
    return [
        ("Weights of pairing", ", ".join(f"{name} {weight:g}" for name, weight in weights.items())),
        ("Rounds", f"{scheduling.rounds_per_session} a session of {scheduling.matches_per_round} matches"),
        ("Budget of a round", "no limit" if budget is None else f"{budget:g} compute units"),
        ("Tiers", ", ".join(f"{name} from {bound:g}" for name, bound in bounds.items())),
    ]


def goal_in_words(goal: Goal) -> str:
    """The ranking that was asked for."""
    what = {
        "balanced": "the whole order, and the top above all",
        "order": "the whole order",
        "winner": "the best",
        "top": f"the top {goal.k}",
    }[goal.aim.value]
    return f"{what}, at a confidence of {goal.confidence:.0%}"
