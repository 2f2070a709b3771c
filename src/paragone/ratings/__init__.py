"""Rating maths: evidence in, numbers out. Pure: no clock, no files, no network; randomness is an argument.

Two views of the same matches. The *running Elo* (``elo``, ``elo_rule``, ``running_elo``, ``elo_arrays``) moves match by
match, and each move can be explained by its match. The *strength* (``evidence``, ``bradley_terry``, ``intervals``) is
one fit of all answers, whatever their order, with intervals; it ranks. Agents that scored in debates also have
strengths by domain (``score_pairs``, ``domain_strength``). Strengths are in nats here, and in Elo points where they are
shown (``elo.to_elo``).
The package may use ``domain``, ``errors``, numpy and, for large fits, scipy and numba; it knows nothing of pairing,
judges or the ledger.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.ratings.bradley_terry import fit
    from paragone.ratings.domain_strength import DomainOptions, DomainStrengths, fit_domains
    from paragone.ratings.elo import ELO_PER_NAT, Move, expected_score, to_elo, update, update_many
    from paragone.ratings.elo_arrays import MatchRows, replay_arrays, replay_many, replay_rows
    from paragone.ratings.elo_rule import (
        Conditions,
        ConstantK,
        DecreasingK,
        EloRule,
        MarginOfVictory,
        ProvisionalK,
        Reversion,
    )
    from paragone.ratings.evidence import Evidence
    from paragone.ratings.fit_types import Fit, FitOptions
    from paragone.ratings.intervals import rank_intervals, ranks, rating_intervals
    from paragone.ratings.posterior_draws import draws
    from paragone.ratings.running_elo import EloReplay, replay, step
    from paragone.ratings.score_pairs import ScoreColumns, ScorePairs
    from paragone.ratings.side_information import (
        Centre,
        ColumnEffect,
        ColumnGroup,
        InformedFit,
        fit_informed,
    )
else:
    __getattr__ = names(
        __name__,
        {
            ".bradley_terry": "fit",
            ".elo_arrays": "MatchRows replay_arrays replay_many replay_rows",
            ".domain_strength": "DomainOptions DomainStrengths fit_domains",
            ".elo": "ELO_PER_NAT Move expected_score to_elo update update_many",
            ".evidence": "Evidence",
            ".fit_types": "Fit FitOptions",
            ".intervals": "rank_intervals ranks rating_intervals",
            ".posterior_draws": "draws",
            ".elo_rule": ("Conditions ConstantK DecreasingK EloRule MarginOfVictory ProvisionalK Reversion"),
            ".running_elo": "EloReplay replay step",
            ".score_pairs": "ScoreColumns ScorePairs",
            ".side_information": "Centre ColumnEffect ColumnGroup InformedFit fit_informed",
        },
    )

__all__ = [
    "ELO_PER_NAT",
    "Centre",
    "ColumnEffect",
    "ColumnGroup",
    "Conditions",
    "ConstantK",
    "DecreasingK",
    "DomainOptions",
    "DomainStrengths",
    "EloReplay",
    "EloRule",
    "Evidence",
    "Fit",
    "FitOptions",
    "InformedFit",
    "MarginOfVictory",
    "MatchRows",
    "Move",
    "ProvisionalK",
    "Reversion",
    "ScoreColumns",
    "ScorePairs",
    "draws",
    "expected_score",
    "fit",
    "fit_domains",
    "fit_informed",
    "rank_intervals",
    "ranks",
    "rating_intervals",
    "replay",
    "replay_arrays",
    "replay_many",
    "replay_rows",
    "step",
    "to_elo",
    "update",
    "update_many",
]
