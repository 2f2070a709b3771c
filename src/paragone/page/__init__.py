"""A report as one self-contained page, whatever it is about, and files that are written whole or not at all.

``cells`` has what tables are made of, ``chart`` a figure in its place, ``page`` lays both out, ``scripts`` has what may
run in it; ``saving`` and ``records`` write files, ``formats`` says which a report may be.
"""

from paragone.page.cells import Cell, Column, Table, columns, item, number, without_empty_columns
from paragone.page.chart import Chart
from paragone.page.formats import require_report_file
from paragone.page.page import Page, Sentence, as_html, shown
from paragone.page.records import as_csv, as_jsonl, write_records
from paragone.page.saving import require_writable, save
from paragone.page.scripts import plotly_js

__all__ = [
    "Cell",
    "Chart",
    "Column",
    "Page",
    "Sentence",
    "Table",
    "as_csv",
    "as_html",
    "as_jsonl",
    "columns",
    "item",
    "number",
    "plotly_js",
    "require_report_file",
    "require_writable",
    "save",
    "shown",
    "without_empty_columns",
    "write_records",
]
