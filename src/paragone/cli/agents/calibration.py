"""``paragone agents calibration``: how well the confidences of agents fit the outcomes."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import Agents, Domain, Pool
from paragone.cli.options import argument
from paragone.presenting.table import Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.analysis.calibration import CalibrationReport, CurvePoint
    from paragone.wire.agent import AgentRow

CHART_WIDTH, MIN_CHART_WIDTH = 41, 11
"""Characters from 0 to 1 in a chart, and in a narrow terminal."""
MARGIN = 34
"""Characters of a line beside the chart."""


def calibration(
    pool: Pool,
    output: options.Output,
    agent: Annotated[str | None, argument("One agent in detail.  [default: all agents]")] = None,
    domain: Domain = None,
    limit: options.Limit = 20,
) -> None:
    """Show how well the confidences of agents fit the outcomes. AGENT shows one agent in detail."""
    with pool.reading() as agents:
        agents.require_domain(domain)
        if agent is None:
            output.show(_rows(agents, domain)[:limit], _board)
            return
        agents.require(agent)
        report = agents.system.calibration(agent, domain=domain)
        unresolved = sum(recorded.correct is None for recorded in agents.ledger.agents.predictions(pool.pool, agent))
    output.draw(
        report,
        lambda each: _print_report(agent, domain, each, unresolved),
        values=lambda each: {"agent": agent, "domain": domain, "unresolved": unresolved, **asdict(each)},
    )


def _rows(agents: Agents, domain: str | None) -> "list[AgentRow]":
    """Agents with resolved predictions: the best score first, then by Brier score where predictions are too few."""
    from paragone.agents.standings import predictions_by_agent

    if domain is None:
        rows = agents.rows()
    else:
        predictions = predictions_by_agent(agents.ledger, agents.pool, domain)
        rows = agents.rows(domain, {name: (len(of), of.right, of.brier_sum) for name, of in predictions.items()})
    return sorted((row for row in rows if row.predictions), key=lambda row: (-(row.score or 0.0), row.brier, row.agent))


def _board(rows: "list[AgentRow]") -> Iterator[str | Table[Any]]:
    from paragone.presenting.agents import calibrations

    if not rows:
        yield "no agent has a prediction whose outcome is known; see paragone agents predict --help"
        return
    yield calibrations(rows)
    yield from (
        "",
        "The score counts from 5 predictions on, in full from 45; a Brier score goes from 0, perfect, to 1.",
    )


def _print_report(agent: str, domain: str | None, report: "CalibrationReport", unresolved: int) -> None:
    from rich.text import Text

    from paragone.cli.tables import out, plain, say, show
    from paragone.presenting.agents import calibration_measures

    console = out()
    pending = f"; {unresolved} more wait for their tournaments" if unresolved and domain is None else ""
    subject = f"{agent} in {domain}" if domain else agent
    if not report.predictions:
        say(f"{subject}: no prediction has an outcome yet{pending}")
        return
    say(
        f"{subject}: {report.verdict}",
        f"{report.correct} of {report.predictions} predictions came true ({report.accuracy:.0%}), mean confidence "
        f"{report.mean_confidence:.0%}{pending}",
        "",
    )
    show(_curve(report, max(MIN_CHART_WIDTH, min(CHART_WIDTH, console.width - MARGIN))))
    console.print(Text("o came true, - its interval, | mean confidence", style="dim"))
    console.print()
    for name, value in calibration_measures(report):
        console.print(Text(f"{name}: ", style="dim").append_text(plain(value)))


def _curve(report: "CalibrationReport", width: int) -> Table[Any]:
    def drawn(point: "CurvePoint") -> str:
        return chart(point.bucket.accuracy, point.low, point.high, point.bucket.mean_confidence, width=width)

    return table(
        report.curve,
        numbers("stated", lambda point: f"{point.bucket.start:.0%}-{point.bucket.end:.0%}"),
        number("predictions", lambda point: point.bucket.predictions),
        number("came true", lambda point: point.bucket.accuracy, ".0%"),
        text("0%" + "100%".rjust(width - 2), drawn),
    )


def chart(accuracy: float, low: float, high: float, confidence: float, *, width: int = CHART_WIDTH) -> str:
    """The accuracy of the predictions of one bucket, with its interval, and their mean confidence; all from 0 to 1."""
    start, end, mean, mark = (round(share * (width - 1)) for share in (low, high, confidence, accuracy))
    cells = ["."] * width
    cells[start : end + 1] = "-" * (end + 1 - start)
    cells[mean] = "|"
    cells[mark] = "o"
    return "".join(cells)
