"""Parameters of routes: ids in paths, bodies without unknown fields, and the server's readers, ballots and runs.

The dependencies are coroutines though they never wait: FastAPI would run a plain function in a thread for each request.
"""

from inspect import getdoc
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import AfterValidator, BaseModel, Field

from paragone.domain.text import whole
from paragone.errors import NotFound
from paragone.web.config import WebConfig
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.runs.active_runs import ActiveRuns
from paragone.web.voting.ballots import Ballots
from paragone.wire.address import id_of
from paragone.wire.value import Schema, describe


class Body(BaseModel, extra="forbid"):
    """The body of a request. It checks lengths and limits, which a value of ``wire`` does not."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Schema:  # noqa: ANN401 - of pydantic
        schema: Schema = handler(core_schema)
        describe(
            handler.resolve_ref_schema(schema), *(getdoc(base) or "" for base in cls.__mro__ if issubclass(base, Body))
        )
        return schema


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a null byte: remove it")
    if text != whole(text):
        raise ValueError("it holds half a character (a lone surrogate): remove it")
    return text


StorableText = Annotated[str, AfterValidator(_storable)]
"""A text that is to be stored."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Amount = Annotated[float, Field(ge=0.0, le=1e9)]

_Decoded = AfterValidator(id_of)
ContentId = Annotated[
    str, Path(description="A file's path, a symbol's id, a decision record's, or a chunk's hash."), _Decoded
]
PoolId = Annotated[str, Path(description="Id of the pool; see Addresses for ids that hold a slash."), _Decoded]
ItemId = Annotated[str, Path(description="Id of the item."), _Decoded]
MatchId = Annotated[str, Path(description="Id of the match."), _Decoded]
AnomalyId = Annotated[str, Path(description="Id of the rating change, as the list of anomalies has it."), _Decoded]
TaskId = Annotated[str, Path(description="Id of the task."), _Decoded]
AgentId = Annotated[str, Path(description="Name of the agent."), _Decoded]
OtherId = Annotated[str, Path(description="Name of the other agent."), _Decoded]
DebateId = Annotated[str, Path(description="Id of the debate."), _Decoded]


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
