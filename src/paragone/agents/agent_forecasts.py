"""What is expected: of a debate between two agents, and of what they predict, corrected by their records."""

import math
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods, require_registered
from paragone.agents.predictions import known_forecasts
from paragone.agents.strengths import StrengthDraws, draws_in_pool
from paragone.errors import InvalidEvidence, NotFound

if TYPE_CHECKING:
    import numpy as np

    from paragone.analysis.calibration import Recalibrated
    from paragone.domain import Prediction
    from paragone.ledger import AgentRecord
    from paragone.wire.agent_forecast import DebateForecast, WinnerForecast
    from paragone.wire.calibration import Recalibration

_POINTS_PER_TENFOLD = 400.0  # the Elo scale: so many points are odds of ten to one


class AgentForecasts(PoolMethods):
    """Forecasts of debates and of winners, and what an agent's confidences are worth."""

    def predict_match(self, agent_a: str, agent_b: str, domain: str | None = None) -> "DebateForecast":
        """What is expected of a debate between two agents, by the strengths fitted to all debates.

        An agent without debates is expected to be average, within the spread of the pool.

        Args:
            agent_a: The agent whose points are expected.
            agent_b: Its opponent.
            domain: The debate's domain; None for any.

        Raises:
            NotFound: If one of them is not registered; suggests near names.
            InvalidEvidence: If both are the same agent.
        """
        first, second, where = checks.agent(agent_a), checks.agent(agent_b), checks.optional_domain(domain)
        return _debate_forecast(self._pool, first, second, where or "")

    def recalibration(self, agent_name: str, domain: str | None = None) -> "Recalibration":
        """What an agent's confidences are worth by its record, and which corrections were tried.

        Args:
            agent_name: Its name.
            domain: By its predictions in this domain; if None by all, also those of tournaments.
        """
        return _recalibrated(self._pool, checks.agent(agent_name), domain).report

    def recalibrated(self, agent_name: str, confidence: float, domain: str | None = None) -> float:
        """What a confidence that an agent states is worth; as stated, where its record shows no better.

        Args:
            agent_name: Its name.
            confidence: From 0 to 1.
            domain: By its predictions in this domain; if None by all.

        Raises:
            InvalidEvidence: If the confidence lies outside of [0, 1].
        """
        stated = _stated(confidence)
        return _recalibrated(self._pool, checks.agent(agent_name), domain).confidence(stated)

    def predict_winner(self, tournament_id: str) -> "WinnerForecast":
        """Who is expected to win a tournament, by all predictions of it.

        Each confidence counts as what it is worth by its agent's record, this tournament apart; the rest of it is
        shared by the others that were named and one more, who stands for everybody else. The chances are the
        normalised geometric means over the agents, so agents that agree are not taken for independent.

        Raises:
            NotFound: If nobody predicted it; suggests near names.

        Source: C. Genest, J. V. Zidek, "Combining probability distributions", Statistical Science 1986.
        """
        return _winner_forecast(self._pool, checks.identifier(tournament_id, "the id of a tournament"))


def points(
    first: "np.ndarray[Any, Any]", second: "np.ndarray[Any, Any]", ends: tuple[float, float]
) -> tuple[float, float, float]:
    """Points expected for the first of two, and the ends of their interval.

    Args:
        first: Draws of its strength, in nats.
        second: Draws of its opponent's.
        ends: The shares of draws below the ends.
    """
    import numpy as np

    from paragone.domain.rounding import SHARE_DECIMALS, rounded

    each = 1.0 / (1.0 + np.exp(second - first))
    expected, low, high = rounded([each.mean(), *np.quantile(each, ends)], SHARE_DECIMALS).tolist()
    return expected, low, high


def _debate_forecast(pool: AgentPool, first: str, second: str, domain: str) -> "DebateForecast":
    require_two(first, second)
    require_registered(pool.ledger, pool.id, [first, second])
    records = {record.rating.item: record for record in pool.ledger.agents.records(pool.id, [first, second])}
    return debate_forecast(draws_in_pool(pool, domain), records[first], records[second], domain)


def require_two(first: str, second: str) -> None:
    """Refuse a debate of an agent with itself.

    Raises:
        InvalidEvidence: If both are one.
    """
    if first == second:
        raise InvalidEvidence(f"{first!r} cannot meet itself; give two agents")


