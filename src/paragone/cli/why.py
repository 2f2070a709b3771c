"""``paragone why``: why an item is where it is; ``paragone search``: what was said, by its words."""

from dataclasses import asdict
from typing import Annotated

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.text import visible
from paragone.wire.text_search import MatchOutcome, SearchKind


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

    with stored.opened() as tournament:
        query = " ".join(words)
        page = search_texts(
            tournament.ledger, tournament.state.id, query, kind, judge=judge, outcome=outcome, count=rows
        )
    noun = {"match": ("match", "matches"), "item": ("item", "items")}[kind][page.total != 1]
    lines = [f"{hit.id}  {f'{hit.by}: ' if hit.by else ''}{hit.excerpt}" for hit in page.hits]
    output.say(asdict(page), f"{page.total:,} {noun}", *map(visible, lines))
