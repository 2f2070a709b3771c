"""The board of a tournament, as it is or under a what-if; for matches between two by columns."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from paragone.analysis.board_rows import board_rows, judge_reports, list_reports
from paragone.domain import (
    Board,
    BoardRow,
    Choice,
    Forecast,
    Item,
    ListChoice,
    PlainRow,
    Ranking,
    Rating,
    RatingConfig,
    Review,
    SideReport,
    TableRow,
)
from paragone.domain.rounding import SCALE_DECIMALS, rounded
from paragone.errors import InvalidConfig
from paragone.ledger import Event, Ledger, TournamentRecord
from paragone.ratings.evidence import list_judge
from paragone.tournaments.posterior import Posterior
from paragone.tournaments.results.remarks import completed
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import ComparisonTable
from paragone.tournaments.state.state import import_terms, posterior_of
from paragone.tournaments.tournament_settings import AUTO, TournamentSettings

if TYPE_CHECKING:
    from paragone.tournaments.bootstrap import OnReplicate


@dataclass(frozen=True, kw_only=True, slots=True)
class WhatIf:
    """What a what-if replay of the ledger assumes. The ledger itself is not changed.

    Attributes:
        k: Another K factor for the running Elo.
        initial: Another initial rating.
        without_matches: Matches to leave out.
        without_judges: Judges whose comparisons to leave out.
        position: Whether judges have a position term.
    """

    k: float | None = None
    initial: float | None = None
    without_matches: tuple[str, ...] = ()
    without_judges: tuple[str, ...] = ()
    position: bool = True

    def config(self, config: RatingConfig) -> RatingConfig:
        """The rating configuration with these changes."""
        k = config.k if self.k is None else self.k
        return replace(config, k=k, initial=config.initial if self.initial is None else self.initial)


def board_of(
    ledger: Ledger,
    state: TournamentState,
    *,
    by_elo: bool = False,
    ratings: Mapping[str, Rating] | None = None,
    suggest_gold: int = 0,
) -> Board:
    """The current board.

    Args:
        ledger: The ledger.
        state: The tournament.
        by_elo: Rank by the running Elo instead of the strength.
        ratings: The running Elo of the same version as the state; the present one if None.
        suggest_gold: How many pairs to suggest whose true answer would teach most.
    """
    board = _board(ledger, state, ledger.ratings.all(state.id) if ratings is None else ratings, by_elo=by_elo)
    return completed(board, state.posterior, suggest_gold)


def board_if(ledger: Ledger, state: TournamentState, suppose: WhatIf, *, by_elo: bool = False) -> Board:
    """The board under other settings or without some evidence; calls and cost are the real ones."""
    config = suppose.config(state.config)
    without = {"without_matches": suppose.without_matches, "without_judges": suppose.without_judges}
    ratings = ledger.ratings.whatif_final(state.id, config=config, **without)
    played = list(ledger.matches.history(state.id, **without))
    supposed = state.supposing(config, played, position=suppose.position and state.position)
    return completed(_board(ledger, supposed, ratings, by_elo=by_elo), supposed.posterior)


def _board(ledger: Ledger, state: TournamentState, ratings: Mapping[str, Rating], *, by_elo: bool) -> Board:
    posterior, rankings, reason = state.posterior, state.rankings, stopped(ledger, state.id)
    records = {id: ratings.get(id, Rating(item=id, elo=state.config.initial)) for id in state.ids}
    rows = rows_of(state.items, posterior.strengths, records, state.reviews, by_elo=by_elo)
    board = _board_of_fit(
        ledger, state.id, state.settings, posterior, state.comparison_table, rows, reason=reason, rankings=rankings
    )
    return replace(
        board,
        lists=list_reports(rankings, _noises(state), _places(state)),
        list_choice=_list_choice(state),
        table=swiss_table(state) if state.settings.pairing == "swiss" else (),
    )


def _board_of_fit(
    ledger: Ledger,
    id: str,
    settings: TournamentSettings,
    posterior: Posterior,
    table: ComparisonTable,
    rows: tuple[BoardRow, ...],
    *,
    reason: str,
    rankings: Sequence[Ranking] = (),
) -> Board:
    """What every board has; ``reason`` is why the last run stopped, and ``rankings`` are the answers to lists."""
    judges = judge_reports(table.counts(), posterior.positions, posterior.slopes)
    has_evidence = bool(table.is_evidence.any()) or any(ranking.verdict.order for ranking in rankings)
    return Board(
        items=rows,
        forecast=posterior.forecast if has_evidence else None,
        outlook=_outlook(settings, posterior, len(table), len(rankings)) if has_evidence else None,
        spending=ledger.tournaments.spending(id),
        abstentions=table.abstentions + sum(ranking.verdict.choice is Choice.ABSTAIN for ranking in rankings),
        position_bias=judges[0].position_bias if judges else None,
        judges=judges,
        identified=posterior.fit.identified,
        level=settings.level,
        stopped=reason,
        tournament=id,
        seed=settings.seed,
        method=posterior.method,
        pairing=settings.pairing,
        side=_side(posterior, rows, settings),
    )


def _side(posterior: Posterior, rows: Sequence[BoardRow], settings: TournamentSettings) -> SideReport | None:
    """What columns have done to the board; None where they have no part in it."""
    if posterior.alone is None:
        return None
    from paragone.tournaments.side_information import side_report  # loads what fits columns

    return side_report(posterior, [row.id for row in rows], settings.side_information.notes)


def rows_of(
    items: Sequence[Item],
    strengths: Mapping[str, PlainRow],
    records: Mapping[str, Rating],
    reviews: Sequence[Review],
    *,
    by_elo: bool,
) -> tuple[BoardRow, ...]:
    """The rows of a board, best first; reviews break the ties of the matches.

    Reviews seed the running Elo already, so a board by Elo needs no tie-break.
    """
    rows = board_rows(items, strengths, records, by_elo=by_elo)
    if by_elo or not reviews:
        return rows
    from paragone.analysis.reviews import break_ties, opinions

    return break_ties(rows, opinions(reviews))


def _noises(state: TournamentState) -> dict[tuple[str, int], tuple[float, float, float]]:
    """The noise of lists relative to pairs with its interval, by judge and length; empty without pairs."""
    if not len(state.posterior.fit.evidence.ranking_judge):  # no lists: most boards load no planning
        return {}
    from paragone.tournaments.planning.informative_policy import list_noise

    reach = NormalDist().inv_cdf((1 + state.settings.level) / 2)
    noise_by_judge = list_noise(state.posterior.fit)
    spans = {}
    for ranking in state.rankings:
        noise = noise_by_judge.get(list_judge(ranking))
        if noise is not None:
            factor = math.exp(reach * noise.log_error)
            span = (noise.ratio, noise.ratio / factor, noise.ratio * factor)
            spans[ranking.verdict.judge, len(ranking.shown)] = span
    return spans


def _list_choice(state: TournamentState) -> ListChoice | None:
    """What the pilot of a tournament chose, once all of it is played."""
    if state.settings.group_size != AUTO or not state.rounds or (len(state.rounds) == 1 and state.open_matches):
        return None
    from paragone.tournaments.planning.informative_policy import decision_in_words, list_decision

    chosen = list_decision(state)
    if chosen is None:
        return None
    values = {name: round(getattr(chosen, name), SCALE_DECIMALS) for name in ("noise", "cost", "gain")}
    return ListChoice(size=chosen.size, best_list=chosen.best_list, **values, words=decision_in_words(state, chosen))


def _places(state: TournamentState) -> dict[tuple[str, int], tuple[tuple[float, ...], float]]:
    """What an item gains by its place in a list, by judge and length, with the largest standard error."""
    fit, reports = state.posterior.fit, {}
    rows = {judge: at for at, judge in enumerate(fit.judges)}
    for ranking in state.rankings:
        at, size = rows.get(list_judge(ranking)), len(ranking.shown)
        if at is not None and np.isfinite(fit.place[at, :size]).all():
            gained = rounded(fit.place[at, :size], SCALE_DECIMALS).tolist()
            error = round(float(fit.place_se[at, :size].max()), SCALE_DECIMALS)
            reports[ranking.verdict.judge, size] = tuple(gained), error
    return reports


def _outlook(settings: TournamentSettings, posterior: Posterior, pairs: int, lists: int) -> Forecast | None:
    """The forecast after as many answers again, if the pairing could ask for them."""
    items = len(posterior.ids)
    if settings.pairing != "informative" or (not lists and pairs > items * (items - 1) // 2):
        return None
    return posterior.outlook(pairs + lists)


def swiss_table(state: TournamentState) -> tuple[TableRow, ...]:
    """The document's final table: by wins, equal wins share a rank."""
    from paragone.pairing import swiss

    rules = state.settings
    return swiss.final_table(state.ids, state.matches, elimination_count=rules.elimination_count, draws=rules.draws)


