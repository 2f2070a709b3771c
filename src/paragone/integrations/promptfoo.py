"""promptfoo: an assertion in Python that compares an output with a reference by a judge.

A file of the project imports it: ``from paragone.integrations.promptfoo import get_assert``, and the configuration
names that file: ``type: python``, ``value: file://better.py``, with ``config`` as below. Source: promptfoo's
documentation, "Python assertions".
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from paragone.errors import InvalidConfig, JudgeFailed
from paragone.integrations.preference import CRITERIA, preference


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Compare an output with a reference.

    Args:
        output: The output.
        context: What promptfoo hands over. Its ``config`` has ``judge``, a spec; ``reference``, the text to compare
            with, or ``reference_var``, the variable that holds it; and perhaps ``criteria``, and ``threshold``, the
            score from which on the assertion passes: 0.5 by default, which is "not worse".

    Returns:
        ``pass``, ``score`` from 0 to 1, and ``reason``. A judge that gives no answer fails the assertion and says so.

    Raises:
        InvalidConfig: If the configuration lacks the judge or the reference.
    """
    config = context.get("config") or {}
    variables = context.get("vars") or {}
    name = config.get("reference_var", "")
    reference = variables.get(name) if name else config.get("reference")
    if not isinstance(config.get("judge"), str) or not isinstance(reference, str):
        raise InvalidConfig(
            "the assertion's config needs judge (a spec such as llm:gpt-5-mini), and reference or reference_var"
        )
    comparison = preference(
        config["judge"],
        output,
        reference,
        criteria=config.get("criteria", CRITERIA),
        prompt=str(context.get("prompt") or ""),
    )
    try:
        result = asyncio.run(comparison)
    except JudgeFailed as failure:
        return {"pass": False, "score": 0.0, "reason": str(failure)}
    return {"pass": result.score >= config.get("threshold", 0.5), "score": result.score, "reason": result.reason}
