"""The figures of a report on agents, each with a note on how to read it."""

from collections.abc import Iterator

from paragone.agents.report import AgentsReport
from paragone.agents.standings import board_rows
from paragone.analysis.calibration import LEAST
from paragone.presenting import figures
from paragone.presenting.agents import name
from paragone.presenting.figures import AgentTestMoves, DomainRating, RatingSeries
from paragone.presenting.page import Chart

BARS = 30
"""Agents in the figures of strengths and of tests."""
MET = 16
"""Agents in the head-to-head table."""
DIAGRAMS = 6
"""Reliability diagrams, besides those of chosen agents."""
FIELD = 12
"""Agents above which there is a figure of all by rank."""


def charts(report: AgentsReport, *, top: int = BARS) -> tuple[Chart, ...]:
    """All figures that have data, in the order of the page.

    Args:
        report: The report.
        top: Agents in a figure at most.
    """
    parts = (
        _strengths(report, top), _histories(report), _domains(report, top), _calibration(report, top),
        _relations(report, top), _tests(report, top),
    )  # fmt: skip
    return tuple(chart for part in parts for chart in part)


def _strengths(report: AgentsReport, top: int) -> Iterator[Chart]:
    rows = board_rows(report.standings)
    if not rows:
        return
    yield Chart(
        id="strengths", section="ranking", title="The strongest",
        note="Filled: strength, fitted to all debates at once, with its interval. Open: the running Elo, updated by "
        "each debate and test; where ratios of scores count it stays nearer the middle.",
        figure=figures.leaderboard(rows, most=min(top, BARS), level=report.level, what="agents"),
    )  # fmt: skip
    if len(rows) > FIELD:
        yield Chart(
            id="field", section="ranking", title="All of them",
            note="A wide band means few debates; where the line is flat, the order is uncertain.",
            figure=figures.field(rows, level=report.level, what="agents"),
        )  # fmt: skip


def _histories(report: AgentsReport) -> Iterator[Chart]:
    histories = [
        RatingSeries(
            agent=agent,
            rating=tuple(move.elo for move in moves),
            causes=tuple(move.cause for move in moves),
        )
        for agent, moves in report.histories.items()
        if moves
    ]
    if any(len(history.rating) > 1 for history in histories):
        where = f" in {name(report.domain)}" if report.domain else ""
        yield Chart(
            id="history", section="history", title=f"Running Elo{where}, move by move",
            note="Each debate and each test is a move. Shown are the chosen agents and the strongest.",
            figure=figures.rating_history(histories),
        )  # fmt: skip


def _domains(report: AgentsReport, top: int) -> Iterator[Chart]:
    if report.domain or not report.domains:
        return
    fitted = bool(report.by_domain)
    what = "Strength" if fitted else "Running Elo"
    note = (
        "Where an agent has debated. With few debates in a domain, the strength stays near that elsewhere; hover over "
        "a cell for its interval."
        if fitted
        else "The running Elo: there are too many agents and domains to fit strengths by domain."
    )
    yield Chart(
        id="domains", section="domains", title=f"{what} by domain", note=note,
        figure=figures.domain_ratings(
            _best(report, min(top, BARS)),
            list(report.domains),
            _fitted(report) if fitted else _running(report),
            what=what,
        ),
    )  # fmt: skip


def _fitted(report: AgentsReport) -> dict[tuple[str, str], DomainRating]:
    return {
        (row.agent, domain): DomainRating(rating=row.strength, low=row.low, high=row.high, matches=row.matches)
        for domain, strengths in report.by_domain.items()
        for row in strengths.rows
        if row.matches
    }


def _running(report: AgentsReport) -> dict[tuple[str, str], DomainRating]:
    return {
        (entry.agent, track.track): DomainRating(rating=track.elo, matches=track.matches)
        for entry in report.standings
        for track in entry.record.tracks
    }


def _best(report: AgentsReport, most: int) -> list[str]:
    """The chosen agents and the strongest, in the order of the board."""
    order = [entry.agent for entry in report.standings]
    shown_agents = set([*dict.fromkeys([*report.chosen, *order])][: max(most, len(report.chosen))])
    return [agent for agent in order if agent in shown_agents]


def _calibration(report: AgentsReport, top: int) -> Iterator[Chart]:
    reports = {
        agent: report_of_agent
        for agent, report_of_agent in report.calibration.items()
        if report_of_agent.predictions >= LEAST
    }
    if not reports:
        return
    by_score = sorted(reports.items(), key=lambda entry: (-entry[1].score.value, entry[0]))
    by_bias = sorted(reports.items(), key=lambda entry: (-abs(entry[1].bias.value), entry[0]))
    yield Chart(
        id="calibration", section="calibration", title="Calibration score", half=True,
        note="1 minus the Brier score, weighted by the number of predictions; best first.",
        figure=figures.calibration_board(by_score[:top]),
    )  # fmt: skip
    yield Chart(
        id="bias", section="calibration", title="Over- and underconfidence", half=True,
        note="Mean confidence minus accuracy, largest first; grey if the interval includes zero.",
        figure=figures.bias_board(by_bias[:top]),
    )  # fmt: skip
    chosen = [agent for agent in report.chosen if agent in reports]
    for number, agent in enumerate([*dict.fromkeys([*chosen, *reports])][: max(DIAGRAMS, len(chosen))]):
        yield Chart(
            id=f"reliability-{number}", section="calibration", title=name(agent), half=True,
            note=f"{reports[agent].predictions:,} predictions: {reports[agent].verdict}.",
            figure=figures.reliability(reports[agent], agent),
        )  # fmt: skip


def _relations(report: AgentsReport, top: int) -> Iterator[Chart]:
    best = _best(report, min(top, MET))
    if any(relation.debate_count for relation in report.relations):
        yield Chart(
            id="relations", section="relations", title="Rivals and allies",
            note="Lines join agents that met, wider for more debates; hover over the middle of a line for the scores. "
            "Of many agents, those with the most debates are shown.",
            figure=figures.relationships(report.relations),
        )  # fmt: skip
    if report.head_to_head:
        yield Chart(
            id="meetings", section="relations", title="Head to head",
            note="Debates that the agent on the left won and lost; = if all were drawn. Blue: it won more often; "
            "orange: it lost more often; empty: they did not meet.",
            figure=figures.head_to_head(best, [""] * len(best), report.head_to_head),
        )  # fmt: skip


def _tests(report: AgentsReport, top: int) -> Iterator[Chart]:
    moves = [
        AgentTestMoves(agent=tests.agent, red_team=tests.red_team, verification=tests.verification)
        for tests in report.tested
        if tests.red_team or tests.verification
    ]
    if moves:
        yield Chart(
            id="tests", section="tests", title="Rating changes by tests",
            note="Elo points, largest change first. A robustness from .8 counts for an agent, below .5 against it.",
            figure=figures.moved_by_tests(moves[: min(top, BARS)]),
        )  # fmt: skip
