"""``paragone agents forecast``, ``expect`` and ``recalibrate``: debates and winners to come, and confidences' worth."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import Domain, PoolOptions
from paragone.cli.agents.predictions import confidence_of
from paragone.cli.options import argument, option
from paragone.cli.terminal import note
from paragone.domain import Aim, Goal
from paragone.domain.text import counted
from paragone.presenting.table import Table, number, numbers, table, text
from paragone.presenting.terms import AGREEMENT, top_found

if TYPE_CHECKING:
    from paragone.wire.agent_forecast import DebateForecast, WinnerForecast
    from paragone.wire.calibration import Recalibration
    from paragone.wire.debate_plan import DebatePlan


def forecast(
    agent: Annotated[str, argument("The agent whose points are expected.")],
    opponent: Annotated[str, argument("Its opponent.")],
    pool: PoolOptions,
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
    from paragone.presenting.agents import expected_points

    where = f" in {expected.domain}" if expected.domain else ""
    yield expected_points(expected)
    yield (
        f"by {expected.debates:,} and {expected.opponent_debates:,} debates{where}; the running Elo says "
        f"{expected.elo:.0%}"
    )


def propose(
    pool: PoolOptions,
    output: options.Output,
    count: Annotated[int, option("How many debates.", "-n", min=1)] = 5,
    domain: Annotated[str | None, option("Propose debates in this domain.", "-d")] = None,
    top: Annotated[
        int | None, option("Settle who belongs to the first K, not the whole board.", metavar="K", min=1)
    ] = None,
    confidence: Annotated[float, option("The forecast from which the board counts as settled.", metavar="P")] = 0.9,
) -> None:
    """Propose the debates that tell most about the board, and say when it will be settled.

    All of them may be held at once. Record their results, and ask again.
    """
    goal = Goal(confidence=confidence) if top is None else Goal(aim=Aim.TOP, k=top, confidence=confidence)
    with pool.reading() as agents:
        plan = agents.system.propose_matches(count, domain, goal)
    if top is not None and top >= plan.agents:
        note(
            f"all {plan.agents} agents belong to the first {top}, which is settled; --top {plan.agents - 1} is the most"
        )
    output.show(plan, _plan)


def _plan(plan: "DebatePlan") -> Iterator[str | Table[Any]]:
    yield table(
        plan.debates,
        text("agent", lambda row: row.agent),
        text("opponent", lambda row: row.opponent, "a"),
        numbers("expected", lambda row: f"{row.expected:.0%} ({row.low:.0%} to {row.high:.0%})"),
        number("debates", lambda row: row.debates, ","),
        number("opponent's", lambda row: row.opponent_debates, ","),
    )
    yield ""
    where = f" in {plan.domain}" if plan.domain else ""
    top = f"{top_found(plan.top)}: {plan.recall:.0%}; " if plan.top > 1 else ""
    yield (
        f"after {counted(plan.held, 'debate')}{where} among {counted(plan.agents, 'agent')}: {AGREEMENT.label} "
        f"{plan.tau:.2f}; {top}the first is the best with a probability of {plan.p_best:.0%}"
    )
    yield _outlook(plan)


def _outlook(plan: "DebatePlan") -> str:
    goal = "the order" if plan.aim != Aim.TOP else f"the choice of the first {plan.top}"
    if plan.settled:
        return f"{goal} is settled at {plan.confidence:g}"
    if not plan.held:
        return "how many debates it takes can be said once there are some"
    if plan.more is None:
        return f"{goal} is far from settled at {plan.confidence:g}: how many debates it takes cannot be said yet"
    return f"{goal} will be settled at {plan.confidence:g} after some {plan.more:,} debates more"


def expect(
    tournament: Annotated[str, argument("The tournament that was predicted.")],
    pool: PoolOptions,
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
    pool: PoolOptions,
    output: options.Output,
    confidences: Annotated[
        list[str] | None, argument("Confidences from 0 to 1 whose worth is shown.  [default: each tenth]")
    ] = None,
    domain: Domain = None,
) -> None:
    """Show what an agent's confidences are worth by its record, and the corrections that were tried."""
    stated = [confidence_of(each) for each in confidences or ()]
    with pool.reading() as agents:
        agents.require(agent)
        agents.require_domain(domain)
        report = agents.system.recalibration(agent, domain)
        worth = [agents.system.recalibrated(agent, each, domain) for each in stated]
    rows = list(zip(stated, worth, strict=True)) or list(zip(report.stated, report.corrected, strict=True))
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
