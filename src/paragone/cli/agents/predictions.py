"""``paragone agents predict`` and ``resolve``: predictions of agents, and their outcomes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import Pool, WritablePool, new_id
from paragone.cli.options import argument, option
from paragone.cli.terminal import note
from paragone.errors import InvalidEvidence, NotFound
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.agents import EloSystem
    from paragone.domain import Prediction


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
    _record_winner_prediction(tournament, agent, winner, _confidence(confidence), pool, output)


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
    agent, confidence = checks.agent(words[0]), _confidence(words[1])
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


def _confidence(text: str) -> float:
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
    pool: Pool,
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
    from paragone.domain.near_names import instead, near

    if strict:
        raise NotFound(f"nobody predicted a tournament {tournament!r}; {instead(tournament, dict.fromkeys(predicted))}")
    nearest = near(tournament, predicted, 1)
    if nearest:
        undo = f"paragone agents void {tournament}"
        note(f"nobody predicted {tournament!r}; did you mean {nearest[0]!r}? Take it back with: {undo}")
