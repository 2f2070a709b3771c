"""``paragone tournament``: tournaments of hypotheses, from their parameters to their report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import completion, options, report, tournament_looks, tournament_tasks
from paragone.cli.interruption import AS_IT_WAS, NOTHING, interruptible
from paragone.cli.json_out import print_json
from paragone.cli.notices import notice

if TYPE_CHECKING:
    from paragone.tournaments.tournament import Tournament

CRITERIA = "novelty, correctness, testability, impact, clarity"
"""The documents' criteria."""

app = typer.Typer(
    help="Tournaments of hypotheses: debates, tiers, a budget a round, and tasks for a Ranking Agent.",
    no_args_is_help=True,
)

JudgeSpec = Annotated[
    str | None,
    typer.Option(
        "--judge",
        "-j",
        metavar="SPEC",
        help="Who decides; see `paragone judges`.  [env PARAGONE_JUDGE]",
        autocompletion=completion.judges,
    ),
]
AdvocateSpec = Annotated[
    str | None,
    typer.Option(
        "--advocate",
        metavar="SPEC",
        help="Who speaks in debates: llm:MODEL[@URL], scripted, none; else as the judge.",
        autocompletion=completion.advocates,
    ),
]


Vectors = Annotated[
    Path | None,
    typer.Option(
        "--vectors", metavar="FILE", help="Vectors of the items, to tell who is alike: a .npy, .jsonl or .parquet file."
    ),
]


def register(whole: typer.Typer) -> None:
    """Add the commands."""
    app.command()(new)
    app.command()(run)
    for room in (tournament_looks, tournament_tasks, report):
        room.register(app)
    whole.add_typer(app, name="tournament")


