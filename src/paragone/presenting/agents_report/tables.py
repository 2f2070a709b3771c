"""The tables of a report on agents, as plain cells; every text in them is untrusted and escaped by the page."""

from collections import Counter
from collections.abc import Iterator

from paragone.agents.report import Report, change
from paragone.agents.standings import AgentStanding
from paragone.analysis.calibration import LEAST, CalibrationReport
from paragone.analysis.relationships import Relationship, RelationshipMetrics
from paragone.domain import RedTeamResult
from paragone.ledger import RecordedTest
from paragone.presenting.agents_report.summary import name, notable, settings_of
from paragone.presenting.cells import Cell, Table, columns, number, without_empty_columns
from paragone.wire.strength_test import AgentTestSummary

MOST_LINES = 50
"""Lines of tables that are not about single agents; JSON has all."""


def tables(report: Report, *, top: int) -> tuple[Table, ...]:
    """All tables that there is something to say in.

    Args:
        report: What to say.
        top: Agents in tables at the most, the best.
    """
    tables_of_report = (
        _board(report, top), _domains(report), _calibration(report, top), _relations(report), _tested(report, top),
        _tests(report), _method(report),
    )  # fmt: skip
    return tuple(without_empty_columns(table) for table in tables_of_report if table.rows)


_KINDS = {Relationship.RIVAL: "rivals", Relationship.ALLY: "allies"}


def _agent(agent: str) -> Cell:
    return Cell(text=name(agent), style="a")


def _limited(count: int, of: int, words: str = "") -> str:
    remaining = of - count
    subject = "The other one is" if remaining == 1 else f"The other {remaining:,} are"
    rest = f"{subject} in the JSON and CSV reports." if remaining > 0 else ""
    return " ".join(part for part in (words, rest) if part)


def _board(report: Report, top: int) -> Table:
    agents = {*report.chosen, *(standing.agent for standing in report.standings[:top])}
    listed = [standing for standing in report.standings if standing.agent in agents]
    return Table(
        section="ranking",
        title="Board",
        note=_limited(
            len(listed), len(report.standings), "By strength; the running Elo tells the story debate by debate."
        ),
        columns=columns(
            "#Rank", "Agent", "#between", "#Strength", f"#{report.level:.0%} interval", "#Elo", "#Debates", "#W–L–D",
            "Form", "#Critiques accepted", "#Calibration", "Model",
        ),
        rows=tuple(_row(report, standing) for standing in listed),
    )  # fmt: skip


def _row(report: Report, standing: AgentStanding) -> tuple[Cell, ...]:
    rating, tally, predictions = standing.rating, standing.record.tally, report.predictions.get(standing.agent)
    critiques, accepted = tally.critiques_total, tally.critiques_accepted
    played = rating.wins + rating.losses + rating.ties
    return (
        *_ranks(standing),
        number(rating.elo),
        number(standing.debates),
        Cell(text=f"{rating.wins}–{rating.losses}–{rating.ties}", style="n", key=rating.wins / max(1, played)),
        Cell(text=standing.form, style="form"),
        Cell(
            text=f"{accepted:,} of {critiques:,}" if critiques else "",
            style="n",
            key=accepted / critiques if critiques else None,
        ),
        number(None if predictions is None or len(predictions) < LEAST else predictions.score, ".2f"),
        Cell(text=name(standing.record.model), style="k"),
    )


def _ranks(standing: AgentStanding) -> tuple[Cell, ...]:
    """Rank, agent, interval of ranks, strength and its interval; without a debate the agent alone."""
    strength = standing.strength
    if strength is None:
        return number(None), _agent(standing.agent), *(number(None),) * 3
    return (
        number(strength.rank),
        _agent(standing.agent),
        Cell(text=f"{strength.rank_low}–{strength.rank_high}", style="n", key=strength.rank_low),
        number(strength.strength),
        Cell(text=f"{strength.low:.0f} to {strength.high:.0f}", style="n", key=strength.high - strength.low),
    )


def _domains(report: Report) -> Table:
    return Table(
        section="domains",
        title="Who leads where" if report.by_domain else "Debates by domain",
        note="Of those who debated there. How many may be the best goes by intervals of ranks."
        if report.by_domain
        else "",
        columns=columns(
            "Domain", "#Debates", "#Agents", "Leads", "#Strength", f"#{report.level:.0%} interval", "#May be the best"
        ),
        rows=() if report.domain else _domain_rows(report),
    )


def _domain_rows(report: Report) -> tuple[tuple[Cell, ...], ...]:
    tracks = (track for standing in report.standings for track in standing.record.tracks)
    agents = Counter(track.track for track in tracks if track.matches)
    return tuple(_domain(report, domain, agents[domain]) for domain in list(report.domains)[:MOST_LINES])


def _domain(report: Report, domain: str, agents: int) -> tuple[Cell, ...]:
    rows = [row for row in report.by_domain[domain].rows if row.matches] if domain in report.by_domain else []
    lead = (
        (
            _agent(rows[0].agent),
            number(rows[0].strength),
            Cell(text=f"{rows[0].low:.0f} to {rows[0].high:.0f}", style="n"),
        )
        if rows
        else (Cell(text=""), number(None), number(None))
    )
    able = sum(row.rank_low == 1 for row in rows)
    return (_agent(domain), number(report.domains[domain]), number(agents), *lead, number(able or None))