def stopped(ledger: Ledger, tournament: str) -> str:
    """The reason of the last stop; empty while a run is going on."""
    return _reason(ledger.tournaments.events(tournament))


def _reason(events: Iterable[Event]) -> str:
    reason = ""
    for event in events:
        if event.kind in ("started", "resumed"):
            reason = ""
        elif event.kind == "stopped":
            reason = str(event.detail["reason"])
    return reason


_NOTHING = WhatIf()


def stored_board(
    db: str | os.PathLike[str],
    tournament: str | None = None,
    *,
    suppose: WhatIf = _NOTHING,
    by_elo: bool = False,
    bootstrap: int = 0,
    on: str | None = None,
    on_replicate: "OnReplicate" = lambda done, total: None,  # noqa: ARG005
) -> Board:
    """The board of a tournament of a ledger, or under a what-if; of the newest if no id is given.

    The same as ``Tournament.open(db, tournament).board()`` or ``whatif``; where all matches are between two, in much
    less time and memory.

    Args:
        db: File or URL of the ledger.
        tournament: Its id.
        suppose: What to suppose.
        by_elo: Rank by the running Elo instead of the strength.
        bootstrap: How many times matches are drawn anew for bootstrap intervals; 0 for none. Not under a what-if.
        on: Where these are fitted: ``local`` on all processors, ``tcp://...`` by the workers of a Dask scheduler.
        on_replicate: Called with how many of them are fitted, and how many there are.

    Raises:
        InvalidConfig: If there are too few replicates, or lists among the evidence.
        NotFound: If there is no such tournament, or a match or judge to suppose away is not in it.
        LedgerError: If the ledger cannot be opened.
    """
    resampled = partial(with_bootstrap, count=bootstrap, on=on, on_replicate=on_replicate)
    with Ledger.open(db, create=False) as ledger:
        record = ledger.tournaments.get(tournament)
        by_columns = _board_of_columns(ledger, record, suppose, by_elo=by_elo)
        if by_columns is not None:
            return resampled(*by_columns)
        state = TournamentState.load(ledger, record.id)
        if suppose != _NOTHING:
            return board_if(ledger, state, suppose, by_elo=by_elo)
        return resampled(board_of(ledger, state, by_elo=by_elo), state.posterior, state.comparison_table)


