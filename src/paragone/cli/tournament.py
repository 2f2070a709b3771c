"""``paragone tournament new`` and ``run``: create and play tournaments of hypotheses."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from paragone.cli import options
from paragone.cli.options import option
from paragone.cli.rank import NOTHING_WRITTEN, UNCHANGED
from paragone.cli.terminal import interruptible, notice, print_json
from paragone.errors import InvalidConfig

if TYPE_CHECKING:
    from paragone.tournaments.tournament import Tournament

CRITERIA = "novelty, correctness, testability, impact, clarity"
"""The documents' criteria."""
_TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".parquet"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Similarity:
    """How the similarity of items is determined."""

    similarity: Annotated[
        str | None,
        option(
            "Similarity of items: local, llm:MODEL[@URL], auto, none, or a .csv with a, b, similarity.",
            metavar="SPEC|FILE",
        ),
    ] = None
    vectors: Annotated[Path | None, option("Vectors of the items: a .npy, .jsonl or .parquet file.")] = None

    @property
    def spec(self) -> str | None:
        """The source of similarity: a file, an embedder, or nothing.

        Raises:
            InvalidConfig: If both options are given.
        """
        spec = self.similarity or "auto"
        if self.vectors is not None and spec != "auto":
            raise InvalidConfig("give --vectors or --similarity, not both")
        if self.vectors is not None:
            return f"vectors:{self.vectors}"
        if Path(spec).suffix.lower() in _TABLES:
            return f"pairs:{spec}"
        return _local_if_installed() if spec == "auto" else None if spec == "none" else spec


def _local_if_installed() -> str | None:
    from paragone.errors import MissingExtra
    from paragone.similarity import open_embedder

    try:
        open_embedder("local")
    except MissingExtra:
        return None
    return "local"


@interruptible(NOTHING_WRITTEN)
def new(
    items: options.ItemFile,
    columns: options.Columns,
    similarity: Similarity,
    background: options.Background,
    limits: options.Limits,
    output: options.Output,
    created: options.Created,
    judge: options.JudgeSpec = None,
    advocate: options.AdvocateSpec = None,
    criteria: Annotated[
        str | None,
        option(
            f"What makes one hypothesis better than another.  [default: {CRITERIA}, or those of the rubric]",
            "-c",
            metavar="TEXT",
        ),
    ] = None,
    config: options.Configuration = None,
    assignments: options.Assignments = None,
    reviews: Annotated[
        Path | None,
        option("Reviews with columns item and score, for initial ratings; a column text is shown to the judge."),
    ] = None,
    orders: Annotated[int, option("Comparisons in each match, in alternating order.", min=1)] = 1,
) -> None:
    """Create a tournament of the hypotheses in ITEMS. It prints what a session takes; nothing is judged yet."""
    from paragone.cli.terminal_run import chosen_judge, judge_spec
    from paragone.settings import assigned, tournament_system
    from paragone.tournaments.tournament import Tournament

    items = columns.file(items)
    opened = Tournament.create(
        columns.read(items, without_texts=True),
        judge=chosen_judge(judge_spec(judge), created.url),
        advocate=advocate,
        reviews=reviews,
        criteria=criteria or _criteria(background.rubric),
        pairing="weighted",
        system=tournament_system(config, **assigned(assignments or ())),
        similarity=similarity.spec,
        comparison_rounds=orders,
        **created.values(items),
        **limits.values,
        **background.values,
    )
    with opened as tournament, interruptible(f"{opened.state.id} is created, and nothing was asked"):
        _print_created(tournament, as_json=output.as_json)


def _criteria(rubric: str | None) -> str:
    """The criteria in words: those of the rubric, if there is one."""
    if rubric is None:
        return CRITERIA
    from paragone.intake.dossiers import as_rubric

    return ", ".join(as_rubric(rubric).weights)


def _print_created(tournament: "Tournament", *, as_json: bool) -> None:
    from paragone.cli.terminal_run import db_option
    from paragone.domain.spending import NOTHING
    from paragone.tournaments.dossiers import dossier_notes
    from paragone.tournaments.planning.estimate import estimate

    brief, id = tournament.state.settings, tournament.state.id
    expected = estimate(tournament.state, tournament.open_judge(), NOTHING, tournament.open_advocate())
    if as_json:
        created = {"tournament": id, "db": tournament.db, "seed": brief.seed, "estimate": expected.as_dict()}
        print_json({**created, "incomplete": [hypothesis.id for hypothesis in tournament.incomplete()]})
        return
    notice(f"{id}: {expected.sentence()}", err=False)
    if brief.advocate is None:
        notice("no debates: the texts are compared directly", err=False)
    for words in dossier_notes(tournament.dossier, tournament.open_judge().card):
        notice(words, err=False)
    if brief.similarity is None:
        notice("no similarity: opponents are chosen without it", err=False)
    for hypothesis in tournament.incomplete():
        lacks = f"{hypothesis.id} lacks {' and '.join(hypothesis.missing)} and does not play yet"
        notice(f"{lacks}: paragone tournament amend {hypothesis.id}", err=False)
    notice(f"run a session with: paragone tournament run {id}{db_option(tournament)}", err=False)


@interruptible(UNCHANGED)
def run(
    stored: options.Stored,
    similarity: Similarity,
    run: options.RunOptions,
    serve: Annotated[bool, option("Keep doing tasks as they arrive, also from other processes, until Ctrl-C.")] = False,
    judge: options.JudgeSpec = None,
    advocate: options.AdvocateSpec = None,
) -> None:
    """Do the queued tasks, or else play a session of rounds. An interrupted run continues where it stopped."""
    from paragone.cli.terminal_run import do_tasks, opened, play, play_rounds
    from paragone.tournaments.agent.tasks import task_records

    pace = run.pace()
    with opened(stored, run, judge=judge, advocate=advocate) as tournament:
        if similarity.similarity is not None or similarity.vectors is not None:
            tournament.similarity = similarity.spec
        queued = any(not record.state.is_final for record in task_records(tournament.state.events).values())
        play(tournament, run, pace, work=do_tasks(serve=serve) if serve or queued else play_rounds)
