"""What the rows of all calls have in common, judge calls and turns of debates: who answered, and what it took."""

from typing import Any

from sqlalchemy import Row

from paragone.domain import Usage, Verdict

TAKEN = ("calls", "input_tokens", "output_tokens", "cost", "seconds")
"""Columns of what a call took."""


def verdict_values(verdict: Verdict) -> dict[str, Any]:
    """The columns that every call has."""
    return {
        "choice": verdict.choice,
        "judge": verdict.judge,
        "rationale": verdict.rationale,
        "prompt_hash": verdict.prompt_hash,
        **usage_values(verdict.usage),
        "error": verdict.error,
        "cached": verdict.cached,
    }


def verdict_fields(row: Row[tuple[Any, ...]]) -> dict[str, Any]:
    """The attributes that every verdict has, from its row."""
    same = {name: getattr(row, name) for name in ("choice", "judge", "rationale", "prompt_hash", "error", "cached")}
    return {**same, "usage": usage_of(row)}


def usage_values(usage: Usage) -> dict[str, Any]:
    """What a call took, as columns."""
    return {name: getattr(usage, name) for name in TAKEN}


def usage_of(row: Row[tuple[Any, ...]]) -> Usage:
    """What a call took, from its row."""
    return Usage(**{name: getattr(row, name) for name in TAKEN})
