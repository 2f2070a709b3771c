"""What comes in from outside: items, comparisons, tables and parameters, from files, folders, frames and Python values.

What arrives is untrusted and is checked once, here: what leaves is sound, or an error names the file, the line and the
remedy. Nothing here knows of ratings, judges or stores. Heavy libraries (pyarrow, narwhals) are imported where a
file or a frame needs them.
"""

from paragone.intake.item_check import MAX_ID, MAX_TEXT, identical_texts
from paragone.intake.items import as_items, id_of, read_items
from paragone.intake.source import read_table
from paragone.intake.strengths import read_strengths
from paragone.intake.table import Table
from paragone.intake.vote import Vote, Votes
from paragone.intake.vote_options import VoteOptions
from paragone.intake.votes import read_votes

__all__ = [
    "MAX_ID",
    "MAX_TEXT",
    "Table",
    "Vote",
    "VoteOptions",
    "Votes",
    "as_items",
    "id_of",
    "identical_texts",
    "read_items",
    "read_strengths",
    "read_table",
    "read_votes",
]
