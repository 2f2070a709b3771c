"""Who decides: a judge takes a question (two items, an order, criteria) and answers with a verdict.

Here are the `Judge` protocol, the judges themselves, each in its own module and loaded by `open_judge` when a spec
names it, and the wrappers, each a judge around a judge. A judge may talk to models, programs, files and people; it
never touches the ledger, plans no matches and rates nothing. What a judge raises is `JudgeFailed`; `Settled` makes
verdicts of it.
"""

from paragone.judges.base import Judge, JudgeCard, ListCard
from paragone.judges.both_orders import hold
from paragone.judges.budgeted import Budget, Budgeted, Spending
from paragone.judges.cached import Cached, MemoryVerdicts, VerdictStore, verdict_key
from paragone.judges.limited import Limited
from paragone.judges.retrying import Retrying
from paragone.judges.settled import Settled
from paragone.judges.spec import KINDS, JudgeKind, KindReport, describe, open_judge
from paragone.judges.timed import Timed

__all__ = [
    "KINDS",
    "Budget",
    "Budgeted",
    "Cached",
    "Judge",
    "JudgeCard",
    "JudgeKind",
    "KindReport",
    "Limited",
    "ListCard",
    "MemoryVerdicts",
    "Retrying",
    "Settled",
    "Spending",
    "Timed",
    "VerdictStore",
    "describe",
    "hold",
    "open_judge",
    "verdict_key",
]
