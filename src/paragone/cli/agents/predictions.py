"""``paragone agents predict``, ``resolve`` and ``calibration``: predictions, their outcomes, and how well they fit."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import Domain, OpenPool, PoolOptions, WritablePool, new_id
from paragone.cli.options import argument, option
from paragone.cli.terminal import note
from paragone.errors import InvalidEvidence, NotFound
from paragone.presenting.table import Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.agents import EloSystem
    from paragone.analysis.calibration import CalibrationReport, CurvePoint
    from paragone.domain import Prediction
    from paragone.wire.agent import AgentRow

CHART_WIDTH, MIN_CHART_WIDTH = 41, 11
"""Characters from 0 to 1 in a chart, and in a narrow terminal."""
MARGIN = 34
"""Characters of a line beside the chart."""


def predict(
    prediction: Annotated[
        list[str],
        argument(
            "Who predicts which winner; with --domain only AGENT CONFIDENCE.",
            metavar="TOURNAMENT AGENT WINNER CONFIDENCE",
        ),
    ],
    pool: WritablePool,
    output: options.Output,
    domain: Annotated[str | None, option("Domain of a prediction with a known outcome.", "-d")] = None,
    correct: Annotated[bool | None, option("Whether it came true, with --domain.", "--correct/--wrong")] = None,
    id: Annotated[
        str | None, option("Id of the record, with --domain; recording it again changes nothing.", metavar="ID")
    ] = None,
) -> None:
    """Record who an agent predicts will win a tournament. With --domain, record a prediction with a known outcome."""
    if domain is not None:
        _record_domain_prediction(prediction, domain, correct, id, pool, output)
        return
    if correct is not None or id is not None:
        raise InvalidEvidence("--correct, --wrong and --id go with --domain")
    if len(prediction) != 4:
        raise InvalidEvidence(f"give TOURNAMENT AGENT WINNER CONFIDENCE, four words and not {len(prediction)}")
    tournament, agent, winner, confidence = prediction
    _record_winner_prediction(tournament, agent, winner, confidence_of(confidence), pool, output)


def _record_winner_prediction(
    tournament: str, agent: str, winner: str, confidence: float, pool: WritablePool, output: options.Output
) -> None:
    from paragone.agents import checks

    checks.identifier(tournament, "the name of a tournament")
    checks.agents([agent, winner])
    with pool.writing() as system:
        system.record_winner_prediction(tournament, agent, winner, confidence)
        reference = _reference(system, agent, tournament)
    output.say(
        {"id": reference, "tournament": tournament, "agent": agent, "winner": winner, "confidence": confidence},
        f"{agent} expects {winner} to win {tournament}, with {confidence:.0%}; recorded as {reference}",
    )


def _record_domain_prediction(
    words: list[str],
    domain: str,
    correct: bool | None,
    id: str | None,
    pool: WritablePool,
    output: options.Output,
) -> None:
    from paragone.agents import checks

    if len(words) != 2 or correct is None:
        raise InvalidEvidence("with --domain give AGENT CONFIDENCE, and --correct or --wrong")
    agent, confidence = checks.agent(words[0]), confidence_of(words[1])
    checks.domain(domain)
    record = checks.optional_identifier(id, "--id") or new_id("prediction")
    with pool.writing() as system:
        system.record_domain_prediction(agent, domain, confidence, correct, prediction_id=record)
    output.say(
        {"id": record, "agent": agent, "domain": domain, "correct": correct, "confidence": confidence},
        f"{agent} was {'right' if correct else 'wrong'} in {domain}, with {confidence:.0%}; recorded as {record}",
    )


def _reference(system: "EloSystem", agent: str, tournament: str) -> str:
    """The reference of an agent's prediction of a tournament that counts."""
    records = system.evidence(agent, kind="prediction", limit=1_000_000)
    return next(
        str(record["reference"])
        for record in records
        if record["content"]["tournament"] == tournament and record["void"] is None
    )


def confidence_of(text: str) -> float:
    """A confidence as it was written.

    Raises:
        InvalidEvidence: If it is none: 75 for 75 % would count as certainty.
    """
    try:
        confidence = float(text)
    except ValueError:
        confidence = -1.0
    if not 0.0 <= confidence <= 1.0:
        raise InvalidEvidence(f"a confidence is a number from 0 to 1, not {text!r}")
    return confidence


def resolve(
    tournament: Annotated[str, argument("The tournament that was predicted.")],
    winner: Annotated[str, argument("The agent that won it.")],
    pool: PoolOptions,
    output: options.Output,
    strict: Annotated[bool, option("Refuse unknown agents and tournaments.")] = False,
) -> None:
    """Record the winner of a tournament. Every prediction of it is scored, once."""
    with pool.reading() as agents:
        predictions = [recorded.prediction for recorded in agents.ledger.agents.predictions(pool.pool)]
        by_agent = {each.predictor: each for each in predictions if each.tournament == tournament}
        if strict:
            agents.require(winner)
        if not by_agent:
            _warn_unpredicted(tournament, [each.tournament for each in predictions], strict=strict)
        scores = agents.system.resolve_tournament_calibration(tournament, winner)
    output.show(
        scores,
        lambda each: _scores(tournament, winner, each, by_agent),
        values=lambda each: {"id": tournament, "tournament": tournament, "winner": winner, "briers": each},
    )


def _scores(
    tournament: str, winner: str, scores: dict[str, float], predictions: "dict[str, Prediction]"
) -> Iterator[str | Table[Any]]:
    if not scores:
        yield f"{winner} won {tournament}; nobody had predicted it"
        return
    yield table(
        sorted(scores, key=lambda agent: scores[agent]),
        text("agent", lambda agent: agent),
        text("expected", lambda agent: predictions[agent].winner),
        number("with", lambda agent: predictions[agent].confidence, ".0%"),
        number("Brier", lambda agent: scores[agent], ".3f"),
    )
    yield f"{winner} won {tournament}; a Brier score goes from 0, perfect, to 1"


def _warn_unpredicted(tournament: str, predicted: list[str], *, strict: bool) -> None:
    """Note that nobody predicted a tournament with a name close to one that somebody did; if strict, refuse.

    Raises:
        NotFound: If strict.
    """
    from paragone.domain.suggestions import close_names, instead

    if strict:
        raise NotFound(f"nobody predicted a tournament {tournament!r}; {instead(tournament, dict.fromkeys(predicted))}")
    nearest = close_names(tournament, predicted, 1)
    if nearest:
        undo = f"paragone agents void {tournament}"
        note(f"nobody predicted {tournament!r}; did you mean {nearest[0]!r}? Take it back with: {undo}")


def calibration(
    pool: PoolOptions,
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


def _rows(agents: OpenPool, domain: str | None) -> "list[AgentRow]":
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
