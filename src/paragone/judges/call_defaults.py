"""How calls of judges are made unless said otherwise; apart from the wrappers, since every command reads these."""

CONCURRENCY = 8
"""Calls in flight at the most."""

TIMEOUT = 300.0
"""Seconds that a call may take."""

ATTEMPTS = 3
"""Tries for a call before it counts as failed."""

FIRST_WAIT = 0.5
"""The longest wait before the first retry, in seconds, of which chance takes a part; it doubles from there."""
