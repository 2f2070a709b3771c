"""How a report on agents was made: what another one would need to come to the same."""

from collections.abc import Iterator

from paragone.agents.report.gathering import Report


def settings_of(report: Report) -> tuple[tuple[str, str], ...]:
    """Names and values of what the report rests on, in words."""
    return (*_ratings(report), *_strengths(report), *_calibration(report))


def _ratings(report: Report) -> Iterator[tuple[str, str]]:
    config = report.config
    yield "Pool", report.pool.id
    yield "Running Elo", f"begins at {config.initial:g}, K {config.k:g}, from {config.floor:g} to {config.ceiling:g}"


def _strengths(report: Report) -> Iterator[tuple[str, str]]:
    method = report.method
    if method:
        yield "Strength", f"{method['name']}; each pair of a debate weighs {method['pair_weight']}"
        yield "Scale", f"Elo points; {report.config.initial:g} is the average of the agents"
    fits = (method, *(table.method for table in report.by_domain.values()))
    tau = next((fit["tau"] for fit in fits if fit.get("tau") is not None), None)
    if tau is not None:
        yield "Between domains", f"strengths differ by a standard deviation of {tau:.2f} nats, from the evidence"


def _calibration(report: Report) -> Iterator[tuple[str, str]]:
    for one in list(report.calibration.values())[:1]:
        draws = f"{one.draws:,} draws of the bootstrap and as many by chance"
        yield "Calibration", f"{one.level:.0%} intervals, {draws}, seed {one.seed}"
