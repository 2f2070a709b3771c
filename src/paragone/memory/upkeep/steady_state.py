"""The rating at which a file settles if it is used every so many days."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from paragone.domain.content import Action, Content, ContentKind, OpenSearch, Showing, Shown, Standing, UsageConfig, Use
from paragone.ratings.activation import SECONDS_A_DAY, decayed
from paragone.ratings.usage import Step, show, use

Way = Literal["read", "searched"]
EVERY = (1.0, 7.0, 30.0)
HORIZON = 365.0
"""Days that are played through."""
_RIVALS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyState:
    """Where one pattern of use leads.

    Attributes:
        every: A use every so many days.
        way: ``read`` alone, or ``searched``: shown at rank 1 with four others at the pool's mean, then read.
        zero_sum: Whether what was shown and not used pays, or the document's literal boosts hold.
        fold_decay: Whether a move starts from the decayed rating.
        high: The rating shown right after a use, in Elo points.
        low: The rating shown right before the next.
        rise: By how much a whole further month of such uses would raise it.
        chosen: Whether these are the constants of the store.
    """

    every: float
    way: Way
    zero_sum: bool
    fold_decay: bool
    high: float
    low: float
    rise: float
    chosen: bool


def steady_states(config: UsageConfig, mean: float, *, initial: float | None = None) -> Iterator[SteadyState]:
    """A year of uses, for every pattern and each combination of ``zero_sum`` and ``fold_decay``.

    Args:
        config: The constants; the two switches are tried both ways.
        mean: Of the pool, in Elo points; it is taken to stay where it is.
        initial: Where the file begins; the mean.
    """
    for zero_sum in (True, False):
        for fold in (True, False):
            tried = replace(config, zero_sum=zero_sum, fold_decay=fold)
            for way in ("read", "searched"):
                for every in EVERY:
                    yield _played(tried, way, every, mean, mean if initial is None else initial, tried == config)


def _played(config: UsageConfig, way: Way, every: float, mean: float, initial: float, chosen: bool) -> SteadyState:
    pool = _Pool(config, mean, initial)
    days = [day * every for day in range(int((HORIZON + 30.0) / every) + 1)]
    year = max(day for day in days if day <= HORIZON)
    high = rise = initial
    for day in days:
        pool.use(day * SECONDS_A_DAY, way)
        if day == year:
            high = pool.elo
        rise = pool.elo
    low = decayed(high, 0.0, every * SECONDS_A_DAY, config)
    return SteadyState(
        every=every,
        way=way,
        zero_sum=config.zero_sum,
        fold_decay=config.fold_decay,
        high=high,
        low=low,
        rise=rise - high,
        chosen=chosen,
    )


def _content(name: str) -> Content:
    return Content.file(name)


_OWN = _content("own")
_RESULTS = tuple(Shown(rank=rank, path=name) for rank, name in enumerate(("own", *"abcdefgh"[:_RIVALS]), 1))


class _Pool:
    """A file among others that stay at the mean."""

    def __init__(self, config: UsageConfig, mean: float, initial: float) -> None:
        self._config, self._mean = config, mean
        self._own = Standing(content=_OWN, elo=initial, initial=initial)
        self._open: OpenSearch | None = None

    @property
    def elo(self) -> float:
        return self._own.elo

    def standing(self, content: Content) -> Standing:
        if content == _OWN:
            return self._own
        return Standing(content=content, elo=self._mean, initial=self._mean, updates=self._config.established)

    def mean(self, kind: ContentKind) -> float:  # noqa: ARG002 - all are files
        return self._mean

    def search(self, id: str) -> OpenSearch | None:  # noqa: ARG002 - only the last one is asked for
        return self._open

    def use(self, time: float, way: Way) -> None:
        """The file is shown, if that is the way, and read."""
        search = ""
        if way == "searched":
            search = f"{time}"
            showing = Showing(id=search, time=time, tool="semantic_search", results=_RESULTS)
            self._keep(show(showing, self, self._config))
        read = Use(id=f"{time}:read", time=time, action=Action.READ, contents=(_OWN,), search=search)
        self._keep(use(read, self, self._config))

    def _keep(self, step: Step) -> None:
        self._own = step.standings.get(_OWN, self._own)
        self._open = step.search
