"""``paragone tournament direct``, ``inform`` and ``review``: what judges are to heed and know, also during a run."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.text import cut
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.domain import Review
    from paragone.tournaments.tournament import Tournament
    from paragone.wire.dossier import Directive


def direct(
    stored: options.StoredByOption,
    output: options.Output,
    directive: Annotated[
        str | None, argument("What judges should heed.  [default: list the directives]", metavar="TEXT")
    ] = None,
    withdraw: Annotated[int | None, option("Withdraw the directive with this number.", min=1)] = None,
    by: Annotated[str, option("Who gives it.", metavar="NAME")] = "",
) -> None:
    """Give judges a directive that holds from the next match on. It also reaches a tournament that is running."""
    from paragone.errors import InvalidConfig

    if directive is not None and withdraw is not None:
        raise InvalidConfig("give a directive, or take one back (--withdraw N), not both")
    with stored.opened() as tournament:
        if directive is not None:
            tournament.direct(directive, by)
        if withdraw is not None:
            tournament.withdraw(withdraw, by)
        directives = tournament.directives
        if directive is not None:
            _warn(tournament)
    output.show(directives, _directives, values=list)


def _warn(tournament: "Tournament") -> None:
    """Say what the judge will not see, if it is a model: other kinds may run programs, which is not called for here."""
    import typer

    from paragone.errors import ParagoneError
    from paragone.tournaments.dossiers import dossier_notes

    if tournament.state.settings.judge.partition(":")[0] not in ("llm", "local"):
        return
    try:
        card = tournament.open_judge().card
    except ParagoneError:  # its key or file is elsewhere, as workers have it
        return
    for words in dossier_notes(tournament.dossier, card):
        typer.echo(words, err=True)


def _directives(directives: "tuple[Directive, ...]") -> Iterator[str | Table[Any]]:
    if not directives:
        yield "no directive was given"
        return
    yield table(
        directives,
        number("number", lambda each: each.number, ""),
        text("directive", lambda each: each.text),
        text("by", lambda each: each.by),
        text("state", lambda each: "withdrawn" if each.withdrawn else "in force from the next match on"),
    )


def inform(
    stored: options.Stored,
    background: options.Background,
    output: options.Output,
    insights: Annotated[list[str] | None, option("What a meta-review found; repeatable.", metavar="TEXT")] = None,
    reviews: Annotated[Path | None, option("More reviews, with columns item, score and text.")] = None,
) -> None:
    """Change what judges see beside the texts, from the next match on; without options, show it."""
    from paragone.domain.dossier import DOSSIER_TOKENS
    from paragone.intake.dossiers import as_dossier
    from paragone.wire.dossier import Dossier

    values = {name: value for name, value in background.values.items() if value is not None and name != "dossier"}
    with stored.opened() as tournament:
        complete = as_dossier(background.dossier)
        changes = {} if complete is None else {name: value for name, value in complete.as_json().items() if value}
        own = ("notes", "directives", *(("max_tokens",) if complete and complete.max_tokens == DOSSIER_TOKENS else ()))
        changes = {name: value for name, value in changes.items() if name not in own} | values
        if insights:
            changes["insights"] = insights
        if changes or reviews is not None:
            tournament.inform(reviews=reviews, **changes)
            _warn(tournament)
        present = Dossier.like(tournament.dossier)
    output.show(present, _dossier)


def _dossier(dossier: Any) -> Iterator[str | Table[Any]]:  # noqa: ANN401 - the value of the line above
    if not dossier.is_given:
        yield "no dossier: judges see the criteria and the texts alone"
        return
    if dossier.goal:
        yield f"goal: {dossier.goal}"
    for name in ("directives", "preferences", "constraints", "insights"):
        yield from (f"{name.removesuffix('s')}: {words}" for words in getattr(dossier, name))
    if dossier.rubric:
        yield ""
        yield table(
            dossier.rubric,
            text("criterion", lambda each: each.name),
            number("weight", lambda each: each.weight, ".0%"),
            text("definition", lambda each: each.definition),
            text("scale", lambda each: each.scale),
        )
    yield f"notes on {dossier.items_with_notes} items; at most {dossier.max_tokens:,} tokens in a prompt"


def review(
    stored: options.StoredByOption,
    output: options.Output,
    item: Annotated[str | None, argument("Whose reviews.  [default: list all]", metavar="ID")] = None,
    score: Annotated[
        float | None, option("Add a review of it: how good it is, from 0 to 1.", min=0.0, max=1.0, metavar="SCORE")
    ] = None,
    text: Annotated[str | None, option("The review in words; a dossier shows it to judges.", metavar="TEXT")] = None,
    file: Annotated[Path | None, option("A file with the review in words.", metavar="FILE")] = None,
    scores: Annotated[
        list[str] | None, option("A score by criterion, from 0 to 1; repeatable.", metavar="NAME=SCORE")
    ] = None,
    by: Annotated[str, option("Who reviewed it.", metavar="NAME")] = "reviewer",
    reviews: Annotated[Path | None, option("Add the reviews of a table with columns item, score and text.")] = None,
) -> None:
    """Add reviews of hypotheses, or list them.

    They count from the next match on, and bring back what rests after losses.
    """
    from paragone.errors import InvalidConfig

    if score is None and (text is not None or file is not None or scores):
        raise InvalidConfig("a review says how good the hypothesis is: add --score, a number from 0 to 1", key="score")
    if score is not None and item is None:
        raise InvalidConfig("whose review is it? paragone tournament review ID --score 0.8")
    with stored.opened() as tournament:
        tournament.state.require([] if item is None else [item])
        if reviews is not None:
            tournament.add_reviews(reviews)
        if item is not None and score is not None:
            review = {
                "item": item,
                "reviewer": by,
                "score": score,
                "scores": _shares(scores),
                "text": _words(text, file),
            }
            tournament.add_reviews([review])
        present = [each for each in tournament.ledger.items.reviews(tournament.state.id) if item in (None, each.item)]
    output.show(present, _reviews)


def _shares(scores: list[str] | None) -> dict[str, float]:
    from paragone.errors import InvalidConfig

    shares = {}
    for score in scores or ():
        name, _, share = score.partition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError as error:
            raise InvalidConfig(f"a score by criterion is NAME=SCORE, such as novelty=0.7, not {score!r}") from error
    return shares


def _words(text: str | None, file: Path | None) -> str:
    from paragone.errors import InvalidConfig
    from paragone.intake.text_file import read_text

    if text is not None and file is not None:
        raise InvalidConfig("give --text or --file, not both")
    return (text or "" if file is None else read_text(file)).strip()


def _reviews(reviews: "list[Review]") -> Iterator[str | Table[Any]]:
    if not reviews:
        yield "no review is on record"
        return
    yield table(
        reviews,
        text("hypothesis", lambda each: each.item),
        text("reviewer", lambda each: each.reviewer),
        number("score", lambda each: each.score, ".2f"),
        text("scores", lambda each: ", ".join(f"{name} {share:.2f}" for name, share in each.scores.items())),
        text("review", lambda each: cut(each.text, 60)),
    )
