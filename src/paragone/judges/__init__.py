"""Judges: a judge takes a question (two items in an order, and criteria) and answers with a verdict.

Here are the `Judge` protocol, the judges themselves, each in its own module and loaded by `open_judge` when a spec
names it, and the wrappers, each a judge around a judge; `Stack` puts them in their order. An `Advocate` speaks for an
item in a debate, which `DebateJudge` holds before it asks the judge inside; a `PanelJudge` hands each comparison to one
of its members. A judge may talk to models, programs, files and people; it never touches the ledger, plans no matches
and rates nothing. What a judge or an advocate raises is `JudgeFailed`; `Settled` makes verdicts of it.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.judges.base import AnswerContents, DebateCard, Judge, JudgeCard, ListCard, compare_pair
    from paragone.judges.budget import Budget, Budgeted
    from paragone.judges.debates.advocate_spec import ADVOCATES, AdvocateKind, advocate_like, open_advocate
    from paragone.judges.debates.debate import (
        Advocate,
        AdvocateAsJudge,
        DebateFallbacks,
        DebateJudge,
        Fallback,
        JudgeAndAdvocate,
        MemoryTurns,
        TurnStore,
    )
    from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
    from paragone.judges.limits import Limited
    from paragone.judges.panel_judge import PanelJudge
    from paragone.judges.retrying import Retrying, Settled, Timed
    from paragone.judges.spec import JUDGES, KINDS, JudgeKind, KindReport, SpecOptions, describe, open_judge
    from paragone.judges.stack import Stack, check_debates
    from paragone.judges.verdict_cache import Cached, MemoryVerdicts, VerdictStore, verdict_key
else:
    __getattr__ = names(
        __name__,
        {
            ".base": "AnswerContents DebateCard Judge JudgeCard ListCard compare_pair",
            ".budget": "Budget Budgeted",
            ".debates.advocate_spec": "ADVOCATES AdvocateKind advocate_like open_advocate",
            ".debates.debate": (
                "Advocate AdvocateAsJudge DebateFallbacks DebateJudge Fallback JudgeAndAdvocate MemoryTurns TurnStore"
            ),
            ".debates.scripted_advocate": "ScriptedAdvocate",
            ".limits": "Limited",
            ".panel_judge": "PanelJudge",
            ".retrying": "Retrying Settled Timed",
            ".spec": "JUDGES KINDS JudgeKind KindReport SpecOptions describe open_judge",
            ".stack": "Stack check_debates",
            ".verdict_cache": "Cached MemoryVerdicts VerdictStore verdict_key",
        },
    )

__all__ = [
    "ADVOCATES",
    "JUDGES",
    "KINDS",
    "Advocate",
    "AdvocateAsJudge",
    "AdvocateKind",
    "AnswerContents",
    "Budget",
    "Budgeted",
    "Cached",
    "DebateCard",
    "DebateFallbacks",
    "DebateJudge",
    "Fallback",
    "Judge",
    "JudgeAndAdvocate",
    "JudgeCard",
    "JudgeKind",
    "KindReport",
    "Limited",
    "ListCard",
    "MemoryTurns",
    "MemoryVerdicts",
    "PanelJudge",
    "Retrying",
    "ScriptedAdvocate",
    "Settled",
    "SpecOptions",
    "Stack",
    "Timed",
    "TurnStore",
    "VerdictStore",
    "advocate_like",
    "check_debates",
    "compare_pair",
    "describe",
    "open_advocate",
    "open_judge",
    "verdict_key",
]
