"""``paragone consistency``: whether the results agree with each other, and whether the judges can be trusted."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

from paragone.cli import options

if TYPE_CHECKING:
    from paragone.cli.tables import Column
    from paragone.domain import JudgeReport
    from paragone.wire.consistency import Consistency, Outlier, Swing
    from paragone.wire.head_to_head import Cycle

Row = TypeVar("Row")

ROWS = 10
"""Rows of a table that are shown by default."""
MATCHES = 3
"""Matches of a pair that are named; JSON has all."""
_AGREEMENT = {
    "others": "agrees: with the side that the other judges prefer, in a fit without it; ",
    "all": "agrees: with the side that the fit prefers, its own answers among the evidence; ",
    "none": "",
}


def consistency(stored: options.Stored, output: options.Output, rows: options.Rows = None) -> None:
    """Check a tournament: circular triples, surprising results, sudden rating changes, and its judges."""
    from paragone.tournaments.results.quality import quality_of

    with stored.opened() as tournament:
        quality = quality_of(tournament.ledger, tournament.state)
    output.show(quality, lambda each: _print(each, rows or ROWS), values=asdict)


def _print(quality: "Consistency", rows: int) -> None:
    from paragone.cli.tables import out, plain, say, show_rows

    say(*filter(None, (_extent(quality), _transitivity(quality), _circular_parts(quality), _both_orders(quality))))
    _print_circles(quality, rows)
    _print_surprises(quality, rows)
    _print_swings(quality, rows)
    console = out()
    console.print()
    show_rows(quality.judges[:rows], _judge_columns())
    console.print(
        plain(
            f"{_AGREEMENT[quality.consensus]}tells: information per call; 1 is an unbiased judge of average "
            "sharpness that always decides"
        ),
        style="dim",
    )


def _print_section(title: str, listed: Sequence[Row], rows: int, columns: "Sequence[Column[Row]]") -> None:
    from paragone.cli.tables import out, say, show_rows

    more = f", the first {rows} of them below" if len(listed) > rows else ""
    out().print()
    say(f"{title}: {len(listed) or 'none'}{more}")
    if listed:
        show_rows(listed[:rows], columns)


def _print_circles(quality: "Consistency", rows: int) -> None:
    from paragone.cli.tables import Column, text

    columns: tuple[Column[Cycle], ...] = (
        text("each beat the next", lambda cycle: " > ".join((*cycle.items, cycle.items[0]))),
        text("least likely", lambda cycle: f"{cycle.upset.winner} over {cycle.upset.loser}"),
        text("its chance", lambda cycle: "-" if cycle.upset.chance is None else f"{cycle.upset.chance:.1%}"),
        text("by matches", lambda cycle: " | ".join(_some(beat.matches) for beat in cycle.beats)),
    )
    title = "circles" if quality.tangles.complete else "circles (there are more)"
    _print_section(title, quality.tangles.cycles, rows, columns)


def _some(names: tuple[str, ...]) -> str:
    return " ".join(names[:MATCHES]) + (f" +{len(names) - MATCHES}" if len(names) > MATCHES else "")


def _print_surprises(quality: "Consistency", rows: int) -> None:
    from paragone.cli.tables import Column, text

    outliers = quality.outliers
    columns: tuple[Column[Outlier], ...] = (
        text("match", lambda outlier: outlier.match),
        text("result", lambda outlier: outlier.result),
        text("its chance by all else", lambda outlier: f"{outlier.chance:.2g}"),
        text("lucky ones among such", lambda outlier: f"{outlier.q_value:.0%}"),
    )
    limits = f"chance below {outliers.improbable:.0%}; luck alone makes {outliers.expected:.1f}"
    _print_section(f"surprising results ({limits})", outliers.listed, rows, columns)


def _print_swings(quality: "Consistency", rows: int) -> None:
    from paragone.cli.tables import Column, text

    columns: tuple[Column[Swing], ...] = (
        text("item", lambda anomaly: anomaly.item),
        text("kind", lambda anomaly: anomaly.kind),
        text("why", lambda anomaly: anomaly.reason),
    )
    _print_section("sudden swings", quality.anomalies, rows, columns)


def _judge_columns() -> "Sequence[Column[JudgeReport]]":
    from paragone.cli.tables import figure, figures, text
    from paragone.domain.spending import money

    return (
        text("judge", lambda report: report.judge),
        figures("answers", lambda report: f"{report.comparisons}{_failures(report.failures)}"),
        figure("first", lambda report: report.first_share, ".0%", absent="-"),
        figures(
            "bias (nats)",
            lambda report: _estimate(report.position_bias, report.position_low, report.position_high, "+.2f"),
        ),
        figure("ties", lambda report: report.tie_rate, ".0%"),
        figures(
            "agrees", lambda report: _estimate(report.agreement, report.agreement_low, report.agreement_high, ".0%")
        ),
        figures(
            "sharpness",
            lambda report: (
                "-" if report.slope is None else f"{report.slope:.2f} ({report.slope_low:.2f}-{report.slope_high:.2f})"
            ),
        ),
        figures("tells", lambda report: "-" if report.information is None else f"{4 * report.information:.2f}"),
        figures(
            "a decision", lambda report: "-" if report.cost_per_decided is None else money(report.cost_per_decided)
        ),
    )


def _failures(count: int | None) -> str:
    return f" +{count} failed" if count else ""


def _estimate(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None or low is None or high is None:
        return "-"
    return f"{value:{form}} ±{(high - low) / 2:{form.removeprefix('+')}}"


def _extent(quality: "Consistency") -> str:
    rest = f"; {quality.left_out} others (of several items, or without an answer) are left out" * bool(quality.left_out)
    return f"{quality.tournament}: {quality.matches} matches{rest}"


def _transitivity(quality: "Consistency") -> str:
    transitivity = quality.transitivity
    if transitivity.share is None:
        return "transitivity: no three items have all met each other"
    sampled = "" if transitivity.exact else "sampled "
    sentence = f"transitivity: {transitivity.share:.1%} of {transitivity.triples} {sampled}triples"
    if transitivity.expected is None or transitivity.p_value is None:
        return sentence
    interval = f"({transitivity.expected_low:.0f} to {transitivity.expected_high:.0f})"
    more = " - more than noise explains" * (transitivity.p_value < 0.025)
    return (
        f"{sentence}; circular triples: {transitivity.circular}, where noise alone makes "
        f"{transitivity.expected:.1f} {interval}{more}"
    )


def _circular_parts(quality: "Consistency") -> str:
    parts = quality.tangles.parts
    if not parts:
        return "no circle of any length: the results alone are an order"
    size = f"{parts[0]} items" if len(parts) == 1 else f"{len(parts)} groups of {parts[0]} items and fewer"
    return f"in circles of any length: {size} that have beaten each other, directly or through others"


def _both_orders(quality: "Consistency") -> str:
    orders = quality.both_orders
    if not orders.pairs:
        return ""
    more = " - more than noise and position bias explain" * (orders.p_value is not None and orders.p_value < 0.025)
    return (
        f"both orders: {orders.contradicted} of {orders.pairs} pairs got contradictory answers, "
        f"where noise and position bias make {orders.expected:.1f}{more}"
    )