def debate_forecast(
    strengths: StrengthDraws, first: "AgentRecord", second: "AgentRecord", domain: str
) -> "DebateForecast":
    """What is expected of a debate between two agents.

    Args:
        strengths: Draws of the strengths, in the domain of the debate.
        first: The agent whose points are expected.
        second: Its opponent.
        domain: The domain; empty for any.
    """
    from paragone.wire.agent_forecast import DebateForecast

    agent, opponent = first.rating.item, second.rating.item
    expected, low, high = points(strengths.of(agent), strengths.of(opponent), strengths.ends)
    return DebateForecast(
        agent=agent,
        opponent=opponent,
        domain=domain,
        expected=expected,
        low=low,
        high=high,
        elo=1.0 / (1.0 + math.pow(10.0, (_elo(second, domain) - _elo(first, domain)) / _POINTS_PER_TENFOLD)),
        debates=strengths.debates.get(agent, 0),
        opponent_debates=strengths.debates.get(opponent, 0),
    )


def _elo(record: "AgentRecord", domain: str) -> float:
    """The running Elo in a domain; the global one where nothing moved it there."""
    return next((track.elo for track in record.tracks if track.track == domain), record.rating.elo)


def _stated(confidence: float) -> float:
    """A confidence as it was given.

    Raises:
        InvalidEvidence: If it lies outside of [0, 1].
    """
    stated = checks.number(confidence, "a confidence")
    if not 0.0 <= stated <= 1.0:
        raise InvalidEvidence(f"a confidence lies in [0, 1], not {stated}")
    return stated


def _recalibrated(pool: AgentPool, agent: str, domain: str | None, *, but: str = "") -> "Recalibrated":
    """The correction by an agent's record, a tournament apart."""
    from paragone.analysis.calibration import ResolvedForecasts, recalibrate

    def fitted() -> "Recalibrated":
        confidence, correct, _ = known_forecasts(pool, agent, domain, but=but)
        return recalibrate(ResolvedForecasts.of(confidence, correct))

    return pool.known(fitted, "recalibration", agent, domain or "", but)


def _winner_forecast(pool: AgentPool, tournament: str) -> "WinnerForecast":
    from paragone.wire.agent_forecast import UsedPrediction, WinnerChance, WinnerForecast

    predictions = _predictions_of(pool, tournament)
    used = []
    for predictor, prediction in sorted(predictions.items()):
        fitted = _recalibrated(pool, predictor, None, but=tournament)
        used.append(
            UsedPrediction(
                predictor=predictor,
                winner=prediction.winner,
                confidence=prediction.confidence,
                corrected=fitted.confidence(prediction.confidence),
                method=fitted.correction.method,
            )
        )
    winners = sorted({each.winner for each in used})
    chances = combined([(winners.index(each.winner), each.corrected) for each in used], len(winners))
    rows = [
        WinnerChance(
            winner=winner, chance=chance, predictors=tuple(each.predictor for each in used if each.winner == winner)
        )
        for winner, chance in zip([*winners, None], chances, strict=True)
    ]
    ordered = sorted(rows[:-1], key=lambda row: (-row.chance, row.winner or ""))
    return WinnerForecast(tournament=tournament, chances=(*ordered, rows[-1]), predictions=tuple(used))


def combined(predictions: list[tuple[int, float]], winners: int) -> list[float]:
    """Chances of each that was named and of all others together, from predictions of one winner each.

    Args:
        predictions: The index of the predicted winner, and its chance, of each prediction; one or more.
        winners: How many were named.

    Returns:
        Chances that add up to 1, shape (winners + 1,); the last is that of the others.
    """
    import numpy as np

    from paragone.analysis.calibration.forecasts import clipped
    from paragone.domain.rounding import SHARE_DECIMALS, rounded

    winner, chance = np.array([index for index, _ in predictions]), np.array([chance for _, chance in predictions])
    sure = clipped(chance)  # certainty would let one agent outvote all
    logs = np.tile(np.log((1.0 - sure) / winners)[:, None], (1, winners + 1))
    logs[np.arange(winner.size), winner] = np.log(sure)
    mean = np.exp(logs.mean(axis=0) - logs.mean(axis=0).max())
    shares: list[float] = rounded(mean / mean.sum(), SHARE_DECIMALS).tolist()
    return shares


def _predictions_of(pool: AgentPool, tournament: str) -> "dict[str, Prediction]":
    """The predictions of a tournament that count, by predictor.

    Raises:
        NotFound: If there are none; suggests near names.
    """
    from paragone.domain.suggestions import instead

    every: list[Any] = [recorded.prediction for recorded in pool.ledger.agents.predictions(pool.id)]
    by_predictor = {each.predictor: each for each in every if each.tournament == tournament}
    if not by_predictor:
        tournaments = list(dict.fromkeys(each.tournament for each in every))
        raise NotFound(f"nobody predicted a tournament {tournament!r}; {instead(tournament, tournaments)}")
    return by_predictor
