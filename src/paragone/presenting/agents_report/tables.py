"""The tables of a report on agents, as plain cells; every text in them is untrusted and escaped by the page."""

from collections import Counter
from collections.abc import Iterator

from paragone.agents.report import Report, Tested, change
from paragone.agents.standings import Standing
from paragone.analysis.calibration import LEAST, CalibrationReport
from paragone.analysis.relationships import Relationship, RelationshipMetrics
from paragone.domain import RedTeamResult
from paragone.ledger import RecordedTest
from paragone.presenting.agents_report.summary import name, notable, settings_of
from paragone.presenting.cells import Cell, Table, columns, number, without_empty_columns

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


def _limited(shown: int, of: int, words: str = "") -> str:
    left = of - shown
    others = "The other one is" if left == 1 else f"The other {left:,} are"
    rest = f"{others} in the JSON and CSV reports." if left > 0 else ""
    return " ".join(part for part in (words, rest) if part)


def _board(report: Report, top: int) -> Table:
    agents = {*report.chosen, *(standing.agent for standing in report.standings[:top])}
    shown = [standing for standing in report.standings if standing.agent in agents]
    return Table(
        section="ranking",
        title="Board",
        note=_limited(
            len(shown), len(report.standings), "By strength; the running Elo tells the story debate by debate."
        ),
        columns=columns(
            "#Rank", "Agent", "#between", "#Strength", f"#{report.level:.0%} interval", "#Elo", "#Debates", "#W–L–D",
            "Form", "#Critiques accepted", "#Calibration", "Model",
        ),
        rows=tuple(_row(report, standing) for standing in shown),
    )  # fmt: skip


def _row(report: Report, standing: Standing) -> tuple[Cell, ...]:
    rating, tally, said = standing.rating, standing.record.tally, report.foretold.get(standing.agent)
    made, accepted = tally.critiques_total, tally.critiques_accepted
    played = rating.wins + rating.losses + rating.ties
    return (
        *_ranks(standing),
        number(rating.elo),
        number(standing.debates),
        Cell(text=f"{rating.wins}–{rating.losses}–{rating.ties}", style="n", key=rating.wins / max(1, played)),
        Cell(text=standing.form, style="form"),
        Cell(text=f"{accepted:,} of {made:,}" if made else "", style="n", key=accepted / made if made else None),
        number(None if said is None or len(said) < LEAST else said.score, ".2f"),
        Cell(text=name(standing.record.model), style="k"),
    )


def _ranks(standing: Standing) -> tuple[Cell, ...]:
    """Rank, agent, interval of ranks, strength and its interval; without a debate the agent alone."""
    one = standing.strength
    if one is None:
        return number(None), _agent(standing.agent), *(number(None),) * 3
    return (
        number(one.rank),
        _agent(standing.agent),
        Cell(text=f"{one.rank_low}–{one.rank_high}", style="n", key=one.rank_low),
        number(one.strength),
        Cell(text=f"{one.low:.0f} to {one.high:.0f}", style="n", key=one.high - one.low),
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
    there = [row for row in report.by_domain[domain].rows if row.matches] if domain in report.by_domain else []
    lead = (
        (
            _agent(there[0].agent),
            number(there[0].strength),
            Cell(text=f"{there[0].low:.0f} to {there[0].high:.0f}", style="n"),
        )
        if there
        else (Cell(text=""), number(None), number(None))
    )
    able = sum(row.rank_low == 1 for row in there)
    return (_agent(domain), number(report.domains[domain]), number(agents), *lead, number(able or None))


def _calibration(report: Report, top: int) -> Table:
    known = report.calibration
    order = sorted(known, key=lambda agent: (-known[agent].score.value, known[agent].brier.value, agent))
    shown = order[:top]
    return Table(
        section="calibration",
        title="By calibration score",
        note=_limited(
            len(shown),
            len(report.foretold),
            "Bias is mean confidence less accuracy; the error by chance is what right confidences would show.",
        ),
        columns=columns(
            "Agent", "#Predictions", "#Right", "#Said", "#Score", "#Brier", "#Error", "#by chance", "#Bias",
            f"#{report.level:.0%} interval", "#Temperature", "What it comes to",
        ),
        rows=tuple(_calibrated(agent, known[agent]) for agent in shown),
    )  # fmt: skip


def _calibrated(agent: str, one: CalibrationReport) -> tuple[Cell, ...]:
    return (
        _agent(agent),
        number(one.predictions),
        number(one.accuracy, ".0%"),
        number(one.mean_confidence, ".0%"),
        number(one.score.value if one.predictions >= LEAST else None, ".2f"),
        number(one.brier.value, ".3f"),
        number(one.ece.value, ".3f"),
        number(one.ece_by_chance.expected, ".3f"),
        number(one.bias.value, "+.2f"),
        Cell(text=f"{one.bias.low:+.2f} to {one.bias.high:+.2f}", style="n", key=one.bias.high - one.bias.low),
        number(one.temperature.value, ".2f"),
        Cell(text=one.verdict),
    )


def _relations(report: Report) -> Table:
    found = [
        *notable(report, Relationship.RIVAL)[: MOST_LINES // 2],
        *notable(report, Relationship.ALLY)[: MOST_LINES // 2],
    ]
    return Table(
        section="relations",
        title="Rivals and allies of note",
        note="By document A's formulas: rivals debated often, agreed seldom and won in turns; allies agree and accept "
        "each other's critiques. Nothing here says whether that is more than chance.",
        columns=columns("Which", "One", "Other", "#Rivalry", "#Alliance", "#Debates", "#Agreed", "#Won–lost"),
        rows=tuple(_relation(one) for one in found),
    )


def _relation(one: RelationshipMetrics) -> tuple[Cell, ...]:
    return (
        Cell(text=_KINDS[one.relationship], style="k"),
        _agent(one.agent_a),
        _agent(one.agent_b),
        number(one.rivalry_score, ".2f"),
        number(one.alliance_score, ".2f"),
        number(one.debate_count),
        number(one.agreement_rate, ".0%"),
        Cell(text=one.head_to_head.replace("-", "–"), style="n"),
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
        rows=tuple(_sums(one) for one in report.tested[:top]),
    )  # fmt: skip


def _sums(one: Tested) -> tuple[Cell, ...]:
    attacked, verified = one.sessions > 0, one.verifications > 0
    return (
        _agent(one.agent),
        number(one.sessions or None),
        number(one.attacks if attacked else None),
        number(one.successful if attacked else None),
        number(one.critical if attacked else None),
        number(one.robustness, ".2f"),
        number(one.red_team if attacked else None, "+.1f"),
        number(one.verifications or None),
        number(one.verified if verified else None),
        number(one.disproven if verified else None),
        number(one.verification if verified else None, "+.1f"),
    )


def _tests(report: Report) -> Table:
    shown = report.tests[: -MOST_LINES - 1 : -1]
    left = len(report.tests) - len(shown)
    return Table(
        section="tests",
        title="The last tests" if left else "All tests",
        note=f"The {left:,} before them are in the JSON report." if left else "",
        columns=columns("When", "Agent", "What", "Domain", "What was found", "#Elo points"),
        rows=tuple(_test(done) for done in shown),
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
