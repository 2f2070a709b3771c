"""Tables about agents: leaderboard, relationships, tests, calibration."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from paragone.agents.report import change
from paragone.agents.strengths import LEVEL, AgentStrength
from paragone.analysis.calibration import CalibrationReport
from paragone.analysis.relationships import RelationshipMetrics
from paragone.domain import Rating, RedTeamResult
from paragone.domain.text import cut
from paragone.ledger import RecordedTest
from paragone.presenting.board_tables import BETWEEN, ELO, interval, record, span
from paragone.presenting.table import Column, Table, number, numbers, rank, text
from paragone.wire.agent import AgentRow
from paragone.wire.agent_forecast import DebateForecast

_NAME = 40


def name(agent: str) -> str:
    """A name, cut to fit a sentence or a table."""
    return cut(agent, _NAME)


def ranked_agents(rows: Sequence[AgentRow], level: float, *more: Column[AgentRow]) -> Table[AgentRow]:
    """The leaderboard of agents.

    Args:
        rows: The agents, best first.
        level: Probability of the intervals.
        more: Further columns before the name.
    """
    columns: tuple[Column[AgentRow], ...] = (
        rank("rank", lambda row: row.rank, lambda row: row.rank_shared),  # who shares it may be in none of the rows
        BETWEEN,
        number("strength", lambda row: row.strength, ".0f"),
        interval(level),
        ELO,
        record("D"),
        text("form", lambda row: row.form, "form"),
        number("calibration", lambda row: row.score, ".2f"),
        *more,
        text("agent", lambda row: row.agent, "a"),
    )
    return Table(columns=columns, rows=rows)


def expected_points(forecast: DebateForecast) -> str:
    """What is expected of a debate, in a sentence."""
    where = f" in {forecast.domain}" if forecast.domain else ""
    return (
        f"{forecast.agent} is expected to take {forecast.expected:.0%} of the points against {forecast.opponent}"
        f"{where}, between {forecast.low:.0%} and {forecast.high:.0%}"
    )


def relations(rows: Sequence[RelationshipMetrics], agent: str = "") -> Table[RelationshipMetrics]:
    """Relationships: of one agent with others, or of pairs if no agent is named."""
    columns: list[Column[RelationshipMetrics]] = [
        text("one", lambda row: name(row.agent_a), "a"),
        text("agent" if agent else "other", lambda row: name(row.agent_b), "a"),
        text("is", kind, "k"),
        number("rivalry", lambda row: row.rivalry_score, ".2f"),
        number("alliance", lambda row: row.alliance_score, ".2f"),
        number("debates", lambda row: row.debate_count),
        number("agreed", lambda row: row.agreement_rate, ".0%"),
        numbers("won-lost", lambda row: row.head_to_head),
    ]
    return Table(columns=columns[1:] if agent else columns, rows=rows)


def kind(relation: RelationshipMetrics) -> str:
    """The kind of a relationship, in words."""
    return relation.relationship.replace("_", " ")


def tests(rows: Sequence[RecordedTest], *, of_one: bool) -> Table[RecordedTest]:
    """Tests of strength, of one agent or of several."""
    first: Column[RecordedTest] = (
        text("id", lambda test: test.test.id, "k") if of_one else text("agent", lambda test: name(test.test.item), "a")
    )
    columns: tuple[Column[RecordedTest], ...] = (
        first,
        text("test", _kind_of_test),
        text("when", lambda test: f"{test.at:%Y-%m-%d %H:%M}", "k"),
        text("domain", lambda test: name(test.test.domain)),
        number("Elo", change, "+.2f"),
        text("what was measured", lambda test: ", ".join(_measured(test))),
    )
    return Table(columns=columns, rows=rows)


def _kind_of_test(test: RecordedTest) -> str:
    result = test.test
    if not isinstance(result, RedTeamResult):
        return "verification"
    return f"red team{f' {result.session}' if result.session else ''}"


def _measured(test: RecordedTest) -> Iterator[str]:
    result = test.test
    if not isinstance(result, RedTeamResult):
        yield f"{result.verified:,} verified, {result.disproven:,} disproven, K {result.k:g}"
        return
    yield f"robustness {result.robustness:g}"
    critical = f", {result.critical:,} critical" if result.critical else ""
    yield f"{result.successful:,} of {result.total:,} attacks succeeded{critical}"


def strengths_by_domain(tracks: Sequence[Rating], strengths: Mapping[str, AgentStrength]) -> Table[Rating]:
    """The ratings of one agent in domains, with its strengths where they were fitted."""

    def of_fit(part: Callable[[AgentStrength], str]) -> Callable[[Rating], str]:
        return lambda track: part(strengths[track.track]) if track.track in strengths else ""

    columns: tuple[Column[Rating], ...] = (
        text("domain", lambda track: track.track),
        numbers("strength", of_fit(lambda strength: f"{strength.strength:.0f}")),
        numbers(f"{LEVEL:.0%} interval", of_fit(lambda strength: span(strength.low, strength.high))),
        number("Elo", lambda track: track.elo, ".1f"),
        numbers("W-L-D", lambda track: f"{track.wins}-{track.losses}-{track.ties}"),
    )
    return Table(columns=columns, rows=tracks)


def calibrations(rows: Sequence[AgentRow]) -> Table[AgentRow]:
    """Agents by how well they are calibrated."""
    rank_of = {row.agent: rank for rank, row in enumerate(rows, 1)}
    columns: tuple[Column[AgentRow], ...] = (
        number("rank", lambda row: rank_of[row.agent]),
        number("score", lambda row: row.score, ".3f", absent="too few"),
        number("Brier", lambda row: row.brier, ".3f"),
        numbers("right", lambda row: f"{row.correct:,} of {row.predictions:,}"),
        text("agent", lambda row: row.agent, "a"),
    )
    return Table(columns=columns, rows=rows)


def calibration_measures(report: CalibrationReport) -> Iterator[tuple[str, str]]:
    """Measures of one agent's calibration, as names and values."""
    parts, bias = report.corp, report.bias
    yield (
        "Brier score",
        (
            f"{report.brier.value:.3f} [{report.brier.low:.3f}, {report.brier.high:.3f}]; "
            "0 is perfect, and 0.250 is what 50% always gets"
        ),
    )
    yield (
        "in parts",
        (
            f"{parts.miscalibration:.3f} miscalibration - {parts.discrimination:.3f} discrimination + "
            f"{parts.uncertainty:.3f} uncertainty"
        ),
    )
    yield "confidence less accuracy", f"{bias.value:+.3f} [{bias.low:+.3f}, {bias.high:+.3f}]"
    for name, error, chance in (
        ("expected calibration error", report.ece, report.ece_by_chance),
        ("by the middles of the tenths", report.ece_by_midpoints, report.ece_by_midpoints_by_chance),
    ):
        yield name, f"{error.value:.3f}, by chance {chance.expected:.3f}"
    yield "calibration score", f"{report.score.value:.3f}"
