"""Predictions and critiques of agents, how well confidences fit the outcomes, and how that scales K."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.agents.leaderboards import ratings_of
from paragone.domain import Critique, DomainPrediction, Prediction, Resolution
from paragone.domain.brier import brier, mean_brier
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.analysis.calibration import Bucket, CalibrationReport
    from paragone.ledger import RecordedPrediction

_RAW = {"agent_name", "domain", "confidence", "correct"}
_OPTIONAL = {"prediction_id"}


@runtime_checkable
class CalibrationTracker(Protocol):
    """Knows how well agents are calibrated.

    Source: Aragora's specification, "Calibration-Based K-Factor".
    """

    def get_quality(self, agent: str) -> float:
        """From 0 to 1, the best; values outside are clamped.

        Raises:
            LookupError: If it does not know the agent, whose K then stays unchanged.
        """
        ...


class LedgerCalibration:
    """A tracker that uses the predictions on record: quality is the calibration score.

    So an agent with fewer than 5 predictions has a quality of 0 and twice the K; an agent without any is unknown.
    """

    def __init__(self, pool: "AgentPool") -> None:
        self._pool = pool

    def get_quality(self, agent: str) -> float:
        """The calibration score of an agent, in [0, 1].

        Raises:
            KeyError: If none of its predictions has a known outcome.
        """
        ratings = ratings_of(self._pool.ledger.agents.rows(self._pool.id, [checks.agent(agent)]))
        if not ratings or not ratings[0].calibration_total:
            raise KeyError(agent)
        return ratings[0].calibration_score


def multipliers(tracker: CalibrationTracker | None, agents: Iterable[str]) -> tuple[float, ...]:
    """The factor of each agent's K: 2 less its quality, 1 if that is unknown; empty if all are 1.

    Raises:
        InvalidEvidence: If a quality is not a number, or the tracker has no ``get_quality``.
    """
    if tracker is None:
        return ()
    if not isinstance(tracker, CalibrationTracker):
        raise InvalidEvidence(f"a calibration tracker has a method get_quality(agent), and {tracker!r} has none")
    values = tuple(_multiplier(tracker, agent) for agent in agents)
    return values if any(multiplier != 1.0 for multiplier in values) else ()


def _multiplier(tracker: CalibrationTracker, agent: str) -> float:
    try:
        quality = tracker.get_quality(agent)
    except LookupError:
        return 1.0
    from paragone.analysis.calibration import k_multiplier

    return k_multiplier(checks.clamped(quality, 0.0, 1.0, f"the quality of {agent!r}"))


class Predictions(PoolMethods):
    """Predictions and critiques, and how well confidences fit the outcomes.

    ``AgentRating`` counts all predictions with a known outcome. Buckets and figures by domain are over predictions
    within domains only.
    """

    def record_winner_prediction(
        self, tournament_id: str, predictor_agent: str, predicted_winner: str, confidence: float
    ) -> None:
        """Record whom an agent expects to win a tournament; this replaces its earlier prediction.

        Args:
            tournament_id: Id of the tournament.
            predictor_agent: The agent that predicts.
            predicted_winner: The winner it predicts.
            confidence: The probability it gives; clamped to [0, 1].

        Raises:
            Conflict: If the tournament is resolved already.
        """
        prediction = Prediction(
            tournament=checks.identifier(tournament_id, "the id of a tournament"),
            predictor=checks.agent(predictor_agent),
            winner=checks.agent(predicted_winner),
            confidence=checks.clamped(confidence, 0.0, 1.0, "a confidence"),
        )
        with self._pool.writing([prediction.predictor, prediction.winner]) as ledger:
            ledger.agents.record_prediction(self._pool.id, prediction)

    def resolve_tournament_calibration(self, tournament_id: str, actual_winner: str) -> dict[str, float]:
        """Record who won a tournament, and score its predictions; recording it again changes nothing.

        Returns:
            The Brier score of each predictor, from 0, perfect, to 1.

        Raises:
            NotFound: If there are predictions, and the winner is neither an agent nor predicted by anyone; suggests
                near names.
            Conflict: If it is resolved already, with another winner.
        """
        tournament = checks.identifier(tournament_id, "the id of a tournament")
        resolution = Resolution(tournament=tournament, winner=checks.agent(actual_winner))
        with self._pool.writing([resolution.winner]) as ledger:
            return ledger.agents.resolve(self._pool.id, resolution)

    def record_domain_prediction(
        self, agent_name: str, domain: str, confidence: float, correct: bool, *, prediction_id: str | None = None
    ) -> None:
        """Record a prediction within a domain, whose outcome is known.

        Args:
            agent_name: The agent that predicted.
            domain: The domain.
            confidence: The probability it gave; clamped to [0, 1].
            correct: Whether it came true.
            prediction_id: Recording it again under the same id changes nothing.

        Raises:
            Conflict: If the id is on record with other content.
        """
        prediction = {"agent_name": agent_name, "domain": domain, "confidence": confidence, "correct": correct}
        self.record_domain_predictions([{**prediction, "prediction_id": prediction_id}])

    def record_domain_predictions(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Record many predictions within domains in one transaction.

        Args:
            records: The arguments of ``record_domain_prediction`` for each, by name.
        """
        predictions = checks.each("prediction", records, _domain_prediction)
        if predictions:
            with self._pool.writing(_agents_of(predictions)) as ledger:
                ledger.agents.record_domain_predictions(self._pool.id, predictions)

    def recorded_predictions(self, prediction_ids: Iterable[str]) -> set[str]:
        """Those of the predictions within domains that are on record already."""
        ids = checks.identifiers(prediction_ids, "the id of a prediction")
        return set(self._pool.ledger.agents.existing_ids(self._pool.id, "prediction", ids))

    def recorded_winner_predictions(self) -> set[tuple[str, str]]:
        """The predictions of winners on record, each as its tournament and who predicted."""
        return _predicted(self._pool)

    def record_critique(self, agent_name: str, accepted: bool, *, critique_id: str | None = None) -> None:
        """Record whether a critique by an agent was accepted; the same id again changes nothing."""
        critique = Critique(
            id=checks.optional_identifier(critique_id, "the id of a critique"),
            agent=checks.agent(agent_name),
            accepted=checks.flag(accepted, "whether a critique was accepted"),
        )
        with self._pool.writing([critique.agent]) as ledger:
            ledger.agents.record_critiques(self._pool.id, [critique])

    def get_calibration_by_bucket(self, agent_name: str, domain: str | None = None) -> list[dict[str, Any]]:
        """The predictions of an agent by confidence, in tenths; 1.0 belongs to the last.

        Returns:
            ``bucket_key``, ``bucket_start``, ``bucket_end``, ``predictions``, ``correct``, ``accuracy``,
            ``expected_accuracy`` (the middle), ``brier_score`` and ``mean_confidence`` of each nonempty bucket.
        """
        return list(map(_bucket_values, _known_buckets(self._pool, agent_name, domain)))

    def get_expected_calibration_error(self, agent_name: str, domain: str | None = None) -> float:
        """The mean distance of accuracy from the middle of its bucket: 0 is perfect; 1 without predictions.

        ``calibration`` compares it with the stated confidences, with an interval.
        """
        from paragone.analysis.calibration import ece_by_midpoints

        return ece_by_midpoints(_known_buckets(self._pool, agent_name, domain))

    def get_domain_calibration(self, agent_name: str, domain: str | None = None) -> dict[str, Any]:
        """Statistics of an agent's predictions: ``total``, ``correct``, ``accuracy``, ``brier_score``, ``domains``.

        ``domains`` has ``predictions``, ``correct``, ``accuracy`` and ``brier_score`` by domain.
        """
        return _calibration_by_domain(self._pool, agent_name, domain)

    def get_best_domains(self, agent_name: str, limit: int = 5) -> list[tuple[str, float]]:
        """The domains with five or more predictions of an agent, with its calibration score, best first."""
        return _best_domains(self.get_domain_calibration(agent_name)["domains"])[: checks.limit(limit)]

    def get_agent_calibration_history(self, agent_name: str, limit: int = 50) -> list[dict[str, Any]]:
        """An agent's predictions of winners, newest first.

        Returns:
            ``tournament_id``, ``predicted_winner``, ``confidence``, ``created_at``; and ``correct`` and
            ``brier_score``, which are None until it is resolved.
        """
        return _newest(self._pool, checks.agent(agent_name), checks.limit(limit))

    def calibration(self, agent_name: str, domain: str | None = None, *, seed: int = 0) -> "CalibrationReport":
        """A report on an agent's calibration, with intervals.

        Args:
            agent_name: Its name.
            domain: Over its predictions in this domain; if None over all, also those of tournaments.
            seed: Seeds the bootstrap.
        """
        return _report(self._pool, agent_name, domain, seed)

    @property
    def calibration_tracker(self) -> LedgerCalibration:
        """A tracker for ``record_match`` that uses the predictions on record."""
        return LedgerCalibration(self._pool)


