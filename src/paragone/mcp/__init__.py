"""The MCP server: search, read and cite what a store remembers, each tool logging by itself."""

from paragone.mcp.server import MemoryServer
from paragone.mcp.transport import HttpPlace, serve_http, serve_stdio

__all__ = ["HttpPlace", "MemoryServer", "serve_http", "serve_stdio"]
