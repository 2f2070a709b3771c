"""Files that were imported into tournaments: where a file belongs, and how much of it is there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from paragone.domain import RatingConfig
from paragone.errors import Conflict
from paragone.ledger.evidence import tournaments
from paragone.ledger.records import TournamentRecord

BEGUN, IMPORTED = "import", "imported"
"""Kinds of events: a file is new to a tournament; rows of it were recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFile:
    """How much of a file is in a tournament.

    Attributes:
        tournament: Id of the tournament.
        name: Name of the file.
        number: Its number among the files of the tournament, from 1.
        digests: By how many rows were there after each chunk, a digest of the rows up to there.
    """

    tournament: str
    name: str
    number: int
    digests: Mapping[int, str]

    @property
    def rows(self) -> int:
        """Rows that are there."""
        return max(self.digests, default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileToImport:
    """What to import, and where to.

    Attributes:
        name: Name of the file.
        into: Id of a tournament, or the name of one that imports made or are to make.
        adds: Whether the caller named the tournament, so that another file may be added to it.
        how: How the votes are to be taken; all files of a tournament are taken alike.
        settings: Settings of the tournament, if it is to be made.
        config: How its ratings move, if it is to be made.
    """

    name: str
    into: str
    adds: bool
    how: Mapping[str, Any]
    settings: Mapping[str, Any]
    config: RatingConfig


def begin(connection: Connection, file: FileToImport, at: datetime) -> ImportedFile:
    """Find out where a file belongs and how much of it is there; make what is not there yet.

    Args:
        connection: A transaction that makes pools alone.
        file: The file.
        at: Now.

    Raises:
        Conflict: If the tournament was not made by imports, takes its votes otherwise, or has other files and was not
            named.
    """
    tournament = _target(connection, file.into)
    if tournament is None:
        tournament = tournaments.create(connection, file.into, file.settings, (), file.config, at)
        return _begun(connection, file, tournament.id, 1, at)
    files = _files(connection, tournament.id)
    if not files:
        raise Conflict(f"{tournament.id} was judged, not imported; import the votes under another name (--into)")
    for previous in files:
        if previous["how"] != file.how:
            raise Conflict(
                f"{tournament.id} took its votes {_spoken(previous['how'])}, and {file.name} would be taken "
                f"{_spoken(file.how)}; say the same, or import under another name (--into)"
            )
        if previous["file"] == file.name:
            return _known(connection, tournament.id, previous)
    if not file.adds:
        raise Conflict(
            f"{tournament.id} holds {files[-1]['file']} already; to add {file.name} to it say --into {tournament.id}, "
            "for a tournament of its own --into another name"
        )
    return _begun(connection, file, tournament.id, len(files) + 1, at)


def _target(connection: Connection, into: str) -> TournamentRecord | None:
    """The tournament with that id, or the newest with that name that imports made."""
    every = tournaments.records(connection)
    exact = next((record for record in every if record.id == into), None)
    if exact is not None:
        return exact
    slug = tournaments.slug(into)
    alike = (record for record in reversed(every) if record.id.rpartition("-")[0] == slug)
    return next((record for record in alike if _files(connection, record.id)), None)


def _files(connection: Connection, tournament: str) -> list[Mapping[str, Any]]:
    return [event.detail for event in tournaments.events(connection, tournament) if event.kind == BEGUN]


def _begun(connection: Connection, file: FileToImport, tournament: str, number: int, at: datetime) -> ImportedFile:
    detail = {"file": file.name, "number": number, "how": dict(file.how)}
    tournaments.add_events(connection, tournament, [(BEGUN, detail)], at)
    return ImportedFile(tournament=tournament, name=file.name, number=number, digests={})


def _known(connection: Connection, tournament: str, file: Mapping[str, Any]) -> ImportedFile:
    digests = {
        event.detail["rows"]: event.detail["digest"]
        for event in tournaments.events(connection, tournament)
        if event.kind == IMPORTED and event.detail["number"] == file["number"]
    }
    return ImportedFile(tournament=tournament, name=file["file"], number=file["number"], digests=digests)


def _spoken(how: Mapping[str, Any]) -> str:
    return f"with {', '.join(f'{name} {value}' for name, value in sorted(how.items()))}"
