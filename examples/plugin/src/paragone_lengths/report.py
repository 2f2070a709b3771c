"""The section "Lengths" of a tournament's report."""

from paragone.presenting.table import Table, number, text


def lengths(report):
    """A table of the longest items. The page makes every text in it harmless."""
    rows = sorted(report.board.items, key=lambda row: -len(row.text))[:10]
    columns = (text("item", lambda row: row.id), number("characters", lambda row: len(row.text)))
    return [Table(title="Longest items", columns=columns, rows=rows, note="Does length go with rank?")]
