"""What PostgreSQL's errors mean here, and what to do about them.

Errors of the server carry a code of five letters (SQLSTATE, appendix A of its manual). Those of connecting carry none:
libpq gives a text only, in the server's language, so that it is passed on, and the remedy named where it is understood.
"""

import re

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from paragone.errors import Busy, Conflict, Corrupted, Failure, LedgerError, Unwritable

_NOTHING = "nothing of it was recorded, and the same again is safe"
_LOST = ("08", "57P01", "57P02", "57P03")
_STATES: dict[str, tuple[type[Failure], str]] = {
    "25006": (Unwritable, "may only be read ({said}); name the server that takes writes, or another database"),
    "3F000": (Unwritable, "has no schema to write to ({said}); make it: CREATE SCHEMA ..."),
    "40": (Busy, "let others go first ({said}); " + _NOTHING),
    "42501": (Unwritable, "refused the user ({said}); GRANT it what it lacks, or name another user"),
    "53300": (Busy, "has no connection left ({said}); try again when others have finished"),
    "53": (Unwritable, "has run out of something ({said}); " + _NOTHING + " once there is room"),
    "54": (LedgerError, "cannot keep this ({said}); ids may have some 2,600 bytes, all else some hundred megabytes"),
    "57014": (Busy, "broke off a statement ({said}); " + _NOTHING),
    "23": (Conflict, "refused a row: {said}"),
    "XX001": (Corrupted, "is damaged ({said}); go back to a copy of it"),
    "XX002": (Corrupted, "is damaged ({said}); REINDEX DATABASE, or go back to a copy of it"),
    "XX": (Unwritable, "failed within ({said}); " + _NOTHING),
    "58": (Unwritable, "could not be read or written by the server's system ({said}); " + _NOTHING),
}
"""By code or by its class, the first letters."""

_CONNECTING = (
    ("password|authentication|no pg_hba|role .* does not exist", "name a user and password that it knows"),
    ("database .* does not exist", "make it first: createdb, or CREATE DATABASE"),
    ("too many clients|connection slots", "try again when others have finished"),
    ("timeout", "see whether the host is the right one and can be reached"),
    ("translate host name|resolve", "see whether the name of the host is right"),
    ("starting up|shutting down|recovery", "try again in a moment"),
)
_TEMPORARY = ("53", "57", "58")
_START = "start the server, or name another (a file needs none)"
_MAY_PASS = (_START, _CONNECTING[3][1], _CONNECTING[5][1])


def failure(error: Exception, location: str, patience: float) -> Failure:
    """The error to raise for one of SQLAlchemy's or the driver's."""
    if isinstance(error, PoolTimeout):
        return Busy(f"{location}: all connections of this process were in use for more than {patience:g} s; try again")
    original = getattr(error, "orig", None)
    state = getattr(original, "sqlstate", None) or ""
    said = _said(original or error)
    if state == "55P03":
        return Busy(
            f"{location} is locked: somebody else has been writing for more than {patience:g} s; "
            "try again when they have finished"
        )
    if state.startswith(_LOST) or _is_lost(error):
        return Unwritable(
            f"the connection to {location} was lost ({said}); what was not acknowledged may be recorded or not, and "
            "the same again records nothing twice",
            temporary=True,
        )
    if not state:
        return _unreachable(location, said)
    kind, message = _STATES.get(state) or _STATES.get(state[:2]) or (LedgerError, "failed: {said}")
    words = f"{location} {message.format(said=said)}"
    return Unwritable(words, temporary=state[:2] in _TEMPORARY) if kind is Unwritable else kind(words)


def _is_lost(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _unreachable(location: str, said: str) -> Failure:
    remedy = next((remedy for pattern, remedy in _CONNECTING if re.search(pattern, said)), _START)
    words = f"{location} cannot be opened ({said}); {remedy}"
    if re.search("too many clients|connection slots", said):
        return Busy(words)
    return Unwritable(words, temporary=remedy in _MAY_PASS)


def _said(original: BaseException) -> str:
    """What the driver or the server says, on one line."""
    diagnosis = getattr(original, "diag", None)
    primary, detail = getattr(diagnosis, "message_primary", None), getattr(diagnosis, "message_detail", None)
    said = ": ".join(part for part in (primary, detail) if part) or str(original)
    return " ".join(said.split()).rstrip(".")
