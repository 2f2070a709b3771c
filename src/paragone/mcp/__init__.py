"""The MCP server: search, read and cite what a store remembers, each tool logging by itself; and rank texts."""

from paragone.mcp.server import MemoryServer, RankingServer
from paragone.mcp.transport import HttpPlace, serve_http, serve_stdio

__all__ = ["HttpPlace", "MemoryServer", "RankingServer", "serve_http", "serve_stdio"]