def _calibration_by_domain(pool: AgentPool, agent_name: str, domain: str | None) -> dict[str, Any]:
    """Statistics by domain, for the caller to keep."""
    agent, track = checks.agent(agent_name), checks.optional_domain(domain)
    cached = pool.known(lambda: _by_domain(_predictions_of(pool, agent, track)), "calibration by domain", agent, track)
    return {**cached, "domains": {name: numbers.copy() for name, numbers in cached["domains"].items()}}


def _newest(pool: AgentPool, agent: str, count: int) -> list[dict[str, Any]]:
    """The newest predictions of winners, for the caller to keep."""

    def read() -> list[dict[str, Any]]:
        return list(map(_resolved_values, pool.ledger.agents.predictions(pool.id, agent)[:count]))

    return [values.copy() for values in pool.known(read, "predictions of winners", agent, count)]


def _known_buckets(pool: AgentPool, agent_name: str, domain: str | None) -> "tuple[Bucket, ...]":
    agent, track = checks.agent(agent_name), checks.optional_domain(domain)
    return pool.known(lambda: _buckets(_predictions_of(pool, agent, track)), "calibration by bucket", agent, track)


def _report(pool: AgentPool, agent: str, domain: str | None, seed: int) -> "CalibrationReport":
    """A report on an agent's calibration, over all predictions with a known outcome."""
    from paragone.analysis.calibration import calibrate

    confidence, correct, about = known_forecasts(pool, agent, domain)
    return calibrate(confidence, correct, about, seed=seed)


