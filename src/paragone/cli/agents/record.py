"""``paragone agents record``: a debate, from the scores of those who took part or from who won."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.agents import AgentRating


class Outcome(StrEnum):
    """How two scores become points."""

    RATIO = "ratio"
    WIN = "win"
    MARGIN = "margin"


class Normalize(StrEnum):
    """How points against several opponents add up."""

    SUM = "sum"
    MEAN = "n-1"


HowScoresCount = Annotated[
    Outcome,
    typer.Option(
        "--outcome",
        help="How scores become points: their ratio, as the document has it; a win; or half plus half the difference.",
    ),
]
HowPointsAdd = Annotated[
    Normalize, typer.Option("--normalize", help="Points against several opponents: their sum, or their mean (n-1).")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(record)


def record(
    scores: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=SCORE...", help="Who took part, and what each scored.")
    ] = None,
    winner: Annotated[str | None, typer.Option("--winner", metavar="NAME", help="Who won, between two.")] = None,
    loser: Annotated[str | None, typer.Option("--loser", metavar="NAME", help="Who lost.")] = None,
    draw: Annotated[bool, typer.Option("--draw", help="Nobody won: the two are --winner and --loser.")] = False,
    domain: Annotated[
        str | None, typer.Option("--domain", "-d", metavar="NAME", help="What it was about: moves that rating too.")
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="P", help="How much it counts, from 0.1 to 1.")
    ] = 1.0,
    id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Names the debate; the same again changes nothing.")
    ] = None,
    task: Annotated[str | None, typer.Option("--task", metavar="TEXT", help="What it was about, in words.")] = None,
    outcome: HowScoresCount = Outcome.RATIO,
    normalize: HowPointsAdd = Normalize.SUM,
    strict: opening.Strict = False,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Record a debate, and print what it moved: give scores, or --winner and --loser."""
    import uuid

    from paragone.agents.debates import made_id
    from paragone.intake.past_debate import PastDebate

    result = _result(scores or [], winner, loser, draw=draw)
    debate = PastDebate(  # which refuses what cannot be before a ledger is made
        id=made_id(task or "", domain or "", uuid.uuid4().hex[:12]) if id is None else id,
        participants=tuple(result),
        scores=tuple(result.values()),
        domain=domain or "",
        task=task or "",
        confidence=_weight(confidence),
        where="this debate",
    )
    with opening.writing(db, pool, outcome=outcome.value, normalize=normalize.value, strict=strict) as system:
        known = debate.id in system.recorded_debates([debate.id])
        (changes,) = system.record_matches([debate.as_record()])
        ratings = system.get_ratings_batch(list(result))
    if as_json:
        print_json(
            {
                "debate_id": debate.id,
                "new": not known,
                "changes": changes,
                "ratings": {name: ratings[name].elo for name in result},
            }
        )
        return
    _print(debate.id, changes, ratings, domain=domain, known=known)


def _weight(confidence: float) -> float:
    """The confidence that is meant.

    Raises:
        InvalidEvidence: If it cannot be: a percentage would count as certainty.
    """
    from paragone.errors import InvalidEvidence

    if not 0.0 <= confidence <= 1.0:
        raise InvalidEvidence(f"--confidence lies from 0.1 to 1, not {confidence:g}")
    return confidence


def _result(scores: list[str], winner: str | None, loser: str | None, *, draw: bool) -> Mapping[str, float]:
    """What each scored, in the order given.

    Raises:
        InvalidEvidence: Saying what goes together.
    """
    from paragone.errors import InvalidEvidence

    if scores and (winner is not None or loser is not None or draw):
        raise InvalidEvidence("give scores, or --winner and --loser, not both")
    if scores:
        return _scores(scores)
    if winner is None or loser is None:
        raise InvalidEvidence("who took part? Give NAME=SCORE NAME=SCORE, or --winner NAME --loser NAME")
    if winner == loser:
        raise InvalidEvidence(f"{winner!r} cannot have met itself")
    return {winner: 0.5, loser: 0.5} if draw else {winner: 1.0, loser: 0.0}


def _scores(given: list[str]) -> Mapping[str, float]:
    from paragone.errors import InvalidEvidence

    found: dict[str, float] = {}
    for said in given:
        name, sign, value = said.rpartition("=")
        try:
            score = float(value)
        except ValueError:
            score = math.nan
        if not sign or math.isnan(score):
            raise InvalidEvidence(f"a score is given as NAME=SCORE, such as claude=0.8, not {said!r}")
        if name in found:
            raise InvalidEvidence(f"{name!r} is named twice")
        found[name] = score
    if len(found) < 2:
        raise InvalidEvidence(f"a debate has two participants or more, and {next(iter(found))!r} is alone")
    return found


def _print(
    debate: str, changes: dict[str, float], ratings: "dict[str, AgentRating]", *, domain: str | None, known: bool
) -> None:
    from paragone.cli.show import out, plain, print_table

    columns = ("agent", "change", "Elo", *((f"Elo in {domain}",) if domain else ()))
    lines = [
        (
            name,
            f"{change:+.2f}",
            f"{ratings[name].elo:.1f}",
            *((f"{ratings[name].domain_elos[domain]:.1f}",) if domain else ()),
        )
        for name, change in changes.items()
    ]
    print_table(columns, lines, right=frozenset(columns[1:]))
    said = f"{debate} is on record already; this is what it moved then" if known else f"recorded as {debate}"
    out().print(plain(said))
