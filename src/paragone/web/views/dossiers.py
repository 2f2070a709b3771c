"""What judges see beside the texts: now, of one item, and in one match."""

from collections.abc import Mapping

from paragone.domain import ItemNotes, Match
from paragone.judges.dossier_prompt import fitted
from paragone.tournaments.dossiers import dossiers_of, present_dossier
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.wire.dossier import Dossier, DossierPart, SeenDossier


def dossier(reader: LedgerReader, pool: str) -> Dossier | None:
    """What judges see in matches that are planned from now on; None of a pool that is no tournament.

    Raises:
        NotFound: If there is no such pool.
    """
    if not reader.is_tournament(pool):
        return None
    return reader.kept("dossier", pool, lambda: Dossier.like(present_dossier(reader.ledger, pool)))


def notes_on(reader: LedgerReader, pool: str, item: str) -> ItemNotes:
    """What is known about an item besides its text."""
    if not reader.is_tournament(pool):
        return ItemNotes()
    notes: Mapping[str, ItemNotes] = reader.kept("notes", pool, lambda: dossiers_of(reader.ledger, pool).present()[1])
    return notes.get(item, ItemNotes())


def seen_in(reader: LedgerReader, pool: str, match: Match) -> SeenDossier | None:
    """What judges of a match saw beside the texts; None without a dossier, and of a match that was not planned."""
    if not reader.is_tournament(pool) or match.round is None:
        return None
    if reader.ledger.tournaments.place_of_round(pool, match.round) is None:
        return None
    dossier = dossiers_of(reader.ledger, pool).of(match.round, match.items)
    if dossier is None or dossier.is_empty:
        return None
    fits = fitted(dossier)
    return SeenDossier(
        parts=[DossierPart(name=name.lower(), text=text) for name, text in fits.sections],
        notes=[DossierPart(name=id, text=text) for id, text in zip(match.items, fits.notes, strict=False) if text],
        shortened=list(fits.shortened),
    )
