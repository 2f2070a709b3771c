"""``paragone agents predict`` and ``resolve``: what agents foretell, and what came of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.agents import EloSystem


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(predict)
    app.command()(resolve)


def predict(
    about: Annotated[
        list[str],
        typer.Argument(
            metavar="TOURNAMENT AGENT WINNER CONFIDENCE",
            help="Who foretells whom; with --domain it is AGENT CONFIDENCE.",
        ),
    ],
    domain: Annotated[
        str | None,
        typer.Option("--domain", "-d", metavar="NAME", help="A prediction in this domain whose outcome is known."),
    ] = None,
    correct: Annotated[
        bool | None, typer.Option("--correct/--wrong", help="Whether it came true, with --domain.")
    ] = None,
    id: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Names it, with --domain; the same again changes nothing."),
    ] = None,
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Record who an agent expects to win a tournament, or with --domain a prediction that came true or did not."""
    from paragone.agents import checks
    from paragone.errors import InvalidEvidence

    if domain is None:
        if correct is not None or id is not None:
            raise InvalidEvidence("--correct, --wrong and --id go with --domain")
        if len(about) != 4:
            raise InvalidEvidence(f"give TOURNAMENT AGENT WINNER CONFIDENCE, four words and not {len(about)}")
        tournament, agent, winner, said = about
        confidence = _confidence(said)
        checks.identifier(tournament, "the name of a tournament")
        checks.agents([agent, winner])
        with opening.writing(db, pool, strict=strict) as system:
            system.record_winner_prediction(tournament, agent, winner, confidence)
            known = _reference(system, agent, tournament)
        told: dict[str, object] = {
            "id": known,
            "tournament_id": tournament,
            "predictor_agent": agent,
            "predicted_winner": winner,
        }
        words = f"{agent} expects {winner} to win {tournament}, with {confidence:.0%}; recorded as {known}"
    else:
        if len(about) != 2 or correct is None:
            raise InvalidEvidence("with --domain give AGENT CONFIDENCE, and --correct or --wrong")
        agent, confidence = checks.agent(about[0]), _confidence(about[1])
        checks.domain(domain)
        known = checks.optional_identifier(id, "--id") or opening.made_id("prediction")
        with opening.writing(db, pool, strict=strict) as system:
            system.record_domain_prediction(agent, domain, confidence, correct, prediction_id=known)
        told = {"id": known, "agent_name": agent, "domain": domain, "correct": correct}
        outcome = "right" if correct else "wrong"
        words = f"{agent} was {outcome} in {domain}, having said {confidence:.0%}; recorded as {known}"
    _say({**told, "confidence": confidence}, words, as_json=as_json)


def _reference(system: "EloSystem", agent: str, tournament: str) -> str:
    """The reference of an agent's prediction of a tournament that counts."""
    listed = system.evidence(agent, kind="prediction", limit=1_000_000)
    return next(
        str(each["reference"])
        for each in listed
        if each["content"]["tournament"] == tournament and each["void"] is None
    )


def _confidence(said: str) -> float:
    """A confidence as it was written.

    Raises:
        InvalidEvidence: If it is none: 75 for 75 % would be taken for certainty.
    """
    from paragone.errors import InvalidEvidence

    try:
        found = float(said)
    except ValueError:
        found = -1.0
    if not 0.0 <= found <= 1.0:
        raise InvalidEvidence(f"a confidence is a number from 0 to 1, not {said!r}")
    return found


def _say(told: dict[str, object], words: str, *, as_json: bool) -> None:
    from paragone.cli.show import out, plain

    if as_json:
        print_json(told)
    else:
        out().print(plain(words))


def resolve(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT", help="What was predicted.")],
    winner: Annotated[str, typer.Argument(metavar="WINNER", help="Who won it.")],
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Say who won a tournament: every prediction of it is scored, once."""
    from paragone.cli.show import out, plain, print_table

    with opening.reading(db, pool) as agents:
        predictions = [found.prediction for found in agents.ledger.agents.predictions(pool)]
        foretold = {each.predictor: each for each in predictions if each.tournament == tournament}
        if strict:
            agents.require(winner)
        if not foretold:
            _require_predicted(tournament, [each.tournament for each in predictions], strict=strict)
        scores = agents.system.resolve_tournament_calibration(tournament, winner)
    if as_json:
        print_json({"id": tournament, "tournament_id": tournament, "actual_winner": winner, "brier_scores": scores})
        return
    if not scores:
        out().print(plain(f"{winner} won {tournament}; nobody had predicted it"))
        return
    lines = [
        (agent, foretold[agent].winner, f"{foretold[agent].confidence:.0%}", f"{brier:.3f}")
        for agent, brier in sorted(scores.items(), key=lambda pair: pair[1])
    ]
    print_table(("agent", "expected", "with", "Brier"), lines, right=frozenset({"with", "Brier"}))
    out().print(plain(f"{winner} won {tournament}; a Brier score goes from 0, perfect, to 1"))


def _require_predicted(tournament: str, known: list[str], *, strict: bool) -> None:
    """Say on standard error that nobody predicted a tournament whose name is near to one that somebody did; or refuse.

    Raises:
        NotFound: If names are strict.
    """
    from paragone.domain.near_names import instead, near
    from paragone.errors import NotFound

    if strict:
        raise NotFound(f"nobody predicted a tournament {tournament!r}; {instead(tournament, dict.fromkeys(known))}")
    nearest = near(tournament, known, 1)
    if nearest:
        void = f"paragone agents void {tournament}"
        typer.echo(
            f"note: nobody predicted {tournament!r}; did you mean {nearest[0]!r}? Take it back with: {void}", err=True
        )
