"""Predictions, and how well confidences fit what comes of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paragone.agents import boards, predictions
from paragone.agents.calibration_tracker import LedgerCalibration
from paragone.agents.rating import AgentRating
from paragone.agents.system.opened import OpenSystem

if TYPE_CHECKING:
    from paragone.analysis.calibration import CalibrationReport


class Calibration(OpenSystem):
    """The part of a system's methods that is about predictions and critiques.

    What ``AgentRating`` counts are all predictions whose outcome is known. Buckets and what is by domain are over those
    within domains.
    """

    def record_winner_prediction(
        self, tournament_id: str, predictor_agent: str, predicted_winner: str, confidence: float
    ) -> None:
        """Keep whom an agent expects to win a tournament, in place of what it expected before.

        Args:
            tournament_id: Id of the tournament.
            predictor_agent: Who foretells.
            predicted_winner: Who will win.
            confidence: The chance that it gives it; brought into [0, 1].

        Raises:
            Conflict: If the tournament is resolved already.
        """
        predictions.record_winner(self._pool, tournament_id, predictor_agent, predicted_winner, confidence)

    def resolve_tournament_calibration(self, tournament_id: str, actual_winner: str) -> dict[str, float]:
        """Say who won a tournament, and count what was foretold of it; again, it counts nothing.

        Returns:
            The Brier score of each predictor, from 0, perfect, to 1.

        Raises:
            NotFound: If there are predictions, and the winner is neither an agent nor predicted by anybody; it names
                the nearest.
            Conflict: If it is resolved already, with another winner.
        """
        return predictions.resolve(self._pool, tournament_id, actual_winner)

    def record_domain_prediction(
        self, agent_name: str, domain: str, confidence: float, correct: bool, *, prediction_id: str | None = None
    ) -> None:
        """Keep a prediction within a domain, whose outcome is known.

        Args:
            agent_name: Who foretold.
            domain: The domain.
            confidence: The chance that it gave; brought into [0, 1].
            correct: Whether it came true.
            prediction_id: Has it count once, however often it is recorded.

        Raises:
            Conflict: If that id is there with other content.
        """
        prediction = {"agent_name": agent_name, "domain": domain, "confidence": confidence, "correct": correct}
        predictions.record(self._pool, [{**prediction, "prediction_id": prediction_id}])

    def record_domain_predictions(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Keep many predictions within domains in one transaction, all or none.

        Args:
            records: The arguments of ``record_domain_prediction`` for each, by name.
        """
        predictions.record(self._pool, records)

    def recorded_predictions(self, prediction_ids: Iterable[str]) -> set[str]:
        """Those of some predictions within domains that are recorded already."""
        return predictions.recorded_predictions(self._pool, prediction_ids)

    def record_critique(self, agent_name: str, accepted: bool, *, critique_id: str | None = None) -> None:
        """Keep whether a critique that an agent made was accepted; with an id it counts once."""
        predictions.record_critique(self._pool, agent_name, accepted, critique_id)

    def get_calibration_by_bucket(self, agent_name: str, domain: str | None = None) -> list[dict[str, Any]]:
        """The predictions of an agent by confidence, in tenths; those of 1.0 are in the last.

        Returns:
            ``bucket_key``, ``bucket_start``, ``bucket_end``, ``predictions``, ``correct``, ``accuracy``,
            ``expected_accuracy`` (the middle), ``brier_score`` and ``mean_confidence`` of each that has any.
        """
        return predictions.by_bucket(self._pool, agent_name, domain)

    def get_expected_calibration_error(self, agent_name: str, domain: str | None = None) -> float:
        """How far accuracy lies from the middle of its bucket, on average: 0 is perfect; 1 without predictions.

        ``calibration`` gives the form against what was said, with its interval.
        """
        return predictions.expected_error(self._pool, agent_name, domain)

    def get_domain_calibration(self, agent_name: str, domain: str | None = None) -> dict[str, Any]:
        """The predictions of an agent in numbers: ``total``, ``correct``, ``accuracy``, ``brier_score``, ``domains``.

        ``domains`` has ``predictions``, ``correct``, ``accuracy`` and ``brier_score`` by domain.
        """
        return predictions.by_domain(self._pool, agent_name, domain)

    def get_best_domains(self, agent_name: str, limit: int = 5) -> list[tuple[str, float]]:
        """The domains in which an agent has five predictions or more, with its calibration score, the best first."""
        return predictions.best_domains(self._pool, agent_name, limit)

    def get_agent_calibration_history(self, agent_name: str, limit: int = 50) -> list[dict[str, Any]]:
        """An agent's predictions of winners, newest first.

        Returns:
            ``tournament_id``, ``predicted_winner``, ``confidence``, ``created_at``; and ``correct`` and
            ``brier_score``, which are None while nobody knows.
        """
        return predictions.history(self._pool, agent_name, limit)

    def get_calibration_leaderboard(self, limit: int = 20, use_cache: bool = True) -> list[AgentRating]:
        """The agents with five predictions or more by their calibration score, the best first.

        Args:
            limit: How many at most.
            use_cache: Whether an answer of the last five minutes will do, as long as this system has written nothing.
        """
        return boards.calibration_leaderboard(self._pool, limit, use_cache=use_cache)

    def calibration(self, agent_name: str, domain: str | None = None, *, seed: int = 0) -> "CalibrationReport":
        """All that is to be said of an agent's calibration, with intervals.

        Args:
            agent_name: Its name.
            domain: Over its predictions in this domain; over all, those of tournaments too, where None.
            seed: Of the bootstrap.

        Raises:
            MissingExtra: If scikit-learn is not installed.
        """
        return predictions.report(self._pool, agent_name, domain, seed)

    @property
    def calibration_tracker(self) -> LedgerCalibration:
        """A tracker for ``record_match`` that goes by the predictions on record."""
        return LedgerCalibration(self._pool)