@interruptible(NOTHING)
def new(
    items: Annotated[
        Path,
        typer.Argument(
            metavar="ITEMS", help="A .txt, .csv, .tsv, .json, .jsonl or .parquet file, or a folder of text files."
        ),
    ],
    judge: JudgeSpec = None,
    advocate: AdvocateSpec = None,
    criteria: Annotated[str, typer.Option("--criteria", "-c", help="What makes one better than another.")] = CRITERIA,
    config: options.Configuration = None,
    assignments: options.Assignments = None,
    reviews: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Reviews with columns item and score: they seed the ratings.")
    ] = None,
    similarity: Annotated[
        str,
        typer.Option(
            metavar="SPEC|FILE",
            help="Tells who is alike: the embedder local or llm:MODEL[@URL], auto or none; "
            "or a .csv with a, b, similarity.",
        ),
    ] = "auto",
    vectors: Vectors = None,
    orders: Annotated[int, typer.Option(min=1, help="Comparisons a match, in alternating order.")] = 1,
    budget: Annotated[
        int | None, typer.Option("--budget", "-n", min=1, help="Comparisons at the most, in all.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(min=0.0, help="US dollars at the most.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens at the most, sent and received.")] = None,
    price: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="IN OUT", help="US dollars a million tokens sent and received, where not known."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Makes a run reproducible; random where not given.")] = None,
    name: Annotated[str | None, typer.Option(help="The tournament is called this and a number.")] = None,
    id_column: Annotated[str | None, typer.Option(help="Column that holds the ids.")] = None,
    text_column: Annotated[str | None, typer.Option(help="Column that holds the texts.")] = None,
    encoding: options.Encoding = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Begin a tournament of the hypotheses in ITEMS, and say what a session of it takes; nothing is judged yet."""
    from paragone.cli.session import judge_for
    from paragone.intake.items import read_items
    from paragone.settings import assigned, settings, tournament_system
    from paragone.tournaments.tournament import Tournament

    begun = Tournament.create(
        read_items(items, id_column=id_column, text_column=text_column, encoding=encoding),
        judge=judge_for(judge),
        advocate=advocate,
        reviews=reviews,
        db=db or settings().db,
        name=name or items.stem,
        criteria=criteria,
        pairing="weighted",
        system=tournament_system(config, **assigned(assignments or ())),
        similarity=_similarity(similarity, vectors),
        comparison_rounds=orders,
        budget=budget,
        max_cost=max_cost,
        max_tokens=max_tokens,
        price=price,
        seed=seed,
    )
    with begun as made, interruptible(f"{begun.state.id} is begun, and nothing was asked"):
        _begun(made, as_json=as_json)


def _similarity(spec: str, vectors: Path | None) -> str | None:
    """What tells who is alike: a file where one is given, else an embedder.

    Raises:
        InvalidConfig: If both are given.
    """
    if vectors is not None and spec != "auto":
        from paragone.errors import InvalidConfig

        raise InvalidConfig("give --vectors or --similarity, not both")
    if vectors is not None:
        return f"vectors:{vectors}"
    if Path(spec).suffix.lower() in _TABLES:
        return f"pairs:{spec}"
    return _embedder(spec)


_TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".parquet"})


def _embedder(spec: str) -> str | None:
    """The embedder that is meant: ``auto`` is the local one where that is installed."""
    if spec != "auto":
        return None if spec == "none" else spec
    from paragone.errors import MissingExtra
    from paragone.similarity import open_embedder

    try:
        open_embedder("local")
    except MissingExtra:
        return None
    return "local"


def _begun(made: "Tournament", *, as_json: bool) -> None:
    from paragone.cli.session import where
    from paragone.domain.spending import NOTHING
    from paragone.tournaments.planning.estimate import estimate

    expected = estimate(made.state, made.known_judge(), NOTHING, made.known_advocate())
    go_on = f"paragone tournament run {made.state.id}{where(made)}"
    if as_json:
        told = {
            "tournament": made.state.id,
            "db": made.db,
            "seed": made.state.brief.seed,
            "estimate": expected.as_dict(),
        }
        print_json(told)
        return
    notice(f"{made.state.id}: {expected.sentence()}", err=False)
    if made.state.brief.advocate is None:
        notice("no debates are held: the texts are compared directly", err=False)
    if made.state.brief.similarity is None:
        notice("nobody tells which hypotheses are alike: opponents are chosen without it", err=False)
    notice(f"run a session with: {go_on}", err=False)


@interruptible(AS_IT_WAS)
def run(
    tournament: options.Chosen = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Do tasks as they come, those of other processes too, until Ctrl-C.")
    ] = False,
    judge: JudgeSpec = None,
    advocate: AdvocateSpec = None,
    similarity: Annotated[
        str | None,
        typer.Option(metavar="SPEC|FILE", help="Tells in this run who is alike, in place of what `new` was told."),
    ] = None,
    vectors: Vectors = None,
    db: options.Database = None,
    as_json: options.Json = False,
    out: options.Out = None,
    concurrency: options.Concurrency = None,
    per_minute: options.PerMinute = None,
    timeout: options.Timeout = None,
    attempts: options.Attempts = None,
    rows: options.Rows = None,
    quiet: options.Quiet = False,
) -> None:
    """Do the tasks that wait, else play a session: so many rounds. An interrupted run goes on where it was."""
    from paragone.cli.session import doing_tasks, pace_for, playing
    from paragone.cli.session import run as run_session
    from paragone.presenting.board_files import check
    from paragone.settings import settings
    from paragone.tournaments.agent.tasks import task_records
    from paragone.tournaments.tournament import Tournament

    if out is not None:
        check(out)
    pace = pace_for(concurrency, per_minute, timeout, attempts)
    opened = Tournament.open(db or settings().db, tournament, judge=judge, advocate=advocate)
    with opened as found:
        if similarity is not None or vectors is not None:
            found.similarity = _similarity("auto" if similarity is None else similarity, vectors)
        waiting = any(not record.state.is_final for record in task_records(found.state.events).values())
        work = doing_tasks(serve=serve) if serve or waiting else playing
        run_session(found, pace, as_json=as_json, out=out, rows=rows, quiet=quiet, work=work)
