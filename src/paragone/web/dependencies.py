"""What routes reach for: the library and the configuration of the server that they are in.

All are coroutines, though they wait for nothing: each that is none takes a turn in a thread, before the route does.
"""

from typing import Annotated

from fastapi import Depends, Request

from paragone.errors import NotFound
from paragone.web.config import WebConfig
from paragone.web.readers.ledger_reader import Library
from paragone.web.readers.memory_reader import Remembered
from paragone.web.runs.run_manager import Room
from paragone.web.voting.ballots import Ballots


async def library(request: Request) -> Library:
    """The library of the server."""
    reader: Library = request.app.state.library
    return reader


async def config(request: Request) -> WebConfig:
    """What the server was told when it started."""
    value: WebConfig = request.app.state.config
    return value


async def ballots(request: Request) -> Ballots:
    """The ballots of the server."""
    value: Ballots = request.app.state.ballots
    return value


async def room(request: Request) -> Room:
    """The tournaments that this process plays."""
    value: Room = request.app.state.room
    return value


async def remembered(request: Request) -> Remembered:
    """The memory that the server shows.

    Raises:
        NotFound: If it shows none.
    """
    reader: Remembered | None = request.app.state.memory
    if reader is None:
        raise NotFound("this server shows no memory: start it with paragone serve --memory DIR")
    return reader


Books = Annotated[Library, Depends(library)]
Told = Annotated[WebConfig, Depends(config)]
Voting = Annotated[Ballots, Depends(ballots)]
Playing = Annotated[Room, Depends(room)]
Memories = Annotated[Remembered, Depends(remembered)]
