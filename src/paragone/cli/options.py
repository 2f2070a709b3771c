"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import completion
from paragone.errors import InvalidConfig


def _named(db: str | None) -> str | None:
    if db is not None and not db.strip():
        raise InvalidConfig("--db is empty: name a file or a URL, or leave it out")  # such as an unset shell variable
    return db


Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="Ledger: a file or a URL.  [env PARAGONE_DB; default paragone.db]",
        callback=_named,
    ),
]
Chosen = Annotated[
    str | None,
    typer.Argument(
        metavar="TOURNAMENT",
        help="Id of a tournament; the newest where none is named.",
        autocompletion=completion.tournaments,
    ),
]
Of = Annotated[
    str | None,
    typer.Option(
        "--tournament",
        "-t",
        metavar="ID",
        help="The tournament; the newest where none is named.",
        autocompletion=completion.tournaments,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else on standard output.")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Also write the board: .json, .csv or .html.")
]
Elo = Annotated[
    bool,
    typer.Option("--elo", help="Show the running Elo, which misleads where the pairs were chosen to be near-even."),
]
ByElo = Annotated[bool, typer.Option("--by-elo", help="Rank by the running Elo instead of the strength.")]
Rows = Annotated[int | None, typer.Option("--rows", min=1, metavar="N", help="Show so many rows at the most.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Concurrency = Annotated[
    int | None, typer.Option(min=1, help="Judge calls at once.  [env PARAGONE_CONCURRENCY; default 8]")
]
PerMinute = Annotated[float | None, typer.Option(min=0.001, help="Judge calls a minute at the most.")]
Timeout = Annotated[
    float | None, typer.Option(min=0.001, help="Seconds a call may take.  [env PARAGONE_TIMEOUT; default 300]")
]
Attempts = Annotated[
    int | None, typer.Option(min=1, help="Tries a call before it counts as failed.  [env PARAGONE_ATTEMPTS; default 3]")
]
Configuration = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Parameters of the tournament: a .toml or .json file."),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter, such as scheduling.matches_per_round=20; may be repeated."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="Encoding of text files, such as cp1252; UTF-8 or UTF-16 where not said."
    ),
]
