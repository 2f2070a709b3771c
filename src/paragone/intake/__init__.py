"""Input from outside: items, comparisons, tables and parameters, from files, folders, data frames and Python values.

What arrives is untrusted and is checked once, here: what leaves is sound, or an error names the file, the line and the
remedy. Nothing here knows of ratings, judges or stores. Heavy libraries (pyarrow, narwhals) are imported where a
file or a frame needs them.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.intake.item_values import read_strengths
    from paragone.intake.items import MAX_ID, MAX_TEXT, as_items, id_of, identical_texts, read_items
    from paragone.intake.table import InputTable
    from paragone.intake.table_files import read_table
    from paragone.intake.vote import Vote, VoteOptions, Votes
    from paragone.intake.votes import read_votes
else:
    __getattr__ = names(
        __name__,
        {
            ".item_values": "read_strengths",
            ".items": "MAX_ID MAX_TEXT as_items id_of identical_texts read_items",
            ".table": "InputTable",
            ".table_files": "read_table",
            ".vote": "Vote VoteOptions Votes",
            ".votes": "read_votes",
        },
    )

__all__ = [
    "MAX_ID",
    "MAX_TEXT",
    "InputTable",
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
