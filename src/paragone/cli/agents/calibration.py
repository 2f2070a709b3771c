"""``paragone agents calibration``: who knows how sure to be."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.agents import AgentRating
    from paragone.analysis.calibration import CalibrationReport, CurvePoint, Measure

WIDTH, LEAST_WIDTH = 41, 11
"""Characters from 0 to 1 in a picture, and to how few a narrow terminal brings it."""
BESIDE = 34
"""Characters of a line that stand beside a picture."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(calibration)


def calibration(
    agent: Annotated[
        str | None, typer.Argument(metavar="AGENT", help="One agent in detail; all of them where none is named.")
    ] = None,
    domain: opening.Domain = None,
    limit: opening.Limit = 20,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Show who is well calibrated, or how well the confidences of one agent fit what came of its predictions."""
    with opening.reading(db, pool) as agents:
        agents.require_domain(domain)
        if agent is None:
            _board(agents, domain, limit, as_json=as_json)
            return
        agents.require(agent)
        report = agents.system.calibration(agent, domain=domain)
        open_ones = sum(found.correct is None for found in agents.ledger.agents.predictions(pool, agent))
    if as_json:
        print_json({"agent_name": agent, "domain": domain, "unresolved": open_ones, **asdict(report)})
    else:
        _print(agent, domain, report, open_ones)


def _board(agents: opening.Agents, domain: str | None, limit: int, *, as_json: bool) -> None:
    from paragone.analysis.calibration import LEAST
    from paragone.cli.show import out, print_table

    found = agents.system.get_all_ratings() if domain is None else _in_domain(agents, domain)
    rated = sorted((one for one in found if one.calibration_total), key=_standing)[:limit]
    if as_json:
        print_json([_values(one) for one in rated])
        return
    if not rated:
        out().print("nobody has a prediction whose outcome is known; see paragone agents predict --help")
        return
    columns = ("rank", "score", "Brier", "right", "agent")
    lines = [
        (
            str(rank),
            f"{one.calibration_score:.3f}" if one.calibration_total >= LEAST else "too few",
            f"{one.calibration_brier_score:.3f}",
            f"{one.calibration_correct} of {one.calibration_total}",
            one.agent_name,
        )
        for rank, one in enumerate(rated, 1)
    ]
    print_table(columns, lines, right=frozenset(columns[:-1]))
    out().print("\nThe score counts from 5 predictions on, in full from 45; a Brier score goes from 0, perfect, to 1.")


def _standing(one: "AgentRating") -> tuple[float, float, str]:
    """The best score first; those whose predictions are too few to have one by their Brier score."""
    return -one.calibration_score, one.calibration_brier_score, one.agent_name


def _values(one: "AgentRating") -> dict[str, object]:
    return {
        "agent_name": one.agent_name,
        "calibration_score": one.calibration_score,
        "brier_score": one.calibration_brier_score,
        "accuracy": one.calibration_accuracy,
        "correct": one.calibration_correct,
        "total": one.calibration_total,
    }


def _in_domain(agents: opening.Agents, domain: str) -> "list[AgentRating]":
    """Agents with their predictions in one domain alone."""
    from paragone.agents import AgentRating
    from paragone.domain import brier

    found: dict[str, AgentRating] = {}
    for recorded in agents.ledger.agents.domain_predictions(agents.pool, domain=domain):
        made = recorded.prediction
        one = found.setdefault(made.agent, AgentRating(made.agent))
        one.calibration_total += 1
        one.calibration_correct += made.correct
        one.calibration_brier_sum += brier(made.confidence, made.correct)
    return list(found.values())


def _print(agent: str, domain: str | None, report: "CalibrationReport", open_ones: int) -> None:
    from rich.text import Text

    from paragone.cli.show import out, plain, print_table

    console = out()
    waiting = f"; {open_ones} more wait for their tournaments" if open_ones and domain is None else ""
    where = f" in {domain}" if domain else ""
    if not report.predictions:
        console.print(plain(f"{agent}{where}: no prediction has an outcome yet{waiting}"))
        return
    console.print(plain(f"{agent}{where}: {report.verdict}"))
    console.print(
        plain(
            f"{report.correct} of {report.predictions} predictions came true ({report.accuracy:.0%}), mean confidence "
            f"{report.mean_confidence:.0%}{waiting}"
        )
    )
    console.print()
    width = max(LEAST_WIDTH, min(WIDTH, console.width - BESIDE))
    columns = ("said", "predictions", "came true", "0%" + "100%".rjust(width - 2))
    print_table(columns, [_line(point, width) for point in report.curve], right=frozenset(columns[:3]))
    console.print(Text("o came true, - its interval, | what was said on average", style="dim"))
    console.print()
    for name, value in _measures(report):
        console.print(Text(f"{name}: ", style="dim").append_text(plain(value)))


def _line(point: "CurvePoint", width: int) -> Sequence[str]:
    bucket = point.bucket
    return (
        f"{bucket.start:.0%}-{bucket.end:.0%}",
        str(bucket.predictions),
        f"{bucket.accuracy:.0%}",
        picture(bucket.accuracy, point.low, point.high, bucket.mean_confidence, width=width),
    )


def picture(accuracy: float, low: float, high: float, said: float, *, width: int = WIDTH) -> str:
    """Where predictions of one bucket came true, with the interval, and what was said of them; all from 0 to 1."""
    start, end, middle, mark = (round(share * (width - 1)) for share in (low, high, said, accuracy))
    cells = ["."] * width
    cells[start : end + 1] = "-" * (end + 1 - start)
    cells[middle] = "|"
    cells[mark] = "o"
    return "".join(cells)


def _measures(report: "CalibrationReport") -> list[tuple[str, str]]:
    parts, chance = report.corp, report.ece_by_chance
    in_parts = (
        f"{parts.miscalibration:.3f} miscalibration - {parts.discrimination:.3f} discrimination + "
        f"{parts.uncertainty:.3f} uncertainty"
    )
    middles = report.ece_by_midpoints_by_chance
    return [
        ("Brier score", f"{_measured(report.brier)}; 0 is perfect, and 0.250 what 50% always brings"),
        ("in parts", in_parts),
        ("confidence less accuracy", f"{report.bias.value:+.3f} [{report.bias.low:+.3f}, {report.bias.high:+.3f}]"),
        ("expected calibration error", f"{report.ece.value:.3f}, by chance {chance.expected:.3f}"),
        ("by the middles of the tenths", f"{report.ece_by_midpoints.value:.3f}, by chance {middles.expected:.3f}"),
        ("calibration score", f"{report.score.value:.3f}"),
    ]


def _measured(measure: "Measure") -> str:
    return f"{measure.value:.3f} [{measure.low:.3f}, {measure.high:.3f}]"
