"""The figures of a report on agents, each with what it is there for."""

from collections.abc import Iterator

from paragone.agents.report import Report
from paragone.agents.standings import board_rows
from paragone.analysis.calibration import LEAST
from paragone.presenting import figures
from paragone.presenting.agents import name
from paragone.presenting.figures import DomainRating, History, Moved
from paragone.presenting.page import Chart

BARS = 30
"""Agents in the figures of strengths and of tests."""
MET = 16
"""Agents in the table of who met whom."""
DIAGRAMS = 6
"""Reliability diagrams, besides those that were asked for."""
FIELD = 12
"""Agents above which all of them are drawn by rank."""


def charts(report: Report, *, top: int = BARS) -> tuple[Chart, ...]:
    """All figures that there is something to show in, in the order of the page.

    Args:
        report: What to show.
        top: Agents that figures of single agents show at the most.
    """
    parts = (
        _strengths(report, top), _histories(report), _domains(report, top), _calibration(report, top),
        _relations(report, top), _tests(report, top),
    )  # fmt: skip
    return tuple(chart for part in parts for chart in part)


def _strengths(report: Report, top: int) -> Iterator[Chart]:
    rows = board_rows(report.standings)
    if not rows:
        return
    yield Chart(
        id="strengths", section="ranking", title="The strongest",
        note="Filled: strength, fitted to all debates at once, with its interval. Open: the running Elo, which moved "
        "debate by debate and by tests; where it counts ratios of scores it stays nearer to the middle.",
        figure=figures.leaderboard(rows, most=min(top, BARS), level=report.level, what="agents"),
    )  # fmt: skip
    if len(rows) > FIELD:
        yield Chart(
            id="field", section="ranking", title="All of them",
            note="Where the band is wide, few debates speak; where it is flat, the order is hard to tell.",
            figure=figures.field(rows, level=report.level, what="agents"),
        )  # fmt: skip


def _histories(report: Report) -> Iterator[Chart]:
    histories = [
        History(
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
            note="Each debate and each test is a move. Those that were asked for, and the strongest.",
            figure=figures.rating_history(histories),
        )  # fmt: skip


def _domains(report: Report, top: int) -> Iterator[Chart]:
    if report.domain or not report.domains:
        return
    fitted = bool(report.by_domain)
    what = "Strength" if fitted else "Running Elo"
    note = (
        "Where an agent debated. A domain with few debates stays near the strength elsewhere; pointing at a cell tells "
        "its interval."
        if fitted
        else "The running Elo: there are too many agents and domains to fit strengths to each."
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


def _fitted(report: Report) -> dict[tuple[str, str], DomainRating]:
    return {
        (row.agent, domain): DomainRating(rating=row.strength, low=row.low, high=row.high, matches=row.matches)
        for domain, strengths in report.by_domain.items()
        for row in strengths.rows
        if row.matches
    }


def _running(report: Report) -> dict[tuple[str, str], DomainRating]:
    return {
        (standing.agent, track.track): DomainRating(rating=track.elo, matches=track.matches)
        for standing in report.standings
        for track in standing.record.tracks
    }


def _best(report: Report, most: int) -> list[str]:
    """Those that were asked for and the strongest, in the order of the board."""
    order = [standing.agent for standing in report.standings]
    shown_agents = set([*dict.fromkeys([*report.chosen, *order])][: max(most, len(report.chosen))])
    return [agent for agent in order if agent in shown_agents]


def _calibration(report: Report, top: int) -> Iterator[Chart]:
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
        note="One less the Brier score, weighed by how many predictions there are. The best first.",
        figure=figures.calibration_board(by_score[:top]),
    )  # fmt: skip
    yield Chart(
        id="bias", section="calibration", title="Over- and underconfidence", half=True,
        note="Mean confidence less accuracy, the largest first; grey where the interval holds zero.",
        figure=figures.bias_board(by_bias[:top]),
    )  # fmt: skip
    chosen = [agent for agent in report.chosen if agent in reports]
    for number, agent in enumerate([*dict.fromkeys([*chosen, *reports])][: max(DIAGRAMS, len(chosen))]):
        yield Chart(
            id=f"reliability-{number}", section="calibration", title=name(agent), half=True,
            note=f"{reports[agent].predictions:,} predictions: {reports[agent].verdict}.",
            figure=figures.reliability(reports[agent], agent),
        )  # fmt: skip


def _relations(report: Report, top: int) -> Iterator[Chart]:
    best = _best(report, min(top, MET))
    if any(relation.debate_count for relation in report.relations):
        yield Chart(
            id="relations", section="relations", title="Rivals and allies",
            note="Lines join those who met, wider where they did so more often; pointing at the middle of one tells "
            "the scores. Of many agents those with the most debates.",
            figure=figures.relationships(report.relations),
        )  # fmt: skip
    if report.head_to_head:
        yield Chart(
            id="meetings", section="relations", title="Head to head",
            note="Debates in which the one at the left scored more, and less; = where they only drew. Blue: more "
            "often; orange: less often; empty: they did not meet.",
            figure=figures.head_to_head(best, [""] * len(best), report.head_to_head),
        )  # fmt: skip


def _tests(report: Report, top: int) -> Iterator[Chart]:
    moves = [
        Moved(agent=tests.agent, red_team=tests.red_team, verification=tests.verification)
        for tests in report.tested
        if tests.red_team or tests.verification
    ]
    if moves:
        yield Chart(
            id="tests", section="tests", title="What tests moved",
            note="Elo points, those that moved furthest first. Robustness counts from .8 on for an agent, and below .5 "
            "against it.",
            figure=figures.moved_by_tests(moves[: min(top, BARS)]),
        )  # fmt: skip
