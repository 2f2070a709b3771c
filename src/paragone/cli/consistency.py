"""``paragone consistency``: do the results hang together, and can the judges be trusted?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.domain import JudgeReport
    from paragone.tournaments.results.quality import Quality

ROWS = 10
"""Rows of a table that are shown where nothing else is said."""
MATCHES = 3
"""Matches of a pair that are named; JSON has them all."""
JUDGE = ("judge", "answers", "first", "bias (nats)", "ties", "agrees", "sharpness", "tells", "a decision")
Section = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]
"""A table: its title, its columns, its rows."""
_AGREES = {
    "others": "agrees: with the side that the other judges prefer, in a fit without it; ",
    "all": "agrees: with the side that the fit prefers, its own answers among the evidence; ",
    "none": "",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(consistency)


def consistency(
    tournament: options.Chosen = None,
    db: options.Database = None,
    as_json: options.Json = False,
    rows: options.Rows = None,
) -> None:
    """Check a tournament: circles, surprising results, sudden swings of ratings, and its judges."""
    from paragone.settings import settings
    from paragone.tournaments.results.quality import quality_of
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        quality = quality_of(found.ledger, found.state)
    if as_json:
        print_json(quality.as_dict())
    else:
        _print(quality, rows or ROWS)


def _print(quality: "Quality", rows: int) -> None:
    from paragone.cli.show import out, plain, print_table

    console = out()
    for line in (_looked(quality), _transitive(quality), _strong(quality), _orders(quality)):
        if line:
            console.print(plain(line))
    for title, columns, lines in (_circles(quality), _surprises(quality), _swings(quality)):
        more = f", the first {rows} of them below" if len(lines) > rows else ""
        console.print()
        console.print(plain(f"{title}: {len(lines) or 'none'}{more}"))
        if lines:
            print_table(columns, lines[:rows])
    console.print()
    print_table(JUDGE, [_judge(report) for report in quality.judges[:rows]], right=frozenset(JUDGE[1:]))
    console.print(
        plain(
            f"{_AGREES[quality.consensus]}tells: information a call; 1 is an unbiased judge of average "
            "sharpness that always decides"
        ),
        style="dim",
    )


def _circles(quality: "Quality") -> Section:
    lines = [
        (
            " > ".join((*cycle.items, cycle.items[0])),
            f"{cycle.upset.winner} over {cycle.upset.loser}",
            "-" if cycle.upset.chance is None else f"{cycle.upset.chance:.1%}",
            " | ".join(_some(beat.matches) for beat in cycle.beats),
        )
        for cycle in quality.tangles.cycles
    ]
    title = "circles" if quality.tangles.complete else "circles (there are more)"
    return title, ("each beat the next", "least likely", "its chance", "by matches"), lines


def _surprises(quality: "Quality") -> Section:
    found = quality.outliers
    lines = [
        (outlier.match, outlier.result, f"{outlier.chance:.2g}", f"{outlier.q_value:.0%}") for outlier in found.listed
    ]
    title = f"surprising results (chance below {found.improbable:.0%}; luck alone makes {found.expected:.1f})"
    return title, ("match", "result", "its chance by all else", "lucky ones among such"), lines


def _swings(quality: "Quality") -> Section:
    lines = [(anomaly.item, anomaly.kind.value, anomaly.reason) for anomaly in quality.anomalies]
    return "sudden swings", ("item", "kind", "why"), lines


def _some(names: tuple[str, ...]) -> str:
    return " ".join(names[:MATCHES]) + (f" +{len(names) - MATCHES}" if len(names) > MATCHES else "")


def _judge(report: "JudgeReport") -> tuple[str, ...]:
    from paragone.domain.spending import money

    def about(value: float | None, low: float | None, high: float | None, form: str) -> str:
        if value is None or low is None or high is None:
            return "-"
        return f"{value:{form}} ±{(high - low) / 2:{form.removeprefix('+')}}"

    failed = f" +{report.failures} failed" if report.failures else ""
    return (
        report.judge,
        f"{report.comparisons}{failed}",
        "-" if report.first_share is None else f"{report.first_share:.0%}",
        about(report.position_bias, report.position_low, report.position_high, "+.2f"),
        f"{report.tie_rate:.0%}",
        about(report.agreement, report.agreement_low, report.agreement_high, ".0%"),
        "-" if report.slope is None else f"{report.slope:.2f} ({report.slope_low:.2f}-{report.slope_high:.2f})",
        "-" if report.information is None else f"{4 * report.information:.2f}",
        "-" if report.cost_per_decided is None else money(report.cost_per_decided),
    )


def _looked(quality: "Quality") -> str:
    rest = f"; {quality.left_out} others (of several items, or without an answer) are left out" * bool(quality.left_out)
    return f"{quality.tournament}: {quality.matches} matches{rest}"


def _transitive(quality: "Quality") -> str:
    found = quality.transitivity
    if found.share is None:
        return "transitivity: no three items have all met each other"
    said = f"transitivity: {found.share:.1%} of {found.triples} {'' if found.exact else 'sampled '}triples"
    if found.expected is None or found.p_value is None:
        return said
    noise = f"{found.expected:.1f} ({found.expected_low:.0f} to {found.expected_high:.0f})"
    more = " - more than noise explains" * (found.p_value < 0.025)
    return f"{said}; circular triples: {found.circular}, where noise alone makes {noise}{more}"


def _strong(quality: "Quality") -> str:
    parts = quality.tangles.parts
    if not parts:
        return "no circle of any length: the results alone are an order"
    size = f"{parts[0]} items" if len(parts) == 1 else f"{len(parts)} groups of {parts[0]} items and fewer"
    return f"in circles, of any length: {size}, who have beaten each other by way of others"


def _orders(quality: "Quality") -> str:
    found = quality.both_orders
    if not found.pairs:
        return ""
    more = " - more than noise and position bias explain" * (found.p_value is not None and found.p_value < 0.025)
    return (
        f"both orders: {found.contradicted} of {found.pairs} pairs got contradictory answers, "
        f"where noise and position bias make {found.expected:.1f}{more}"
    )
