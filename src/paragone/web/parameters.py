"""What routes take: ids in paths, pages of listings, bodies that refuse unknown fields, ETags, parts of the server.

The dependencies are coroutines though they never wait: FastAPI would run a plain function in a thread for each request.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from inspect import getdoc
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from starlette.exceptions import HTTPException

from paragone.domain.text import whole
from paragone.errors import InvalidConfig, NotFound
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role
from paragone.web.middleware.authorization import permitted
from paragone.web.people import People
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.runs.active_runs import ActiveRuns
from paragone.web.voting.pool_voting import Voting
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

decoded = AfterValidator(id_of)
"""Of an id in a path."""
ContentId = Annotated[
    str, Path(description="A file's path, a symbol's id, a decision record's, or a chunk's hash."), decoded
]
PoolId = Annotated[str, Path(description="Id of the pool; see Addresses for ids that hold a slash."), decoded]
ItemId = Annotated[str, Path(description="Id of the item."), decoded]
OtherItemId = Annotated[str, Path(description="Id of the other item."), decoded]
MatchId = Annotated[str, Path(description="Id of the match."), decoded]
AnomalyId = Annotated[str, Path(description="Id of the rating change, as the list of anomalies has it."), decoded]
TaskId = Annotated[str, Path(description="Id of the task."), decoded]
AgentId = Annotated[str, Path(description="Name of the agent."), decoded]
OtherId = Annotated[str, Path(description="Name of the other agent."), decoded]
DebateId = Annotated[str, Path(description="Id of the debate."), decoded]


def _part(name: str) -> Callable[[Request], Awaitable[Any]]:
    """A dependency: a part of the application."""

    async def part(request: Request) -> Any:  # noqa: ANN401 - the aliases below say which
        return getattr(request.app.state, name)

    return part


async def _memory_reader(request: Request) -> MemoryReader:
    reader: MemoryReader | None = request.app.state.memory
    if reader is None:
        raise NotFound("this server shows no memory: start it with paragone serve --memory DIR")
    return reader


async def _people(request: Request) -> People:
    if request.app.state.config.tokens is None:
        raise InvalidConfig(
            "this server has no tokens, so everybody who reaches it may do everything, and nobody else can reach it: "
            "to let others in, make a token (paragone token add NAME --role admin), and serve with --host, --allow-host"
        )
    people: People = request.app.state.people
    return people


LedgerDep = Annotated[LedgerReader, Depends(_part("reader"))]
ConfigDep = Annotated[WebConfig, Depends(_part("config"))]
VotingDep = Annotated[Voting, Depends(_part("voting"))]
RunsDep = Annotated[ActiveRuns, Depends(_part("runs"))]
PeopleDep = Annotated[People, Depends(_people)]
MemoryDep = Annotated[MemoryReader, Depends(_memory_reader)]
"""The memory of the server; 404 if it has none."""


async def only_known(request: Request) -> None:
    """Refuse unknown parameters, after those who may not read.

    Raises:
        InvalidConfig: If there is one; the message lists the parameters of the route.
    """
    permitted(request, Role.READ)
    route = request.scope["route"]
    if not request.query_params or not isinstance(route, APIRoute):
        return
    accepted = set(_within(route.dependant))
    unknown = sorted(set(request.query_params) - accepted)
    if unknown:
        available = f"there are {', '.join(sorted(accepted))}" if accepted else "there are none"
        raise InvalidConfig(f"there is no parameter {unknown[0][:100]!r} here; {available}", key="query")


def _within(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _within(dependency)


MOST = 500
"""Maximum rows of a page."""

Limit = Annotated[int, Query(ge=1, le=MOST, description="Rows of a page.")]
Cursor = Annotated[
    str | None,
    Query(max_length=2_000, description="`next` of the previous page; omit for the first page."),
]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000, alias="page", description="Number of the page, from 1.")]
Nth = Annotated[int, Query(ge=1, le=1_000_000)]
"""The number of a page of a listing, where a page has several."""
unless_empty = BeforeValidator(lambda text: text or None)
"""Of a choice that a form may leave open: it sends an empty text then."""
Reason = Annotated[StorableText, Field(min_length=1, max_length=2_000, description="Why; kept in the ledger.")]


def file_of(types: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of a route that answers with a file.

    Args:
        types: Media types of the file.
    """
    binary, values = {"type": "string", "format": "binary"}, {"type": "object"}
    kinds = (kind.partition(";")[0] for kind in types)
    content = {kind: {"schema": values if kind == "application/json" else binary} for kind in kinds}
    return {200: {"description": "The file.", "content": content}}


NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing was written to the pool since the answer with this `ETag`."}
}


def tagged(
    request: Request,
    response: Response,
    pool: PoolId,
    reader: LedgerDep,
    if_none_match: Annotated[str | None, Header(description="`ETag` of the answer that the client has.")] = None,
) -> None:
    """Set an ETag that is valid until the next write to the pool; answer 304 to a client that has it.

    For values read from the ledger itself. Those computed in the background may be older than the current version.
    """
    about = f"{reader.version(pool)} {request.url.path}?{request.url.query}"
    tag = f'W/"{hashlib.sha256(about.encode()).hexdigest()[:32]}"'
    response.headers["etag"] = tag
    response.headers["cache-control"] = "private, no-cache"
    response.headers["vary"] = "authorization, cookie"
    if if_none_match is not None and tag in {candidate.strip() for candidate in if_none_match.split(",")}:
        raise HTTPException(304, headers=dict(response.headers))


Tagged = Depends(tagged)
