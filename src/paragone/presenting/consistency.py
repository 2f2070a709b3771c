"""Whether the results of a tournament are consistent: sentences and tables."""

from collections.abc import Callable, Iterator, Sequence

from paragone.domain import JudgeReport
from paragone.domain.spending import money
from paragone.presenting.board_tables import width
from paragone.presenting.table import Column, Table, number, numbers, text
from paragone.presenting.terms import LOG_ODDS
from paragone.wire.consistency import Consistency, Outlier, Swing
from paragone.wire.head_to_head import Cycle

MATCHES = 3
"""Matches of a pair that are named; JSON has all."""
_SECTION = "consistency"
_AGREEMENT = {
    "others": "agrees: with the side that the other judges prefer, in a fit without it; ",
    "all": "agrees: with the side that the fit prefers, its own answers among the evidence; ",
    "none": "",
}


def findings(quality: Consistency) -> Iterator[tuple[str, str]]:
    """The checks and their findings, as names and sentences."""
    rest = f"; {quality.left_out} others (of several items, or without an answer) are left out" * bool(quality.left_out)
    yield quality.tournament, f"{quality.matches} matches{rest}"
    yield "transitivity", _transitivity(quality)
    parts = quality.tangles.parts
    if not parts:
        yield "no circle of any length", "the results alone are an order"
    else:
        size = f"{parts[0]} items" if len(parts) == 1 else f"{len(parts)} groups of {parts[0]} items and fewer"
        yield "in circles of any length", f"{size} that have beaten each other, directly or through others"
    orders = quality.both_orders
    if orders.pairs:
        more = " - more than noise and position bias explain" * _is_significant(orders.p_value)
        contradicted = f"{orders.contradicted} of {orders.pairs} pairs got contradictory answers"
        yield "both orders", f"{contradicted}, where noise and position bias make {orders.expected:.1f}{more}"


def _transitivity(quality: Consistency) -> str:
    transitivity = quality.transitivity
    if transitivity.share is None:
        return "no three items have all met each other"
    sampled = "" if transitivity.exact else "sampled "
    sentence = f"{transitivity.share:.1%} of {transitivity.triples} {sampled}triples"
    if transitivity.expected is None or transitivity.p_value is None:
        return sentence
    interval = f"({transitivity.expected_low:.0f} to {transitivity.expected_high:.0f})"
    more = " - more than noise explains" * _is_significant(transitivity.p_value)
    return (
        f"{sentence}; circular triples: {transitivity.circular}, where noise alone makes "
        f"{transitivity.expected:.1f} {interval}{more}"
    )


def _is_significant(p_value: float | None) -> bool:
    return p_value is not None and p_value < 0.025


def circles(quality: Consistency) -> Table[Cycle]:
    """Circles: each item beat the next, and the last beat the first."""
    return Table(
        section=_SECTION,
        title="circles" if quality.tangles.complete else "circles (there are more)",
        note="The last also beat the first. The least likely win, by all other evidence, is the one to examine.",
        columns=(
            text("each beat the next", lambda cycle: " > ".join((*cycle.items, cycle.items[0])), "t"),
            text("least likely", lambda cycle: f"{cycle.upset.winner} over {cycle.upset.loser}"),
            number("its chance by all else", lambda cycle: cycle.upset.chance, ".2g", absent="-"),
            text("by matches", lambda cycle: " | ".join(_first(beat.matches) for beat in cycle.beats)),
        ),
        rows=quality.tangles.cycles,
    )


def _first(names: Sequence[str]) -> str:
    return " ".join(names[:MATCHES]) + (f" +{len(names) - MATCHES}" if len(names) > MATCHES else "")


def surprises(quality: Consistency) -> Table[Outlier]:
    """Results that had little chance by all the other evidence."""
    outliers = quality.outliers
    return Table(
        section=_SECTION,
        title=(
            f"surprising results (chance below {outliers.improbable:.0%}; luck alone makes {outliers.expected:.1f})"
        ),
        note="By all other evidence these results were unlikely. Read the verdicts of those matches.",
        columns=(
            text("match", lambda outlier: outlier.match, "k"),
            text("result", lambda outlier: outlier.result),
            number("its chance by all else", lambda outlier: outlier.chance, ".2g"),
            number("lucky ones among such", lambda outlier: outlier.q_value, ".0%"),
        ),
        rows=outliers.listed,
    )


def swings(quality: Consistency) -> Table[Swing]:
    """Changes of ratings beyond what fair results would bring."""
    return Table(
        section=_SECTION,
        title="sudden swings",
        note="Ratings that changed more than fair results would change them.",
        columns=(
            text("item", lambda anomaly: anomaly.item),
            text("kind", lambda anomaly: anomaly.kind, "k"),
            number("Elo points", lambda anomaly: anomaly.size, "+.0f"),
            number("matches", lambda anomaly: len(anomaly.matches)),
            text("why", lambda anomaly: anomaly.reason, "t"),
        ),
        rows=quality.anomalies,
    )


def judges(
    reports: Sequence[JudgeReport], consensus: str = "none", name_of: Callable[[str], str] = str
) -> Table[JudgeReport]:
    """The judges: how they lean, how often they agree with others, how much their answers tell, and their cost."""
    columns: tuple[Column[JudgeReport], ...] = (
        text("judge", lambda report: name_of(report.judge), "a"),
        numbers("answers", _answers, lambda report: report.comparisons),
        number("first", lambda report: report.first_share, ".0%", absent="-"),
        numbers(
            f"bias ({LOG_ODDS})",
            lambda report: _estimate(report.position_bias, report.position_low, report.position_high, "+.2f"),
            lambda report: report.position_bias,
        ),
        number("ties", lambda report: report.tie_rate, ".0%"),
        numbers(
            "agrees",
            lambda report: _estimate(report.agreement, report.agreement_low, report.agreement_high, ".0%"),
            lambda report: report.agreement,
        ),
        numbers("sharpness", _sharpness, lambda report: report.slope),
        number(
            "tells", lambda report: None if report.information is None else 4 * report.information, ".2f", absent="-"
        ),
        numbers(
            "a decision",
            lambda report: "-" if report.cost_per_decided is None else money(report.cost_per_decided),
            lambda report: report.cost_per_decided,
        ),
    )
    explained = "tells: information per call; 1 is an unbiased judge of average sharpness that always decides"
    return Table(
        section="judges", title="judges", note=f"{_AGREEMENT[consensus]}{explained}", columns=columns, rows=reports
    )


def _answers(report: JudgeReport) -> str:
    return f"{report.comparisons:,}" + (f" +{report.failures} failed" if report.failures else "")


def _sharpness(report: JudgeReport) -> str:
    return "-" if report.slope is None else f"{report.slope:.2f} ({report.slope_low:.2f}-{report.slope_high:.2f})"


def _estimate(value: float | None, low: float | None, high: float | None, form: str) -> str:
    extent = width(low, high)
    return "-" if value is None or extent is None else f"{value:{form}} ±{extent / 2:{form.removeprefix('+')}}"
