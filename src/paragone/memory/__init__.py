"""Memory: content rated by use, gated by truth, packed for a context window. The façade is ``Memory``."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.memory import Memory
else:
    __getattr__ = names(
        __name__,
        {
            ".memory": "Memory",
        },
    )

__all__ = ["Memory"]
