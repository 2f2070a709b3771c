"""Dependencies of routes: the server's readers, ballots, runs and configuration.

All are coroutines though they never wait: FastAPI would run a plain function in a thread before each request.
"""

from typing import Annotated

from fastapi import Depends, Request

from paragone.errors import NotFound
from paragone.web.config import WebConfig
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.runs.active_runs import ActiveRuns
from paragone.web.voting.ballots import Ballots


async def ledger_reader(request: Request) -> LedgerReader:
    """The server's view of its ledger."""
    reader: LedgerReader = request.app.state.reader
    return reader


async def config(request: Request) -> WebConfig:
    """The configuration that the server was started with."""
    config: WebConfig = request.app.state.config
    return config


async def ballots(request: Request) -> Ballots:
    """The ballots of the server."""
    ballots: Ballots = request.app.state.ballots
    return ballots


async def runs(request: Request) -> ActiveRuns:
    """The tournaments that this process runs."""
    runs: ActiveRuns = request.app.state.runs
    return runs


async def memory_reader(request: Request) -> MemoryReader:
    """The memory that the server shows.

    Raises:
        NotFound: If it shows none.
    """
    reader: MemoryReader | None = request.app.state.memory
    if reader is None:
        raise NotFound("this server shows no memory: start it with paragone serve --memory DIR")
    return reader


LedgerDep = Annotated[LedgerReader, Depends(ledger_reader)]
ConfigDep = Annotated[WebConfig, Depends(config)]
BallotsDep = Annotated[Ballots, Depends(ballots)]
RunsDep = Annotated[ActiveRuns, Depends(runs)]
MemoryDep = Annotated[MemoryReader, Depends(memory_reader)]