def known_forecasts(
    pool: AgentPool, agent: str, domain: str | None, *, but: str = ""
) -> tuple[Sequence[float], Sequence[bool], Sequence[str]]:
    """Confidences of an agent, whether each came true, and the domain, which those of tournaments have not.

    Args:
        pool: The pool.
        agent: The agent.
        domain: A domain; if None or empty all, and those of tournaments too.
        but: The id of a tournament whose prediction is left out.
    """
    forecasts = [
        (prediction.confidence, prediction.correct, prediction.domain)
        for prediction in _predictions_of(pool, agent, domain)
    ]
    if not domain:  # those of tournaments are in no domain
        every = pool.ledger.agents.predictions(pool.id, checks.agent(agent))
        forecasts += [
            (prediction.prediction.confidence, prediction.correct, "")
            for prediction in every
            if prediction.correct is not None and prediction.prediction.tournament != but
        ]
    return tuple(zip(*forecasts, strict=True)) if forecasts else ((), (), ())  # type: ignore[return-value]


def _domain_prediction(record: Mapping[str, Any]) -> DomainPrediction:
    wrong = sorted((_RAW - set(record)) | (set(record) - _RAW - _OPTIONAL))
    if wrong:
        problem = "is missing" if wrong[0] in _RAW else "is unknown"
        raise InvalidEvidence(f"{wrong[0]!r} {problem}; there are {', '.join(sorted(_RAW | _OPTIONAL))}")
    return DomainPrediction(
        id=checks.optional_identifier(record.get("prediction_id"), "the id of a prediction"),
        agent=checks.agent(record["agent_name"]),
        domain=checks.domain(record["domain"]),
        confidence=checks.clamped(record["confidence"], 0.0, 1.0, "a confidence"),
        correct=checks.flag(record["correct"], "whether a prediction came true"),
    )


