"""Orders that come from outside as plain values, checked and made into places."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any


def read_order(value: object, names: Sequence[Hashable]) -> tuple[int, ...]:
    """The places of what was shown, best first, from an order of its names.

    Args:
        value: A list that holds each of ``names`` once, the best first.
        names: What the items were called, in the order of presentation.

    Raises:
        ValueError: If it is anything else: a name that is missing, unknown, or there twice leaves no order.
    """
    if not isinstance(value, list | tuple):
        raise ValueError(f"an order is a list of {len(names)}, best first, not {_brief(value)}")  # noqa: TRY004
    place = {name: at for at, name in enumerate(names)}
    try:
        order = tuple(place[name] for name in value)
    except (KeyError, TypeError):
        raise ValueError(f"the order {_brief(value)} names something that was not shown") from None
    if any(isinstance(name, bool) for name in value) or len(order) != len(names) or len(set(order)) < len(order):
        raise ValueError(f"the order {_brief(value)} does not name each of the {len(names)} items once")
    return order


def order_schema() -> dict[str, Any]:
    """The JSON schema of an answer that orders, the reasons before the order."""
    properties = {
        "rationale": {"type": "string"},
        "order": {"type": "array", "items": {"type": "integer"}},
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def order_of_reply(answer: Mapping[str, Any] | None, shown: int) -> tuple[int, ...]:
    """Read a model's answer, which calls the texts by their numbers from 1.

    Raises:
        ValueError: If it is malformed.
    """
    if answer is None:
        raise ValueError("it holds no JSON object, or more than one")
    return read_order(answer.get("order"), range(1, shown + 1))


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
