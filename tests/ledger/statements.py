"""What a process asks its databases, statement by statement, for those that kill it between two of them."""

from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool


def watch_statements(before):
    """Calls ``before`` with every statement of every engine of this process, just before it is run; returns what ends
    that.

    Some reach SQLite's driver past SQLAlchemy, so SQLite itself is asked. It tells the statements of triggers as
    comments, which are left out, and each row of an insert of many, of which the first one counts.
    """
    last = [""]

    def traced(statement):
        begins = statement.split("(")[0]
        if not statement.startswith("--") and not (begins == last[0] and begins.startswith(("INSERT", "UPDATE"))):
            before(statement)
        last[0] = begins

    def taken(connection, *_):
        if hasattr(connection, "set_trace_callback"):
            connection.set_trace_callback(traced)

    def asked(connection, _cursor, statement, *_):
        if connection.dialect.name != "sqlite":
            before(statement)

    def given_back(connection, *_):
        if hasattr(connection, "set_trace_callback"):
            connection.set_trace_callback(None)

    heard = ((Pool, "checkout", taken), (Pool, "checkin", given_back), (Engine, "before_cursor_execute", asked))
    for listening in heard:
        event.listen(*listening)
    return lambda: [event.remove(*listening) for listening in heard]