def _predictions_of(pool: AgentPool, agent: str, domain: str | None) -> list[DomainPrediction]:
    track = checks.optional_domain(domain) or None
    return [
        recorded.prediction for recorded in pool.ledger.agents.domain_predictions(pool.id, checks.agent(agent), track)
    ]


def _agents_of(predictions: Iterable[DomainPrediction]) -> list[str]:
    return [prediction.agent for prediction in predictions]


def _buckets(predictions: Sequence[DomainPrediction]) -> "tuple[Bucket, ...]":
    from paragone.analysis.calibration import ResolvedForecasts, buckets

    confidences = [prediction.confidence for prediction in predictions]
    return buckets(ResolvedForecasts.of(confidences, [prediction.correct for prediction in predictions]))


def _by_domain(predictions: Iterable[DomainPrediction]) -> dict[str, Any]:
    """Statistics of predictions, in all and by domain, the domain with the most first."""
    groups: dict[str, list[DomainPrediction]] = {}
    for prediction in predictions:
        groups.setdefault(prediction.domain, []).append(prediction)
    every = [prediction for group in groups.values() for prediction in group]
    ordered = sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return {**_numbers(every, "total"), "domains": {name: _numbers(group, "predictions") for name, group in ordered}}


def _best_domains(domains: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, float]]:
    """The domains with enough predictions by calibration score, best first."""
    from paragone.analysis.calibration import LEAST, calibration_score

    scored = [
        (name, calibration_score(numbers["predictions"], numbers["brier_score"] * numbers["predictions"]))
        for name, numbers in domains.items()
        if numbers["predictions"] >= LEAST
    ]
    return sorted(scored, key=lambda entry: (-entry[1], entry[0]))


def _resolved_values(resolved: "RecordedPrediction") -> dict[str, Any]:
    return {
        "tournament_id": resolved.prediction.tournament,
        "predicted_winner": resolved.prediction.winner,
        "confidence": resolved.prediction.confidence,
        "created_at": resolved.at.isoformat(),
        "correct": resolved.correct,
        "brier_score": resolved.brier,
    }


def _numbers(predictions: Sequence[DomainPrediction], counted: str) -> dict[str, Any]:
    count, correct = len(predictions), sum(prediction.correct for prediction in predictions)
    return {
        counted: count,
        "correct": correct,
        "accuracy": correct / count if count else 0.0,
        "brier_score": mean_brier(
            count, sum(brier(prediction.confidence, prediction.correct) for prediction in predictions)
        ),
    }


def _bucket_values(bucket: "Bucket") -> dict[str, Any]:
    return {
        "bucket_key": bucket.key,
        "bucket_start": bucket.start,
        "bucket_end": bucket.end,
        "predictions": bucket.predictions,
        "correct": bucket.correct,
        "accuracy": bucket.accuracy,
        "expected_accuracy": bucket.expected_accuracy,
        "brier_score": bucket.brier_score,
        "mean_confidence": bucket.mean_confidence,
    }


def _predicted(pool: AgentPool) -> set[tuple[str, str]]:
    predictions = (each.prediction for each in pool.ledger.agents.predictions(pool.id))
    return {(each.tournament, each.predictor) for each in predictions}
