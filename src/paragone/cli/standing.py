"""``paragone why``: why an item is where it is."""

from dataclasses import asdict
from typing import Annotated

from paragone.cli import options
from paragone.cli.options import argument


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
