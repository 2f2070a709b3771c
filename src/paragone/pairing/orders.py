"""In which orders the comparisons of one match show its two sides."""

from paragone.domain import Order
from paragone.errors import InvalidConfig


def alternating_orders(comparison_rounds: int) -> tuple[Order, ...]:
    """AB, BA, AB, ... for as many comparisons as a match has.

    Raises:
        InvalidConfig: If there is to be no comparison.

    Source: document S, "位置バイアスの軽減".
    """
    if comparison_rounds < 1:
        raise InvalidConfig(f"comparison_rounds must be at least 1, not {comparison_rounds}")
    return tuple(Order.BA if turn % 2 else Order.AB for turn in range(comparison_rounds))
