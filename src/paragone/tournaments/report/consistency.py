"""Whether the results hang together: what the checks found, as tables."""

from collections.abc import Iterator

from paragone.domain.text import visible
from paragone.page.cells import Cell, Table, columns, number
from paragone.tournaments.results.quality import Quality

MOST = 20
"""Lines of each table; JSON has all that was found."""


def consistency_tables(quality: Quality) -> tuple[Table, ...]:
    """Circles, matches that ended as nobody would have thought, and swings of ratings."""
    return (_overview(quality), _circles(quality), _surprises(quality), _swings(quality))


def _overview(quality: Quality) -> Table:
    return Table(
        section="consistency",
        title="",
        columns=columns("What", "Found"),
        rows=tuple((Cell(text=what, style="k"), Cell(text=found)) for what, found in _found(quality)),
        sortable=False,
    )


def _circles(quality: Quality) -> Table:
    return Table(
        section="consistency",
        title="Circles",
        note="Each beat the next, and the last beat the first. The upset is the win that the fit finds least likely.",
        columns=columns("Circle", "Upset", "Match", "#Chance"),
        rows=tuple(
            (
                Cell(text=visible(" > ".join((*cycle.items, cycle.items[0]))), style="t"),
                Cell(text=visible(f"{cycle.upset.winner} beat {cycle.upset.loser}")),
                Cell(text=visible(", ".join(cycle.upset.matches[:3])), style="k"),
                number(cycle.upset.chance, ".1%"),
            )
            for cycle in quality.tangles.cycles[:MOST]
        ),
    )


def _surprises(quality: Quality) -> Table:
    return Table(
        section="consistency",
        title="Surprising results",
        note="By all the other evidence these results had little chance; luck alone makes "
        f"{quality.outliers.expected:.1f} of them. Look at what was said in those matches.",
        columns=columns("Match", "Result", "#Chance"),
        rows=tuple(
            (
                Cell(text=visible(outlier.match), style="k"),
                Cell(text=visible(outlier.result)),
                number(outlier.chance, ".2%"),
            )
            for outlier in quality.outliers.listed[:MOST]
        ),
    )


def _swings(quality: Quality) -> Table:
    return Table(
        section="consistency",
        title="Sudden swings of ratings",
        note="More than fair results would bring.",
        columns=columns("Hypothesis", "Which", "#Elo points", "#Matches", "Why"),
        rows=tuple(
            (
                Cell(text=visible(anomaly.item)),
                Cell(text=anomaly.kind.value, style="k"),
                number(anomaly.size, "+.0f"),
                number(len(anomaly.matches)),
                Cell(text=visible(anomaly.reason), style="t"),
            )
            for anomaly in quality.anomalies[:MOST]
        ),
    )


def _found(quality: Quality) -> Iterator[tuple[str, str]]:
    known = quality.transitivity
    if known.share is not None:
        expected = ""
        if known.expected is not None and known.expected_low is not None and known.expected_high is not None:
            expected = f"; noise alone makes {known.expected_low:.0f} to {known.expected_high:.0f}"
        sample = "" if known.exact else ", a sample of all"
        yield (
            "Transitivity",
            f"{known.share:.1%} of {known.triples:,} triples{sample}: {known.circular:,} go in a circle{expected}",
        )
    orders = quality.both_orders
    if orders.pairs:
        found = f"{orders.contradicted:,} of {orders.pairs:,} pairs shown in both orders were answered differently"
        yield "Both orders", f"{found}; {orders.expected:.1f} were to be expected"
    yield "Circles listed", f"{len(quality.tangles.cycles):,}{'' if quality.tangles.complete else ', of more'}"
    yield "Surprising results", f"{len(quality.outliers.listed):,}"
    yield "Sudden swings", f"{len(quality.anomalies):,}"
