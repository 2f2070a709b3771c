"""Regular expressions whose search takes time in proportion to the text, whatever they are: those of RE2.

A pattern is matched line by line. Look-around and back-references are not among them.
"""

from typing import Any

from paragone.domain.text import visible
from paragone.errors import MissingExtra, UsageError

LONGEST = 1000
"""Characters of a pattern."""
_MEMORY = 1 << 20
"""Bytes that a pattern may take, compiled: a bound on what it costs a byte of text."""


def line_pattern(pattern: str, *, ignore_case: bool = False) -> Any:  # noqa: ANN401 - re2 has no types
    """A pattern over bytes in UTF-8, in which ``^`` and ``$`` are a line's ends and nothing matches a line's end.

    Raises:
        UsageError: If it is empty, too long, or no pattern; says what is wrong, and where.
        MissingExtra: If google-re2 is not installed.
    """
    try:
        import re2
    except ImportError as error:
        raise MissingExtra(
            "memory needs the package google-re2; install it with: pip install 'paragone[memory]'"
        ) from error
    if not pattern:
        raise UsageError("the pattern is empty; say what to look for")
    if len(pattern) > LONGEST:
        raise UsageError(f"the pattern has {len(pattern):,} characters; {LONGEST:,} is the most")
    options = re2.Options()
    options.never_nl, options.log_errors, options.never_capture = True, False, True
    options.case_sensitive, options.max_mem = not ignore_case, _MEMORY
    try:
        written = pattern.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the pattern holds half a character at position {error.start + 1}") from error
    try:
        re2.compile(written, options)  # as it was given, so that messages tell of what was given
        return re2.compile(b"(?m:" + written + b")", options)
    except re2.error as error:
        raise UsageError(_complaint(pattern, error)) from error


def _complaint(pattern: str, error: Exception) -> str:
    """What is wrong with a pattern, and where: re2 names the part that it does not understand, or none."""
    said = error.args[0]
    why = visible(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said))
    reason, _, part = why.partition(": ")
    at = _unmatched(pattern) if part == visible(pattern) or not part else pattern.rfind(part)
    place = f" at position {at + 1}" if at >= 0 else ""
    named = f" {part!r}" if part and part != visible(pattern) else ""
    hint = "; look-around and back-references cannot be had" if _is_beyond(why) else ""
    return f"{visible(pattern)!r} is no pattern: {reason}{named}{place}{hint}"


def _is_beyond(why: str) -> bool:
    return why.startswith("invalid perl operator") or (why.startswith("invalid escape") and why[-1].isdigit())


def _unmatched(pattern: str) -> int:
    """Where a bracket is that has no other, or a backslash at the end; -1 where there is none."""
    inside, groups, at = -1, [], 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\" and at == len(pattern) - 1:
            return at
        if inside >= 0:
            inside = -1 if sign == "]" and at > inside + 1 else inside
        elif sign == "[":
            inside = at
        elif sign == "(":
            groups.append(at)
        elif sign == ")" and not groups:
            return at
        elif sign == ")":
            groups.pop()
        at += 2 if sign == "\\" else 1
    return inside if inside >= 0 else groups[-1] if groups else -1
