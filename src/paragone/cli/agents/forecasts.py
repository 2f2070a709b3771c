"""``paragone agents forecast``, ``expect`` and ``recalibrate``: debates and winners to come, and confidences' worth."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import Domain, Pool
from paragone.cli.agents.predictions import confidence_of
from paragone.cli.options import argument
from paragone.presenting.table import Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.wire.agent_forecast import DebateForecast, WinnerForecast
    from paragone.wire.calibration import Recalibration


def forecast(
    agent: Annotated[str, argument("The agent whose points are expected.")],
    opponent: Annotated[str, argument("Its opponent.")],
    pool: Pool,
    output: options.Output,
    domain: Domain = None,
) -> None:
    """Show what is expected of a debate between two agents, with an interval."""
    with pool.reading() as agents:
        agents.require(agent, opponent)
        agents.require_domain(domain)
        expected = agents.system.predict_match(agent, opponent, domain)
    output.show(expected, _debate)


def _debate(expected: "DebateForecast") -> Iterator[str]:
    where = f" in {expected.domain}" if expected.domain else ""
    yield (
        f"{expected.agent} is expected to take {expected.expected:.0%} of the points against {expected.opponent}"
        f"{where}, between {expected.low:.0%} and {expected.high:.0%}"
    )
    yield (
        f"by {expected.debates:,} and {expected.opponent_debates:,} debates{where}; the running Elo says "
        f"{expected.elo:.0%}"
    )


def expect(
    tournament: Annotated[str, argument("The tournament that was predicted.")],
    pool: Pool,
    output: options.Output,
) -> None:
    """Show who is expected to win a tournament, by all predictions, each corrected by its agent's record."""
    with pool.reading() as agents:
        expected = agents.system.predict_winner(tournament)
    output.show(expected, _winner)


def _winner(expected: "WinnerForecast") -> Iterator[str | Table[Any]]:
    yield table(
        expected.chances,
        number("chance", lambda row: row.chance, ".0%"),
        text("winner", lambda row: row.winner or "another"),
        text("predicted by", lambda row: ", ".join(row.predictors), "a"),
    )
    yield ""
    yield table(
        expected.predictions,
        text("agent", lambda row: row.predictor),
        text("expects", lambda row: row.winner),
        number("stated", lambda row: row.confidence, ".0%"),
        number("worth", lambda row: row.corrected, ".0%"),
        text("by", lambda row: row.method),
    )


def recalibrate(
    agent: Annotated[str, argument("The agent whose confidences are corrected.")],
    pool: Pool,
    output: options.Output,
    confidences: Annotated[
        list[str] | None, argument("Confidences from 0 to 1 whose worth is shown.  [default: each tenth]")
    ] = None,
    domain: Domain = None,
) -> None:
    """Show what an agent's confidences are worth by its record, and the corrections that were tried."""
    asked = [confidence_of(each) for each in confidences or ()]
    with pool.reading() as agents:
        agents.require(agent)
        agents.require_domain(domain)
        report = agents.system.recalibration(agent, domain)
        worth = [agents.system.recalibrated(agent, each, domain) for each in asked]
    rows = list(zip(asked, worth, strict=True)) or list(zip(report.stated, report.corrected, strict=True))
    output.show(
        report,
        lambda each: _recalibration(agent, each, rows),
        values=lambda each: {"agent": agent, "domain": domain, **asdict(each), "asked": [list(row) for row in rows]},
    )


def _recalibration(agent: str, report: "Recalibration", rows: list[tuple[float, float]]) -> Iterator[str | Table[Any]]:
    from paragone.analysis.calibration.recalibration import LEAST_PREDICTIONS

    if not report.trials:
        yield (
            f"{agent}: confidences count as stated; a correction takes {LEAST_PREDICTIONS} predictions whose outcome "
            f"is known, and there are {report.predictions}"
        )
        return
    yield f"{agent}: corrected by {report.method}" if report.changed else f"{agent}: no correction is shown to help"
    yield f"on {report.predictions:,} predictions, each left out of the fit that corrected it:"
    yield table(
        report.trials,
        text("correction", lambda trial: trial.method),
        number("log loss", lambda trial: trial.log_loss, ".4f"),
        numbers("gain", lambda trial: f"{trial.gain:+.4f} ± {trial.gain_error:.4f}"),
        number("calibration error", lambda trial: trial.ece, ".3f"),
    )
    yield ""
    yield table(
        rows,
        number("stated", lambda row: row[0], ".1%"),
        number("worth", lambda row: row[1], ".1%"),
    )
