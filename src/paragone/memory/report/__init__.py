"""Measures of success of a memory, and what its dashboard says; ``paragone.presenting.memory_dashboard`` shows it."""

from paragone.memory.report.dashboard import TOP, Dashboard, Pool, echoes, gather, histories, pool

__all__ = ["TOP", "Dashboard", "Pool", "echoes", "gather", "histories", "pool"]
