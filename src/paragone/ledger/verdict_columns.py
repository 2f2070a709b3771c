"""What the rows of all judge calls have in common, on a pair or on several: who answered, and what it took."""

from typing import Any

from sqlalchemy import Row

from paragone.domain import Usage, Verdict


def verdict_values(verdict: Verdict) -> dict[str, Any]:
    """The columns that every call has."""
    usage = verdict.usage
    return {
        "choice": verdict.choice,
        "judge": verdict.judge,
        "rationale": verdict.rationale,
        "prompt_hash": verdict.prompt_hash,
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
        "seconds": usage.seconds,
        "error": verdict.error,
        "cached": verdict.cached,
    }


def verdict_fields(row: Row[tuple[Any, ...]]) -> dict[str, Any]:
    """The attributes that every verdict has, from its row."""
    usage = Usage(
        calls=row.calls,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cost=row.cost,
        seconds=row.seconds,
    )
    same = {name: getattr(row, name) for name in ("choice", "judge", "rationale", "prompt_hash", "error", "cached")}
    return {**same, "usage": usage}
