"""The summary of a report on agents, in sentences, and its headline numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from paragone.agents.report import AgentsReport
from paragone.agents.standings import AgentStanding, agent_row
from paragone.agents.strengths import AgentStrength
from paragone.analysis.calibration import LEAST as LEAST_PREDICTIONS
from paragone.analysis.calibration import CalibrationFinding, CalibrationReport
from paragone.analysis.relationships import Relationship, RelationshipMetrics
from paragone.domain.text import counted
from paragone.presenting.agents import name
from paragone.presenting.page import Sentence, enumerated, have, were
from paragone.presenting.terms import LOG_ODDS
from paragone.wire.agent import AgentRow

NAMED = 5
"""Agents that a sentence names at most."""
FEW_DEBATES = 5
"""Debates below which there is a warning that little is known of an agent."""


def summary(report: AgentsReport) -> tuple[Sentence, ...]:
    """Counts, who leads and how certain that is, calibration, rivals and allies, tests, warnings."""
    sentences = [("What there is", _what(report))]
    if _fitted(report):
        sentences += [("The best", _best(report)), ("How sure", _sure(report))]
    if report.predictions:
        sentences.append(("Calibration", _calibration(report)))
    if report.relations:
        sentences.append(("Rivals and allies", _relations(report)))
    if report.tests:
        sentences.append(("Tests", _tests(report)))
    return (*sentences, *(("Beware", warning) for warning in warnings(report)))


def rows_of(report: AgentsReport) -> list[AgentRow]:
    """The agents as rows of a leaderboard, with their calibration where it was examined."""
    rows = []
    for entry in report.standings:
        predictions, calibration = report.predictions.get(entry.agent), report.calibration.get(entry.agent)
        counts = () if predictions is None else (len(predictions), predictions.right, predictions.brier_sum)
        row = agent_row(entry, *counts)
        if calibration is not None:
            row = replace(
                row,
                score_low=calibration.score.low,
                score_high=calibration.score.high,
                bias=calibration.bias.value,
                finding=calibration.finding.value,
            )
        rows.append(row)
    return rows


def names(agents: Sequence[str]) -> str:
    """Some agents, and how many more there are."""
    return enumerated([name(agent) for agent in agents], NAMED)


def _fitted(report: AgentsReport) -> list[tuple[AgentStanding, AgentStrength]]:
    return [(entry, entry.strength) for entry in report.standings if entry.strength is not None and entry.debates]


def _what(report: AgentsReport) -> str:
    if not report.standings:
        return "Nothing is recorded yet: there are no agents."
    predictions = sum(len(agent_predictions) for agent_predictions in report.predictions.values())
    parts = [counted(report.debates, "debate")]
    if report.domains and not report.domain:
        parts.append(counted(len(report.domains), "domain"))
    if predictions:
        parts.append(f"{counted(predictions, 'prediction')} whose outcome is known")
    if report.tests:
        parts.append(counted(len(report.tests), "test"))
    where = f"; in the domain {name(report.domain)}:" if report.domain else ","
    return f"{counted(len(report.standings), 'agent')}{where} {', '.join(parts)}."


def _best(report: AgentsReport) -> str:
    (first, strength), *following = _fitted(report)
    level = f"{report.level:.0%} interval {strength.low:.0f} to {strength.high:.0f}"
    sentence = f"{name(first.agent)} leads with a strength of {strength.strength:.0f} ({level})"
    if following:
        behind = [entry.agent for entry, _ in following[:3]]
        sentence += f"; followed by {names(behind)}"
    quick = max(report.standings, key=lambda entry: entry.rating.elo)
    if quick.agent != first.agent and quick.rating.elo > first.rating.elo:
        sentence += (
            f". By running Elo, which goes debate by debate, {name(quick.agent)} is first ({quick.rating.elo:.0f})"
        )
    return f"{sentence}."


def _sure(report: AgentsReport) -> str:
    fitted = _fitted(report)
    if len(fitted) == 1:
        return "There is no other agent to compare it with."
    able = [entry.agent for entry, strength in fitted if strength.rank_low == 1]
    worst, level = fitted[0][1].rank_high, f"{report.level:.0%} intervals of ranks"
    if len(able) == 1:
        return f"By {level}, no other of the {len(fitted):,} agents may be the best."
    tail = f"; the first may be as far down as rank {worst:,}" if worst > 1 else ""
    return f"By {level}, {len(able):,} of {len(fitted):,} agents may be the best: {names(able)}{tail}."


def _calibration(report: AgentsReport) -> str:
    reports = {
        agent: calibration
        for agent, calibration in report.calibration.items()
        if calibration.predictions >= LEAST_PREDICTIONS
    }
    if not reports:
        return f"No agent has {LEAST_PREDICTIONS} predictions with a known outcome: too few to say."
    kinds = (
        ("Overconfident", CalibrationFinding.OVERCONFIDENT),
        ("Underconfident", CalibrationFinding.UNDERCONFIDENT),
        ("Miscalibrated in another way", CalibrationFinding.MISCALIBRATED),
    )
    by_finding = [(words, _most(reports, finding)) for words, finding in kinds]
    parts = [f"{words} beyond chance: {_verdicts(reports, agents)}." for words, agents in by_finding if agents]
    if not parts:
        return (
            f"None of {counted(len(reports), 'agent')} with {LEAST_PREDICTIONS} predictions or more is miscalibrated "
            "beyond chance."
        )
    by_chance = (1 - report.level) * len(reports)
    beside = f" By chance alone, about {by_chance:.0f} of {len(reports):,} agents would seem over- or underconfident."
    return " ".join(parts) + beside * (by_chance >= 0.5)


def _most(reports: dict[str, CalibrationReport], finding: CalibrationFinding) -> list[str]:
    """The agents with a finding, largest bias first."""
    agents = [agent for agent, calibration in reports.items() if calibration.finding is finding]
    return sorted(agents, key=lambda agent: (-abs(reports[agent].bias.value), agent))


def _verdicts(reports: dict[str, CalibrationReport], agents: Sequence[str]) -> str:
    """Names with their bias, if the finding is about that, as many as there is room for."""
    return enumerated([name(agent) + _bias(reports[agent]) for agent in agents], NAMED)


def _bias(calibration: CalibrationReport) -> str:
    return "" if calibration.finding is CalibrationFinding.MISCALIBRATED else f" (by {abs(calibration.bias.value):.0%})"


def _relations(report: AgentsReport) -> str:
    pairs_met = [relation for relation in report.relations if relation.debate_count]
    rivals, allies = (notable(report, kind) for kind in (Relationship.RIVAL, Relationship.ALLY))
    if not rivals and not allies:
        return f"{counted(len(pairs_met), 'pair')} met in debates; none are rivals or allies."
    by_kind = (("Rivals", rivals), ("Allies", allies))
    parts = [
        f"{kind}: {len(pairs):,}, above all {_pair(pairs[0])} ({score_of(pairs[0]):.2f})."
        for kind, pairs in by_kind
        if pairs
    ]
    return f"{counted(len(pairs_met), 'pair')} met in debates. {' '.join(parts)}"


def notable(report: AgentsReport, kind: Relationship) -> list[RelationshipMetrics]:
    """The pairs of one kind, highest score first."""
    relations = [relation for relation in report.relations if relation.relationship is kind]
    return sorted(relations, key=lambda relation: (-score_of(relation), relation.agent_a, relation.agent_b))


def score_of(relation: RelationshipMetrics) -> float:
    """The score that decided the kind of a relationship."""
    return relation.alliance_score if relation.relationship is Relationship.ALLY else relation.rivalry_score


def _pair(relation: RelationshipMetrics) -> str:
    return f"{name(relation.agent_a)} and {name(relation.agent_b)}"


def _tests(report: AgentsReport) -> str:
    rated = [tests for tests in report.tested if tests.change]
    sessions, checks = (sum(getattr(tests, kind) for tests in report.tested) for kind in ("sessions", "verifications"))
    sentence = f"{counted(sessions, 'session')} of red teams and {counted(checks, 'verification')}"
    if not rated:
        return f"{sentence} moved no rating."
    worst, best = min(rated, key=lambda tests: tests.change), max(rated, key=lambda tests: tests.change)
    furthest = " and ".join(f"{name(tests.agent)} by {tests.change:+.0f}" for tests in dict.fromkeys((best, worst)))
    whom = counted(len(rated), "agent")
    changes = f"the largest changes are {furthest} points"
    return f"{sentence} moved the running Elo of {whom}; {changes}. Strengths use debates only."


def warnings(report: AgentsReport) -> Iterator[str]:
    """What readers should know before they use the report."""
    fitted = _fitted(report)
    thin = sum(strength.matches < FEW_DEBATES for _, strength in fitted)
    if thin:
        yield f"{counted(thin, 'agent')} of {len(fitted):,} {were(thin)} in fewer than {FEW_DEBATES} debates."
    absent = len(report.standings) - len(fitted)
    if absent and fitted:
        yield f"{counted(absent, 'agent')} {were(absent)} in no debate{' here' if report.domain else ''}."
    few = sum(0 < len(predictions) < LEAST_PREDICTIONS for predictions in report.predictions.values())
    if few:
        yield f"{counted(few, 'agent')} {have(few)} fewer than {LEAST_PREDICTIONS} predictions: too few to tell."
    remaining = len(report.predictions) - len(report.calibration)
    if remaining:
        yield (
            f"Calibration was examined for the {counted(len(report.calibration), 'agent')} with the most predictions; "
            f"for the other {remaining:,} there is only the score."
        )


def tiles(report: AgentsReport) -> tuple[tuple[str, str], ...]:
    """The headline numbers, with their names."""
    predictions = sum(len(entry) for entry in report.predictions.values())
    right = sum(entry.right for entry in report.predictions.values())
    kinds = [entry.relationship for entry in report.relations]
    rivals, allies = (kinds.count(kind) for kind in (Relationship.RIVAL, Relationship.ALLY))
    fitted = _fitted(report)
    numbers = [
        ("agents", f"{len(report.standings):,}"),
        ("debates", f"{report.debates:,}"),
        ("domains", f"{len(report.domains):,}" if report.domains and not report.domain else ""),
        ("may be the best", f"{sum(entry.rank_low == 1 for _, entry in fitted):,}" if fitted else ""),
        ("predictions", f"{predictions:,}" if predictions else ""),
        ("of them right", f"{right / predictions:.0%}" if predictions else ""),
        ("pairs of rivals", f"{rivals:,}" if report.relations else ""),
        ("pairs of allies", f"{allies:,}" if report.relations else ""),
        ("tests", f"{len(report.tests):,}" if report.tests else ""),
    ]
    return tuple((what, value) for what, value in numbers if value)


def settings_of(report: AgentsReport) -> tuple[tuple[str, str], ...]:
    """The settings and methods of the report, as names and values."""
    return (*_ratings(report), *_strength_method(report), *_calibration_method(report))


def _ratings(report: AgentsReport) -> Iterator[tuple[str, str]]:
    config = report.config
    yield "Pool", report.pool.id
    yield "Running Elo", f"begins at {config.initial:g}, K {config.k:g}, from {config.floor:g} to {config.ceiling:g}"


def _strength_method(report: AgentsReport) -> Iterator[tuple[str, str]]:
    method = report.method
    if method:
        yield "Strength", f"{method['name']}; each pair of a debate weighs {method['pair_weight']}"
        yield "Scale", f"Elo points; {report.config.initial:g} is the average of the agents"
    fits = (method, *(table.method for table in report.by_domain.values()))
    tau = next((fit["tau"] for fit in fits if fit.get("tau") is not None), None)
    if tau is not None:
        yield "Between domains", f"strengths differ by a standard deviation of {tau:.2f} {LOG_ODDS}, from the evidence"


def _calibration_method(report: AgentsReport) -> Iterator[tuple[str, str]]:
    for calibration in list(report.calibration.values())[:1]:
        draws = f"{calibration.draws:,} draws of the bootstrap and as many by chance"
        yield "Calibration", f"{calibration.level:.0%} intervals, {draws}, seed {calibration.seed}"
