"""Addresses: of pages and, below ``/api/v1``, of what programs ask for.

Ids may hold anything, and a path may not: a slash ends a segment even where it is written %2F, and ``..`` leads
elsewhere whatever its spelling. So an id stands in a path as everybody expects, percent-encoded, where that is safe;
any other one stands there as ``~`` and the base64url of its UTF-8.
"""

import base64
from urllib.parse import quote

API = "/api/v1"
"""Where the API begins in the address of a server."""
MARK = "~"
"""What a segment begins with that holds an id in base64url."""
AGENTS = "agents"
"""The default pool of agents."""
BESIDE_AGENTS = frozenset({"debates", "domains", "evidence", "forecast", "relations"})
"""What is found where agents are; an agent of such a name is found by the base64url of it."""
_UNSAFE = frozenset("/\\%")
"""What some program on the way decodes, or takes for a slash, or decodes twice."""


def segment(id: str) -> str:
    """An id as one segment of a path."""
    if id and id.isprintable() and id.strip(".") and id[0] != MARK and not _UNSAFE.intersection(id):
        return quote(id, safe="")
    return _coded(id)


def _coded(id: str) -> str:
    return MARK + base64.urlsafe_b64encode(id.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")


def id_of(segment: str) -> str:
    """The id that a segment of a path names, once its percent signs are decoded.

    Raises:
        ValueError: If it begins as one in base64url does and is none.
    """
    if not segment.startswith(MARK):
        return segment
    coded = segment[1:]
    try:
        text = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
        return text.decode("utf-8", "surrogatepass")
    except ValueError as error:  # of base64, of UTF-8
        raise ValueError(f"{segment[:40]!r} begins with {MARK}, and is not the base64url of an id") from error


def pool_url(pool: str, *parts: str) -> str:
    """The address of a pool, or of what is below it: ``pool_url('ideas-1', 'judges')``."""
    return "/".join(("/pools", segment(pool), *parts))


def item_url(pool: str, item: str) -> str:
    """The address of an item."""
    return pool_url(pool, "items", segment(item))


def beside_url(pool: str, item: str, other: str) -> str:
    """The address of two items side by side."""
    return f"{item_url(pool, item)}/beside/{segment(other)}"


def image_url(pool: str, name: str) -> str:
    """The address of an image of a pool."""
    return pool_url(pool, "images", segment(name))


def match_url(pool: str, match: str) -> str:
    """The address of a match."""
    return pool_url(pool, "matches", segment(match))


def agents_url(pool: str = AGENTS, *parts: str) -> str:
    """The address of the agents of a pool, or of what is beside them: ``agents_url('team', 'domains')``."""
    path = "/".join(("/agents", *parts))
    return path if pool == AGENTS else f"{path}?pool={quote(pool, safe='')}"


def agent_url(agent: str, pool: str = AGENTS, *parts: str) -> str:
    """The address of an agent, or of what is below it: ``agent_url('ada', 'agents', 'history')``."""
    return agents_url(pool, _coded(agent) if agent in BESIDE_AGENTS else segment(agent), *parts)


def memory_url(*parts: str) -> str:
    """The address of the memory, or of what is below it: ``memory_url('board')``."""
    return "/".join(("/memory", *parts))


def content_url(content: str) -> str:
    """The address of a file that is remembered, or of other content, by its id."""
    return memory_url("files", segment(content))


def api_url(page: str) -> str:
    """Where a program finds what a page shows."""
    return API + page
