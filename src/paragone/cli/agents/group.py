"""``paragone agents``: the group of its commands."""

import typer

from paragone.cli.agents import (
    board,
    calibration,
    evidence,
    importing,
    predictions,
    record,
    relating,
    relations,
    report,
    roster,
    show,
    strength_tests,
    void,
)

ROOMS = (
    record,
    roster,
    board,
    show,
    evidence,
    predictions,
    calibration,
    relating,
    relations,
    strength_tests,
    importing,
    void,
    report,
)

app = typer.Typer(
    help="Agents that debate: ratings, calibration, relations, tests of strength.",
    no_args_is_help=True,
)


def register(whole: typer.Typer) -> None:
    """Add the commands."""
    for room in ROOMS:
        room.register(app)
    whole.add_typer(app, name="agents")
