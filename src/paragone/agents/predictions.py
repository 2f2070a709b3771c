"""What agents foretell, and how well it fits what came of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.domain import Critique, DomainPrediction, Prediction, Resolution, brier
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool
    from paragone.analysis.calibration import Bucket, CalibrationReport

_RAW = {"agent_name", "domain", "confidence", "correct"}
_OPTIONAL = {"prediction_id"}


def record_winner(pool: "AgentPool", tournament: str, predictor: str, winner: str, confidence: float) -> None:
    """Keep whom an agent expects to win."""
    prediction = Prediction(
        tournament=checks.identifier(tournament, "the id of a tournament"),
        predictor=checks.agent(predictor),
        winner=checks.agent(winner),
        confidence=checks.clamped(confidence, 0.0, 1.0, "a confidence"),
    )
    with pool.writing([prediction.predictor, prediction.winner]) as ledger:
        ledger.agents.record_prediction(pool.id, prediction)


def resolve(pool: "AgentPool", tournament: str, winner: str) -> dict[str, float]:
    """Say who won, and count what was foretold."""
    resolution = Resolution(
        tournament=checks.identifier(tournament, "the id of a tournament"), winner=checks.agent(winner)
    )
    with pool.writing([resolution.winner]) as ledger:
        return ledger.agents.resolve(pool.id, resolution)


def record(pool: "AgentPool", records: Sequence[Mapping[str, Any]]) -> None:
    """Keep predictions within domains, all or none."""
    predictions = checks.each("prediction", records, _domain_prediction)
    if predictions:
        with pool.writing([prediction.agent for prediction in predictions]) as ledger:
            ledger.agents.record_domain_predictions(pool.id, predictions)


def recorded_predictions(pool: "AgentPool", ids: Iterable[str]) -> set[str]:
    """Those of some predictions within domains that are recorded."""
    return set(
        pool.ledger.agents.existing_ids(
            pool.id, "prediction", [checks.identifier(id, "the id of a prediction") for id in ids]
        )
    )


def record_critique(pool: "AgentPool", agent: str, accepted: bool, id: str | None) -> None:
    """Keep a critique."""
    critique = Critique(
        id=checks.optional_identifier(id, "the id of a critique"),
        agent=checks.agent(agent),
        accepted=checks.flag(accepted, "whether a critique was accepted"),
    )
    with pool.writing([critique.agent]) as ledger:
        ledger.agents.record_critiques(pool.id, [critique])


def by_bucket(pool: "AgentPool", agent: str, domain: str | None) -> list[dict[str, Any]]:
    """The buckets that have predictions, as plain values."""
    return [_bucket_values(bucket) for bucket in _buckets(pool, agent, domain)]


def expected_error(pool: "AgentPool", agent: str, domain: str | None) -> float:
    """Expected calibration error in the document's form; 1 without predictions."""
    from paragone.analysis.calibration import ece_by_midpoints

    return ece_by_midpoints(_buckets(pool, agent, domain))


def by_domain(pool: "AgentPool", agent: str, domain: str | None) -> dict[str, Any]:
    """An agent's predictions in numbers, in all and by domain, the domain with the most first."""
    groups: dict[str, list[DomainPrediction]] = {}
    for prediction in _of(pool, agent, domain):
        groups.setdefault(prediction.domain, []).append(prediction)
    every = [prediction for group in groups.values() for prediction in group]
    ordered = sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return {**_numbers(every, "total"), "domains": {name: _numbers(group, "predictions") for name, group in ordered}}


def best_domains(pool: "AgentPool", agent: str, limit: int) -> list[tuple[str, float]]:
    """The domains with enough predictions by calibration score, the best first."""
    from paragone.analysis.calibration import LEAST, calibration_score

    domains = by_domain(pool, agent, None)["domains"]
    scored = [
        (name, calibration_score(numbers["predictions"], numbers["brier_score"] * numbers["predictions"]))
        for name, numbers in domains.items()
        if numbers["predictions"] >= LEAST
    ]
    return sorted(scored, key=lambda entry: (-entry[1], entry[0]))[: checks.limit(limit)]


def history(pool: "AgentPool", agent: str, limit: int) -> list[dict[str, Any]]:
    """An agent's predictions of winners, newest first."""
    predictions = pool.ledger.agents.predictions(pool.id, checks.agent(agent))
    return [
        {
            "tournament_id": resolved.prediction.tournament,
            "predicted_winner": resolved.prediction.winner,
            "confidence": resolved.prediction.confidence,
            "created_at": resolved.at.isoformat(),
            "correct": resolved.correct,
            "brier_score": resolved.brier,
        }
        for resolved in predictions[: checks.limit(limit)]
    ]


def report(pool: "AgentPool", agent: str, domain: str | None, seed: int) -> "CalibrationReport":
    """All that is to be said of an agent's calibration, over all predictions whose outcome is known."""
    from paragone.analysis.calibration import calibrate

    forecasts = [
        (prediction.confidence, prediction.correct, prediction.domain) for prediction in _of(pool, agent, domain)
    ]
    if not domain:  # those of tournaments are in no domain
        every = pool.ledger.agents.predictions(pool.id, checks.agent(agent))
        forecasts += [
            (prediction.prediction.confidence, prediction.correct, "")
            for prediction in every
            if prediction.correct is not None
        ]
    confidence, correct, about = zip(*forecasts, strict=True) if forecasts else ((), (), ())
    return calibrate(confidence, correct, about, seed=seed)


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


def _of(pool: "AgentPool", agent: str, domain: str | None) -> list[DomainPrediction]:
    track = checks.optional_domain(domain) or None
    return [
        recorded.prediction for recorded in pool.ledger.agents.domain_predictions(pool.id, checks.agent(agent), track)
    ]


def _buckets(pool: "AgentPool", agent: str, domain: str | None) -> "tuple[Bucket, ...]":
    from paragone.analysis.calibration import Forecasts, buckets

    predictions = _of(pool, agent, domain)
    return buckets(
        Forecasts.of(
            [prediction.confidence for prediction in predictions], [prediction.correct for prediction in predictions]
        )
    )


def _numbers(predictions: Sequence[DomainPrediction], counted: str) -> dict[str, Any]:
    from paragone.analysis.calibration import mean_brier

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