def _calibration(report: Report, top: int) -> Table:
    calibrations = report.calibration
    order = sorted(
        calibrations, key=lambda agent: (-calibrations[agent].score.value, calibrations[agent].brier.value, agent)
    )
    agents = order[:top]
    return Table(
        section="calibration",
        title="By calibration score",
        note=_limited(
            len(agents),
            len(report.predictions),
            "Bias is mean confidence less accuracy; the error by chance is what right confidences would show.",
        ),
        columns=columns(
            "Agent", "#Predictions", "#Right", "#Said", "#Score", "#Brier", "#Error", "#by chance", "#Bias",
            f"#{report.level:.0%} interval", "#Temperature", "What it comes to",
        ),
        rows=tuple(_calibrated(agent, calibrations[agent]) for agent in agents),
    )  # fmt: skip


def _calibrated(agent: str, calibration: CalibrationReport) -> tuple[Cell, ...]:
    return (
        _agent(agent),
        number(calibration.predictions),
        number(calibration.accuracy, ".0%"),
        number(calibration.mean_confidence, ".0%"),
        number(calibration.score.value if calibration.predictions >= LEAST else None, ".2f"),
        number(calibration.brier.value, ".3f"),
        number(calibration.ece.value, ".3f"),
        number(calibration.ece_by_chance.expected, ".3f"),
        number(calibration.bias.value, "+.2f"),
        Cell(
            text=f"{calibration.bias.low:+.2f} to {calibration.bias.high:+.2f}",
            style="n",
            key=calibration.bias.high - calibration.bias.low,
        ),
        number(calibration.temperature.value, ".2f"),
        Cell(text=calibration.verdict),
    )


def _relations(report: Report) -> Table:
    relations = [
        *notable(report, Relationship.RIVAL)[: MOST_LINES // 2],
        *notable(report, Relationship.ALLY)[: MOST_LINES // 2],
    ]
    return Table(
        section="relations",
        title="Rivals and allies of note",
        note="By document A's formulas: rivals debated often, agreed seldom and won in turns; allies agree and accept "
        "each other's critiques. Nothing here says whether that is more than chance.",
        columns=columns("Which", "One", "Other", "#Rivalry", "#Alliance", "#Debates", "#Agreed", "#Won–lost"),
        rows=tuple(_relation(relation) for relation in relations),
    )


def _relation(relation: RelationshipMetrics) -> tuple[Cell, ...]:
    return (
        Cell(text=_KINDS[relation.relationship], style="k"),
        _agent(relation.agent_a),
        _agent(relation.agent_b),
        number(relation.rivalry_score, ".2f"),
        number(relation.alliance_score, ".2f"),
        number(relation.debate_count),
        number(relation.agreement_rate, ".0%"),
        Cell(text=relation.head_to_head.replace("-", "–"), style="n"),
    )


def _tested(report: Report, top: int) -> Table:
    return Table(
        section="tests",
        title="By agent",
        note=_limited(min(top, len(report.tested)), len(report.tested)),
        columns=columns(
            "Agent", "#Sessions", "#Attacks", "#got through", "#Critical", "#Robustness", "#Elo points",
            "#Verifications", "#Proven", "#Disproven", "#Elo points",
        ),
        rows=tuple(_sums(tested) for tested in report.tested[:top]),
    )  # fmt: skip


def _sums(tested: AgentTestSummary) -> tuple[Cell, ...]:
    attacked, verified = tested.sessions > 0, tested.verifications > 0
    return (
        _agent(tested.agent),
        number(tested.sessions or None),
        number(tested.attacks if attacked else None),
        number(tested.successful if attacked else None),
        number(tested.critical if attacked else None),
        number(tested.robustness, ".2f"),
        number(tested.red_team if attacked else None, "+.1f"),
        number(tested.verifications or None),
        number(tested.verified if verified else None),
        number(tested.disproven if verified else None),
        number(tested.verification if verified else None, "+.1f"),
    )


def _tests(report: Report) -> Table:
    tests = report.tests[: -MOST_LINES - 1 : -1]
    earlier = len(report.tests) - len(tests)
    return Table(
        section="tests",
        title="The last tests" if earlier else "All tests",
        note=f"The {earlier:,} before them are in the JSON report." if earlier else "",
        columns=columns("When", "Agent", "What", "Domain", "What was found", "#Elo points"),
        rows=tuple(_test(done) for done in tests),
    )


def _test(done: RecordedTest) -> tuple[Cell, ...]:
    test = done.test
    attacked = isinstance(test, RedTeamResult)
    return (
        Cell(text=f"{done.at:%Y-%m-%d %H:%M}", style="k", key=done.at.timestamp()),
        _agent(test.item),
        Cell(text="red team" if attacked else "verification", style="k"),
        Cell(text=name(test.domain)),
        Cell(text="; ".join(_found(done))),
        number(change(done), "+.1f"),
    )


def _found(done: RecordedTest) -> Iterator[str]:
    test = done.test
    if not isinstance(test, RedTeamResult):
        yield f"{test.verified:,} proven, {test.disproven:,} disproven"
        return
    yield f"robustness {test.robustness:.2f}"
    yield f"{test.successful:,} of {test.total:,} attacks got through"
    if test.critical:
        yield f"{test.critical:,} critical"


def _method(report: Report) -> Table:
    return Table(
        section="method",
        title="",
        columns=columns("What", "Value"),
        rows=tuple((Cell(text=what, style="k"), Cell(text=value)) for what, value in settings_of(report)),
        sortable=False,
    )
