"""Memory: content rated by use, gated by truth, packed for a context window (document M). The façade is ``Memory``."""

from paragone.memory.memory import Memory

__all__ = ["Memory"]
