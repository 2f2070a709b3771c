"""Parameters of routes: ids in a path, decoded."""

from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator

from paragone.wire.address import id_of

_Read = AfterValidator(id_of)
ContentId = Annotated[
    str, Path(description="A file's path, a symbol's id, a decision record's, or a chunk's hash."), _Read
]
PoolId = Annotated[str, Path(description="Id of the pool; see Addresses for ids that hold a slash."), _Read]
ItemId = Annotated[str, Path(description="Id of the item."), _Read]
MatchId = Annotated[str, Path(description="Id of the match."), _Read]
AnomalyId = Annotated[str, Path(description="Id of the rating change, as the list of anomalies has it."), _Read]
TaskId = Annotated[str, Path(description="Id of the task."), _Read]
AgentId = Annotated[str, Path(description="Name of the agent."), _Read]
OtherId = Annotated[str, Path(description="Name of the other agent."), _Read]
DebateId = Annotated[str, Path(description="Id of the debate."), _Read]
