"""Boards of tournaments that imports made: by columns, so that votes by the million need no objects."""

import os

from paragone.analysis.agreement import reports_of_counts
from paragone.domain import Board, Rating
from paragone.ledger import Event, Ledger, MatchColumns
from paragone.tournaments.brief import Brief
from paragone.tournaments.door import Tournament
from paragone.tournaments.results.board import WhatIf, rows_of, stopped
from paragone.tournaments.standing import fit_options, stand
from paragone.tournaments.state.said import Said
from paragone.tournaments.state.state import import_terms

_NOTHING = WhatIf()


def stored_board(
    db: str | os.PathLike[str], tournament: str | None = None, *, suppose: WhatIf = _NOTHING, by_elo: bool = False
) -> Board:
    """The board of a tournament of a ledger, as it stands or as it would; the newest where no id is given.

    What ``Tournament.open(db, tournament).board()`` or ``whatif`` gives, in a tenth of the memory where the votes were
    imported.

    Args:
        db: File or URL of the ledger.
        tournament: Its id.
        suppose: What to suppose; nothing is changed.
        by_elo: Rank by the running Elo instead of the strength.

    Raises:
        NotFound: If there is no such tournament, or a match or judge to suppose away is not in it.
        LedgerError: If the ledger cannot be opened.
    """
    with Ledger.open(db, create=False) as ledger:
        id = ledger.tournaments.get(tournament).id
        events = ledger.tournaments.events(id)
        if any(event.kind == "import" for event in events) and not _judged_since(events):
            without = {"without_matches": suppose.without_matches, "without_judges": suppose.without_judges}
            played = ledger.matches.columns(id, **without)
            if played is not None:
                return _board(ledger, id, played, suppose, by_elo=by_elo)
    with Tournament.open(db, id) as found:
        return found.board(by_elo=by_elo) if suppose == _NOTHING else found.whatif(suppose, by_elo=by_elo)


def _judged_since(events: tuple[Event, ...]) -> bool:
    return any(event.kind == "resumed" for event in events)


def _board(ledger: Ledger, id: str, played: MatchColumns, suppose: WhatIf, *, by_elo: bool) -> Board:
    brief, config = Brief.from_json(ledger.tournaments.get(id).settings), suppose.config(ledger.pools.config(id))
    terms = import_terms(ledger.tournaments.events(id))
    position = suppose.position and terms.get("position", True)
    said = Said.of_played(played)
    evidence = said.evidence()
    standing = stand(
        played.items,
        evidence,
        goal=brief.goal,
        level=brief.level,
        initial=config.initial,
        seed=brief.seed,
        options=fit_options(evidence.judges, position=position, repeats=terms.get("repeats")),
    )
    asked, items = len(said), len(played.items)
    judges = reports_of_counts(said.counts(), standing.positions, standing.slopes)
    told = len(evidence) > 0
    ratings: dict[str, Rating] = ledger.ratings.all(id) if suppose == _NOTHING else played.ratings(config)
    return Board(
        items=rows_of(ledger.items.all(id), standing.strengths, ratings, ledger.items.reviews(id), by_elo=by_elo),
        spending=ledger.tournaments.spending(id),
        abstentions=said.abstentions,
        position_bias=judges[0].position_bias if judges else None,
        judges=judges,
        forecast=standing.forecast if told else None,
        outlook=standing.outlook(asked) if told and asked <= items * (items - 1) // 2 else None,
        identified=standing.fit.identified,
        level=brief.level,
        stopped=stopped(ledger, id),
        tournament=id,
        seed=brief.seed,
        method=standing.method,
        pairing=brief.pairing,
    )
