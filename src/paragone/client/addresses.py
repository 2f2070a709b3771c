"""Where a server has things. Ids may hold anything; how they stand in a path is the server's rule."""

import base64
from urllib.parse import quote

API = "/api/v1"
AGENTS = "agents"
"""The pool of agents that is meant where none is named."""
_BESIDE_AGENTS = frozenset({"debates", "domains", "evidence", "relations"})
_MARK = "~"


def pool_path(pool: str, *parts: str) -> str:
    """The path of a pool, or of what is below it; ids among the parts are to be made segments before."""
    return "/".join((f"{API}/pools", segment(pool), *parts))


def agents_path(*parts: str, pool: str = AGENTS) -> str:
    """The path of the agents of a pool, or of what is beside them."""
    path = "/".join((f"{API}/agents", *parts))
    return path if pool == AGENTS else f"{path}?pool={quote(pool, safe='')}"


def agent_path(agent: str, *parts: str) -> str:
    """The path of an agent, or of what is below it. One that is called like what is beside agents is coded."""
    return agents_path(_coded(agent) if agent in _BESIDE_AGENTS else segment(agent), *parts)


def segment(id: str) -> str:
    """An id as one segment of a path: percent-encoded where that is safe, else ``~`` and base64url."""
    if id and id.isprintable() and id.strip(".") and id[0] != _MARK and not set("/\\%").intersection(id):
        return quote(id, safe="")
    return _coded(id)


def _coded(id: str) -> str:
    return _MARK + base64.urlsafe_b64encode(id.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")
