"""``paragone agents calibration``: how well the confidences of agents fit the outcomes."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.agents.pool import Agents, Domain, Pool

if TYPE_CHECKING:
    from paragone.agents import AgentRating
    from paragone.analysis.calibration import CalibrationReport, CurvePoint, Measure

CHART_WIDTH, MIN_CHART_WIDTH = 41, 11
"""Characters from 0 to 1 in a chart, and in a narrow terminal."""
MARGIN = 34
"""Characters of a line beside the chart."""


def calibration(
    pool: Pool,
    output: options.Output,
    agent: Annotated[
        str | None, typer.Argument(metavar="AGENT", help="One agent in detail.  [default: all agents]")
    ] = None,
    domain: Domain = None,
    limit: options.Limit = 20,
) -> None:
    """Show which agents are well calibrated, or how well one agent's confidences fit the outcomes."""
    with pool.reading() as agents:
        agents.require_domain(domain)
        if agent is None:
            rows = _ratings(agents, domain)[:limit]
            output.show(rows, _print_board, values=lambda each: [_board_values(rating) for rating in each])
            return
        agents.require(agent)
        report = agents.system.calibration(agent, domain=domain)
        unresolved = sum(recorded.correct is None for recorded in agents.ledger.agents.predictions(pool.pool, agent))
    output.show(
        report,
        lambda each: _print_report(agent, domain, each, unresolved),
        values=lambda each: {"agent_name": agent, "domain": domain, "unresolved": unresolved, **asdict(each)},
    )


def _ratings(agents: Agents, domain: str | None) -> "list[AgentRating]":
    """Agents with resolved predictions: the best score first, then by Brier score where predictions are too few."""
    ratings = agents.system.get_all_ratings() if domain is None else _in_domain(agents, domain)
    return sorted(
        (rating for rating in ratings if rating.calibration_total),
        key=lambda rating: (-rating.calibration_score, rating.calibration_brier_score, rating.agent_name),
    )


def _in_domain(agents: Agents, domain: str) -> "list[AgentRating]":
    """Agents with their predictions in one domain alone."""
    from paragone.agents import AgentRating
    from paragone.domain import brier

    ratings: dict[str, AgentRating] = {}
    for recorded in agents.ledger.agents.domain_predictions(agents.pool, domain=domain):
        prediction = recorded.prediction
        rating = ratings.setdefault(prediction.agent, AgentRating(prediction.agent))
        rating.calibration_total += 1
        rating.calibration_correct += prediction.correct
        rating.calibration_brier_sum += brier(prediction.confidence, prediction.correct)
    return list(ratings.values())


def _board_values(rating: "AgentRating") -> dict[str, object]:
    return {
        "agent_name": rating.agent_name,
        "calibration_score": rating.calibration_score,
        "brier_score": rating.calibration_brier_score,
        "accuracy": rating.calibration_accuracy,
        "correct": rating.calibration_correct,
        "total": rating.calibration_total,
    }


def _print_board(ratings: "list[AgentRating]") -> None:
    from paragone.analysis.calibration import LEAST
    from paragone.cli.tables import figure, figures, out, show_rows, text

    if not ratings:
        out().print("nobody has a prediction whose outcome is known; see paragone agents predict --help")
        return
    show_rows(
        list(enumerate(ratings, 1)),
        (
            figure("rank", lambda row: row[0], ""),
            figures(
                "score",
                lambda row: f"{row[1].calibration_score:.3f}" if row[1].calibration_total >= LEAST else "too few",
            ),
            figure("Brier", lambda row: row[1].calibration_brier_score, ".3f"),
            figures("right", lambda row: f"{row[1].calibration_correct} of {row[1].calibration_total}"),
            text("agent", lambda row: row[1].agent_name),
        ),
    )
    out().print("\nThe score counts from 5 predictions on, in full from 45; a Brier score goes from 0, perfect, to 1.")


def _print_report(agent: str, domain: str | None, report: "CalibrationReport", unresolved: int) -> None:
    from rich.text import Text

    from paragone.cli.tables import figure, figures, out, plain, say, show_rows, text

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
    )
    console.print()
    width = max(MIN_CHART_WIDTH, min(CHART_WIDTH, console.width - MARGIN))
    show_rows(
        report.curve,
        (
            figures("said", lambda point: f"{point.bucket.start:.0%}-{point.bucket.end:.0%}"),
            figure("predictions", lambda point: point.bucket.predictions, ""),
            figure("came true", lambda point: point.bucket.accuracy, ".0%"),
            text("0%" + "100%".rjust(width - 2), lambda point: _chart(point, width)),
        ),
    )
    console.print(Text("o came true, - its interval, | mean confidence", style="dim"))
    console.print()
    for name, value in _measures(report):
        console.print(Text(f"{name}: ", style="dim").append_text(plain(value)))


def _chart(point: "CurvePoint", width: int) -> str:
    bucket = point.bucket
    return chart(bucket.accuracy, point.low, point.high, bucket.mean_confidence, width=width)


def chart(accuracy: float, low: float, high: float, confidence: float, *, width: int = CHART_WIDTH) -> str:
    """The accuracy of the predictions of one bucket, with its interval, and their mean confidence; all from 0 to 1."""
    start, end, mean, mark = (round(share * (width - 1)) for share in (low, high, confidence, accuracy))
    cells = ["."] * width
    cells[start : end + 1] = "-" * (end + 1 - start)
    cells[mean] = "|"
    cells[mark] = "o"
    return "".join(cells)


def _measures(report: "CalibrationReport") -> list[tuple[str, str]]:
    parts, bias = report.corp, report.bias
    in_parts = (
        f"{parts.miscalibration:.3f} miscalibration - {parts.discrimination:.3f} discrimination + "
        f"{parts.uncertainty:.3f} uncertainty"
    )
    by_midpoints, by_chance = report.ece_by_midpoints, report.ece_by_midpoints_by_chance
    return [
        ("Brier score", f"{_interval(report.brier)}; 0 is perfect, and 0.250 is what 50% always gets"),
        ("in parts", in_parts),
        ("confidence less accuracy", f"{bias.value:+.3f} [{bias.low:+.3f}, {bias.high:+.3f}]"),
        ("expected calibration error", f"{report.ece.value:.3f}, by chance {report.ece_by_chance.expected:.3f}"),
        ("by the middles of the tenths", f"{by_midpoints.value:.3f}, by chance {by_chance.expected:.3f}"),
        ("calibration score", f"{report.score.value:.3f}"),
    ]


def _interval(measure: "Measure") -> str:
    return f"{measure.value:.3f} [{measure.low:.3f}, {measure.high:.3f}]"
