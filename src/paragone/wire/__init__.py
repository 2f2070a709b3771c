"""The values of the REST API, each defined once: the server answers with it, and the client returns it.

MCP and ``--json`` print them too, except for what is a value of the domain: ``paragone.rank`` returns the whole
``domain.Board``, which ``--json`` prints; ``wire.Board`` is a page of it, with a cursor.
"""
