"""Judges as values: what they cost, how they lean, and how far they agree."""

from dataclasses import dataclass

from paragone.analysis.quality.judging import rated
from paragone.domain import JudgeReport, ListReport
from paragone.domain.spending import total
from paragone.ledger import By
from paragone.tournaments.results.quality import agreements_of, habits_of, took
from paragone.tournaments.results.tournament_board import board_of
from paragone.web.books.library import Library
from paragone.web.views.small import require_small
from paragone.web.views.spending import SpentView
from paragone.web.views.values import Known, View, Words

PATIENCE = 3.0
"""Seconds that a reader waits for the judges of now; then there are those of before."""


class JudgeView(View):
    """What was found out about one judge; its attributes are those of ``paragone.domain.JudgeReport``.

    Attributes:
        judge: Its identity.
        comparisons: Answers that entered the fit.
        first_share: Share of its decided answers that went to the item shown first.
        tie_rate: Share of its answers that were ties.
        position_bias: Log-odds in favour of the item shown first, in nats.
        position_low: Lower end of its interval.
        position_high: Upper end.
        slope: How sharply it tells items apart, the product over all judges being 1; None where there is one judge.
        slope_low: Lower end of its interval.
        slope_high: Upper end.
        abstentions: Answers that declined to say.
        failures: Calls that brought no answer.
        debates: Debates that it decided.
        cost: Money in US dollars; None where it is not known.
        cost_per_decided: The same for each answer that is neither a tie nor an abstention.
        agreement: Share of its decided answers for the side that the other judges prefer; None where there is no other.
        agreement_low: Lower end of its interval.
        agreement_high: Upper end.
        information: What one call about two equals adds to what is known of their difference, per squared nat.
        information_per_dollar: The same for a dollar.
    """

    judge: Words
    comparisons: int
    first_share: Known
    tie_rate: Known
    position_bias: Known
    position_low: Known
    position_high: Known
    slope: Known
    slope_low: Known
    slope_high: Known
    abstentions: int | None
    failures: int | None
    debates: int | None
    cost: Known
    cost_per_decided: Known
    agreement: Known
    agreement_low: Known
    agreement_high: Known
    information: Known
    information_per_dollar: Known


class ListsView(View):
    """What was found out about a judge's lists of one length.

    Attributes:
        judge: Its identity.
        size: Items in a list.
        lists: Lists that entered the fit.
        first_share: Share of them with the item shown first on top.
        noise: How many times noisier than a pair; None where no pairs were asked.
        noise_low: Lower end of its interval.
        noise_high: Upper end.
    """

    judge: Words
    size: int
    lists: int
    first_share: Known
    noise: Known
    noise_low: Known
    noise_high: Known


class VoiceView(View):
    """What a judge or an advocate took.

    Attributes:
        who: Its identity.
        spending: What it took.
    """

    who: Words
    spending: SpentView


class JudgesView(View):
    """The judges of a tournament.

    Attributes:
        pool: Id of the tournament.
        pending: Whether newer figures are being made: ask again.
        consensus: Whom agreement is with: ``others``, a fit without the judge; ``all``, where the evidence is too large
            for that; ``none`` where there is one judge.
        level: Probability that intervals are meant to hold; those of agreement hold at 0.95.
        judges: The judges, the one that tells most for its price first.
        lists: Their lists.
        spending: What the tournament took.
        voices: What each judge and each advocate took of that.
    """

    pool: Words
    pending: bool
    consensus: str
    level: float
    judges: list[JudgeView]
    lists: list[ListsView]
    spending: SpentView
    voices: list[VoiceView]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    judges: tuple[JudgeReport, ...] = ()
    lists: tuple[ListReport, ...] = ()
    consensus: str = "none"
    level: float = 0.95


def judges(library: Library, pool: str) -> JudgesView:
    """The judges of a tournament.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    require_small(library, pool)
    voices = library.ledger.spending_by(pool, By.WHO)
    made, pending = library.newest("judges", pool, lambda: _found(library, pool), PATIENCE)
    found = _Found() if made is None else made.value
    return JudgesView(
        pool=pool,
        pending=pending,
        consensus=found.consensus,
        level=found.level,
        judges=[JudgeView.model_validate(report, from_attributes=True) for report in found.judges],
        lists=[ListsView.model_validate(report, from_attributes=True) for report in found.lists],
        spending=SpentView.of(total(voices.values())),
        voices=[VoiceView(who=who, spending=SpentView.of(spent)) for who, spent in voices.items()],
    )


def _found(library: Library, pool: str) -> _Found:
    state = library.state(pool)
    board, (agreements, consensus) = board_of(library.ledger, state), agreements_of(state)
    reports = rated(board.judges, took(library.ledger, state), habits_of(state.posterior.fit), agreements)
    return _Found(judges=reports, lists=board.lists, consensus=consensus, level=board.level)