def with_bootstrap(
    board: Board,
    posterior: Posterior,
    table: ComparisonTable,
    count: int,
    *,
    on: str | None = None,
    on_replicate: "OnReplicate" = lambda done, total: None,  # noqa: ARG005
) -> Board:
    """The board of a tournament with bootstrap intervals; all comparisons of a match are drawn together.

    Args:
        board: The board.
        posterior: The fit that it shows.
        table: The comparisons behind it.
        count: Replicates; 0 gives the board as it is.
        on: See ``bootstrap_of``.
        on_replicate: See ``bootstrap_of``.

    Raises:
        InvalidConfig: If there are too few replicates, or the fit rests on more than comparisons of two: orderings of
            several items, columns or gold pairs.
    """
    if not count:
        return board
    from paragone.tournaments.bootstrap import bootstrap_of

    if posterior.fit.evidence.ranking_weight.size:
        raise InvalidConfig("there is no bootstrap of lists of several items; leave bootstrap (--bootstrap) out")
    if posterior.effects:
        raise InvalidConfig("there is no bootstrap of a board with columns; leave bootstrap (--bootstrap) out")
    if posterior.anchored is not None and posterior.anchored.gold:
        raise InvalidConfig(
            "there is no bootstrap of a board with gold pairs, by which judges are turned round; leave bootstrap "
            "(--bootstrap) out"
        )
    match = np.unique(table.match[table.is_evidence], return_inverse=True)[1]
    bootstrap = bootstrap_of(
        board, posterior, count, seed=posterior.seed, match=match, on=on, on_replicate=on_replicate
    )
    return replace(board, bootstrap=bootstrap)


def _board_of_columns(
    ledger: Ledger, record: TournamentRecord, suppose: WhatIf, *, by_elo: bool
) -> tuple[Board, Posterior, ComparisonTable] | None:
    """The board of matches between two, and what it was made of, without the rest of a tournament's state.

    None where that is not enough: lists, Swiss tournaments, and those whose pilot chooses the length of lists.
    """
    events = ledger.tournaments.events(record.id)
    settings = TournamentSettings.from_json(record.settings).after(events)
    if settings.pairing == "swiss" or settings.group_size == AUTO:
        return None
    without = {"without_matches": suppose.without_matches, "without_judges": suppose.without_judges}
    played = ledger.matches.columns(record.pool, **without)
    if played is None:
        return None
    table, terms = ComparisonTable.of_played(played), import_terms(events)
    items = ledger.items.all(record.pool)[: len(played.items)]  # others may have joined since the matches were read
    config = suppose.config(ledger.pools.config(record.pool))
    posterior = posterior_of(
        settings,
        items,
        table.evidence(),
        initial=config.initial,
        position=suppose.position and terms.get("position", True),
        repeats=terms.get("repeats"),
    )
    ratings = ledger.ratings.all(record.pool) if suppose == _NOTHING else played.ratings(config)
    rows = rows_of(items, posterior.strengths, ratings, ledger.items.reviews(record.pool), by_elo=by_elo)
    board = _board_of_fit(ledger, record.id, settings, posterior, table, rows, reason=_reason(events))
    return completed(board, posterior), posterior, table
