"""``paragone agents``: ratings, calibration and relations of debating agents."""

import typer

from paragone.cli import (
    agents_board,
    agents_calibration,
    agents_importing,
    agents_predictions,
    agents_record,
    agents_relating,
    agents_relations,
    agents_report,
    agents_rollback,
    agents_show,
    agents_tests,
)

app = typer.Typer(
    help="Agents that debate: ratings, calibration, relations, tests of strength.",
    no_args_is_help=True,
)


def register(whole: typer.Typer) -> None:
    """Add the commands."""
    rooms = (
        agents_record,
        agents_board,
        agents_show,
        agents_predictions,
        agents_calibration,
        agents_relating,
        agents_relations,
        agents_tests,
        agents_importing,
        agents_rollback,
        agents_report,
    )
    for room in rooms:
        room.register(app)
    whole.add_typer(app, name="agents")
