"""Measures of success of a memory, and the data of its dashboard; ``presenting.memory_dashboard`` shows them."""

from paragone.memory.report.dashboard import TOP, Dashboard, Pool, echoes, gather, histories, pool

__all__ = ["TOP", "Dashboard", "Pool", "echoes", "gather", "histories", "pool"]
