"""SQLAlchemy's dialect of PostgreSQL without the four questions that it asks a server at its first connection.

The driver has heard what they ask for, or nothing here depends on it. Every command opens a ledger, and who runs a
tournament a second engine, which holds its claim.
"""

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine.interfaces import IsolationLevel


class ServerDialect(PGDialect_psycopg):
    """A server as its driver describes it."""

    supports_statement_cache = True

    def _get_server_version_info(self, connection: Connection) -> tuple[int, int]:
        version: int = _info(connection).server_version
        return divmod(version, 10_000)

    def _get_default_schema_name(self, connection: Connection) -> str:  # noqa: ARG002 - the schema is left to the server
        return ""

    def get_default_isolation_level(self, dbapi_conn: Any) -> IsolationLevel:  # noqa: ANN401, ARG002 - as SQLAlchemy has it
        return "READ COMMITTED"  # each transaction says which it wants

    def _set_backslash_escapes(self, connection: Connection) -> None:
        self._backslash_escapes = _info(connection).parameter_status("standard_conforming_strings") == "off"


def _info(connection: Connection) -> Any:  # noqa: ANN401 - psycopg may be absent
    driver: Any = connection.connection.driver_connection
    return driver.info
