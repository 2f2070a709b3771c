"""Which model best predicts the use of files, and so which rating to rank by."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np

from paragone.analysis.content.prequential import ModelScore, compare
from paragone.domain.content import Content
from paragone.memory.log_replay import session_of, trace
from paragone.memory.session_forecast import LITERAL, NEED, ZERO_SUM, SessionForecasts, forecast
from paragone.memory.store import MemoryConfig, Store
from paragone.memory.store.config import RankBy, initial_rating
from paragone.memory.store.lines import LogLine, SessionLine

Source = Literal["all", "git", "agents"]
MIN_SESSIONS = 30
"""Fewer sessions are not enough to choose a model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """How well each model predicted the sessions of the logs.

    Attributes:
        models: Best ``mrr`` first; ``lead`` is over the running Elo as configured.
        sessions: Sessions that were measured.
        unmeasured: Sessions that used no known file or too many, or came too early.
        files: Files used in the measured sessions, summed.
        candidates: Mean number of files to predict among.
        begins: Time of the first session measured, in seconds since 1970; None without any.
        ends: Time of the last.
        rank_by: The present configuration.
        choose: The rating to rank by, if the difference is clear.
        advice: The same in words.
        seed: Of the intervals.
    """

    models: tuple[ModelScore, ...] = ()
    sessions: int = 0
    unmeasured: int = 0
    files: int = 0
    candidates: float = 0.0
    begins: float | None = None
    ends: float | None = None
    rank_by: RankBy
    choose: RankBy | None = None
    advice: str
    seed: int = 0


def evaluate(
    store: Store,
    *,
    source: Source = "all",
    first: int = 0,
    largest: int | None = None,
    seed: int = 0,
    draws: int = 1000,
) -> Evaluation:
    """Measure every model on the store's logs: it predicts each session before it learns from it.

    Args:
        store: Whose logs.
        source: Measure all sessions, those of git's history, or those of agents; all are learned from.
        first: Do not measure sessions before this one.
        largest: Do not measure sessions that used more files.
        seed: Seed of the intervals.
        draws: Bootstrap samples of the intervals.
    """
    config = store.config
    lines = list(store.logs.after())
    forecasts = forecast(
        trace(lines),
        config.ratings,
        lambda path: initial_rating(Content.file(path), config.tiers),
        first=first,
        largest=largest,
        left_out=_others(lines, source),
    )
    return evaluation_of(forecasts, config, seed=seed, draws=draws)


def evaluation_of(forecasts: SessionForecasts, config: MemoryConfig, *, seed: int = 0, draws: int = 1000) -> Evaluation:
    """An evaluation of predictions; ``seed`` and ``draws`` are as for ``evaluate``."""
    now = config.ranking.rank_by
    if not forecasts.visits:
        return Evaluation(
            rank_by=now,
            unmeasured=forecasts.unmeasured,
            advice="nothing to measure yet: no session used a file that an earlier one had touched; "
            "begin with: paragone memory learn-git",
            seed=seed,
        )
    against = ZERO_SUM if config.ratings.zero_sum else LITERAL
    models = compare(forecasts.scores, against=against, rng=np.random.default_rng(seed), draws=draws)
    choose, advice = _advice(models, len(forecasts.visits), now)
    return Evaluation(
        models=models,
        sessions=len(forecasts.visits),
        unmeasured=forecasts.unmeasured,
        files=sum(score.used for score in forecasts.scores[NEED]),
        candidates=fmean(forecasts.candidates),
        begins=min(visit.time for visit in forecasts.visits),
        ends=max(visit.time for visit in forecasts.visits),
        rank_by=now,
        choose=choose,
        advice=advice,
        seed=seed,
    )


def _others(lines: Iterable[LogLine], source: Source) -> set[str]:
    """Ids of the sessions from other sources."""
    git: set[str] = set()
    agents: set[str] = set()
    for line in lines:
        is_git = isinstance(line, SessionLine) and line.source == "git"
        (git if is_git else agents).add(session_of(line))
    return {"all": set(), "git": agents, "agents": git}[source]


def _advice(models: tuple[ModelScore, ...], sessions: int, now: RankBy) -> tuple[RankBy | None, str]:
    by_name = {scored_model.model: scored_model for scored_model in models}
    need = by_name[NEED].lead
    ahead = f"need's MRR less the running Elo's is {need.value:+.3f}, 95 % interval {need.low:+.3f} to {need.high:+.3f}"
    if sessions < MIN_SESSIONS:
        return (
            None,
            f"{sessions} sessions are too few to choose by, {MIN_SESSIONS} the least; keep {now!r}. So far {ahead}.",
        )
    if need.low <= 0.0 <= need.high:
        return None, f"No clear difference: {ahead}. Keep {now!r}."
    choose: RankBy = "need" if need.low > 0.0 else "elo"
    if choose == now:
        return choose, f"Keep {now!r}: {ahead}."
    return choose, f'Rank by {choose!r}: {ahead}. Set rank_by = "{choose}" under [ranking], or add --choose.'


def choose(store: Store, rank_by: RankBy) -> Path:
    """Set ``[ranking] rank_by`` in ``memory.toml``; everything else stays as it is. Returns the file's path.

    Raises:
        UsageError: If the file is written so that one line cannot change it.
        Unwritable: If it cannot be written.
    """
    return store.configure("ranking", "rank_by", rank_by)
