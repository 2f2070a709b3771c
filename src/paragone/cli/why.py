"""``paragone why``: why an item is where it is; ``paragone search``: what was said, by its words."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.suggestions import did_you_mean
from paragone.domain.text import visible
from paragone.errors import NotFound, UsageError
from paragone.wire.text_search import MatchOutcome, SearchKind

if TYPE_CHECKING:
    from paragone.tournaments.state.state import TournamentState


def why(
    item: Annotated[str, argument("The id of an item.")],
    stored: options.StoredByOption,
    output: options.Output,
) -> None:
    """Say why an item is where it is.

    It lists the matches that carry its rank, upsets, its opponents, and what one more answer would change.
    """
    from paragone.presenting.standing import explained

    with stored.opened() as tournament:
        explanation = tournament.why(item)
    output.show(explanation, explained, values=asdict)


def search(
    words: Annotated[
        list[str],
        argument("Words to find: results have each, or a longer word that begins with it.", metavar="WORD"),
    ],
    stored: options.StoredByOption,
    output: options.Output,
    kind: Annotated[SearchKind, option("Search matches, by reasons and debates, or items, by their texts.")] = "match",
    judge: Annotated[str | None, option("Only matches with this judge.")] = None,
    outcome: Annotated[MatchOutcome | None, option("Only matches with this outcome.")] = None,
    rows: Annotated[int, option("Results to show.", min=1)] = 20,
) -> None:
    """Search what judges and advocates said in a tournament, or the texts of its items. The newest come first."""
    from paragone.tournaments.results.text_search import search as search_texts

    if kind == "item" and (judge or outcome):
        raise UsageError("--judge and --outcome are about matches; leave them out with --kind item")
    with stored.opened() as tournament:
        query = " ".join(words)
        page = search_texts(
            tournament.ledger, tournament.state.id, query, kind, judge=judge, outcome=outcome, count=rows
        )
        if judge and not page.total:
            _require_judge(tournament.state, judge)
    noun = {"match": ("match", "matches"), "item": ("item", "items")}[kind][page.total != 1]
    lines = [f"{hit.id}  {f'{hit.by}: ' if hit.by else ''}{hit.excerpt}" for hit in page.hits]
    output.say(asdict(page), f"{page.total:,} {noun}", *map(visible, lines))


def _require_judge(state: "TournamentState", judge: str) -> None:
    """Refuse the name of a judge that is in no identity of those who answered."""
    judges = sorted({answer.verdict.judge for match in state.matches for answer in match.answers})
    if not any(judge.casefold() in each.casefold() for each in judges):
        answered = f"answers are by {', '.join(map(visible, judges))}" if judges else "nobody has answered yet"
        raise NotFound(f"{state.id} has no judge {visible(judge)!r}{did_you_mean(judge, judges)}; {answered}")
