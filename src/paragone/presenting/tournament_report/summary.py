"""The summary of a tournament report, in sentences, and its headline numbers."""

from collections.abc import Iterator

from paragone.domain import Goal
from paragone.domain.text import counted
from paragone.pairing.forecast import reached
from paragone.presenting.page import Sentence
from paragone.presenting.terms import AGREEMENT
from paragone.tournaments.report.gathering import Overview, TournamentReport
from paragone.tournaments.report.global_ranking import settled_in_words
from paragone.tournaments.state.history import prompt_cache_words


def summary(report: Overview) -> tuple[Sentence, ...]:
    """The best, how certain that is, whether the ranking settled, its cost, why it stopped, and warnings."""
    sentences = [
        ("The best", _best(report)),
        ("How sure", _sure(report)),
        ("Settled", _settled(report)),
        ("What it took", _cost(report)),
        ("Why it stopped", report.board.stopped or "It has not stopped yet; this is the current state."),
    ]
    if report.accuracy is not None:
        sentences.append(("Against the truth", report.accuracy.sentence()))
    return (*sentences, *(("Beware", warning) for warning in warnings(report)))


def _best(report: Overview) -> str:
    rows = report.board.items
    if not report.state.has_evidence:
        return f"Nothing was decided yet among {len(rows):,} {report.state.settings.nouns}."
    first, *next_ = rows[:5]
    sentence = (
        f"{first.id} is first of {len(rows):,}, with a strength of {first.rating:.0f} "
        f"({report.board.level:.0%} interval {first.low:.0f} to {first.high:.0f})"
    )
    if next_:
        sentence += f"; followed by {', '.join(row.id for row in next_)}"
    coming = report.standings.emerging
    extra = f" Emerging: {', '.join(coming[:5])}." if coming else ""
    return f"{sentence}.{extra}"


def _sure(report: Overview) -> str:
    forecast = report.board.forecast
    if forecast is None:
        return "There is no evidence yet."
    signal = forecast.signal_in_words
    if forecast.is_chance:
        return f"{signal[0].upper()}{signal[1:]}."
    goal = report.state.settings.goal
    verb = "meets" if reached(forecast, goal) else "does not meet"
    # the weighted pairing stops by its own rules, without a confidence
    goal_sentence = f" That {verb} the {goal.confidence:.0%} that was asked for." * (
        report.state.settings.system is None
    )
    share = f"{forecast.recall:.0%} of the true top {forecast.top} are expected among the first {forecast.top}, " * (
        forecast.top > 1
    )
    return (
        f"The first is the best of all with a probability of {forecast.p_best:.0%}; {share}and the expected "
        f"agreement with the true order is {forecast.tau:.2f} ({AGREEMENT.exact}).{goal_sentence}"
        + (f" The odds of that: {signal}." if signal else "")
    )


def _settled(report: Overview) -> str:
    if len(report.progression.rounds) < 3:
        return "Too few rounds were played to say."
    words = settled_in_words(report.state, report.progression)
    return f"By running Elo, a sweep being as many matches as everyone plays one in: {words}."


def _cost(report: Overview) -> str:
    matches = len(report.state.matches)
    rounds = len({match.round for match in report.state.matches if match.round})
    parts = [
        f"{matches:,} matches in {rounds} rounds",
        f"{report.spending.units:,} compute units",
        report.spending.sentence(),
    ]
    if report.spending.turns:
        parts.append(f"{report.spending.turns:,} turns of debate")
    cached = prompt_cache_words(report.state.events)
    return ", ".join(parts) + (f"; {cached}." if cached else ".")


def tiles(report: Overview) -> tuple[tuple[str, str], ...]:
    """The headline numbers, with their names."""
    forecast, spent, metrics = report.board.forecast, report.spending, report.effectiveness
    settings = report.state.settings
    numbers = [
        (settings.nouns, f"{len(report.board):,}"),
        ("matches", f"{len(report.state.matches):,}"),
        (f"matches per {settings.noun}", f"{report.health.average_matches_per_hypothesis:.1f}"),
        (AGREEMENT.name.lower(), None if forecast is None else f"{forecast.tau:.2f}"),
        (
            f"of the true top {report.standings.top} expected",
            None if forecast is None else f"{forecast.recall:.0%}",
        ),
        ("top-10 stability", _share(metrics.top_10_stability)),
        (
            "decisions a unit",
            None if metrics.computational_efficiency is None else f"{metrics.computational_efficiency:.2f}",
        ),
        ("compute units", f"{spent.units:,}"),
        *spent.facts().items(),
        ("agreement with the truth", None if report.accuracy is None else f"{report.accuracy.tau:.2f}"),
    ]
    return tuple((name, value) for name, value in numbers if value is not None)


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.0%}"


def warnings(report: Overview) -> Iterator[str]:
    """What readers should know before they use the ranking."""
    board, nouns = report.board, report.state.settings.nouns
    if report.state.has_evidence and not board.identified:
        yield "The evidence does not yet fix the scale: strengths and intervals lean on the prior."
    least = report.state.system.optimization.min_matches_for_confidence
    thin = sum(row.matches < least for row in board.items)
    if thin:
        yield f"{thin:,} of {len(board.items):,} {nouns} have played fewer than {least} matches."
    leaning = [j for j in board.judges if j.position_low is not None and j.position_high is not None]
    leaning = [j for j in leaning if not (j.position_low or 0.0) <= 0.0 <= (j.position_high or 0.0)]
    if leaning:
        whose = leaning[0].judge if len(leaning) == 1 else f"{len(leaning)} judges"
        yield f"{whose} favoured a position; the strengths are corrected for that."
    if report.spending.failed:
        yield f"{counted(report.spending.failed, 'attempt')} brought no answer, and changed no rating."
    if report.discrepancies:
        yield f"Reviews disagree with the matches about {len(report.discrepancies):,} {nouns}."
    if report.event_counts.anomalies:
        yield f"Sudden rating changes that wait for review: {report.event_counts.anomalies:,}."


def settings_of(report: TournamentReport) -> list[tuple[str, str]]:
    """What is needed to judge the report, or to repeat the tournament."""
    state, board = report.state, report.board
    brief = state.settings
    config = state.config
    settings = [
        ("Tournament", state.id),
        ("Criteria", brief.criteria),
        ("Judge", brief.judge),
        ("Pairing", brief.pairing),
        *([("Goal", goal_in_words(brief.goal))] if brief.system is None else []),
        ("Seed", str(brief.seed)),
        ("Running Elo", f"from {config.initial:g}, K {config.k:g}, within {config.floor:g} and {config.ceiling:g}"),
        ("Strengths", _fit_in_words(report)),
        ("Scale", "fixed by the evidence" if board.identified else "leans on the prior"),
        ("Runs", str(report.event_counts.runs)),
    ]
    if brief.budget is not None:
        settings.append(("Budget", f"{brief.budget:,} comparisons"))
    if brief.max_cost is not None:
        settings.append(("Budget in money", f"${brief.max_cost:g}"))
    if brief.system is not None:
        settings.extend(_policy(report))
    settings.extend((word[0].upper() + word[1:], f"{count:,}") for word, count in report.event_counts.in_words())
    return settings


def _fit_in_words(report: TournamentReport) -> str:
    position = ", with a position term for each judge" if report.state.position else ""
    reviews = "; ties in the order of reviews" if report.state.reviews else ""
    return f"one fit to all matches{position}; {report.board.level:.0%} intervals{reviews}"


def _policy(report: TournamentReport) -> list[tuple[str, str]]:
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
