"""What the numbers mean: pure functions from ratings and answers to boards and judge reports.

Anything here takes numbers and returns values; it opens nothing and asks nobody.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.analysis.boards import board_rows, judge_reports, list_reports
else:
    __getattr__ = names(
        __name__,
        {
            ".boards": "board_rows judge_reports list_reports",
        },
    )

__all__ = ["board_rows", "judge_reports", "list_reports"]
