"""Every value that leaves the process, defined once: the server answers with it, the client reads it, MCP prints it."""
